"""The command line: one small module per subcommand, imported when it is asked for. No semantics here."""
