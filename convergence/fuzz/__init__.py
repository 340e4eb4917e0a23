"""Random programs, LLVM's passes and ``refine``: findings that nobody asked for (docs/fuzz.md)."""
