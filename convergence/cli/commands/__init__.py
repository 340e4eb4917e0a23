"""One module per subcommand, imported when it is asked for."""
