"""An SVG and its elements; text in it is escaped, of known width in any font, and cut where it is long."""

from __future__ import annotations

from collections.abc import Sequence

from .excerpt import width
from .printable import attribute, markup, printable

SIZE = 14.0
"""Font size in user units; the font is a monospaced one."""
ADVANCE = 0.6
"""Width of a display cell in font sizes. ``textLength`` makes every font keep to it."""


def cells(text: str) -> int:
    """Display cells of a text."""
    return sum(map(width, text))


def cut(text: str, most: int) -> str:
    """A text of at most ``most`` display cells, with ``…`` for what is missing."""
    if cells(text) <= most:
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
    return cells(text) * size * ADVANCE


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
        said = value if isinstance(value, str) else number(value)
        words.append(f"{_ATTRIBUTES.get(key, key)}={attribute(said)}")
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


def written(
    text: str, x: float, y: float, size: float = SIZE, anchor: str = "start", kind: str = "ink"
) -> str:
    """A line of text, its baseline at ``y``."""
    said = printable(text)
    if not said:
        return ""
    return element(
        "text", markup(said), x=x, y=y, textLength=length(said, size), lengthAdjust="spacingAndGlyphs",
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
