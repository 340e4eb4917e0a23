"""Functions drawn by hypothesis, piece by piece, so that a counterexample shrinks."""

from __future__ import annotations

from hypothesis import strategies as st

from .finish import finish
from .model import INTEGER, NONE, Block, Exit, Function, Item, Kind, Spelling

ARITY = {Exit.RET: 0, Exit.UNREACHABLE: 0, Exit.BR: 1}
KINDS = (Kind.ANCHOR, Kind.LOOP, Kind.CALL, Kind.ENTRY)


@st.composite
def functions(draw: st.DrawFn, most_blocks: int = 6) -> Function:
    """Any function of the model that LLVM parses; half of the draws give every use a definition above it
    in text order, which makes more of them obey the rules."""
    count = draw(st.integers(1, most_blocks))
    ordered = draw(st.booleans())
    defined: list[str] = []
    wanting: list[tuple[Item, list[str]]] = []

    def item(kind: Kind, name: str) -> Item:
        wants = kind is Kind.LOOP or (kind is Kind.CALL and draw(st.integers(0, 4)) > 0)
        spelling = draw(st.sampled_from(Spelling)) if kind is Kind.CALL else Spelling.CONVERGENT
        made = Item(kind, None if kind is Kind.CALL else name, spelling=spelling)
        if wants:
            wanting.append((made, list(defined)))
        if made.token is not None:
            defined.append(made.token)
        return made

    blocks = []
    for index in range(count):
        kinds = draw(st.lists(st.sampled_from(KINDS), max_size=3))
        block = Block([item(kind, f"t{index}{k}") for k, kind in enumerate(kinds)])
        block.exit = draw(st.sampled_from(Exit)) if count > 1 else Exit.RET
        arity = ARITY.get(block.exit, 2)
        block.targets = [draw(st.integers(1, count - 1)) for _ in range(arity)]
        if block.exit in (Exit.INVOKE, Exit.CALLBR):
            block.last = item(Kind.CALL, "")
        blocks.append(block)
    for made, above in wanting:
        names = above if ordered and above else defined
        if names:
            made.bundles = ((draw(st.sampled_from(names)),),)
    if wanting and draw(st.integers(0, 19)) == 0:
        odd = draw(st.sampled_from([i for i, _ in wanting]))
        odd.bundles = draw(st.sampled_from((((NONE,),), ((INTEGER,),), ((),), odd.bundles * 2)))
    return finish(Function(blocks, convergent=draw(st.integers(0, 9)) > 0))
