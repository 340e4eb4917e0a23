"""Instructions as canonical text (LangRef, *Instruction Reference*)."""

from __future__ import annotations

from typing import assert_never

from ..ir import instructions as ir
from ..ir.instructions import Bundle, CallSite, Instruction
from ..ir.operands import Operand
from ..ir.spelling import quoted, spelled, text_bytes
from ..ir.types import address_space, type_text
from .print_values import METADATA, ValuePrinter, print_words, spaced

Known = (
    ir.Terminator | ir.Call | ir.FNeg | ir.Binary | ir.ICmp | ir.FCmp | ir.Conversion | ir.ExtractElement
    | ir.InsertElement | ir.ShuffleVector | ir.ExtractValue | ir.InsertValue | ir.Alloca | ir.Load | ir.Store
    | ir.Fence | ir.CmpXchg | ir.AtomicRMW | ir.GetElementPtr | ir.Phi | ir.Select | ir.Freeze | ir.VAArg
    | ir.LandingPad | ir.CatchPad | ir.CleanupPad | ir.DebugRecord
)  # fmt: skip
"""Every instruction of the LangRef."""


def label(name: str) -> str:
    return f"label %{spelled(name)}"


def labels(names: tuple[str, ...]) -> str:
    return "[" + ", ".join(map(label, names)) + "]"


def _align(align: int | None) -> str:
    return "" if align is None else f", align {align}"


def _ordering(scope: str | None, *orderings: str | None) -> str:
    words = [] if scope is None else [f'syncscope("{scope}")']
    return print_words((*words, *(o for o in orderings if o is not None)))


def _volatile(volatile: bool) -> str:
    return "volatile " if volatile else ""


