"""Instructions from the parse tree, one callback per instruction (LangRef, *Instruction Reference*)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from lark import Token, v_args
from lark.tree import Meta

from ..ir import instructions as ir
from ..ir.instructions import Argument, Bundle, Instruction
from ..ir.operands import Local, MetadataOperand, Operand
from ..ir.types import FunctionType, PointerType, SimpleType
from .lower_constants import Assembly, Attachment, ConstantRules, Value, attachments
from .lower_types import TYPES, AddressSpace, Children, WordList
from .names import name, string
from .words import call_words

Build = Callable[..., Instruction]
"""An instruction that still needs its result, attachments and span."""


class Incomplete(NamedTuple):
    build: Build
    attachments: tuple[tuple[str, Any], ...]


class BlockLabel(NamedTuple):
    """``name:`` and where it stands."""

    name: str
    start: int
    end: int


class Arguments(tuple[Argument | None, ...]):
    """A call's actual arguments; ``None`` stands for ``...``."""


class Bundles(tuple[Bundle, ...]):
    pass


def block(operand: Operand) -> str:
    """The block that a ``label`` operand names."""
    if not isinstance(operand, Local):
        raise ValueError("expected a basic block")
    return operand.name


def plain(children: Children) -> Children:
    """The children without attachments."""
    return [x for x in children if not isinstance(x, Attachment)]


def incomplete(build: Build, children: Children) -> Incomplete:
    return Incomplete(build, attachments(children))


def _align(words: Children) -> int | None:
    """The number of ``align N`` among some children, ``None`` if there is none."""
    for word in words:
        if isinstance(word, str) and word.startswith("align"):
            return int(word[6:])
    return None


def _memory(flags: WordList, ordering: WordList, rest: Children) -> dict[str, Any]:
    """What loads, stores and atomics share: volatile, syncscope, alignment."""
    scope = next((w[11:-2] for w in ordering if w.startswith("syncscope(")), None)
    return {"volatile": "volatile" in flags, "scope": scope, "align": _align(rest)}


def _orderings(words: WordList) -> list[str]:
    return [w for w in words if not w.startswith("syncscope(")]


