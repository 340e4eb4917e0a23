"""Common one-line statements without the grammar (speed only; see ``fast_values``).

A function's body is read statement by statement: one expression finds the result and the opcode,
a second one, chosen by the opcode, the rest. Any statement that has another shape is handed, alone,
to the grammar; if that fails, the whole body is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..ir import instructions as ir
from ..ir.instructions import Bundle, Instruction
from ..ir.operands import Metadata, MetadataRecord, MetadataReference, Operand
from ..ir.types import FunctionType
from ..source import Span
from .fast_values import LOCAL, SYMBOL, TYPE, VALUE, WORD, Interner, NotFast, plain_name
from .resolve import Label
from .words import call_words

Common = tuple[str | None, tuple[tuple[str, Metadata], ...], Span]
"""Result, attachments and span."""

Builder = Callable[[Interner, "re.Match[str]", str | None, Span], Instruction]

_BINARY = (
    "add sub mul udiv sdiv urem srem shl lshr ashr and or xor fadd fsub fmul fdiv frem".split()
)
_CONVERSION = (
    "trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint ptrtoaddr inttoptr bitcast "
    "addrspacecast".split()
)
_OTHER = (
    "ret br switch indirectbr invoke callbr resume catchswitch catchret cleanupret unreachable fneg "
    "extractelement insertelement shufflevector extractvalue insertvalue alloca load store fence cmpxchg "
    "atomicrmw getelementptr icmp fcmp phi select freeze call tail musttail notail va_arg landingpad catchpad "
    "cleanuppad"
).split()
OPCODES = "|".join((*_BINARY, *_CONVERSION, *_OTHER))

_SPACE = r"(?:[ \t\r\n]++|;[^\n]*+)*+"
HEAD = re.compile(
    rf"{_SPACE}(?:({SYMBOL}):|(?:%({SYMBOL})[ \t]*=[ \t]*)?({OPCODES}|\#dbg_[a-z_]+)(?![-a-zA-Z$._0-9]))",
    re.ASCII,
)
_SKIP = re.compile(_SPACE)
NEXT = re.compile(
    rf'\n[ \t]*(?:(?:{SYMBOL}|"[^"\n]*"):|%(?:{SYMBOL}|"[^"\n]*")[ \t]*=|\#dbg_|uselistorder|(?:{OPCODES})(?![-a-zA-Z$._0-9]))',
    re.ASCII,
)
"""Where a line begins that looks like a statement's."""

_END = r"((?:, ![a-zA-Z._][a-zA-Z._0-9]* ![0-9]+)*)[ \t\r]*(?:;[^\n]*)?(?:\n|\Z)"
_FLAGS = r"((?:[a-z]+ )*?)"
_TYPED = rf"({TYPE}) ({VALUE})"
_BLOCK = rf"label %({SYMBOL})"


_P_BINARY = rf" {_FLAGS}{_TYPED}, ({VALUE})"
_P_CONVERSION = rf" {_FLAGS}{_TYPED} to ({TYPE})"
_P_COMPARE = rf" {_FLAGS}([a-z]+) {_TYPED}, ({VALUE})"
_P_RET = rf" (?:void(?![a-z0-9_])|{_TYPED})"
_P_BR = rf" (?:{_BLOCK}|i1 ({VALUE}), {_BLOCK}, {_BLOCK})"
_P_SWITCH = rf" {_TYPED}, {_BLOCK} \[((?:\s*+i[0-9]+ -?[0-9]+, label %{SYMBOL})*+)\s*\]"
_P_CASE = re.compile(rf"(i[0-9]+) (-?[0-9]+), label %({SYMBOL})", re.ASCII)
_P_NOTHING = ""
_P_ONE = rf" {_TYPED}"
_P_TWO = rf" {_TYPED}, {_TYPED}"
_P_THREE = rf" {_FLAGS}{_TYPED}, {_TYPED}, {_TYPED}"
_P_EXTRACTVALUE = rf" {_TYPED}((?:, [0-9]+)+)"
_P_INSERTVALUE = rf" {_TYPED}, {_TYPED}((?:, [0-9]+)+)"
_P_ALLOCA = rf" ({TYPE})(?:, (i[0-9]+) ({VALUE}))?(?:, align ([0-9]+))?(?:, addrspace\(([0-9]+)\))?"
_P_LOAD = rf" (volatile )?({TYPE}), {_TYPED}(?:, align ([0-9]+))?"
_P_STORE = rf" (volatile )?{_TYPED}, {_TYPED}(?:, align ([0-9]+))?"
_P_GEP = rf" ((?:(?:inbounds|nuw|nusw) )*)({TYPE}), {_TYPED}((?:, {TYPE} {VALUE})*)"
_P_INDEX = re.compile(rf", {_TYPED}", re.ASCII)
_P_PHI = rf" {_FLAGS}({TYPE}) (\[ {VALUE}, {LOCAL} \](?:, \[ {VALUE}, {LOCAL} \])*)"
_P_INCOMING = re.compile(rf"\[ ({VALUE}), %({SYMBOL}) \]", re.ASCII)
_PLAIN = r'(?:[^()\n;"]++|"[^"\n]*+")'
INSIDE = rf"((?:{_PLAIN}|\((?:{_PLAIN}|\({_PLAIN}*+\))*+\))*+)"
"""What may stand between parentheses on one line, two levels deep."""
_CALL = (
    rf"((?:{WORD} )*?)({TYPE})( \([^()\n;]*\))? ([@%]{SYMBOL})"
    rf"\({INSIDE}\)((?: {WORD}| \#[0-9]+)*?)"
    rf'(?: \[ ("convergencectrl"\(token %({SYMBOL})\)) \])?'
)
_P_CALL = rf" {_CALL}"
_P_TAIL = rf" call {_CALL}"
_P_INVOKE = rf" {_CALL}\s+to {_BLOCK} unwind {_BLOCK}"
_DEBUG_ITEM = rf"{TYPE} {VALUE}|![0-9]+|!DIExpression\([A-Za-z0-9_, ]*\)"
_P_DEBUG = rf"\(((?:{_DEBUG_ITEM})(?:, (?:{_DEBUG_ITEM}))*)\)"
_P_DEBUG_ITEM = re.compile(rf"(?:({TYPE}) ({VALUE})|!([0-9]+)|!DIExpression\(([A-Za-z0-9_, ]*)\))(?:, |\Z)", re.ASCII)


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
        i.operand("i1", condition), plain_name(then), plain_name(otherwise), result=result, attachments=i.attachments(more), span=span
    )


