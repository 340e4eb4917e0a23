"""A function's control flow as SVG: blocks below each other in text order, with their convergence control.

An edge to the next block goes straight down, one that skips blocks bends to the right, one that goes back
bends to the left. A block's box says which control intrinsics and convergent operations stand in it, and
with which token. A witness marks its blocks, and a closed path the edges that it takes, by a thick line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

from ...diagnostics import Witness
from ...frozen import dataclass
from ...ir.calls import Control, callee_name, control, is_convergent, token_used
from ...ir.cfg import Cfg, build_cfg, cycles
from ...ir.instructions import CallSite
from ...ir.module import Block, Function, Module
from .. import parts as html
from . import count, markup, printable
from .svg import SIZE, document, element, length, number, sheet, shortened, text_line, title

MARGIN = 16.0
LINE = 19.0  # from line to line of a box
PAD = 8.0  # between a box's edge and its text
GAP = 30.0  # between boxes
BEND = 16.0  # from lane to lane of the edges at the sides
TIP = 5.0  # half the width of an arrow's head
LONG = 48  # display cells of a line
BLOCKS = 200  # blocks that are drawn


@dataclass(frozen=True, slots=True)
class _Box:
    """A block: its lines and its place; ``marked`` if a witness names it."""

    name: str
    lines: tuple[str, ...]
    y: float
    height: float
    marked: bool

    @property
    def bottom(self) -> float:
        return self.y + self.height


def control_flow(
    module: Module,
    function: Function,
    witness: Witness | None = None,
    prefix: str = "convcheck-cfg",
    notes: Mapping[str, Sequence[str]] = MappingProxyType({}),
    marked: frozenset[str] = frozenset(),
) -> str:
    """The SVG document of a definition, ended by a newline; its first blocks, if there are very many.

    ``prefix`` begins every id and names the class that the style sheet applies to. ``notes`` are lines for
    blocks, ``marked`` blocks that stand out, beside those of the witness.
    """
    return _Drawing(module, function, witness, prefix, notes, marked).document()


def operation_lines(module: Module, block: Block) -> tuple[str, ...]:
    """A line per control intrinsic and convergent operation: ``%t = loop [%all]``, ``@barrier [%t]``."""
    lines = []
    for instruction in block.instructions:
        if not isinstance(instruction, CallSite) or not is_convergent(module, instruction):
            continue
        kind = control(instruction)
        name = callee_name(instruction)
        name_in_words = (
            kind.name.lower() if kind is not None else "indirect call" if name is None else f"@{name}"
        )
        if instruction.result is not None:
            name_in_words = f"%{instruction.result} = {name_in_words}"
        token = token_used(instruction)
        lines.append(name_in_words if token is None else f"{name_in_words} [%{token.name}]")
    return tuple(lines)


class _Drawing:
    """One picture on its way to text."""

    def __init__(
        self, module: Module, function: Function, witness: Witness | None, prefix: str,
        notes: Mapping[str, Sequence[str]], marked: frozenset[str],
    ) -> None:  # fmt: skip
        self.function, self.witness, self.prefix = function, witness, prefix
        self.cfg = build_cfg(function)
        marked |= frozenset(witness.blocks) if witness is not None else frozenset()
        self.boxes: list[_Box] = []
        y = MARGIN + LINE
        for block in function.blocks[:BLOCKS]:
            lines = (block.name, *operation_lines(module, block), *notes.get(block.name, ()))
            height = LINE * len(lines) + PAD
            self.boxes.append(_Box(block.name, lines, y, height, block.name in marked))
            y += height + GAP
        self.bottom = y - GAP
        left = len(self.cfg) - len(self.boxes)
        self.left_out = f"... and {left} more blocks" if left else ""
        self.walked = _walked(witness, self.cfg)
        self.edges = [
            (a, b) for a in range(len(self.boxes)) for b in self.cfg.successors[a] if b < len(self.boxes)
        ]
        back = [(a, b) for a, b in self.edges if b <= a]
        skipping = [(a, b) for a, b in self.edges if b > a + 1]
        self.left_lanes, self.right_lanes = _lanes(back), _lanes(skipping)
        self.x = MARGIN + BEND * (1 + max(self.left_lanes.values(), default=0))
        texts = [shortened(printable(line), LONG) for box in self.boxes for line in box.lines]
        self.width = 2 * PAD + max(map(length, texts), default=0.0)

    def document(self) -> str:
        caption = shortened(printable(f"@{self.function.name}"), LONG)
        right = self.x + self.width + BEND * (1 + max(self.right_lanes.values(), default=0)) + MARGIN
        right = max(right, MARGIN * 2 + length(caption), MARGIN * 2 + length(self.left_out))
        height = self.bottom + MARGIN + (LINE if self.left_out else 0.0)
        p = self.prefix
        parts = [
            element("title", markup(f"Control flow of {caption}"), id=f"{p}-title"),
            element("desc", markup(printable(self._description())), id=f"{p}-desc"),
            sheet(p),
            element("style", f".{p} .edge{{fill:none;stroke:#767676;stroke:var(--faint);stroke-width:1.3}}"
                f".{p} .walked{{fill:none;stroke:#d55e00;stroke-width:3}}"
                f".{p} .tip{{fill:#767676;fill:var(--faint)}}.{p} .walked-tip{{fill:#d55e00}}"
                f".{p} .marked{{fill:#d55e00;fill-opacity:.14;stroke:#d55e00;stroke-width:3}}"),
            element("rect", width=right, height=height, class_="paper"),
            text_line(caption, MARGIN, MARGIN + SIZE * 0.6, kind="faint"),
            *(self._edge(a, b) for a, b in self.edges),
            *(self._box(box) for box in self.boxes),
            text_line(self.left_out, MARGIN, self.bottom + LINE),
        ]  # fmt: skip
        return document(p, right, height, parts)

    def _description(self) -> str:
        """The picture in words."""
        lines = []
        for n, box in enumerate(self.boxes):
            inside = f" with {', '.join(box.lines[1:])}" if box.lines[1:] else ""
            to = ", ".join(self.cfg.names[s] for s in self.cfg.successors[n]) or "no block"
            lines.append(f"Block {box.name}{inside} goes to {to}.")
        if self.witness is not None and self.witness.blocks:
            lines.append(f"Marked ({self.witness.kind}): {', '.join(self.witness.blocks)}.")
        return " ".join(lines)

    def _box(self, box: _Box) -> str:
        kind = "marked" if box.marked else "alone"
        place = {"x": self.x, "y": box.y, "width": self.width, "height": box.height, "rx": 6.0}
        parts = [
            title(" ".join(box.lines)),
            element("rect", **place, class_="paper"),
            element("rect", **place, class_=kind),
        ]
        for n, line in enumerate(box.lines):
            y = box.y + LINE * (n + 1) - PAD / 4
            parts.append(text_line(shortened(line, LONG), self.x + PAD, y, kind="ink" if n == 0 else "faint"))
        return element("g", *parts)

    def _edge(self, a: int, b: int) -> str:
        """A line with a tip, straight or with a bend."""
        source, target = self.boxes[a], self.boxes[b]
        walked = (a, b) in self.walked
        middle = self.x + self.width / 2
        if b == a + 1:
            path = f"M{number(middle)} {number(source.bottom)}V{number(target.y - 2 * TIP)}"
            tip = _tip(middle, target.y, 0.0)
        else:
            back = b <= a
            side = self.x if back else self.x + self.width
            lane = (self.left_lanes if back else self.right_lanes)[a, b]
            out = side - BEND * lane if back else side + BEND * lane
            start, end = source.bottom - LINE / 2, target.y + LINE / 2
            direction = 1.0 if back else -1.0
            path = (
                f"M{number(side)} {number(start)}H{number(out)}V{number(end)}"
                f"H{number(side - direction * 2 * TIP)}"
            )
            tip = _tip(side, end, direction)
        return element(
            "g",
            title(f"{source.name} to {target.name}"),
            element("path", d=path, class_="walked" if walked else "edge"),
            element("path", d=tip, class_="walked-tip" if walked else "tip"),
        )


def _tip(x: float, y: float, direction: float) -> str:
    """An arrow's head that ends at a point: to the right (1), to the left (-1) or down (0)."""
    if direction == 0:
        corners = ((x, y), (x - TIP, y - 2 * TIP), (x + TIP, y - 2 * TIP))
    else:
        back = x - direction * 2 * TIP
        corners = ((x, y), (back, y - TIP), (back, y + TIP))
    return "M" + "L".join(f"{number(a)} {number(b)}" for a, b in corners) + "Z"


