"""Random programs of :mod:`.synchronisation_model`, a function of their seed.

A branch, a vote and an atomic addition need values that are never undef: what was read from *flags*, which
are variables that are accessed atomically only and hold no other values, and what votes gave.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random
from typing import Literal

from .synchronisation_model import (
    Call,
    FenceInstruction,
    If,
    Load,
    Loop,
    Op,
    Place,
    Program,
    Storage,
    Store,
    Update,
    Value,
    Variable,
    Vote,
)

SCOPES = (
    None, None, None, "workgroup", "agent", "block", "wavefront", "subgroup", "singlethread",
    "workgroup-one-as", "agent-one-as", "wavefront-one-as", "one-as",
)  # fmt: skip
BARE = ("llvm.amdgcn.s.barrier", "llvm.amdgcn.wave.barrier", "subgroupControlBarrier", "controlBarrier")
PLAIN = (
    "llvm.nvvm.barrier.cta.sync.aligned.all", "llvm.nvvm.barrier.cta.sync.all", "llvm.nvvm.bar.warp.sync",
    "llvm.spv.group.memory.barrier.with.group.sync", "llvm.dx.group.memory.barrier.with.group.sync",
    "subgroupBarrier", "subgroupMemoryBarrier", "workgroupBarrier",
)  # fmt: skip
OPERANDS = {
    "llvm.nvvm.barrier.cta.sync.aligned.all": (0,),
    "llvm.nvvm.barrier.cta.sync.all": (0,),
    "llvm.nvvm.bar.warp.sync": (-1,),
}
MEMBARS = (
    "llvm.nvvm.membar.cta",
    "llvm.nvvm.membar.gl",
    "llvm.nvvm.membar.sys",
    "llvm.nvvm.fence.sc.cluster",
)
FLAGS = (0, 1, 1, 2, 3, 3)
SEMANTICS = (0, 0x100, 0x108, 0x110, 0x102, 0x104, 0x48, 0x208, 0x308, 0x148, 0x302, 0x304, 0x8)
REGISTERS = 9


def random_program(seed: int) -> Program:
    return _Generator(Random(seed)).program()


@dataclass
class _Known:
    """The registers that may be used here, by what may be in them."""

    clean: list[str] = field(default_factory=list)
    any: list[str] = field(default_factory=list)

    def copy(self) -> _Known:
        return _Known(list(self.clean), list(self.any))


class _Generator:
    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.threads = 2 if rng.random() < 0.7 else 3
        self.left = rng.randrange(2, 6) if self.threads == 2 else rng.randrange(1, 3)
        self.registers = 0
        self.orders = rng.random()
        """How strong the orderings are."""
        self.data = [self._variable(f"d{n}") for n in range(rng.choice((1, 1, 2)))]
        self.flags = [
            Variable(f"flag{n}", rng.choice((0, 1, 3)), 4, 1, 0) for n in range(rng.choice((0, 1, 1, 2)))
        ]
        self.in_loop = False

    def program(self) -> Program:
        rng, ops = self.rng, []
        known = _Known()
        pattern = rng.random()
        if pattern < 0.35:
            ops = self._tile(known)
        elif pattern < 0.6 and self.flags:
            ops = self._message(known)
        ops += self._body(0, known)
        arguments = tuple(rng.randrange(3) for _ in range(self.threads))
        if pattern < 0.6:
            arguments = (0, 1, 2)[: self.threads] if rng.random() < 0.5 else (1, 0, 1)[: self.threads]
        size = (
            rng.choice((None, None, None, None, 1, 2))
            if self.threads == 3
            else rng.choice((None, None, None, 1))
        )
        return Program((*self.data, *self.flags), tuple(ops), arguments, size, rng.random() < 0.7)

    def _variable(self, name: str) -> Variable:
        rng = self.rng
        space = rng.choice((3, 3, 3, 1, 0))
        match rng.randrange(6):
            case 0:
                return Variable(name, space, 2, 1, rng.choice((0, 0x0102)))
            case 1 | 2:
                return Variable(name, space, 4, self.threads, rng.choice((0, 0, 0, 0, 9, None)))
            case _:
                return Variable(name, space, 4, 1, rng.choice((0, 0, 0, 0, 9, None)))

    # Known shapes

    def _tile(self, known: _Known) -> list[Op]:
        """Write, wait, read."""
        place = self._place(self.data[0], "own")
        ops: list[Op] = [self._store(place, known)]
        ops += self._waiting()
        ops.append(self._load(self._place(self.data[0], "peer"), known))
        if self.rng.random() < 0.3:
            ops += self._waiting()
            ops.append(self._store(self._place(self.data[0], self.rng.choice(("own", "peer"))), known))
        return ops

    def _message(self, known: _Known) -> list[Op]:
        """Write data and raise a flag, or read the flag and the data."""
        rng = self.rng
        flag, place = rng.choice(self.flags), self._place(self.data[0], "first")
        inner = known.copy()
        writing: list[Op] = [self._store(place, inner), *self._fences()]
        if rng.random() < 0.8:
            writing.append(Store(self._place(flag, "first"), 1, self._ordering("store"), self._scope()))
        else:
            writing.append(self._update(self._place(flag, "first"), known.copy()))
        inner = known.copy()
        reading: list[Op] = []
        if rng.random() < 0.8:
            reading.append(self._load(self._place(flag, "first"), inner))
        else:
            reading.append(self._update(self._place(flag, "first"), inner))
        read, *_ = inner.clean[-1:]
        rest = [*self._fences(), self._load(place, inner.copy())]
        reading += [If(read, 0, tuple(rest))] if rng.random() < 0.4 else rest
        self.left -= 1
        return [If(None, 0, tuple(writing), tuple(reading))]

    def _waiting(self) -> list[Op]:
        """A barrier, with fences around it more or less."""
        rng = self.rng
        if rng.random() < 0.5:
            return [self._barrier()]
        ops: list[Op] = self._fences("release") if rng.random() < 0.85 else []
        ops.append(Call(rng.choice(BARE), (), True) if rng.random() < 0.8 else self._barrier())
        return ops + (self._fences("acquire") if rng.random() < 0.85 else [])

    def _fences(self, which: Literal["release", "acquire", "any"] = "any") -> list[Op]:
        if which == "any" and self.rng.random() < 0.3:
            return []
        return [self._fence(which)]

    # Operations

    def _body(self, depth: int, known: _Known) -> list[Op]:
        rng = self.rng
        ops: list[Op] = []
        while self.left > 0 and (not ops or rng.random() < (0.93 if depth == 0 else 0.55)):
            kind = rng.choices(
                ("load", "store", "update", "vote", "wait", "fence", "if", "loop"), (5, 5, 2, 1, 3, 2, 2, 1)
            )[0]
            if self.registers >= REGISTERS and kind in ("load", "update", "vote"):
                kind = "store"
            if (kind in ("if", "loop") and depth == 2) or (kind == "loop" and self.in_loop):
                kind = "store"
            match kind:
                case "load":
                    self.left -= 1
                    ops.append(self._load(self._anywhere(), known))
                case "store":
                    self.left -= 1
                    ops.append(self._store(self._anywhere(), known))
                case "update":
                    self.left -= 1
                    ops.append(self._update(self._anywhere(atomic=True), known))
                case "vote":
                    ops.append(Vote(register := self._register(), self._value(4, known.clean)))
                    known.clean.append(register)
                case "wait":
                    ops += self._waiting()
                    self.left -= rng.random() < 0.3
                case "fence":
                    ops.append(self._fence("any"))
                case "if":
                    condition = rng.choice(known.clean) if known.clean and rng.random() < 0.6 else None
                    over = rng.randrange(2)
                    body = self._body(depth + 1, known.copy())
                    otherwise = self._body(depth + 1, known.copy()) if rng.random() < 0.4 else []
                    ops.append(If(condition, over, tuple(body), tuple(otherwise)))
                case "loop":
                    ops.append(self._loop(depth, known))
        return ops

    def _loop(self, depth: int, known: _Known) -> Op:
        self.in_loop = True
        inner = known.copy()
        self.left = min(self.left, 3)
        body = self._body(depth + 1, inner)
        self.in_loop = False
        condition = self.rng.choice(inner.clean) if inner.clean and self.rng.random() < 0.5 else None
        return Loop(condition, 2, tuple(body))

    def _register(self) -> str:
        self.registers += 1
        return f"r{self.registers}"

    def _value(self, size: int, known: list[str]) -> Value:
        """Registers are 4 bytes, but for those read from smaller places, which are never used."""
        if size == 2:
            return self.rng.choice((0x0304, 0x0506, 0))
        if size == 1:
            return self.rng.choice((7, 8, 0))
        if known and self.rng.random() < 0.4:
            return self.rng.choice(known)
        return self.rng.choice((0, 1, 2, 3, "arg", "arg"))

    def _place(self, variable: Variable, element: Literal["first", "own", "peer"]) -> Place:
        generic = self.rng.random() < 0.15
        return Place(variable, element if variable.count > 1 else "first", 0, variable.size, generic)

    def _anywhere(self, atomic: bool = False) -> Place:
        rng = self.rng
        place = self._place(rng.choice([*self.data, *self.data, *self.flags]), rng.choice(("own", "peer")))
        if place.size == 2 and not atomic and rng.random() < 0.6:
            return Place(place.variable, "first", rng.randrange(2), 1, place.generic)
        return place

    def _load(self, place: Place, known: _Known) -> Op:
        flag = place.variable in self.flags
        register = self._register()
        atomic = flag or (place.size == place.variable.size and self.rng.random() < 0.25)
        if flag:
            known.clean.append(register)
        if place.size == 4:
            known.any.append(register)
        if not atomic:
            return Load(register, place, None, None)
        return Load(register, place, self._ordering("load"), self._scope())

    def _store(self, place: Place, known: _Known) -> Op:
        flag = place.variable in self.flags
        atomic = flag or (place.size == place.variable.size and self.rng.random() < 0.25)
        value = self._value(place.size, known.clean if flag else known.any)
        if not atomic:
            return Store(place, value, None, None)
        return Store(place, value, self._ordering("store"), self._scope())

    def _update(self, place: Place, known: _Known) -> Op:
        flag = place.variable in self.flags
        operation: Literal["xchg", "add", "cmpxchg"] = "xchg"
        if flag:
            operation = self.rng.choice(("xchg", "add", "cmpxchg"))
        value = self._value(place.size, known.clean if flag else known.any)
        expected = self.rng.choice((0, 1)) if operation == "cmpxchg" else 0
        register = self._register()
        if flag:
            known.clean.append(register)
        if place.size == 4:
            known.any.append(register)
        update = Update(register, place, operation, value, expected, self._ordering("update"), self._scope())
        if operation != "cmpxchg":
            return update
        return replace(update, failure=self.rng.choice(("monotonic", "acquire", "seq_cst")))

    def _ordering(self, kind: Literal["load", "store", "update"]) -> str:
        weak = {
            "load": ("unordered", "monotonic"),
            "store": ("unordered", "monotonic"),
            "update": ("monotonic",),
        }
        strong = {
            "load": ("acquire", "seq_cst"),
            "store": ("release", "seq_cst"),
            "update": ("acquire", "release", "acq_rel", "seq_cst"),
        }
        return self.rng.choice((strong if self.rng.random() < self.orders else weak)[kind])

    def _scope(self) -> str | None:
        return self.rng.choice(SCOPES)

    def _fence(self, which: Literal["release", "acquire", "any"]) -> Op:
        rng = self.rng
        match rng.randrange(8):
            case 0:
                return Call(rng.choice(MEMBARS), (), False)
            case 1:
                names = ["_Z9mem_fencej"]
                names += ["_Z14read_mem_fencej"] if which != "release" else []
                names += ["_Z15write_mem_fencej"] if which != "acquire" else []
                return Call(rng.choice(names), (rng.choice(FLAGS),), rng.random() < 0.5)
            case 2:
                operands = (rng.choice(FLAGS), rng.randrange(6), rng.choice((0, 1, 1, 2, 3, 4)))
                return Call("_Z22atomic_work_item_fencej12memory_order12memory_scope", operands, False)
            case 3:
                name = rng.choice(("_Z21__spirv_MemoryBarrierjj", "__spirv_MemoryBarrier"))
                return Call(name, (rng.choice((0, 1, 2, 2, 3, 4)), rng.choice(SEMANTICS)), False)
            case _:
                orders = (
                    ("acquire", "release", "acq_rel", "seq_cst")
                    if which == "any"
                    else (which, which, "acq_rel")
                )
                tags: tuple[Storage, ...] = rng.choice(
                    ((), (), (), (), ("local",), ("global",), ("global", "local"))
                )
                return FenceInstruction(rng.choice(orders), self._scope(), tags)

    def _barrier(self) -> Op:
        rng = self.rng
        match rng.randrange(5):
            case 0:
                name = rng.choice(("_Z7barrierj", "_Z18work_group_barrierj", "_Z17sub_group_barrierj"))
                return Call(name, (rng.choice(FLAGS),), True)
            case 1:
                name = rng.choice(
                    ("_Z18work_group_barrierj12memory_scope", "_Z17sub_group_barrierj12memory_scope")
                )
                return Call(name, (rng.choice(FLAGS), rng.choice((0, 1, 2, 4))), True)
            case 2:
                name = rng.choice(("_Z22__spirv_ControlBarrierjjj", "__spirv_ControlBarrier"))
                return Call(name, (2, rng.choice((1, 2, 2, 3, 4)), rng.choice(SEMANTICS)), True)
            case _:
                name = rng.choice(PLAIN)
                return Call(name, OPERANDS.get(name, ()), True)