def _switch(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    type, value, default, cases, more = m.groups()
    pairs = tuple((i.operand(t, v), plain_name(block)) for t, v, block in _P_CASE.findall(cases))
    return ir.Switch(
        i.operand(type, value), plain_name(default), pairs, result=result, attachments=i.attachments(more), span=span
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


def _load(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    volatile, type, pointer_type, pointer, align, more = m.groups()
    return ir.Load(
        i.type(type), i.operand(pointer_type, pointer), None if align is None else int(align),
        volatile is not None, result=result, attachments=i.attachments(more), span=span,
    )  # fmt: skip


def _store(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    volatile, type, value, pointer_type, pointer, align, more = m.groups()
    return ir.Store(
        i.operand(type, value), i.operand(pointer_type, pointer), None if align is None else int(align),
        volatile is not None, result=result, attachments=i.attachments(more), span=span,
    )  # fmt: skip


def _gep(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    flags, source, type, pointer, indices, more = m.groups()
    return ir.GetElementPtr(
        i.type(source), i.operand(type, pointer),
        tuple(i.operand(t, v) for t, v in _P_INDEX.findall(indices)), tuple(flags.split()),
        result=result, attachments=i.attachments(more), span=span,
    )  # fmt: skip


def _phi(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    flags, type, incoming, more = m.groups()
    pairs = tuple((i.operand(type, value), plain_name(block)) for value, block in _P_INCOMING.findall(incoming))
    return ir.Phi(
        i.type(type), pairs, i.words(flags), result=result, attachments=i.attachments(more), span=span
    )


def _call(marker: str) -> Builder:
    def build(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
        words, type, signature, callee, arguments, attributes, bundle, token, more = m.groups()
        if words and "addrspace" in words:
            raise NotFast
        fast, convention, returned = call_words(i.words(words)) if words else ((), (), ())
        actual = i.arguments(arguments)
        function = i.signature(type, arguments) if signature is None else i.type(type + signature)
        assert isinstance(function, FunctionType)
        bundles: tuple[Bundle, ...] = ()
        if bundle is not None:
            inputs = (i.operand("token", "%" + token),)
            bundles = (Bundle("convergencectrl", inputs, Span(m.start(7), m.end(7))),)
        return ir.Call(
            i.operand("ptr", callee), function, actual, bundles, i.words(attributes), returned, convention, fast,
            marker, None, signature is not None, result=result, attachments=i.attachments(more), span=span,
        )  # fmt: skip

    return build


def _invoke(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
    words, type, signature, callee, arguments, attributes, bundle, token, normal, unwind, more = m.groups()
    if words and "addrspace" in words:
        raise NotFast
    fast, convention, returned = call_words(i.words(words)) if words else ((), (), ())
    actual = i.arguments(arguments)
    function = i.signature(type, arguments) if signature is None else i.type(type + signature)
    assert isinstance(function, FunctionType)
    bundles: tuple[Bundle, ...] = ()
    if bundle is not None:
        inputs = (i.operand("token", "%" + token),)
        bundles = (Bundle("convergencectrl", inputs, Span(m.start(7), m.end(7))),)
    return ir.Invoke(
        i.operand("ptr", callee), function, actual, bundles, i.words(attributes), returned, convention, fast,
        "", None, signature is not None, normal=plain_name(normal), unwind=plain_name(unwind),
        result=result, attachments=i.attachments(more), span=span,
    )  # fmt: skip


def _debug_record(kind: str) -> Builder:
    def build(i: Interner, m: re.Match[str], result: str | None, span: Span) -> Instruction:
        items: list[Metadata | Operand] = []
        for type, value, reference, words in _P_DEBUG_ITEM.findall(m[1]):
            if type:
                items.append(i.operand(type, value))
            elif reference:
                items.append(MetadataReference(reference))
            else:
                fields = tuple((None, word) for word in words.split(", ")) if words else ()
                items.append(MetadataRecord("DIExpression", fields))
        return ir.DebugRecord(kind, tuple(items), result=result, attachments=i.attachments(m[2]), span=span)

    return build


TABLE: dict[str, tuple[str, Builder]] = {
    **{opcode: (_P_BINARY, _binary(opcode)) for opcode in _BINARY},
    **{opcode: (_P_CONVERSION, _conversion(opcode)) for opcode in _CONVERSION},
    "icmp": (_P_COMPARE, _compare(ir.ICmp)),
    "fcmp": (_P_COMPARE, _compare(ir.FCmp)),
    "ret": (_P_RET, _ret),
    "br": (_P_BR, _br),
    "switch": (_P_SWITCH, _switch),
    "unreachable": (_P_NOTHING, _unreachable),
    "freeze": (_P_ONE, _one(ir.Freeze)),
    "resume": (_P_ONE, _one(ir.Resume)),
    "extractelement": (_P_TWO, _extractelement),
    "insertelement": (_P_THREE, _three(ir.InsertElement)),
    "shufflevector": (_P_THREE, _three(ir.ShuffleVector)),
    "select": (_P_THREE, _select),
    "extractvalue": (_P_EXTRACTVALUE, _extractvalue),
    "insertvalue": (_P_INSERTVALUE, _insertvalue),
    "alloca": (_P_ALLOCA, _alloca),
    "load": (_P_LOAD, _load),
    "store": (_P_STORE, _store),
    "getelementptr": (_P_GEP, _gep),
    "phi": (_P_PHI, _phi),
    "call": (_P_CALL, _call("")),
    "tail": (_P_TAIL, _call("tail")),
    "musttail": (_P_TAIL, _call("musttail")),
    "notail": (_P_TAIL, _call("notail")),
    "invoke": (_P_INVOKE, _invoke),
}

def _skip(text: str, at: int, end: int) -> int:
    """The next offset that holds neither space nor comment."""
    found = _SKIP.match(text, at, end)
    assert found is not None
    return found.end()


Item = Label | Instruction
Match = Callable[[str, int, int], "re.Match[str] | None"]


class Statements:
    """Reads bodies of ``text``; ``grammar`` reads a piece of it, between two offsets, by the grammar.

    An opcode's expression is compiled when the opcode is first met: starting up is most of the time
    that a small file takes.
    """

    def __init__(self, text: str, interner: Interner, grammar: Callable[[int, int], list[Item]]) -> None:
        self.text = text
        self.interner = interner
        self.grammar = grammar
        self._ready: dict[str, tuple[Match, Builder]] = {}

    def _prepare(self, opcode: str) -> tuple[Match, Builder]:
        if opcode[0] == "#":
            pattern, build = _P_DEBUG, _debug_record(opcode[1:])
        elif opcode in TABLE:
            pattern, build = TABLE[opcode]
        else:
            raise NotFast(opcode)
        made = self._ready[opcode] = re.compile(pattern + _END, re.ASCII).match, build
        return made

    def items(self, start: int, end: int) -> list[Item]:
        """The labels and instructions of the body ``text[start:end]``."""
        text, interner, ready = self.text, self.interner, self._ready
        items: list[Item] = []
        add, head = items.append, HEAD.match
        at = start
        while True:
            found = head(text, at, end)
            if found is None:
                at = _skip(text, at, end)
                if at == end or text.startswith("uselistorder", at):
                    return items
                stop = self._next(at, end)
                items += self.grammar(at, stop)
                at = stop
                continue
            label, result, opcode = found.groups()
            if label is not None:
                add(Label(plain_name(label), Span(found.start(1), found.end())))
                at = found.end()
                continue
            begin = found.start(3)
            if result is not None:
                begin, result = found.start(2) - 1, plain_name(result)
            try:
                match, build = ready.get(opcode) or self._prepare(opcode)
                rest = match(text, found.end(), end)
                if rest is None:
                    raise NotFast
                add(build(interner, rest, result, Span(begin, rest.end(rest.re.groups))))
                at = rest.end()
            except NotFast:
                stop = self._next(found.end(), end)
                items += self.grammar(begin, stop)
                at = stop

    def _next(self, at: int, end: int) -> int:
        """Where the statement that holds offset ``at`` ends, as far as its lines tell."""
        found = NEXT.search(self.text, at, end)
        return end if found is None else found.start()
