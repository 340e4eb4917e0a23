"""The structured CFG in words: a line per block, regions and loops by indentation."""

from __future__ import annotations

from .structure import Kind, Place, Region, Structure
from .words import where


def regions(structure: Structure) -> tuple[str, ...]:
    """``if``, ``else``, ``end if``, ``loop``, ``end loop`` around ``block`` lines; a jump to a place that is
    neither next nor a region's is said behind its block."""
    facts = structure.facts
    lines: list[str] = []
    open_: list[Region | int] = []
    for place in structure.places:
        while open_ and isinstance(top := open_[-1], Region) and top.join == place:
            open_.pop()
            lines.append(f"{_indent(open_)}end if")
        match place.kind:
            case Kind.FLOW:
                lines.append(f"{_indent(open_[:-1])}else")
            case Kind.LATCH:
                while open_ and open_[-1] != place.number:
                    open_.pop()
                if open_:
                    open_.pop()
                lines.append(f"{_indent(open_)}end loop")
            case Kind.BLOCK:
                for number, loop in enumerate(structure.loops):
                    if loop.header == place.number:
                        latches = ", ".join(f"%{facts.name(b)}" for b in loop.latches)
                        lines.append(f"{_indent(open_)}loop (latch {latches})")
                        open_.append(number)
                lines.append(f"{_indent(open_)}block %{facts.name(place.number)}{_jumps(structure, place)}")
                region = structure.regions.get(place.number)
                if region is not None:
                    lines.append(f"{_indent(open_)}if {_sense(structure, region)}")
                    open_.append(region)
    return tuple(lines)


def _indent(open_: list[Region | int]) -> str:
    return "  " * (len(open_) + 1)


def _sense(structure: Structure, region: Region) -> str:
    """To which block the branch goes for the first arm."""
    return f"%{structure.facts.name(region.block)} goes to {where(structure, region.first)}"


def _jumps(structure: Structure, place: Place) -> str:
    if place.number in structure.regions:
        return ""
    here = structure.index[place]
    goes = [structure.goes[place.number, t] for t in structure.facts.cfg.successors[place.number]]
    far = [where(structure, p) for p in dict.fromkeys(goes) if structure.index[p] != here + 1]
    return f", jumps to {' and '.join(far)}" if far else ""
