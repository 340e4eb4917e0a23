"""NVPTX's intrinsics that access memory: scoped atomics, loads, copies, rows of matrices, and mbarriers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ....frozen import dataclass
from ....ir import I1, VOID, Int, IntType, Local, PointerType
from ....ir import instructions as ir
from ....ir.ptx import ELEMENT_BITS, MATRIX_ACCESS, MATRIX_ROW, WARP, WMMA_ACCESS, fragment
from ... import NotModelled
from ...arithmetic.domain import Domain, Width
from ...memory import ZERO, Touch, moved_cells, typed
from ...memory.accesses import Access, AccessShape, Perform, PrepareAccess, address, touched
from ...values import Bits, Pointer, RuntimeValue, Truth, Value, scalar
from ...values.context import (
    Context,
    Evaluate,
    from_registers,
    in_registers,
    register_parts,
    registers_holding,
    result_registers,
    undef,
)
from ..memory import (
    contiguous,
    loaded,
    prepare_atomicrmw,
    prepare_cmpxchg,
    prepare_load,
    prepare_store,
    stored,
)
from .outputs import first, with_result

if TYPE_CHECKING:
    from ...memory.allocations import Memory
    from ..intrinsics_memory import BuildAccess

# ----------------------------------------------------------------------------------------------------------
# NVPTX's mbarrier objects: barriers in shared memory that count arrivals, phase by phase.
#
# LLVM's *User Guide for NVPTX Back-end*, *MBarrier family of Intrinsics*; PTX ISA, *mbarrier*. An object
# has a phase, how many arrivals the phase still waits for, how many the next one expects, and how much of
# asynchronous copies is to come (the *tx-count*). When nothing is left to come the phase is complete: the
# next one begins, and waits for as many arrivals as are expected. Each operation is one atomic access of
# the object's 8 bytes, so that D-SYNC's rules of atomics say what it orders: an arrival releases, a wait
# that has found the phase complete acquires what all its arrivals released. A wait is a question: who wants
# to go on when the answer is yes asks again. How long ``try_wait`` may suspend its thread does not matter.
#
# PTX leaves open how the 8 bytes hold that. Here they do as :data:`_PENDING` and what stands below it say,
# with a mark by which what is no such object is mostly noticed.
# ----------------------------------------------------------------------------------------------------------

_DOCUMENT = "PTX ISA, mbarrier"
_OBJECT = IntType(64)
_SIZE = 8
_MOST = (1 << 20) - 1
"""The largest count of arrivals, and of what copies have still to bring."""


@dataclass(frozen=True, slots=True)
class _Field:
    """Bits of the object: where they begin, and how many they are."""

    start: int
    bits: int


_PENDING, _EXPECTED, _COPIES = _Field(0, 20), _Field(20, 20), _Field(40, 21)
_PHASE, _MARK = _Field(61, 1), _Field(62, 2)
_VALID = 0b10


@dataclass(frozen=True, slots=True)
class _Object:
    """What the 8 bytes say, each as 64 bits; ``copies`` has a sign, ``phase`` is 0 in even ones and 1 in odd
    ones."""

    pending: Bits
    expected: Bits
    copies: Bits
    phase: Bits


def _taken(bits: Bits, field: _Field, w: Width) -> Bits:
    moved = w.lshr(bits, w.constant(field.start))
    return w.and_(moved, w.constant((1 << field.bits) - 1))


def _read(bits: Bits, w: Width) -> _Object:
    pending, expected, phase = (_taken(bits, field, w) for field in (_PENDING, _EXPECTED, _PHASE))
    above = w.constant(64 - _COPIES.start - _COPIES.bits)
    copies = w.ashr(w.shl(bits, above), w.constant(64 - _COPIES.bits))
    return _Object(pending, expected, copies, phase)


def _written(content: _Object, w: Width) -> Bits:
    bits = w.constant(_VALID << _MARK.start)
    copies = w.and_(content.copies, w.constant((1 << _COPIES.bits) - 1))
    parts = (content.pending, _PENDING), (content.expected, _EXPECTED), (copies, _COPIES)
    for part, field in (*parts, (content.phase, _PHASE)):
        bits = w.or_(bits, w.shl(part, w.constant(field.start)))
    return bits


def _known(value: RuntimeValue, what: str, d: Domain) -> Bits:
    """An operand's bits. Undefined if it is poison."""
    own = scalar(value)
    d.require(d.negate(own.poison), f"an mbarrier's {what} is poison", _DOCUMENT)
    return own.bits


