"""Calls of declared functions on a candidate trace (D-CALL): exchanges, given inputs, stand-ins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..alignment.instances import StaticInstance
from ..ir import instructions as ir
from ..ir.calls import token_used
from ..ir.module import Function
from ..ir.types import SimpleType, Type
from ..semantics.errors import NotModelled, UsageError
from ..semantics.exchanges import Callee, Exchanging, Operands, PerThread, Subgroup
from ..semantics.instructions import ENDS_THREAD, base_name, operands
from ..semantics.plain import plain
from ..semantics.stand_in import stand_in
from ..semantics.translate_declared import EXITS
from ..semantics.unknown import Unknown, needed
from ..semantics.values import Composite, Pointer, RuntimeValue, Value
from .shapes import (
    Call,
    EnteredFreely,
    Hangs,
    Instance,
    Uncontrolled,
    Uses,
)
from .traces import Steps
from .traces_state import NOTHING, Activation
from .tree import Trace


class Declared(Steps):
    """What happens at a call of a function without a body, and the instances that calls make."""

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

    def token(self, frame: Activation, call: ir.CallSite) -> Instance | None:
        local = token_used(call)
        if local is None:
            return None
        token = frame.registers.get(local.name)
        if not isinstance(token, Instance):
            raise NotModelled("a token whose definition was not executed")
        return token

    def hangs(self, frame: Activation, call: ir.CallSite) -> Hangs:
        """D-USE with a token, D-FREE without."""
        token = self.token(frame, call)
        if token is not None:
            return Uses(token)
        return Uncontrolled(frame.root, self.header_at(frame, frame.at))

    def arguments(self, frame: Activation, call: ir.CallSite, function: Function | None) -> list[Any]:
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

    def declared(
        self, frame: Activation, call: ir.CallSite, function: Function, convergent: bool
    ) -> Trace | None:
        """What the tables say of a declared function, in the order in which the machine asks them."""
        program, name = self.world.program, function.name
        settings = program.settings
        if name in settings.inputs:
            self._input(frame, call, function, convergent)
            self.after_call(frame)
            return None
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
        if program.effects(name, call).ends:
            return self._exit(frame, call, name)
        effects = program.is_event(name, call)
        if is_void(call.type.result):
            self.void(frame, call, name, convergent, effects, function)
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

    def void(
        self,
        frame: Activation,
        call: ir.CallSite,
        name: str,
        convergent: bool,
        effects: bool,
        function: Function | None,
    ) -> None:
        """A callee without a model and without a result: nothing is exchanged."""
        values = self.arguments(frame, call, function)
        site = StaticInstance(frame.code.name, frame.at)
        instance = self.instance(site, self.hangs(frame, call)) if convergent else None
        if effects:
            self._check_shown(values, frame)
            self.happened(site, name, tuple(values), call.type.parameters, None, None, instance)

    def _input(self, frame: Activation, call: ir.CallSite, function: Function, convergent: bool) -> None:
        """A callee whose results were given."""
        settings, name, thread = self.world.program.settings, function.name, self.node.thread
        values = self.look(frame, operands(call))
        site = StaticInstance(frame.code.name, frame.at)
        instance = self.instance(site, self.hangs(frame, call)) if convergent else None
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
        if self.world.program.is_event(name, call):
            self._check_shown(values, frame)
            self.happened(site, name, tuple(values), call.type.parameters, result, call.type.result, instance)

    def _per_thread(self, frame: Activation, call: ir.CallSite, convergent: bool, model: PerThread) -> None:
        site = StaticInstance(frame.code.name, frame.at)
        instance = self.instance(site, self.hangs(frame, call)) if convergent else None
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
        if effects:
            self._check_shown(values, frame)
        types, type_, program = call.type.parameters, call.type.result, self.world.program
        nth = self.calls[name] = self.calls.get(name, 0) + 1
        result: Any = next((v for v in values if isinstance(v, Unknown)), None)
        if result is None:
            shown = [plain(self.settled(v), t, program.layout) for v, t in zip(values, types, strict=False)]
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
        values = self.arguments(frame, call, function)
        site, type_ = StaticInstance(frame.code.name, frame.at), call.type.result
        instance = self.instance(site, self.hangs(frame, call))
        if instance.call is None:
            instance.call = Call(function.name, call.type.parameters, type_, model, stands_in)
            instance.operands = tuple(values)
            instance.needs = self.control | self.looking
            if not is_void(type_) and not self.holds_pointers(type_):
                instance.result = self.fresh(type_, instance)
        result = None
        if not is_void(type_):
            self.looking = frozenset((instance,))
            result = instance.result if instance.result is not None else self.pick(instance)
        if model.effect:
            self._check_shown(values, frame)
            self.happened(site, function.name, tuple(values), call.type.parameters, result, type_, instance)
        self._returned(frame, call, result)


def is_void(type_: Type) -> bool:
    return isinstance(type_, SimpleType) and type_.kind == "void"
