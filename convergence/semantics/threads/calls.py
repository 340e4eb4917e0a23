"""Calls: control intrinsics, calls of defined functions, and calls through pointers (D-CALL)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ... import ir as op
from ...alignment import StaticInstance
from ...ir import FunctionType, IntType, PointerType, Type, VectorType
from ...ir import instructions as ir
from ...ir.calls import (
    Control,
    argument_words,
    assembly_name,
    callee_name,
    case_of,
    control,
    exec_operation_named,
    is_convergent,
    is_grouped,
    is_scalar,
    unchanged_operand,
    unfit,
    way_of,
)
from ...ir.instructions import operands
from ...ir.ptx import MATRIX_ACCESS, MATRIX_ROW
from ...ir.resources import points_to_resource
from .. import Bound, BoundHit, BoundKind, NotModelled, Undefined, UsageError, option
from ..convergence import Key, Selected, SwitchedCase
from ..convergence.rules import (
    beat,
    d_anchor,
    d_call,
    d_entry,
    d_free,
    d_loop,
    d_use,
    d_way,
    enter_case,
    switched_case,
    token_in,
    way,
)
from ..instructions import is_volatile, prepare_access, prepare_intrinsic
from ..instructions.conversion import addrspacecast
from ..instructions.intrinsics import ENDS_THREAD, base_name, is_marker
from ..instructions.library.table import assembly_operation
from ..instructions.promises import (
    assumed_words,
    attribute_promises,
    byval_copies,
    copied_type,
    defined_word,
    metadata_promises,
    moved_into_range,
)
from ..machine import Entered
from ..machine.uniform_barriers import UniformBarrier
from ..memory.accesses import WritingCallee
from ..operations import (
    EVERYWHERE,
    NO_EFFECTS,
    AboutObject,
    Callee,
    Effects,
    Exchanging,
    Fencing,
    Members,
    Operands,
    Orders,
    PerThread,
    Subgroup,
    overwritten,
    unseen,
)
from ..operations.lanes import is_void
from ..operations.whole_wave import whole_wave, whole_wave_lanes
from ..values import NULL, Reading, RuntimeValue, Unknown, Value, needed
from ..values.context import zero
from . import (
    UNSET,
    Exchange,
    Finish,
    Frame,
    Planned,
    Registers,
    Runs,
    Segment,
    Status,
    Step,
    Stops,
    Thread,
    as_finish,
)
from .translation import SegmentBuilder, Terminators, Translation, seen_plainly

if TYPE_CHECKING:
    from ...ir.module import Block, Function
    from ..memory.synchronisation import MemoryFence

Before = Callable[[Registers, object], int]
KeyOf = Callable[[Thread, Frame], Key]
Passed = Mapping[int, Callable[..., Any]]
"""By the number of an argument, what it is for a callee that wants it of another type."""

CALL = "'call' Instruction"
"""The LangRef's section."""


