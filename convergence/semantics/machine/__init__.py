"""The inventory of a run: program, launch, choices, log, outcome, and ``run`` itself."""
