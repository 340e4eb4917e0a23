"""Files, options, launches, output and exit codes: what the subcommands share."""
