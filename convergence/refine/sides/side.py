"""One side of a comparison, made ready once: translated, checked, its outcomes kept by input."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from ...diagnostics import Diagnostic, Severity
from ...frozen import Json
from ...ir import (
    Aggregate,
    ArrayType,
    BlockAddress,
    ConstantExpression,
    Global,
    Int,
    IntType,
    Local,
    NamedType,
    Operand,
    Packed,
    PointerType,
    SimpleType,
    StructType,
    Type,
    VectorType,
    nested,
)
from ...ir.calls import (
    Control,
    atomics,
    callee_name,
    control,
    exec_operation_named,
    exec_operations,
    is_convergent,
    token_used,
)
from ...ir.cfg import Order
from ...ir.instructions import (
    Alloca,
    AtomicRMW,
    CallSite,
    Conversion,
    Fence,
    Freeze,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    operands,
)
from ...ir.module import Function, GlobalVariable, Module, Parameter, is_input
from ...semantics import BoundKind, NotModelled, is_bound
from ...semantics.convergence.reachability import CallGraph
from ...semantics.instructions.lifting import is_relaxed
from ...semantics.instructions.promises import promised_alignment
from ...semantics.machine.bindings import with_buffers, words_behind
from ...semantics.machine.buffers import ELEMENTS, element_of
from ...semantics.machine.launch import Launch, LaunchSpec, launched_function, shaped
from ...semantics.machine.program import EngineKind, Program, Settings, Uncontrolled
from ...semantics.machine.run import Contents, initial_contents
from ...semantics.machine.tally import Tally, summed
from ...semantics.memory.globals import object_type
from ...semantics.operations import EVERYWHERE, Callee, Fencing, Prepare, effects_of
from ...semantics.operations.table import Table
from ...semantics.values.datalayout import Layout, layout_of
from ...transform.emitted_intrinsics import with_plain_instructions
from ...transform.rewrite import with_blocks, with_functions, with_poison_for_undef
from ...verifier import verify
from ..inputs.edges import asks_lanes
from ..inputs.inputs import small_integers
from ..inputs.launch import Input, launch_contents, number_at
from ..verdict.result import Model, Side
from .observable import ALL_NAMED, UnnamedObjects, visible, writes_visibly
from .outcomes import Bounds, Executable, Outcomes, Setting
from .unmodelled import (
    KnownCalls,
    barriers,
    called,
    gives_pointers,
    known_calls,
    pointers_without_model,
    reads_unmodelled,
    uncaptured_operands,
    without_model,
    writes_unmodelled,
)

# ----------------------------------------------------------------------------------------------------------
# Pointer arguments that are called: nobody knows which function is there, so it is one without a model.
# ----------------------------------------------------------------------------------------------------------


def called_parameters(module: Module, function: Function) -> dict[int, CallSite]:
    """The parameters of a function, by place from 0, that it or what it calls directly calls, each with the
    first call. A parameter is followed through phis, selects, stack objects that it is stored in, and
    arguments of direct calls; one that comes through other memory is not found."""
    return _called(module, function, ())


def _called(module: Module, function: Function, callers: tuple[str, ...]) -> dict[int, CallSite]:
    places = {p.name: place for place, p in enumerate(function.parameters)}
    definitions = {i.result: i for i in function.instructions if i.result is not None}
    stored: dict[str, list[Operand]] = {}
    for instruction in function.instructions if Alloca in function.kinds else ():
        match instruction:
            case Store(value=value, pointer=Local(name=name)) if isinstance(definitions.get(name), Alloca):
                stored.setdefault(name, []).append(value)
    calls: dict[int, CallSite] = {}

    def note(pointer: Operand, call: CallSite) -> None:
        for name in _origins(pointer, definitions, stored):
            if name in places:
                calls.setdefault(places[name], call)

    for call in function.calls:
        if isinstance(call.callee, Local):
            note(call.callee, call)
        callee = module.functions.get(callee_name(call) or "")
        if callee is None or callee.is_declaration or callee.name in (*callers, function.name):
            continue
        inner = _called(module, callee, (*callers, function.name))
        for place, through in inner.items():
            if place < len(call.arguments):
                note(call.arguments[place].value, through)
    return calls


def _origins(
    pointer: Operand, definitions: Mapping[str, Instruction], stored: Mapping[str, list[Operand]]
) -> Iterator[str]:
    """The names of parameters, and of what else is not computed from other pointers."""
    work, met = [pointer], set[str]()
    while work:
        value = work.pop()
        if not isinstance(value, Local) or value.name in met:
            continue
        met.add(value.name)
        match definitions.get(value.name):
            case None:
                yield value.name
            case Conversion(value=base) | Freeze(value=base):
                work.append(base)
            case Phi(incoming=incoming):
                work += [operand for operand, _ in incoming]
            case Select(then=candidate, otherwise=other):
                work += [candidate, other]
            case Load(pointer=Local(name=name)):
                work += stored.get(name, ())


def unknown_function(name: str, call: CallSite) -> Function:
    """A declared function that a call fits, and of which nothing else is known."""
    parameters = tuple(Parameter(type_, str(place)) for place, type_ in enumerate(call.type.parameters))
    return Function(name, call.type, parameters, convention=call.convention)


OBJECT = 64
"""Elements of the i32 array that a pointer argument points to where no other pointer is given; more, where a
whole wave may run, so that it has one of the widest elements for each lane."""
WIDEST_ELEMENT = 32
"""Bytes of such an element at most: a larger one is a whole of its own."""
ALIGNED = 16
"""Bytes to which that array is aligned, where nothing asks for more."""
MOST_ALIGNED = 256
"""Bytes to which an access may ask for it to be aligned, at most."""


class ObjectShape(NamedTuple):
    """How many numbers of 32 bits an object has that the comparison makes, and to how many bytes it is
    aligned: for both sides as the source asks."""

    elements: int = OBJECT
    align: int = ALIGNED


USUAL = ObjectShape()


@dataclass(frozen=True, slots=True)
class ComparedObject:
    """What a comparison made for what points somewhere, and the user gave nothing for. ``key``: what
    ``--buffer`` calls it, nothing for what it cannot give; ``element`` as it names types; ``numbers``: what
    it holds if the input says nothing else."""

    key: str
    element: str
    numbers: tuple[int, ...]

    def contents_for(self, name: str, memory: Sequence[int]) -> tuple[int, ...]:
        """What it holds for an input's ``memory``, as the variable of that ``name``."""
        return tuple(number_at(memory, name, n) for n in range(len(self.numbers))) if memory else self.numbers