def _lanes(edges: Sequence[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """A lane (from 1) for each edge at one side, so that edges beside each other do not run into one."""
    taken: list[list[tuple[int, int]]] = []
    lanes: dict[tuple[int, int], int] = {}
    for edge in sorted(edges, key=lambda e: (abs(e[0] - e[1]), e)):
        low, high = min(edge), max(edge)
        free = [n for n, spans in enumerate(taken) if all(high < a or low > b for a, b in spans)]
        lane = free[0] if free else len(taken)
        if not free:
            taken.append([])
        taken[lane].append((low, high))
        lanes[edge] = lane + 1
    return lanes


def _walked(witness: Witness | None, cfg: Cfg) -> frozenset[tuple[int, int]]:
    """The edges that a closed path, or a path, takes."""
    if witness is None or witness.kind not in ("closed-path", "path"):
        return frozenset()
    blocks = [cfg.index[name] for name in witness.blocks if name in cfg.index]
    if witness.kind == "closed-path":
        blocks = [*blocks, *blocks[:1]]
    return frozenset(pairwise(blocks))


# -- A module for notebooks: what its functions hold of convergence control, and its text

LINES = 400  # lines of the text that are shown
PICTURES = 4  # functions that are drawn
MODULE_BLOCKS = 24  # blocks of a function that is drawn
_MARKS = {"control": "background:#0072b233", "operation": "background:#e69f0033"}


def summary(module: Module) -> str:
    """``natural.ll: 1 function``."""
    name = printable(module.source.name)
    return f"{name}: {count(len(module.definitions()), 'function')}"


def module_html(module: Module) -> str:
    """A table of the functions, then the text with marks on control intrinsics and convergent operations."""
    title = html.paragraph(summary(module), strong=True)
    try:
        rows, marks = [_counts(module, function) for function in module.definitions()], _marks(module)
    except Exception as error:
        # Bodies are parsed at the first look: a fault there must not keep the text from being shown.
        return html.box(title, html.paragraph(f"not read: {error}"), _listing(module, {}))
    head = ("function", "blocks", "cycles", "entry", "loop", "anchor", "controlled", "uncontrolled")
    drawn = []
    for function in module.definitions()[:PICTURES]:
        if len(function.blocks) <= MODULE_BLOCKS:
            prefix = html.prefix(f"cfg @{function.name} {module.source.text}")
            drawn.append(html.figure(control_flow(module, function, prefix=prefix)))
    pictures = [html.details("control flow", "".join(drawn), is_open=len(drawn) == 1)] if drawn else []
    listing = html.details("text", _listing(module, marks), is_open=True)
    return html.box(title, html.table(head, rows), *pictures, listing)


def _counts(module: Module, function: Function) -> tuple[str, ...]:
    kinds = [control(instruction) for instruction in function.instructions]
    operations = [
        instruction
        for instruction, kind in zip(function.instructions, kinds, strict=True)
        if kind is None and is_convergent(module, instruction)
    ]
    controlled = sum(token_used(operation) is not None for operation in operations)
    numbers = [
        len(function.blocks),
        len(cycles(build_cfg(function)).all),
        *(kinds.count(kind) for kind in Control),
        controlled,
        len(operations) - controlled,
    ]
    return (printable("@" + function.name), *map(str, numbers))


def _marks(module: Module) -> dict[int, str]:
    """Line number to mark."""
    marks: dict[int, str] = {}
    for function in module.definitions():
        for instruction in function.instructions:
            if instruction.span.start < 0 or not is_convergent(module, instruction):
                continue
            kind = "operation" if control(instruction) is None else "control"
            marks[module.source.position(instruction.span.start).line] = kind
    return marks


def _listing(module: Module, marks: Mapping[int, str]) -> str:
    lines = module.source.text.splitlines()
    width = len(str(len(lines)))
    shown = []
    for row, line in enumerate(lines[:LINES], 1):
        text = f"{row:>{width}}  {markup(printable(line.replace(chr(9), '    ')))}"
        mark = marks.get(row)
        shown.append(text if mark is None else f'<span style="{_MARKS[mark]}">{text}</span>')
    if len(lines) > LINES:
        shown.append(f"... {len(lines) - LINES} more lines")
    return html.raw_pre("\n".join(shown))
