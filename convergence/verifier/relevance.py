"""Which bodies no rule can say anything about, seen from their raw text, so that nobody parses them.

A body matters if its text mentions anything from which a diagnostic can come: a control intrinsic or a
``convergencectrl`` bundle or the attribute ``convergent`` (all share eight letters), the type ``token``,
a convergent function, an attribute group that holds ``convergent``, or a name that leads to a function
with ``entry``. Escapes could spell any of these, so a quoted name or bundle tag with a backslash
matters too. In doubt a body matters.
"""

from __future__ import annotations

import re

from ..ir.module import Function
from .facts import ModuleFacts

_TOKEN = re.compile(r"\btoken\b")
_ESCAPED = re.compile(r'@"[^"]*\\|"[^"]*\\[^"]*"\s*(?:;[^\n]*\n\s*)*\(')
_NAMES = re.compile(r'@(?:"[^"]*"|[-a-zA-Z$._0-9]+)')
_GROUPS = re.compile(r"#[0-9]+")


class Relevance:
    """Answers for the functions of one module, in time linear in their text."""

    def __init__(self, facts: ModuleFacts) -> None:
        module = facts.module
        known = {*module.functions, *module.intrinsics}
        names = {name for name in known if facts.is_convergent_function(name)} | facts.names_that_enter
        self._spelled = frozenset(spelling for name in names for spelling in (f"@{name}", f'@"{name}"'))
        self._groups = facts.convergent_groups

    def of(self, function: Function) -> bool:
        """Whether verifying a function could yield anything."""
        body = function.body
        if body is None:
            return False
        text = body.text_hint
        if text is None or "convergen" in text:
            return True
        if "token" in text and _TOKEN.search(text):
            return True
        if "\\" in text and _ESCAPED.search(text):
            return True
        if self._groups and not self._groups.isdisjoint(_GROUPS.findall(text)):
            return True
        return not self._spelled.isdisjoint(_NAMES.findall(text))
