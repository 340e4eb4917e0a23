"""Stack objects: which ones another thread could ever know, and which loads only move what lies in one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum, auto
from typing import Any, NamedTuple

from . import (
    ArrayType,
    FloatType,
    Global,
    Int,
    IntType,
    Local,
    MetadataOperand,
    Operand,
    StructType,
    Type,
    VectorType,
)
from . import instructions as ir
from .calls import callee_name
from .module import Function, Module

# ----------------------------------------------------------------------------------------------------------
# Which stack objects another thread could ever know: those whose address escapes.
#
# The address of an object escapes where it, or a pointer computed from it, is used for anything but to
# access memory there, to compute another such pointer, or to be kept in a slot. A *slot* is an alloca of
# the same function that is accessed at constant places of it, by loads of pointers and by stores, and whose
# own address goes nowhere else: what is kept there only its loads give, as in code of a front end without
# optimisation. Nothing depends on the order of the text: pointers are followed from definitions to uses
# until there are no more, through slots, phis, structs and vectors, into functions that are called, and out
# of those that return them. So an address that does not escape is nowhere but in registers and slots of its
# thread: no other memory holds it, and no exchange gives it. What is not understood lets it escape.
# ----------------------------------------------------------------------------------------------------------

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


_MARKS = ("llvm.lifetime.", "llvm.dbg.")
"""Calls that say something of an object and leave what lies there."""

_SPECIAL = ("inalloca", "preallocated", "swift")
"""Attributes of parameters that are more than pointers."""
_COPIED = "byval("
"""The attribute of a parameter that is given what lies behind the pointer, and never the pointer itself."""


class _Use(Enum):
    """What an instruction does with a pointer: nothing that lasts, make another of it, store it, or more."""

    ACCESS = auto()
    DERIVE = auto()
    STORE = auto()
    ESCAPE = auto()


class _Fate(NamedTuple):
    """Where a function lets a pointer go: back to its caller, or where all may see it."""

    returned: bool = False
    escapes: bool = False


_ESCAPES = _Fate(escapes=True)


class Escapes:
    """The answers for one module. A ``byval`` parameter is an object like an alloca: the call's copy."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._objects: dict[tuple[str, str], _Fate] = {}
        self._parameters: dict[tuple[str, int], _Fate] = {}
        self._slots: dict[tuple[str, str], tuple[str, ...] | None] = {}
        self._in_progress: set[tuple[str, int]] = set()
        self._uses: dict[str, dict[str, list[ir.Instruction]]] = {}
        self._definitions: dict[str, dict[str, ir.Instruction]] = {}
        self._grown = False

    def escapes(self, function: Function, name: str) -> bool:
        """Whether the address that ``%name``, an alloca of ``function``, gives can become known elsewhere. A
        pointer to an object of an activation that is returned outlives it: that is no register's way."""
        fate = self._fate(function, name)
        return fate.escapes or fate.returned

    def _fate(self, function: Function, name: str) -> _Fate:
        known = self._objects.get((function.name, name))
        while known is None:  # from "no parameter goes anywhere" on, until it holds for all that was asked
            self._grown = False
            self._in_progress.clear()
            fate = self._fate_in(function, name)
            if fate.escapes or not self._grown:
                known = self._objects[function.name, name] = fate
        return known

    def _fate_in(self, function: Function, name: str) -> _Fate:
        """Where a function lets a pointer go."""
        uses = self._uses_in(function)
        pointers, work = {name}, [name]
        returned = False
        while work:
            for instruction in uses.get(work.pop(), ()):
                if isinstance(instruction, ir.Ret):
                    returned = True
                    continue
                derived: tuple[str | None, ...] = ()
                match self._use(instruction, pointers):
                    case _Use.STORE if isinstance(instruction, ir.Store):
                        slot = self.base(function, instruction.pointer)
                        loads = self.loads_of_slot(function, slot.name) if isinstance(slot, Local) else None
                        if loads is None:
                            return _ESCAPES
                        derived = loads
                    case _Use.STORE | _Use.ESCAPE:
                        return _ESCAPES
                    case _Use.DERIVE:
                        derived = (instruction.result,)
                    case _Use.ACCESS:
                        pass
                fresh = {result for result in derived if result is not None and result not in pointers}
                pointers |= fresh
                work += fresh
        return _Fate(returned)

    def loads_of_slot(self, function: Function, name: str) -> tuple[str, ...] | None:
        """The results of the loads from an alloca that is a slot; ``None`` if it is none."""
        if (function.name, name) not in self._slots:
            self._slots[function.name, name] = self._loads_of_slot(function, name)
        return self._slots[function.name, name]

    def _loads_of_slot(self, function: Function, name: str) -> tuple[str, ...] | None:
        uses = self._uses_in(function)
        pointers, work = {name}, [name]
        loads: dict[str, None] = {}
        while work:
            for instruction in uses.get(work.pop(), ()):
                match instruction, self._use(instruction, pointers):
                    case ir.Load(result=str(result), type=type_), _ if may_point(type_):
                        loads[result] = None
                    case ((ir.Store() | ir.ICmp() | ir.DebugRecord()), _Use.ACCESS):
                        pass
                    case ir.GetElementPtr(indices=indices), _ if not all(isinstance(i, Int) for i in indices):
                        return None  # where it is to come, nobody knows what it gives
                    case ((ir.GetElementPtr() | ir.Conversion()), _Use.DERIVE):
                        assert instruction.result is not None
                        if instruction.result not in pointers:
                            pointers.add(instruction.result)
                            work.append(instruction.result)
                    case ir.CallSite(), _Use.ACCESS if (callee_name(instruction) or "").startswith(_MARKS):
                        pass
                    case _:  # what reads the address as a number gives it to whoever has the number
                        return None
        return tuple(loads)

    def base(self, function: Function, address: Operand) -> Local | Global | None:
        """The alloca of ``function`` or the variable that an address is surely one of, if any."""
        definitions = self._definitions_in(function)
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

    def _definitions_in(self, function: Function) -> Mapping[str, ir.Instruction]:
        known = self._definitions.get(function.name)
        if known is None:
            known = {i.result: i for i in function.instructions if i.result is not None}
            self._definitions[function.name] = known
        return known

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
            case ir.Store(value=value, volatile=volatile):
                if not is_one(value):
                    return _Use.ACCESS
                return _Use.ESCAPE if volatile else _Use.STORE  # an event shows what a volatile one stores
            case ir.AtomicRMW(value=value):
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
        fates = [self._parameter(callee, place) for place in places]
        if any(fate.escapes for fate in fates):
            return _Use.ESCAPE
        return _Use.DERIVE if any(fate.returned for fate in fates) else _Use.ACCESS

    def _parameter(self, function: Function, place: int) -> _Fate:
        """Where a function lets a pointer go that is passed there, as far as that is known yet: where it may
        return it, or a pointer made of it, the call makes another pointer."""
        known = self._parameters.get((function.name, place), _Fate())
        if known.escapes or (function.name, place) in self._in_progress:
            return known
        self._in_progress.add((function.name, place))
        parameter = function.parameters[place] if place < len(function.parameters) else None
        words = () if parameter is None else parameter.attributes
        if any(w.startswith(_COPIED) for w in words):
            return _Fate()
        special = any(w.startswith(_SPECIAL) for w in words)
        fate = _ESCAPES if parameter is None or special else self._fate_in(function, parameter.name)
        grown = _Fate(*(now or before for now, before in zip(fate, known, strict=True)))
        if grown != known:
            self._grown, self._parameters[function.name, place] = True, grown
        return grown


def carried(instruction: ir.Instruction) -> tuple[int, ...] | None:
    """Of which operands, by place, an instruction's result may hold the pointers, into the same objects, if
    it holds some; ``None`` for one whose pointers may come from elsewhere."""
    match instruction:
        case ir.GetElementPtr() | ir.Freeze() | ir.ExtractElement() | ir.ExtractValue():
            return (0,)
        case ir.Conversion(opcode=opcode) if opcode in _SAME_OBJECT:
            return (0,)
        case ir.Select():
            return 1, 2
        case ir.InsertElement() | ir.ShuffleVector() | ir.InsertValue():
            return 0, 1
        case _:
            return None


def may_point(type_: Type) -> bool:
    """Whether a value of a type may hold a pointer."""
    work = [type_]
    while work:
        match work.pop():
            case StructType(parts):
                work += parts
            case ArrayType(_, element) | VectorType(_, element):
                work.append(element)
            case IntType() | FloatType():
                pass
            case _:
                return True
    return False


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