class Calls:
    """Prepares the calls of one function."""

    def __init__(self, translation: Translation, terminators: Terminators) -> None:
        self.translation = translation
        self.terminators = terminators
        self.program = translation.program
        self.module = translation.program.module
        self.code = translation.code
        self.declared = self.declared_of()
        self.branching = Branching(self)

    def declared_of(self) -> Declared:
        """How calls of declared functions are prepared."""
        return Declared(self)

    def call(self, segments: SegmentBuilder, block: Block, index: int, call: ir.CallSite) -> None:
        """One ``call`` or ``invoke``."""
        call = self._with_promises(segments, index, call)
        if not isinstance(call, ir.Invoke) and MATRIX_ACCESS.fullmatch(callee_name(call) or ""):
            self._matrices(segments, index, call)
            return
        prepared, kept = self._plan(index, call), self._promises(call)
        if isinstance(call, ir.Invoke):
            onward = Segment(index)
            onward.last = index
            onward.steps, onward.indices = tuple(kept), (index,) * len(kept)
            onward.slots = (self.translation.result(call),) * len(kept)
            onward.promises = frozenset(range(len(kept)))
            onward.finish = self.terminators.edge(block, call.normal)
            finish = as_finish(prepared, onward)
            if self.program.settings.path_of == self.code.name:
                onward.finish = self.terminators.by_path(block, call, onward.finish, (call.normal,))
            segments.finish(index, finish)
        else:
            segments.add(index, prepared, self.translation.result(call))
            for step in kept:
                segments.promise(index, step, self.translation.result(call))

    def _with_promises(self, segments: SegmentBuilder, index: int, call: ir.CallSite) -> ir.CallSite:
        """The call with what its arguments become by what it, and a declared callee, promise of them: poison,
        or undefined behaviour, where that is not kept. Definitions look after their parameters themselves,
        and of the arguments of intrinsics only ``noundef`` counts."""
        name = callee_name(call)
        function = self.module.functions.get(name or "")
        if control(call) is not None or (function is not None and not function.is_declaration):
            return call
        if name == "llvm.assume":
            self._assumed(segments, index, call)
        parameters = () if function is None else function.parameters
        arguments = list(call.arguments)
        for place, argument in enumerate(call.arguments):
            words = argument_words(self.module, call, place, function)
            if not (words or _is_vector(argument.value.type)):  # as for most arguments
                continue
            if name is not None and name.startswith("llvm."):
                words = tuple(word for word in words if word == "noundef")
            if self._is_defined_here(argument.value):  # whose address is known, and no other value
                words = tuple(word for word in words if word not in ("nonnull", "noundef"))
            what = f"argument {place + 1} of {'a callee' if name is None else '@' + name}"
            value = self._promised(segments, index, argument.value, words, what)
            if place < len(parameters) and (type_ := copied_type(words)) is not None:
                value = self._copied(segments, index, place, call, type_)
            if value is not argument.value:
                arguments[place] = replace(argument, value=value)
        same = all(now is before for now, before in zip(arguments, call.arguments, strict=True))
        return call if same else replace(call, arguments=tuple(arguments))

    def _is_defined_here(self, operand: op.Operand) -> bool:
        """Whether an operand is the address of a variable that the module gives contents."""
        variable = self.module.globals.get(operand.name) if isinstance(operand, op.Global) else None
        return variable is not None and variable.initializer is not None

    def _promised(
        self, segments: SegmentBuilder, index: int, value: op.Operand, words: ir.Words, what: str
    ) -> op.Operand:
        """An operand as what attributes promise of it, with the checks that it keeps them."""
        keep = attribute_promises(words, value.type, self.translation.context)
        word = defined_word(words)
        if keep is None and word is None:
            return value
        (slot,) = self.translation.slots((value,))
        if keep is not None:
            kept = op.Local(value.type, f"{what} at {index}")
            passed, slot = slot, self.translation.named_register(kept.name)
            segments.promise(index, self.translation.argument(keep, passed, slot), slot)
            value = kept
        self._checked(segments, index, slot, words, what)
        return value

    def _checked(self, segments: SegmentBuilder, index: int, slot: int, words: ir.Words, what: str) -> None:
        """What attributes promise of the value in a register besides what makes poison of it."""
        if (behind := self.translation.behind(slot, words, what)) is not None:
            segments.promise(index, behind, -1)
        if (word := defined_word(words)) is not None:
            segments.promise(index, self.translation.defined((slot,), f"the {word} {what}"), slot)

    def _assumed(self, segments: SegmentBuilder, index: int, call: ir.CallSite) -> None:
        """What operand bundles of ``llvm.assume`` promise; a bundle that is not looked at is named where it
        matters."""
        for number, bundle in enumerate(call.bundles):
            words = assumed_words(bundle)
            if words:
                what = f"input of bundle {number + 1}, {bundle.tag}"
                value = bundle.inputs[0]
                keep = attribute_promises(words, value.type, self.translation.context)
                (slot,) = self.translation.slots((value,))
                if keep is not None:  # which is looked at here, and read by nobody
                    passed, slot = slot, self.translation.unnamed_register()
                    segments.promise(index, self.translation.pure(keep, (passed,), slot), slot)
                self._checked(segments, index, slot, words, what)

    def _matrices(self, segments: SegmentBuilder, index: int, call: ir.CallSite) -> None:
        """``ldmatrix`` is an access of each lane to its row, and an exchange of those; ``stmatrix`` an
        exchange, and the accesses."""
        row = op.Local(MATRIX_ROW, f"row of {index}")
        slot = self.translation.named_register(row.name)
        pointer, *registers = call.arguments
        access = prepare_access(call, self.translation.context)
        assert access is not None
        if not registers:
            load = ir.Load(MATRIX_ROW, pointer.value, result=row.name, span=call.span)
            segments.add(index, self.translation.copied(index, load, access), slot)
            type_ = replace(call.type, parameters=(MATRIX_ROW,))
            exchange = replace(call, type=type_, arguments=(ir.Argument(row),))
            segments.add(index, self._exchange_of(index, exchange), self.translation.result(call))
            return
        type_ = replace(call.type, parameters=call.type.parameters[1:], result=MATRIX_ROW)
        exchange = replace(call, type=type_, arguments=tuple(registers), result=row.name)
        segments.add(index, self._exchange_of(index, exchange), slot)
        store = replace(call, arguments=(pointer, ir.Argument(row)))
        segments.add(index, self.translation.access(index, store, access), -1)

    def _exchange_of(self, index: int, call: ir.CallSite) -> Planned:
        """The exchange that is a part of a declared operation."""
        return self.declared.call(index, call, callee_name(call) or "", is_grouped(self.module, call))

    def _copied(
        self, segments: SegmentBuilder, index: int, place: int, call: ir.CallSite, type_: Type
    ) -> op.Local:
        """What a declared callee is given for a ``byval`` argument: what lies behind the pointer, and not
        where it lay."""
        content = op.Local(type_, f"argument {place} of {index}")
        slot = self.translation.named_register(content.name)
        load = ir.Load(type_, call.arguments[place].value, 1, result=content.name, span=call.span)
        access = prepare_access(load, self.translation.context)
        assert access is not None
        segments.add(index, self.translation.copied(index, load, access), slot)
        return content

    def _promises(self, call: ir.CallSite) -> list[Step]:
        """What the result becomes by what the call, and a declared callee, promise: poison where that is
        not kept; a stand-in is one that keeps its ``range``. Then undefined, if it may be neither. What a
        definition promises its ``ret`` looks after."""
        slot = self.translation.result(call)
        if slot < 0 or control(call) is not None:
            return []
        context, type_, resolve = self.translation.context, call.type.result, self.module.resolve
        function = self.module.functions.get(callee_name(call) or "")
        declared_words = function is not None and function.is_declaration and function.return_attributes
        if not (call.return_attributes or call.attachments or declared_words or _is_vector(type_)):
            return []  # as for most calls
        words = set(resolve(call.return_attributes))
        keep = [metadata_promises(call.attachments, type_, context)]
        if function is not None and function.is_declaration:
            declared = resolve(function.return_attributes)
            move = moved_into_range(declared, type_, context)
            if move is not None and self.declared.stands_in(function, call):
                keep.append(move)
            words.update(declared)
        if points_to_resource(call):  # clang takes them from C++'s types, and HLSL lays these out otherwise
            words = {word for word in words if not word.startswith(("align ", "align(", "dereferenceable"))}
        keep.append(attribute_promises(sorted(words), type_, context))
        steps = [self.translation.pure(k, (slot,), slot) for k in keep if k is not None]
        word = "noundef" if any(kind == "noundef" for kind, _ in call.attachments) else defined_word(words)
        if word is not None:
            steps.append(self.translation.defined((slot,), f"a {word} result"))
        return steps

    def _plan(self, index: int, call: ir.CallSite) -> Planned:
        for bundle in call.bundles:
            if (more := _DOES_MORE.get(bundle.tag)) is not None:
                raise NotModelled(f"a call {more} ({bundle.tag})")
        kind = control(call)
        if kind is not None:
            return Runs(self._control(index, call, kind))
        name = callee_name(call)
        function = self.module.functions.get(name) if name is not None else None
        if function is None:
            return self._indirect(index, call)
        return self._to(index, call, function, is_grouped(self.module, call))

    def _to(self, index: int, call: ir.CallSite, function: Function, convergent: bool) -> Planned:
        """A call of this function. Undefined unless the call is made as the function wants it."""
        broken, passed = unfit(call, function), None
        if broken == "type" and not function.is_declaration:
            from ..instructions.conversion import arguments_passed  # few programs need it

            passed = arguments_passed(call, function, self.translation.context)
        if broken is not None and passed is None:
            raise Undefined(f"@{function.name} is called with a {broken} that it does not have", CALL)
        if function.name in self.program.settings.absent:
            raise Undefined(f"a call of @{function.name}, which is not there", CALL)
        if not function.is_declaration:
            return self._enter(index, call, function, convergent, passed or {})
        return self.declared.call(index, call, function.name, convergent)

    def site(self, index: int) -> StaticInstance:
        return StaticInstance(self.code.name, index)

    # -- control intrinsics ---------------------------------------------------------------------------

    def _control(self, index: int, call: ir.CallSite, kind: Control) -> Step:
        """An instance of entry, loop or anchor: its key is the token value."""
        site, slot = self.site(index), self.translation.result(call)
        key_of, carried = self._control_key(index, call, kind), bool(self.code.token_moves)

        def step(r: Registers) -> None:
            thread: Thread = r[0]
            frame = thread.frame
            assert frame is not None
            thread.at = index
            key = key_of(thread, frame)
            thread.record(frame, site, key)
            if slot >= 0:
                old = r[slot]
                r[slot] = key
                if old is not UNSET and not (carried and _holds(frame, old)):
                    thread.holders.pop(old, None)
                thread.holders[key] = frame
            thread.at = -1

        return step

    def _control_key(self, index: int, call: ir.CallSite, kind: Control) -> KeyOf:
        """The key of an instance of entry, loop or anchor, and what its thread keeps of it."""
        site, token = self.site(index), self.code.token_of.get(index, -1)
        case, bound = case_of(call), way_of(call)
        value = -1 if case is None else self.translation.slot(case.value)
        if bound is not None and bound.value is not None:
            value = self.translation.slot(bound.value)
        if kind is Control.LOOP and token < 0:
            raise NotModelled("a loop intrinsic without a token")
        if case is not None and token < 0:
            raise NotModelled("a case of a switch without a token")
        if bound is not None and bound.token is not None and token < 0:
            raise NotModelled("a way that begins without a token")

        def heart(thread: Thread, frame: Frame) -> Key:
            key = d_loop(thread, frame, site, token_in(frame, token))
            beat(frame, key)
            return key

        def of_a_case(thread: Thread, frame: Frame) -> Key:
            assert case is not None
            bits = thread.environment.switched_on(frame.registers[value])
            before = switched_case(frame, case.number, token_in(frame, token), bits)
            key = d_anchor(thread, frame, site, before)
            enter_case(frame, case.number, key)
            return key

        def where_ways_meet(thread: Thread, frame: Frame) -> Key:
            key = thread.way = d_anchor(thread, frame, site, SwitchedCase(None, way(thread)))
            return key

        def of_a_way(thread: Thread, frame: Frame) -> Key:
            assert bound is not None
            bits = thread.environment.switched_on(frame.registers[value]) if value >= 0 else None
            selected = None if value < 0 else Selected(bits)
            before = way(thread) if bound.token is None else token_in(frame, token)
            key = thread.way = d_way(thread, site, before, selected)
            return key

        match kind:
            case Control.ENTRY:
                return lambda thread, frame: d_entry(thread, frame, site)
            case Control.LOOP:
                return heart
            case Control.ANCHOR if case is not None:
                return of_a_case
            case Control.ANCHOR if bound is not None:
                return where_ways_meet if bound.meets else of_a_way
            case Control.ANCHOR:
                return lambda thread, frame: d_anchor(thread, frame, site)

    def key_of(self, index: int) -> KeyOf:
        """D-USE with a token, D-FREE without."""
        site, slot = self.site(index), self.code.token_of.get(index)
        if slot is None:
            return lambda thread, frame: d_free(thread, frame, site)
        token = slot
        return lambda thread, frame: d_use(thread, frame, site, token_in(frame, token))

    # -- defined functions ----------------------------------------------------------------------------

    def _enter(
        self, index: int, call: ir.CallSite, function: Function, convergent: bool, passed: Passed
    ) -> Planned:
        """Entering a defined function; convergent or not, it stops nobody. Where the call is of another type
        than the function, ``passed`` says what becomes of arguments."""
        escapes = self.translation.program.escapes.escapes
        copies = [
            (position, replace(copy, escapes=escapes(function, copy.name)))
            for position, copy in byval_copies(function, self.translation.context).items()
        ]
        slots = self.translation.slots(operands(call))
        check = self.noundef(call, function, slots)
        site, result, name = self.site(index), self.translation.result(call), function.name
        code_of, copied = self.translation.code_of, self.translation.copy_argument
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
                for position, convert in passed.items():
                    registers = [thread, arguments[position]]
                    arguments[position] = self.translation.compute(registers, convert, (1,), -1)
                if not copies:
                    return enter(thread, frame, code_of(name), arguments, root, index, result)
                for position, copy in copies:
                    if arguments[position].__class__ is Unknown:
                        raise UsageError(needed(arguments[position], f"a byval argument of @{name}"))
                    arguments[position] = copied(thread, index, copy, arguments[position])
                entered = enter(thread, frame, code_of(name), arguments, root, index, result)
                entered.allocas = [arguments[position] for position, _ in copies]
                return entered

            return finish

        return Stops(make)

    def noundef(self, call: ir.CallSite, function: Function | None, slots: tuple[int, ...]) -> Step | None:
        """The check that noundef arguments are neither undef nor poison; ``None`` if there are none."""
        checked = [
            slot
            for place, (_, slot) in enumerate(zip(call.arguments, slots, strict=True))
            if defined_word(argument_words(self.module, call, place, function)) is not None
        ]
        if not checked:
            return None
        what = f"a noundef argument of {'the callee' if function is None else '@' + function.name}"
        return self.translation.defined(tuple(checked), what)

    # -- through a pointer ----------------------------------------------------------------------------

    def _indirect(self, index: int, call: ir.CallSite) -> Planned:
        if isinstance(call.callee, op.InlineAsm):
            return self.declared.assembly(index, call, assembly_name(call.callee))
        slot, convergent = self.translation.slot(call.callee), is_convergent(self.module, call)
        self.translation.slots(operands(call))  # no register can be added once a frame exists

        def make(after: Segment) -> Finish:
            known: dict[str, Finish] = {}

            def finish(thread: Thread, frame: Frame, pointer: Any) -> Frame | None:
                name = _function_at(thread, pointer)
                target = known.get(name)
                if target is None:
                    if control_intrinsic(name):
                        raise Undefined(f"@{name} is called indirectly", "Convergence Control Intrinsics")
                    plan = self._to(index, call, self.module.functions[name], convergent)
                    target = known[name] = as_finish(plan, after)
                return target(thread, frame)

            return self.translation.pointing(slot, index, "call", finish)

        return Stops(make)


