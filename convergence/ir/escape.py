"""Which stack objects another thread could ever know: those whose address escapes.

The address of an object escapes where it, or a pointer computed from it, is used for anything but to access
memory there or to compute another such pointer. Nothing depends on the order of the text: pointers are
followed from definitions to uses until there are no more, through phis, structs and vectors, into functions
that are called, and out of those that return them. So an address that does not escape is nowhere but in
registers of its thread: no memory holds it, and no exchange gives it. What is not understood lets it escape.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum, auto
from typing import Any

from . import instructions as ir
from .calls import callee_name
from .module import Function, Module
from .operands import Global, Local, MetadataOperand, Operand
from .types import Type

_HARMLESS = ("llvm.lifetime.", "llvm.memset.", "llvm.memcpy.", "llvm.memmove.", "llvm.dbg.", "llvm.prefetch.")
"""Calls that access an object through a pointer, but keep no copy of the pointer."""

_THROUGH: Mapping[str, int] = {
    "llvm.memset.": 0,
    "llvm.masked.load.": 0,
    "llvm.masked.expandload.": 0,
    "llvm.masked.gather.": 0,
    "llvm.masked.store.": 1,
    "llvm.masked.compressstore.": 1,
    "llvm.masked.scatter.": 1,
}
"""Calls that access memory through the argument at that place. A pointer anywhere else among the arguments is
stored, or is what lanes that are off give: that is more than an access."""

_SAME = (
    "llvm.launder.invariant.group.",
    "llvm.strip.invariant.group.",
    "llvm.ptrmask.",
    "llvm.ptr.annotation.",
)
"""Calls that do nothing but give another pointer to the object of their first argument."""

_SAME_OBJECT = frozenset({"bitcast", "addrspacecast"})
"""Conversions of pointers to pointers."""


_SPECIAL = ("inalloca", "preallocated", "swift")
"""Attributes of parameters that are more than pointers."""
_COPIED = "byval("
"""The attribute of a parameter that is given what lies behind the pointer, and never the pointer itself."""


class _Use(Enum):
    """What an instruction does with a pointer: nothing that lasts, make another one of it, or more."""

    ACCESS = auto()
    DERIVE = auto()
    ESCAPE = auto()


class Escapes:
    """The answers for one module. A ``byval`` parameter is an object like an alloca: the call's copy."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._objects: dict[tuple[str, str], bool] = {}
        self._parameters: dict[tuple[str, int], _Use] = {}
        self._in_progress: set[tuple[str, int]] = set()
        self._uses: dict[str, dict[str, list[ir.Instruction]]] = {}
        self._definitions: dict[str, dict[str, ir.Instruction]] = {}
        self._grown = False

    def escapes(self, function: Function, name: str) -> bool:
        """Whether the address that ``%name``, an alloca of ``function``, gives can become known elsewhere."""
        known = self._objects.get((function.name, name))
        while known is None:  # from "no parameter escapes" on, until it holds for all that were asked about
            self._grown = False
            self._in_progress.clear()
            answer = self._escapes(function, name)
            if answer or not self._grown:
                known = self._objects[function.name, name] = answer
        return known

    def _escapes(self, function: Function, name: str) -> bool:
        """A pointer to an object of an activation that is returned outlives it: that is no register's way."""
        return self._uses_of(function, name) is not _Use.ACCESS

    def _uses_of(self, function: Function, name: str) -> _Use:
        """What a function does with a pointer: ``DERIVE`` is that it may return it, and no more."""
        uses = self._uses_in(function)
        pointers, work = {name}, [name]
        answer = _Use.ACCESS
        while work:
            for instruction in uses.get(work.pop(), ()):
                if isinstance(instruction, ir.Ret):
                    answer = _Use.DERIVE
                    continue
                match self._use(instruction, pointers):
                    case _Use.ESCAPE:
                        return _Use.ESCAPE
                    case _Use.DERIVE if instruction.result is not None and instruction.result not in pointers:
                        pointers.add(instruction.result)
                        work.append(instruction.result)
                    case _:
                        pass
        return answer

    def base(self, function: Function, address: Operand) -> Local | Global | None:
        """The alloca of ``function`` or the variable that an address is surely one of, if any."""
        definitions = self._definitions.get(function.name)
        if definitions is None:
            definitions = {i.result: i for i in function.instructions if i.result is not None}
            self._definitions[function.name] = definitions
        while isinstance(address, Local):
            match definitions.get(address.name):
                case ir.Alloca():
                    return address
                case ir.GetElementPtr(pointer=base):
                    address = base
                case ir.Conversion(opcode=opcode, value=value) if opcode in _SAME_OBJECT:
                    address = value
                case _:
                    return None
        return address if isinstance(address, Global) and address.name in self._module.globals else None

    def _uses_in(self, function: Function) -> dict[str, list[ir.Instruction]]:
        known = self._uses.get(function.name)
        if known is None:
            known = self._uses[function.name] = {}
            for instruction in function.instructions:
                for name in {local.name for local in locals_of(instruction)}:
                    known.setdefault(name, []).append(instruction)
        return known

    def _use(self, instruction: ir.Instruction, pointers: set[str]) -> _Use:
        """What an instruction that mentions one of the pointers does with it."""

        def is_one(operand: object) -> bool:
            return isinstance(operand, Local) and operand.name in pointers

        match instruction:
            case ir.Load() | ir.ICmp() | ir.DebugRecord():
                return _Use.ACCESS
            case ir.Store(value=value) | ir.AtomicRMW(value=value):
                return _Use.ESCAPE if is_one(value) else _Use.ACCESS
            case ir.CmpXchg(expected=expected, replacement=replacement):
                return _Use.ESCAPE if is_one(expected) or is_one(replacement) else _Use.ACCESS
            case ir.GetElementPtr() | ir.Phi() | ir.Select() | ir.Freeze():
                return _Use.DERIVE
            case (
                ir.InsertValue()
                | ir.ExtractValue()
                | ir.InsertElement()
                | ir.ExtractElement()
                | ir.ShuffleVector()
            ):
                return _Use.DERIVE  # a struct or vector of pointers is in a register, too
            case ir.Conversion(opcode=opcode):
                return _Use.DERIVE if opcode in _SAME_OBJECT else _Use.ESCAPE
            case ir.CallSite():
                return self._call(instruction, is_one)
            case _:
                return _Use.ESCAPE

    def _call(self, call: ir.CallSite, is_one: Any) -> _Use:
        name = callee_name(call)
        callee = None if name is None else self._module.functions.get(name)
        if callee is None:
            return _Use.ESCAPE
        if callee.name == "llvm.assume":  # what is assumed of a pointer tells nobody which one it is
            return _Use.ACCESS
        if any(is_one(local) for bundle in call.bundles for local in locals_of(bundle)):
            return _Use.ESCAPE
        places = [
            place
            for place, argument in enumerate(call.arguments)
            if any(is_one(local) for local in locals_of(argument.value))
        ]
        if callee.is_declaration:
            return _declared(callee.name, places)
        uses = {self._parameter(callee, place) for place in places}
        if _Use.ESCAPE in uses:
            return _Use.ESCAPE
        return _Use.DERIVE if _Use.DERIVE in uses else _Use.ACCESS

    def _parameter(self, function: Function, place: int) -> _Use:
        """What a function does with a pointer that is passed there, as far as that is known yet: where it may
        return it, or a pointer made of it, the call makes another pointer."""
        known = self._parameters.get((function.name, place), _Use.ACCESS)
        if known is _Use.ESCAPE or (function.name, place) in self._in_progress:
            return known
        self._in_progress.add((function.name, place))
        parameter = function.parameters[place] if place < len(function.parameters) else None
        words = () if parameter is None else parameter.attributes
        if any(w.startswith(_COPIED) for w in words):
            return _Use.ACCESS
        special = any(w.startswith(_SPECIAL) for w in words)
        use = _Use.ESCAPE if parameter is None or special else self._uses_of(function, parameter.name)
        if (use is not known and known is _Use.ACCESS) or use is _Use.ESCAPE:
            self._grown, self._parameters[function.name, place] = True, use
        return self._parameters.get((function.name, place), _Use.ACCESS)


