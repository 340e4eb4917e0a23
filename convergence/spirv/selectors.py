"""Which values an integer may have, as far as constants in a function show.

An OpSwitch whose selector has few values sends threads with one value to a case that the text would let
several lead to: the default of a selector of one bit, say, or of one that a compiler made to remember by
which way a loop was left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ..frozen import dataclass
from .instruction import SPIRVInstruction
from .module import SPIRVFunction, SPIRVModule
from .types import SPIRVInt

MOST = 16
"""Values that are looked at one by one."""
Values = frozenset[int] | None
"""Bits, as numbers without a sign; ``None``: any."""
_ANY: Values = None


@dataclass(frozen=True, slots=True)
class Selectors:
    """A function's instructions by result, and what is stored to each of its variables that nothing but loads
    and stores name: ``None`` to others."""

    module: SPIRVModule
    definitions: Mapping[str, SPIRVInstruction]
    stored: Mapping[str, tuple[str, ...] | None]
    numbers: Callable[[str], int | None]

    def values(self, id_: str) -> Values:
        """The values that an integer may have. One that nothing defined has none: to branch on it is
        undefined."""
        numbers: set[int] = set()
        names: set[str] = set()
        work = [id_]
        while work:
            at = work.pop()
            if at in names:
                continue
            names.add(at)
            number = self.numbers(at)
            i = self.definitions.get(at)
            if number is not None:
                numbers.add(number)
            elif i is None:
                return _ANY
            elif (sources := self._sources(i)) is not None:
                work += sources
            elif (few := self._computed(i)) is not None:
                numbers |= few
            else:
                return _ANY
            if len(numbers) > MOST:
                return _ANY
        return frozenset(numbers)

    def _sources(self, i: SPIRVInstruction) -> tuple[str, ...] | None:
        """Whose values the result has one of."""
        match i.op:
            case "OpPhi":
                return tuple(i.id(n) for n in range(0, len(i.operands), 2))
            case "OpSelect":
                return i.id(1), i.id(2)
            case "OpCopyObject":
                return (i.id(0),)
            case "OpLoad":
                return self.stored.get(i.id(0))
            case "OpUndef":
                return ()
            case _:
                return None

    def _computed(self, i: SPIRVInstruction) -> Values:
        """Few values whatever the operands are: of a mask, of a remainder."""
        type_ = self.module.types.get(i.type or "")
        if not isinstance(type_, SPIRVInt) or i.op not in ("OpBitwiseAnd", "OpUMod"):
            return _ANY
        constants = [n for n in map(self.numbers, (i.id(0), i.id(1))) if n is not None]
        if i.op == "OpBitwiseAnd" and constants:
            return _submasks(constants[0])
        if i.op == "OpUMod" and (bound := self.numbers(i.id(1))) is not None and 0 < bound <= MOST:
            return frozenset(range(bound))
        return _ANY


def _submasks(mask: int) -> Values:
    if 1 << mask.bit_count() > MOST:
        return _ANY
    masks, at = {0}, mask
    while at:
        masks.add(at)
        at = at - 1 & mask
    return frozenset(masks)


def selectors(module: SPIRVModule, body: SPIRVFunction, numbers: Callable[[str], int | None]) -> Selectors:
    """The analysis of a function; ``numbers`` gives constants."""
    by_block: dict[str, SPIRVInstruction] = {}
    stored: dict[str, list[str] | None] = {}
    inside = [i for block in body.blocks for i in block.instructions]
    for i in inside:
        if i.result is not None:
            by_block[i.result] = i
        if i.op == "OpVariable" and i.result is not None:
            stored[i.result] = [i.id(1)] if len(i.operands) > 1 else []
    for i in inside:
        for at, named in _named(i):
            values = stored.get(named)
            if named not in stored or values is None:
                continue
            if i.op == "OpStore" and at == 0:
                values.append(i.id(1))
            elif not (i.op == "OpLoad" and at == 0):
                stored[named] = None
    return Selectors(
        module, by_block, {id_: None if v is None else tuple(v) for id_, v in stored.items()}, numbers
    )


def _named(i: SPIRVInstruction) -> Iterator[tuple[int, str]]:
    """The ids among the operands, with their places; a variable's initializer names none of the others."""
    if i.op != "OpVariable":
        yield from ((at, o) for at, o in enumerate(i.operands) if isinstance(o, str) and o[:1] == "%")