_DOES_MORE = {
    "clang.arc.attachedcall": "that has another one attached",
    "kcfi": "that looks at what lies in front of the function",
    "ptrauth": "through a signed pointer",
}
"""Operand bundles with which a call does more than to call (LangRef, *Operand Bundles*)."""


def _is_vector(type_: Type) -> bool:
    """Whether promises are of elements, which may be too many to be modelled."""
    return isinstance(type_, VectorType)


def _holds(frame: Frame, token: Key) -> bool:
    """Whether a phi has taken a token on, into a register that holds it still."""
    return any(frame.registers[slot] is token for slot in frame.code.token_slots)


def control_intrinsic(name: str) -> bool:
    return any(name == kind.value for kind in Control)


def _function_at(thread: Thread, pointer: Any) -> str:
    """The function that a pointer names. Undefined for every other pointer."""
    if isinstance(pointer, Unknown):
        raise UsageError(needed(pointer, "a call"))
    assert isinstance(pointer, Value)
    if pointer.poison or pointer.undef:
        raise Undefined("call through a poison or undef pointer", CALL)
    name: str | None = thread.memory.function_at(pointer)
    if name is None:
        raise Undefined("call through a pointer that is no function's address", CALL)
    return name


def enter(
    thread: Thread, caller: Frame, code: Any, arguments: list[Any], root: Any, call: int, result: int
) -> Frame:
    """Pushes a frame. Raises BoundHit when the thread is too deep."""
    limit = thread.environment.program.settings.max_depth
    if thread.depth >= limit:
        raise BoundHit(Bound(BoundKind.CALL_DEPTH, limit))
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
    thread.frame = frame
    log = thread.log
    log.append(Entered(thread.number, frame.number, caller.number, StaticInstance(caller.code.name, call)))
    frame.visit = len(log)
    log.append(code.blocks[0].visited[thread.number])
    return frame


