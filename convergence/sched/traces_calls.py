"""Calls on a candidate trace: control intrinsics, and the functions that are entered (D-CALL)."""

from __future__ import annotations

from typing import Any

from ..alignment.instances import StaticInstance
from ..ir import instructions as ir
from ..ir import operands as op
from ..ir.calls import Control, callee_name, control, is_convergent
from ..ir.module import Function
from ..semantics.errors import NotModelled, Undefined, UsageError
from ..semantics.translate_calls import control_intrinsic
from ..semantics.unknown import Unknown, needed
from .shapes import (
    Anchored,
    Beat,
    Entered,
    EnteredFreely,
    Hangs,
    Instance,
    PlainCall,
    Root,
)
from .traces_declared import Declared, is_void
from .traces_state import NOTHING, Activation
from .tree import Trace


class Walk(Declared):
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
                if not is_void(call.type.result):
                    raise NotModelled("inline assembly with a result")
                self.void(frame, call, "asm", convergent, True, None)
                self.after_call(frame)
                return None
            function = self._function_at(*self.look(frame, (call.callee,)))
            self.control |= self.looking
        if not function.is_declaration:
            self._enter(frame, call, function, convergent)
            return None
        return self.declared(frame, call, function, convergent)

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
                token = self.token(frame, call)
                if token is None:
                    raise NotModelled("a loop intrinsic without a token")
                n = frame.beats[site.index, token] = frame.beats.get((site.index, token), 0) + 1
                hangs = Beat(token, n)
            case Control.ANCHOR:
                hangs = Anchored()
        instance = self.instance(site, hangs)
        self.define(frame, call.result, instance, NOTHING)

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
        values = self.arguments(frame, call, function)
        site = StaticInstance(frame.code.name, frame.at)
        root: Root | None
        if convergent:
            root = self.instance(site, self.hangs(frame, call))
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
