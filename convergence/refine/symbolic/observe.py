"""What can be seen of one path per thread, and when one side's is refined by the other's, as a term (§6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from ...sched.constraints.candidates import Happening, Trace
from ...semantics.arithmetic.symbolic import bit_vector, boolean, folded
from ...semantics.values.value import Composite, Pointer, RuntimeValue, Value
from .tuples import Taken
from .unknowns import Unsupported

Term = Any
"""A Python bool, or a z3 truth value."""


def refined(source: Taken, target: Taken) -> Term:
    """That what threads on the target's paths show refines what they show on the source's."""
    terms: list[Term] = []
    for one, other in zip(source.paths, target.paths, strict=True):
        a, b = one.end, other.end
        assert isinstance(a, Trace)
        assert isinstance(b, Trace)
        if a.ended != b.ended or len(a.events) != len(b.events):
            return False
        if a.ended == "returned" and a.value is not None and b.value is not None:
            terms.append(_value(source.value(a.value), target.value(b.value)))
        for event, counterpart in zip(a.events, b.events, strict=True):
            found = _event(source, event, target, counterpart)
            if found is False:
                return False
            terms.append(found)
    return _all(terms)


def _event(source: Taken, one: Happening, target: Taken, other: Happening) -> Term:
    if one.volatile or other.volatile:
        raise Unsupported("volatile accesses")
    if one.callee != other.callee or len(one.operands) != len(other.operands):
        return False
    if (one.instance is None) != (other.instance is None):
        return False
    if one.instance is not None and other.instance is not None:
        if source.group(one.instance) != target.group(other.instance):
            return False
    pairs = zip(one.operands, other.operands, strict=True)
    terms = [_value(source.value(a), target.value(b)) for a, b in pairs]
    if one.result is not None and other.result is not None:
        terms.append(_value(source.value(one.result), target.value(other.result)))
    return _all(terms)


def _value(source: RuntimeValue, target: RuntimeValue) -> Term:
    """Poison is refined by every value, a value by itself."""
    if isinstance(source, Composite) and isinstance(target, Composite):
        return _all([_value(a, b) for a, b in zip(source.elements, target.elements, strict=True)])
    assert isinstance(source, Value)
    assert isinstance(target, Value)
    if source.undef or target.undef:
        raise Unsupported("undef that is observed")
    if isinstance(source, Pointer) or isinstance(target, Pointer):
        return _pointer(source, target)
    if source.poison is True:
        return True
    same: Term
    if isinstance(source.bits, int) and isinstance(target.bits, int):
        same = source.bits == target.bits
    else:
        term = source.bits if isinstance(source.bits, z3.BitVecRef) else target.bits
        same = bit_vector(source.bits, term.size()) == bit_vector(target.bits, term.size())
    return folded(z3.Or(boolean(source.poison), z3.And(z3.Not(boolean(target.poison)), boolean(same))))


def _pointer(source: Value, target: Value) -> Term:
    """The same place in an object of the same name."""
    known = isinstance(source.bits, int) and isinstance(target.bits, int)
    if not known or source.poison is not False or target.poison is not False:
        raise Unsupported("an observed pointer that depends on the inputs")
    one, other = source.provenance, target.provenance
    if one is None or other is None:
        return source.bits == target.bits and one == other
    return one.name == other.name and source.bits - one.base == target.bits - other.base


def _all(terms: Sequence[Term]) -> Term:
    if any(term is False for term in terms):
        return False
    left = [term for term in terms if term is not True]
    return folded(z3.And(*left)) if left else True