# -- Calls of declared functions (D-CALL): models, inputs, exchanges, events and stand-ins

KILL = "llvm.amdgcn.kill"
DISCARD = "llvm.dx.discard"
GOES_ON: Mapping[str, int] = {KILL: 1, DISCARD: 0}
"""Declared functions that end the thread or not, and for which operand it goes on."""
EXITS = frozenset({"exit", "_exit", "abort", "llvm.amdgcn.endpgm", "llvm.spv.discard"})
"""Declared functions that end the thread, next to ENDS_THREAD and what is ``noreturn``."""


DEMOTE = "llvm.amdgcn.wqm.demote"
"""Makes a thread a helper lane of its quad, which stores nothing any more, if its operand is false."""


ARRIVES_LATER = "llvm.nvvm.cp.async.mbarrier.arrive"
"""How functions begin that arrive at an mbarrier when copies are done. A refinement compares events."""


_NOT_READ, _NOT_WRITTEN = frozenset(("writeonly", "readnone")), frozenset(("readonly", "readnone"))
"""Parameter attributes: what a callee does not do to what a pointer points to."""
OVERWRITES = ""
"""Under which name a thread counts the calls that may have written after they read."""


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
        call = all_typed(call)
        settings, context = self.program.settings, self.translation.context
        if name in settings.inputs:
            return self._input(index, call, name, convergent)
        callee = Callee.of(name, call, self.program.context)  # models compute with what is known
        if name not in settings.operations:
            if exec_operation_named(name) is not None:
                raise NotModelled(
                    f"@{name}, an operation on exec, outside of `simulate --policy exec-amdgcn`"
                )
            if name.startswith(ARRIVES_LATER) and settings.order != "dependence":
                raise NotModelled(f"@{name}, without which an mbarrier waits for ever")
            if name in GOES_ON:
                return Stops(lambda after: self.kill(index, call, name, as_finish(Runs(_goes_on), after)))
            if name == DEMOTE and settings.order != "dependence":  # a refinement compares events
                return Stops(lambda after: self.demote(index, call, as_finish(Runs(_goes_on), after)))
            if base_name(name, ENDS_THREAD) is not None or name in EXITS:
                return self._exit(index, call, name)
            if not convergent and (evaluate := prepare_intrinsic(call, context)) is not None:
                return self._pure(call, evaluate)
            if not convergent and (access := prepare_access(call, context)) is not None:
                return counted(self.translation.access(index, call, access), call)
        if convergent and whole_wave_lanes(name) is not None:
            return self._whole_wave(index, call, name)
        model = self.program.table.model(callee)
        if isinstance(model, PerThread):
            return self._per_thread(index, call, name, convergent, model)
        if isinstance(model, AboutObject):
            return self._about_object(index, call, name, convergent, model)
        if isinstance(model, Fencing):
            return self._fence(index, call, name, convergent, model)
        if isinstance(model, Exchanging):
            if not convergent:
                raise NotModelled(f"a call of @{name}, which exchanges data, that is no convergent operation")
            if settings.order == "dependence" and not is_convergent(self.module, call):
                raise NotModelled(f"an exchange in a refinement, as LLVM does not call @{name} convergent")
            return self._exchange(index, call, name, model, False)
        if convergent and not is_marker(name):  # which has its place in an alignment
            if (evaluate := prepare_intrinsic(call, context)) is not None:
                return self._pure(call, evaluate)
            if (access := prepare_access(call, context)) is not None:
                return counted(self.translation.access(index, call, access), call)
        return self.without_model(index, call, name, convergent, self.module.functions[name])

    def assembly(self, index: int, call: ir.CallSite, name: str) -> Planned:
        """A call of inline assembly, which has a name that says what it is."""
        convergent, context = is_convergent(self.module, call), self.translation.context
        if name in self.program.settings.inputs:
            return self.without_model(index, call, name, convergent, None)
        if (operation := assembly_operation(call, context)) is not None:
            assert isinstance(operation.callee, op.Global)
            known = Callee.of(operation.callee.name, operation, self.program.context)
            if self.program.table.model(known) is not None:
                grouped = is_grouped(self.module, call)
                return self.call(index, operation, operation.callee.name, grouped)
        if (evaluate := prepare_intrinsic(call, context)) is not None:  # convergent or not: CUDA's all are
            return self._pure(call, evaluate)
        if (access := prepare_access(call, context)) is not None:
            return counted(self.translation.access(index, call, access), call)
        return self.without_model(index, call, name, convergent, None)

    def _whole_wave(self, index: int, call: ir.CallSite, name: str) -> Stops:
        """An exchange over the expression that defines the operand, which more lanes compute than get it."""
        function = self.module.functions[self.code.name]
        leaves, model = whole_wave(function, call, name, self.program.context, self.program.table)
        type_ = replace(call.type, parameters=tuple(leaf.type for leaf in leaves))
        brought = replace(call, type=type_, arguments=tuple(ir.Argument(leaf) for leaf in leaves))
        return self._exchange(index, brought, name, model, False)

    def without_model(
        self, index: int, call: ir.CallSite, name: str, convergent: bool, function: Function | None
    ) -> Planned:
        """A call of what is known by its name and by what it promises only."""
        promised, call = self.program.effects(name, call), _relevant_call(call)
        if promised.ends:
            return self._exit(index, call, name)
        words = self.module.resolve(call.attributes)
        if "returns_twice" in words or "returns_twice" in self.module.function_attributes(name):
            raise NotModelled(f"a call of @{name}, which may return twice")
        if is_void(call.type.result):
            return self.void(index, call, name, convergent, promised, function)
        if convergent:
            model = self._uninterpreted(name, call, promised)
            return self._exchange(index, call, name, model, True)
        return self._stand_in(index, call, name, promised)

    def stands_in(self, function: Function, call: ir.CallSite) -> bool:
        """Whether a declared function's result is a stand-in."""
        name, context = function.name, self.translation.context
        if name in self.program.settings.inputs or name in self.program.settings.operations:
            return False
        if prepare_intrinsic(call, context) is not None or prepare_access(call, context) is not None:
            return False
        return self.program.table.model(Callee.of(name, call, self.program.context)) is None

    def is_event(self, promised: Effects) -> bool:
        return promised.is_event(self.program.settings.reading)

    def before(self, index: int, call: ir.CallSite, name: str, promised: Effects) -> Before:
        """What a call's result depends on besides its operands, which are given as they are shown: how many
        calls of the same function its thread has made, if the callee reads and writes, else 0. What only
        reads depends on what was written (:meth:`seeing`); but where executions are told apart by what it
        may have read, each call is an event and may give something else."""
        reads, writes = promised.reads, promised.writes
        counts = reads and self.is_event(promised) and (writes or self.program.settings.reading)
        note = self.writing(index, call, name, promised)

        def before(r: Registers, shown: object) -> int:
            thread, nth = r[0], 0
            if counts:
                nth = thread.calls[name] = thread.calls.get(name, 0) + 1
            note(r, shown)
            return nth

        return before

    def seeing(
        self, index: int, call: ir.CallSite, name: str, promised: Effects
    ) -> Callable[[Registers], Any] | None:
        """What a call depends on that only reads memory; ``None`` for any other."""
        if self.program.settings.reading or promised.writes or not promised.reads:
            return None
        return self._looking(index, call, name, promised)

    def _looking(
        self, index: int, call: ir.CallSite, name: str, promised: Effects
    ) -> Callable[[Registers], Any]:
        pointers = self._registers(call, self._pointers(call, name, _NOT_READ))
        where, translation = promised.read_at, self.translation
        return lambda r: translation.dependence(r, index, pointers, where)

    def reading(
        self, index: int, call: ir.CallSite, name: str, promised: Effects
    ) -> Callable[[Registers], tuple[Any, ...]]:
        """In a refinement an event whose callee may read memory is told by what is there, too: a
        :class:`Reading`, which stands behind the operands as they are shown; nothing for any other."""
        unread = promised.read_at.isdisjoint(("argmem", "other"))
        if self.program.settings.reading or not self.is_event(promised) or unread:
            return lambda r: ()
        look = self._looking(index, call, name, promised)

        def reading(r: Registers) -> tuple[Any, ...]:
            value = look(r)
            return () if r[0].memory.watcher is None else (Reading(value),)

        return reading

    def writing(
        self, index: int, call: ir.CallSite, name: str, promised: Effects
    ) -> Callable[[Registers, object], None]:
        """Notes that a call, with operands as they are shown, may have written what others read."""
        if not (promised.writes and self.is_event(promised)):
            return lambda r, shown: None
        written_at, reads = promised.written_at, promised.reads
        written = self._pointers(call, name, _NOT_WRITTEN) if "argmem" in promised.written_at else ()
        pointers = self._registers(call, written)
        overwrites = self._overwriting(index, call, name, promised)

        def note(r: Registers, shown: object) -> None:
            if wrote(r[0], written_at, None if reads else (name, shown)) and pointers:
                self.translation.called(r, index, pointers)
            if overwrites is not None:
                overwrites(r)

        return note

    def _overwriting(
        self, index: int, call: ir.CallSite, name: str, promised: Effects
    ) -> Callable[[Registers], None] | None:
        """Where functions without a model write, a call leaves stand-ins wherever it may write: behind its
        pointers, and in variables that the outside can name."""
        settings = self.program.settings
        writes = settings.callee_writes
        if writes is None or not writes.may(name) or name in settings.inputs:
            return None
        if self.program.table.model(Callee.of(name, call, self.program.context)) is not None:
            return None
        places = self._pointers(call, name, _NOT_WRITTEN) if "argmem" in promised.written_at else ()
        copied = (n for n, a in enumerate(call.arguments) if any(w.startswith("byval") for w in a.attributes))
        places = tuple(sorted({*places}.difference(copied)))
        everywhere, reads = "other" in promised.written_at, promised.reads
        slots, types = self.translation.slots(operands(call)), call.type.parameters
        if not (places or everywhere):
            return None

        def overwrite(r: Registers) -> None:
            thread, nth = r[0], 0
            if not writes.on or writes.writer not in (None, thread.number):
                return
            if reads:
                nth = thread.calls[OVERWRITES] = thread.calls.get(OVERWRITES, 0) + 1
            variables = writes.variables if everywhere else frozenset[str]()
            writer = WritingCallee(
                name, types, places, settings.stand_in, self.program.context, variables, nth, True
            )
            self.translation.fill(r, index, writer, slots)

        return overwrite

    def _pointers(self, call: ir.CallSite, name: str, spared: frozenset[str]) -> tuple[int, ...]:
        """The places of a call's operands that are pointers, but for those with a ``spared`` attribute, at
        the call or of the callee."""
        function = self.module.functions.get(name)
        pointers = []
        for place, argument in enumerate(call.arguments):
            words = argument_words(self.module, call, place, function)
            if isinstance(argument.value.type, PointerType) and spared.isdisjoint(words):
                pointers.append(place)
        return tuple(pointers)

    def _registers(self, call: ir.CallSite, places: tuple[int, ...]) -> tuple[int, ...]:
        return self.translation.slots(tuple(call.arguments[place].value for place in places))

    def filling(
        self, index: int, call: ir.CallSite, name: str, promised: Effects
    ) -> Callable[[Registers], bool]:
        """In a refinement a call that comes back, reads nothing, and writes only what its pointers point to,
        is no event if these are stack objects of its thread: what it wrote is seen by who reads them, so they
        hold stand-ins. Whether a call is such a one; then it is done."""
        comes_back = not (promised.hangs or promised.throws)
        if self.program.settings.reading or promised.reads or not promised.writes or not comes_back:
            return lambda r: False
        if not promised.written_at <= {"argmem"}:
            return lambda r: False
        written = self._pointers(call, name, _NOT_WRITTEN)
        pointers, slots = self._registers(call, written), self.translation.slots(operands(call))
        settings = self.program.settings
        writer = WritingCallee(name, call.type.parameters, written, settings.stand_in, self.program.context)

        def filled(r: Registers) -> bool:
            own = all(_is_own(r[0], self.translation.read(r, (s,))[0]) for s in pointers)
            if own:
                self.translation.fill(r, index, writer, slots)
            return own

        return filled

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
                thread.environment.saw_call(
                    thread, site, name, self.operand_data(frame, slots, types), None, None
                )
                thread.end(Status.EXITED)
                return None

            return finish

        return Stops(make)

    def kill(self, index: int, call: ir.CallSite, name: str, onward: Finish) -> Finish:
        """The thread goes on if the operand is what :data:`GOES_ON` says, and ends if it is not."""
        (slot,) = self.translation.slots(operands(call))
        ends = self._exit(index, call, name).make(Segment(index))
        return self.translation.switch(slot, index, {GOES_ON[name]: onward}, ends)

    def demote(self, index: int, call: ir.CallSite, onward: Finish) -> Finish:
        """The thread goes on if the operand is true; as a helper lane, which it is if not, it is not
        modelled."""

        def helper(thread: Thread, frame: Frame) -> Frame | None:
            raise NotModelled(f"a thread that @{DEMOTE} makes a helper lane")

        (slot,) = self.translation.slots(operands(call))
        return self.translation.switch(slot, index, {1: onward}, helper)

    def operand_data(self, frame: Frame, slots: tuple[int, ...], types: tuple[Type, ...]) -> tuple[Any, ...]:
        """The operands as plain data; an unknown one only where the run may show it."""
        values = [frame.registers[s] for s in slots]
        if self.program.settings.unknowns and not self.program.settings.lenient:
            for value in values:
                if isinstance(value, Unknown):
                    raise UsageError(needed(value, f"a call in @{self.code.name}"))
        return tuple(self.translation.plain_value(v, t) for v, t in zip(values, types, strict=False))

    def recorded(self, index: int, convergent: bool) -> Callable[[Thread, Frame], Key | None]:
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
        promised: Effects,
        function: Function | None,
        reads: bool = True,
    ) -> Planned:
        """A callee without a model and without a result: an event, nothing is exchanged but its place among
        the effects of its group (D-DEP). ``reads``: whether it may read memory, where it does not promise
        that it does not."""
        effects, note = self.is_event(promised), self.writing(index, call, name, promised)
        filled = self.filling(index, call, name, promised)
        if convergent and effects and self.program.settings.order == "dependence":
            return self._exchange(index, call, name, Exchanging(_nothing_together, True), False, reads)
        site, slots = self.calls.site(index), self.translation.slots(operands(call))
        record = self.recorded(index, convergent)
        reading = self.reading(index, call, name, promised if reads else NO_EFFECTS)

        def step(r: Registers) -> None:
            thread: Thread = r[0]
            frame = thread.frame
            assert frame is not None
            key = record(thread, frame)
            if effects:
                shown = self.operand_data(frame, slots, call.type.parameters)
                read = reading(r)
                note(r, shown)
                if convergent or not filled(r):
                    thread.environment.saw_call(thread, site, name, (*shown, *read), None, key)

        return Runs(step)

    def _fence(self, index: int, call: ir.CallSite, name: str, convergent: bool, model: Fencing) -> Planned:
        """A fence (D-SYNC); the call is an event as it would be without."""
        fence = self._arriving(index, call, name, model)
        function = self.module.functions.get(name)
        match self.void(index, call, name, convergent, self.program.effects(name, call), function, False):
            case Runs(step):

                def both(r: Registers) -> None:
                    fence(r)
                    step(r)

                return Runs(both)
            case Stops(make):

                def make_both(after: Segment) -> Finish:
                    finish = make(after)

                    def finish_both(thread: Thread, frame: Frame) -> Frame | None:
                        fence(frame.registers)
                        return finish(thread, frame)

                    return finish_both

                return Stops(make_both)

    def _arriving(self, index: int, call: ir.CallSite, name: str, model: Fencing) -> Step:
        """The step of a fence; with it the thread may arrive at a barrier."""
        fence = self.translation.fence(index, self._ordered(name, call, model.orders))
        barrier = None if model.arrives is None else model.arrives(_constants(call))
        members = None if barrier is None else self._members(name, call, model.members)
        if barrier is None:
            return fence
        signalled: str = barrier

        def both(r: Registers) -> None:
            fence(r)
            r[0].environment.signal(r[0], signalled, members)

        return both

    def _members(self, name: str, call: ir.CallSite, members: Members | None) -> int | None:
        """How many threads a barrier waits for, ``None`` for all."""
        if members is None:
            return None
        count = members(_constants(call))
        if count is None:
            raise NotModelled(f"a call of @{name} with a number of threads that is no constant")
        return count

    def _ordered(self, name: str, call: ir.CallSite, orders: Orders) -> MemoryFence:
        """What a fence or barrier orders by its operands, enumerations and flags of 32 bits. NotModelled
        where one that matters is no constant."""
        fence = orders(_constants(call))
        if fence is None:
            raise NotModelled(f"a call of @{name} with flags that are no constants")
        return fence

    def _input(self, index: int, call: ir.CallSite, name: str, convergent: bool) -> Runs:
        """A callee whose results were given: each thread takes the next of its own."""
        site, slots, slot = self._places(index, call)
        streams, promised = self.program.settings.inputs[name], self.program.effects(name, call)
        effects = self.is_event(promised)
        note = self.writing(index, call, name, promised)
        record, type_ = self.recorded(index, convergent), call.type.result

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
                    f"but {option('input')} gives it {len(stream)} value{'' if len(stream) == 1 else 's'}"
                )
            value = stream[nth - 1]
            if slot >= 0:
                r[slot] = value
            thread.environment.gave(thread, key, value)
            if effects:
                shown = self.operand_data(frame, slots, call.type.parameters)
                note(r, shown)
                result = self.translation.plain_value(value, type_)
                thread.environment.saw_call(thread, site, name, shown, result, key)

        return Runs(step)

    def _per_thread(
        self, index: int, call: ir.CallSite, name: str, convergent: bool, model: PerThread
    ) -> Runs:
        _, slots, slot = self._places(index, call)
        record, alone = self.recorded(index, convergent), model.alone

        def step(r: Registers) -> None:
            thread: Thread = r[0]
            frame = thread.frame
            assert frame is not None
            key = record(thread, frame)
            value = self.translation.compute_known(
                r, partial(alone, thread.environment.place(thread)), slots, slot
            )
            thread.environment.gave(thread, key, value)

        return Runs(step)

    def _about_object(
        self, index: int, call: ir.CallSite, name: str, convergent: bool, model: AboutObject
    ) -> Runs:
        """A question about the object that the operand is based on. NotModelled where there is none."""
        _, slots, slot = self._places(index, call)
        context = self.program.context
        record, d = self.recorded(index, convergent), context.domain
        source, result = call.type.parameters[0], call.type.result
        if model.casts:
            cast, null = addrspacecast(source, result, (), context), zero(result, context.layout, d)

        def answer(thread: Thread, pointer: Value, *_: Value) -> RuntimeValue:
            if pointer.poison is not d.false:
                return cast(pointer) if model.casts else Value(d.width(1).constant(0), pointer.poison)
            provenance = pointer.provenance
            if model.casts and provenance == NULL:
                return null
            allocation = None if provenance is None else thread.memory.allocations.get(provenance.id)
            if allocation is None or allocation.function is not None:
                raise NotModelled(f"@{name} of a pointer to no object that the program has")
            holds = model.holds(allocation.address_space, allocation.owner is not None)
            if model.casts:
                return cast(pointer) if holds else null
            return Value(d.bit(holds), d.false)

        def step(r: Registers) -> None:
            thread: Thread = r[0]
            frame = thread.frame
            assert frame is not None
            key = record(thread, frame)
            value = self.translation.compute_known(r, partial(answer, thread), slots, slot)
            thread.environment.gave(thread, key, value)

        return Runs(step)

    def _stand_in(self, index: int, call: ir.CallSite, name: str, promised: Effects) -> Runs:
        """D-CALL for a call that is not convergent: a value of callee, thread and operands, and, if it may
        read what calls did before, of how many of its own thread's went before."""
        site, slots, slot = self._places(index, call)
        types, type_, program = call.type.parameters, call.type.result, self.program
        effects = self.is_event(promised)
        before, seeing = self.before(index, call, name, promised), self.seeing(index, call, name, promised)
        hidden = -1 if seeing is None else self.translation.unnamed_register()
        slots_read = slots if seeing is None else (*slots, hidden)
        filled = self.filling(index, call, name, promised)
        reading = self.reading(index, call, name, promised)
        returned, scalar = self._returned(name, call), is_scalar(program.module, call)

        def step(r: Registers) -> None:
            thread: Thread = r[0]
            frame = thread.frame
            assert frame is not None
            shown = self.operand_data(frame, slots, types) if effects else ()
            read = reading(r)
            nth = before(r, shown)
            if seeing is not None:
                r[hidden] = seeing(r)
            if returned is not None:
                value = self.translation.compute(r, lambda *values: values[returned], slots, slot)
            else:
                callee = Callee.of(name, call, program.context)
                value = self.translation.stand_in(r, callee, nth, slots_read, slot, scalar)
            if returned is None:
                thread.environment.stand_ins[name] = None
            if effects and not filled(r):
                result = self.translation.plain_value(value, type_)
                thread.environment.saw_call(thread, site, name, (*shown, *read), result, None)

        return Runs(step)

    def _returned(self, name: str, call: ir.CallSite) -> int | None:
        """The operand, from 0, that a declared function of this name promises to return (LangRef,
        *returned*), or that assembly gives back; none where that says nothing of the result's type."""
        if isinstance(call.callee, op.InlineAsm):
            place = unchanged_operand(call.callee)
            fits = place is not None and call.arguments[place].value.type == call.type.result
            return place if fits else None
        module = self.program.module
        function = module.functions.get(name)
        if function is not None and len(call.arguments) != len(function.parameters):
            function = None
        for place, argument in enumerate(call.arguments):
            words = argument_words(module, call, place, function)
            if "returned" in words and argument.value.type == call.type.result:
                return place
        return None

    # -- exchanges ------------------------------------------------------------------------------------

    def _uninterpreted(self, name: str, call: ir.CallSite, promised: Effects) -> Exchanging:
        """D-CALL: a value of callee, own thread and the group's operands; with side effects, of the group. Or
        the own operand that the callee promises to return."""
        types, type_, returned = call.type.parameters, call.type.result, self._returned(name, call)
        effects = self.is_event(promised)
        context, plain = self.program.context, self.program.plain
        stand_in, by_group = self.program.settings.stand_in, self.program.settings.order == "dependence"
        follows = promised.reads and not self.program.settings.reading
        scalar = is_scalar(self.program.module, call)

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            shown: dict[int, Any] = {
                lane: [plain(v, t) for v, t in zip(values, types, strict=False)]
                for lane, values in sorted(group.items())
            }
            operands_: list[Any] = [[subgroup.first + lane, values] for lane, values in shown.items()]
            if not types and not effects and not by_group:
                operands_ = []
            if follows:
                operands_ += [[subgroup.first + lane, *seen_plainly(group[lane][-1])] for lane in shown]
            if returned is not None:
                return {lane: values[returned] for lane, values in group.items()}
            results = {}
            for lane in group:
                whose = subgroup.first if scalar else subgroup.first + lane
                value = stand_in(name, [whose, operands_], type_, context)
                assert value is not None
                results[lane] = value
            return results

        return Exchanging(together, effects, follows)

    def _exchange(
        self,
        index: int,
        call: ir.CallSite,
        name: str,
        model: Exchanging,
        stands_in: bool,
        reads: bool = False,
    ) -> Stops:
        """A thread stops here until its group is complete. ``reads`` as for :meth:`void`."""
        site, slots, result = self._places(index, call)
        key_of = self.calls.key_of(index)
        shown_name = self.program.name(site)
        types = call.type.parameters
        promised = self.program.effects(name, call)
        if self.program.settings.order == "dependence":  # then attributes say what is seen, model or not
            if not model.effect and self.is_event(promised):
                model = replace(model, effect=True)
        effect, follows = model.effect, model.follows
        note = self.writing(index, call, name, promised) if effect else None
        unmodelled = stands_in or reads
        reading = self.reading(index, call, name, promised if unmodelled else NO_EFFECTS)
        seeing = self.seeing(index, call, name, promised) or (
            lambda r: Value(sum(r[0].writing_calls.values()), False)
        )
        fence = None if model.orders is None else self._ordered(name, call, model.orders)
        workgroup = None if model.workgroup is None else model.workgroup(_constants(call))
        members = None if model.members is None else model.members(_constants(call))
        if workgroup is not None and model.uniform is not None:
            self.program.uniform_barriers[site] = UniformBarrier(workgroup, shown_name, model.uniform)
        own = self._own_access(index, call, name) if model.accesses else None
        arrives = None if model.behind is None else self._arriving(index, call, name, model.behind)
        shows = effect or self.program.settings.unknowns

        def make(after: Segment) -> Finish:
            if own is not None and arrives is not None:
                after = _doing(index, (own, arrives), after)
            exchange = Exchange(
                site,
                shown_name,
                name,
                types,
                call.type.result,
                result,
                after,
                model,
                stands_in,
                fence,
                workgroup,
                members,
            )

            def finish(thread: Thread, frame: Frame) -> Frame | None:
                r = frame.registers
                thread.at = index
                if own is not None and arrives is None:
                    own(r)
                key = key_of(thread, frame)
                shown = self.operand_data(frame, slots, types) if shows else ()
                thread.record(frame, site, key)
                read = reading(r)
                if note is not None:
                    note(r, shown)
                operands = tuple([r[s] for s in slots])
                if follows:
                    operands = (*operands, seeing(r))
                return thread.environment.arrive(thread, key, exchange, operands, (*shown, *read))

            return finish

        return Stops(make)

    def _own_access(self, index: int, call: ir.CallSite, name: str) -> Step:
        """The access that a member of an exchange does for itself; its result is the exchange's."""
        access = prepare_access(call, self.translation.context)
        if access is None:
            raise NotModelled(f"what @{name} does to memory")
        planned = self.translation.access(index, replace(call, result=None), access)
        assert isinstance(planned, Runs)
        return planned.step


