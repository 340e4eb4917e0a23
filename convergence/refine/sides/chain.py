"""Modules that are compared each with the next, as passes made them: what one comparison learned of its
target is known of the next one's source."""

from __future__ import annotations

from ...ir.module import Module
from ...semantics.machine.launch import LaunchSpec
from ..inputs.inputs import small_integers
from .side import PreparedSide, prepare, shape_of_objects


class SideChain:
    """The latest target of each function. Without ``reuses`` each side is made ready anew."""

    def __init__(self, spec: LaunchSpec | None = None, reuses: bool = True) -> None:
        self._spec = spec
        self._latest: dict[str, tuple[Module, PreparedSide]] = {}
        # buffers and variables that are given are bound by the source's names of parameters
        self._reuses = reuses and not (spec and (spec.buffers or spec.globals))

    def source(self, module: Module, function: str) -> PreparedSide:
        """The latest target, with the outcomes that are known of it, if it is of the same module, its objects
        have the same shape and its unknown functions answer as they would if it were made ready anew."""
        of, side = self._latest.pop(function, (None, None))
        if side is None or of is not module or side.options.pool != small_integers(side.reached):
            return prepare(module, function, self._spec)
        if side.options.shape != shape_of_objects(module, side.reached):
            return prepare(module, function, self._spec)
        return side

    def target(self, module: Module, function: str, source: PreparedSide) -> PreparedSide:
        """What is compared with ``source``."""
        like = source.options
        side = prepare(module, function, self._spec, like.pool, source.function, like.shape)
        if self._reuses:
            self._latest[function] = module, side
        return side
