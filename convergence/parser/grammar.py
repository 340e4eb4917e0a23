"""Reading a piece of IR by ``llvm.lark``. Importing this module imports lark."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput, VisitError

from ..ir.types import Type
from .errors import Unsupported
from .lower_module import ModuleRules
from .tables import load


@cache
def parser() -> Lark:
    """The parser, made once a process."""
    return load()


def lower(text: str, base: int, start: str, aliases: Mapping[str, Type]) -> Any:
    """A piece of IR, ``base`` characters into its source, parsed as ``start`` and lowered."""
    try:
        tree = parser().parse(text, start=start)
    except UnexpectedInput as error:
        at = error.pos_in_stream if error.pos_in_stream is not None else -1
        at = len(text) if at < 0 else at
        token = getattr(error, "token", None)
        word = str(token) if isinstance(token, Token) and token.type != "$END" else text[at : at + 1]
        message = f"cannot read {word!r} here" if word else "cannot read on at the end"
        raise Unsupported(message, base + at) from None
    try:
        return ModuleRules(text, base, aliases).transform(tree)
    except VisitError as error:
        at = error.obj.meta.start_pos if isinstance(error.obj, Tree) and not error.obj.meta.empty else 0
        raise Unsupported(f"cannot make sense of it: {error.orig_exc}", base + at) from None
