"""All executions of a program, by two engines: choices, and constraints (semantics.md, §3)."""
