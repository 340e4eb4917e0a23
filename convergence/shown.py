"""Values that show themselves: in a notebook, on a terminal, and in ``print``.

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


class Renderers(Protocol):
    """What :data:`RENDERERS` has."""

    def text(self, value: Shown) -> str: ...
    def html_of(self, value: Shown) -> str: ...
    def terminal(self, value: Shown) -> object: ...


def _renderers() -> Renderers:
    found: Any = import_module(RENDERERS)
    renderers: Renderers = found
    return renderers


class Shown:
    """A value that shows itself: IPython's and rich's protocols, and ``str``. ``repr`` stays as it is."""

    __slots__ = ()

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