class Runnable(Protocol):
    """What runs a function under some model of who converges with whom; ``tally`` is what native code ran of
    it, if any ran."""

    tally: Tally | None

    def outcomes(self, input_: Input, bounds: Bounds) -> Outcomes: ...

    def side(self, input_: Input, wanted: Any, bounds: Bounds) -> Side | None: ...

    def answered(self, input_: Input, bounds: Bounds) -> dict[str, tuple[tuple[Json, ...], ...]]: ...


UNCHANGED = ("invariant.load", "invariant.group", "llvm.invariant.start")
"""Metadata, and an intrinsic, that say that memory does not change."""
ADDRESSES = frozenset(("ptrtoint", "ptrtoaddr"))
"""What makes integers of addresses."""
PADDINGS = ((1 << 16) + 0x1230, (1 << 16) + 0x1250)
"""So many bytes further than usual the variables lie of a side that is looked at elsewhere: two numbers, as
one alone may keep what a mask leaves of an address (63, in programs that align by themselves)."""
_ALIASES = frozenset(("noalias", "alias.scope", "tbaa", "tbaa.struct"))
"""Metadata that says which accesses do not meet."""


@dataclass(frozen=True)
class SideOptions:
    """How both sides are run; ``dfs`` is for uncontrolled operations, as for ``run``. ``pool`` are the values
    of small interpretations: the same for both sides, or their unknown functions would not be. ``globals``
    are the variables that the user gave contents. ``machine``: the lock-step machine that this side was
    lowered for, and runs on. ``equal_writes``: as for ``run``. ``shape``: that of the objects that the
    comparison makes."""

    uncontrolled: Uncontrolled = "maximal"
    dfs: Order = Order.TEXT
    operations: Mapping[str, Prepare] = field(default_factory=dict)
    inputs: Mapping[str, Sequence[Sequence[Any]]] = field(default_factory=dict)
    pool: tuple[int, ...] = ()
    globals: frozenset[str] = frozenset()
    machine: str | None = None
    engine: EngineKind = "auto"
    equal_writes: bool = False
    shape: ObjectShape = USUAL


