"""``convcheck refine``: does a transform keep its threads together? Also what ``--lowered`` lowers with."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any
from zlib import crc32

import click

from ...frozen import dataclass
from ...interruption import notice
from ...semantics import NEVER, Clock, clock_of
from ...vulkan import VULKAN, VULKAN_TRIPLE
from ..plumbing import Exit, InputError, Progress, style, write
from ..plumbing.load import LoadedFile, Text, broken, load, one_line, read, reading, refusal
from ..plumbing.options import Count, all_blocks, common, engine, executing, shaders, with_defaults
from .run import _Runner

if TYPE_CHECKING:
    from ...ir.instructions import CallSite, Instruction
    from ...ir.module import Function, Module
    from ...parser import NotLLVM, Unsupported
    from ...passes import Dump, DumpedPass, PassFailed, PassRun
    from ...refine import Assumption, PreparedSide, Refinement, Verdict
    from ...refine.sides.side import SideChain
    from ...refine.verdict.result import Unknown
    from ...report.refine import DumpedStep, FunctionComparison, Judged, Pipeline, RefineAnswer
    from ...semantics.machine.launch import LaunchSpec
    from ...semantics.operations import Prepare

# ----------------------------------------------------------------------------------------------------------
# What ``refine --lowered NAME`` takes: one open table from targets to what lowers a module for them.
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LoweredModule:
    """A module's ``text`` in LLVM IR as a target's back end has it, made ``by`` whom; ``source`` is what it
    is held against. ``machine``: the lock-step machine that runs the text, ``None``: the engines that run
    the source, too. ``complaints``: what breaks the rules of the target's own format, and who says so."""

    source: Module
    text: str
    by: str
    machine: str | None
    notes: tuple[str, ...] = ()
    complaints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LoweringRequest:
    """What the user says of it: optimisation ``level`` (0 to 3), the ``llc`` to run, ``flags`` for it, and
    the ``timeout`` in seconds."""

    level: int = 2
    llc: str | None = None
    flags: Sequence[str] = ()
    timeout: float = 60.0


Lowering = Callable[["Module", LoweringRequest], LoweredModule]
"""Raises PassFailed."""


def _amdgcn(cpu: str | None) -> Lowering:
    """AMDGPU's control flow as operations on exec; for a processor, which says how many lanes a wave has,
    where the functions do not name one."""

    def lower(module: Module, request: LoweringRequest) -> LoweredModule:
        from ...passes.compilers import LAST, annotated
        from ...passes.outside import PassFailed

        triple = module.triple or ""
        if triple and not triple.startswith(("amdgcn", "amdgpu")):
            raise PassFailed(f"the module is for {triple}, not for amdgcn", "refused")
        flags = request.flags if cpu is None else (f"-mcpu={cpu}", *request.flags)
        text = module.source.text
        lowering = annotated(text, level=request.level, llc=request.llc, flags=flags, timeout=request.timeout)
        source = module if cpu is None else _for_processor(module, cpu)
        notes = (f"-O{request.level}, stopped after {LAST}",)
        return LoweredModule(source, lowering.text, lowering.by, "exec-amdgcn", notes)

    return lower


def _for_processor(module: Module, cpu: str) -> Module:
    """The module whose definitions are for a processor, where they do not say for which."""
    from ...ir.targets import string_attribute

    def named(function: Function) -> Function:
        words = module.resolve(function.attributes)
        if function.is_declaration or string_attribute(words, "target-cpu") is not None:
            return function
        return replace(function, attributes=(*function.attributes, f'"target-cpu"="{cpu}"'))

    return replace(module, functions={name: named(f) for name, f in module.functions.items()})


def _spirv(triple: str, environment: str) -> Lowering:
    """SPIR-V, as its reader has it."""

    def lower(module: Module, request: LoweringRequest) -> LoweredModule:
        from ...passes.compilers import invalid
        from ...passes.compilers import lower as lowered
        from ...passes.outside import PassFailed
        from ...spirv import NotCovered, NotSPIRV, translate
        from ...spirv.structured import violations

        there = module.triple or ""
        if there and not there.startswith("spirv"):
            raise PassFailed(f"the module is for {there}, not for SPIR-V", "refused")
        lowering = lowered(
            module.source.text, None if there else triple, level=request.level, llc=request.llc,
            flags=request.flags, timeout=request.timeout,
        )  # fmt: skip
        fault = invalid(lowering.data, environment)
        complaints = () if fault is None else (f"the module that LLVM made is not valid: spirv-val: {fault}",)
        text = ""
        try:
            spirv = translate(lowering.data, whole=True)
            text = _with_declarations_of(module, spirv.translation.text)
            for violation in violations(spirv.module)[:1]:
                ours = f"the module that LLVM made breaks {violation.rule.id}: {violation.message}"
                complaints = (*complaints, ours)
        except (NotSPIRV, NotCovered) as error:
            complaints = (*complaints, f"convcheck does not read the module: {error}")
        notes = (f"-O{request.level}, {len(lowering.data)} bytes of SPIR-V, reconvergence maximal",)
        return LoweredModule(without_effects(module), text, lowering.by, None, notes, complaints)

    return lower


def _with_declarations_of(source: Module, text: str) -> str:
    """What SPIR-V was read as, with the source's attributes of functions that only the environment has:
    SPIR-V does not say what calls of those do, nor whether they are convergent, and its reader takes them
    to be."""
    from ...ir.calls import CONTROL_BUNDLE, callee_name, is_convergent
    from ...ir.instructions import CallSite
    from ...parser import NotLLVM, Unsupported, parse
    from ...parser.printer import print_module
    from ...semantics.operations.table import is_operation
    from ...transform.rewrite import with_blocks, with_functions

    try:
        target = parse(text)
    except (NotLLVM, Unsupported):  # who reads it for the comparison says so
        return text
    convergent = {
        callee_name(i)
        for f in source.definitions()
        for i in f.instructions
        if isinstance(i, CallSite) and is_convergent(source, i)
    }
    alone = {
        name: replace(f, attributes=tuple(source.resolve(source.functions[name].attributes)))
        for name, f in target.functions.items()
        if f.is_declaration
        and name in source.functions
        and source.functions[name].is_declaration
        and not (is_operation(name) or name in convergent or name.startswith("llvm."))
    }
    if not alone:
        return text

    def plain(i: Instruction) -> Instruction:
        if not isinstance(i, CallSite) or callee_name(i) not in alone:
            return i
        return replace(i, bundles=tuple(b for b in i.bundles if b.tag != CONTROL_BUNDLE))

    changed = dict(alone)
    for f in target.definitions():
        blocks = [replace(b, instructions=tuple(map(plain, b.instructions))) for b in f.blocks]
        changed[f.name] = with_blocks(f, blocks)
    return print_module(with_functions(target, changed))


