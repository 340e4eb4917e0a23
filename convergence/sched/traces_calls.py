"""Calls on a candidate trace: the instances of convergent operations and control intrinsics (D-CALL)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..alignment.instances import StaticInstance
from ..ir import instructions as ir
from ..ir import operands as op
from ..ir.calls import Control, callee_name, control, is_convergent, token_used
from ..ir.module import Function
from ..ir.types import SimpleType, Type
from ..semantics.exchanges import Callee, Exchanging, Operands, PerThread, Subgroup
from ..semantics.instructions import ENDS_THREAD, base_name, operands
from ..semantics.plain import plain
from ..semantics.stand_in import stand_in
from ..semantics.threads import UsageError
from ..semantics.translate_calls import control_intrinsic
from ..semantics.translate_declared import EXITS
from ..semantics.unknown import Unknown, needed
from ..semantics.values import Composite, NotModelled, Pointer, RuntimeValue, Undefined, Value
from .shapes import (
    Anchored,
    Beat,
    Call,
    Entered,
    EnteredFreely,
    Hangs,
    Instance,
    PlainCall,
    Root,
    Uncontrolled,
    Uses,
)
from .traces import NOTHING, Activation, Steps
from .tree import Trace


class Walk(Steps):
    """Follows ``node.answers``, and fills in ``node``."""

    def call(self, frame: Activation, call: ir.CallSite) -> Trace | None:
        """One ``call`` or ``invoke``."""
        if isinstance(call, ir.CallBr):
            raise NotModelled("the instruction callbr")
        kind = control(call)
        if kind is not None:
            self._control(frame, call, kind)
            self.after_call(frame)
            return None
        module = self.world.module
        convergent = is_convergent(module, call)
        name = callee_name(call)
        function = module.functions.get(name) if name is not None else None
        if function is None:
            if isinstance(call.callee, op.InlineAsm):
                if not _is_void(call.type.result):
                    raise NotModelled("inline assembly with a result")
                self._void(frame, call, "asm", convergent, True, None)
                self.after_call(frame)
                return None
            function = self._function_at(*self.look(frame, (call.callee,)))
            self.control |= self.looking
        if not function.is_declaration:
            self._enter(frame, call, function, convergent)
            return None
        return self._declared(frame, call, function, convergent)

    def _function_at(self, pointer: Any) -> Function:
        """The function that a pointer names."""
        if isinstance(pointer, Unknown):
            raise UsageError(needed(pointer, "a call"))
        if self.is_poison(pointer) or pointer.undef:
            raise Undefined("call through a poison or undef pointer", "'call' Instruction")
        name = self.memory.function_at(pointer)
        if name is None:
            raise Undefined("call through a pointer that is no function's address", "'call' Instruction")
        if control_intrinsic(name):
            raise Undefined(f"@{name} is called indirectly", "Convergence Control Intrinsics")
        return self.world.module.functions[name]

    # -- instances ----------------------------------------------------------------------------------

    def instance(self, site: StaticInstance, hangs: Hangs) -> Instance:
        """Executes an instance: one of the pieces that are known, or a new one."""
        recorded = not isinstance(hangs, EnteredFreely)
        nth = 0
        if recorded:
            nth = self.counts[site] = self.counts.get(site, 0) + 1
        if self.met < self.known:
            found = self.path[self.met]
        else:
            previous = next((i for i in reversed(self.path) if i.recorded), None)
            assert self.frame is not None
            found = Instance(
                self.world.number(), self.node.thread, self.launch, site, nth, self.node, hangs, previous,
                self.frame.visit, self.frame.number,
            )  # fmt: skip
            self.path.append(found)
        self.met += 1
        if recorded:
            assert self.frame is not None
            self.inside.setdefault(self.frame.visit, []).append(found.dynamic)
        return found

    def _control(self, frame: Activation, call: ir.CallSite, kind: Control) -> None:
        site = StaticInstance(frame.code.name, frame.at)
        hangs: Hangs
        match kind:
            case Control.ENTRY:
                if frame.root is None or isinstance(frame.root, PlainCall):
                    assert frame.caller is not None
                    here = StaticInstance(frame.caller.code.name, frame.call)
                    name = self.world.program.name(here)
                    words = f"{name} is no convergent operation but reaches entry: its groups are free"
                    self.node.notes[words] = None
                    frame.root = self.instance(here, EnteredFreely())
                hangs = Entered(frame.root)
            case Control.LOOP:
                token = self._token(frame, call)
                if token is None:
                    raise NotModelled("a loop intrinsic without a token")
                n = frame.beats[site.index, token] = frame.beats.get((site.index, token), 0) + 1
                hangs = Beat(token, n)
            case Control.ANCHOR:
                hangs = Anchored()
        instance = self.instance(site, hangs)
        self.define(frame, call.result, instance, NOTHING)

    def _token(self, frame: Activation, call: ir.CallSite) -> Instance | None:
        local = token_used(call)
        if local is None:
            return None
        token = frame.registers.get(local.name)
        if not isinstance(token, Instance):
            raise NotModelled("a token whose definition was not executed")
        return token

    def _hangs(self, frame: Activation, call: ir.CallSite) -> Hangs:
        """D-USE with a token, D-FREE without."""
        token = self._token(frame, call)
        if token is not None:
            return Uses(token)
        return Uncontrolled(frame.root, self.header_at(frame, frame.at))

    # -- defined functions --------------------------------------------------------------------------

    def _enter(self, frame: Activation, call: ir.CallSite, function: Function, convergent: bool) -> None:
        given, wanted = call.type, function.type
        if (given.result, given.parameters, given.variadic) != (
            wanted.result,
            wanted.parameters,
            wanted.variadic,
        ):
            raise Undefined(
                f"@{function.name} is called with a type that it does not have", "'call' Instruction"
            )
        for parameter in function.parameters:
            if any(w.startswith(("byval", "inalloca", "preallocated")) for w in parameter.attributes):
                raise NotModelled(f"the byval parameter %{parameter.name} of @{function.name}")
        values = self._arguments(frame, call, function)
        site = StaticInstance(frame.code.name, frame.at)
        root: Root | None
        if convergent:
            root = self.instance(site, self._hangs(frame, call))
        else:
            root = self._plain_call(frame, site)
        needs = [
            frame.needs.get(a.value.name, NOTHING) if isinstance(a.value, op.Local) else NOTHING
            for a in call.arguments
        ]
        self.push(self.world.program.code(function.name), values, root, frame.at, call.result, needs)

    def _plain_call(self, frame: Activation, site: StaticInstance) -> PlainCall | None:
        program = self.world.program
        if not program.counts_headers or frame.root is None:
            return None
        slots = frame.code.region_tokens.get(site.index, ())
        held = (frame.registers.get(self.world.register(frame.code.name, slot)) for slot in slots)
        tokens = tuple(t for t in held if isinstance(t, Instance))
        return PlainCall(site, frame.root, self.header_at(frame, site.index), tokens)

    def _arguments(self, frame: Activation, call: ir.CallSite, function: Function | None) -> list[Any]:
        """The arguments' values; undefined behaviour for undef or poison where there may be none."""
        values = self.look(frame, operands(call))
        for position, (argument, value) in enumerate(zip(call.arguments, values, strict=True)):
            words = argument.attributes
            if function is not None and position < len(function.parameters):
                words = (*words, *function.parameters[position].attributes)
            if "noundef" in words:
                name = "asm" if function is None else function.name
                self.require_defined(value, f"a noundef argument of @{name}")
        return values

    # -- declared functions -------------------------------------------------------------------------

    def _declared(
        self, frame: Activation, call: ir.CallSite, function: Function, convergent: bool
    ) -> Trace | None:
        """What the tables say of a declared function, in the order in which the machine asks them."""
        program, name = self.world.program, function.name
        settings = program.settings
        if name in settings.inputs:
            self._input(frame, call, function, convergent)
            self.after_call(frame)
            return None
        words = frozenset(
            (*program.module.function_attributes(name), *program.module.resolve(call.attributes))
        )
        index, code = frame.at, frame.code.name
        if name not in settings.operations:
            if base_name(name, ENDS_THREAD) is not None or name in EXITS:
                return self._exit(frame, call, name)
            if not convergent:
                if (evaluate := self.world.intrinsic(code, index)) is not None:
                    self._pure(frame, call, evaluate)
                    return None
                if (access := self.world.access(code, index)) is not None:
                    values = self.look(frame, operands(call))
                    self.do_access(frame, call, access, values)
                    self.after_call(frame)
                    return None
        model = program.table.model(Callee(name, call.type, program.context))
        if isinstance(model, PerThread):
            self._per_thread(frame, call, convergent, model)
            return None
        if isinstance(model, Exchanging):
            if not convergent:
                raise NotModelled(f"a call of @{name}, which exchanges data, that is no convergent operation")
            self._exchange(frame, call, function, model, False)
            return None
        if convergent and (evaluate := self.world.intrinsic(code, index)) is not None:
            self._pure(frame, call, evaluate)
            return None
        effects = not (words & {"memory(none)", "readnone"} and {"willreturn", "nounwind"} <= words)
        if "noreturn" in words:
            return self._exit(frame, call, name)
        if _is_void(call.type.result):
            self._void(frame, call, name, convergent, effects, function)
            self.after_call(frame)
        elif convergent:
            self._exchange(frame, call, function, self._uninterpreted(call, name, effects), True)
        else:
            self._stand_in(frame, call, name, effects)
        return None

    def _pure(self, frame: Activation, call: ir.CallSite, evaluate: Any) -> None:
        values = self.look(frame, operands(call))
        unknown = next((v for v in values if isinstance(v, Unknown)), None)
        result = unknown if unknown is not None else evaluate(*values)
        self._returned(frame, call, result)

    def _returned(self, frame: Activation, call: ir.CallSite, result: Any) -> None:
        self.define(frame, call.result, result)
        self.after_call(frame)

    def _exit(self, frame: Activation, call: ir.CallSite, name: str) -> Trace:
        """A call that ends the thread."""
        values = self.look(frame, operands(call))
        site = StaticInstance(frame.code.name, frame.at)
        self._check_shown(values, frame)
        self.happened(site, name, tuple(values), call.type.parameters, None, None, None)
        return self.ended("exited", None)

    def _check_shown(self, values: list[Any], frame: Activation) -> None:
        settings = self.world.program.settings
        if settings.unknowns and not settings.lenient:
            for value in values:
                if isinstance(value, Unknown):
                    raise UsageError(needed(value, f"a call in @{frame.code.name}"))

    def _void(
        self,
        frame: Activation,
        call: ir.CallSite,
        name: str,
        convergent: bool,
        effects: bool,
        function: Function | None,
    ) -> None:
        """A callee without a model and without a result: nothing is exchanged."""
        values = self._arguments(frame, call, function)
        site = StaticInstance(frame.code.name, frame.at)
        instance = self.instance(site, self._hangs(frame, call)) if convergent else None
        if effects:
            self._check_shown(values, frame)
            self.happened(site, name, tuple(values), call.type.parameters, None, None, instance)

    def _input(self, frame: Activation, call: ir.CallSite, function: Function, convergent: bool) -> None:
        """A callee whose results were given."""
        settings, name, thread = self.world.program.settings, function.name, self.node.thread
        values = self.look(frame, operands(call))
        site = StaticInstance(frame.code.name, frame.at)
        instance = self.instance(site, self._hangs(frame, call)) if convergent else None
        nth = self.calls[name] = self.calls.get(name, 0) + 1
        streams = settings.inputs[name]
        stream = streams[thread] if thread < len(streams) else ()
        if nth > len(stream):
            raise UsageError(
                f"thread {thread} makes call {nth} of @{name}, but --input gives it {len(stream)} values"
            )
        result = stream[nth - 1]
        self.define(frame, call.result, result, NOTHING)
        if instance is not None:
            self.node.results[instance] = result
        words = frozenset(
            (*self.world.module.function_attributes(name), *self.world.module.resolve(call.attributes))
        )
        if not (words & {"memory(none)", "readnone"} and {"willreturn", "nounwind"} <= words):
            self._check_shown(values, frame)
            self.happened(site, name, tuple(values), call.type.parameters, result, call.type.result, instance)

    def _per_thread(self, frame: Activation, call: ir.CallSite, convergent: bool, model: PerThread) -> None:
        site = StaticInstance(frame.code.name, frame.at)
        instance = self.instance(site, self._hangs(frame, call)) if convergent else None
        values = self.look(frame, operands(call))
        unknown = next((v for v in values if isinstance(v, Unknown)), None)
        result: Any = (
            unknown
            if unknown is not None
            else model.alone(self.world.place(self.node.thread), *(self.settled(v) for v in values))
        )
        if instance is not None:
            self.node.results[instance] = result
        self._returned(frame, call, result)

    def settled(self, value: Any) -> Any:
        """A value as the path has it: what is not known of it is asked."""
        if isinstance(value, Composite):
            return Composite(tuple(self.settled(e) for e in value.elements))
        if not isinstance(value, Value):
            return value
        poison = self.decide(value.poison)
        bits = 0 if poison else self.number(value.bits)
        if isinstance(value, Pointer):
            return type(value)(bits, value.provenance, poison)
        return type(value)(bits, poison)

    def _stand_in(self, frame: Activation, call: ir.CallSite, name: str, effects: bool) -> None:
        """D-CALL for a call that is not convergent: a value of callee, thread and operands."""
        values = self.look(frame, operands(call))
        self._check_shown(values, frame)
        types, type_, program = call.type.parameters, call.type.result, self.world.program
        shown = [plain(self.settled(v), t, program.layout) for v, t in zip(values, types, strict=False)]
        nth = self.calls[name] = self.calls.get(name, 0) + 1
        result = stand_in(
            name, [self.node.thread, list(shown), nth if effects else 0], type_, program.context
        )
        self.node.notes[f"@{name} has no model: its results are stand-ins"] = None
        if effects:
            site = StaticInstance(frame.code.name, frame.at)
            self.happened(site, name, tuple(values), types, result, type_, None)
        self._returned(frame, call, result)

    # -- exchanges ----------------------------------------------------------------------------------

    def _uninterpreted(self, call: ir.CallSite, name: str, effects: bool) -> Exchanging:
        """D-CALL: a value of callee, own thread and the group's operands; with side effects, of the group."""
        program, types, type_ = self.world.program, call.type.parameters, call.type.result

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            asked: list[Any] = [
                [
                    subgroup.first + lane,
                    [plain(v, t, program.layout) for v, t in zip(values, types, strict=False)],
                ]
                for lane, values in sorted(group.items())
            ]
            if not types and not effects:
                asked = []
            results = {}
            for lane in group:
                value = stand_in(name, [subgroup.first + lane, asked], type_, program.context)
                assert value is not None
                results[lane] = value
            return results

        return Exchanging(together, effects)

    def _exchange(
        self,
        frame: Activation,
        call: ir.CallSite,
        function: Function,
        model: Exchanging,
        stands_in: bool,
    ) -> None:
        """An instance of an exchange: its result is an unknown."""
        values = self._arguments(frame, call, function)
        site, type_ = StaticInstance(frame.code.name, frame.at), call.type.result
        instance = self.instance(site, self._hangs(frame, call))
        if instance.call is None:
            instance.call = Call(function.name, call.type.parameters, type_, model, stands_in)
            instance.operands = tuple(values)
            instance.needs = self.control | self.looking
            if not _is_void(type_) and not self.holds_pointers(type_):
                instance.result = self.fresh(type_, instance)
        result = None
        if not _is_void(type_):
            self.looking = frozenset((instance,))
            result = instance.result if instance.result is not None else self.pick(instance)
        if model.effect:
            self._check_shown(values, frame)
            self.happened(site, function.name, tuple(values), call.type.parameters, result, type_, instance)
        self._returned(frame, call, result)


def _is_void(type_: Type) -> bool:
    return isinstance(type_, SimpleType) and type_.kind == "void"