@dataclass
class PreparedSide:
    """A function of a module that is to be compared.

    ``module`` has an object for each pointer parameter; ``reached`` are the definitions that threads
    may come to; ``errors`` the static rules that these break; ``names`` the variables that are compared, by
    default all that the outside can look at; ``pointed`` the arguments that point to
    buffers; ``objects`` the variables that were made here for what points somewhere; ``unnamed`` those
    objects of a comparison that functions without a model cannot tell apart.
    What runs were made is kept.
    """

    module: Module
    function: Function
    options: SideOptions
    reached: tuple[Function, ...]
    errors: tuple[Diagnostic, ...]
    names: frozenset[str] = frozenset()
    pointed: Mapping[str, str] = field(default_factory=dict)
    objects: Mapping[str, ComparedObject] = field(default_factory=dict)
    unnamed: UnnamedObjects = ALL_NAMED
    _runnables: dict[Model, Runnable] = field(default_factory=dict)
    _outcomes: dict[tuple[Model, Input], dict[Hashable, Outcomes]] = field(default_factory=dict)

    @cached_property
    def _questioned_program(self) -> Program:
        return Program(self.module, Settings())

    def contents(self, input_: Input) -> Contents:
        """What its variables hold at the launch, for an input."""
        program = self._questioned_program
        objects = frozenset(self.objects)
        contents = launch_contents(input_, self.module, program.context, self.options.globals, objects)
        launch = Launch(self.function.name, input_.threads, contents=contents)
        if input_.shape is not None:
            launch = shaped(launch, input_.shape)
        return initial_contents(program, launch)

    @cached_property
    def writes_visibly(self) -> bool:
        """Whether its text writes to memory that the outside can see."""
        return writes_visibly(self.module, self.reached, self.function)

    @cached_property
    def unnameable(self) -> frozenset[str]:
        """Its objects that nobody outside can name, as :class:`..semantics.values.display.Place` calls them:
        variables at which the outside does not look, and stack objects."""
        variables = {variable.label for variable in self.module.globals.values()}
        stack = _stack_objects(self.reached)
        return frozenset(variables - (self.names or visible(self.module, self.function)) | stack)

    @cached_property
    def stack_of_callees(self) -> frozenset[str]:
        """The stack objects of definitions that are called, each in as many activations as there are."""
        return _stack_objects(f for f in self.reached if f.name in self.called)

    @cached_property
    def uncaptured(self) -> Mapping[str, frozenset[int]]:
        """The operands, by their places, that no call of a function captures of those that it calls by their
        names, and that meet no others."""
        return uncaptured_operands(self.module, self.reached)

    @cached_property
    def counts_addresses(self) -> bool:
        """Whether its text makes integers of addresses, or puts addresses into memory, where they may be
        taken for integers."""
        instructions = [i for f in self.reached for i in f.instructions]
        if any(isinstance(i, Conversion) and i.opcode in ADDRESSES for i in instructions):
            return True
        if any(isinstance(i, Store) and _pointer_in(i.value.type, self.module) for i in instructions):
            return True
        if any(isinstance(o, Global) for o in nested(*self._initial)):
            return True
        return any(isinstance(o, ConstantExpression) and o.opcode in ADDRESSES for o in self._constants)

    @cached_property
    def _initial(self) -> tuple[Operand, ...]:
        """What its variables hold at the start."""
        return tuple(v.initializer for v in self.module.globals.values() if v.initializer is not None)

    @cached_property
    def _constants(self) -> tuple[Operand, ...]:
        """What is in its text and its variables, and what that is made of, however deep."""
        text = (o for f in self.reached for i in f.instructions for o in operands(i))
        return tuple(nested(*text, *self._initial))

    @cached_property
    def mentions_blocks(self) -> bool:
        """Whether its text has addresses of blocks, which lie behind all variables."""
        return any(isinstance(o, BlockAddress) for o in self._constants)

    @cached_property
    def known_calls(self) -> Mapping[str, KnownCalls]:
        """By name what it calls without a model that LLVM knows, and that is not convergent."""
        return known_calls(self.module, self.reached, self.without_model)

    @cached_property
    def elsewhere(self) -> tuple[PreparedSide, ...]:
        """The same side where all variables and stack objects lie at other addresses, twice."""

        def behind(size: int) -> PreparedSide:
            padding = GlobalVariable("padding", ArrayType(size, IntType(8)), False, None, ("private",))
            functions = {f.name: _with_padding(f, size) for f in self.reached}
            module = with_functions(self.module, functions)
            module = replace(module, globals={padding.name: padding, **module.globals})
            return replace(
                self, module=module, function=functions[self.function.name],
                reached=tuple(functions.values()), _runnables={}, _outcomes={},
            )  # fmt: skip

        return tuple(map(behind, PADDINGS))

    @cached_property
    def poisoned(self) -> PreparedSide | None:
        """The same side with poison for each undef of its text; ``None`` if it has none. Whatever an undef is
        at each use, poison allows that, too (LangRef, *Poison Values*): what refines with poison refines."""
        functions = {f.name: with_poison(f) for f in self.reached}
        if all(functions[f.name] is f for f in self.reached):
            return None
        module = with_functions(self.module, functions)
        return replace(
            self, module=module, function=functions[self.function.name],
            reached=tuple(functions.values()), _runnables={}, _outcomes={},
        )  # fmt: skip

    @cached_property
    def gives_pointers(self) -> bool:
        """Whether it calls a function without a model with a pointer, and asks for a result."""
        models = Table(self.options.operations)
        return gives_pointers(self.module, self.reached, models, self._questioned_program.context)

    @cached_property
    def called(self) -> frozenset[str]:
        """The functions that it calls by their names."""
        return called(self.reached)

    @cached_property
    def without_model(self) -> frozenset[str]:
        """Those that LLVM knows by name, and nobody here models."""
        names = frozenset(name.removeprefix("@") for name in self.options.inputs)
        models = Table(self.options.operations)
        unknown = without_model(self.module, self.reached, models, self._questioned_program.context) - names
        if self.machine is None:
            return unknown
        return frozenset(name for name in unknown if exec_operation_named(name) is None)

    @cached_property
    def pointers_without_model(self) -> frozenset[str]:
        """What it calls without a model that gives pointers of which LLVM may know where they go."""
        return pointers_without_model(self.module, self.reached, self.without_model)

    @cached_property
    def barriers(self) -> frozenset[str]:
        """The barriers that it calls."""
        return barriers(
            self.module, self.reached, Table(self.options.operations), self._questioned_program.context
        )

    @cached_property
    def arrivals(self) -> frozenset[str]:
        """Those of its barriers at which nobody waits."""
        models = Table(self.options.operations)
        return frozenset(
            name
            for name in self.barriers
            if isinstance(
                models.model(
                    Callee(name, self.module.functions[name].type, self._questioned_program.context)
                ),
                Fencing,
            )
        )

    def reads_unmodelled(self, but: Collection[str]) -> bool:
        """Whether it calls something without a model that may read memory, other than the functions
        ``but``."""
        return reads_unmodelled(self.module, self._questioned_program, but)

    @cached_property
    def calls_what_may_write(self) -> bool:
        """Whether it calls a function without a model that may write to memory."""
        return writes_unmodelled(self.module, self.reached, self._questioned_program)

    @cached_property
    def promises_no_writes(self) -> bool:
        """Whether its text promises that a call does not write what its attributes allow: of a function that
        contains it, by metadata, or of memory that does not change."""
        if self.promises_aliases:
            return True
        effects = (effects_of(self.module.resolve(f.attributes)) for f in self.reached)
        if any(effect.written_at != EVERYWHERE for effect in effects):
            return True
        kinds = {kind for f in self.reached for i in f.instructions for kind, _ in i.attachments}
        return not kinds.isdisjoint(UNCHANGED) or any(n.startswith(UNCHANGED[-1]) for n in self.called)

    @cached_property
    def threads_meet(self) -> bool:
        """Whether its threads may meet others otherwise than by ordinary accesses to memory: at operations,
        or by what is atomic, or by fences."""
        return any(
            Fence in f.kinds
            or bool(atomics(f))
            or any(not is_ordinary(self.module, call) for call in f.calls)
            for f in self.reached
        )

    @cached_property
    def is_relaxed(self) -> bool:
        """Whether flags of its arithmetic allow other results than the exact one."""
        return any(is_relaxed(i) for f in self.reached for i in f.instructions)

    @cached_property
    def promises_aliases(self) -> bool:
        """Whether its text says more of who points where than is modelled: ``noalias`` of what the launched
        function calls, and metadata."""
        called = (f for f in self.reached if f.name != self.function.name)
        if any("noalias" in p.attributes for f in called for p in f.parameters):
            return True
        return any(
            kind in _ALIASES for f in self.reached for i in f.instructions for kind, _ in i.attachments
        )

    @cached_property
    def machine(self) -> str | None:
        """The lock-step machine that it runs on: that for which it was lowered, as its text or the caller
        says."""
        if any(True for f in self.reached for _ in exec_operations(f)):
            return "exec-amdgcn"
        return self.options.machine

    @property
    def models(self) -> tuple[Model, ...]:
        """The models that its verdict is for: its own tokens, or, where uncontrolled operations leave open
        who converges with whom, every model that there is."""
        if any(_uncontrolled(self.module, f) for f in self.reached):
            return ("inferred", "ipdom", "maximal")
        return ("tokens",)

    def runnable(self, model: Model) -> Runnable:
        """What runs it under a model."""
        known = self._runnables.get(model)
        if known is None:
            known = self._runnables[model] = self._runnable(model)
        return known

    def _runnable(self, model: Model) -> Runnable:
        options = self.options
        setting = Setting(
            "maximal" if model == "maximal" else options.uncontrolled, options.dfs, options.operations,
            options.inputs, not self.errors, options.globals, frozenset(self.objects), engine=options.engine,
            unnamed=self.unnamed, equal_writes=options.equal_writes,
        )  # fmt: skip
        pool, names = options.pool, self.names or visible(self.module, self.function)
        if self.machine is not None:
            from .models import LoweredCode

            return LoweredCode(self.module, self.function, setting, pool, names, self.machine)
        match model:
            case "tokens" | "maximal":
                asked = self._questioned_program
                return Executable(self.module, self.function, setting, pool, names, asked)
            case "inferred" | "ipdom":
                from .models import runnable_under

                return runnable_under(model, self.module, self.function, setting, pool, names)

    def outcomes(self, model: Model, input_: Input, bounds: Bounds) -> Outcomes:
        """All outcomes for an input, from earlier where it was asked before. What no bound cut short is the
        same whatever the bounds are."""
        by_bounds = self._outcomes.setdefault((model, input_), {})
        known = by_bounds.get(bounds.ways) or by_bounds.get(bounds.counts)
        if known is None:
            known = self.runnable(model).outcomes(input_, bounds)
            if known.bound is None:
                by_bounds[bounds.ways] = known
            elif not is_bound(known.bound, BoundKind.TIMEOUT, BoundKind.INTERRUPTED):
                by_bounds[bounds.counts] = known
        return known

    def take_apart(self) -> None:
        """Drops what a side that is needed no more has in cycles: no collector has to find them."""
        for runnable in self._runnables.values():
            if isinstance(runnable, Executable):
                runnable.take_apart()
        made = self.__dict__
        if "_questioned_program" in made:
            self._questioned_program.take_apart()
        for side in (*made.get("elsewhere", ()), made.get("poisoned")):
            if side is not None:
                side.take_apart()

    @property
    def tally(self) -> Tally | None:
        """What native code ran of all that was run of it; ``None``: the reference ran it all."""
        tallies = [runnable.tally for runnable in self._runnables.values() if runnable.tally is not None]
        return summed(tallies)

    @cached_property
    def asks_unknown_functions(self) -> bool:
        """Whether it calls declared functions without a model whose results matter (D-CALL)."""
        unknown = (self.module.functions.get(object_name(p)) for p in range(len(self.function.parameters)))
        if any(f is not None and f.type.result != SimpleType("void") for f in unknown):
            return True
        table, names = Table(self.options.operations), {n.removeprefix("@") for n in self.options.inputs}
        for function in self.reached:
            for call in function.calls:
                if control(call) is not None:
                    continue
                name = callee_name(call)
                if name is None or name in names or call.type.result == SimpleType("void"):
                    continue
                callee = self.module.functions.get(name)
                if callee is None or not callee.is_declaration or name.startswith("llvm."):
                    continue
                if table.model(Callee.of(name, call, self._questioned_program.context)) is None:
                    return True
        return False


