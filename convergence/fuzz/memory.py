"""Random kernels with memory: tiles and barriers, variables of other modules, atomics.

A program goes through phases. In each, threads compute apart (statements as in :mod:`.write`), then each
stores to its own place of a shared tile, all meet at a barrier that orders memory, read places of others, and
meet again: so nothing races but what is atomic. The barrier is one of a dialect that the definition knows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from .build import FunctionBuilder
from .shape import Control, Shape
from .write import Writer

PLACES = 16
"""Elements of an array: a thread's number, and any number made from one by ``MASK``, is an index."""
MASK = PLACES - 1


@dataclass(frozen=True, slots=True)
class KernelDialect:
    """How a kernel's threads know their numbers, and meet: ``barrier`` are lines, a call's with ``{bundle}``.
    ``local`` is the address space of what a group shares."""

    thread: str
    barrier: tuple[str, ...]
    local: int
    declarations: tuple[str, ...]


NVVM = KernelDialect(
    "call i32 @llvm.nvvm.read.ptx.sreg.tid.x()",
    ("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0){bundle}",),
    3,
    (
        "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()",
        "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)",
    ),
)
AMDGCN = KernelDialect(
    "call i32 @llvm.amdgcn.workitem.id.x()",
    (
        'fence syncscope("workgroup") release',
        "call void @llvm.amdgcn.s.barrier(){bundle}",
        'fence syncscope("workgroup") acquire',
    ),
    3,
    ("declare i32 @llvm.amdgcn.workitem.id.x()", "declare void @llvm.amdgcn.s.barrier()"),
)
SPIRV = KernelDialect(
    "call i32 @llvm.spv.thread.id.in.group.i32(i32 0)",
    ("call void @llvm.spv.group.memory.barrier.with.group.sync(){bundle}",),
    3,
    (
        "declare i32 @llvm.spv.thread.id.in.group.i32(i32)",
        "declare void @llvm.spv.group.memory.barrier.with.group.sync()",
    ),
)
DIALECTS = (NVVM, AMDGCN, SPIRV)

_ONE_BY_ONE = frozenset({"early_return", "irreducible", "anchor"})
"""Statements after which threads need not meet at the function's own level again."""


@dataclass(frozen=True, slots=True)
class Variables:
    """The memory of a program: which of its variables there are."""

    dialect: KernelDialect
    external: bool
    """An array of another module, read: what it holds is an input."""
    own: bool
    """A variable of each thread's own."""
    counted: bool
    """An atomic counter."""

    @property
    def declarations(self) -> str:
        """The variables and the dialect's functions."""
        array = f"[{PLACES} x i32]"
        lines = [
            f"@tile = internal addrspace({self.dialect.local}) global {array} zeroinitializer",
            f"@out = addrspace(1) global {array} zeroinitializer",
        ]
        lines += [f"@given = external addrspace(1) global {array}"] if self.external else []
        lines += ["@own = external thread_local global i32"] if self.own else []
        lines += ["@count = external addrspace(1) global i32"] if self.counted else []
        return "\n".join((*lines, *self.dialect.declarations))


def memory_shape(random: Random, shape: Shape) -> tuple[Shape, Variables]:
    """A shape for such a program, made from any other, and its variables."""
    kinds = tuple((name, weight) for name, weight in shape.kinds if name not in _ONE_BY_ONE)
    style: Control = "uncontrolled" if shape.style == "uncontrolled" else "entry"
    shape_with_memory = replace(
        shape, style=style, kinds=kinds, lane=False, statements=min(shape.statements, 5)
    )
    from_launch, own, counted = (random.random() < chance for chance in (0.6, 0.3, 0.25))
    return shape_with_memory, Variables(random.choice(DIALECTS), from_launch, own, counted)


@dataclass
class Kernel(Writer):
    """Writes the launched function."""

    variables: Variables | None = None

    def lines(self) -> list[str]:
        assert self.variables is not None
        self.begin()
        build, variables = self.build, self.variables
        thread = build.value(variables.dialect.thread, "thread")
        build.write("c", thread)
        if variables.external:
            self.mix_in(_load(build, "@given", 1, thread))
        for _ in range(self.random.randint(1, 3)):
            self.budget = max(self.budget, 2)
            self.statements(3)
            if build.at is None or not (self.scopes[-1] or not self.controlled):
                break
            self.phase(thread)
        if build.at is not None:
            self.leave_behind(thread)
        self.end()
        return build.body()

    def phase(self, thread: str) -> None:
        """Each thread puts a value into its place of the tile, and takes one from another's place."""
        build = self.build
        value, taken = build.read(self.variable()), self.random.randint(1, 3)
        _store(build, "@tile", 3, thread, value)
        self.barrier()
        other = build.value(f"{self.random.choice(('xor', 'add'))} i32 {thread}, {taken}")
        self.mix_in(_load(build, "@tile", 3, build.value(f"and i32 {other}, {MASK}")))
        if self.chance(0.3):
            self.mix_in(_load(build, "@tile", 3, thread))
        if self.chance(0.3):
            _store(build, "@out", 1, thread, build.read(self.variable()))
        self.barrier()

    def barrier(self) -> None:
        """All meet: under the function's own token, whatever was opened since."""
        assert self.variables is not None
        del self.scopes[-1][1:]
        bundle = f' [ "convergencectrl"(token %{self.scopes[-1][0]}) ]' if self.controlled else ""
        for line in self.variables.dialect.barrier:
            self.build.line(line.format(bundle=bundle))

    def leave_behind(self, thread: str) -> None:
        """What the outside sees: the results, a thread's own variable, the count."""
        assert self.variables is not None
        build = self.build
        if self.variables.own:
            own = build.value("load i32, ptr @own")
            build.line(f"store i32 {build.value(f'add i32 {own}, {build.read(self.variable())}')}, ptr @own")
        if self.variables.counted:
            build.value("atomicrmw add ptr addrspace(1) @count, i32 1 monotonic", "counted")
        _store(build, "@out", 1, thread, build.read(self.variable()))

    def mix_in(self, value: str) -> None:
        """Into a variable, so that what differed between threads still does."""
        variable = self.variable()
        mixed = self.build.value(
            f"{self.random.choice(('add', 'xor'))} i32 {self.build.read(variable)}, {value}"
        )
        self.build.write(variable, mixed)


def _place(build: FunctionBuilder, array: str, space: int, index: str) -> str:
    base = f"ptr addrspace({space}) {array}"
    return build.value(f"getelementptr inbounds [{PLACES} x i32], {base}, i32 0, i32 {index}", "place")


def _load(build: FunctionBuilder, array: str, space: int, index: str) -> str:
    return build.value(f"load i32, ptr addrspace({space}) {_place(build, array, space, index)}", "held")


def _store(build: FunctionBuilder, array: str, space: int, index: str, value: str) -> None:
    build.line(f"store i32 {value}, ptr addrspace({space}) {_place(build, array, space, index)}")
