"""What a declared function does, as pure functions of ``{lane: operands}``: a table of models."""