def prepare(
    module: Module | PreparedSide,
    function: str | None = None,
    spec: LaunchSpec | None = None,
    pool: tuple[int, ...] = (),
    source: Function | None = None,
    shape: ObjectShape | None = None,
) -> PreparedSide:
    """A side of a comparison, to be used as often as it is compared; of ``spec`` it takes how it is run, not
    what is launched, and the buffers. A target takes the ``pool`` and the ``shape`` of its ``source``, and
    its names of parameters. Raises UsageError where it is not clear which function is meant."""
    if isinstance(module, PreparedSide):
        return module
    module = with_plain_instructions(module)
    function_name = launched_function(module, function)
    how = spec or LaunchSpec()
    bound = with_buffers(module, function_name, how.buffers, source, how.globals)
    module = bound.module
    graph = CallGraph(module)
    roots = {function_name.name, *_functions_given(module, how)}
    names = frozenset(roots.union(*map(graph.closure, roots)))
    reached = tuple(f for f in module.definitions() if f.name in names)
    errors = tuple(
        d
        for d in verify(module)
        if d.severity is Severity.ERROR and (d.function in names or d.function not in module.functions)
    )
    pool = pool or small_integers(reached)
    globals_ = frozenset(name.removeprefix("@") for name in how.globals)
    options = SideOptions(
        how.uncontrolled, how.dfs, how.operations, how.inputs, pool, globals_,
        engine=how.engine, equal_writes=how.equal_writes,
        shape=shape or shape_of_objects(module, reached),
    )  # fmt: skip
    if len(reached) < len(module.definitions()):
        module = only(module, names | graph.address_taken())
    module, objects = with_objects(module, function_name, options.shape)
    return PreparedSide(
        module, function_name, options, reached, errors, pointed=bound.arguments, objects=objects
    )


