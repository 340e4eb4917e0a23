"""How one thread runs: its state, prepared code, terminators and calls."""
