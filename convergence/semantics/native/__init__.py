"""Native code for threads: the prepared steps, run once over an arithmetic that emits LLVM IR."""
