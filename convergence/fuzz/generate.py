"""``generate``: the program of a seed, as text.

Every program is LLVM IR, keeps the static rules, and ends for every input. The text of a seed does not
depend on the platform: everything is drawn from ``random.Random(seed)``.
"""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Literal

from ..frozen import dataclass
from .build import ALL, CONTROL, Control, FunctionBuilder, Shape, draw
from .write import Helper, Writer

if TYPE_CHECKING:
    pass

Style = Literal["controlled", "uncontrolled", "mixed", "reconvergence", "memory", "any", "kernels"]
STYLES: tuple[Style, ...] = ("controlled", "uncontrolled", "mixed", "reconvergence", "memory", "any")
"""``mixed``: controlled and uncontrolled functions that call each other. ``reconvergence``: as the Vulkan
conformance suite's random reconvergence programs, see :mod:`.reconvergence`. ``memory``: kernels with
barriers and memory, see :class:`Kernel`. ``any``: one of the others but ``memory``. ``kernels`` are made by
:mod:`.uniform_programs` for a target."""


@dataclass(frozen=True, slots=True)
class Generated:
    """A program: its text, the function to launch, and what it was drawn from."""

    seed: int
    style: Style
    text: str
    function: str = "main"


def generate(seed: int, style: Style = "controlled") -> Generated:
    """The program of a seed and a style."""
    random = Random(seed)
    chosen = style
    if style == "any":
        chosen = random.choices(("controlled", "uncontrolled", "mixed", "reconvergence"), (6, 2, 1, 1))[0]
    if chosen == "reconvergence":
        from .reconvergence import reconvergence

        return Generated(seed, chosen, reconvergence(random))
    if chosen == "memory":
        shape, variables = memory_shape(random, draw(random, random.random() < 0.6))
        return Generated(seed, chosen, module(random, shape, variables))
    shape = draw(random, {"controlled": True, "uncontrolled": False, "mixed": None}[chosen])
    return Generated(seed, chosen, module(random, shape))


def module(random: Random, shape: Shape, variables: Variables | None = None) -> str:
    """A module of this shape: ``@main`` and its helpers. With ``variables`` its threads share memory."""
    helpers = tuple(_helper(random, shape, i) for i in range(shape.helpers))
    parameters = ("x", "y")[: shape.parameters]
    how = (random, shape, shape.style, "main", parameters, helpers, shape.statements)
    main = Writer(*how)
    if variables is not None:
        main = Kernel(*how, variables=variables)
    written = [(main, _definition(main, main.lines(), _main_attributes(random, shape.style)))]
    for place, helper in enumerate(helpers):
        later = helpers[place + 1 :]
        writer = Writer(random, shape, helper.style, helper.name, ("fuel", "x"), later, random.randint(1, 4))
        lines = writer.recursion(helper) if helper.recursive else writer.lines()
        written.append((writer, _definition(writer, lines, _helper_attributes(random, helper))))
    declared = {name for writer, _ in written for name in writer.used}
    controls = {name for writer, _ in written for name in writer.controls}
    parts = [text for _, text in written]
    if variables is not None:
        parts.insert(0, variables.declarations)
    parts.append(
        "\n".join(
            [o.declaration for name, o in ALL.items() if name in declared]
            + [line for name, line in CONTROL.items() if name in controls]
        )
    )
    if any(writer.weighted for writer, _ in written):
        parts.append('!0 = !{!"branch_weights", i32 1, i32 2000}\n!1 = !{!"branch_weights", i32 100, i32 1}')
    return "\n\n".join(part for part in parts if part) + "\n"


def _definition(writer: Writer, lines: list[str], words: tuple[str, str]) -> str:
    parameters = ", ".join(f"i32 %{name}" for name in writer.parameters)
    linkage, attributes = words
    head = f"define {linkage}i32 @{writer.name}({parameters}){attributes} {{"
    return "\n".join([head, *lines, "}"])


def _main_attributes(random: Random, style: Control) -> tuple[str, str]:
    convergent = " convergent" if style != "anchor" or random.random() < 0.2 else ""
    return "", convergent + random.choice(("", " nounwind", " mustprogress nounwind"))


def _helper(random: Random, shape: Shape, place: int) -> Helper:
    style = random.choice(shape.helper_styles)
    convergent = style != "anchor" or random.random() < 0.3
    return Helper(f"helper{place}" if place else "helper", style, random.random() < 0.4, convergent)


def _helper_attributes(random: Random, helper: Helper) -> tuple[str, str]:
    convergent = " convergent" if helper.convergent else ""
    inline = random.choice(("", "", " alwaysinline", " noinline"))
    return random.choice(("", "internal ")), convergent + inline + random.choice(("", " nounwind"))


# ----------------------------------------------------------------------------------------------------------
# Random kernels with memory: tiles and barriers, variables of other modules, atomics.
#
# A program goes through phases. In each, threads compute apart (statements as in :mod:`.write`), then each
# stores to its own place of a shared tile, all meet at a barrier that orders memory, read places of others,
# and meet again: so nothing races but what is atomic. The barrier is one of a dialect that the definition
# knows.
# ----------------------------------------------------------------------------------------------------------

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


@dataclasses.dataclass
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
