"""``convcheck-opt``, ``convcheck-llc``, ``convcheck-clang``, ``convcheck-clang++``: a tool of LLVM's, checked.

The tool runs as it was asked to; then it runs once more and prints its modules, which are compared. Nothing
that happens here changes the tool's output, streams or exit status.
"""
