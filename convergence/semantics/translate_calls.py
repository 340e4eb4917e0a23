"""Calls: control intrinsics, calls of defined functions, and calls through pointers (D-CALL)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..alignment.instances import StaticInstance
from ..ir import instructions as ir
from ..ir import operands as op
from ..ir.calls import Control, callee_name, control, is_convergent
from ..ir.module import Block, Function
from ..ir.types import SimpleType
from .convergence import d_anchor, d_call, d_entry, d_free, d_loop, d_use, token_in
from .errors import BoundHit, NotModelled, Undefined, UsageError
from .frames import UNSET, Finish, Frame, Planned, Registers, Runs, Segment, Step, Stops, as_finish
from .instructions import operands
from .instructions.byval import prepare_byval
from .keys import Key
from .threads import Thread
from .translate_declared import EXITS as EXITS
from .translate_declared import Declared
from .unknown import Unknown, needed
from .values import Value

if TYPE_CHECKING:
    from .cutting import Cutting
    from .translate import Translation

KeyOf = Callable[[Thread, Frame], Key]


class Calls:
    """Prepares the calls of one function."""

    def __init__(self, translation: Translation) -> None:
        self.translation = translation
        self.program = translation.program
        self.module = translation.program.module
        self.code = translation.code
        self.declared = Declared(self)

    def call(self, cutting: Cutting, block: Block, index: int, call: ir.CallSite) -> None:
        """One ``call`` or ``invoke``. NotModelled for ``callbr``."""
        if isinstance(call, ir.CallBr):
            raise NotModelled("the instruction callbr")
        prepared = self._plan(index, call)
        if isinstance(call, ir.Invoke):
            onward = Segment(index)
            onward.last = index
            onward.finish = self.translation.control.edge(block, call.normal)
            finish = as_finish(prepared, onward)
            if self.program.settings.path_of == self.code.name:
                onward.finish = self.translation.control.by_path(block, call, onward.finish, (call.normal,))
            cutting.finish(index, finish)
        else:
            cutting.add(index, prepared, self.translation.result(call))

    def _plan(self, index: int, call: ir.CallSite) -> Planned:
        kind = control(call)
        if kind is not None:
            return Runs(self._control(index, call, kind))
        name = callee_name(call)
        function = self.module.functions.get(name) if name is not None else None
        if function is None:
            return self._indirect(index, call)
        return self._to(index, call, function, is_convergent(self.module, call))

    def _to(self, index: int, call: ir.CallSite, function: Function, convergent: bool) -> Planned:
        """A call of this function."""
        if not function.is_declaration:
            return self._enter(index, call, function, convergent)
        return self.declared.call(index, call, function.name, convergent)

    def site(self, index: int) -> StaticInstance:
        return StaticInstance(self.code.name, index)

    # -- control intrinsics ---------------------------------------------------------------------------

    def _control(self, index: int, call: ir.CallSite, kind: Control) -> Step:
        """An instance of entry, loop or anchor: its key is the token value."""
        site, slot = self.site(index), self.translation.result(call)
        token = self.code.token_of.get(index, -1)

        def step(r: Registers) -> None:
            thread: Thread = r[0]
            frame = thread.frame
            assert frame is not None
            thread.at = index
            key: Key
            match kind:
                case Control.ENTRY:
                    key = d_entry(thread, frame, site)
                case Control.LOOP:
                    key = d_loop(thread, frame, site, token_in(frame, token))
                case Control.ANCHOR:
                    key = d_anchor(thread, frame, site)
            thread.record(frame, site, key)
            if slot >= 0:
                old = r[slot]
                if old is not UNSET:
                    thread.holders.pop(old, None)
                r[slot] = key
                thread.holders[key] = frame
            thread.at = -1

        if kind is Control.LOOP and token < 0:
            raise NotModelled("a loop intrinsic without a token")
        return step

    def key_of(self, index: int) -> KeyOf:
        """D-USE with a token, D-FREE without."""
        site, slot = self.site(index), self.code.token_of.get(index)
        if slot is None:
            return lambda thread, frame: d_free(thread, frame, site)
        token = slot
        return lambda thread, frame: d_use(thread, frame, site, token_in(frame, token))

    # -- defined functions ----------------------------------------------------------------------------

    def _enter(self, index: int, call: ir.CallSite, function: Function, convergent: bool) -> Planned:
        """Entering a defined function; convergent or not, it stops nobody."""
        given, wanted = call.type, function.type
        if (given.result, given.parameters, given.variadic) != (
            wanted.result,
            wanted.parameters,
            wanted.variadic,
        ):
            raise Undefined(
                f"@{function.name} is called with a type that it does not have", "'call' Instruction"
            )
        copies = [
            (position, copy)
            for position, parameter in enumerate(function.parameters)
            if (copy := prepare_byval(parameter, self.program.context)) is not None
        ]
        slots = self.translation.slots(operands(call))
        check = self.noundef(call, function, slots)
        site, result, name, program = (
            self.site(index),
            self.translation.result(call),
            function.name,
            self.program,
        )
        key_of = self.key_of(index) if convergent else None

        def make(after: Segment) -> Finish:
            def finish(thread: Thread, frame: Frame) -> Frame | None:
                r = frame.registers
                if check is not None:
                    check(r)
                thread.at = index
                if key_of is not None:
                    key = key_of(thread, frame)
                    thread.record(frame, site, key)
                    root: Any = key
                else:
                    root = d_call(thread, frame, site)
                thread.at = -1
                frame.segment = after
                arguments = [r[s] for s in slots]
                if not copies:
                    return enter(thread, frame, program.code(name), arguments, root, index, result)
                for position, copy in copies:
                    if arguments[position].__class__ is Unknown:
                        raise UsageError(needed(arguments[position], f"a byval argument of @{name}"))
                    arguments[position] = copy(thread.memory, arguments[position], thread.number)
                entered = enter(thread, frame, program.code(name), arguments, root, index, result)
                entered.allocas = [arguments[position] for position, _ in copies]
                return entered

            return finish

        return Stops(make)

    def noundef(self, call: ir.CallSite, function: Function | None, slots: tuple[int, ...]) -> Step | None:
        """The check that noundef arguments are neither undef nor poison; ``None`` if there are none."""
        found = []
        for position, (argument, slot) in enumerate(zip(call.arguments, slots, strict=True)):
            words = argument.attributes
            if function is not None and position < len(function.parameters):
                words = (*words, *function.parameters[position].attributes)
            if "noundef" in words:
                found.append(slot)
        if not found:
            return None
        what = f"a noundef argument of {'the callee' if function is None else '@' + function.name}"
        return self.translation.defined(tuple(found), what)

    # -- through a pointer ----------------------------------------------------------------------------

    def _indirect(self, index: int, call: ir.CallSite) -> Planned:
        if isinstance(call.callee, op.InlineAsm):
            return self._assembly(index, call)
        slot, convergent = self.translation.slot(call.callee), is_convergent(self.module, call)
        self.translation.slots(operands(call))  # no register can be added once a frame exists

        def make(after: Segment) -> Finish:
            known: dict[str, Finish] = {}

            def finish(thread: Thread, frame: Frame) -> Frame | None:
                name = _function_at(thread, frame.registers[slot])
                target = known.get(name)
                if target is None:
                    if control_intrinsic(name):
                        raise Undefined(f"@{name} is called indirectly", "Convergence Control Intrinsics")
                    plan = self._to(index, call, self.module.functions[name], convergent)
                    target = known[name] = as_finish(plan, after)
                return target(thread, frame)

            return self.translation.needing(slot, index, finish)

        return Stops(make)

    def _assembly(self, index: int, call: ir.CallSite) -> Planned:
        """Inline assembly without a result is an event; with one it is not modelled."""
        assert isinstance(call.callee, op.InlineAsm)
        if not (isinstance(call.type.result, SimpleType) and call.type.result.kind == "void"):
            raise NotModelled("inline assembly with a result")
        return self.declared.void(index, call, "asm", is_convergent(self.module, call), True, None)


def control_intrinsic(name: str) -> bool:
    return any(name == kind.value for kind in Control)


def _function_at(thread: Thread, pointer: Any) -> str:
    """The function that a pointer names. Undefined for every other pointer."""
    if isinstance(pointer, Unknown):
        raise UsageError(needed(pointer, "a call"))
    assert isinstance(pointer, Value)
    if pointer.poison or pointer.undef:
        raise Undefined("call through a poison or undef pointer", "'call' Instruction")
    name: str | None = thread.memory.function_at(pointer)
    if name is None:
        raise Undefined("call through a pointer that is no function's address", "'call' Instruction")
    return name


def enter(
    thread: Thread, caller: Frame, code: Any, arguments: list[Any], root: Any, call: int, result: int
) -> Frame:
    """Pushes a frame. Raises BoundHit when the thread is too deep."""
    limit = thread.machine.program.settings.max_depth
    if thread.depth >= limit:
        raise BoundHit(f"call depth {limit}")
    registers = code.initial.copy()
    registers[0] = thread
    for slot, value in zip(code.parameters, arguments, strict=False):
        registers[slot] = value
    frame = Frame(code, registers, caller, thread.frames_made, root)
    frame.call, frame.result = call, result
    thread.frames_made += 1
    thread.depth += 1
    if root is not None:
        thread.holders[root] = frame
    thread.visits.append(frame)
    frame.visit = len(thread.visits)
    thread.visits.append(code.blocks[0])
    thread.frame = frame
    return frame


def launch(thread: Thread, code: Any, arguments: Any) -> None:
    """D-ENTRY: the environment starts a thread in the launched function."""
    registers = code.initial.copy()
    registers[0] = thread
    for slot, value in zip(code.parameters, arguments, strict=False):
        registers[slot] = value
    frame = Frame(code, registers, None, 0, thread.launch)
    thread.frame = thread.bottom = frame
    thread.frames_made = thread.depth = 1
    thread.visits.append(frame)
    frame.visit = 1
    thread.visits.append(code.blocks[0])