def places_differ(first: PreparedSide, second: PreparedSide) -> bool:
    """Whether the sides have other variables, stack objects, functions or blocks, so that some lie at other
    addresses."""

    def sizes(side: PreparedSide) -> list[tuple[str, Type, object]]:
        return [(v.label, v.type, v.tail) for v in side.module.globals.values()]

    def functions(
        side: PreparedSide,
    ) -> list[str]:  # they have addresses, too; the names of these two may differ
        names = (name for name in side.module.functions if not name.startswith("llvm."))
        return ["" if name == side.function.name else name for name in names]

    def stack(side: PreparedSide) -> list[tuple[object, ...]]:
        instructions = (i for f in side.reached for i in f.instructions)
        return [(i.type, i.count, i.align, i.address_space) for i in instructions if isinstance(i, Alloca)]

    if first.mentions_blocks or second.mentions_blocks or sizes(first) != sizes(second):
        return True
    if stack(first) != stack(second):
        return True
    return functions(first) != functions(second)


def _with_padding(function: Function, size: int) -> Function:
    """A function whose stack objects lie behind another one of ``size`` bytes, where it has any."""
    if not any(isinstance(i, Alloca) for i in function.instructions):
        return function
    first, *others = function.blocks
    padding = Alloca(ArrayType(size, IntType(8)), result="padding of the stack")
    return with_blocks(function, (replace(first, instructions=(padding, *first.instructions)), *others))


