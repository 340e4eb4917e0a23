"""convcheck held against LLVM's own tests: files beside ``opt``'s verdict, passes through ``refine``.

``python -m tests.llvm_suite run OUT.jsonl --tests DIR`` walks a tree of LLVM's tests (``llvm/test`` of a
source release) and writes one JSON line a question; the same command goes on where it was cut off.
``report OUT.jsonl`` counts the answers by verdict and by reason, ``list --tests DIR`` says what would be
asked. The files are LLVM's and stay where they are: nothing of them is kept but their names. The package is
only reached as ``python -m convergence``, as its users reach it. pytest collects nothing here;
``make llvm-suite`` runs it.
"""