def without_effects(module: Module) -> Module:
    """The module whose known operations are seen by what they return and order alone. A barrier, a vote has
    another name on either side, and attributes that leave open what it does besides: no events to compare."""
    from ...semantics.operations.table import is_operation

    def pure(words: Iterable[str]) -> tuple[str, ...]:
        return (*(w for w in words if not w.startswith("memory(")), "memory(none)", "nounwind", "willreturn")

    known = {n: frozenset(pure(w)) if is_operation(n) else w for n, w in module.intrinsics.items()}
    functions = {
        name: replace(f, attributes=pure(module.resolve(f.attributes)))
        if f.is_declaration and is_operation(name)
        else f
        for name, f in module.functions.items()
    }
    return replace(module, intrinsics=known, functions=functions)


def unseen_operations(*modules: Module) -> dict[str, Prepare]:
    """Models of what modules declare that are no events: a barrier of the source is one of the target's."""
    from ...semantics.operations.table import is_operation, unseen

    declared = (f.name for module in modules for f in module.functions.values() if f.is_declaration)
    return {name: unseen for name in declared if is_operation(name)}


LOWERINGS: Mapping[str, Lowering] = {
    "amdgcn": _amdgcn(None),
    "amdgcn-wave32": _amdgcn("gfx1030"),
    "amdgcn-wave64": _amdgcn("gfx900"),
    "spirv-vulkan": _spirv(VULKAN_TRIPLE, VULKAN),
    "spirv64": _spirv("spirv64-unknown-unknown", "spv1.6"),
}
"""By the name that the option takes."""


# ----------------------------------------------------------------------------------------------------------
# ``convcheck refine``: does a transform keep its threads together?
# ----------------------------------------------------------------------------------------------------------


PATIENCE = 20.0
"""Seconds for a comparison where ``--timeout`` says nothing: what is then not established is said."""
MODELS = ("tokens", "inferred", "ipdom", "maximal")


def words(ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]) -> tuple[str, ...]:
    """``--opt-args "-mtriple=amdgcn -mcpu=gfx90a"``: words as a shell splits them; may be given again."""
    try:
        return tuple(word for text in texts for word in shlex.split(text))
    except ValueError as error:
        raise click.BadParameter(str(error).lower(), ctx, param) from None


def assumptions(ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]) -> tuple[Assumption, ...]:
    """``--assume uniform:%x``, ``--assume range:%n=0..8``."""
    if not texts:
        return ()
    from ...refine import parse_assumption
    from ...semantics import UsageError

    try:
        return tuple(parse_assumption(text) for text in texts)
    except UsageError as error:
        raise click.BadParameter(one_line(error.command_line), ctx, param) from None


def models(ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]) -> tuple[str, ...] | None:
    """``--models inferred,ipdom``; may be given again."""
    names = [name.strip() for text in texts for name in text.split(",")]
    for name in names:
        if name not in MODELS:
            there = ", ".join(MODELS)
            raise click.BadParameter(f"{name!r} is no model; there are: {there}", ctx, param)
    return tuple(dict.fromkeys(names)) or None


@click.command("refine")
@click.argument("file", metavar="[SRC]", required=False)
@click.argument("target", metavar="[TGT]", required=False)
@executing
@click.option("--target-function", metavar="@g", help="The target's function, where its name is another.")
@click.option("--passes", metavar="PIPELINE", help="Let LLVM make TGT: `default<O1>`, `simplifycfg,gvn`.")
@click.option("--opt", metavar="PATH", help="The `opt` to run the passes with.")
@click.option("--opt-args", metavar="'...'", multiple=True, callback=words, help="Flags for opt and LLVM.")
@click.option(
    "--lowered",
    type=click.Choice(tuple(LOWERINGS)),
    help="Let LLVM's back end make TGT, its control flow lowered for this target.",
)
@click.option("--llc", metavar="PATH", help="The `llc` to lower with.")
@click.option(
    "--level",
    type=Count(0, 3),
    default=2,
    show_default=True,
    metavar="N",
    help="With --lowered: llc's -O.",
)
@click.option("--bisect", is_flag=True, help="Name the first pass whose output is wrong.")
@click.option(
    "--dump",
    metavar="FILE",
    help="Compare the modules that LLVM printed to FILE, each with the next: -print-after-all or "
    "-print-changed, with -print-module-scope.",
)
@click.option(
    "--assume",
    metavar="uniform:%x|range:%n=0..8",
    multiple=True,
    callback=assumptions,
    help="What holds of the inputs; may be given again.",
)
@click.option(
    "--models",
    metavar="M,...",
    multiple=True,
    callback=models,
    help="For uncontrolled programs, what says who converges: inferred, ipdom, maximal.",
)
@click.option(
    "--symbolic",
    is_flag=True,
    help="Ask z3, too, for any inputs that tell the two apart; for programs with tokens.",
)
@click.option(
    "--iterations",
    type=Count(min=1),
    default=8,
    show_default=True,
    metavar="N",
    help="With --symbolic: how often a path may pass back to a block.",
)
@engine
@click.option("--max-launches", type=Count(min=1), metavar="N", help="Bound on inputs compared.")
@click.option(
    "--max-executions",
    type=Count(min=1),
    metavar="N",
    show_default="5000 for one input, 2000 for each of many",
    help="Bound on executions of one side for one input.",
)
@click.option("--seed", metavar="S", help="Seed of the inputs that are drawn.")
@all_blocks
@shaders
@common("text", "json", "html", "sarif", "github")
@click.pass_context
def command(ctx: click.Context, /, file: str | None, target: str | None, dump: str | None, **_: Any) -> Exit:
    """Compare SRC with TGT: does TGT keep SRC's threads together?

    TGT is a file, with --passes what LLVM's pipeline makes of SRC, or with --lowered what a back end does;
    with none of them, SRC holds both as @src and @tgt. With --dump SRC is what the first pass was given, if
    it is known. Exit code 0: equal, or refines. 1: wrong, or the output is invalid. 3: unknown.
    """
    if dump is not None:
        return _dumped(ctx, dump, file, target)
    if file is None:
        raise click.UsageError("Missing argument 'SRC'.")
    if file == target == "-":
        raise click.UsageError("only one of SRC and TGT can be standard input")
    loaded = load(file)
    options = with_defaults(ctx, loaded.module, loaded.name)
    source = click.core.ParameterSource.COMMANDLINE
    if target is not None and ctx.get_parameter_source("passes") is not source:
        options["passes"], options["bisect"] = None, False  # a file's own pipeline is for want of a target
    if options["passes"] is not None and target is not None:
        raise click.UsageError("give TGT or --passes, not both")
    _check_lowered(ctx, target, options)
    if options["passes"] is None:
        for name in ("bisect", "opt", "opt_args"):
            if options[name] and not (name == "opt_args" and options["lowered"]):
                raise click.UsageError(f"--{name.replace('_', '-')} goes with --passes")
    if options["no_verify"] and ctx.get_parameter_source("no_verify") is source:
        raise click.UsageError("--no-verify: an invalid target is run anyway, an invalid source never")
    return _Command(ctx, loaded, target, options).give()


