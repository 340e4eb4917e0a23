"""A module made ready to run: functions compiled when they are first entered, globals laid out.

A :class:`Program` holds all that stays the same from one execution to the next, so that a run is
a pure function of the program, the launch and the list of choices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ... import ir as op
from ...alignment import StaticInstance, callee_text, operation_name
from ...diagnostics import Severity
from ...frozen import Json, dataclass
from ...ir import Operand, PointerType, SimpleType, Type, named_globals
from ...ir import instructions as ir
from ...ir.calls import Control, control, is_grouped, token_used
from ...ir.cfg import Order
from ...ir.instructions import CallSite, operands
from ...ir.module import Function, Module, is_hidden
from .. import Crash, NotModelled
from ..arithmetic import ConcreteDomain
from ..convergence.reachability import CallGraph
from ..memory.allocations import Memory
from ..memory.globals import block_address, clone, initial_memory, launched, needs_environment, own_variables
from ..operations import NO_EFFECTS, Effects, effects_of, is_shader_input, stand_in
from ..values import Provenance, RuntimeValue, Value, plain
from ..values.context import Context, Frozen
from ..values.datalayout import layout_of

if TYPE_CHECKING:
    from ...ir.escape import Escapes
    from ...source import Span
    from ..memory.accesses import CalleeWrites
    from ..operations import Prepare
    from ..operations.table import Table

Uncontrolled = Literal["maximal", "any", "none"]
"""How uncontrolled convergent operations group (D-FREE)."""
EnvironmentKind = Literal["direct", "queued", "watched"]
"""How threads meet memory and exchanges: at once; by later choices (D-MEM, D-CAUSE); at once, noting
which accesses race."""
EngineKind = Literal["auto", "reference", "native", "attended"]
"""What runs threads between their exchanges."""
StandIn = Callable[[str, Json, Type, Context], RuntimeValue | None]
"""What a declared function without a model returns: of its name, what its result depends on, and its type."""
Legality = Literal["columns", "dependence"]
"""Which free choices are legal: those that D-ORDER allows, or, for refinement, those that D-DEP does."""


Translate = Callable[["Program", Function], Any]
"""From a program and a definition in it to prepared code."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a program is compiled for.

    ``inputs``        per declared function, per thread, what its calls return, in order
    ``operations``    models that the user adds, by function name
    ``path_of``       the launched function, when its blocks are given by paths
    ``equal_writes``  whether writes that race and leave the same bytes count as one (D-SYNC)
    ``unknowns``      whether some argument of the launched function has no value
    ``lenient``       with unknown arguments: results that depend on them are shown as unknown
    ``max_depth``     activations of one thread at most
    ``environment``   how threads meet memory and exchanges
    ``prune``         whether a group that was passed over must grow before it is closed: fewer
                      lists of choices, the same executions
    ``verified``      the caller vouches for the static rules: what they exclude is our own bug
    ``order``         D-ORDER's columns, or D-DEP: only dependence, which asks for a queued environment
    ``reading``       whether a call that only reads memory is an event (:func:`.effects_of`): not in a
                      refinement
    ``readable``      the variables that any function may read, where results depend on what threads wrote
                      there (:mod:`..memory.accesses`)
    ``joins``         under D-DEP, whether threads go on behind the join of a branch over computations that
                      they cannot decide yet (:mod:`..environments.speculation`)
    ``recurrence``    whether a whole state that comes back ends a run (:mod:`.recurrence`); else a bound does
    ``stand_in``      the interpretation of declared functions that have no model (D-CALL)
    ``callee_writes`` whether functions without a model write to what their attributes allow
    ``frozen``        what a poison or undef becomes that is frozen, by ``freeze`` and element; 0 without
    ``absent``        the extern_weak symbols that are not there
    ``engine``        what runs threads: :mod:`..native` from the start, or with ``auto`` once a run is long
    ``shares``        whether runs share what is the same in all of them, or find it out anew: the effects of
                      calls, and the launch groups
    ``jobs``          cores that run workgroups at most; ``None``: all there are, where that is worth it
    """

    uncontrolled: Uncontrolled = "maximal"
    dfs: Order = Order.TEXT
    inputs: Mapping[str, Sequence[Sequence[RuntimeValue]]] = field(default_factory=dict)
    operations: Mapping[str, Prepare] = field(default_factory=dict)
    path_of: str | None = None
    equal_writes: bool = False
    unknowns: bool = False
    lenient: bool = False
    max_depth: int = 100_000
    environment: EnvironmentKind = "direct"
    prune: bool = True
    verified: bool = False
    order: Legality = "columns"
    reading: bool = True
    readable: frozenset[str] | None = None
    joins: bool = False
    recurrence: bool = True
    stand_in: StandIn = stand_in
    callee_writes: CalleeWrites | None = None
    frozen: Frozen | None = None
    absent: frozenset[str] = frozenset()
    engine: EngineKind = "reference"
    shares: bool = True
    jobs: int | None = None


class Described(NamedTuple):
    """A call as answers show it: its function's place in the text, its name, what it calls, whether it is
    a control intrinsic, the type of its result."""

    place: int
    name: str
    callee: str
    control: bool
    type: Type


def name_of(module: Module, site: StaticInstance) -> str:
    """A call's name as people see it: ``%result`` or ``@callee#k``."""
    function = module.functions[site.function]
    if isinstance(function.instructions[site.index], CallSite):
        return operation_name(function, site.index)
    return f"@{site.function} instruction {site.index}"


