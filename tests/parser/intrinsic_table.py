"""Makes ``convergence/parser/intrinsics.txt``: the attributes that LLVM's table gives each intrinsic.

    python -m tests.parser.intrinsic_table

The names stand in a row in llvmlite's library. LLVM 22's own shared library spells a declaration of each (of
an overloaded one for the first types for which it has one: function attributes are the same for all types),
and llvmlite says which attributes that declaration has, as it does when a module is parsed.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from convergence.parser import llvm, own

LIBRARY = "libLLVM.so.22.1"
OVERLOADS = 16
"""Types given for an overloaded name: no intrinsic has more of its own."""
_COMMON = 10
"""How many of the types to try are mixed with one another."""
ATTEMPTS: list[tuple[int, ...]] = [
    *((one,) for one in range(16)),
    *((one, other) for one in range(_COMMON) for other in range(_COMMON) if one != other),
    *((one, one, other) for one in range(_COMMON) for other in range(_COMMON) if one != other),
]
"""Which types an overloaded intrinsic is given, one after the other; the last of them goes on."""
_FIRST = b"\0not_intrinsic\0"
_DECLARED = re.compile(r"^(declare [^@\n]*) @[-\w.]+\((.*?)(?: #\d+)?$", re.MULTILINE)


def names() -> list[str]:
    """The names of LLVM's intrinsics, overloaded ones without a suffix, as llvmlite's library has them."""
    import llvmlite.binding as binding

    library = next(Path(binding.__file__).parent.glob("*llvmlite.*"))
    data = library.read_bytes()
    at = data.index(_FIRST) + len(_FIRST)
    made = []
    while data.startswith(b"llvm.", at):
        end = data.index(b"\0", at)
        made.append(data[at:end].decode())
        at = end + 1
    return made


@cache
def library() -> Any:
    """LLVM's shared library.

    :raises OSError: if there is none here
    """
    calls = ctypes.CDLL(LIBRARY)
    pointer, number = ctypes.c_void_p, ctypes.c_uint
    for name, result, arguments in (
        ("LLVMLookupIntrinsicID", number, [ctypes.c_char_p, ctypes.c_size_t]),
        ("LLVMIntrinsicIsOverloaded", ctypes.c_int, [number]),
        ("LLVMContextCreate", pointer, []),
        ("LLVMModuleCreateWithNameInContext", pointer, [ctypes.c_char_p, pointer]),
        ("LLVMGetIntrinsicDeclaration", pointer,
            [pointer, number, ctypes.POINTER(pointer), ctypes.c_size_t]),
        ("LLVMPrintValueToString", ctypes.c_char_p, [pointer]),
        ("LLVMIntTypeInContext", pointer, [pointer, number]),
        ("LLVMFloatTypeInContext", pointer, [pointer]),
        ("LLVMHalfTypeInContext", pointer, [pointer]),
        ("LLVMPointerTypeInContext", pointer, [pointer, number]),
        ("LLVMVectorType", pointer, [pointer, number]),
        ("LLVMScalableVectorType", pointer, [pointer, number]),
    ):  # fmt: skip
        function = getattr(calls, name)
        function.restype, function.argtypes = result, arguments
    return calls


def _types(calls: Any, context: Any) -> list[Any]:
    """Types to try for an overloaded intrinsic, the likeliest first."""
    integer = calls.LLVMIntTypeInContext(context, 32)
    number = calls.LLVMFloatTypeInContext(context)
    bit = calls.LLVMIntTypeInContext(context, 1)
    address = calls.LLVMPointerTypeInContext(context, 0)
    vector, scalable = calls.LLVMVectorType, calls.LLVMScalableVectorType
    return [
        integer, number, vector(integer, 16), vector(number, 16), address,
        calls.LLVMIntTypeInContext(context, 64), vector(calls.LLVMIntTypeInContext(context, 16), 8),
        vector(bit, 16), scalable(integer, 4), scalable(bit, 16),
        vector(address, 16), scalable(number, 4), calls.LLVMHalfTypeInContext(context),
        calls.LLVMPointerTypeInContext(context, 1), calls.LLVMPointerTypeInContext(context, 3),
        scalable(calls.LLVMIntTypeInContext(context, 8), 8),
    ]  # fmt: skip


def declaration(name: str, attempt: int) -> str | None:
    """LLVM's declaration of an intrinsic, with the types of an attempt where it is overloaded; ``None`` for
    a name that the library does not know. LLVM may end the process."""
    calls = library()
    context = calls.LLVMContextCreate()
    module = calls.LLVMModuleCreateWithNameInContext(b"m", context)
    number = calls.LLVMLookupIntrinsicID(name.encode(), len(name))
    if not number:
        return None
    count = OVERLOADS if calls.LLVMIntrinsicIsOverloaded(number) else 0
    if not count and attempt:
        return None
    types = _types(calls, context)
    row = [types[place] for place in ATTEMPTS[attempt]]
    given = (ctypes.c_void_p * OVERLOADS)(*row, *[row[-1]] * (OVERLOADS - len(row)))
    function = calls.LLVMGetIntrinsicDeclaration(module, number, given, count)
    text: bytes = calls.LLVMPrintValueToString(function)
    found = _DECLARED.search(text.decode())
    return None if found is None else f"{found[1]} @{name}({found[2]}"


def declarations(wanted: Sequence[str], attempt: int) -> Iterator[tuple[str, str]]:
    """Declarations by name; in processes of their own, one more after each end of one."""
    left = list(wanted)
    while left:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            with os.fdopen(write, "w", buffering=1) as out:
                for name in left:
                    out.write(name + "\n")
                    out.write((declaration(name, attempt) or "") + "\n")
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as answers:
            lines = answers.read().split("\n")
        os.waitpid(child, 0)
        done = 0
        for name, text in zip(lines[::2], lines[1::2], strict=False):
            done += 1
            if text:
                yield name, text
        if len(lines) % 2 and len(lines) // 2 >= len(left):
            return
        left = left[max(done, (len(lines) + 1) // 2) :]


def answers(declared: Mapping[str, str]) -> Iterator[tuple[str, frozenset[str]]]:
    """What llvmlite says of declarations; by halves where LLVM breaks down on one."""
    facts = llvm.declared("\n".join(declared.values()) + "\n")
    if facts or len(declared) == 1:
        for spelled, fact in facts.items():
            name = own.longest(spelled, declared)
            if name is not None and fact.attributes:
                yield name, fact.attributes
    elif declared:
        names = list(declared)
        for part in (names[: len(names) // 2], names[len(names) // 2 :]):
            yield from answers({name: declared[name] for name in part})


def attributes() -> dict[str, frozenset[str]]:
    """By name: the words that llvmlite gives, of all intrinsics of which there is a declaration."""
    made: dict[str, frozenset[str]] = {}
    left = names()
    for attempt in range(len(ATTEMPTS)):
        declared = dict(declarations(left, attempt))
        made.update(answers(declared))
        left = [name for name in left if name not in made]
    print(f"{len(made)} known; without a declaration here:", *left, file=sys.stderr)
    return made


if __name__ == "__main__":
    own.TABLE.write_text(own.table_text(attributes()), "utf-8")