def _complained(comparison: FunctionComparison, complaints: tuple[str, ...]) -> FunctionComparison:
    """A comparison with a target that is not valid: what it says is how the target behaves all the same."""
    refinement = comparison.refinement
    behaviour = refinement.verdict if refinement.behaviour is None else refinement.behaviour
    notes = (*refinement.notes, *complaints)
    return replace(
        comparison, refinement=replace(refinement, verdict="invalid-output", behaviour=behaviour, notes=notes)
    )


def _check_lowered(ctx: click.Context, target: str | None, options: dict[str, Any]) -> None:
    """:raises UsageError: where ``--lowered`` and what goes with it do not fit the rest"""
    if options["lowered"] is None:
        if (
            options["llc"] is not None
            or ctx.get_parameter_source("level") is click.core.ParameterSource.COMMANDLINE
        ):
            raise click.UsageError("--llc and --level go with --lowered")
    elif target is not None or options["passes"] is not None:
        raise click.UsageError("give TGT, --passes or --lowered, only one of them")
    elif options["symbolic"]:
        raise click.UsageError("--symbolic does not run lowered code: give it without --lowered")


class _Command:
    """One ``refine`` command: both modules, what is asked of them, and the answer. ``sides``: it is one of a
    chain of comparisons."""

    sides: SideChain | None = None

    def __init__(
        self,
        ctx: click.Context,
        loaded: LoadedFile,
        target: str | PipelineTarget | None,
        options: dict[str, Any],
    ) -> None:
        self.loaded, self.options = loaded, options
        self.clock = clock_of(options["timeout"])
        self.progress = Progress(options["quiet"])
        _valid(loaded)
        self.pipeline_target: PipelineTarget | None = None
        self.passed: History | None = None
        self.notes: tuple[str, ...] = () if loaded.note is None else (loaded.note,)
        line = {name for name, _ in ctx.params["arg"]}
        names = {name for name, _ in ctx.params["globals"]}
        self.own = (
            *dict.fromkeys(f"%{name}" for name, _ in options["arg"] if name not in line),
            *dict.fromkeys(f"@{name}" for name, _ in options["globals"] if name not in names),
        )
        self.machine: str | None = None
        if options.get("lowered") is not None:
            self.loaded, self.pipeline_target, self.machine = lowered_target(loaded, options, self.clock)
            loaded = self.loaded
            self.target_file = LoadedFile(self.pipeline_target.name, self.pipeline_target.module)
        elif options["passes"] is not None or isinstance(target, PipelineTarget):
            self.pipeline_target = (
                target if isinstance(target, PipelineTarget) else pipeline_target(loaded, options, self.clock)
            )
            self.target_file = LoadedFile(self.pipeline_target.name, self.pipeline_target.module)
        elif target is not None:
            self.target_file = load(target)
            _valid(self.target_file)
        else:
            self.target_file = loaded
        self.spec = _launch(loaded, options)
        if options.get("lowered") is not None and self.machine is None:
            known = unseen_operations(self.loaded.module, self.target_file.module)
            self.spec = replace(self.spec, operations={**known, **self.spec.operations})
        self.own_paths = ctx.get_parameter_source("path") is not click.core.ParameterSource.COMMANDLINE

    def give(self) -> Exit:
        """Compare, write the answer, say how it went."""
        compared, notes = self.compared()
        self.progress.end()
        if self.own and any(comparison.refinement.launches for comparison in compared):
            values = ", ".join(self.own)
            notes = (*notes, f"the file gives values for {values}; no others were tried")
        return self._write(compared, notes)

    def compared(self, same: Collection[str] = ()) -> tuple[tuple[FunctionComparison, ...], tuple[str, ...]]:
        """Each function's comparison, and notes. Functions that are known to be the ``same`` are left out."""
        comparisons, notes = self._compared(same)
        complaints = () if self.pipeline_target is None else self.pipeline_target.complaints
        return (
            (tuple(_complained(comparison, complaints) for comparison in comparisons), notes)
            if complaints
            else (comparisons, notes)
        )

    def _compared(self, same: Collection[str]) -> tuple[tuple[FunctionComparison, ...], tuple[str, ...]]:
        from ...refine.verdict.result import NotInTarget

        options, target = self.options, self.target_file.module
        with reading(self.loaded.name):
            if self.pipeline_target is not None and self.pipeline_target.unreadable is not None:
                return self._unread(self.pipeline_target.unreadable), self.notes
            one_file = target is self.loaded.module
            functions = options["function"], options["target_function"]
            matched_pairs = pairs(
                self.loaded, target, one_file, *functions, made=self.pipeline_target is not None
            )
            self._check_arguments(matched_pairs.sources)
            matched_pairs = replace(
                matched_pairs, pairs=tuple(pair for pair in matched_pairs.pairs if pair.source not in same)
            )
            several = len(matched_pairs.pairs) + len(matched_pairs.missing) > 1
            compared = (
                *(
                    self._compare_pair(pair, several, self.clock.share(left))
                    for left, pair in zip(
                        range(len(matched_pairs.pairs), 0, -1), matched_pairs.pairs, strict=True
                    )
                ),
                *(self._unknown(name, NotInTarget(name)) for name in matched_pairs.missing),
            )
        return compared, (*self.notes, *matched_pairs.notes)

    def _unread(self, how: str) -> tuple[FunctionComparison, ...]:
        """The answer where the passes made something that nobody can read: of each function, unknown."""
        from ...refine.verdict.result import TargetUnreadable

        matched_pairs = pairs(self.loaded, self.loaded.module, False, self.options["function"], None)
        self._check_arguments(matched_pairs.sources)
        return tuple(self._unknown(name, TargetUnreadable(how)) for name in matched_pairs.sources)

    def _write(self, compared: tuple[FunctionComparison, ...], notes: tuple[str, ...]) -> Exit:
        from ...ir.cfg import Order
        from ...report.parts.words import compiler_notes, notes_of_both
        from ...report.refine import RefineAnswer

        options = self.options
        pipeline = None if self.pipeline_target is None else self.pipeline_target.pipeline
        how = options["all_blocks"], Order(options["dfs"])
        pairs = [(comparison.function, comparison.target_function) for comparison in compared]
        notes = (*notes, *notes_of_both(self.loaded.module, self.target_file.module, pairs))
        notes = (*notes, *compiler_notes(self.loaded.module))
        answer = RefineAnswer(compared, self.loaded.name, self.target_file.name, pipeline, notes, *how)
        write(_rendered(answer, options), options["output"])
        return exit_code(compared)

    def _check_arguments(self, chosen: Sequence[str]) -> None:
        """:raises InputError: for an argument or assumption that is about no parameter of any function"""
        functions = [self.loaded.module.functions[name] for name in chosen]
        there = {parameter.name for function in functions for parameter in function.parameters}
        for name in (*self.spec.arguments, *(assumption.parameter for assumption in self.options["assume"])):
            if name not in there:
                names = ", ".join(f"@{function.name}" for function in functions)
                raise InputError(self.loaded.name, f"there is no parameter %{name} in {names}")

    def _compare_pair(self, pair: Pair, one_of_several: bool, clock: Clock) -> FunctionComparison:
        """One pair's comparison. Where there are several, one that cannot be made is ``unknown``."""
        from ...refine import Refinement, prepare
        from ...refine.verdict.result import DoesNotFit
        from ...report.refine import FunctionComparison
        from ...semantics import NoModel, NotModelled, UsageError

        walk = None
        try:
            source = (
                prepare(self.loaded.module, pair.source, self.spec)
                if self.sides is None
                else self.sides.source(self.loaded.module, pair.source)
            )
            bisects = self.options["bisect"]
            refinement = self._judged(
                source, self.target_file.module, pair, clock.share(2) if bisects else clock
            )
            if bisects:
                refinement, walk = self._bisected(source, pair, refinement, clock)
        except UsageError as error:
            if not one_of_several:
                raise InputError(self.loaded.name, one_line(error.command_line)) from None
            refinement = Refinement(
                "unknown", "nothing was compared", {}, bound=DoesNotFit(one_line(error.command_line))
            )
        except NotModelled as error:
            why = f"not modelled: {one_line(error.feature)}"
            if not one_of_several:
                raise InputError(self.loaded.name, why, Exit.UNKNOWN) from None
            refinement = Refinement(
                "unknown", "nothing was compared", {}, bound=NoModel(one_line(error.feature))
            )
        return FunctionComparison(
            pair.source, pair.target, self.loaded.module, self.target_file.module, refinement, walk
        )

    def _unknown(self, name: str, why: Unknown) -> FunctionComparison:
        """A function of the source that nothing can be compared with."""
        from ...refine import Refinement
        from ...report.refine import FunctionComparison

        refinement = Refinement("unknown", "nothing was compared", {}, bound=why)
        return FunctionComparison(name, name, self.loaded.module, self.target_file.module, refinement)

    def _bisected(
        self, source: PreparedSide, pair: Pair, refinement: Refinement, clock: Clock
    ) -> tuple[Refinement, tuple[Judged, ...]]:
        """The comparison with the pass to blame, and what the walk saw."""

        def judge(module: Module, of: int) -> Refinement:
            return self._judged(source, module, pair, clock.share(of), minimise=False)

        if self.passed is None:
            self.passed = history(self.loaded, self.options, self.clock)
        walk, blame, notes = bisect(self.passed, judge, clock)
        if refinement.verdict in ("equal", "refines") and blame is not None:
            notes = (
                *notes,
                f"a pass after {blame} hides it: the pipeline's own output is {refinement.verdict}",
            )
            blame = None
        return replace(refinement, blame=blame, notes=(*refinement.notes, *notes)), walk

    def _judged(
        self, source: PreparedSide, target: Module, pair: Pair, clock: Clock, minimise: bool = True
    ) -> Refinement:
        """The verdict on one target; unknown where the passes made what cannot be read.

        :raises InputError: where a file of the user's cannot be read
        """
        from ...parser import NotLLVM, Unsupported
        from ...refine import Refinement
        from ...refine.verdict.result import TargetUnreadable

        if self.pipeline_target is None:
            with reading(self.target_file.name):
                return self._refinement(source, target, pair, clock, minimise)
        try:
            return self._refinement(source, target, pair, clock, minimise)
        except (NotLLVM, Unsupported) as error:
            why = TargetUnreadable(_unread(error))
            return Refinement("unknown", "nothing was compared", {}, bound=why)

    def _refinement(
        self, source: PreparedSide, target: Module, pair: Pair, clock: Clock, minimise: bool
    ) -> Refinement:
        """The verdict on one target. What LLVM's own verifier refuses is invalid, and is not run."""
        from ...refine import Refinement
        from ...refine.verdict.compare import GROWING, WHOLE, compare

        if target is not self.loaded.module and (why := refused(target)) is not None:
            return Refinement("invalid-output", "nothing was run", {}, notes=(why,))
        names = {parameter.name for parameter in source.function.parameters}
        arguments = {name: v for name, v in self.spec.arguments.items() if name in names}
        spec = replace(self.spec, arguments=arguments)
        assume = [assumption for assumption in self.options["assume"] if assumption.parameter in names]
        notes: tuple[str, ...] = ()
        sides = (self.loaded.module, pair.source), (target, pair.target)
        if self.own_paths and spec.paths and not all(_has(spec.paths, *side) for side in sides):
            spec = replace(spec, paths=None, threads=spec.threads or len(spec.paths))
            notes = ("the file's own paths are not taken: not both sides have these blocks",)
        symbolic = self.options["symbolic"]
        first = clock.share(2) if symbolic else clock
        seed = _seed(self.options["seed"])
        efforts = GROWING if minimise else WHOLE  # a walk through passes asks of few
        side = target if self.sides is None else self.sides.target(target, pair.target, source)
        refinement = compare(
            source, side, _by(spec, first), pair.target, assume, self.options["models"], seed, minimise,
            efforts=efforts, progress=self._tell, machine=self.machine,
        )  # fmt: skip
        if symbolic and refinement.verdict in ("equal", "refines", "unknown"):
            refinement = self._symbolic(refinement, source, target, pair, _by(spec, clock), assume)
        return replace(refinement, notes=(*refinement.notes, *notes))

    def _tell(self, refinement: Refinement) -> None:
        """What few launches say, while more are tried."""
        self.progress.show(f"{refinement.verdict}: {refinement.established}; more are tried")

    def _symbolic(
        self,
        refinement: Refinement,
        source: PreparedSide,
        target: Module,
        pair: Pair,
        spec: LaunchSpec,
        assume: Sequence[Assumption],
    ) -> Refinement:
        """The answer with what z3 says of all inputs."""
        if spec.paths or spec.inputs:
            return replace(
                refinement, notes=(*refinement.notes, "not asked symbolically: paths or inputs are given")
            )
        if spec.grid or spec.workgroup:
            return replace(refinement, notes=(*refinement.notes, "not asked symbolically: a grid is given"))
        from ...packages import required

        required("z3", "refine --symbolic")
        from ...refine.symbolic.question import compare_symbolically, strengthened

        iterations = self.options["iterations"]
        answer = compare_symbolically(source, target, spec, pair.target, assume, iterations)
        return strengthened(refinement, answer)