def with_poison(function: Function) -> Function:
    """A function with poison for each undef of its text; itself if it has none."""
    blocks = [
        replace(block, instructions=tuple(map(with_poison_for_undef, block.instructions)))
        for block in function.blocks
    ]
    changed = any(
        before is not after
        for old, new in zip(function.blocks, blocks, strict=True)
        for before, after in zip(old.instructions, new.instructions, strict=True)
    )
    return with_blocks(function, blocks) if changed else function


def is_ordinary(module: Module, call: CallSite) -> bool:
    """Whether a call is one of a definition, or of a declared function that asks for no other thread."""
    callee = module.functions.get(callee_name(call) or "")
    if callee is None or is_convergent(module, call) or control(call) is not None:
        return False
    return not callee.is_declaration or not callee.name.startswith(
        ("llvm.amdgcn.", "llvm.nvvm.", "llvm.spv.")
    )


def _stack_objects(functions: Iterable[Function]) -> frozenset[str]:
    having = [f for f in functions if Alloca in f.kinds]
    return frozenset(f"%{i.result}" for f in having for i in f.instructions if isinstance(i, Alloca))


def unnamed_objects(first: PreparedSide, second: PreparedSide) -> UnnamedObjects:
    """The objects that one side alone has, and that nobody outside can name; and those of callees without a
    name, whose numbers are others where a call is expanded."""
    named = [{variable.label for variable in side.module.globals.values()} for side in (first, second)]
    mine = first.unnameable - second.unnameable - named[1]
    theirs = second.unnameable - first.unnameable - named[0]
    sides = first.uncaptured, second.uncaptured
    called = set().union(*sides)
    operands = {
        name: frozenset.intersection(*(side[name] for side in sides if name in side)) for name in called
    }
    several = first.stack_of_callees | second.stack_of_callees
    # the places in the text of those that are numbered say nothing
    numbered = frozenset(name for name in several if name[1:].isdecimal())
    names = mine | theirs | numbered
    stack = _stack_objects((*first.reached, *second.reached)) - names - several
    return UnnamedObjects(
        names,
        several,
        {name: places for name, places in operands.items() if places},
        stack if _gives_other_objects(first, second, stack | names) else frozenset(),
    )


