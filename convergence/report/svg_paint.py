"""Colours, patterns and outlines of an SVG: a palette that colour-blind people can tell apart.

Colour says which operation a block executes, and never says it alone: the band in front of the block's
name has a pattern too, the name stands in the cell, and groups have letters. The palette's yellow and
black are left out, for they vanish on white or on black.
"""

from __future__ import annotations

from .svg_text import element

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
        f"{p} .wash{{fill-opacity:.16;fill-opacity:var(--wash)}}",
    )


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
