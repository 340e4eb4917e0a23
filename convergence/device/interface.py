"""What a SPIR-V module asks of whoever runs it: entry points, workgroup sizes, bindings, capabilities.

A pass over the words of the binary (SPIR-V specification, 2.3 *Physical Layout of a SPIR-V Module and
Instruction*), which looks at declarations only and at no code.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Literal

from ..frozen import dataclass

MAGIC = 0x07230203
HEADER = 5
"""Words before the first instruction."""

BindingKind = Literal["storage", "uniform", "other"]


class UnreadableShader(Exception):
    """The bytes are no SPIR-V module; the message says why."""


@dataclass(frozen=True, slots=True)
class ShaderEntry:
    """A ``GLCompute`` or other entry point: its ``name``, the number of its execution ``model``, how many
    invocations a workgroup has along x, y and z, where the module says it by a literal, and the numbers of
    its execution ``modes``."""

    name: str
    model: int
    local_size: tuple[int, int, int] | None = None
    modes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Binding:
    """A resource: the ``variable``'s name, or that of its block (OpName, may be empty), where it is bound,
    and what it is."""

    variable: str
    set: int
    binding: int
    kind: BindingKind
    writable: bool = True


@dataclass(frozen=True, slots=True)
class Interface:
    """A module's ``version`` as (major, minor), and what it declares. ``capabilities`` are numbers;
    ``push_constants``: it has a variable of that storage class."""

    version: tuple[int, int]
    entry_points: tuple[ShaderEntry, ...]
    bindings: tuple[Binding, ...]
    capabilities: tuple[int, ...]
    extensions: tuple[str, ...]
    push_constants: bool = False

    def compute(self, name: str | None = None) -> ShaderEntry | None:
        """The compute entry point of a name, or the only one."""
        there = [e for e in self.entry_points if e.model == GL_COMPUTE and name in (None, e.name)]
        return there[0] if len(there) == 1 else None


GL_COMPUTE = 5
"""The execution model of compute shaders."""

_NAME, _EXTENSION, _ENTRY_POINT, _EXECUTION_MODE, _CAPABILITY = 5, 10, 15, 16, 17
_TYPE_ARRAY, _TYPE_RUNTIME_ARRAY, _TYPE_POINTER, _CONSTANT, _VARIABLE, _DECORATE, _MEMBER_DECORATE = (
    28, 29, 32, 43, 59, 71, 72,
)  # fmt: skip
_SPEC_CONSTANT, _CONSTANT_COMPOSITE, _SPEC_COMPOSITE, _EXECUTION_MODE_ID = 50, 44, 51, 331
_LOCAL_SIZE, _LOCAL_SIZE_ID = 17, 38
_BLOCK, _BUFFER_BLOCK, _BUILT_IN, _NON_WRITABLE, _BINDING, _SET = 2, 3, 11, 24, 33, 34
_WORKGROUP_SIZE = 25
_UNIFORM_CONSTANT, _UNIFORM, _PUSH_CONSTANT, _STORAGE_BUFFER = 0, 2, 9, 12


def words_of(data: bytes) -> tuple[int, ...]:
    """The words of a module, in this machine's order. Raises NotSPIRV."""
    if len(data) < 4 * HEADER or len(data) % 4:
        raise UnreadableShader("no SPIR-V: its size is no whole number of words, or too small")
    for order in "<>":
        words = struct.unpack(f"{order}{len(data) // 4}I", data)
        if words[0] == MAGIC:
            return words
    raise UnreadableShader("no SPIR-V: its magic number is missing")


