"""``generate``: the program of a seed, as text.

Every program is LLVM IR, keeps the static rules, and ends for every input. The text of a seed does not
depend on the platform: everything is drawn from ``random.Random(seed)``.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Literal

from ..frozen import dataclass
from .shape import ALL, CONTROL, Control, Shape, draw
from .write import Helper, Writer

if TYPE_CHECKING:
    from .memory import Variables

Style = Literal["controlled", "uncontrolled", "mixed", "reconvergence", "memory", "any", "kernels"]
STYLES: tuple[Style, ...] = ("controlled", "uncontrolled", "mixed", "reconvergence", "memory", "any")
"""``mixed``: controlled and uncontrolled functions that call each other. ``reconvergence``: as the Vulkan
conformance suite's random reconvergence programs, see :mod:`.reconvergence`. ``memory``: kernels with
barriers and memory, see :mod:`.memory`. ``any``: one of the others but ``memory``. ``kernels`` are made by
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
        from .memory import memory_shape

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
        from .memory import Kernel

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
