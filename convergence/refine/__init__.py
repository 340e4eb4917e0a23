"""Refinement: does a transform keep its threads together? (semantics.md, *Outcomes and refinement*)

``result`` says what is answered; ``refine`` compares two modules. Nothing here parses or prints.
"""
