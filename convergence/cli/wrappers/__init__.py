"""``convcheck-opt``, ``-llc``, ``-clang``, ``-clang++``: a tool of LLVM's, and a check beside it.

The tool runs as it was asked to; then it runs once more and prints its modules, which are compared. Nothing
that happens here changes the tool's output, streams or exit status.
"""