def _valid(value: RuntimeValue, what: str, d: Domain) -> Bits:
    """The bits of an object, or of the state that an arrival gave. Undefined if it is none."""
    bits, w = _known(value, what, d), d.width(64)
    marked = w.eq(_taken(bits, _MARK, w), w.constant(_VALID))
    d.require(marked, f"{what} is no mbarrier's: nobody initialised it", _DOCUMENT)
    return bits


def _between(bits: Bits, least: int, most: int, what: str, d: Domain) -> None:
    """Undefined if a number with a sign is out of bounds."""
    w = d.width(64)
    inside = d.both(w.sle(w.constant(least), bits), w.sle(bits, w.constant(most)))
    d.require(inside, f"an mbarrier with {what} outside of {least} to {most}", _DOCUMENT)


def _stepped(old: Bits, arrivals: Bits, dropped: Bits, copies: Bits, d: Domain) -> tuple[Bits, Truth]:
    """The object when so many arrive, so many are not expected again, and so much more is to be copied; and
    whether that completes the phase."""
    w = d.width(64)
    content = _read(old, w)
    pending, expected = w.sub(content.pending, arrivals), w.sub(content.expected, dropped)
    _between(pending, 0, _MOST, "a count of pending arrivals", d)
    _between(expected, 0, _MOST, "a count of expected arrivals", d)
    left = w.add(content.copies, copies)
    _between(left, -_MOST, _MOST, "a tx-count", d)
    none = w.constant(0)
    complete = d.both(w.eq(pending, none), w.eq(left, none))
    same = _written(_Object(pending, expected, left, content.phase), w)
    following = _written(_Object(expected, expected, none, w.xor(content.phase, w.constant(1))), w)
    return d.ite(complete, following, same), complete


Step = Callable[[Bits, Access, Domain], Bits]
"""The object's new bits, from the old ones and the access's operands."""


def _access(
    kind: str, ordering: str | None, scope: str | None, call: ir.CallSite, perform: Perform, reads: bool
) -> PrepareAccess:
    types = tuple(argument.value.type for argument in call.arguments[1:])
    asks = call.type.result == I1
    shape = AccessShape(
        kind, reads, not asks, perform, _SIZE, _OBJECT, _SIZE, ordering, None, scope,
        footprint=contiguous(_SIZE, not asks), operands=types, result=call.type.result,
    )  # fmt: skip
    return lambda pointer, *operands: Access(shape, pointer, operands)


