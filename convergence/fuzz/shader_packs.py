"""Several random shaders in one module, so that a driver compiles them at once.

Each workgroup calls its own program as a function, in uniform control flow, on its own rows of the buffers;
so what is legal for a program is what is legal for it alone. Half of lavapipe's time for a small shader is
the same for every module.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from ..device.client import Dispatch, Dispatched, DispatchResult
from ..frozen import dataclass
from .reconvergence import Statement
from .shader_words import CELLS, Sited, packed_words, shader_words
from .shaders import SLOTS, ShaderProgram

LARGEST = 5
"""Programs in one module: LLVM's time for a function grows faster than its size."""
OUT, IN, VARIABLES = (0, 0), (0, 1), (0, 2)
"""The set and binding of ``u0``, ``u1``, and of variables that lie in memory."""


@dataclass(frozen=True, slots=True)
class Part:
    """What of a program runs: its ``tree``, or a changed one, on what each invocation is given."""

    sited: Sited
    inputs: tuple[int, ...]


def part(program: ShaderProgram, tree: tuple[Statement, ...] | None = None) -> Part:
    """A program, or another ``tree`` with its inputs and operations."""
    return Part(Sited(program.tree if tree is None else tree, program.kinds), program.inputs)


def packs(parts: Sequence[Part], largest: int = LARGEST) -> Iterator[Sequence[Part]]:
    """The parts, so many at a time."""
    for start in range(0, len(parts), largest):
        yield parts[start : start + largest]


def packed(pack: Sequence[Part], lanes: int) -> Dispatch:
    """All programs of a pack, each once."""
    module = packed_words([part.sited for part in pack], lanes)
    return Dispatch(module, "main", (len(pack), 1, 1), _data(pack, lanes))


def _data(pack: Sequence[Part], lanes: int) -> dict[tuple[int, int], bytes]:
    numbers = [number for part in pack for number in part.inputs]
    return {OUT: bytes(4 * SLOTS * lanes * len(pack)), IN: struct.pack(f"<{len(numbers)}i", *numbers)}


def unpacked(count: int, lanes: int, answer: Dispatched) -> list[Dispatched]:
    """What each of ``count`` programs of a pack came to, in order: its own rows of each result."""
    shaders = []
    for number in range(count):
        rows = []
        for result in answer.results:
            data = {}
            for place, size in ((OUT, 4 * SLOTS * lanes), (IN, 4 * lanes)):
                data[place] = result.data[place][number * size : (number + 1) * size]
            rows.append(DispatchResult(data, result.count))
        shaders.append(Dispatched(tuple(rows)))
    return shaders


def in_memory(part: Part, lanes: int, repeat: int) -> Dispatch:
    """A program alone, with each of its variables in memory."""
    module = shader_words(part.sited.tree, part.sited.kinds, lanes, in_memory=True)
    data = {**_data([part], lanes), VARIABLES: bytes(4 * CELLS * lanes)}
    return Dispatch(module, "main", (1, 1, 1), data, repeat=repeat)