def instructions(words: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Opcodes with their operands. Raises NotSPIRV for an instruction that ends behind the module."""
    at = HEADER
    while at < len(words):
        size, opcode = words[at] >> 16, words[at] & 0xFFFF
        if not size or at + size > len(words):
            raise UnreadableShader(f"broken SPIR-V: an instruction of {size} words at word {at}")
        yield opcode, words[at + 1 : at + size]
        at += size


def text_in(words: tuple[int, ...]) -> tuple[str, int]:
    """A literal string and how many words it takes."""
    data = b"".join(word.to_bytes(4, "little") for word in words)
    end = data.find(b"\0")
    end = len(data) if end < 0 else end
    return data[:end].decode("utf-8", "replace"), end // 4 + 1


def interface_of(data: bytes) -> Interface:
    """The interface of a module. Raises NotSPIRV."""
    words = words_of(data)
    read = _Reading()
    for opcode, operands in instructions(words):
        read.take(opcode, operands)
    version = words[1] >> 16 & 0xFF, words[1] >> 8 & 0xFF
    return read.interface(version)


class _Reading:
    """What has been seen so far, by identifier."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self.entries: list[tuple[int, int, str]] = []
        self.sizes: dict[int, tuple[int, ...]] = {}
        self.size_ids: dict[int, tuple[int, ...]] = {}
        self.modes: dict[int, list[int]] = {}
        self.capabilities: list[int] = []
        self.extensions: list[str] = []
        self.pointers: dict[int, tuple[int, int]] = {}
        self.elements: dict[int, int] = {}
        self.constants: dict[int, int] = {}
        self.composites: dict[int, tuple[int, ...]] = {}
        self.variables: list[tuple[int, int, int]] = []
        self.decorations: dict[int, dict[int, tuple[int, ...]]] = {}
        self.read_only_members: set[int] = set()

    def take(self, opcode: int, operands: tuple[int, ...]) -> None:
        """One instruction."""
        match opcode:
            case 5:
                self.names[operands[0]] = text_in(operands[1:])[0]
            case 10:
                self.extensions.append(text_in(operands)[0])
            case 15:
                self.entries.append((operands[0], operands[1], text_in(operands[2:])[0]))
            case 16 | 331:
                self.modes.setdefault(operands[0], []).append(operands[1])
                if operands[1] == _LOCAL_SIZE:
                    self.sizes[operands[0]] = operands[2:5]
                elif operands[1] == _LOCAL_SIZE_ID:
                    self.size_ids[operands[0]] = operands[2:5]
            case 17:
                self.capabilities.append(operands[0])
            case 28 | 29:
                self.elements[operands[0]] = operands[1]
            case 32:
                self.pointers[operands[0]] = operands[1], operands[2]
            case 43 | 50:
                self.constants[operands[1]] = operands[2]
            case 44 | 51:
                self.composites[operands[1]] = operands[2:]
            case 59:
                self.variables.append((operands[0], operands[1], operands[2]))
            case 71:
                self.decorations.setdefault(operands[0], {})[operands[1]] = operands[2:]
            case 72 if operands[2] == _NON_WRITABLE:
                self.read_only_members.add(operands[0])
            case _:
                pass

    def interface(self, version: tuple[int, int]) -> Interface:
        """What there is when all was seen."""
        entries = tuple(
            ShaderEntry(name, model, self._size(id_), tuple(self.modes.get(id_, ())))
            for model, id_, name in self.entries
        )
        bindings = (self._binding(*variable) for variable in self.variables)
        return Interface(
            version,
            entries,
            tuple(binding for binding in bindings if binding is not None),
            tuple(dict.fromkeys(self.capabilities)),
            tuple(self.extensions),
            any(storage == _PUSH_CONSTANT for _, _, storage in self.variables),
        )

    def _size(self, entry: int) -> tuple[int, int, int] | None:
        """The workgroup's size; the constant that is decorated so goes before what the mode says."""
        ids = next(
            (self.composites[i] for i, d in self.decorations.items()
             if d.get(_BUILT_IN) == (_WORKGROUP_SIZE,) and i in self.composites),
            self.size_ids.get(entry),
        )  # fmt: skip
        size = self.sizes.get(entry) if ids is None else tuple(self.constants.get(i, 0) for i in ids)
        return None if size is None or len(size) != 3 or not all(size) else (size[0], size[1], size[2])

    def _binding(self, type_: int, variable: int, storage: int) -> Binding | None:
        marks = self.decorations.get(variable, {})
        if _BINDING not in marks and _SET not in marks:
            return None
        pointee = self.pointers.get(type_, (0, 0))[1]
        arrayed = pointee in self.elements
        block = self.decorations.get(pointee, {})
        kind: BindingKind = "other"
        if not arrayed and (storage == _STORAGE_BUFFER or (storage == _UNIFORM and _BUFFER_BLOCK in block)):
            kind = "storage"
        elif not arrayed and storage == _UNIFORM and _BLOCK in block:
            kind = "uniform"
        writable = kind == "storage" and _NON_WRITABLE not in marks
        writable = writable and pointee not in self.read_only_members
        place = marks.get(_SET, (0,))[0], marks.get(_BINDING, (0,))[0]
        name = self.names.get(variable) or self.names.get(pointee, "")
        return Binding(name, *place, kind, writable)
