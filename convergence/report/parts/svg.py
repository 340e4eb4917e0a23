"""An SVG and its elements; text in it is escaped, of known width in any font, and cut where it is long."""

from __future__ import annotations

from collections.abc import Sequence

from .excerpt import width
from .printable import attribute, markup, printable

SIZE = 14.0
"""Font size in user units; the font is a monospaced one."""
ADVANCE = 0.6
"""Width of a display cell in font sizes. ``textLength`` makes every font keep to it."""


def text_width(text: str) -> int:
    """Display cells of a text."""
    return sum(map(width, text))


def shortened(text: str, most: int) -> str:
    """A text of at most ``most`` display cells, with ``…`` for what is missing."""
    if text_width(text) <= most:
        return text
    kept, used = [], 0
    for character in text:
        used += width(character)
        if used > most - 1:
            break
        kept.append(character)
    return "".join(kept) + "…"


def length(text: str, size: float = SIZE) -> float:
    """The width of a text in user units."""
    return text_width(text) * size * ADVANCE


def number(value: float) -> str:
    """A coordinate, with no more digits than it needs.

    >>> number(3.0), number(8.400000001)
    ('3', '8.4')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def element(name: str, *inner: str, **attributes: str | float) -> str:
    """An element; an attribute ``class_`` is ``class``, and ``text_anchor`` is ``text-anchor``."""
    words = [name]
    for key, value in attributes.items():
        text = value if isinstance(value, str) else number(value)
        words.append(f"{_ATTRIBUTES.get(key, key)}={attribute(text)}")
    return f"<{' '.join(words)}>{''.join(inner)}</{name}>" if inner else f"<{' '.join(words)}/>"


_ATTRIBUTES = {
    "class_": "class",
    "text_anchor": "text-anchor",
    "font_size": "font-size",
    "stroke_dasharray": "stroke-dasharray",
}


def title(text: str) -> str:
    """What a pointer or a screen reader tells about the element around it."""
    return element("title", markup(printable(text)))


def text_line(
    text: str, x: float, y: float, size: float = SIZE, anchor: str = "start", kind: str = "ink"
) -> str:
    """A line of text, its baseline at ``y``."""
    spelled = printable(text)
    if not spelled:
        return ""
    return element(
        "text", markup(spelled), x=x, y=y, textLength=length(spelled, size), lengthAdjust="spacingAndGlyphs",
        class_=kind, font_size=size, text_anchor=anchor,
    )  # fmt: skip


def document(prefix: str, across: float, height: float, parts: Sequence[str], y: float = 0.0) -> str:
    """An ``svg`` element with these parts, to stand at ``y`` in another; it is told by the elements with the
    ids ``PREFIX-title`` and ``PREFIX-desc``."""
    size = f"{number(across)} {number(height)}"
    place = f' y="{number(y)}"' if y else ""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{prefix}"{place} viewBox="0 0 {size}" '
        f'width="{number(across)}" height="{number(height)}" role="img" '
        f'aria-labelledby="{prefix}-title {prefix}-desc">'
    )
    return "\n".join([head, *(part for part in parts if part), "</svg>"]) + "\n"


# -- Colours, patterns and outlines of an SVG: a palette that colour-blind people can tell apart
# Colour says which operation a block executes, and never says it alone: the band in front of the block's
# name has a pattern too, the name stands in the cell, and groups have letters. The palette's yellow and
# black are left out, for they vanish on white or on black.

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Okabe and Ito, *Color Universal Design*: blue, vermilion, bluish green, reddish purple, orange, sky
blue."""

_LIGHT = "--ink:#1a1a1a;--paper:#ffffff;--faint:#767676;--wash:.16"
_DARK = "--ink:#f2f2f2;--paper:#16181c;--faint:#9a9a9a;--wash:.34"

_SHAPES = (
    "",
    '<path d="M0 8L8 0M-2 2L2 -2M6 10L10 6" stroke="#fff" stroke-width="2"/>',
    '<circle cx="4" cy="4" r="1.8" fill="#fff"/>',
    '<path d="M0 4H8" stroke="#fff" stroke-width="2.4"/>',
    '<path d="M0 0L8 8M-2 6L2 10M6 -2L10 2" stroke="#fff" stroke-width="2"/>',
    '<path d="M4 0V8M0 4H8" stroke="#fff" stroke-width="1.6"/>',
)
"""What lies over a colour in the band, on tiles of 8 by 8."""


def sheet(prefix: str) -> str:
    """The style sheet, for this picture only: ``prefix`` is its class."""
    p = f".{prefix}"
    return element(
        "style",
        f"{p}{{{_LIGHT};font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}}",
        f"@media (prefers-color-scheme:dark){{{p}{{{_DARK}}}}}",
        f"{p} .paper{{fill:#ffffff;fill:var(--paper)}}",
        f"{p} .ink{{fill:#1a1a1a;fill:var(--ink)}}",
        f"{p} .faint{{fill:#767676;fill:var(--faint)}}",
        f"{p} .lane{{stroke:#767676;stroke:var(--faint);stroke-width:1;stroke-dasharray:1 5}}",
        f"{p} .group{{fill:none;stroke:#1a1a1a;stroke:var(--ink);stroke-width:2}}",
        f"{p} .control{{fill:none;stroke:#767676;stroke:var(--faint);stroke-width:1.5;stroke-dasharray:4 3}}",
        f"{p} .alone{{fill:none;stroke:#767676;stroke:var(--faint);stroke-width:1}}",
        f"{p} .badge{{fill:#1a1a1a;fill:var(--ink)}}",
        f"{p} .inverse{{fill:#ffffff;fill:var(--paper)}}",
        f"{p} .wash{{fill-opacity:.16;fill-opacity:var(--wash)}}",
    )


def appearing(prefix: str, names: Sequence[str]) -> str:
    """The style by which elements with these ids appear one after the other, again and again: no script. Who
    wants less motion, and paper, has them all at once."""
    seconds = 0.9 * len(names) + 2.5
    rules = []
    for n, name in enumerate(names):
        start = 100 * (0.9 * n) / seconds
        there = number(min(start + 3, 99.0))
        rules.append(
            f"@keyframes {name}{{0%,{number(start)}%{{opacity:.08}}{there}%,100%{{opacity:1}}}}"
            f"#{name}{{animation:{name} {number(seconds)}s infinite}}"
        )
    still = f"@media print,(prefers-reduced-motion:reduce){{.{prefix} g{{animation:none!important}}}}"
    return element("style", *rules, still)


def paint(index: int) -> int:
    """Which of the paints the ``index``-th operation of a picture has."""
    return index % (len(PALETTE) * len(_SHAPES))


def colour(index: int) -> str:
    """The colour of a paint."""
    return PALETTE[index % len(PALETTE)]


def pattern(prefix: str, index: int) -> str:
    """The definition of a paint's pattern, for ``<defs>``: colours and shapes go round at different places,
    so that equal colours have different shapes."""
    shape = _SHAPES[(index + index // len(PALETTE)) % len(_SHAPES)]
    return element(
        "pattern",
        element("rect", width=8.0, height=8.0, fill=colour(index)),
        shape,
        id=f"{prefix}-p{index}",
        width=8.0,
        height=8.0,
        patternUnits="userSpaceOnUse",
    )
