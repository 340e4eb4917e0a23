"""Frozen data: dataclasses that cost little, values that show themselves, and plain data."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

# ----------------------------------------------------------------------------------------------------------
# Frozen dataclasses that cost little (speed only: ``dataclasses``' own would do, and a test compares them).
#
# ``dataclasses`` compiles six methods for each class when it is defined, which took most of what starting up
# takes, and its ``__init__`` sets each field through ``object.__setattr__``. Here a method is compiled
# when it is first called, and ``__init__`` sets slots directly.
# ----------------------------------------------------------------------------------------------------------

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(
        *, frozen: bool, slots: bool = False, kw_only: bool = False, eq: bool = True, repr: bool = True
    ):
        """``dataclasses.dataclass`` with these arguments, for classes without ``__post_init__``."""
        assert frozen

        def decorate(cls):
            assert not hasattr(cls, "__post_init__")
            cls.__doc__ = cls.__doc__ or cls.__name__  # else dataclasses works out a signature for it
            new = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(cls)
            _complete(new, eq, slots, repr)
            return new

        return decorate


def _complete(cls: Any, eq: bool, slots: bool, repr: bool) -> None:
    """Give a class the methods of a frozen dataclass."""
    cls.__init__ = _later(cls, "__init__", lambda: _init(cls, slots))
    if repr and "__repr__" not in vars(cls):
        cls.__repr__ = _repr
    cls.__setattr__ = _setattr
    cls.__delattr__ = _delattr
    if eq:
        cls.__eq__ = _later(cls, "__eq__", lambda: _eq(cls))
        cls.__hash__ = _later(cls, "__hash__", lambda: _hash(cls))
    if slots:
        cls.__getstate__ = _getstate
        cls.__setstate__ = _setstate


def _later(cls: Any, name: str, code: Callable[[], tuple[list[str], dict[str, Any]]]) -> Callable[..., Any]:
    """A method that compiles itself, and takes its own place, when it is first called."""

    def method(self: Any, *args: Any, **values: Any) -> Any:
        lines, space = code()
        exec("\n".join(lines), space)
        compiled = space[name]
        compiled.__qualname__ = f"{cls.__qualname__}.{name}"
        setattr(cls, name, compiled)
        return compiled(self, *args, **values)

    return method


def _init(cls: Any, slots: bool) -> tuple[list[str], dict[str, Any]]:
    space: dict[str, Any] = {"MADE": object()}
    positional: list[str] = []
    named: list[str] = []
    lines: list[str] = []
    for field in dataclasses.fields(cls):
        assert field.init
        name = parameter = field.name
        if field.default is not dataclasses.MISSING:
            space[f"default_{name}"] = field.default
            parameter += f"=default_{name}"
        elif field.default_factory is not dataclasses.MISSING:
            space[f"make_{name}"] = field.default_factory
            parameter += "=MADE"
            lines.append(f" if {name} is MADE: {name} = make_{name}()")
        (named if field.kw_only else positional).append(parameter)
        if slots:
            space[f"set_{name}"] = getattr(cls, name).__set__
            lines.append(f" set_{name}(self, {name})")
        else:
            lines.append(f" fields[{name!r}] = {name}")
    if not slots:
        lines.insert(0, " fields = self.__dict__")
    parameters = ["self", *positional, *(["*", *named] if named else [])]
    return [f"def __init__({', '.join(parameters)}):", *lines, " return"], space


def _compared(cls: Any, of: str) -> str:
    return "(" + "".join(f"{of}.{field.name}, " for field in dataclasses.fields(cls) if field.compare) + ")"


def _eq(cls: Any) -> tuple[list[str], dict[str, Any]]:
    test = " if other.__class__ is self.__class__:"
    answer = f"  return {_compared(cls, 'self')} == {_compared(cls, 'other')}"
    return ["def __eq__(self, other):", test, answer, " return NotImplemented"], {}


def _hash(cls: Any) -> tuple[list[str], dict[str, Any]]:
    return ["def __hash__(self):", f" return hash({_compared(cls, 'self')})"], {}


def _repr(self: Any) -> str:
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _setattr(self: Any, name: str, value: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _delattr(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, f.name) for f in dataclasses.fields(self)]


def _setstate(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


# ----------------------------------------------------------------------------------------------------------
# Values that show themselves: in a notebook, on a terminal, in ``print``, in a line, and as plain data.
#
# A class says that it can be shown by inheriting :class:`Shown`. How, is none of its business: lower layers
# import no renderer, so what renders it is looked up by name, when somebody looks at a value and not before.
# ----------------------------------------------------------------------------------------------------------


Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
"""Plain data, as ``--format json`` prints it."""

FORMS = "convergence.report.shown"
"""The module that shows values and makes data of them (:class:`Forms`)."""


class Forms(Protocol):
    """What :data:`FORMS` has."""

    def text(self, value: Shown) -> str: ...
    def html_of(self, value: Shown) -> str: ...
    def terminal(self, value: Shown) -> object: ...
    def to_json(self, value: Shown, indent: int | None = 2) -> str: ...
    def to_dict(self, value: Shown) -> dict[str, Any]: ...
    def line(self, value: Shown) -> str: ...


def _forms() -> Forms:
    module: Any = import_module(FORMS)
    forms: Forms = module
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
        return _forms().text(self)

    def _repr_html_(self) -> str:
        """HTML with inline SVG; nothing in it comes from elsewhere."""
        return _forms().html_of(self)

    def _repr_mimebundle_(
        self, include: Iterable[str] | None = None, exclude: Iterable[str] | None = None
    ) -> dict[str, str]:
        """IPython's one question for all forms: plain text and HTML, those that are wanted."""
        forms = {"text/plain": self.__str__, "text/html": self._repr_html_}
        wanted = set(forms) if include is None else set(include)
        return {form: make() for form, make in forms.items() if form in wanted - set(exclude or ())}

    def __rich__(self) -> object:
        """rich's question: the same text with colours."""
        return _forms().terminal(self)
