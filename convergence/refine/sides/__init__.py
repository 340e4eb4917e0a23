"""One side of a comparison: a module made ready, and its outcomes for an input."""
