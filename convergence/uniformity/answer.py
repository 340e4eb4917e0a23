"""``uniformity``: what the rules say of a module, what runs say of that, and what LLVM says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Unpack

from ..frozen import Shown, dataclass
from ..ir import Type
from ..ir.cfg import Order
from ..ir.module import Function, Module, needs_module
from ..ir.targets import architecture_of
from ..refine.sides.side import prepare
from ..semantics import NotModelled, UsageError, alternatives, option
from ..semantics.machine.launch import LaunchOptions, LaunchSpec, is_per_thread, launch_spec, whole_number
from .analysis import analyse, target_of
from .check import CheckedFunction, Claimant, Claims, LlvmClaims, claims_of, faults, not_shown
from .observe import Subject, observe
from .result import FunctionUniformity


@dataclass(frozen=True, slots=True)
class ClaimDifference:
    """One subject of which the rules and LLVM say different things."""

    subject: Subject
    rules: bool
    llvm: bool


@dataclass(frozen=True)
class Uniformity(Shown):
    """``functions`` by name, for ``target`` and the hierarchy of ``dfs``. ``checked`` are launched functions,
    where runs were asked for; ``unchecked`` names those that could not be run, and why. ``llvm`` is what LLVM
    says."""

    module: Module
    functions: Mapping[str, FunctionUniformity]
    target: str
    dfs: Order
    checked: tuple[CheckedFunction, ...] = ()
    unchecked: Mapping[str, str] | None = None
    llvm: LlvmClaims | None = None

    __repr__ = Shown.__repr__

    def __iter__(self) -> Iterator[FunctionUniformity]:
        """The functions' answers, in text order."""
        return iter(self.functions.values())

    def __len__(self) -> int:
        return len(self.functions)

    def __bool__(self) -> bool:
        return True

    @property
    def sound(self) -> bool:
        """Whether no run shows a claim to be wrong."""
        return not any(checked.faults for checked in self.checked)

    @property
    def differences(self) -> tuple[ClaimDifference, ...]:
        """Where the rules and LLVM say different things."""
        if self.llvm is None:
            return ()
        ours, theirs = claims_of(self.functions.values()), self.llvm.subjects(self.module)
        return tuple(
            ClaimDifference(subject, verdict, theirs[subject])
            for subject, verdict in ours.items()
            if subject in theirs and theirs[subject] != verdict
        )

    @property
    def alike(self) -> int:
        """Of how many values and branches the rules and LLVM say the same."""
        if self.llvm is None:
            return 0
        ours, theirs = claims_of(self.functions.values()), self.llvm.subjects(self.module)
        return sum(theirs.get(subject) == verdict for subject, verdict in ours.items())


def uniformity(
    module: Module,
    *,
    triple: str | None = None,
    check: bool = False,
    llvm: LlvmClaims | None = None,
    max_launches: int | None = None,
    seed: int = 0,
    **launch: Unpack[LaunchOptions],
) -> Uniformity:
    """Which values and branches of a module are uniform, and why the others are not.

    ``function`` asks for one definition, ``triple`` for a target other than the module's, ``dfs`` for a
    cycle hierarchy. With ``check`` each is run for inputs as ``refine`` tries them, ``max_launches`` (200) at
    most; what is given as for ``run`` holds in all of them. ``llvm`` are LLVM's claims, to be held against
    both (:func:`convergence.uniformity.check.claims_of_llvm`).

    Raises UsageError for a function that is not there.
    """
    needs_module(module, "uniformity")
    spec = launch_spec(**launch).within(max_launches=max_launches)
    return answered(module, spec, triple, check, llvm, whole_number("seed", seed))


def answered(
    module: Module,
    spec: LaunchSpec,
    triple: str | None = None,
    check: bool = False,
    llvm: LlvmClaims | None = None,
    seed: int = 0,
    all_blocks: bool = False,
) -> Uniformity:
    """:func:`uniformity`, of a launch that is data."""
    target = target_of(triple or architecture_of(module))
    functions = {f.name: analyse(module, f, target, spec.dfs) for f in definitions(module, spec.function)}
    name = triple or module.triple or ""
    if not check:
        return Uniformity(module, functions, name, spec.dfs, llvm=llvm)
    checked: list[CheckedFunction] = []
    unchecked: dict[str, str] = {}
    everything = {f.name: analyse(module, f, target, spec.dfs) for f in module.definitions()}
    claims: dict[Claimant, Mapping[Subject, bool]] = {Claimant.RULES: claims_of(everything.values())}
    if llvm is not None:
        claims[Claimant.LLVM] = llvm.subjects(module)
    for function in functions:
        try:
            checked.append(_checked(module, function, spec, claims, seed, llvm is not None, all_blocks))
        except UsageError as error:
            if spec.function is not None:
                raise
            unchecked[function] = error.command_line
        except NotModelled as error:
            unchecked[function] = f"not modelled: {error.feature}"
    return Uniformity(module, functions, name, spec.dfs, tuple(checked), unchecked, llvm)


def definitions(module: Module, function: str | None) -> Sequence[Function]:
    """The definitions that are asked for: all, or one. Raises UsageError."""
    if function is None:
        return module.definitions()
    name = function.removeprefix("@")
    for definition in module.definitions():
        if definition.name == name:
            return [definition]
    known = alternatives(f"@{name}", (f"@{f.name}" for f in module.definitions()))
    raise UsageError(f"{option('function', '@' + name)}: there is no such definition{known}")


def _differ(values: object, type_: Type) -> bool:
    """Whether threads are given different values."""
    return is_per_thread(values, type_) and any(value != values[0] for value in values)


def _checked(
    module: Module,
    function: str,
    spec: LaunchSpec,
    claims: Claims,
    seed: int,
    every_order: bool,
    all_blocks: bool,
) -> CheckedFunction:
    """The runs of one function. Threads are given one value for parameters that anybody calls uniform."""
    launched = module.functions[function]
    uniform = [
        p.name
        for p in launched.parameters
        if any(claimed.get(Subject(function, p.name), False) for claimed in claims.values())
    ]
    for parameter in launched.parameters:
        values = spec.arguments.get(parameter.name, spec.arguments.get(f"%{parameter.name}"))
        if parameter.name in uniform and _differ(values, parameter.type):
            raise UsageError(
                f"{option('arg', key='%' + parameter.name)}: several values, where the calling "
                "convention gives all threads one"
            )
    orders = [spec.dfs, *(order for order in Order if every_order and order is not spec.dfs)]
    prepared = prepare(module, function, spec)
    if prepared.errors:
        first = prepared.errors[0]
        raise UsageError(f"it breaks {first.rule.id}: {first.message}")
    runs = observe(prepared, spec, uniform=uniform, orders=orders, seed=seed, all_blocks=all_blocks)
    return CheckedFunction(
        function,
        runs,
        faults(claims, runs),
        not_shown(claims, runs, module.functions),
        spec.uncontrolled,
    )