def _doing(index: int, steps: tuple[Step, ...], after: Segment) -> Segment:
    """Steps that still belong to the instruction before a segment."""
    between = Segment(index)

    def finish(thread: Thread, frame: Frame) -> Frame | None:
        for step in steps:
            step(frame.registers)
        frame.segment = after
        return frame

    between.finish = finish
    return between


def all_typed(call: ir.CallSite) -> ir.CallSite:
    """The call with a type for each argument: what a variadic callee takes beyond its parameters has the type
    with which it is passed, and so has what is copied for it."""
    types = tuple(argument.value.type for argument in call.arguments)
    if types == call.type.parameters:
        return call
    return replace(call, type=replace(call.type, parameters=types))


def _is_own(thread: Thread, pointer: object) -> bool:
    """Whether a pointer is known to point to a stack object of the thread."""
    if not isinstance(pointer, Value) or pointer.provenance is None:
        return False
    allocation = thread.memory.allocations.get(pointer.provenance.id)
    return allocation is not None and allocation.owner == thread.number


def _goes_on(r: Registers) -> None:
    """What is left to do where a thread is not ended."""


def wrote(thread: Thread, written_at: frozenset[str], only: object = None) -> bool:
    """The thread did something that may have written there what functions without a model read. ``only`` is
    what was called, with which operands, where that reads nothing: it writes again what it has written, if
    nothing else has written there. Whether it may have changed anything."""
    places = overwritten(written_at)
    new = only is None or any(thread.wrote.get(place) != only for place in places)
    if new:
        for place in written_at - {"argmem"}:
            thread.writing_calls[place] = thread.writing_calls.get(place, 0) + 1
    thread.wrote.update(dict.fromkeys(places, only))
    return new