def _updates(kind: str, ordering: str, scope: str, step: Step) -> BuildAccess:
    """One atomic step of the object; gives its state before that, if anything."""

    def build(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
        d, form = context.domain, typed(_OBJECT, context.layout, context.domain)
        load, store = loaded(form, _OBJECT, _SIZE, context.layout, d), stored(form, _SIZE)
        gives = call.type.result != VOID

        def perform(access: Access, memory: Memory, thread: int) -> RuntimeValue | None:
            old = _valid(load(memory, address(access), thread), "the memory of an operation", d)
            store(memory, address(access), Value(step(old, access, d), d.false), thread)
            return Value(old, d.false) if gives else None

        return _access(kind, ordering, scope, call, perform, reads=True)

    return build


def _operand(access: Access, number: int, what: str, d: Domain) -> Bits:
    """An operand of 32 bits without a sign, as 64; 1 where there is none."""
    if len(access.operands) <= number:
        return d.width(64).constant(1)
    return d.zext(32, 64)(_known(access.operands[number], what, d))


def _arrival(drops: bool, expects: bool, completes: bool) -> Step:
    """``(object[, number])``: the number is that of arrivals; where copies are expected, how much that is."""

    def step(old: Bits, access: Access, d: Domain) -> Bits:
        none, one = d.width(64).constant(0), d.width(64).constant(1)
        number = _operand(access, 0, "count", d)
        count, copies = (one, number) if expects else (number, none)
        _between(count, 1, _MOST, "a count of arrivals", d)
        new, complete = _stepped(old, count, count if drops else none, copies, d)
        if not completes:
            what = "an arrival with noComplete that completes the phase of an mbarrier"
            d.require(d.negate(complete), what, _DOCUMENT)
        return new

    return step


def _transaction(sign: int) -> Step:
    """``(object, number)``: so much more, or less, is to be copied."""

    def step(old: Bits, access: Access, d: Domain) -> Bits:
        w = d.width(64)
        none, number = w.constant(0), _operand(access, 0, "tx-count", d)
        return _stepped(old, none, none, number if sign > 0 else w.neg(number), d)[0]

    return step


def _initialisation(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """``(object, count)``: a plain store."""
    d, form = context.domain, typed(_OBJECT, context.layout, context.domain)
    store, w = stored(form, _SIZE), context.domain.width(64)

    def perform(access: Access, memory: Memory, thread: int) -> None:
        count, none = _operand(access, 0, "count", d), w.constant(0)
        _between(count, 1, _MOST, "a count of arrivals", d)
        new = _written(_Object(count, count, none, none), w)
        store(memory, address(access), Value(new, d.false), thread)

    return _access("mbarrier.init", None, None, call, perform, reads=False)


def _invalidation(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """``(object)``: the memory is as if nobody had written there."""
    form = typed(_OBJECT, context.layout, context.domain)
    store, nothing = stored(form, _SIZE), undef(_OBJECT, context.layout, context.domain)

    def perform(access: Access, memory: Memory, thread: int) -> None:
        store(memory, address(access), nothing, thread)

    return _access("mbarrier.inval", None, None, call, perform, reads=False)


def _wait(kind: str, ordering: str, scope: str, parity: bool) -> BuildAccess:
    """``(object, state or parity[, time])``: whether the phase is complete that the state was given in, or
    that has this parity: of the current one, and of the one before it, which the object does not tell
    apart from older ones."""

    def build(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
        d, form = context.domain, typed(_OBJECT, context.layout, context.domain)
        load, w = loaded(form, _OBJECT, _SIZE, context.layout, d), context.domain.width(64)

        def perform(access: Access, memory: Memory, thread: int) -> RuntimeValue:
            old = _valid(load(memory, address(access), thread), "the memory of an operation", d)
            if parity:
                phase = _operand(access, 0, "parity", d)
                _between(phase, 0, 1, "a parity", d)
            else:
                phase = _taken(_valid(access.operands[0], "the state of a wait", d), _PHASE, w)
            return Value(d.bit(w.ne(_taken(old, _PHASE, w), phase)), d.false)

        return _access(kind, ordering, scope, call, perform, reads=True)

    return build


def pending_count(call: ir.CallSite, context: Context) -> Evaluate:
    """``(state)``: how many arrivals the phase waited for, before the one that gave the state."""
    d, w = context.domain, context.domain.width(64)

    def pending(state: RuntimeValue) -> RuntimeValue:
        bits = _taken(_valid(state, "the state of a pending count", d), _PENDING, w)
        return Value(d.extract(31, 0)(bits), d.false)

    return pending


_PREFIX = "llvm.nvvm.mbarrier."
_SYNC_SCOPES: Mapping[str, str] = {"cta": "block", "cluster": "cluster"}
_SCOPED = re.compile(
    r"(?P<operation>arrive|arrive\.drop|expect\.tx|complete\.tx|test\.wait|try\.wait)(?P<expects>\.expect\.tx)?"
    r"(?P<parity>\.parity)?(?:\.tl)?(?P<relaxed>\.relaxed)?\.scope\.(?P<scope>cta|cluster)\.space\.cta"
)
"""Those that say with whom they synchronise; of objects of the own workgroup."""
_OLDER = re.compile(r"(?P<operation>arrive|arrive\.drop|test\.wait)(?P<part>\.noComplete)?(?:\.shared)?")
"""Those that do not: with the workgroup."""


def _operation(
    operation: str, ordering: str | None, scope: str, expects: bool, completes: bool, parity: bool
) -> BuildAccess:
    kind = f"mbarrier.{operation.replace('.', '_')}"
    if operation.endswith("wait"):
        return _wait(kind, ordering or "acquire", scope, parity)
    if operation.endswith("tx"):
        return _updates(kind, "monotonic", scope, _transaction(1 if operation == "expect.tx" else -1))
    drops = operation == "arrive.drop"
    return _updates(kind, ordering or "release", scope, _arrival(drops, expects, completes))


def mbarrier_access(name: str) -> BuildAccess | None:
    """The model of an intrinsic that is an access of an mbarrier object; ``None`` if it is none."""
    if not name.startswith(_PREFIX):
        return None
    rest = name.removeprefix(_PREFIX)
    if rest in ("init", "init.shared"):
        return _initialisation
    if rest in ("inval", "inval.shared"):
        return _invalidation
    if (older := _OLDER.fullmatch(rest)) is not None:
        return _operation(older["operation"], None, "block", False, older["part"] is None, False)
    if (scoped := _SCOPED.fullmatch(rest)) is not None:
        ordering = "monotonic" if scoped["relaxed"] else None
        expects, parity = scoped["expects"] is not None, scoped["parity"] is not None
        return _operation(scoped["operation"], ordering, _SYNC_SCOPES[scoped["scope"]], expects, True, parity)
    return None


# ----------------------------------------------------------------------------------------------------------
# NVPTX's intrinsics that are plain accesses of memory: scoped atomics, and loads of what nobody writes;
# copies that go on beside their thread; the rows of matrices that lanes read and write; and barriers in
# memory (``mbarrier``, above).
#
# LLVM's *IntrinsicsNVVM.td* (``llvm.nvvm.atomic.*.gen.*``, ``llvm.nvvm.ldu.global.*``,
# ``llvm.nvvm.ldg.global.*``); PTX ISA, *atom*, *ldu*, *ld.global.nc*, *cp.async*, *ldmatrix*. Atomics are
# relaxed; ``cta`` is the workgroup's scope, ``sys`` that of all. That nobody writes to what ``ldg`` reads
# is not checked: it is a load.
# ----------------------------------------------------------------------------------------------------------


_ATOMIC = re.compile(
    r"llvm\.nvvm\.atomic\.(add|exch|max|min|inc|dec|and|or|xor|cas)\.gen\.([if])\.(cta|sys)(?:\.\w+)*"
)
_LOAD = re.compile(r"llvm\.nvvm\.ld[ug]\.global\.[ifp](?:\.\w+)*")
_OPCODES: Mapping[str, str] = {"exch": "xchg", "inc": "uinc_wrap", "dec": "udec_wrap"}
_SCOPES: Mapping[str, str | None] = {"cta": "block", "sys": None}


def _atomic(operation: str, kind: str, scope: str) -> BuildAccess:
    opcode = "fadd" if (operation, kind) == ("add", "f") else _OPCODES.get(operation, operation)

    def build(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
        pointer, *_ = (argument.value for argument in call.arguments)
        value = Local(call.type.result, "value")
        if operation != "cas":
            instruction = ir.AtomicRMW(opcode, pointer, value, "monotonic", scope=_SCOPES[scope])
            return prepare_atomicrmw(instruction, context)
        exchange = ir.CmpXchg(pointer, value, value, "monotonic", "monotonic", scope=_SCOPES[scope])
        return with_result("atom.cas", prepare_cmpxchg(exchange, context), call.type.result, first)

    return build


def _load(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """The last operand is the alignment."""
    pointer, align = (argument.value for argument in call.arguments)
    known = align.value if isinstance(align, Int) and align.value > 0 else None
    load = prepare_load(ir.Load(call.type.result, pointer, known), context)
    return lambda at, _: load(at)


_ROWS = 8


def _row(loads: bool, matrices: int) -> BuildAccess:
    """The access of a lane that gives the address of a row of one of so many matrices; the others make
    none."""

    def build(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
        pointer = call.arguments[0].value
        if loads:
            prepared = prepare_load(ir.Load(MATRIX_ROW, pointer, 16), context)
        else:
            prepared = prepare_store(ir.Store(Local(MATRIX_ROW, "row"), pointer, 16), context)
        nothing = undef(MATRIX_ROW, context.layout, context.domain)

        def takes_part(memory: Memory, thread: int) -> bool:
            if memory.rank is None:
                raise NotModelled(f"@{name}, here")
            return memory.rank(thread)[0] % WARP < _ROWS * matrices

        shapes: dict[AccessShape, AccessShape] = {}

        def by_lane(shape: AccessShape) -> AccessShape:
            def perform(access: Access, memory: Memory, thread: int) -> RuntimeValue | None:
                if takes_part(memory, thread):
                    return shape.perform(access, memory, thread)
                return nothing if loads else None

            def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
                return shape.footprint(access, memory, thread) if takes_part(memory, thread) else ()

            return replace(shape, perform=perform, footprint=footprint)

        def access(*operands: RuntimeValue) -> Access:
            access = prepared(*operands) if loads else prepared(*reversed(operands))
            if access.shape not in shapes:
                shapes[access.shape] = by_lane(access.shape)
            return access._replace(shape=shapes[access.shape])

        return access

    return build


def _fragment(shape: str, loads: bool, matrix: str, by_row: bool, kind: str) -> BuildAccess | None:
    """``wmma.load``, ``wmma.store``: a lane's elements of a matrix (:mod:`.....ir.ptx`). The last
    operand says how many elements lie from one row, or column, to the next; without one they lie one behind
    the other."""
    held = fragment(shape, matrix, kind)
    if held is None:
        return None
    bits = ELEMENT_BITS[kind]

    def build(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
        d = context.domain
        types = [a.value.type for a in call.arguments]
        pointer_type, w = types[0], d.width(context.layout.bits(types[0]))
        if loads:
            strided, registers = len(types) > 1, result_registers(call.type.result)
        else:
            count, _ = registers_holding(types[1:], held.holds * bits, context.layout)
            registers, strided = types[1 : count + 1], len(types) > count + 1
        parts = [part for register in registers for part in register_parts(register, bits)]
        if len(parts) != held.holds or pointer_type != PointerType(getattr(pointer_type, "address_space", 0)):
            raise NotModelled(f"@{name} of {call.type}")
        form = typed(parts[0], context.layout, d)
        least = held.columns if by_row else held.rows

        def pointers(access: Access, memory: Memory, thread: int) -> list[Value]:
            if memory.rank is None:
                raise NotModelled(f"@{name}, here")
            lane, base, stride = memory.rank(thread)[0] % WARP, address(access), least
            if strided:
                apart = scalar(access.operands[0])
                d.require(d.negate(apart.poison), f"{name} with a poison stride", "wmma.load")
                stride = int(d.concrete(apart.bits, "a symbolic stride of a matrix"))
            places: list[Value] = []
            for number in range(held.holds):
                row, column = held.place(lane, number)
                at = row * stride + column if by_row else column * stride + row
                bits_there = w.add(base.bits, w.constant(at * form.size))
                places.append(Pointer(bits_there, base.provenance, base.poison))
            return places

        load, store = loaded(form, parts[0], 1, context.layout, d), stored(form, 1)

        def read(access: Access, memory: Memory, thread: int) -> RuntimeValue:
            values = [scalar(load(memory, p, thread)) for p in pointers(access, memory, thread)]
            return in_registers(values, call.type.result, bits, d)

        def write(access: Access, memory: Memory, thread: int) -> None:
            values = from_registers(access.operands[strided:], registers, bits, context)
            for pointer, value in zip(pointers(access, memory, thread), values, strict=True):
                store(memory, pointer, value, thread)

        def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
            places = pointers(access, memory, thread)
            return tuple(touched(memory, p, form.size, thread, not loads) for p in places)

        behind = types[-1:] * strided
        shape = AccessShape(
            name, loads, not loads, read if loads else write, type=call.type.result if loads else parts[0],
            footprint=footprint, operands=(*behind, *([] if loads else registers)), result=call.type.result,
        )  # fmt: skip
        if loads:
            return lambda pointer, *stride: Access(shape, pointer, stride)
        return lambda pointer, *rest: Access(
            shape, pointer, (*rest[len(registers) :], *rest[: len(registers)])
        )

    return build


_COPY = re.compile(r"llvm\.nvvm\.cp\.async\.c[ag]\.shared\.global\.(4|8|16)(?:\.s)?")


def async_copy(size: int, context: Context) -> PrepareAccess:
    """``(target, source[, bytes])``: so many bytes are copied beside the thread, until it waits; of those
    that are copied, the ones beyond ``bytes`` become zero (PTX ISA, *cp.async*)."""
    d = context.domain

    def taken(access: Access) -> int:
        if len(access.operands) == 1:
            return size
        count = scalar(access.operands[1])
        d.require(d.negate(count.poison), "cp.async of a poison number of bytes", "cp.async")
        number = int(d.concrete(count.bits, "a symbolic number of bytes"))
        d.require(d.bit(number <= size), f"cp.async of {number} bytes of {size}", "cp.async")
        return number

    def perform(access: Access, memory: Memory, thread: int) -> None:
        count, target = taken(access), address(access)
        object_, at = memory.locate(target, size, size, thread, "cp.async", True)
        cells = [ZERO] * size
        if count:
            origin, start = memory.locate(scalar(access.operands[0]), count, 1, thread, "cp.async", False)
            cells[:count] = moved_cells(origin.contents()[start : start + count], at - start)
        object_.contents()[at : at + size] = cells

    def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
        count = taken(access)
        source = (touched(memory, scalar(access.operands[0]), count, thread, False),) if count else ()
        return (*source, touched(memory, address(access), size, thread, True))

    shape = AccessShape(
        "cp.async", True, True, perform, align=size, footprint=footprint, result=VOID, apart=True,
        operands=(PointerType(1), IntType(32)),
    )  # fmt: skip
    plain = replace(shape, operands=(PointerType(1),))
    return lambda target, source, *count: Access(shape if count else plain, target, (source, *count))


def nvvm_access(name: str) -> BuildAccess | None:
    """The model of an intrinsic that is an access of memory; ``None`` if it is none."""
    if (atomic := _ATOMIC.fullmatch(name)) is not None:
        return _atomic(atomic[1], atomic[2], atomic[3])
    if (matrix := MATRIX_ACCESS.fullmatch(name)) is not None:
        return _row(matrix[1] == "ld", int(matrix[2]))
    if (part := WMMA_ACCESS.fullmatch(name)) is not None:
        return _fragment(part[1], part[2] == "load", part[3], part[4] == "row", part[6])
    if (copy := _COPY.fullmatch(name)) is not None:
        return lambda name, call, context: async_copy(int(copy[1]), context)
    if _LOAD.fullmatch(name) is not None:
        return _load
    return mbarrier_access(name)
