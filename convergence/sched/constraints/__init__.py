"""All executions as models of the axioms, found by z3."""