def counted(planned: Planned, access: ir.Instruction) -> Planned:
    """A planned access; a volatile one may write what functions without a model read, as a call may."""
    if not is_volatile(access) or not isinstance(planned, Runs):
        return planned
    once = planned.step

    def step(r: Registers) -> None:
        wrote(r[0], EVERYWHERE)
        once(r)

    return Runs(step)


def _nothing_together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
    """Results of an operation that returns nothing."""
    return {}


def _constants(call: ir.CallSite) -> list[int | None]:
    """The operands that are constants, as numbers of 32 bits; ``None`` for the others."""
    return [o.value & 0xFFFFFFFF if isinstance(o, op.Int) else None for o in operands(call)]


def _relevant_call(call: ir.CallSite) -> ir.CallSite:
    """The call without the operands of which nothing depends."""
    hidden = unseen(call)
    if not hidden:
        return call
    kept = [n for n in range(len(call.arguments)) if n not in hidden]
    type_ = replace(call.type, parameters=tuple(call.type.parameters[n] for n in kept))
    return replace(call, type=type_, arguments=tuple(call.arguments[n] for n in kept))


# ----------------------------------------------------------------------------------------------------------
# ``callbr`` (LangRef, *'callbr' Instruction*): a call that goes on at one of several labels.
#
# LLVM has it for inline assembly, and for the intrinsic that kills a thread. Nobody models what assembly
# does: a call of it is a call of a function without a model, whose name is its text, and which label it goes
# on to is a free choice of the thread, the direct one first. In a refinement that is a stand-in, as results
# are: the same assembly on the same operands goes the same way on both sides.
# ----------------------------------------------------------------------------------------------------------


