"""From text to ``ir.Module``."""

from __future__ import annotations

from pathlib import Path

from ..ir.module import Module
from ..source import Source
from .errors import NotLLVM, Unsupported

__all__ = ["NotLLVM", "Unsupported", "parse", "parse_file"]


def parse(text: str, name: str = "<string>", ask_llvm: bool = True) -> Module:
    """The module that ``text`` spells. Raises ``NotLLVM`` or ``Unsupported``."""
    from .grammar import lower

    source = Source(name, text)
    known = {}
    if ask_llvm:
        from .llvm import intrinsics, parse_assembly

        known = intrinsics(parse_assembly(text))
    fields: dict[str, object] = {}
    maps: dict[str, dict[str, object]] = {
        f: {} for f in ("types", "comdats", "globals", "aliases", "functions", "groups", "named_metadata", "metadata")
    }
    lists: dict[str, list[object]] = {"assembly": [], "use_list_orders": [], "summary": []}
    try:
        for field, key, value in lower(text, 0, "module"):
            if field in maps:
                maps[field][key] = value
            elif field in lists:
                lists[field].append(value)
            else:
                fields[field] = value
    except Unsupported as error:
        raise error.locate(source) from None
    return Module(source, intrinsics=known, **fields, **maps, **{k: tuple(v) for k, v in lists.items()})  # type: ignore[arg-type]


def parse_file(path: str) -> Module:
    """The module in a file."""
    return parse(Path(path).read_text(), path)
