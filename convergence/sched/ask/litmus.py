"""Litmus tests: conditions that a file states of its final states, model by model.

A line ``; LITMUS: exists (0:return=1 /\\ 1:return=0)`` in a comment is a condition (:mod:`.question`). A
model is what may be said of the order of memory and of who is together: a program with tokens has the levels
of synchrony; one without has the ways in which uncontrolled operations group, and the levels with the tokens
that LLVM's procedure infers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Unpack, get_args

from ...frozen import Shown
from ...ir.module import Module, needs_module
from ...semantics import UsageError
from ...semantics.machine.launch import LaunchOptions, LaunchSpec, launch_spec
from ...semantics.machine.program import Uncontrolled
from ...semantics.machine.run import prepare_run
from ...transform.infer import CannotTransform, infer
from ..choices.search import explore
from ..choices.synchrony import LEVELS, Synchrony, require_controlled
from ..enumeration import Enumeration
from .fitted import fitted
from .question import Condition, Proposition, holds, read_condition

_LINE = re.compile(r"^[ \t]*;+[ \t]*LITMUS:[ \t]*([^\n]*)$", re.MULTILINE)
Truth = Literal["holds", "fails", "unknown"]


def conditions(module: Module) -> tuple[Condition, ...]:
    """The conditions of a file. Raises UsageError for one that cannot be read."""
    return tuple(_read(module))


def _read(
    module: Module, fits: Callable[[Proposition], Proposition] = lambda part: part
) -> Iterator[Condition]:
    """The conditions of a file, made to fit. Raises UsageError, which says in which line."""
    text = (module.original or module.source).text
    for match in _LINE.finditer(text):
        try:
            condition = read_condition(match[1])
            yield replace(condition, proposition=fits(condition.proposition))
        except UsageError as error:
            error.line = text.count("\n", 0, match.start(1)) + 1
            raise


@dataclass(frozen=True, slots=True)
class Model:
    """``name`` as tables show it; ``synchrony`` orders memory, ``uncontrolled`` says how operations without
    tokens group, ``inferred``: they are given tokens first."""

    name: str
    synchrony: Synchrony = Synchrony.NONE
    uncontrolled: Uncontrolled = "maximal"
    inferred: bool = False


TOKENS: tuple[Model, ...] = tuple(Model(word, level) for word, level in LEVELS.items())
WITHOUT: tuple[Model, ...] = (
    *(Model(mode, uncontrolled=mode) for mode in get_args(Uncontrolled)),
    *(
        Model("inferred" if level is Synchrony.NONE else f"inferred+{word}", level, inferred=True)
        for word, level in LEVELS.items()
    ),
)
NAMES: tuple[str, ...] = tuple(model.name for model in (*TOKENS, *WITHOUT))


def models_of(module: Module, names: Sequence[str] = ()) -> tuple[Model, ...]:
    """The models that a module has, or those of them that are named. Raises UsageError for a name of none."""
    for name in names:
        if name not in NAMES:
            raise UsageError(f"there is no model {name!r}; there are: {', '.join(NAMES)}")
    try:
        require_controlled(module)
    except UsageError:
        known = WITHOUT
    else:
        known = TOKENS
    return tuple(model for model in known if not names or model.name in names)


@dataclass(frozen=True, slots=True)
class Cell:
    """A condition under a model: so many of all outcomes are in the state. ``why``: nothing could be said."""

    truth: Truth
    matching: int = 0
    outcomes: int = 0
    complete: bool = True
    why: str | None = None


@dataclass(frozen=True, slots=True)
class ModelAnswers:
    """A condition, and what each model says of it, by name."""

    condition: Condition
    cells: Mapping[str, Cell]


@dataclass(frozen=True, repr=False, slots=True)
class Litmus(Shown):
    """A file's rows. ``own`` is the model that the definition gives it: its first. ``notes``: what the
    outcomes rest on besides the program, of all models."""

    name: str
    rows: tuple[ModelAnswers, ...]
    own: str
    module: Module = field(compare=False, repr=False)
    notes: tuple[str, ...] = field(default=(), compare=False)

    def __iter__(self) -> Iterator[ModelAnswers]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __bool__(self) -> bool:
        return True


def litmus(module: Module, models: Sequence[str] = (), **launch: Unpack[LaunchOptions]) -> Litmus:
    r"""Every condition that a module's text states, in lines ``; LITMUS: exists (0:return=1 /\ @x=2)``,
    under every model, or under those that are named (:data:`NAMES`). ``launch`` is as for
    :func:`convergence.run`.

    Raises UsageError where a condition or the launch does not fit, or there is none.
    """
    needs_module(module, "litmus")
    return answered(module, launch_spec(**launch), (models,) if isinstance(models, str) else models)


def answered(module: Module, spec: LaunchSpec, names: Sequence[str] = ()) -> Litmus:
    """:func:`litmus`, of a launch that is data. Raises UsageError."""
    if not conditions(module):
        raise UsageError("no line ; LITMUS: exists (...) states a condition")
    chosen = models_of(module, names)
    program, launch = prepare_run(module, spec)
    questions = tuple(_read(module, lambda proposition: fitted(proposition, program, launch)))
    explored = {model.name: _explored(module, spec, model) for model in chosen}
    rows = [
        ModelAnswers(condition, {name: _cell(condition, known) for name, known in explored.items()})
        for condition in questions
    ]
    enumerations = (known for known in explored.values() if not isinstance(known, str))
    notes = dict.fromkeys(note for enumeration in enumerations for note in enumeration.notes)
    return Litmus(module.source.name, tuple(rows), chosen[0].name if chosen else "", module, tuple(notes))


def _explored(module: Module, spec: LaunchSpec, model: Model) -> Enumeration | str:
    if model.inferred:
        try:
            module = infer(module)
        except CannotTransform as error:
            return str(error)
    return explore(module, replace(spec, uncontrolled=model.uncontrolled), synchrony=model.synchrony)


def _cell(condition: Condition, enumeration: Enumeration | str) -> Cell:
    if isinstance(enumeration, str):
        return Cell("unknown", why=enumeration)
    ended = [outcome for outcome in enumeration.outcomes if outcome.ending == "returned"]
    matching = sum(holds(condition.proposition, outcome.outcome) for outcome in ended)
    counts = matching, len(enumeration.outcomes), enumeration.complete
    if condition.quantifier == "forall":
        some_fails = matching < len(enumeration.outcomes)
        return Cell("fails" if some_fails else "holds" if enumeration.complete else "unknown", *counts)
    if matching:
        return Cell("holds" if condition.quantifier == "exists" else "fails", *counts)
    if not enumeration.complete:
        return Cell("unknown", *counts)
    return Cell("fails" if condition.quantifier == "exists" else "holds", *counts)
