"""Values that show themselves: in a notebook, on a terminal, in ``print``, in a line, and as plain data.

A class says that it can be shown by inheriting :class:`Shown`. How, is none of its business: lower layers
import no renderer, so the renderers are looked up by name, when somebody looks at a value and not before.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

RENDERERS = "convergence.report.notebook"
"""The module that shows values: it has ``text``, ``html_of`` and ``terminal`` (:class:`Renderers`)."""


FORMS = "convergence.report.plain"
"""The module that makes data of values: ``to_json``, ``to_dict`` and ``line`` (:class:`PlainForms`)."""


class PlainForms(Protocol):
    """What :data:`FORMS` has."""

    def to_json(self, value: Shown, indent: int | None = 2) -> str: ...
    def to_dict(self, value: Shown) -> dict[str, Any]: ...
    def line(self, value: Shown) -> str: ...


class Renderers(Protocol):
    """What :data:`RENDERERS` has."""

    def text(self, value: Shown) -> str: ...
    def html_of(self, value: Shown) -> str: ...
    def terminal(self, value: Shown) -> object: ...


def _renderers() -> Renderers:
    module: Any = import_module(RENDERERS)
    renderers: Renderers = module
    return renderers


def _forms() -> PlainForms:
    known: Any = import_module(FORMS)
    forms: PlainForms = known
    return forms


class Shown:
    """A value that shows itself: IPython's and rich's protocols, ``str``, and a ``repr`` of one line."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data, all of it new: what ``--format json`` prints of it, read back."""
        return _forms().to_dict(self)

    def to_json(self, indent: int | None = 2) -> str:
        """What ``--format json`` prints of it, without the last newline; with ``indent=None`` on one line."""
        return _forms().to_json(self, indent)

    def __repr__(self) -> str:
        """What it is, on one line of at most 100 characters."""
        return _forms().line(self)

    def __str__(self) -> str:
        """What the command line prints of it, without colours and without the last newline."""
        return _renderers().text(self)

    def _repr_html_(self) -> str:
        """HTML with inline SVG; nothing in it comes from elsewhere."""
        return _renderers().html_of(self)

    def _repr_mimebundle_(
        self, include: Iterable[str] | None = None, exclude: Iterable[str] | None = None
    ) -> dict[str, str]:
        """IPython's one question for all forms: plain text and HTML, those that are wanted."""
        forms = {"text/plain": self.__str__, "text/html": self._repr_html_}
        wanted = set(forms) if include is None else set(include)
        return {form: make() for form, make in forms.items() if form in wanted - set(exclude or ())}

    def __rich__(self) -> object:
        """rich's question: the same text with colours."""
        return _renderers().terminal(self)
