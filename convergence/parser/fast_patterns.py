"""The shapes of common statements: for each opcode what follows it on its line (speed only).

An expression's last group is the attachments, and its end is the statement's.
"""

from __future__ import annotations

import re

from .fast_types import LOCAL, SYMBOL, TYPE
from .fast_values import VALUE, WORD
from .words import ALL_OPCODES

OPCODES = "|".join(ALL_OPCODES)

_SPACE = r"(?:[ \t\r\n]++|;[^\n]*+)*+"
HEAD = re.compile(
    rf"{_SPACE}(?:({SYMBOL}):|(?:%({SYMBOL})[ \t]*=[ \t]*)?({OPCODES}|\#dbg_[a-z_]+)"
    rf"(?![-a-zA-Z$._0-9]))",
    re.ASCII,
)
SKIP = re.compile(_SPACE)
NEXT = re.compile(
    rf'\n[ \t]*(?:(?:{SYMBOL}|"[^"\n]*"):|%(?:{SYMBOL}|"[^"\n]*")[ \t]*=|\#dbg_|uselistorder'
    rf"|(?:{OPCODES})(?![-a-zA-Z$._0-9]))",
    re.ASCII,
)
"""Where a line begins that looks like a statement's."""

END = r"((?:, ![a-zA-Z._][a-zA-Z._0-9]* ![0-9]+)*)[ \t\r]*(?:;[^\n]*)?(?:\n|\Z)"
_FLAGS = r"((?:[a-z]+ )*?)"
_TYPED = rf"({TYPE}) ({VALUE})"
_BLOCK = rf"label %({SYMBOL})"


BINARY = rf" {_FLAGS}{_TYPED}, ({VALUE})"
CONVERSION = rf" {_FLAGS}{_TYPED} to ({TYPE})"
COMPARE = rf" {_FLAGS}([a-z]+) {_TYPED}, ({VALUE})"
RET = rf" (?:void(?![a-z0-9_])|{_TYPED})"
BR = rf" (?:{_BLOCK}|i1 ({VALUE}), {_BLOCK}, {_BLOCK})"
SWITCH = rf" {_TYPED}, {_BLOCK} \[((?:\s*+i[0-9]+ -?[0-9]+, label %{SYMBOL})*+)\s*\]"
CASE = re.compile(rf"(i[0-9]+) (-?[0-9]+), label %({SYMBOL})", re.ASCII)
NOTHING = ""
ONE = rf" {_TYPED}"
TWO = rf" {_TYPED}, {_TYPED}"
THREE = rf" {_FLAGS}{_TYPED}, {_TYPED}, {_TYPED}"
EXTRACTVALUE = rf" {_TYPED}((?:, [0-9]+)+)"
INSERTVALUE = rf" {_TYPED}, {_TYPED}((?:, [0-9]+)+)"
ALLOCA = rf" ({TYPE})(?:, (i[0-9]+) ({VALUE}))?(?:, align ([0-9]+))?(?:, addrspace\(([0-9]+)\))?"
_SCOPE = r'(?: syncscope\("([^"\n\\]*+)"\))?'
_ORDER = r" (unordered|monotonic|acquire|release|acq_rel|seq_cst)"
_ALIGN = r"(?:, align ([0-9]+))?"
LOAD = rf" (atomic )?(volatile )?({TYPE}), {_TYPED}(?:{_SCOPE}{_ORDER})?{_ALIGN}"
STORE = rf" (atomic )?(volatile )?{_TYPED}, {_TYPED}(?:{_SCOPE}{_ORDER})?{_ALIGN}"
FENCE = rf"{_SCOPE}{_ORDER}"
CMPXCHG = rf" (weak )?(volatile )?{_TYPED}, {_TYPED}, {_TYPED}{_SCOPE}{_ORDER}{_ORDER}{_ALIGN}"
ATOMICRMW = rf" (volatile )?([a-z_]+) {_TYPED}, {_TYPED}{_SCOPE}{_ORDER}{_ALIGN}"
FNEG = rf" {_FLAGS}{_TYPED}"
GEP = rf" ((?:(?:inbounds|nuw|nusw) )*)({TYPE}), {_TYPED}((?:, {TYPE} {VALUE})*)"
INDEX = re.compile(rf", {_TYPED}", re.ASCII)
PHI = rf" {_FLAGS}({TYPE}) (\[ {VALUE}, {LOCAL} \](?:, \[ {VALUE}, {LOCAL} \])*)"
INCOMING = re.compile(rf"\[ ({VALUE}), %({SYMBOL}) \]", re.ASCII)
_PLAIN = r'(?:[^()\n;"]++|"[^"\n]*+")'
INSIDE = rf"((?:{_PLAIN}|\((?:{_PLAIN}|\({_PLAIN}*+\))*+\))*+)"
"""What may stand between parentheses on one line, two levels deep."""
_CALL = (
    rf"((?:{WORD} )*?)({TYPE})( \([^()\n;]*\))? ([@%]{SYMBOL})"
    rf"\({INSIDE}\)((?: {WORD}| \#[0-9]+)*?)"
    r'(?: \[ ?((?:"[^"\n\\]*+"\([^()\n;]*+\)(?:, )?+)++) ?\])?'
)
CALL = rf" {_CALL}"
TAIL = rf" call {_CALL}"
INVOKE = rf" {_CALL}\s+to {_BLOCK} unwind {_BLOCK}"
_DEBUG_ITEM = rf"{TYPE} {VALUE}|![0-9]+|!DIExpression\([A-Za-z0-9_, ]*\)"
DEBUG = rf"\(((?:{_DEBUG_ITEM})(?:, (?:{_DEBUG_ITEM}))*)\)"
DEBUG_ITEM = re.compile(
    rf"(?:({TYPE}) ({VALUE})|!([0-9]+)|!DIExpression\(([A-Za-z0-9_, ]*)\))(?:, |\Z)", re.ASCII
)
