"""LLVM 22.1's own words for the faults that the rules name, as its verifier prints them."""

from __future__ import annotations

from ..rules import Rule

BUNDLE_TWICE = "The 'convergencectrl' bundle can occur at most once on a call"
BUNDLE_SHAPE = "The 'convergencectrl' bundle requires exactly one token use."
PRODUCER = "Convergence control tokens can only be produced by calls to the convergence control intrinsics."
ENTRY_FUNCTION = "Entry intrinsic can occur only in a convergent function."
ENTRY_BLOCK = "Entry intrinsic can occur only in the entry block."
ENTRY_FIRST = "Entry intrinsic cannot be preceded by a convergent operation in the same basic block."
NO_TOKEN_ALLOWED = "Entry or anchor intrinsic cannot have a convergencectrl token operand."
TOKEN_REQUIRED = "Loop intrinsic must have a convergencectrl token operand."
LOOP_FIRST = "Loop intrinsic cannot be preceded by a convergent operation in the same basic block."
MIX = "Cannot mix controlled and uncontrolled convergence in the same function."
ADDRESS_TAKEN = "Cannot take the address of an intrinsic!"
INVALID_USER = "Invalid user of intrinsic instruction!"
INDIRECT_TOKEN = "Return type cannot be token for indirect call!"
DOMINANCE = "Convergence control token must dominate all its uses."
VALUE_DOMINANCE = "Instruction does not dominate all uses!"
PHI = "PHI nodes cannot have token type!"
SELECT = "select values cannot have token type"
CYCLE_USE = (
    "Convergence token used by an instruction other than llvm.experimental.convergence.loop in a cycle "
    "that does not contain the token's definition."
)
CYCLE_TWO = "Two static convergence token uses in a cycle that does not contain either token's definition."
HEART = "Cycle heart must dominate all blocks in the cycle."
NESTING = "Convergence region is not well-nested."

CONVERGENCE: dict[str, tuple[Rule, ...]] = {
    BUNDLE_TWICE: (Rule.S_BUNDLE,),
    BUNDLE_SHAPE: (Rule.S_BUNDLE,),
    PRODUCER: (Rule.S_PRODUCER,),
    ENTRY_FUNCTION: (Rule.S_ENTRY_FN,),
    ENTRY_BLOCK: (Rule.S_ENTRY_BLOCK,),
    ENTRY_FIRST: (Rule.S_ENTRY_FIRST,),
    NO_TOKEN_ALLOWED: (Rule.S_LOOP_TOKEN,),
    TOKEN_REQUIRED: (Rule.S_LOOP_TOKEN, Rule.S_BUNDLE, Rule.S_PRODUCER),
    LOOP_FIRST: (Rule.S_LOOP_FIRST,),
    MIX: (Rule.S_MIX, Rule.S_BUNDLE, Rule.S_PRODUCER),
    DOMINANCE: (Rule.S_DOM,),
    CYCLE_USE: (Rule.S_CYCLE_USE,),
    CYCLE_TWO: (Rule.S_CYCLE_TWO, Rule.S_CYCLE_TWICE),
    HEART: (Rule.S_HEART_DOM,),
    NESTING: (Rule.S_NEST, Rule.S_DOM),
}
"""What only a fault of convergence control makes LLVM say, and the rules that account for it.

A call whose bundle is malformed has no token for LLVM, so it also counts as uncontrolled there,
and a ``loop`` with such a bundle as one without a token.
"""

SHARED: dict[str, tuple[Rule, ...]] = {
    ADDRESS_TAKEN: (Rule.S_DIRECT,),
    INVALID_USER: (Rule.S_DIRECT,),
    INDIRECT_TOKEN: (Rule.S_DIRECT,),
    VALUE_DOMINANCE: (Rule.S_DOM,),
    PHI: (Rule.S_DOM,),
    SELECT: (Rule.S_DOM,),
}
"""What LLVM says of these rules and of other faults alike."""
