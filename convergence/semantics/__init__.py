"""Running programs: the operational machine, one function per rule and per instruction (semantics.md, §3)."""
