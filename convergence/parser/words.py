"""Which place of a call or a header a word belongs to (LangRef, *Calling Conventions*, *Fast-Math Flags*)."""

from __future__ import annotations

import re

from ..ir.instructions import Words

FAST_MATH = frozenset({"fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"})
_CONVENTION = re.compile(
    r"(?:cc ?[0-9]+|ccc|[a-z0-9_]*cc|riscv_vls_cc\(.*\)"
    r"|(?:amdgpu|spir|ptx|x86|arm|aarch64|msp430|avr|riscv|m68k|intel|swift|cfguard)_[a-z0-9_]+)"
)
_VISIBLE = frozenset(
    {
        "private",
        "internal",
        "weak",
        "weak_odr",
        "linkonce",
        "linkonce_odr",
        "available_externally",
        "appending",
        "common",
        "external",
        "extern_weak",
        "default",
        "hidden",
        "protected",
        "dllimport",
        "dllexport",
        "dso_local",
        "dso_preemptable",
        "thread_local",
        "unnamed_addr",
        "local_unnamed_addr",
        "externally_initialized",
    }
)


def is_convention(word: str) -> bool:
    """Whether a word names a calling convention; LLVM adds them often, all in these shapes."""
    return _CONVENTION.fullmatch(word) is not None


def convention_words(word: str) -> Words:
    """``cc 10`` is two words, every other convention one."""
    return tuple(word.split()) if word.startswith("cc ") else (word,)


def is_linkage_word(word: str) -> bool:
    """Linkage, visibility, preemption, DLL storage class, thread-local model, unnamed_addr."""
    return word in _VISIBLE or word.startswith("thread_local(")


def call_words(words: Words) -> tuple[Words, Words, Words]:
    """The words before a call's type: fast-math flags, calling convention, return attributes."""
    fast = tuple(w for w in words if w in FAST_MATH)
    convention = tuple(x for w in words if is_convention(w) for x in convention_words(w))
    return fast, convention, tuple(w for w in words if w not in FAST_MATH and not is_convention(w))


def header_words(words: Words) -> tuple[Words, Words, Words]:
    """The words before a function's return type: linkage and kin, convention, return attributes."""
    linkage = tuple(w for w in words if is_linkage_word(w))
    rest = [w for w in words if not is_linkage_word(w)]
    convention = tuple(x for w in rest if is_convention(w) for x in convention_words(w))
    return linkage, convention, tuple(w for w in rest if not is_convention(w))