def _by(spec: LaunchSpec, clock: Clock) -> LaunchSpec:
    """A launch with the seconds of a clock; where that never ends, with those of its own."""
    return spec if clock.deadline is None else replace(spec, limits=spec.limits.by(clock))


def _has(paths: Sequence[Sequence[str]], module: Module, function: str) -> bool:
    """Whether a file's own paths, which may be about another function or other blocks, can be taken."""
    there = {block.name for block in module.functions[function].blocks}
    return all(there.issuperset(path) for path in paths)


def _launch(loaded: LoadedFile, options: dict[str, Any]) -> LaunchSpec:
    """What the options say of the launches to compare; the sides say which functions."""
    from ...semantics.machine.launch import Limits

    spec = _Runner(loaded, options, True).spec
    streams = {len(stream) for stream in spec.inputs.values()} - {1}
    return replace(
        spec,
        function=None,
        threads=max(streams) if spec.threads is None and streams else spec.threads,
        limits=Limits(
            options["max_steps"],
            PATIENCE if options["timeout"] is None else options["timeout"],
            options["max_executions"],
            max_launches=options["max_launches"],
        ),
    )


def _seed(seed: str | None) -> int:
    """A word as a number."""
    if seed is None:
        return 0
    return int(seed) if seed.isdecimal() else crc32(seed.encode("utf-8", "replace"))


