"""Instructions out of the rules of ``llvm.lark`` (the sections are the LangRef's headings)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

from ..ir import instructions as ir
from ..ir.instructions import Argument, Bundle, Instruction, Words
from ..ir.operands import (
    Local,
    Operand,
)
from ..ir.types import (
    PTR,
    TOKEN,
    FunctionType,
    Type,
)
from ..source import Span
from .build_values import (
    AddressSpace,
    Assembly,
    Attachments,
    IntegerLiteral,
    Symbol,
    Value,
    Values,
    pairs,
    placed,
    text_of,
)
from .intrinsics import IntrinsicNames
from .names import call_words


class CallWords(NamedTuple):
    """What stands before a call's type."""

    fast_math: Words
    convention: Words
    return_attributes: Words
    address_space: int | str | None


def _block(operand: Operand) -> str:
    """The block that a ``label`` operand names."""
    if not isinstance(operand, Local):
        raise ValueError("expected a basic block")
    return operand.name


def _align(items: tuple[Any, ...]) -> int | None:
    """The number of the first ``align N`` among some children."""
    return next((int(x[6:]) for x in items if isinstance(x, str)), None)


_CALL: Callable[..., Instruction] = ir.Call  # their fields come in three parts
_INVOKE: Callable[..., Instruction] = ir.Invoke
_CALLBR: Callable[..., Instruction] = ir.CallBr


