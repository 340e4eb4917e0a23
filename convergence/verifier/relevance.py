"""Which bodies no rule can say anything about, so that nobody reads them.

A body matters if its tokens name anything from which a diagnostic can come: the type ``token``, the
attribute ``convergent`` or a group that holds it, a ``convergencectrl`` bundle, a control intrinsic, a
convergent function, or a name that leads to a function with ``entry``. The reader says what a body names
(``Body.mentions``); in doubt a body matters.
"""

from __future__ import annotations

from ..ir.calls import CONTROL_BUNDLE, Control
from ..ir.module import Function
from .facts import ModuleFacts


class Relevance:
    """Answers for the functions of one module, in time linear in their text."""

    def __init__(self, facts: ModuleFacts) -> None:
        module = facts.module
        known = {*module.functions, *module.intrinsics}
        names = {name for name in known if facts.is_convergent_function(name)} | facts.names_that_enter
        names.update(control.value for control in Control)
        self._telling = {
            "token",
            "convergent",
            f'"{CONTROL_BUNDLE}"',
            *facts.convergent_groups,
            *(f"@{name}" for name in names),
        }

    def of(self, function: Function) -> bool:
        """Whether verifying a function could yield anything."""
        body = function.body
        if body is None:
            return False
        mentions = body.mentions
        return mentions is None or not self._telling.isdisjoint(mentions)
