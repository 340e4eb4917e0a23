"""Tells two records apart: counts by what was asked, and the first differences."""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .answers import unordered
from .execute import Record

CLASSES = ("same", "differs", "order", "missing", "grown", "bounded", "timeout")
"""``order``: the same but for the order of lists. ``missing``: only one side has it. ``grown``: the same but
for members that are new. ``bounded``: the first hit a bound; what is then said may differ. ``timeout``: one
of the two took too long: not compared."""
BAD = frozenset({"differs", "order", "missing"})


def read(path: Path) -> dict[str, Record]:
    """A record by id; of an id that comes twice the last."""
    with path.open() as lines:
        return {record["id"]: record for record in map(json.loads, lines)}


def classify(one: Record | None, other: Record | None) -> str:
    """One of :data:`CLASSES`."""
    if one is None or other is None:
        return "missing"
    if "timeout" in one or "timeout" in other:
        return "timeout"
    mine, theirs = _said(one), _said(other)
    if mine == theirs:
        return "same"
    if _grown(mine, theirs):
        return "grown"
    if _bounded(one):
        return "bounded"
    return "order" if unordered(mine) == unordered(theirs) else "differs"


def _drop(value: Any, place: Sequence[str]) -> None:
    """Take out what stands at a place, in every member of the lists on the way."""
    if isinstance(value, list):
        for member in value:
            _drop(member, place)
    elif isinstance(value, dict):
        if len(place) == 1:
            value.pop(place[0], None)
        else:
            _drop(value.get(place[0]), place[1:])


def _said(record: Record) -> Record:
    return {name: value for name, value in record.items() if name not in ("id", "kind", "line")}


def _grown(one: Any, other: Any) -> bool:
    """Whether all that the first says stands in the second."""
    if isinstance(one, dict) and isinstance(other, dict):
        return all(name in other and _grown(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return all(_grown(mine, theirs) for mine, theirs in zip(one, other, strict=True))
    return bool(one == other)


def _bounded(record: Record) -> bool:
    out = record.get("out")
    if not isinstance(out, dict):
        return False
    if out.get("complete") is False:
        return True
    return out.get("ending") == "out-of-bound" or out.get("verdict") == "unknown"


def compare(
    before: Path,
    after: Path,
    kinds: Sequence[str],
    most: int,
    only: frozenset[str] | None,
    excepted: Sequence[str],
) -> int:
    """Print what differs; 1 if something does that is not excused by a bound or a timeout. ``excepted`` are
    places that are not compared, as ``.out.rules``."""
    one, other = read(before), read(after)
    for place in excepted:
        for record in (*one.values(), *other.values()):
            _drop(record, place.removeprefix(".").split("."))
    counts: Counter[tuple[str, str]] = Counter()
    bad: list[tuple[str, str]] = []
    grown: list[tuple[Record, Record]] = []
    for name in one | other:
        kind = (one.get(name) or other[name])["kind"]
        if (kinds and kind not in kinds) or (only is not None and name not in only):
            continue
        found = classify(one.get(name), other.get(name))
        counts[kind, found] += 1
        if found in BAD:
            bad.append((found, name))
        elif found == "grown":
            grown.append((one[name], other[name]))
    _table(counts)
    _alike("where they have grown", grown)
    _alike("where they differ", [(one[name], other[name]) for found, name in bad if found != "missing"])
    for found, name in bad[:most]:
        print(f"\n{found}: {name}")
        if found != "missing":
            print(f"  {one[name]['line']}")
            for line in _short(_said(one[name]), _said(other[name])):
                print(f"    {line}")
        else:
            print(f"  only in {before if name in one else after}")
    if len(bad) > most:
        print(f"\n... and {len(bad) - most} more:", *(name for _, name in bad[most : most + 200]), sep="\n  ")
    return 1 if bad else 0


def _table(counts: Counter[tuple[str, str]]) -> None:
    kinds = sorted({kind for kind, _ in counts})
    print(f"{'':12}" + "".join(f"{name:>10}" for name in CLASSES))
    for kind in kinds:
        print(f"{kind:12}" + "".join(f"{counts[kind, name]:10}" for name in CLASSES))
    print(f"{'all':12}" + "".join(f"{sum(counts[k, name] for k in kinds):10}" for name in CLASSES))


def _alike(title: str, pairs: Sequence[tuple[Record, Record]], most: int = 25) -> None:
    """Differences by what is asked and where in the answer they are: of one kind is often of one cause."""
    places: dict[str, list[str]] = {}
    for mine, theirs in pairs:
        paths = {_PLACE.sub("", line.split(":")[0]) for line in _differences("", _said(mine), _said(theirs))}
        first = ", ".join(sorted(paths, key=lambda p: (p.count("."), p))[:4]) + (
            ", ..." if len(paths) > 4 else ""
        )
        places.setdefault(f"{mine['kind']}: {first}", []).append(mine["id"])
    if places:
        print(f"\n{title}, and one id of each:")
    for place, ids in sorted(places.items(), key=lambda group: -len(group[1]))[:most]:
        print(f"{len(ids):6}  {place}\n          {ids[0]}")


_PLACE = re.compile(r"\[\d+\]")


def _short(one: Any, other: Any, most: int = 12, width: int = 150) -> list[str]:
    """The first places where two values differ, a line each."""
    lines = [line if len(line) <= width else line[: width - 1] + "…" for line in _differences("", one, other)]
    return lines if len(lines) <= most else [*lines[:most], f"... {len(lines) - most} lines more"]


def _differences(at: str, one: Any, other: Any) -> Iterator[str]:
    if one == other:
        return
    if isinstance(one, dict) and isinstance(other, dict) and not {"folded"} & (one.keys() | other.keys()):
        for name in one | other:
            if name not in other:
                yield f"{at}.{name}: - {json.dumps(one[name])}"
            elif name not in one:
                yield f"{at}.{name}: + {json.dumps(other[name])}"
            else:
                yield from _differences(f"{at}.{name}", one[name], other[name])
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, (mine, theirs) in enumerate(zip(one, other, strict=True)):
            yield from _differences(f"{at}[{place}]", mine, theirs)
    elif isinstance(one, str) and isinstance(other, str) and ("\n" in one or "\n" in other):
        texts = difflib.unified_diff(one.splitlines(), other.splitlines(), lineterm="", n=0)
        yield from (f"{at}: {line}" for line in list(texts)[2:])
    else:
        yield f"{at}: - {json.dumps(one, ensure_ascii=False)}"
        yield f"{at}: + {json.dumps(other, ensure_ascii=False)}"