class Branching:
    """Prepares the ``callbr`` of one function."""

    def __init__(self, calls: Calls) -> None:
        self.calls = calls
        self.declared = calls.declared
        self.translation = calls.translation
        self.program = calls.program

    def callbr(self, segments: SegmentBuilder, block: Block, index: int, call: ir.CallBr) -> None:
        """The end of a block. NotModelled for what LLVM does not take there, either."""
        terminators, labels = self.calls.terminators, (call.fallthrough, *call.indirect)
        edges = [terminators.edge(block, label) for label in labels]
        if callee_name(call) == KILL:
            finish = self.declared.kill(index, call, KILL, edges[0])
        elif isinstance(call.callee, op.InlineAsm):
            finish = self._to_one_of(segments, index, call, assembly_name(call.callee), edges)
        else:
            raise NotModelled("a callbr of what is neither assembly nor an intrinsic")
        if self.program.settings.path_of == self.translation.code.name:
            finish = terminators.by_path(block, call, finish, labels)
        segments.finish(index, finish)

    def _to_one_of(
        self, segments: SegmentBuilder, index: int, call: ir.CallBr, name: str, edges: Sequence[Finish]
    ) -> Finish:
        """Assembly. Labels have numbers, the direct one is 0; the number is the result of the event."""
        declared, translation, settings = self.declared, self.translation, self.program.settings
        site, promised = self.calls.site(index), self.program.effects(name, call)
        labels = (call.fallthrough, *call.indirect)
        effects = declared.is_event(promised)
        slots, result, label = (
            translation.slots(operands(call)),
            translation.result(call),
            translation.unnamed_register(),
        )
        check = self.calls.noundef(call, None, slots)
        record = declared.recorded(index, is_convergent(self.program.module, call))
        number = IntType(max(1, (len(labels) - 1).bit_length()))
        which = Callee(f"label of {name}", FunctionType(number, call.type.parameters), self.program.context)
        callee = Callee.of(name, call, self.program.context)
        before = declared.before(index, call, name, promised)

        def step(r: Registers) -> None:
            thread: Thread = r[0]
            frame = thread.frame
            assert frame is not None
            if check is not None:
                check(r)
            key = record(thread, frame)
            shown = declared.operand_data(frame, slots, call.type.parameters) if effects else ()
            nth = before(r, shown)
            if settings.reading:
                taken: Any = Value(thread.environment.target(thread, site, labels), False)
                r[label] = taken
            else:
                taken = translation.stand_in(r, which, nth, slots, label)
            if result >= 0:
                translation.stand_in(r, callee, nth, slots, result)
                thread.environment.stand_ins[name] = None
            if effects:
                number_shown = translation.plain_value(taken, IntType(32))
                thread.environment.saw_call(thread, site, name, shown, number_shown, key)

        go_on = translation.switch(label, index, dict(enumerate(edges)), edges[0])
        if not settings.reading:  # then the thread waits for the stand-in alone
            segments.step(index, step, result)
            return go_on

        def finish(thread: Thread, frame: Frame) -> Frame | None:
            step(frame.registers)
            return go_on(thread, frame)

        waiting: Finish = finish
        for slot in dict.fromkeys(slots):  # where it goes depends on its operands (D-CAUSE)
            waiting = translation.needing(slot, index, waiting)
        return waiting
