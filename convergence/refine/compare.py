"""``refine``: does a transform keep its threads together? (semantics.md, *Outcomes and refinement*)"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..diagnostics import Diagnostic
from ..ir.cycles import Order
from ..ir.module import Module
from ..ir.types import ArrayType, PointerType, StructType, VectorType
from ..semantics.convergence import Uncontrolled
from ..semantics.exchanges import Prepare
from ..semantics.given import Given, paths_of
from ..semantics.layout import Layout
from ..semantics.threads import UsageError
from ..semantics.values import NotModelled
from .assume import Assumption, check
from .behind import refined
from .counterexample import Wrong, counterexample
from .execute import RACES, Bounds
from .guide import Guide
from .inputs import Domain, Selection, Space, assumed, constants, domain_of, inputs
from .launch import Argument, Input
from .prepared import Prepared, object_name, prepare
from .relation import Relation
from .result import Compared, Model, Refinement, Verdict
from .structural import same_text

EXECUTIONS = 5_000
"""Executions of one side that are looked at for one input."""
IN_ALL = 2
"""Times as many are looked at over all inputs: where there are many executions, fewer inputs are tried."""
LEFT_OUT = ("--max-steps", RACES)
"""Bounds that the source itself runs into: such an input says nothing."""
_WORST: tuple[Verdict, ...] = ("wrong", "invalid-output", "unknown", "refines", "equal")


def refine(
    source: Module | Prepared,
    target: Module | Prepared,
    *,
    function: str | None = None,
    target_function: str | None = None,
    threads: int | None = None,
    subgroup_size: int | None = None,
    arguments: Mapping[str, object] | None = None,
    inputs: Mapping[str, Sequence[Sequence[Given]]] | None = None,
    paths: Sequence[Sequence[str]] | None = None,
    assume: Sequence[Assumption] = (),
    uncontrolled: Uncontrolled = "maximal",
    dfs: Order = Order.TEXT,
    operations: Mapping[str, Prepare] | None = None,
    models: Sequence[Model] | None = None,
    max_steps: int = 100_000,
    max_launches: int = 400,
    max_executions: int = EXECUTIONS,
    timeout: float | None = None,
    seed: int = 0,
    minimise: bool = True,
    shortcut: bool = True,
    races: bool = True,
) -> Refinement:
    """Whether ``target`` refines ``source``: modules, or sides made ready by :func:`prepare`.

    One module with ``@src`` and ``@tgt`` may be both. The launch is as for ``run``; what is not given is
    tried. ``max_steps`` bounds the instructions of one execution, ``max_launches`` the inputs,
    ``max_executions`` the executions of one side for one input, ``timeout`` seconds in all. Without
    ``shortcut`` sides that are the same text are run, too; without ``races`` inputs for which threads of the
    source race in memory are left out, as are those of our choice with launch groups smaller than one.

    Raises UsageError if the sides do not fit each other or what is given, or if the source breaks a
    static rule; NotModelled for a global variable whose initial value has no model.
    """
    one, other = _sides(source, target, function, target_function, uncontrolled, dfs, operations, inputs)
    _require_fit(one, other)
    deadline = None if timeout is None else time.monotonic() + timeout
    bounds = Bounds(max_steps, max_executions, timeout, deadline, races)
    asked: tuple[Model, ...] = tuple(models) if models is not None else _models(one, other)
    comparison = _Comparison(one, other, bounds, seed, max_launches, minimise)
    compared = Compared(one.module, other.module, one.function.name, other.function.name, dfs)
    if shortcut and same_text(one.module, one.function, other.module, other.function):
        words = "the same text up to names of values: equal for all inputs, nothing was run"
        return Refinement("equal", words, dict.fromkeys(asked, "equal"), compared=compared)
    space = _space(one, other, threads, subgroup_size, arguments or {}, paths, assume, max_launches)
    comparison.choose(space)
    return replace(comparison.answer(asked), compared=compared)


def _sides(
    source: Module | Prepared,
    target: Module | Prepared,
    function: str | None,
    target_function: str | None,
    uncontrolled: Uncontrolled,
    dfs: Order,
    operations: Mapping[str, Prepare] | None,
    inputs: Mapping[str, Sequence[Sequence[Given]]] | None,
) -> tuple[Prepared, Prepared]:
    """Both sides. In one module they are ``@src`` and ``@tgt``; else the target's function has the source's
    name, if there is one."""
    if source is target and function is None and isinstance(source, Module) and "src" in source.functions:
        function = "src"
    if source is target and target_function is None and isinstance(source, Module):
        if "tgt" not in source.functions:
            raise UsageError("one module is both sides: it needs a @tgt, or a function for the target")
        target_function = "tgt"
    one = prepare(
        source, function, uncontrolled=uncontrolled, dfs=dfs, operations=operations, inputs=inputs
    )
    if isinstance(target, Module) and target_function is None:
        named = target.functions.get(one.function.name)
        target_function = named.name if named is not None and not named.is_declaration else function
    options = one.options
    other = prepare(
        target, target_function, uncontrolled=options.uncontrolled, dfs=options.dfs,
        operations=options.operations, inputs=options.inputs, pool=options.pool,
    )  # fmt: skip
    if other.options != options:
        other = replace(other, options=options, _runnables={}, _outcomes={})
    return one, other


def _require_fit(one: Prepared, other: Prepared) -> None:
    """Raises UsageError unless the two functions have the same type and the source keeps the static rules."""
    if one.errors:
        first = one.errors[0]
        raise UsageError(
            f"the source breaks {first.rule.id} in @{first.function}: {first.message}; "
            "it has no meaning to keep"
        )
    a, b = one.function, other.function
    for place, (x, y) in enumerate(zip(a.type.parameters, b.type.parameters, strict=False), 1):
        if x != y:
            raise UsageError(f"parameter {place} of @{a.name} and @{b.name} has different types: {x} and {y}")
    if len(a.type.parameters) != len(b.type.parameters) or a.type.variadic != b.type.variadic:
        counts = f"{len(a.type.parameters)} and {len(b.type.parameters)}"
        raise UsageError(f"@{a.name} and @{b.name} have different parameters: {counts}")
    if a.type.result != b.type.result:
        types = f"{a.type.result} and {b.type.result}"
        raise UsageError(f"@{a.name} and @{b.name} return different types: {types}")


def _models(one: Prepared, other: Prepared) -> tuple[Model, ...]:
    """The models of both sides: tokens only where neither leaves anything open."""
    return one.models if one.models != ("tokens",) else other.models


def _space(
    one: Prepared,
    other: Prepared,
    threads: int | None,
    subgroup_size: int | None,
    arguments: Mapping[str, object],
    paths: Sequence[Sequence[str]] | None,
    assume: Sequence[Assumption],
    max_launches: int,
) -> Space:
    """What is given, and what is tried for the rest."""
    function = one.function
    names = [p.name for p in function.parameters]
    check(assume, names)
    given = {name.removeprefix("%"): value for name, value in arguments.items()}
    for name in given:
        if name not in names:
            shown = ", ".join(f"%{n}" for n in names) or "none"
            raise UsageError(f"@{function.name} has no parameter %{name}; it has: {shown}")
    columns: list[tuple[Argument, ...] | None] = []
    domains: list[Domain | None] = []
    known, layout = constants((*one.reached, *other.reached)), Layout(one.module.datalayout, one.module.types)
    for place, parameter in enumerate(function.parameters):
        column = _column(given[parameter.name], parameter.type) if parameter.name in given else None
        columns.append(column)
        pointer = f"@{object_name(place)}" if isinstance(parameter.type, PointerType) else None
        domain = None if paths is not None else domain_of(parameter.type, known, pointer, layout)
        domain = assumed(domain, parameter.name, parameter.type, assume)
        if domain is None and column is None and paths is None:
            raise UsageError(f"no values of its type are known for parameter %{parameter.name}: give some")
        domains.append(domain)
    counts = _thread_counts(threads, columns, paths, max_launches)
    taken = None
    if paths is not None:
        taken = paths_of(function, paths, counts[0])
        paths_of(other.function, paths, counts[0])
    unknown = one.asks_unknown_functions() or other.asks_unknown_functions()
    return Space(tuple(domains), tuple(columns), counts, subgroup_size, unknown, taken)


def _column(value: object, type_: object) -> tuple[Argument, ...]:
    """One value for all threads, or one per thread, as ``run`` takes them."""
    if not isinstance(value, list | tuple):
        return (_frozen(value),)
    if isinstance(type_, VectorType | ArrayType | StructType):
        if not value or not isinstance(value[0], list | tuple | str):
            return (_frozen(value),)
    return tuple(map(_frozen, value))


def _frozen(value: Any) -> Argument:
    if isinstance(value, list | tuple):
        return tuple(map(_frozen, value))
    if isinstance(value, bool):
        return int(value)
    found: Argument = value
    return found


def _thread_counts(
    threads: int | None,
    columns: Sequence[tuple[Argument, ...] | None],
    paths: Sequence[Sequence[str]] | None,
    max_launches: int,
) -> tuple[int, ...]:
    """How many threads: as given, as many as something is given for, else two, three, and four if the budget
    allows. Raises UsageError."""
    lengths = {len(c) for c in columns if c is not None and len(c) > 1}
    if paths is not None:
        lengths.add(len(paths))
    if threads is not None:
        if threads < 1:
            raise UsageError("there must be at least one thread")
        if lengths - {threads}:
            raise UsageError(f"{min(lengths - {threads})} values are given for {threads} threads")
        return (threads,)
    if len(lengths) > 1:
        raise UsageError(f"values are given for {' and '.join(map(str, sorted(lengths)))} threads")
    if lengths:
        return (lengths.pop(),)
    return (2, 3, 4) if max_launches >= 100 else (2, 3)


@dataclass
class _Comparison:
    """Two sides under comparison; ``selection`` are the inputs, ``partitioned`` whether launch groups were
    given."""

    one: Prepared
    other: Prepared
    bounds: Bounds
    seed: int
    max_launches: int
    minimise: bool
    partitioned: bool = False
    selection: Selection = field(default_factory=lambda: Selection((), False))
    complete: bool = False

    space: Space | None = None

    def _smaller(self) -> Space | None:
        """Where to look for a smaller counterexample."""
        return self.space if self.minimise else None

    def choose(self, space: Space) -> None:
        """Choose the inputs."""
        self.space = space
        self.partitioned = space.subgroup_size is not None
        self.selection = inputs(space, self.max_launches, self.seed)
        self.complete = self.selection.all_tuples and space.complete

    def answer(self, models: Sequence[Model]) -> Refinement:
        """The verdict under each model, the worst for all."""
        found = {model: self._under(model) for model in models}
        verdicts = {model: tried.verdict for model, tried in found.items()}
        worst = min(found.values(), key=lambda tried: _WORST.index(tried.verdict))
        answer = Refinement(
            worst.verdict, worst.established, verdicts, bound=worst.bound, launches=worst.launches,
            notes=worst.notes,
        )  # fmt: skip
        if worst.wrong is not None:
            made = counterexample(self.one, self.other, worst.wrong, self.bounds, self._smaller())
            answer = replace(answer, counterexample=made)
        if self.other.errors:
            return self._invalid(answer, self.other.errors)
        return answer

    def _invalid(self, answer: Refinement, errors: Sequence[Diagnostic]) -> Refinement:
        """The target breaks static rules: what running it showed is its behaviour."""
        return replace(
            answer, verdict="invalid-output", behaviour=answer.verdict, diagnostics=tuple(errors),
            models=dict.fromkeys(answer.models, "invalid-output"),
        )  # fmt: skip

    def _under(self, model: Model) -> _Tried:
        tried = _Tried(model, len(self.selection.chosen), self.complete)
        runs = 0
        assert self.space is not None
        guide = Guide(self.selection, self.space, self.seed)
        for number, input_ in enumerate(guide):
            left = self.bounds.left
            if left is not None and left <= 0:
                tried.cut(f"--timeout {self.bounds.timeout:g}", number)
                break
            bounds = self.bounds
            if input_.subgroup_size is not None and not self.partitioned:
                bounds = replace(bounds, races=False)
            try:
                source = self.one.outcomes(model, input_, bounds)
                if source.bound is not None and source.bound.startswith(LEFT_OUT) and not source.found:
                    tried.left_out(source.bound)
                    continue
                target = self.other.outcomes(model, input_, bounds)
                forth = refined(self.one, source, target, model, input_, bounds)
                back = None
                if forth.answer != "fails":
                    back = refined(self.other, target, source, model, input_, bounds)
            except NotModelled as problem:
                tried.cut(f"not modelled: {problem.what}", number)
                break
            guide.learn(input_, source.covered | target.covered)
            if not tried.take(input_, forth, back):
                break
            runs += source.runs + target.runs
            if runs > self.bounds.executions * IN_ALL:
                tried.stop(number + 1)
                break
        return tried


class _Tried:
    """What was found under one model so far."""

    def __init__(self, model: Model, planned: int, complete: bool) -> None:
        self.model = model
        self.launches = 0
        self.wrong: Wrong | None = None
        self.bound: str | None = None
        self._planned = planned
        self._complete = complete
        self._threads: set[int] = set()
        self._silent = 0
        self._left_out = 0
        self._left_out_bound = ""
        self._less: str | None = None
        self._back_open: str | None = None

    def take(self, input_: Input, forth: Relation, back: Relation | None) -> bool:
        """One input, whether the target refines the source there, and, if so, the source the target.
        Whether to go on."""
        self.launches += 1
        self._threads.add(input_.threads)
        self._silent += not forth.says
        match forth.answer:
            case "fails":
                self.wrong = Wrong(self.model, input_, forth)
                return False
            case "open":
                self.bound = self.bound or forth.words
        match back:
            case Relation("fails", words):
                self._less = self._less or words
            case Relation("open", words):
                self._back_open = self._back_open or words
        return True

    def cut(self, bound: str, number: int) -> None:
        """Not all inputs were tried."""
        self.bound = self.bound or bound
        self._planned = number

    def stop(self, number: int) -> None:
        """Enough was looked at: the inputs after these are not tried."""
        self._complete = self._complete and number == self._planned
        self._planned = number

    def left_out(self, bound: str) -> None:
        """The source itself ran into a bound, perhaps without an end: such an input says nothing."""
        self._left_out += 1
        self._left_out_bound = bound

    @property
    def verdict(self) -> Verdict:
        if self.wrong is not None:
            return "wrong"
        if self.bound is not None or self.launches == 0:
            return "unknown"
        if self._less is not None or self._back_open is not None:
            return "refines"
        return "equal"

    @property
    def established(self) -> str:
        if not self._threads:
            return "no launch was compared"
        low, high = min(self._threads), max(self._threads)
        threads = f"{low} to {high} threads" if low < high else f"{low} thread{'s' if low > 1 else ''}"
        launches = f"{self.launches} launch{'es' if self.launches > 1 else ''}, {threads}"
        if self.wrong is not None:
            return f"wrong for launch {self.launches} of {self._planned}"
        everything = self._complete and self.bound is None and not self._left_out
        return f"all inputs tried: {launches}" if everything else f"inputs tried: {launches}"

    @property
    def notes(self) -> tuple[str, ...]:
        found = []
        if self._silent:
            found.append(
                f"{self._silent} of {self.launches} launches say nothing: the source is undefined there"
            )
        if self._left_out:
            found.append(f"{self._left_out} launches were left out: {self._left_out_bound} in the source")
        if self.verdict == "refines" and self._less is not None:
            found.append(f"the source does more: {self._less}")
        elif self.verdict == "refines":
            found.append(f"whether the source does more is not known: {self._back_open}")
        return tuple(found)