def _valid(loaded: LoadedFile) -> None:
    """:raises InputError: for what LLVM's verifier refuses for another reason than the static rules"""
    with reading(loaded.name):
        if (why := refused(loaded.module)) is not None:
            raise InputError(loaded.name, why)


def refused(module: Module) -> str | None:
    """Why LLVM's verifier refuses a module for another reason than the static rules, if it does."""
    from ...verifier import verify

    return refusal(module, verify(module))


def _rendered(answer: RefineAnswer, options: dict[str, Any]) -> str:
    match options["form"]:
        case "json":
            from ...report import parts as json
            from ...report import refine_formats as refine_json

            return json.dump(refine_json.answer(answer))
        case "html":
            from ...report import refine_formats as refine_html

            return refine_html.page(answer)
        case "sarif":
            from ...report import refine_formats as refine_sarif

            return refine_sarif.documents(
                [(pair.refinement, pair.source, pair.target) for pair in answer.compared],
                answer.source, answer.target,
            )  # fmt: skip
        case "github":
            from ...report import refine_formats as refine_github

            return refine_github.commands(
                [
                    (comparison.refinement, comparison.source, comparison.target)
                    for comparison in answer.compared
                ],
                answer.source,
                answer.target,
            )
        case _:
            from ...report import refine as refine_text

            dress = style(options["color"], options["output"])
            return refine_text.text(answer, dress, options["quiet"], options["verbose"])


def exit_code(compared: tuple[FunctionComparison, ...]) -> Exit:
    """0: equal or refines. 1: wrong or invalid. 3: unknown. Of several functions the worst."""
    from ..plumbing import worst

    codes = {
        "equal": Exit.HOLDS, "refines": Exit.HOLDS, "wrong": Exit.FAILS, "invalid-output": Exit.FAILS,
        "unknown": Exit.UNKNOWN,
    }  # fmt: skip
    return worst(codes[comparison.refinement.verdict] for comparison in compared)


# -- Which functions ``refine`` compares