class Instructions(Values):
    """Instructions, of values."""

    def __init__(self, text: str, type_aliases: dict[str, Type]) -> None:
        super().__init__(text, type_aliases)
        self._call_words: dict[tuple[Any, ...], CallWords] = {}
        self._orderings: dict[Words, tuple[str | None, Words]] = {}
        self.intrinsics: IntrinsicNames | None = None  # where LLVM's module has some

    # -- Terminator Instructions

    def ret_instruction(self, value: Operand, attachments: Attachments) -> Instruction:
        return ir.Ret(value, attachments=attachments)

    def ret_void(self, attachments: Attachments) -> Instruction:
        return ir.Ret(None, attachments=attachments)

    def br_instruction(self, target: Operand, attachments: Attachments) -> Instruction:
        return ir.Br(_block(target), attachments=attachments)

    def br_conditional(
        self, condition: Operand, then: Operand, otherwise: Operand, attachments: Attachments
    ) -> Instruction:
        return ir.CondBr(condition, _block(then), _block(otherwise), attachments=attachments)

    def switch_case(self, type: Type, value: Value, target: Operand) -> tuple[Operand, str]:
        return value.of(type), _block(target)

    def switch_cases(self, *cases: tuple[Operand, str]) -> tuple[tuple[Operand, str], ...]:
        return cases

    def switch_instruction(
        self,
        value: Operand,
        default: Operand,
        cases: tuple[tuple[Operand, str], ...],
        attachments: Attachments,
    ) -> Instruction:
        return ir.Switch(value, _block(default), cases, attachments=attachments)

    def targets(self, *blocks: Operand) -> tuple[str, ...]:
        return tuple(map(_block, blocks))

    def indirectbr_instruction(
        self, address: Operand, targets: tuple[str, ...], attachments: Attachments
    ) -> Instruction:
        return ir.IndirectBr(address, targets, attachments=attachments)

    def resume_instruction(self, value: Operand, attachments: Attachments) -> Instruction:
        return ir.Resume(value, attachments=attachments)

    def to_caller(self) -> None:
        return None

    def catchswitch_instruction(
        self, parent: Value, handlers: tuple[str, ...], unwind: Operand | None, attachments: Attachments
    ) -> Instruction:
        to = None if unwind is None else _block(unwind)
        return ir.CatchSwitch(parent.of(TOKEN), handlers, to, attachments=attachments)

    def catchret_instruction(self, pad: Value, target: Operand, attachments: Attachments) -> Instruction:
        return ir.CatchRet(pad.of(TOKEN), _block(target), attachments=attachments)

    def cleanupret_instruction(
        self, pad: Value, unwind: Operand | None, attachments: Attachments
    ) -> Instruction:
        to = None if unwind is None else _block(unwind)
        return ir.CleanupRet(pad.of(TOKEN), to, attachments=attachments)

    def unreachable_instruction(self, attachments: Attachments) -> Instruction:
        return ir.Unreachable(attachments=attachments)

    # -- Unary, Binary, Bitwise Binary, Conversion Operations, comparisons

    def unary_operations(self, flags: Words, value: Operand, attachments: Attachments) -> Instruction:
        return ir.FNeg(value, flags, attachments=attachments)

    def binary_operations(
        self, opcode: str, flags: Words, lhs: Operand, rhs: Value, attachments: Attachments
    ) -> Instruction:
        return ir.Binary(opcode, lhs, rhs.of(lhs.type), flags, attachments=attachments)

    def conversion_operations(
        self, opcode: str, flags: Words, value: Operand, to: Type, attachments: Attachments
    ) -> Instruction:
        return ir.Conversion(opcode, value, to, flags, attachments=attachments)

    def icmp_instruction(
        self, opcode: str, words: Words, lhs: Operand, rhs: Value, attachments: Attachments
    ) -> Instruction:
        return ir.ICmp(words[-1], lhs, rhs.of(lhs.type), words[:-1], attachments=attachments)

    def fcmp_instruction(
        self, opcode: str, words: Words, lhs: Operand, rhs: Value, attachments: Attachments
    ) -> Instruction:
        return ir.FCmp(words[-1], lhs, rhs.of(lhs.type), words[:-1], attachments=attachments)

    # -- Vector and Aggregate Operations

    def extractelement_instruction(
        self, opcode: str, vector: Operand, index: Operand, attachments: Attachments
    ) -> Instruction:
        return ir.ExtractElement(vector, index, attachments=attachments)

    def insertelement_instruction(
        self, opcode: str, vector: Operand, element: Operand, index: Operand, attachments: Attachments
    ) -> Instruction:
        return ir.InsertElement(vector, element, index, attachments=attachments)

    def shufflevector_instruction(
        self, opcode: str, first: Operand, second: Operand, mask: Operand, attachments: Attachments
    ) -> Instruction:
        return ir.ShuffleVector(first, second, mask, attachments=attachments)

    def indices(self, *items: Any) -> tuple[tuple[int, ...], Attachments]:
        return tuple(x.number for x in items if isinstance(x, IntegerLiteral)), pairs(items)

    def extractvalue_instruction(
        self, aggregate: Operand, indices: tuple[tuple[int, ...], Attachments]
    ) -> Instruction:
        return ir.ExtractValue(aggregate, indices[0], attachments=indices[1])

    def insertvalue_instruction(
        self, aggregate: Operand, element: Operand, indices: tuple[tuple[int, ...], Attachments]
    ) -> Instruction:
        return ir.InsertValue(aggregate, element, indices[0], attachments=indices[1])

    # -- Memory Access and Addressing Operations

    def alloca_properties(self, *items: Any) -> tuple[Any, ...]:
        return items

    def alloca_instruction(self, flags: Words, type: Type, properties: tuple[Any, ...]) -> Instruction:
        others = (str, tuple)  # an address space is a tuple, too
        return ir.Alloca(
            type,
            next((x for x in properties if not isinstance(x, others)), None),
            _align(properties),
            next((x.value for x in properties if isinstance(x, AddressSpace)), 0),
            flags,
            attachments=pairs(properties),
        )

    def ordering(self, *words: str) -> tuple[str | None, Words]:
        """The synchronisation scope, and the orderings."""
        if not words:
            return None, ()
        entry = self._orderings.get(words)
        if entry is None:
            scope = next((w[11:-2] for w in words if w.startswith("syncscope(")), None)
            entry = scope, tuple(w for w in words if not w.startswith("syncscope("))
            self._orderings[words] = entry
        return entry

    def memory_properties(self, *items: Any) -> tuple[int | None, Attachments]:
        if not items:
            return None, ()
        return _align(items), pairs(items)

    def load_instruction(
        self,
        flags: Words,
        type: Type,
        pointer: Operand,
        ordering: tuple[str | None, Words],
        properties: tuple[int | None, Attachments],
    ) -> Instruction:
        scope, orders = ordering
        align, attachments = properties
        order = orders[0] if orders else None
        return ir.Load(type, pointer, align, "volatile" in flags, order, scope, attachments=attachments)

    def store_instruction(
        self,
        flags: Words,
        value: Operand,
        pointer: Operand,
        ordering: tuple[str | None, Words],
        properties: tuple[int | None, Attachments],
    ) -> Instruction:
        scope, orders = ordering
        align, attachments = properties
        order = orders[0] if orders else None
        return ir.Store(value, pointer, align, "volatile" in flags, order, scope, attachments=attachments)

    def fence_instruction(self, ordering: tuple[str | None, Words], attachments: Attachments) -> Instruction:
        scope, (order,) = ordering
        return ir.Fence(order, scope, attachments=attachments)

    def cmpxchg_instruction(
        self,
        flags: Words,
        pointer: Operand,
        expected: Operand,
        replacement: Operand,
        ordering: tuple[str | None, Words],
        properties: tuple[int | None, Attachments],
    ) -> Instruction:
        scope, (success, failure) = ordering
        align, attachments = properties
        weak, volatile = "weak" in flags, "volatile" in flags
        return ir.CmpXchg(
            pointer, expected, replacement, success, failure, weak, volatile, scope, align,
            attachments=attachments,
        )  # fmt: skip

    def atomicrmw_instruction(
        self,
        flags: Words,
        pointer: Operand,
        value: Operand,
        ordering: tuple[str | None, Words],
        properties: tuple[int | None, Attachments],
    ) -> Instruction:
        scope, (order,) = ordering
        align, attachments = properties
        return ir.AtomicRMW(
            flags[-1], pointer, value, order, "volatile" in flags, scope, align, attachments=attachments
        )

    def gep_operands(self, *items: Any) -> tuple[tuple[Operand, ...], Attachments]:
        attachments = pairs(items)
        return (items[: -len(attachments)] if attachments else items), attachments

    def getelementptr_instruction(
        self,
        flags: Words,
        source: Type,
        pointer: Operand,
        operands: tuple[tuple[Operand, ...], Attachments],
    ) -> Instruction:
        return ir.GetElementPtr(source, pointer, operands[0], flags, attachments=operands[1])

    # -- Other Operations

    def incoming(self, value: Value, block: Symbol) -> tuple[Value, Symbol]:
        return value, block

    def phi_operands(self, *items: Any) -> tuple[Any, ...]:
        return items

    def phi_instruction(self, flags: Words, type: Type, items: tuple[Any, ...]) -> Instruction:
        pairs = [x for x in items if not isinstance(x[0], str)]
        incoming = tuple([(value.of(type), block.name) for value, block in pairs])
        return ir.Phi(type, incoming, flags, attachments=items[len(pairs) :])

    def select_instruction(
        self,
        opcode: str,
        flags: Words,
        condition: Operand,
        then: Operand,
        otherwise: Operand,
        attachments: Attachments,
    ) -> Instruction:
        return ir.Select(condition, then, otherwise, flags, attachments=attachments)

    def freeze_instruction(self, value: Operand, attachments: Attachments) -> Instruction:
        return ir.Freeze(value, attachments=attachments)

    def va_arg_instruction(self, operand: Operand, type: Type, attachments: Attachments) -> Instruction:
        return ir.VAArg(operand, type, attachments=attachments)

    def cleanup(self, token: str) -> bool:
        return True

    def landingpad_clause(self, kind: str, operand: Operand) -> tuple[str, Operand]:
        return kind, operand

    def landingpad_clauses(self, *clauses: tuple[str, Operand]) -> tuple[tuple[str, Operand], ...]:
        return clauses

    def landingpad_instruction(self, type: Type, *rest: Any) -> Instruction:
        *cleanup, clauses, attachments = rest
        return ir.LandingPad(type, bool(cleanup), clauses, attachments=attachments)

    def pad_arguments(self, *operands: Operand) -> tuple[Operand, ...]:
        return operands

    def catchpad_instruction(
        self, parent: Value, arguments: tuple[Operand, ...], attachments: Attachments
    ) -> Instruction:
        return ir.CatchPad(parent.of(TOKEN), arguments, attachments=attachments)

    def cleanuppad_instruction(
        self, parent: Value, arguments: tuple[Operand, ...], attachments: Attachments
    ) -> Instruction:
        return ir.CleanupPad(parent.of(TOKEN), arguments, attachments=attachments)

    # -- Calls

    def argument(self, type: Type, attributes: Words, value: Value) -> Argument:
        return Argument(value.of(type), attributes)

    def metadata_argument(self, operand: Operand) -> Argument:
        return Argument(operand)

    def arguments(self, *items: Any) -> tuple[Any, ...]:
        return items

    @placed
    def operand_bundle(self, start: int, end: int, tag: str, *inputs: Operand) -> Bundle:
        return Bundle(text_of(tag), inputs, Span(start, end))

    def operand_bundles(self, *bundles: Bundle) -> tuple[Bundle, ...]:
        return bundles

    def call_words(self, *items: str | AddressSpace) -> CallWords:
        entry = self._call_words.get(items)
        if entry is None:
            words = tuple(x for x in items if isinstance(x, str))
            space = next((x.value for x in items if isinstance(x, AddressSpace)), None)
            entry = self._call_words[items] = CallWords(*call_words(words), space)
        return entry

    def call_site(
        self,
        words: CallWords,
        type: Type,
        callee: Value,
        arguments: tuple[Any, ...],
        attributes: Words,
        bundles: tuple[Bundle, ...],
    ) -> tuple[Any, ...]:
        """The fields that all calls share, up to the fast-math flags; then those after ``marker``."""
        fast_math, convention, return_attributes, space = words
        ellipsis = bool(arguments) and arguments[-1] is ...
        actual = arguments[:-1] if ellipsis else arguments
        explicit = type.__class__ is FunctionType
        signature = type if explicit else self._signature(type, tuple([a.value.type for a in actual]))
        if callee.__class__ is Assembly:
            operand = callee.of(signature)
        else:
            operand = callee.of(PTR if not space else self.pointer_type(AddressSpace(space)))
            if self.intrinsics is not None:
                operand = self.intrinsics.callee(operand, cast(FunctionType, signature))
        return (
            (operand, signature, actual, bundles, attributes, return_attributes, convention, fast_math),
            (space, explicit, ellipsis),
        )

    def call_instruction(self, *items: Any) -> Instruction:
        *marker, (first, last), attachments = items
        return _CALL(*first, marker[0] if marker else "", *last, attachments=attachments)

    def invoke_instruction(
        self, call: tuple[Any, ...], normal: Operand, unwind: Operand, attachments: Attachments
    ) -> Instruction:
        first, last = call
        return ir.Invoke(
            *first, "", *last, normal=_block(normal), unwind=_block(unwind), attachments=attachments
        )  # type: ignore[call-arg]

    def callbr_instruction(
        self, call: tuple[Any, ...], fallthrough: Operand, indirect: tuple[str, ...], attachments: Attachments
    ) -> Instruction:
        first, last = call
        return ir.CallBr(
            *first, "", *last, fallthrough=_block(fallthrough), indirect=indirect, attachments=attachments
        )  # type: ignore[call-arg]