def _gives_other_objects(first: PreparedSide, second: PreparedSide, stack: frozenset[str]) -> bool:
    """Whether calls of the two sides have other stack objects among their operands, or in another order."""
    mentions = [
        [
            (callee_name(i), n, o.name)
            for i in calls
            for n, o in enumerate(operands(i))
            if isinstance(o, Local)
        ]
        for side in (first, second)
        for calls in ([call for f in side.reached for call in f.calls],)
    ]
    mine, theirs = ([m for m in given if f"%{m[2]}" in stack] for given in mentions)
    return mine != theirs


def with_unnamed(side: PreparedSide, unnamed: UnnamedObjects) -> PreparedSide:
    """A side of a comparison with these objects that are not told apart by their names."""
    hidden = unnamed.names | unnamed.stack
    names = hidden if side.unnameable & hidden and side.gives_pointers else frozenset[str]()
    uncaptured = {name: places for name, places in unnamed.uncaptured.items() if name in side.uncaptured}
    if not names and not uncaptured:
        return side
    return replace(side, unnamed=UnnamedObjects(names, uncaptured=uncaptured), _runnables={}, _outcomes={})


def with_resources(side: PreparedSide, other: PreparedSide) -> PreparedSide:
    """A side with the resources that only the other one mentions: they are there, and may not change."""
    known = side.module.globals
    more = {n: v for n, v in other.module.globals.items() if v.relaxed and n not in known}
    if not more:
        return side
    module = replace(side.module, globals={**known, **more})
    objects = {**side.objects, **{n: o for n, o in other.objects.items() if n in more}}
    return replace(side, module=module, objects=objects, _runnables={}, _outcomes={})


def _functions_given(module: Module, spec: LaunchSpec) -> Iterator[str]:
    """The definitions that arguments point to."""
    work: list[object] = list(spec.arguments.values())
    while work:
        match work.pop():
            case str() as text:
                name = text.removeprefix("@")
                if name != text and name in module.functions and not module.functions[name].is_declaration:
                    yield name
            case list() | tuple() as values:
                work += values


def only(module: Module, names: frozenset[str]) -> Module:
    """The module without other definitions than these: what nobody reaches has no choices to make."""
    functions = {n: f for n, f in module.functions.items() if f.is_declaration or n in names}
    return module if len(functions) == len(module.functions) else replace(module, functions=functions)


def _alignment(module: Module, parameter: Parameter, least: int) -> int:
    """What the object behind a pointer parameter is aligned to, in bytes: more than usual where the parameter
    promises it, for else no call keeps the promise."""
    return max(least, promised_alignment(module.resolve(parameter.attributes)))


def object_name(place: int) -> str:
    """The global that the parameter at a place, from 0, points to."""
    return f"argument.{place + 1}"


def contents_name(variable: str) -> str:
    """The global that pointers in a variable point to whose contents are an input."""
    return f"contents.{variable}"


