"""``convergence.frozen`` makes what ``dataclasses`` makes: the same methods, to the last detail.

covers: frozen, ir.instructions, ir.module, ir
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, field
from typing import Any

import pytest

from convergence.frozen import dataclass
from convergence.ir import PTR, FunctionType, Int, IntType, Local, MetadataReference, StructType
from convergence.ir.instructions import Binary, Call
from convergence.ir.module import Block, GlobalVariable, Parameter


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    name: str | None = None
    place: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class Slotted(Base):
    size: int
    parts: tuple[int, ...] = ()
    notes: list[int] = field(default_factory=list, repr=False, compare=False)


@dataclass(frozen=True)
class Open:
    size: int
    parts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Itself:
    size: int


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class TwinBase:
    name: str | None = None
    place: int = field(default=-1, compare=False)


@dataclasses.dataclass(frozen=True, slots=True)
class TwinSlotted(TwinBase):
    size: int
    parts: tuple[int, ...] = ()
    notes: list[int] = field(default_factory=list, repr=False, compare=False)


@dataclasses.dataclass(frozen=True)
class TwinOpen:
    size: int
    parts: tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class TwinItself:
    size: int


TWINS: list[tuple[Any, Any]] = [(Slotted, TwinSlotted), (Open, TwinOpen), (Itself, TwinItself)]
CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}), ((1,), {}), ((1, (2,)), {}), ((), {"size": 1}), ((1,), {"parts": (3,)}), ((1,), {"name": "n"}),
    ((1,), {"name": "n", "place": 3}), ((1, (2,), [3]), {}), ((1, 2, 3, 4), {}), ((1,), {"size": 1}),
    ((1,), {"what": 1}),
]  # fmt: skip


def made(cls: Any, call: tuple[tuple[Any, ...], dict[str, Any]]) -> Any:
    """The value, or that it is refused."""
    try:
        return cls(*call[0], **call[1])
    except TypeError:
        return TypeError


@pytest.mark.parametrize(("ours", "theirs"), TWINS)
def test_values(ours: Any, theirs: Any) -> None:
    values = [(made(ours, call), made(theirs, call)) for call in CALLS]
    assert any(a is not TypeError for a, _ in values) and any(a is TypeError for a, _ in values)
    values = [(a, b) for a, b in values if a is not TypeError or b is not TypeError]
    for a, b in values:
        assert repr(a) == repr(b).replace("Twin", "")
        assert [getattr(a, f.name) for f in dataclasses.fields(a)] == [
            getattr(b, f.name) for f in dataclasses.fields(b)
        ]
        for c, d in values:
            assert (a == c) == (b == d)
            assert a != d
            if ours is not Itself:
                assert (hash(a) == hash(c)) == (hash(b) == hash(d))
                assert hash(a) == hash(b)


@pytest.mark.parametrize(("ours", "theirs"), TWINS)
def test_classes(ours: Any, theirs: Any) -> None:
    ours(1)
    assert ours.__match_args__ == theirs.__match_args__
    assert getattr(ours, "__slots__", None) == getattr(theirs, "__slots__", None)
    sides = [inspect.signature(cls.__init__).parameters.values() for cls in (ours, theirs)]
    kinds = [[(p.name, p.kind, p.default is p.empty) for p in side] for side in sides]
    assert kinds[0] == kinds[1]


@pytest.mark.parametrize("cls", [Slotted, Open, Itself])
def test_frozen(cls: Any) -> None:
    value = cls(1)
    for name in ("size", "other"):
        with pytest.raises(FrozenInstanceError):
            setattr(value, name, 2)
        with pytest.raises(FrozenInstanceError):
            delattr(value, name)
    assert value.size == 1


def test_copies() -> None:
    number = IntType(32)
    call = Call(
        Local(PTR, "f"),
        FunctionType(number, (number,)),
        result="x",
        attachments=(("k", MetadataReference("3")),),
    )
    for value in (
        Slotted(1, (2,), [3], name="n", place=4),
        Open(1, (2,)),
        Binary("add", Int(number, 1), Int(number, 2), result="y"),
        call,
        Block("b", (call,)),
        Parameter(StructType((number, PTR)), "p"),
        GlobalVariable("g", number, True, None),
    ):
        for twin in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
            assert twin == value and twin is not value and hash(twin) == hash(value)
            assert repr(twin) == repr(value)
    assert dataclasses.replace(call, result="z").result == "z"
    assert dataclasses.replace(call, result="z") != call
