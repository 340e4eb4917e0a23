"""OpenCL C's built-in functions that touch memory: atomics, ``vloadn`` and its kin, results behind pointers.

OpenCL C 3.0, *Atomic Functions*, *Legacy Atomic Functions*, *Vector Data Load and Store Functions*, *Math
Functions*. Each is the memory instruction that it names, so that both engines, race detection and refinement
see the same access. Atomics without an order are relaxed if they are the older ones (``atomic_add``,
``atom_add``), else ``seq_cst``; without a scope, of the device. Orders and scopes that are no constants are
not modelled. A weak exchange never fails without cause.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ....ir import VOID, ArrayType, FloatType, Int, IntType, Local, Operand, PointerType, Type, VectorType
from ....ir import instructions as ir
from ....ir.mangled import MangledName, MangledType, demangled
from ... import NotModelled, Undefined
from ...memory import Touch, moved_cells, typed
from ...memory.accesses import Access, AccessShape, PrepareAccess, address, touched
from ...memory.synchronisation import ASYNC_DOCUMENT
from ...values import Pointer, RuntimeValue, Value, any_undef, scalar
from ...values.datalayout import ACCESS
from ..lifting import lanewise, scalar_bits
from ..memory import (
    holds,
    loaded,
    prepare_atomicrmw,
    prepare_cmpxchg,
    prepare_gep,
    prepare_load,
    prepare_store,
    stored,
)
from . import numbers as rounding
from .kit import parameter_types
from .outputs import first, outputs_of, with_result

if TYPE_CHECKING:
    from ...memory.allocations import Memory
    from ...values.context import Context
    from ..intrinsics_memory import BuildAccess

# ----------------------------------------------------------------------------------------------------------
# What each thread does at OpenCL C's copies by the workgroup: its part of the copy, and a look at the events
# that it waits for.
#
# OpenCL C 3.0, *Async Copies from Global to Local Memory, Local to Global Memory, and Prefetch*. It leaves
# open which work-item copies which element. Here element k is copied beside thread k + n/2, modulo the
# number n of threads: each element once, and seldom beside the thread whose own it is, so that it shows that
# threads meet.
# ----------------------------------------------------------------------------------------------------------

_LOCAL, _PRIVATE = 3, 5


def _number(value: RuntimeValue, memory: Memory, what: str) -> int:
    number, d = scalar(value), memory.domain
    d.require(d.negate(number.poison), f"a poison number of {what}", ASYNC_DOCUMENT)
    known = d.concrete(number.bits, f"a symbolic number of {what}")
    if known > ACCESS:
        raise NotModelled(f"a copy by the workgroup of {known} {what}")
    return known


def _copy(strided: bool) -> Callable[[MangledName], BuildAccess]:
    """``(target, source, count[, stride], event)``; the stride, in elements, is that in global memory."""

    def of(name: MangledName) -> BuildAccess:
        element = name.parameters[0]
        size = (4 if element.lanes == 3 else element.lanes) * element.bits // 8
        to_local = element.address_space == _LOCAL

        def build(full: str, call: ir.CallSite, context: Context) -> PrepareAccess:
            d = context.domain
            pointers = [t for t in parameter_types(call)[:2] if isinstance(t, PointerType)]
            if not size or len(pointers) != 2 or len(parameter_types(call)) < (5 if strided else 4):
                raise NotModelled(f"{name.name} of {element.name}")
            to, from_ = (d.width(context.layout.pointer(t).bits) for t in pointers)

            def part(access: Access, memory: Memory, thread: int) -> Iterator[tuple[Value, Value]]:
                """The own part: where to, and where from."""
                if memory.rank is None:
                    raise NotModelled(f"{name.name}, here")
                rank, threads = memory.rank(thread)
                count = _number(access.operands[1], memory, "elements")
                stride = _number(access.operands[2], memory, "elements") if strided else 1
                target, source = address(access), scalar(access.operands[0])
                for k in range((rank - threads // 2) % threads, count, threads):
                    there, here = (k, k * stride) if to_local else (k * stride, k)
                    yield (
                        Pointer(to.add(target.bits, to.constant(there * size)), target.provenance, d.false),
                        Pointer(
                            from_.add(source.bits, from_.constant(here * size)), source.provenance, d.false
                        ),
                    )

            def perform(access: Access, memory: Memory, thread: int) -> None:
                for target, source in part(access, memory, thread):
                    origin, start = memory.locate(source, size, size, thread, name.name, False)
                    object_, at = memory.locate(target, size, size, thread, name.name, True)
                    cells = moved_cells(origin.contents()[start : start + size], at - start)
                    object_.contents()[at : at + size] = cells

            def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
                return tuple(
                    touched(memory, place, size, thread, write)
                    for target, source in part(access, memory, thread)
                    for place, write in ((source, False), (target, True))
                )

            shape = AccessShape(
                name.name, True, True, perform, align=size, footprint=footprint,
                operands=parameter_types(call)[1:], result=VOID, apart=True,
            )  # fmt: skip
            return lambda target, source, *others: Access(shape, target, (source, *others))

        return build

    return of


def _wait(name: MangledName) -> BuildAccess:
    """``(count, events)``: each must be what a copy gave. Of a list in AMD's private memory (5) that is not
    looked at: how large an event is there depends on the version of OpenCL C, which the call does not say."""

    def build(full: str, call: ir.CallSite, context: Context) -> PrepareAccess:
        d, type_ = context.domain, parameter_types(call)[1]
        if not isinstance(type_, PointerType):
            raise NotModelled(f"{name.name} of {type_}")
        event, looks = PointerType(0), type_.address_space != _PRIVATE
        form = typed(event, context.layout, d)
        load = loaded(form, event, form.size, context.layout, d)
        w, of_event = d.width(context.layout.pointer(type_).bits), d.width(context.layout.pointer(event).bits)

        def places(access: Access, memory: Memory) -> list[Value]:
            count = _number(access.operands[0], memory, "events") if looks else 0
            events = address(access)
            steps = (w.constant(form.size * k) for k in range(count))
            return [Pointer(w.add(events.bits, step), events.provenance, events.poison) for step in steps]

        def perform(access: Access, memory: Memory, thread: int) -> None:
            for place in places(access, memory):
                listed = scalar(load(memory, place, thread))
                if any_undef(listed):
                    raise Undefined(f"{name.name} of an undef event", ASYNC_DOCUMENT)
                there = d.both(d.negate(listed.poison), of_event.ne(listed.bits, of_event.constant(0)))
                d.require(there, f"{name.name} of what is no event", ASYNC_DOCUMENT)

        def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
            return tuple(touched(memory, place, form.size, thread, False) for place in places(access, memory))

        shape = AccessShape(
            name.name, True, False, perform, align=form.size, footprint=footprint,
            operands=parameter_types(call)[:1], result=VOID,
        )  # fmt: skip
        return lambda count, events: Access(shape, events, (count,))

    return build


ASYNC: Mapping[str, Callable[[MangledName], BuildAccess]] = {
    "async_work_group_copy": _copy(False),
    "async_work_group_strided_copy": _copy(True),
    "wait_group_events": _wait,
}
"""By the function's name without its operands' types."""

# -- Orders and scopes, as clang numbers them

_ORDERS = {0: "monotonic", 1: "acquire", 2: "acquire", 3: "release", 4: "acq_rel", 5: "seq_cst"}
_SCOPES = {0: "singlethread", 1: "workgroup", 2: "agent", 3: None, 4: "subgroup"}
DEVICE = "agent"


class _Atomic(NamedTuple):
    """What an atomic call says besides its value operands."""

    order: str
    failure: str
    scope: str | None


def _ordering(name: MangledName, call: ir.CallSite, legacy: bool) -> _Atomic:
    """Orders and scope; NotModelled for one that is no constant, or no order."""
    orders, scope = [], DEVICE
    for parameter, argument in zip(name.parameters, call.arguments, strict=True):
        if parameter.name not in ("memory_order", "memory_scope"):
            continue
        if not isinstance(argument.value, Int):
            raise NotModelled(f"{name.name} with a {parameter.name} that is no constant")
        known: Mapping[int, str | None] = _ORDERS if parameter.name == "memory_order" else _SCOPES
        if argument.value.value not in known:
            raise NotModelled(f"{name.name} with the {parameter.name} {argument.value.value}")
        meaning = known[argument.value.value]
        if parameter.name == "memory_scope":
            scope = meaning  # type: ignore[assignment]
        else:
            assert meaning is not None
            orders.append(meaning)
    if not orders:
        orders = ["monotonic" if legacy else "seq_cst"]
    return _Atomic(orders[0], orders[-1], scope)


def _value_type(parameter: MangledType) -> Type:
    return FloatType(parameter.name) if parameter.is_float else IntType(parameter.bits)


def _pointer(call: ir.CallSite) -> Operand:
    return call.arguments[0].value


# -- Atomics


def _read_modify_write(operation: str, legacy: bool) -> Callable[[MangledName], BuildAccess]:
    """``inc`` and ``dec`` have no operand, the others one."""

    def of(name: MangledName) -> BuildAccess:
        target = name.parameters[0]
        type_, opcode = _value_type(target), _opcode(operation, target)

        def build(full: str, call: ir.CallSite, context: Context) -> PrepareAccess:
            atomic = _ordering(name, call, legacy)
            values = () if operation in ("inc", "dec") else (type_,)
            operands = parameter_types(call)[1 : 1 + len(values)]
            if operands != values or call.type.result not in (type_, VOID):
                raise NotModelled(f"{name.name} of {type_} with operands or a result of other types")
            prepared = prepare_atomicrmw(
                ir.AtomicRMW(opcode, _pointer(call), Local(type_, "value"), atomic.order, scope=atomic.scope),
                context,
            )
            if operation in ("inc", "dec"):
                d = context.domain
                step = Value(d.width(target.bits).constant(1), d.false)
                return lambda pointer: prepared(pointer, step)
            return lambda pointer, value, *_: prepared(pointer, value)

        return build

    return of


_OPCODES = {"inc": "add", "dec": "sub", "exchange": "xchg"}


def _opcode(operation: str, target: MangledType) -> str:
    """The atomicrmw operation on such a target; NotModelled for one that floats do not have."""
    opcode = _OPCODES.get(operation, operation)
    if target.is_float and opcode != "xchg":
        if opcode not in ("add", "sub", "min", "max"):
            raise NotModelled(f"atomic {opcode} of {target.name}")
        return "f" + opcode
    if opcode in ("min", "max") and not target.signed:
        return "u" + opcode
    return opcode


def _legacy_exchange(name: MangledName) -> BuildAccess:
    """``atomic_cmpxchg(p, expected, value)``: the old value."""

    def build(full: str, call: ir.CallSite, context: Context) -> PrepareAccess:
        type_, atomic = _value_type(name.parameters[0]), _ordering(name, call, True)
        instruction = ir.CmpXchg(
            _pointer(call), Local(type_, "expected"), Local(type_, "value"), atomic.order, atomic.failure,
            scope=atomic.scope,
        )  # fmt: skip
        return with_result(name.name, prepare_cmpxchg(instruction, context), type_, first)

    return build


def _compare_exchange(name: MangledName) -> BuildAccess:
    """``(object, expected, desired, ...)``: whether the object had the expected value; else what it had is
    written to ``*expected``."""

    def build(full: str, call: ir.CallSite, context: Context) -> PrepareAccess:
        type_, atomic, d = _value_type(name.parameters[0]), _ordering(name, call, False), context.domain
        form = typed(type_, context.layout, d)
        read, write = loaded(form, type_, form.size, context.layout, d), stored(form, form.size)
        look, w = holds(form, form.size), d.width(scalar_bits(type_, context.layout))
        widen = d.zext(1, max(1, _bits(call.type.result)))

        def perform(access: Access, memory: Memory, thread: int) -> RuntimeValue:
            expected_at, desired = scalar(access.operands[0]), access.operands[1]
            old = scalar(read(memory, address(access), thread))
            expected = scalar(read(memory, expected_at, thread))
            sound = d.negate(d.either(old.poison, expected.poison))
            d.require(sound, f"{name.name} compares a poison value", "'cmpxchg' Instruction")
            equal = w.eq(old.bits, expected.bits)
            write(memory, address(access), d.choose(equal, desired, old), thread, equal)
            write(memory, expected_at, d.choose(equal, expected, old), thread)
            return Value(widen(d.bit(equal)), d.false)

        def fails(access: Access, memory: Memory, thread: int) -> bool:
            places = (address(access), scalar(access.operands[0]))
            old, expected = (scalar(look(memory, place, thread)) for place in places)
            return w.eq(old.bits, expected.bits) is False

        def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
            places = (address(access), scalar(access.operands[0]))
            return tuple(touched(memory, place, form.size, thread, True) for place in places)

        shape = AccessShape(
            name.name, True, True, perform, form.size, type_, form.size, atomic.order, atomic.failure,
            atomic.scope, False, footprint, operands=(parameter_types(call)[1], type_),
            result=call.type.result, fails=fails,
        )  # fmt: skip
        return lambda pointer, expected, desired, *_: Access(shape, pointer, (expected, desired))

    return build


def _bits(type_: Type) -> int:
    return type_.bits if isinstance(type_, IntType) else 0


def _atomic_load(name: MangledName) -> BuildAccess:
    def build(full: str, call: ir.CallSite, context: Context) -> PrepareAccess:
        atomic, type_ = _ordering(name, call, False), _value_type(name.parameters[0])
        if call.type.result != type_:
            raise NotModelled(f"{name.name} of {type_} with {call.type.result}")
        prepared = prepare_load(
            ir.Load(type_, _pointer(call), None, False, atomic.order, atomic.scope), context
        )
        return lambda pointer, *_: prepared(pointer)

    return build


def _atomic_store(atomic_: bool) -> Callable[[MangledName], BuildAccess]:
    """A store; ``atomic_init`` is not atomic."""

    def of(name: MangledName) -> BuildAccess:
        def build(full: str, call: ir.CallSite, context: Context) -> PrepareAccess:
            atomic, type_ = _ordering(name, call, False), _value_type(name.parameters[0])
            order, scope = (atomic.order, atomic.scope) if atomic_ else (None, None)
            prepared = prepare_store(
                ir.Store(Local(type_, "value"), _pointer(call), None, False, order, scope), context
            )
            return lambda pointer, value, *_: prepared(value, pointer)

        return build

    return of


def _flag(sets: bool) -> Callable[[MangledName], BuildAccess]:
    """``atomic_flag_test_and_set``: whether it was set; ``atomic_flag_clear``."""

    def of(name: MangledName) -> BuildAccess:
        def build(full: str, call: ir.CallSite, context: Context) -> PrepareAccess:
            atomic, type_, d = _ordering(name, call, False), IntType(32), context.domain
            w, value = d.width(32), Local(type_, "value")
            if not sets:
                store = prepare_store(
                    ir.Store(value, _pointer(call), None, False, atomic.order, atomic.scope), context
                )
                return lambda pointer, *_: store(Value(w.constant(0), d.false), pointer)
            exchange = prepare_atomicrmw(
                ir.AtomicRMW("xchg", _pointer(call), value, atomic.order, scope=atomic.scope), context
            )
            widen = d.zext(1, max(1, _bits(call.type.result)))

            def was_set(old: RuntimeValue) -> RuntimeValue:
                bits = scalar(old)
                return Value(widen(d.bit(w.ne(bits.bits, w.constant(0)))), bits.poison)

            setting = with_result(name.name, exchange, call.type.result, was_set)
            return lambda pointer, *_: setting(pointer, Value(w.constant(1), d.false))

        return build

    return of


_LEGACY = re.compile(r"atom(?:ic)?_(add|sub|xchg|inc|dec|cmpxchg|min|max|and|or|xor)")
_FETCH = re.compile(r"atomic_(?:fetch_(add|sub|or|xor|and|min|max)|(exchange))(?:_explicit)?")
_OTHER: Mapping[str, Callable[[MangledName], BuildAccess]] = {
    "atomic_init": _atomic_store(False),
    "atomic_store": _atomic_store(True),
    "atomic_load": _atomic_load,
    "atomic_compare_exchange_strong": _compare_exchange,
    "atomic_compare_exchange_weak": _compare_exchange,
    "atomic_flag_test_and_set": _flag(True),
    "atomic_flag_clear": _flag(False),
}


def _atomic(name: MangledName) -> BuildAccess | None:
    if (legacy := _LEGACY.fullmatch(name.name)) is not None:
        function = _legacy_exchange if legacy[1] == "cmpxchg" else _read_modify_write(legacy[1], True)
        return function(name)
    if (fetch := _FETCH.fullmatch(name.name)) is not None:
        return _read_modify_write(fetch[1] or fetch[2], False)(name)
    other = _OTHER.get(name.name.removesuffix("_explicit"))
    return None if other is None else other(name)


# -- Vectors in memory

_VECTOR = re.compile(r"v(load|store)(a?)(_half)?(\d*)(?:_(rte|rtz|rtp|rtn))?")


def _in_memory(name: MangledName, match: re.Match[str]) -> BuildAccess:
    """``vloadn(offset, p)``, ``vstoren(data, offset, p)``: at ``p + n * offset``, aligned as an element; of
    ``vloada_half3`` and ``vstorea_half3`` four elements apart, aligned as a vector."""
    stores, aligned, half = match[1] == "store", bool(match[2]), match[3] is not None
    count, mode = int(match[4] or 1), match[5] or "rte"

    def build(full: str, call: ir.CallSite, context: Context) -> PrepareAccess:
        d, layout = context.domain, context.layout
        parameters, data = parameter_types(call), name.parameters[0]
        element = FloatType("half") if half else _value_type(name.parameters[-1])
        type_ = VectorType(count, element) if count > 1 else element
        apart = 4 if aligned and count == 3 else count
        align = layout.size(element) * (apart if aligned else 1)
        index, pointer = parameters[-2], parameters[-1]
        assert isinstance(pointer, PointerType)
        gep = prepare_gep(
            ir.GetElementPtr(ArrayType(apart, element), Local(pointer, "p"), (Local(index, "o"),)), context
        )
        if not stores:
            load = prepare_load(ir.Load(type_, Local(pointer, "p"), align), context)

            def loading(offset: RuntimeValue, at: RuntimeValue) -> Access:
                return load(gep(at, offset))

            if not half:
                return loading
            to = d.floats("half").convert("float")
            widen = lanewise(type_, lambda a: Value(to(a.bits), a.poison))
            return with_result(name.name, loading, call.type.result, widen)
        store = prepare_store(ir.Store(Local(type_, "v"), Local(pointer, "p"), align), context)
        narrow = None
        if half:
            to_half = rounding.float_to_float(d, data.name, "half", mode)
            narrow = lanewise(type_, lambda a: Value(to_half(a.bits), a.poison))

        def storing(value: RuntimeValue, offset: RuntimeValue, at: RuntimeValue) -> Access:
            return store(value if narrow is None else narrow(value), gep(at, offset))

        return storing

    return build


def opencl_access(mangled: str) -> BuildAccess | None:
    """The model of a built-in function that touches memory, by its mangled name."""
    name = demangled(mangled)
    if name is None or not any(p.pointer for p in name.parameters):
        return None
    if (match := _VECTOR.fullmatch(name.name)) is not None and name.parameters[-1].pointer:
        build: BuildAccess | None = _in_memory(name, match)
    elif (copying := ASYNC.get(name.name)) is not None:
        build = copying(name)
    elif name.name.startswith("atom") and name.parameters[0].pointer:
        build = _atomic(name)
    else:
        build = outputs_of(name.name, sum(p.pointer for p in name.parameters))
    if build is None:
        return None
    known = build

    def checked(full: str, call: ir.CallSite, context: Context) -> PrepareAccess:
        if len(call.arguments) != len(name.parameters):
            raise NotModelled(f"@{mangled} with other operands than {name}")
        return known(full, call, context)

    return checked