def shape_of_objects(module: Module, functions: Iterable[Function]) -> ObjectShape:
    """The shape of objects that functions of a module are given: so large that each lane of a whole wave has
    an element of its own, where lanes may be told from each other; and aligned as the widest access asks,
    which would be undefined in each of our launches."""
    layout, widest, align = layout_of(module), 4, ALIGNED
    having = [f for f in functions if not f.kinds.isdisjoint((Load, Store))]
    for instruction in (i for f in having for i in f.instructions):
        align = max(align, min(_access_alignment(instruction, layout), MOST_ALIGNED))
    if not any(asks_lanes(module, call) for f in functions for call in f.calls):
        return ObjectShape(align=align)
    instructions = [i for f in functions for i in f.instructions]
    for instruction in instructions:
        type_ = _element_type(instruction)
        try:
            size = layout.size(type_) if type_ is not None else 0
        except NotModelled:
            continue
        if size <= WIDEST_ELEMENT:
            widest = max(widest, size)
    return ObjectShape(OBJECT * (-(-widest // 4)), align)


def _access_alignment(instruction: Instruction, layout: Layout) -> int:
    """To how many bytes a load or a store asks its pointer to be aligned; 1 of others."""
    if not isinstance(instruction, Load | Store):
        return 1
    if instruction.align is not None:
        return instruction.align
    try:
        return layout.align(instruction.type if isinstance(instruction, Load) else instruction.value.type)
    except NotModelled:
        return 1


def _element_type(instruction: Instruction) -> Type | None:
    """What an instruction takes for one of many elements, if it looks at memory or goes through it."""
    match instruction:
        case Load(type=type_):
            return type_
        case Store(value=value) | AtomicRMW(value=value):
            return value.type
        case GetElementPtr(source=type_, indices=(first, *_)) if not isinstance(first, Int):
            return type_
        case _:
            return None


class _Pointer(NamedTuple):
    """A pointer that needs an object: the ``key`` by which a launch gives its contents, its type, the
    object's alignment, and what is said of it as of a variable."""

    key: str
    type: PointerType
    align: int
    words: tuple[str, ...] = ()


def with_objects(
    module: Module, function: Function, shape: ObjectShape = USUAL
) -> tuple[Module, dict[str, ComparedObject]]:
    """The module with an object for each pointer parameter, for the pointers in each variable whose
    contents are an input, and for each resource that nobody gave a buffer: small numbers, shared by all
    threads; but for a parameter that is called a function of which nothing is known. And these objects, by
    the names of their variables."""
    called = called_parameters(module, function)
    unknown = {object_name(place): call for place, call in called.items()}
    if unknown:
        declarations = {name: unknown_function(name, call) for name, call in unknown.items()}
        module = replace(module, functions={**module.functions, **declarations})
    pointers = {
        object_name(place): _Pointer(
            f"%{parameter.name}",
            parameter.type,
            _alignment(module, parameter, shape.align),
            words_behind(parameter),
        )
        for place, parameter in enumerate(function.parameters)
        if isinstance(parameter.type, PointerType)
    }
    for name, variable in module.globals.items():
        if is_input(variable) and (pointer := _pointer_in(variable.type, module)) is not None:
            pointers[contents_name(name)] = _Pointer("", pointer, shape.align)
    added: dict[str, GlobalVariable] = {}
    objects: dict[str, ComparedObject] = {}
    i32 = IntType(32)
    type_ = ArrayType(shape.elements, i32)
    # the same ones, whoever else is called
    for place, (name, (key, pointer, align, words)) in enumerate(pointers.items()):
        if name in unknown:
            continue
        numbers = tuple((place + n * 3) % 7 for n in range(shape.elements))
        objects[name] = ComparedObject(key, "i32", numbers)
        added[name] = GlobalVariable(
            name, type_, False, Aggregate(type_, tuple(Int(i32, n) for n in numbers)),
            address_space=pointer.address_space, tail=(f"align {align}",), words=words,
        )  # fmt: skip
    for name, variable in module.globals.items():
        if variable.buffer and is_input(variable):
            added[name], objects[name] = _bound(variable, module)
    if added:
        module = replace(module, globals={**module.globals, **added})
    return module, objects


def _bound(variable: GlobalVariable, module: Module) -> tuple[GlobalVariable, ComparedObject]:
    """A resource that nobody gave a buffer, with small numbers: floats where it is an array of floats."""
    layout = layout_of(module)
    object_of_variable = object_type(variable, layout)
    assert isinstance(object_of_variable, ArrayType)
    place = sum(map(ord, variable.name))  # the same numbers on both sides, whatever else these have
    element = element_of(object_of_variable.element)
    if element is None or element.size != 4:
        element = ELEMENTS["i32"]
    count = max(OBJECT, -(-layout.size(object_of_variable) // element.size))
    numbers = tuple((place + n * 3) % 7 for n in range(count))
    type_ = ArrayType(count, element.type)
    data = b"".join((element.bits(n) or 0).to_bytes(element.size, "little") for n in numbers)
    bound_variable = replace(variable, type=type_, initializer=Packed(type_, data))
    return bound_variable, ComparedObject(variable.buffer, element.name, numbers)


def _pointer_in(type_: Type, module: Module) -> PointerType | None:
    """The first pointer in a type."""
    match type_:
        case PointerType():
            return type_
        case NamedType(name):
            body = module.types.get(name)
            return None if body is None else _pointer_in(body, module)
        case VectorType(element=element) | ArrayType(element=element):
            return _pointer_in(element, module)
        case StructType(parts):
            return next((p for p in (_pointer_in(part, module) for part in parts) if p is not None), None)
        case _:
            return None


def _uncontrolled(module: Module, function: Function) -> bool:
    return any(
        control(i) is None
        and token_used(i) is None
        and is_convergent(module, i)
        and not _is_ordinary_intrinsic(i)
        for i in function.calls
    )


def _is_ordinary_intrinsic(call: CallSite) -> bool:
    """The control intrinsics, however they are spelled, are no operations."""
    return any(callee_name(call) == kind.value for kind in Control)


# ----------------------------------------------------------------------------------------------------------
# Modules that are compared each with the next, as passes made them: what one comparison learned of its
# target is known of the next one's source.
# ----------------------------------------------------------------------------------------------------------


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
