"""Terms and what they come to once the unknowns in them are known."""

from __future__ import annotations

from typing import Any

import z3

from ...semantics.arithmetic.symbolic import folded
from ...semantics.values.pending import Unknown
from ...semantics.values.value import Composite, Pointer, Value
from .walk import is_term


class Assignment:
    """The values of unknowns, as one execution gives them.

    ``set`` is told a result term by term; an unknown may also be an :class:`Unknown` that the user left open.
    """

    def __init__(self, leaves: Leaves) -> None:
        self._leaves = leaves
        self._of: dict[int, tuple[Any, Any]] = {}

    def set(self, unknown: Any, value: Any) -> None:
        """An unknown bit-vector, integer or truth value has this value."""
        if not is_term(unknown):
            return
        if isinstance(value, Unknown):
            self._of[unknown.get_id()] = (unknown, value)
        elif z3.is_bool(unknown):
            self._of[unknown.get_id()] = (unknown, z3.BoolVal(value))
        elif z3.is_int(unknown):
            self._of[unknown.get_id()] = (unknown, z3.IntVal(value))
        else:
            self._of[unknown.get_id()] = (unknown, z3.BitVecVal(value, unknown.size()))

    def of(self, term: Any) -> Any:
        """A term's value, a Python int or bool; Unknown if it hangs from one. Raises KeyError where an
        unknown in it has no value."""
        if not is_term(term):
            return term
        pairs = []
        for leaf in self._leaves.of(term):
            pair = self._of[leaf.get_id()]
            if isinstance(pair[1], Unknown):
                return pair[1]
            pairs.append(pair)
        value = folded(z3.substitute(term, *pairs))
        return value.as_long() if z3.is_int_value(value) else value

    def value(self, value: Any) -> Any:
        """A runtime value's value; Unknown if a part of it hangs from one."""
        if isinstance(value, Composite):
            parts = [self.value(e) for e in value.elements]
            unknown = next((p for p in parts if isinstance(p, Unknown)), None)
            return unknown if unknown is not None else Composite(tuple(parts))
        if not isinstance(value, Value) or not (is_term(value.bits) or is_term(value.poison)):
            return value
        poison, bits = self.of(value.poison), self.of(value.bits)
        if isinstance(poison, Unknown) or isinstance(bits, Unknown):
            return poison if isinstance(poison, Unknown) else bits
        if isinstance(value, Pointer):
            return type(value)(0 if poison else bits, value.provenance, poison)
        return type(value)(0 if poison else bits, poison)


class Leaves:
    """The unknowns of a term; terms share their parts, so answers are kept."""

    def __init__(self) -> None:
        self._of: dict[int, tuple[Any, tuple[Any, ...]]] = {}

    def of(self, term: Any) -> tuple[Any, ...]:
        known = self._of.get(term.get_id())
        if known is not None:
            return known[1]
        terms: dict[int, Any] = {}
        numbers: set[int] = set()
        work = [term]
        while work:
            part = work.pop()
            if part.get_id() in numbers:
                continue
            numbers.add(part.get_id())
            children = part.children()
            if not children and part.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                terms[part.get_id()] = part
            work.extend(children)
        leaves = tuple(terms.values())
        self._of[term.get_id()] = (term, leaves)
        return leaves


def equal(value: Any, known: Any, exact: bool = False) -> list[Any]:
    """That a value, with terms in it, is this known one: a conjunction. ``exact``: bits of poison count."""
    if isinstance(value, Composite):
        return [e for a, b in zip(value.elements, known.elements, strict=True) for e in equal(a, b, exact)]
    if not isinstance(value, Value):
        return []
    conjuncts = []
    if is_term(value.poison):
        conjuncts.append(value.poison if known.poison else z3.Not(value.poison))
    if is_term(value.bits) and (exact or not known.poison):
        conjuncts.append(value.bits == known.bits)
    return conjuncts
