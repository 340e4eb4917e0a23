"""From a statement's groups to its instruction (speed only; the patterns are ``fast_patterns``)."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..ir import instructions as ir
from ..ir.instructions import Bundle, Instruction
from ..ir.operands import Metadata, MetadataRecord, MetadataReference, Operand
from ..ir.types import FunctionType
from ..source import Span
from . import fast_patterns as shape
from .fast_types import NotFast, plain_name
from .fast_values import Interner
from .words import BINARY_OPCODES, CONVERSION_OPCODES, call_words

Builder = Callable[[Interner, "re.Match[str]", str | None, Span], Instruction]
"""From the groups, the result and the span."""


def _binary(opcode: str) -> Builder:
    def build(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
        flags, type, lhs, rhs, more = m.groups()
        return ir.Binary(
            opcode, i.operand(type, lhs), i.operand(type, rhs), i.words(flags),
            result=result, attachments=i.attachments(more), span=span,
        )  # fmt: skip

    return build


def _conversion(opcode: str) -> Builder:
    def build(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
        flags, type, value, to, more = m.groups()
        return ir.Conversion(
            opcode, i.operand(type, value), i.type(to), i.words(flags),
            result=result, attachments=i.attachments(more), span=span,
        )  # fmt: skip

    return build


def _compare(make: type[ir.ICmp] | type[ir.FCmp]) -> Builder:
    def build(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
        flags, predicate, type, lhs, rhs, more = m.groups()
        return make(
            predicate, i.operand(type, lhs), i.operand(type, rhs), i.words(flags),
            result=result, attachments=i.attachments(more), span=span,
        )  # fmt: skip

    return build


def _ret(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    type, value, more = m.groups()
    operand = None if type is None else i.operand(type, value)
    return ir.Ret(operand, result=result, attachments=i.attachments(more), span=span)


def _br(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    target, condition, then, otherwise, more = m.groups()
    if target is not None:
        return ir.Br(plain_name(target), result=result, attachments=i.attachments(more), span=span)
    return ir.CondBr(
        i.operand("i1", condition),
        plain_name(then),
        plain_name(otherwise),
        result=result,
        attachments=i.attachments(more),
        span=span,
    )


def _switch(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    type, value, default, cases, more = m.groups()
    pairs = tuple((i.operand(t, v), plain_name(block)) for t, v, block in shape.CASE.findall(cases))
    return ir.Switch(
        i.operand(type, value),
        plain_name(default),
        pairs,
        result=result,
        attachments=i.attachments(more),
        span=span,
    )


def _unreachable(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    return ir.Unreachable(result=result, attachments=i.attachments(m[1]), span=span)


def _one(make: type[ir.Freeze] | type[ir.Resume]) -> Builder:
    def build(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
        return make(i.operand(m[1], m[2]), result=result, attachments=i.attachments(m[3]), span=span)

    return build


def _extractelement(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    a, b, c, d, more = m.groups()
    return ir.ExtractElement(
        i.operand(a, b), i.operand(c, d), result=result, attachments=i.attachments(more), span=span
    )


def _three(make: type[ir.InsertElement] | type[ir.ShuffleVector]) -> Builder:
    def build(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
        flags, a, b, c, d, e, f, more = m.groups()
        if flags:
            raise NotFast
        return make(
            i.operand(a, b), i.operand(c, d), i.operand(e, f),
            result=result, attachments=i.attachments(more), span=span,
        )  # fmt: skip

    return build


def _select(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    flags, a, b, c, d, e, f, more = m.groups()
    return ir.Select(
        i.operand(a, b), i.operand(c, d), i.operand(e, f), i.words(flags),
        result=result, attachments=i.attachments(more), span=span,
    )  # fmt: skip


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(n) for n in text[2:].split(", "))


def _extractvalue(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    type, value, indices, more = m.groups()
    return ir.ExtractValue(
        i.operand(type, value), _numbers(indices), result=result, attachments=i.attachments(more), span=span
    )


def _insertvalue(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    a, b, c, d, indices, more = m.groups()
    return ir.InsertValue(
        i.operand(a, b), i.operand(c, d), _numbers(indices),
        result=result, attachments=i.attachments(more), span=span,
    )  # fmt: skip


def _alloca(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    type, count_type, count, align, space, more = m.groups()
    return ir.Alloca(
        i.type(type), None if count is None else i.operand(count_type, count),
        None if align is None else int(align), 0 if space is None else int(space),
        result=result, attachments=i.attachments(more), span=span,
    )  # fmt: skip


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


def _load(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    atomic, volatile, type, pointer_type, pointer, scope, order, align, more = m.groups()
    if (atomic is None) != (order is None):
        raise NotFast
    return ir.Load(
        i.type(type), i.operand(pointer_type, pointer), _number(align), volatile is not None, order,
        scope, result=result, attachments=i.attachments(more), span=span,
    )  # fmt: skip


def _store(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    atomic, volatile, type, value, pointer_type, pointer, scope, order, align, more = m.groups()
    if (atomic is None) != (order is None):
        raise NotFast
    return ir.Store(
        i.operand(type, value), i.operand(pointer_type, pointer), _number(align), volatile is not None, order,
        scope, result=result, attachments=i.attachments(more), span=span,
    )  # fmt: skip


def _fence(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    return ir.Fence(m[2], m[1], result=result, attachments=i.attachments(m[3]), span=span)


def _cmpxchg(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    weak, volatile, a, b, c, d, e, f, scope, success, failure, align, more = m.groups()
    return ir.CmpXchg(
        i.operand(a, b), i.operand(c, d), i.operand(e, f), success, failure, weak is not None,
        volatile is not None, scope, _number(align), result=result, attachments=i.attachments(more),
        span=span,
    )  # fmt: skip


def _atomicrmw(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    volatile, operation, a, b, c, d, scope, order, align, more = m.groups()
    return ir.AtomicRMW(
        operation, i.operand(a, b), i.operand(c, d), order, volatile is not None, scope, _number(align),
        result=result, attachments=i.attachments(more), span=span,
    )  # fmt: skip


def _fneg(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    flags, type, value, more = m.groups()
    return ir.FNeg(
        i.operand(type, value), i.words(flags), result=result, attachments=i.attachments(more), span=span
    )


def _gep(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    flags, source, type, pointer, indices, more = m.groups()
    return ir.GetElementPtr(
        i.type(source), i.operand(type, pointer),
        tuple(i.operand(t, v) for t, v in shape.INDEX.findall(indices)), tuple(flags.split()),
        result=result, attachments=i.attachments(more), span=span,
    )  # fmt: skip


def _phi(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    flags, type, incoming, more = m.groups()
    pairs = tuple(
        (i.operand(type, value), plain_name(block)) for value, block in shape.INCOMING.findall(incoming)
    )
    return ir.Phi(
        i.type(type), pairs, i.words(flags), result=result, attachments=i.attachments(more), span=span
    )


def _bundles(i: Interner, text: str | None, at: int) -> tuple[Bundle, ...]:
    """The bundles between the brackets, which begin at offset ``at``."""
    if text is None:
        return ()
    return tuple(Bundle(tag, inputs, Span(at + b, at + e)) for tag, inputs, b, e in i.bundles(text))


def _call(marker: str) -> Builder:
    def build(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
        words, type, signature, callee, arguments, attributes, bundles, more = m.groups()
        fast, convention, returned = call_words(i.words(words)) if words else ((), (), ())
        actual = i.arguments(arguments)
        function = i.signature(type, arguments) if signature is None else i.type(type + signature)
        assert isinstance(function, FunctionType)
        return ir.Call(
            i.operand("ptr", callee), function, actual, _bundles(i, bundles, m.start(7)),
            i.words(attributes), returned, convention, fast, marker, None, signature is not None,
            result=result, attachments=i.attachments(more), span=span,
        )  # fmt: skip

    return build


def _invoke(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    words, type, signature, callee, arguments, attributes, bundles, normal, unwind, more = m.groups()
    fast, convention, returned = call_words(i.words(words)) if words else ((), (), ())
    actual = i.arguments(arguments)
    function = i.signature(type, arguments) if signature is None else i.type(type + signature)
    assert isinstance(function, FunctionType)
    return ir.Invoke(
        i.operand("ptr", callee), function, actual, _bundles(i, bundles, m.start(7)), i.words(attributes),
        returned, convention, fast, "", None, signature is not None, normal=plain_name(normal),
        unwind=plain_name(unwind), result=result, attachments=i.attachments(more), span=span,
    )  # fmt: skip


def debug_record(kind: str) -> Builder:
    def build(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
        items: list[Metadata | Operand] = []
        for type, value, reference, words in shape.DEBUG_ITEM.findall(m[1]):
            if type:
                items.append(i.operand(type, value))
            elif reference:
                items.append(MetadataReference(reference))
            else:
                fields = tuple((None, word.strip()) for word in words.split(",")) if words.strip() else ()
                items.append(MetadataRecord("DIExpression", fields))
        return ir.DebugRecord(kind, tuple(items), result=result, attachments=i.attachments(m[2]), span=span)

    return build


TABLE: dict[str, tuple[str, Builder]] = {
    **{opcode: (shape.BINARY, _binary(opcode)) for opcode in BINARY_OPCODES},
    **{opcode: (shape.CONVERSION, _conversion(opcode)) for opcode in CONVERSION_OPCODES},
    "icmp": (shape.COMPARE, _compare(ir.ICmp)),
    "fcmp": (shape.COMPARE, _compare(ir.FCmp)),
    "ret": (shape.RET, _ret),
    "br": (shape.BR, _br),
    "switch": (shape.SWITCH, _switch),
    "unreachable": (shape.NOTHING, _unreachable),
    "freeze": (shape.ONE, _one(ir.Freeze)),
    "resume": (shape.ONE, _one(ir.Resume)),
    "extractelement": (shape.TWO, _extractelement),
    "insertelement": (shape.THREE, _three(ir.InsertElement)),
    "shufflevector": (shape.THREE, _three(ir.ShuffleVector)),
    "select": (shape.THREE, _select),
    "extractvalue": (shape.EXTRACTVALUE, _extractvalue),
    "insertvalue": (shape.INSERTVALUE, _insertvalue),
    "alloca": (shape.ALLOCA, _alloca),
    "load": (shape.LOAD, _load),
    "store": (shape.STORE, _store),
    "fence": (shape.FENCE, _fence),
    "cmpxchg": (shape.CMPXCHG, _cmpxchg),
    "atomicrmw": (shape.ATOMICRMW, _atomicrmw),
    "fneg": (shape.FNEG, _fneg),
    "getelementptr": (shape.GEP, _gep),
    "phi": (shape.PHI, _phi),
    "call": (shape.CALL, _call("")),
    "tail": (shape.TAIL, _call("tail")),
    "musttail": (shape.TAIL, _call("musttail")),
    "notail": (shape.TAIL, _call("notail")),
    "invoke": (shape.INVOKE, _invoke),
}