class Program:
    """``module`` under ``settings``.

    ``context``         what preparing an instruction may look at
    ``calls``           which functions may be entered from where
    ``escapes``         which stack objects other threads could know
    ``counts_headers``  whether D-FREE, mode maximal, asks for cycle headers anywhere
    ``has_choices``     whether labels are chosen anywhere, so that D-ORDER has to be watched
    ``own_variables``   what each thread has for itself
    ``waits_at_joins``  whether some thread waited for a branch behind whose join it could have gone on, or
                        for what may prove unable to change a value
    ``memory``          shared memory as it is at the launch
    ``spins``           whether an execution may come back to a state, once that was asked
    ``recurring``       what :mod:`.recurrence` knows of it, once it was asked
    ``grouped``         the launch groups of the latest launches, by their shapes
    ``furnished``       the latest launch, and what runtimes put into memory for it (:mod:`.launch`)
    ``forgets``         whether the log of a very long native run may count visits of blocks only
    ``unattended``      whether runs may go from their launch to their end natively, with nobody who attends
    ``at_once``         whether all their workgroups are launched at once: the order of turns matters
    ``holds_poison``    whether their code holds poison in memory, which one of them was seen to need
    ``attended``        why none does, if one has tried
    ``long``            whether a run has proved long, so that ``auto`` is native from the start
    ``uniform_barriers`` the calls of barriers that threads have to come to as one, of the functions that were
                        prepared (:mod:`.uniform_barriers`)
    ``native``          the native code of its functions, or why there is none, by their prepared code
    ``carriers``        computations that give pointers into objects of some of their operands, by places
    """

    def __init__(
        self, module: Module, settings: Settings | None = None, translate: Translate | None = None
    ) -> None:
        """``translate`` prepares functions; without it the program is one to be asked, not to be run."""
        self.module = module
        self.settings = settings or Settings()
        if module.renamed:
            operations = {module.named(name): model for name, model in self.settings.operations.items()}
            self.settings = replace(self.settings, operations=operations)
        self.uncontrolled = self.settings.uncontrolled
        self.domain = ConcreteDomain()
        self.layout = layout_of(module)
        self._addresses: dict[str, Value] = {}
        self._blocks: dict[tuple[str, str], Value] = {}
        self.context = Context(
            module, self.domain, self.layout, self.address_of, self.address_of_block, self.settings.frozen
        )
        self.calls = CallGraph(module)
        self.stand_ins: dict[str, None] = {}
        self._translate = translate
        self._codes: dict[str, Any] = {}
        self._weak: dict[str, frozenset[str]] = {}
        self._lends: dict[str, bool] = {}
        self._described: dict[StaticInstance, Described] = {}
        self._effects: dict[tuple[str, int], tuple[CallSite, Effects]] = {}
        free, labels = _free_operations(module)
        self.counts_headers = free and self.uncontrolled == "maximal"
        self.waits_at_joins = False
        self.own_variables = own_variables(module)
        self.spins: bool | None = None
        self.recurring: Any = None
        self.grouped: dict[Any, Any] = {}
        self.furnished: Any = None
        self.uniform_barriers: dict[StaticInstance, Any] = {}
        self.native: dict[Any, Any] = {}
        self.carriers: dict[Any, tuple[int, ...]] = {}
        self.forgets = True
        self.long = False
        self.unattended = True
        self.at_once = False
        self.holds_poison = False
        self.attended = ""
        self._launched: tuple[Mapping[str, Sequence[RuntimeValue]], int, Memory] | None = None
        self.has_choices = labels or (free and self.uncontrolled == "any")
        self.memory = Memory(self.layout, self.domain)
        initial_memory(self.context, self._addresses, self.memory, self.settings.absent)

    @cached_property
    def escapes(self) -> Escapes:
        """Which stack objects other threads could know."""
        from ...ir.escape import Escapes

        return Escapes(self.module)

    @cached_property
    def table(self) -> Table:
        """The models of declared functions."""
        from ..operations.table import Table

        return Table(self.settings.operations)

    @cached_property
    def needs_environment(self) -> bool:
        """Whether it asks for what only the environment can say."""
        return needs_environment(self.module)

    @cached_property
    def keeps_rules(self) -> bool:
        """Whether the static rules hold: somebody vouches for them, or they are looked at now."""
        if self.settings.verified:
            return True
        from ...verifier import verify

        return not any(diagnostics.severity is Severity.ERROR for diagnostics in verify(self.module))

    def plain(self, value: object, type_: Type) -> Json:
        """A value as plain data; an address that an integer became by the module's object that lies there."""
        return plain(value, type_, self.layout, self._object_at)

    def _object_at(self, address: int) -> Provenance | None:
        allocation = self.memory.allocation_at(address, 1)
        return None if allocation is None else allocation.provenance

    def address_of(self, name: str) -> Value:
        """The address of a global, function or alias. Raises NotModelled for what has none."""
        entry = self._addresses.get(name)
        if entry is not None:
            return entry
        alias = self.module.aliases.get(name)
        if alias is not None and alias.kind == "alias":
            from ..instructions.expressions import constant

            value = constant(alias.target, self.context)
            assert isinstance(value, Value)
            self._addresses[name] = value
            return value
        raise NotModelled(f"the address of @{name}")

    def address_of_block(self, function: str, block: str) -> Value:
        """``blockaddress(@function, %block)``: each has an address of its own, which cannot be accessed."""
        known = self._blocks.get((function, block))
        if known is None:
            known = self._blocks[function, block] = block_address(self.memory, function, block)
        return known

    def lends_memory(self, name: str) -> bool:
        """Whether what has no model might write to memory of which a thread that begins in ``name`` knows: a
        function that is only declared, where it takes a pointer or the module has variables that it can name,
        or inline assembly."""
        known = self._lends.get(name)
        if known is None:
            definitions = [self.module.functions[n] for n in self.functions_from(name)]
            known = self._lends[name] = self._declares_writers or any(
                isinstance(c.callee, op.InlineAsm) for function in definitions for c in function.calls
            )
        return known

    @cached_property
    def _declares_writers(self) -> bool:
        declared = [f for f in self.module.functions.values() if f.is_declaration]
        if any(isinstance(p.type, PointerType) for function in declared for p in function.parameters):
            return True
        return self.has_nameable_variables and any(not f.name.startswith("llvm.") for f in declared)

    @cached_property
    def has_nameable_variables(self) -> bool:
        """Whether functions of other modules may write to variables of this one by their names."""
        return any(
            not (variable.constant or variable.buffer or is_hidden(variable) or name.startswith("llvm."))
            for name, variable in self.module.globals.items()
        )

    def weak_symbols_from(self, name: str) -> frozenset[str]:
        """The symbols that need not be there and at whose address a thread may look from ``name``."""
        known = self._weak.get(name)
        if known is None:
            names = self.functions_from(name)
            functions = (f for f in self.module.definitions() if f.name in names)
            known = self._weak[name] = weak_symbols(self.module, functions)
        return known

    def functions_from(self, name: str) -> frozenset[str]:
        """The defined functions that a thread which begins in ``name`` may execute, with that one."""
        return self.calls.closure(name) | {name}

    def code(self, name: str) -> Any:
        """A defined function's prepared code, as the environment wants it (:mod:`..threads`)."""
        known = self._codes.get(name)
        if known is None:
            known = self._codes[name] = self._prepared(self.module.functions[name])
        return known

    def _prepared(self, function: Function) -> Any:
        if self._translate is None:
            raise Crash(f"@{function.name} is to be run in a program that is only asked")
        return self._translate(self, function)

    def take_apart(self) -> None:
        """Drops what a program that is needed no more has in cycles: no collector has to find them."""
        for code in self._codes.values():
            code.take_apart()
        self._codes.clear()
        self.__dict__.pop("context", None)

    def launched_memory(self, contents: Mapping[str, Sequence[RuntimeValue]]) -> Memory:
        """The memory of one run, with what the environment put into variables. It is put together once for
        all runs of a launch."""
        if not contents:
            return clone(self.memory)
        objects = len(self.memory.allocations)  # more, once the address of a block was asked for
        known = self._launched
        if known is None or known[0] is not contents or known[1] != objects:
            known = self._launched = contents, objects, launched(self.memory, self.context, contents)
        return clone(known[2])

    def name(self, site: StaticInstance) -> str:
        """A call's name as people see it: ``%result`` or ``@callee#k``."""
        return name_of(self.module, site)

    def callee(self, site: StaticInstance) -> str:
        """What the call at ``site`` names, as it is written."""
        call = self.module.functions[site.function].instructions[site.index]
        return callee_text(call) if isinstance(call, CallSite) else ""

    def described(self, site: StaticInstance) -> Described:
        """The call at ``site`` as answers show it."""
        known = self._described.get(site)
        if known is None:
            function = self.module.functions[site.function]
            call = function.instructions[site.index]
            place = list(self.module.functions).index(site.function)
            is_control = isinstance(call, CallSite) and control(call) is not None
            type_ = call.type.result if isinstance(call, CallSite) else SimpleType("void")
            known = Described(place, self.name(site), self.callee(site), is_control, type_)
            self._described[site] = known
        return known

    def effects(self, name: str, call: CallSite) -> Effects:
        """What a call of the declared function ``name`` may do, by the attributes of both."""
        known = self._effects.get((name, id(call)))
        if known is None or not self.settings.shares:  # with the call, so that nobody else gets its identity
            known = self._effects[name, id(call)] = call, self._effects_of(name, call)
        return known[1]

    def _effects_of(self, name: str, call: CallSite) -> Effects:
        from ..instructions.intrinsics import is_marker

        if is_marker(name) or is_shader_input(name):
            return NO_EFFECTS
        if isinstance(call.callee, op.InlineAsm) and "sideeffect" in call.callee.flags:
            words = self.module.resolve(call.attributes)
            return Effects(ends="noreturn" in words, read_at=effects_of(words).read_at)
        return effects_of((*self.module.function_attributes(name), *self.module.resolve(call.attributes)))

    def span(self, site: StaticInstance) -> Span:
        return self.module.functions[site.function].instructions[site.index].span