def address_place(name: str) -> int | None:
    """Which argument of a declared function is the one address of its access, if it is a fill or masked."""
    return next((place for prefix, place in _THROUGH.items() if name.startswith(prefix)), None)


def _declared(name: str, places: list[int]) -> _Use:
    """What a declared function does with pointers that are its arguments at these places."""
    if name.startswith(_HARMLESS):
        return _Use.ACCESS
    if name.startswith(_SAME):
        return _Use.DERIVE if places == [0] else _Use.ESCAPE
    through = address_place(name)
    return _Use.ACCESS if through is not None and places == [through] else _Use.ESCAPE


def locals_of(part: object) -> Iterator[Local]:
    """The values that a part of the IR mentions; what debuggers are told is no use."""
    work = [part]
    if isinstance(part, ir.Instruction) and not part.attachments:  # most of them, without a look at fields
        if part.__class__ in ir.PLAIN:
            work = [*ir.operands(part)]
        elif isinstance(part, ir.Call):
            work = [part.callee, *ir.operands(part), *(bundle.inputs for bundle in part.bundles)]
        elif isinstance(part, ir.Phi):
            work = [value for value, _ in part.incoming]
    while work:
        top = work.pop()
        if isinstance(top, Local):
            yield top
        elif isinstance(top, tuple):
            work += top
        elif is_dataclass(top) and not isinstance(top, MetadataOperand | Type):
            work += [getattr(top, field.name) for field in fields(top)]


