"""All inputs at once: the question to z3."""