SRC, TGT = "src", "tgt"
LOCAL = frozenset(("internal", "private"))


@dataclass(frozen=True, slots=True)
class Pair:
    """A function of the source, and the one of the target that it is compared with."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Pairs:
    """What is compared, and what to know about what is not. ``missing`` are functions of the source that have
    convergent operations or effects, and are not in the target: whether it does what they do is unknown."""

    pairs: tuple[Pair, ...]
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[str, ...]:
        """The source's functions that are asked about."""
        return (*(pair.source for pair in self.pairs), *self.missing)


def pairs(
    loaded: LoadedFile,
    target: Module,
    one_file: bool,
    function: str | None,
    other: str | None,
    made: bool = False,
) -> Pairs:
    """The pairs to compare, in the source's order.

    Named ones if the user named any; ``@src`` and ``@tgt`` where one file holds both; else every function
    that both modules define and that has convergent operations or effects, or all if none has. A function
    that only its module can call is compared within its callers, unless nothing else is there. ``made``: the
    target is what passes made of the source, so that a function that it has not is one that they took away.

    :raises InputError: if there is nothing to compare
    """
    source = loaded.module
    names = _defined(source)
    if function is not None or other is not None or one_file:
        return _named(loaded, target, one_file, function, other)
    theirs = _defined(target)
    there = [name for name in names if not is_taken_away(source.functions[name], target)]
    both = [name for name in there if name in theirs]
    if not both:
        if len(names) == len(theirs) == 1:
            return Pairs((Pair(names[0], theirs[0]),))
        if SRC in names and TGT in theirs:
            return Pairs((Pair(SRC, TGT),))
        if made or not theirs:
            there = [name for name in there if not is_local(source.functions[name])] or names
            return Pairs((), (), tuple(n for n in there if acts(source, source.functions[n])) or tuple(there))
        why = "no function is defined in both: name two with --function @f --target-function @g"
        raise InputError(loaded.name, why)
    visible = [name for name in both if not is_local(source.functions[name])] or both
    chosen = [name for name in visible if acts(source, source.functions[name])] or visible
    lost = [name for name in there if name not in theirs]
    missing = [name for name in lost if acts(source, source.functions[name])]
    notes = [f"@{name} is not defined in the target: not compared" for name in lost if name not in missing]
    new = [name for name in theirs if name not in names and not is_local(target.functions[name])]
    renamed = [name for name in new if acts(target, target.functions[name])]
    more: tuple[Pair, ...] = ()
    if len(missing) == len(renamed) == 1:
        more = (Pair(missing.pop(), renamed[0]),)
        chosen = [name for name in chosen if acts(source, source.functions[name])]
    if len(chosen) < len(visible):
        left = ", ".join(f"@{name}" for name in visible if name not in chosen)
        notes.append(f"not compared, for neither convergent operations nor effects are in them: {left}")
    return Pairs((*(Pair(name, name) for name in chosen), *more), tuple(notes), tuple(missing))


def _defined(module: Module) -> list[str]:
    return [function.name for function in module.definitions()]


def is_local(function: Function) -> bool:
    """Whether only its module can call it."""
    return not LOCAL.isdisjoint(function.words)


_WHERE_USED = frozenset(("linkonce", "linkonce_odr", "available_externally"))


def may_go(function: Function) -> bool:
    """Whether a module need not have it where it does not use it (LangRef, *Linkage Types*)."""
    return is_local(function) or not _WHERE_USED.isdisjoint(function.words)


def is_taken_away(function: Function, target: Module) -> bool:
    """Whether a pass took away a function that may go, or is about to: the inliner leaves ``unreachable`` of
    what nothing calls any more, until it has done with all others. What it did is in its callers then."""
    from ...ir.instructions import Unreachable

    if not may_go(function):
        return False
    after = target.functions.get(function.name)
    if after is None or after.is_declaration:
        return True
    emptied = [type(i) for i in after.instructions] == [Unreachable]
    return emptied and [type(i) for i in function.instructions] != [Unreachable]


def _named(
    loaded: LoadedFile, target: Module, one_file: bool, function: str | None, other: str | None
) -> Pairs:
    """The pair that the user named, or ``@src`` and ``@tgt`` of one file.

    That the target has no function of the source's name is an answer, that it has none of a name that was
    given for it a mistake."""
    first = None if function is None else function.removeprefix("@")
    second = None if other is None else other.removeprefix("@")
    if one_file:
        first = first or SRC
        second = second or TGT
    first, second = first or second, second or first
    assert first is not None and second is not None
    for name, module, side in ((first, loaded.module, "source"), (second, target, "target")):
        if name not in _defined(module):
            if one_file and function is None and other is None:
                why = "it holds no @src and @tgt: give TGT, or --passes PIPELINE, or name two functions"
                raise InputError(loaded.name, why)
            if side == "target" and other is None and not one_file:
                return Pairs((), (), (first,))
            from ...semantics import alternatives

            there = alternatives(f"@{name}", (f"@{n}" for n in _defined(module)))
            raise InputError(loaded.name, f"the {side} defines no function @{name}{there}")
    return Pairs((Pair(first, second),))


def acts(module: Module, function: Function) -> bool:
    """Whether a function has convergent operations or effects: a call that is an event, a store, an
    atomic or volatile access."""
    from ...ir import instructions as ir
    from ...ir.calls import is_convergent

    for instruction in function.instructions:
        match instruction:
            case ir.CallSite():
                if is_convergent(module, instruction) or not _does_nothing(module, instruction):
                    return True
            case ir.Load():
                if instruction.volatile or instruction.ordering is not None:
                    return True
            case ir.Store() | ir.AtomicRMW() | ir.CmpXchg() | ir.Fence() | ir.VAArg():
                return True
    return False


def _does_nothing(module: Module, call: CallSite) -> bool:
    """Whether attributes promise that a call only gives its result, and does not look at memory for it."""
    from ...ir.calls import callee_name
    from ...semantics.instructions.intrinsics import is_marker
    from ...semantics.operations import effects_of

    name = callee_name(call)
    words = (*module.resolve(call.attributes), *(() if name is None else module.function_attributes(name)))
    return (name is not None and is_marker(name)) or not effects_of(words).is_event(reading=True)