# ----------------------------------------------------------------------------------------------------------
# Loads that read only to put what they read elsewhere: a front end without optimisation sets one component
# of a vector by a load of all, an insertelement, and a store of all.
# ----------------------------------------------------------------------------------------------------------


def moving_loads(function: Function) -> frozenset[str]:
    """The results of loads from which nothing is computed: each goes, as it is or as lanes of vectors, into
    stack objects of the function and nowhere else. Whoever computes from what lies there loads it again."""
    stack = _stack(function) if ir.Alloca in function.kinds else ()
    if not stack:
        return frozenset()
    moving = {i.result for i in function.instructions if _moves(i)}
    while gone := {name for name in _used_otherwise(function, moving, stack) if name in moving}:
        moving -= gone
    loads = (i.result for i in function.instructions if isinstance(i, ir.Load))
    return frozenset(name for name in loads if name is not None and name in moving)


def _moves(instruction: ir.Instruction) -> bool:
    return isinstance(instruction, ir.Load | ir.InsertElement | ir.ShuffleVector)


def _stack(function: Function) -> frozenset[str]:
    """The addresses of stack objects, and of places in them."""
    names: set[str] = set()
    for instruction in function.instructions:
        match instruction:
            case ir.Alloca(result=str(name)):
                names.add(name)
            case ir.GetElementPtr(result=str(name), pointer=Local(name=base)) if base in names:
                names.add(name)
            case ir.Conversion(result=str(name), opcode="addrspacecast", value=Local(name=base)) if (
                base in names
            ):
                names.add(name)
            case _:
                pass
    return frozenset(names)


def _used_otherwise(function: Function, moving: set[str | None], stack: frozenset[str]) -> Iterator[str]:
    """The values that an instruction uses for more than to put them into the stack, or into a vector that
    goes there."""
    for instruction in function.instructions:
        match instruction:
            case ir.DebugRecord():
                continue
            case ir.Store(value=Local(), pointer=Local(name=place)) if place in stack:
                yield place
            case ir.InsertElement(result=result, index=index) if result in moving:
                if isinstance(index, Local):
                    yield index.name
            case ir.ShuffleVector(result=result) if result in moving:
                continue
            case _:
                yield from (local.name for local in locals_of(instruction))
