"""Calls of declared functions (D-CALL): models, inputs, exchanges, events and stand-ins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..alignment.instances import StaticInstance
from ..ir import instructions as ir
from ..ir.module import Function
from ..ir.types import SimpleType, Type
from .errors import NotModelled, UsageError
from .exchanges import Callee, Exchange, Exchanging, Operands, PerThread, Subgroup
from .frames import Finish, Frame, Planned, Registers, Runs, Segment, Stops
from .instructions import ENDS_THREAD, base_name, operands, prepare_access, prepare_intrinsic
from .keys import Key
from .plain import plain
from .threads import Status, Thread
from .unknown import Unknown, needed
from .values import RuntimeValue

if TYPE_CHECKING:
    from .translate_calls import Calls

EXITS = frozenset({"exit", "_exit", "abort", "llvm.amdgcn.endpgm"})
"""Declared functions that end the thread, next to ENDS_THREAD and what is ``noreturn``."""


class Declared:
    """Prepares the calls of declared functions in one function."""

    def __init__(self, calls: Calls) -> None:
        self.calls = calls
        self.translation = calls.translation
        self.program = calls.program
        self.module = calls.module
        self.code = calls.code

    def call(self, index: int, call: ir.CallSite, name: str, convergent: bool) -> Planned:
        """A call of the declared function ``name``, through a pointer or not."""
        settings, context = self.program.settings, self.program.context
        if name in settings.inputs:
            return self._input(index, call, name, convergent)
        callee = Callee(name, call.type, context)
        if name not in settings.operations:
            if base_name(name, ENDS_THREAD) is not None or name in EXITS:
                return self._exit(index, call, name)
            if not convergent and (evaluate := prepare_intrinsic(call, context)) is not None:
                return self._pure(call, evaluate)
            if not convergent and (access := prepare_access(call, context)) is not None:
                return self.translation.access(index, call, access)
        model = self.program.table.model(callee)
        if isinstance(model, PerThread):
            return self._per_thread(index, call, name, convergent, model)
        if isinstance(model, Exchanging):
            if not convergent:
                raise NotModelled(f"a call of @{name}, which exchanges data, that is no convergent operation")
            return self._exchange(index, call, name, model, False)
        if convergent and (evaluate := prepare_intrinsic(call, context)) is not None:
            return self._pure(call, evaluate)
        if self.program.effects(name, call).ends:
            return self._exit(index, call, name)
        effects = self.program.is_event(name, call)
        if isinstance(call.type.result, SimpleType) and call.type.result.kind == "void":
            return self.void(index, call, name, convergent, effects, self.module.functions[name])
        if convergent:
            model = self._uninterpreted(name, call.type.parameters, call.type.result, effects)
            return self._exchange(index, call, name, model, True)
        return self._stand_in(index, call, name, effects)

    def _places(self, index: int, call: ir.CallSite) -> tuple[StaticInstance, tuple[int, ...], int]:
        """The static instance of a call, the registers of its operands and of its result."""
        return self.calls.site(index), self.translation.slots(operands(call)), self.translation.result(call)

    def _pure(self, call: ir.CallSite, evaluate: Callable[..., RuntimeValue]) -> Runs:
        slots = self.translation.slots(operands(call))
        return Runs(self.translation.pure(evaluate, slots, self.translation.result(call)))

    def _exit(self, index: int, call: ir.CallSite, name: str) -> Stops:
        """A call that ends the thread."""
        site, slots, types = (
            self.calls.site(index),
            self.translation.slots(operands(call)),
            call.type.parameters,
        )

        def make(after: Segment) -> Finish:
            def finish(thread: Thread, frame: Frame) -> Frame | None:
                thread.machine.saw_call(thread, site, name, self._shown(frame, slots, types), None, None)
                thread.end(Status.EXITED)
                return None

            return finish

        return Stops(make)

    def _shown(self, frame: Frame, slots: tuple[int, ...], types: tuple[Type, ...]) -> tuple[Any, ...]:
        """The operands as plain data; an unknown one only where the run may show it."""
        values = [frame.registers[s] for s in slots]
        if self.program.settings.unknowns and not self.program.settings.lenient:
            for value in values:
                if isinstance(value, Unknown):
                    raise UsageError(needed(value, f"a call in @{self.code.name}"))
        return tuple(self.translation.shown(v, t) for v, t in zip(values, types, strict=False))

    def _recorded(self, index: int, convergent: bool) -> Callable[[Thread, Frame], Key | None]:
        """Executes the instance of a convergent call that stops nobody; its key."""
        if not convergent:
            return lambda thread, frame: None
        site, key_of = self.calls.site(index), self.calls.key_of(index)

        def record(thread: Thread, frame: Frame) -> Key:
            thread.at = index
            key = key_of(thread, frame)
            thread.record(frame, site, key)
            thread.at = -1
            return key

        return record

    def void(
        self,
        index: int,
        call: ir.CallSite,
        name: str,
        convergent: bool,
        effects: bool,
        function: Function | None,
    ) -> Planned:
        """A callee without a model and without a result: an event, nothing is exchanged but its place among
        the effects of its group (D-DEP)."""
        if convergent and effects and self.program.settings.order == "dependence":
            return self._exchange(index, call, name, Exchanging(_nothing_together, True), False)
        site, slots = self.calls.site(index), self.translation.slots(operands(call))
        check = self.calls.noundef(call, function, slots)
        record = self._recorded(index, convergent)

        def step(r: Registers) -> None:
            thread: Thread = r[0]
            frame = thread.frame
            assert frame is not None
            if check is not None:
                check(r)
            key = record(thread, frame)
            if effects:
                shown = self._shown(frame, slots, call.type.parameters)
                thread.machine.saw_call(thread, site, name, shown, None, key)

        return Runs(step)

    def _input(self, index: int, call: ir.CallSite, name: str, convergent: bool) -> Runs:
        """A callee whose results were given: each thread takes the next of its own."""
        site, slots, slot = self._places(index, call)
        streams, effects = self.program.settings.inputs[name], self.program.is_event(name, call)
        record, type_ = self._recorded(index, convergent), call.type.result

        def step(r: Registers) -> None:
            thread: Thread = r[0]
            frame = thread.frame
            assert frame is not None
            key = record(thread, frame)
            nth = thread.calls[name] = thread.calls.get(name, 0) + 1
            stream = streams[thread.number] if thread.number < len(streams) else ()
            if nth > len(stream):
                raise UsageError(
                    f"thread {thread.number} makes call {nth} of @{name}, "
                    f"but --input gives it {len(stream)} values"
                )
            value = stream[nth - 1]
            if slot >= 0:
                r[slot] = value
            thread.machine.gave(thread, key, value)
            if effects:
                shown = self._shown(frame, slots, call.type.parameters)
                result = self.translation.shown(value, type_)
                thread.machine.saw_call(thread, site, name, shown, result, key)

        return Runs(step)

    def _per_thread(
        self, index: int, call: ir.CallSite, name: str, convergent: bool, model: PerThread
    ) -> Runs:
        _, slots, slot = self._places(index, call)
        record, alone = self._recorded(index, convergent), model.alone

        def step(r: Registers) -> None:
            thread: Thread = r[0]
            frame = thread.frame
            assert frame is not None
            key = record(thread, frame)
            value = self.translation.compute(r, partial(alone, thread.machine.place(thread)), slots, slot)
            thread.machine.gave(thread, key, value)

        return Runs(step)

    def _stand_in(self, index: int, call: ir.CallSite, name: str, effects: bool) -> Runs:
        """D-CALL for a call that is not convergent: a value of callee, thread and operands."""
        site, slots, slot = self._places(index, call)
        types, type_, program = call.type.parameters, call.type.result, self.program
        layout, stand_in = program.layout, program.settings.stand_in

        def step(r: Registers) -> None:
            thread: Thread = r[0]
            frame = thread.frame
            assert frame is not None
            shown = self._shown(frame, slots, types) if effects else ()
            nth = thread.calls[name] = thread.calls.get(name, 0) + 1
            count, number = nth if effects else 0, thread.number

            def value_of(*values: RuntimeValue) -> RuntimeValue:
                plainly: list[Any] = [plain(v, t, layout) for v, t in zip(values, types, strict=False)]
                value = stand_in(name, [number, plainly, count], type_, program.context)
                assert value is not None
                return value

            value = self.translation.compute(r, value_of, slots, slot)
            thread.machine.stand_ins[name] = None
            if effects:
                result = self.translation.shown(value, type_)
                thread.machine.saw_call(thread, site, name, shown, result, None)

        return Runs(step)

    # -- exchanges ------------------------------------------------------------------------------------

    def _uninterpreted(self, name: str, types: tuple[Type, ...], type_: Type, effects: bool) -> Exchanging:
        """D-CALL: a value of callee, own thread and the group's operands; with side effects, of the group."""
        context, layout = self.program.context, self.program.layout
        stand_in, by_group = self.program.settings.stand_in, self.program.settings.order == "dependence"
        numbered = effects and by_group  # then the result tells apart what only the group's events do

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            shown: dict[int, Any] = {
                lane: [plain(v, t, layout) for v, t in zip(values, types, strict=False)]
                for lane, values in sorted(group.items())
            }
            operands_: list[Any] = [[subgroup.first + lane, values] for lane, values in shown.items()]
            if not types and not effects and not by_group:
                operands_ = []
            if numbered:
                operands_ += [[subgroup.first + lane, group[lane][-1]] for lane in shown]
            results = {}
            for lane in group:
                value = stand_in(name, [subgroup.first + lane, operands_], type_, context)
                assert value is not None
                results[lane] = value
            return results

        return Exchanging(together, effects, numbered)

    def _exchange(
        self, index: int, call: ir.CallSite, name: str, model: Exchanging, stands_in: bool
    ) -> Stops:
        """A thread stops here until its group is complete."""
        site, slots, result = self._places(index, call)
        check = self.calls.noundef(call, self.module.functions.get(name), slots)
        key_of = self.calls.key_of(index)
        shown_name = self.program.name(site)
        types = call.type.parameters
        if self.program.settings.order == "dependence":  # then attributes say what is seen, model or not
            model = replace(model, effect=model.effect or self.program.is_event(name, call))
        effect = model.effect

        def make(after: Segment) -> Finish:
            exchange = Exchange(site, shown_name, name, call.type.result, result, after, model, stands_in)

            def finish(thread: Thread, frame: Frame) -> Frame | None:
                r = frame.registers
                if check is not None:
                    check(r)
                thread.at = index
                key = key_of(thread, frame)
                shown = self._shown(frame, slots, types) if effect or self.program.settings.unknowns else ()
                thread.record(frame, site, key)
                return thread.machine.arrive(thread, key, exchange, tuple([r[s] for s in slots]), shown)

            return finish

        return Stops(make)


def _nothing_together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
    """Results of an operation that returns nothing."""
    return {}