# -- ``refine --passes``: LLVM makes the target, and ``--bisect`` walks through what it did


@dataclass(frozen=True, slots=True)
class PipelineTarget:
    """The target that a pipeline made: ``name`` says so where a file's name would stand. ``unreadable`` says
    why it cannot be read, if it cannot; then the module is empty. ``complaints``:
    why it is not valid, in the words of whoever says so."""

    module: Module
    name: str
    pipeline: Pipeline | None
    unreadable: str | None = None
    complaints: tuple[str, ...] = ()


def pipeline_target(loaded: LoadedFile, options: dict[str, Any], clock: Clock) -> PipelineTarget:
    """The source after ``--passes``.

    :raises InputError: if LLVM refuses the pipeline or breaks down, or nothing here offers it
    """
    from ...passes import PassFailed, optimised
    from ...report.refine import Pipeline

    passes: str = options["passes"]
    try:
        optimisation = optimised(loaded.module.source.text, passes, **_how(options, clock))
    except PassFailed as error:
        raise _failure(loaded, error) from None
    name = f"{loaded.name} after {passes}"
    return read_target(
        optimisation.text, name, Pipeline(passes, optimisation.by, optimisation.notes), optimisation.by
    )


def lowered_target(
    loaded: LoadedFile, options: dict[str, Any], clock: Clock
) -> tuple[LoadedFile, PipelineTarget, str | None]:
    """The source as it is held against what ``--lowered`` makes of it, that, and the machine that runs it.

    :raises InputError: if LLVM refuses the module or breaks down, or nothing here lowers it
    """
    from ...passes import PassFailed
    from ...report.refine import Pipeline

    name: str = options["lowered"]
    patience = PATIENCE if clock.remaining is None else max(1.0, clock.remaining)
    request = LoweringRequest(options["level"], options["llc"], options["opt_args"], patience)
    try:
        lowered = LOWERINGS[name](loaded.module, request)
    except PassFailed as error:
        raise _failure(loaded, error) from None
    pipeline = Pipeline(f"lowered for {name}", lowered.by, lowered.notes)
    target = read_target(lowered.text, f"{loaded.name} lowered for {name}", pipeline, lowered.by)
    module = target.module if lowered.machine is not None else without_effects(target.module)
    target = replace(target, module=module, complaints=lowered.complaints)
    return replace(loaded, module=lowered.source), target, lowered.machine


def read_target(text: str, name: str, pipeline: Pipeline | None, by: str) -> PipelineTarget:
    """What LLVM gave, read as far as it can be; ``by`` whom it was made."""
    from ...parser import NotLLVM, Unsupported, parse

    if not text.strip():
        return PipelineTarget(parse(text, name), name, pipeline, f"{by} gave nothing")
    try:
        return PipelineTarget(parse(text, name), name, pipeline)
    except (NotLLVM, Unsupported) as error:
        return PipelineTarget(parse("", name), name, pipeline, _unread(error))


def _unread(error: NotLLVM | Unsupported) -> str:
    """Why a text cannot be read, with the line where that is known."""
    return one_line(error.message if error.line is None else f"line {error.line}: {error.message}")


def _how(options: dict[str, Any], clock: Clock) -> dict[str, Any]:
    """How LLVM is run. Its process has a second at least, as it takes part of one to start."""
    patience = PATIENCE if clock.remaining is None else max(1.0, clock.remaining)
    return {"opt": options["opt"], "opt_args": options["opt_args"], "timeout": patience}


def _failure(loaded: LoadedFile, error: PassFailed) -> InputError:
    """A pipeline that nobody runs is a usage error; an LLVM that breaks down leaves the answer unknown.

    :raises KeyboardInterrupt: where it broke down of SIGINT, which at a terminal it gets, too
    """
    if notice():
        raise KeyboardInterrupt
    code = Exit.INPUT if error.kind in ("refused", "unavailable") else Exit.UNKNOWN
    return InputError(loaded.name, error.reason, code, error.detail)


@dataclasses.dataclass(slots=True)
class History:
    """Every pass that the pipeline ran, asked for once; the modules after them, parsed when they are asked
    for."""

    loaded: LoadedFile
    runs: tuple[PassRun, ...]
    _modules: dict[str, Module] = field(default_factory=dict)

    def module(self, run: PassRun) -> Module:
        """The module after a pass."""
        if run.text not in self._modules:
            from ...parser import parse

            self._modules[run.text] = parse(run.text, f"{self.loaded.name} after {run.name}")
        return self._modules[run.text]


def history(loaded: LoadedFile, options: dict[str, Any], clock: Clock) -> History:
    """:raises InputError: if LLVM breaks down"""
    from ...passes import PassFailed, passes_run

    try:
        runs = passes_run(loaded.module.source.text, options["passes"], **_how(options, clock))
    except PassFailed as error:
        raise _failure(loaded, error) from None
    return History(loaded, runs)


def bisect(
    passed: History, judge: Callable[[Module, int], Refinement], clock: Clock = NEVER
) -> tuple[tuple[Judged, ...], str | None, tuple[str, ...]]:
    """The passes that changed something up to the first whose output is wrong, that pass, and notes.

    Each output is compared with the *original* source, one pass after the other: a later pass may hide what
    an earlier one broke, so that halving the list could miss it. Passes that changed nothing are skipped, and
    an output that was seen before is not compared again. ``judge`` is told among how many comparisons the
    time that is left is to be shared.
    """
    from ...report.parts.words import words as bounded
    from ...report.refine import Judged

    walk: list[Judged] = []
    verdicts: dict[str, Verdict] = {}
    changed = [run for run in passed.runs if run.changed]
    for number, run in enumerate(changed):
        if (bound := clock.hit()) is not None:
            return tuple(walk), None, (f"{bounded(bound)} before {run.name} was looked at",)
        if run.text not in verdicts:
            verdicts[run.text] = judge(passed.module(run), len(changed) - number).verdict
        judged = Judged(run.number, len(passed.runs), run.name, run.on, verdicts[run.text])
        walk.append(judged)
        if judged.verdict in ("wrong", "invalid-output"):
            return tuple(walk), judged.name, ()
    unknown = sum(judged.verdict == "unknown" for judged in walk)
    notes = (f"after {unknown} of {len(walk)} passes the verdict is unknown",) if unknown else ()
    return tuple(walk), None, notes


