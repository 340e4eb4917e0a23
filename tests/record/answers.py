"""What a command printed, as data that two records can be compared by.

A long list or text is folded to its length and digests, so that 30,000 answers fit into one file. Digests
of a list: ``exact``, and ``set``, which does not see the order of what it holds.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

SHORT = 500
"""Characters of JSON text up to which a value is kept as it is."""
FEW = 16
"""Members up to which a longer list is kept as a list of folded members."""


def answer(text: str) -> Any:
    """JSON as data, other output as text; long parts folded."""
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    return folded(value)


def folded(value: Any) -> Any:
    """The same with its long lists and texts as lengths and digests."""
    written = _written(value)
    if len(written) <= SHORT:
        return value
    if isinstance(value, dict):
        return {name: folded(member) for name, member in value.items()}
    if isinstance(value, list) and len(value) <= FEW:
        return [folded(member) for member in value]
    digests = {"exact": _digest(written)}
    if isinstance(value, list):
        digests["set"] = _digest(_written(unordered(value)))
    return {"folded": type(value).__name__, "length": len(value), **digests}


def unordered(value: Any) -> Any:
    """The same with all lists sorted, and without the digests that see order."""
    if isinstance(value, dict):
        if "folded" in value and "set" in value:
            return {name: member for name, member in value.items() if name != "exact"}
        return {name: unordered(member) for name, member in value.items()}
    if isinstance(value, list):
        return sorted((unordered(member) for member in value), key=_written)
    return value


def _written(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