def _free_operations(module: Module) -> tuple[bool, bool]:
    """Whether some definition has an uncontrolled convergent operation; whether labels may be chosen
    under every mode: an anchor, or a call through a pointer that may meet an entry."""
    free = labels = entry = pointer = False
    for function in module.definitions():
        for call in function.calls:
            kind = control(call)
            if kind is not None:
                labels = labels or kind is Control.ANCHOR
                entry = entry or kind is Control.ENTRY
            elif is_grouped(module, call):
                free = free or token_used(call) is None
            elif not isinstance(call.callee, op.Global) or call.callee.name not in module.functions:
                pointer = pointer or not isinstance(call.callee, op.InlineAsm)
    return free, labels or (entry and pointer)


# ----------------------------------------------------------------------------------------------------------
# Symbols that may not be there: ``extern_weak``, whose address is null then (LangRef, *Linkage Types*).
#
# Whether they are is an input, where a program looks at the address itself: to load from it, to store there,
# or to call it is undefined without.
# ----------------------------------------------------------------------------------------------------------

ABSENT, PRESENT = "absent", "present"
"""What is given for a symbol: it is not there; a function is."""


def is_weak(module: Module, name: str) -> bool:
    """Whether a symbol need not be there."""
    variable, function = module.globals.get(name), module.functions.get(name)
    return any(symbol is not None and "extern_weak" in symbol.words for symbol in (variable, function))


def weak_symbols(module: Module, functions: Iterable[Function]) -> frozenset[str]:
    """The symbols that need not be there and at whose address ``functions`` look."""
    if not any(is_weak(module, name) for name in (*module.globals, *module.functions)):
        return frozenset()
    names: set[str] = set()
    for function in functions:
        for instruction in function.instructions:
            names.update(name for operand in _looked_at(instruction) for name in named_globals(operand))
    return frozenset(name for name in names if is_weak(module, name))


def _looked_at(instruction: ir.Instruction) -> Iterable[Operand]:
    """The operands whose value matters, not only what is behind it."""
    match instruction:
        case ir.Load():
            return ()
        case ir.Store():
            return (instruction.value,)
        case ir.Phi():
            return [value for value, _ in instruction.incoming]
        case _:
            return operands(instruction)
