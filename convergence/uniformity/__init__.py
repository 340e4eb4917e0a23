"""Which values and branches are the same in all converged threads (semantics.md, *Uniformity*).

``analysis`` says it of a text, by the rules U-; ``check`` holds any such claims against runs; ``claims``
reads what LLVM says.
"""
