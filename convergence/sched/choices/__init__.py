"""All executions by lists of labelled choices, and what keeps the lists few."""