# -- ``refine --dump``: the modules that LLVM printed while somebody else ran it, each with the next


def _dumped(ctx: click.Context, dump: str, file: str | None, target: str | None) -> Exit:
    """Compare each module of a dump with the next, of the functions that the pass between them changed.

    :raises InputError: for a file that is no dump of whole modules, or whose first module cannot be read
    """
    from ...passes import NotADump, dumps

    if target is not None:
        raise click.UsageError("give TGT or --dump, not both")
    for name in ("passes", "bisect", "opt", "opt_args", "target_function", "lowered", "llc"):
        if ctx.params[name]:
            raise click.UsageError(f"give --{name.replace('_', '-')} or --dump, not both")
    if file == dump == "-":
        raise click.UsageError("only one of SRC and the dump can be standard input")
    printed = read(dump)
    if not isinstance(printed, Text):
        raise InputError(printed.name, "bitcode or SPIR-V, and no text that LLVM printed while it ran passes")
    try:
        modules = dumps(printed.text)
    except NotADump as error:
        raise InputError(printed.name, str(error)) from None
    loaded = None if file is None else load(file)
    if loaded is not None and len(modules) > 1:
        several = ", ".join(unit.module for unit in modules)
        raise InputError(printed.name, f"SRC is one module, and the dump has {len(modules)}: {several}")
    options = dict(ctx.params) if loaded is None else with_defaults(ctx, loaded.module, loaded.name)
    return _Dumped(ctx, printed.name, loaded, options).give(modules)


class _Dumped:
    """``refine --dump``: what is asked, and what was compared so far. With ``reuses`` the module after a
    pass, which is the one before the next, is not run twice for an input."""

    reuses = True

    def __init__(
        self, ctx: click.Context, name: str, loaded: LoadedFile | None, options: dict[str, Any]
    ) -> None:
        self.ctx, self.name, self.loaded = ctx, name, loaded
        self.options = {**options, "passes": None, "bisect": False, "lowered": None}
        self.clock = clock_of(options["timeout"])
        self.compared: list[FunctionComparison] = []
        self.notes: dict[str, None] = {}
        self.whole = True  # whether the dump shows what each of its passes did

    def give(self, modules: Sequence[Dump]) -> Exit:
        """Compare, write the answer, say how it went."""
        from ...ir.cfg import Order
        from ...report.refine import RefineAnswer
        from ..plumbing import worst

        for unit in modules:
            self._unit(unit, len(modules) > 1)
        if not self.compared:
            why = "no pass of the dump changed a function that could be compared"
            raise InputError(self.name, "; ".join((why, *self.notes)), Exit.UNKNOWN)
        options = self.options
        how = options["all_blocks"], Order(options["dfs"])
        source = self.name if self.loaded is None else self.loaded.name
        answer = RefineAnswer(tuple(self.compared), source, self.name, None, tuple(self.notes), *how)
        write(_rendered(answer, options), options["output"])
        code = exit_code(tuple(self.compared))
        return code if self.whole else worst([code, Exit.UNKNOWN])

    def _unit(self, unit: Dump, several: bool) -> None:
        """One module's passes."""
        from ...refine.sides.side import SideChain

        where = f" of {unit.module}" if several else ""
        left = sum(step.changed for step in unit.passes)
        sides: SideChain | None = None
        for neighbours in walk(unit, self.loaded, f"{self.name}{where}"):
            step = neighbours.step
            if neighbours.before is None:
                what = f"what {step.name}{where} did is not in the dump: give SRC, or -print-before-all"
                self.notes[what] = None
            else:
                command = _Command(self.ctx, neighbours.before, neighbours.output, self.options)
                command.sides = sides = sides or SideChain(command.spec, self.reuses)
                command.clock = self.clock.share(left)
                compared, notes = command.compared(neighbours.same)
                self.compared += [replace(comparison, step=neighbours.place) for comparison in compared]
                self.notes.update(dict.fromkeys(notes))
            left -= 1
        if unit.machine_code is not None:
            self.notes[f"from {unit.machine_code}{where} on it is machine code, which is not read"] = None
        if unit.unseen:
            self.notes[f"what {', '.join(unit.unseen)}{where} did is not in the dump"] = None
            self.whole = False


@dataclass(frozen=True, slots=True)
class Neighbours:
    """A pass of a dump that changed something: the latest valid module ``before`` it (``None``: the dump does
    not show it), its ``output``, and the functions that say the ``same`` in both."""

    step: DumpedPass
    before: LoadedFile | None
    output: PipelineTarget
    same: frozenset[str]

    @property
    def place(self) -> DumpedStep:
        """The pass, for an answer."""
        from ...report.refine import DumpedStep

        return DumpedStep(self.step.number, self.step.name, self.step.on, self.step.unseen)


def walk(unit: Dump, start: LoadedFile | None, name: str) -> Iterator[Neighbours]:
    """The passes of a dump that changed something, each with the modules to compare; ``start`` is what the
    first one was given, where the dump does not say it.

    :raises InputError: if the dump's own first module cannot be read
    """
    from ...parser import parse
    from ...passes import unchanged

    before, begun = start, False
    for step in unit.passes:
        if not step.changed:
            continue
        title = f"{name} after {step.name}"
        if before is None and step.before is not None and not begun:  # else it is an output that is invalid
            with reading(f"{name} at the start"):
                before = LoadedFile(name, parse(step.before, name))
        begun = True
        output = read_target(step.after, title, None, "LLVM")
        known = before is not None and step.before is not None
        same = unchanged(before.module.source.text, step.after) if known and before else frozenset[str]()
        yield Neighbours(step, before, output, same)
        after = LoadedFile(title, output.module)
        with suppress(InputError):  # LLVM does not take it, and so it is nobody's source
            if output.unreadable is None and broken(after) is None:
                before = after
