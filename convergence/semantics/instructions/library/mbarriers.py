"""NVPTX's mbarrier objects: barriers in shared memory that count arrivals, phase by phase.

LLVM's *User Guide for NVPTX Back-end*, *MBarrier family of Intrinsics*; PTX ISA, *mbarrier*. An object has
a phase, how many arrivals the phase still waits for, how many the next one expects, and how much of
asynchronous copies is to come (the *tx-count*). When nothing is left to come the phase is complete: the next
one begins, and waits for as many arrivals as are expected. Each operation is one atomic access of the
object's 8 bytes, so that D-SYNC's rules of atomics say what it orders: an arrival releases, a wait that has
found the phase complete acquires what all its arrivals released. A wait is a question: who wants to go on
when the answer is yes asks again. How long ``try_wait`` may suspend its thread does not matter.

PTX leaves open how the 8 bytes hold that. Here they do as :data:`_PENDING` and what stands below it say, with
a mark by which what is no such object is mostly noticed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ....frozen import dataclass
from ....ir import instructions as ir
from ....ir.types import I1, VOID, IntType
from ...arithmetic.domain import Domain, Width
from ...memory.accesses import Access, AccessShape, Perform, PrepareAccess, address
from ...memory.allocations import Memory
from ...memory.bytes import typed
from ...values.constants import undef
from ...values.context import Context, Evaluate
from ...values.value import Bits, RuntimeValue, Truth, Value, scalar
from ..intrinsics_memory import BuildAccess
from ..memory import contiguous, loaded, stored

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
            said = "an arrival with noComplete that completes the phase of an mbarrier"
            d.require(d.negate(complete), said, _DOCUMENT)
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