class InstructionRules(ConstantRules):
    # -- statements

    @v_args(meta=True)
    def statement(self, meta: Meta, c: Children) -> Instruction:
        result = name(c[0][1:]) if isinstance(c[0], Token) else None
        build, attached = c[-1]
        made: Instruction = build(result=result, attachments=attached, span=self.span(meta))
        return made

    @v_args(meta=True)
    def label(self, meta: Meta, c: Children) -> BlockLabel:
        span = self.span(meta)
        return BlockLabel(name(c[0][:-1]), span.start, span.end)

    def debug_records(self, c: Children) -> Incomplete:
        return Incomplete(partial(ir.DebugRecord, str(c[0][1:]), tuple(c[1:])), ())

    # -- terminators

    def ret_instruction(self, c: Children) -> Incomplete:
        return incomplete(partial(ir.Ret, None if isinstance(c[0], SimpleType) else c[0]), c)

    def br_instruction(self, c: Children) -> Incomplete:
        match plain(c):
            case [target]:
                return incomplete(partial(ir.Br, block(target)), c)
            case [condition, then, otherwise]:
                return incomplete(partial(ir.CondBr, condition, block(then), block(otherwise)), c)
            case _:
                raise ValueError("br takes one or three operands")

    def switch_case(self, c: Children) -> tuple[Operand, str]:
        value: Value = c[1]
        return value(c[0]), block(c[2])

    def switch_instruction(self, c: Children) -> Incomplete:
        value, default, *cases = plain(c)
        return incomplete(partial(ir.Switch, value, block(default), tuple(cases)), c)

    def indirectbr_instruction(self, c: Children) -> Incomplete:
        address, *targets = plain(c)
        return incomplete(partial(ir.IndirectBr, address, tuple(map(block, targets))), c)

    def resume_instruction(self, c: Children) -> Incomplete:
        return incomplete(partial(ir.Resume, c[0]), c)

    def to_caller(self, c: Children) -> None:
        return None

    def catchswitch_instruction(self, c: Children) -> Incomplete:
        parent, *handlers, unwind = plain(c)
        to = None if unwind is None else block(unwind)
        return incomplete(
            partial(ir.CatchSwitch, parent(SimpleType("token")), tuple(map(block, handlers)), to), c
        )

    def catchret_instruction(self, c: Children) -> Incomplete:
        return incomplete(partial(ir.CatchRet, c[0](SimpleType("token")), block(c[1])), c)

    def cleanupret_instruction(self, c: Children) -> Incomplete:
        to = None if c[1] is None else block(c[1])
        return incomplete(partial(ir.CleanupRet, c[0](SimpleType("token")), to), c)

    def unreachable_instruction(self, c: Children) -> Incomplete:
        return incomplete(ir.Unreachable, c)

    # -- unary, binary, conversion

    def unary_operations(self, c: Children) -> Incomplete:
        return incomplete(partial(ir.FNeg, c[1], tuple(c[0])), c)

    def binary_operations(self, c: Children) -> Incomplete:
        opcode, flags, lhs, rhs = plain(c)
        return incomplete(partial(ir.Binary, str(opcode), lhs, rhs(lhs.type), tuple(flags)), c)

    def conversion_operations(self, c: Children) -> Incomplete:
        opcode, flags, value, to = plain(c)
        return incomplete(partial(ir.Conversion, opcode, value, to, tuple(flags)), c)

    def icmp_instruction(self, c: Children) -> Incomplete:
        words, lhs, rhs = plain(c)[1:]
        return incomplete(partial(ir.ICmp, words[-1], lhs, rhs(lhs.type), tuple(words[:-1])), c)

    def fcmp_instruction(self, c: Children) -> Incomplete:
        words, lhs, rhs = plain(c)[1:]
        return incomplete(partial(ir.FCmp, words[-1], lhs, rhs(lhs.type), tuple(words[:-1])), c)

    # -- vectors and aggregates

    def extractelement_instruction(self, c: Children) -> Incomplete:
        return incomplete(partial(ir.ExtractElement, *plain(c)[1:]), c)

    def insertelement_instruction(self, c: Children) -> Incomplete:
        return incomplete(partial(ir.InsertElement, *plain(c)[1:]), c)

    def shufflevector_instruction(self, c: Children) -> Incomplete:
        return incomplete(partial(ir.ShuffleVector, *plain(c)[1:]), c)

    def extractvalue_instruction(self, c: Children) -> Incomplete:
        aggregate, *indices = plain(c)
        return incomplete(partial(ir.ExtractValue, aggregate, tuple(map(int, indices))), c)

    def insertvalue_instruction(self, c: Children) -> Incomplete:
        aggregate, element, *indices = plain(c)
        return incomplete(partial(ir.InsertValue, aggregate, element, tuple(map(int, indices))), c)

    # -- memory

    def alloca_instruction(self, c: Children) -> Incomplete:
        flags, type, *rest = plain(c)
        space: int | str = next((x.value for x in rest if isinstance(x, AddressSpace)), 0)
        count = next((x for x in rest if not isinstance(x, str | AddressSpace)), None)
        return incomplete(partial(ir.Alloca, type, count, _align(rest), space, tuple(flags)), c)

    def load_instruction(self, c: Children) -> Incomplete:
        flags, type, pointer, ordering, *rest = plain(c)
        order = next(iter(_orderings(ordering)), None)
        return incomplete(
            partial(ir.Load, type, pointer, ordering=order, **_memory(flags, ordering, rest)), c
        )

    def store_instruction(self, c: Children) -> Incomplete:
        flags, value, pointer, ordering, *rest = plain(c)
        order = next(iter(_orderings(ordering)), None)
        return incomplete(
            partial(ir.Store, value, pointer, ordering=order, **_memory(flags, ordering, rest)), c
        )

    def fence_instruction(self, c: Children) -> Incomplete:
        scope = _memory(WordList(), c[0], [])["scope"]
        return incomplete(partial(ir.Fence, _orderings(c[0])[0], scope), c)

    def cmpxchg_instruction(self, c: Children) -> Incomplete:
        flags, pointer, expected, replacement, ordering, *rest = plain(c)
        success, failure = _orderings(ordering)
        build = partial(ir.CmpXchg, pointer, expected, replacement, success, failure, "weak" in flags)
        return incomplete(partial(build, **_memory(flags, ordering, rest)), c)

    def atomicrmw_instruction(self, c: Children) -> Incomplete:
        flags, pointer, value, ordering, *rest = plain(c)
        build = partial(ir.AtomicRMW, flags[-1], pointer, value, _orderings(ordering)[0])
        return incomplete(partial(build, **_memory(flags, ordering, rest)), c)

    def getelementptr_instruction(self, c: Children) -> Incomplete:
        flags, source, pointer, *indices = plain(c)
        return incomplete(partial(ir.GetElementPtr, source, pointer, tuple(indices), tuple(flags)), c)

    # -- other

    def incoming(self, c: Children) -> tuple[Value, str]:
        return c[0], name(c[1][1:])

    def phi_instruction(self, c: Children) -> Incomplete:
        flags, type, *incoming = plain(c)
        pairs = tuple((value(type), label) for value, label in incoming)
        return incomplete(partial(ir.Phi, type, pairs, tuple(flags)), c)

    def select_instruction(self, c: Children) -> Incomplete:
        _, flags, condition, then, otherwise = plain(c)
        return incomplete(partial(ir.Select, condition, then, otherwise, tuple(flags)), c)

    def freeze_instruction(self, c: Children) -> Incomplete:
        return incomplete(partial(ir.Freeze, c[0]), c)

    def va_arg_instruction(self, c: Children) -> Incomplete:
        return incomplete(partial(ir.VAArg, c[0], c[1]), c)

    def cleanup(self, c: Children) -> Token:
        return Token("CLEANUP", "cleanup")

    def landingpad_clause(self, c: Children) -> tuple[str, Operand]:
        return str(c[0]), c[1]

    def landingpad_instruction(self, c: Children) -> Incomplete:
        type, *rest = plain(c)
        cleanup = bool(rest) and isinstance(rest[0], Token)
        return incomplete(partial(ir.LandingPad, type, cleanup, tuple(rest[cleanup:])), c)

    def catchpad_instruction(self, c: Children) -> Incomplete:
        parent, *arguments = plain(c)
        return incomplete(partial(ir.CatchPad, parent(SimpleType("token")), tuple(arguments)), c)

    def cleanuppad_instruction(self, c: Children) -> Incomplete:
        parent, *arguments = plain(c)
        return incomplete(partial(ir.CleanupPad, parent(SimpleType("token")), tuple(arguments)), c)

    # -- calls

    def argument(self, c: Children) -> Argument:
        if isinstance(c[0], MetadataOperand):
            return Argument(c[0])
        value: Value = c[2]
        return Argument(value(c[0]), tuple(c[1]))

    def arguments(self, c: Children) -> Arguments:
        return Arguments(None if isinstance(x, Token) else x for x in c)

    @v_args(meta=True)
    def operand_bundle(self, meta: Meta, c: Children) -> Bundle:
        return Bundle(string(c[0]).decode("utf-8", "surrogateescape"), tuple(c[1:]), self.span(meta))

    def operand_bundles(self, c: Children) -> Bundles:
        return Bundles(c)

    def call_site(self, make: Build, c: Children, **more: Any) -> Incomplete:
        """``make`` with what all calls share, from their children in the text's order."""
        at = next(i for i, x in enumerate(c) if isinstance(x, TYPES))
        words = tuple(x for x in c[:at] if isinstance(x, str))
        space = next((x.value for x in c[:at] if isinstance(x, AddressSpace)), None)
        type, callee, arguments, attributes, *rest = c[at:]
        bundles = tuple(rest[0]) if rest and isinstance(rest[0], Bundles) else ()
        fast, convention, return_attributes = call_words(words)
        actual = tuple(a for a in arguments if a is not None)
        explicit = isinstance(type, FunctionType)
        signature = type if explicit else FunctionType(type, tuple(a.value.type for a in actual))
        operand = callee(signature if isinstance(callee, Assembly) else PointerType(space or 0))
        build = partial(
            make,
            operand,
            signature,
            actual,
            bundles,
            tuple(attributes),
            return_attributes,
            convention,
            fast,
            address_space=space,
            explicit_type=explicit,
            ellipsis=len(actual) != len(arguments),
            **more,
        )
        return incomplete(build, c)

    def call_instruction(self, c: Children) -> Incomplete:
        marker = str(c[0]) if isinstance(c[0], Token) else ""
        return self.call_site(ir.Call, c[1:] if marker else c, marker=marker)

    def invoke_instruction(self, c: Children) -> Incomplete:
        *call, normal, unwind = plain(c)
        made = self.call_site(ir.Invoke, call, normal=block(normal), unwind=block(unwind))
        return Incomplete(made.build, attachments(c))

    def callbr_instruction(self, c: Children) -> Incomplete:
        last = max(i for i, x in enumerate(c) if isinstance(x, WordList | Bundles))
        fallthrough, *indirect = map(block, plain(c[last + 1 :]))
        made = self.call_site(ir.CallBr, c[: last + 1], fallthrough=fallthrough, indirect=tuple(indirect))
        return Incomplete(made.build, attachments(c))