class InstructionPrinter(ValuePrinter):
    def instruction(self, instruction: Instruction) -> str:
        """One instruction on one line, without indentation."""
        result = "" if instruction.result is None else f"%{spelled(instruction.result)} = "
        known: Known = instruction  # type: ignore[assignment]
        return result + self._body(known) + self.attachments(instruction.attachments)

    def _body(self, i: Known) -> str:
        typed, value = self.typed, self.value
        match i:
            case CallSite():
                return self._call(i)
            # terminators
            case ir.Ret(returned):
                return "ret void" if returned is None else f"ret {typed(returned)}"
            case ir.Br(target):
                return f"br {label(target)}"
            case ir.CondBr(condition, then, otherwise):
                return f"br {typed(condition)}, {label(then)}, {label(otherwise)}"
            case ir.Switch(of, default, cases):
                inner = " ".join(f"{typed(case)}, {label(block)}" for case, block in cases)
                return f"switch {typed(of)}, {label(default)} [{inner}]"
            case ir.IndirectBr(address, targets):
                return f"indirectbr {typed(address)}, {labels(targets)}"
            case ir.Resume(of):
                return f"resume {typed(of)}"
            case ir.CatchSwitch(parent, handlers, unwind):
                return f"catchswitch within {value(parent)} {labels(handlers)} unwind {_unwind(unwind)}"
            case ir.CatchRet(pad, target):
                return f"catchret from {value(pad)} to {label(target)}"
            case ir.CleanupRet(pad, unwind):
                return f"cleanupret from {value(pad)} unwind {_unwind(unwind)}"
            case ir.Unreachable():
                return "unreachable"
            # unary, binary, comparison, conversion
            case ir.FNeg(of, flags):
                return f"fneg {spaced(flags)}{typed(of)}"
            case ir.Binary(opcode, lhs, rhs, flags):
                return f"{opcode} {spaced(flags)}{typed(lhs)}, {value(rhs)}"
            case ir.ICmp(predicate, lhs, rhs, flags):
                return f"icmp {spaced(flags)}{predicate} {typed(lhs)}, {value(rhs)}"
            case ir.FCmp(predicate, lhs, rhs, flags):
                return f"fcmp {spaced(flags)}{predicate} {typed(lhs)}, {value(rhs)}"
            case ir.Conversion(opcode, of, to, flags):
                return f"{opcode} {spaced(flags)}{typed(of)} to {type_text(to)}"
            # vectors and aggregates
            case ir.ExtractElement(vector, index):
                return f"extractelement {self.typed_list((vector, index))}"
            case ir.InsertElement(vector, element, index):
                return f"insertelement {self.typed_list((vector, element, index))}"
            case ir.ShuffleVector(first, second, mask):
                return f"shufflevector {self.typed_list((first, second, mask))}"
            case ir.ExtractValue(aggregate, indices):
                return f"extractvalue {', '.join([typed(aggregate), *map(str, indices)])}"
            case ir.InsertValue(aggregate, element, indices):
                return f"insertvalue {', '.join([typed(aggregate), typed(element), *map(str, indices)])}"
            # memory
            case ir.Alloca(type, count, align, space, flags):
                number = "" if count is None else f", {typed(count)}"
                where = "" if space == 0 else f", {address_space(space)}"
                return f"alloca {spaced(flags)}{type_text(type)}{number}{_align(align)}{where}"
            case ir.Load(type, pointer, align, volatile, ordering, scope):
                atomic = "" if ordering is None else "atomic "
                head = f"load {atomic}{_volatile(volatile)}{type_text(type)}, {typed(pointer)}"
                return head + _ordering(scope, ordering) + _align(align)
            case ir.Store(of, pointer, align, volatile, ordering, scope):
                atomic = "" if ordering is None else "atomic "
                head = f"store {atomic}{_volatile(volatile)}{typed(of)}, {typed(pointer)}"
                return head + _ordering(scope, ordering) + _align(align)
            case ir.Fence(ordering, scope):
                return f"fence{_ordering(scope, ordering)}"
            case ir.CmpXchg(pointer, expected, replacement, success, failure, weak, volatile, scope, align):
                head = f"cmpxchg {'weak ' if weak else ''}{_volatile(volatile)}"
                operands = self.typed_list((pointer, expected, replacement))
                return head + operands + _ordering(scope, success, failure) + _align(align)
            case ir.AtomicRMW(operation, pointer, of, ordering, volatile, scope, align):
                head = f"atomicrmw {_volatile(volatile)}{operation} {self.typed_list((pointer, of))}"
                return head + _ordering(scope, ordering) + _align(align)
            case ir.GetElementPtr(source, pointer, offsets, flags):
                operands = self.typed_list((pointer, *offsets))
                return f"getelementptr {spaced(flags)}{type_text(source)}, {operands}"
            # other
            case ir.Phi(type, incoming, flags):
                pairs = ", ".join(f"[ {value(of)}, %{spelled(block)} ]" for of, block in incoming)
                return f"phi {spaced(flags)}{type_text(type)}{' ' if pairs else ''}{pairs}"
            case ir.Select(condition, then_value, else_value, flags):
                return f"select {spaced(flags)}{self.typed_list((condition, then_value, else_value))}"
            case ir.Freeze(of):
                return f"freeze {typed(of)}"
            case ir.VAArg(pointer, type):
                return f"va_arg {typed(pointer)}, {type_text(type)}"
            case ir.LandingPad(type, cleanup, clauses):
                inner = "".join(f" {kind} {typed(of)}" for kind, of in clauses)
                return f"landingpad {type_text(type)}{' cleanup' if cleanup else ''}{inner}"
            case ir.CatchPad(parent, arguments):
                return f"catchpad within {value(parent)} [{self.typed_list(arguments)}]"
            case ir.CleanupPad(parent, arguments):
                return f"cleanuppad within {value(parent)} [{self.typed_list(arguments)}]"
            case ir.DebugRecord(kind, items):
                inner = ", ".join(self.metadata(x) if isinstance(x, METADATA) else typed(x) for x in items)
                return f"#{kind}({inner})"
            case _:
                assert_never(i)

    def _bundle(self, bundle: Bundle) -> str:
        return f"{quoted(text_bytes(bundle.tag))}({self.typed_list(bundle.inputs)})"

    def _callee(self, callee: Operand) -> str:
        return self.value(callee)

    def _call(self, call: ir.Call | ir.Invoke | ir.CallBr) -> str:
        arguments = [*map(self.argument, call.arguments), *(["..."] if call.ellipsis else [])]
        convention = " ".join(call.convention)
        head = [
            *call.fast_math,
            *([convention] if convention else []),
            *call.return_attributes,
            *([] if call.address_space is None else [address_space(call.address_space)]),
            type_text(call.type if call.explicit_type else call.type.result),
            f"{self.value(call.callee)}({', '.join(arguments)})",
            *call.attributes,
        ]
        if call.bundles:
            head.append(f"[ {', '.join(map(self._bundle, call.bundles))} ]")
        text = " ".join(head)
        match call:
            case ir.Invoke():
                return f"invoke {text} to {label(call.normal)} unwind {label(call.unwind)}"
            case ir.CallBr():
                return f"callbr {text} to {label(call.fallthrough)} {labels(call.indirect)}"
            case ir.Call():
                return f"{call.marker + ' ' if call.marker else ''}call {text}"


def _unwind(target: str | None) -> str:
    return "to caller" if target is None else label(target)
