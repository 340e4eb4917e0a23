"""From FILE to a module, reading, LLVM's opinion, parsing; and what a run leaves: buffers, exit codes."""

from __future__ import annotations

import codecs
import errno
import os
import shlex
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import click

from ...diagnostics import Severity, warning_rules
from ...frozen import dataclass
from ...packages import shipped
from ...report.parts import VerifiedFile
from . import Exit, InputError, complain
from .options import CONSTANTS, RECONVERGENCE, constant, each, saved, with_sigil

if TYPE_CHECKING:
    from ...diagnostics import Diagnostic
    from ...ir.module import Module
    from ...sched.enumeration import Enumeration
    from ...semantics import Ending
    from ...semantics.machine.buffers import BufferContents
    from ...semantics.machine.launch import Launch
    from ...semantics.machine.program import Program
    from ...semantics.machine.run import Run
    from ...spirv import SPIRV, Reconvergence


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """A file as the user named it, its module, and what there is to know about its positions."""

    name: str
    module: Module
    note: str | None = None
    structural: tuple[Diagnostic, ...] = ()
    """Of SPIR-V, what breaks the rules of structured control flow."""


def load(file: str, whole: bool = False) -> LoadedFile:
    """The module in FILE. ``whole``: instructions of SPIR-V that are not read are an error, too, and not only
    for the threads that come to them.

    :raises InputError: if it cannot be read, is not LLVM IR, or is LLVM IR that convcheck cannot read
    """
    data = read(file)
    if isinstance(data, SPIRVBytes):
        with reading(data.name):
            module, note, structural = module_of(data.name, data.data, whole)
        if module.without_llvm:
            note = f"{note}; {_standing(module)}"
        return LoadedFile(data.name, module, note, structural)
    from ...parser import parse
    from ...parser.llvm import disassemble

    with reading(data.name):
        if isinstance(data, Bitcode):
            note = "positions are in LLVM's disassembly of the bitcode"
            module = parse(disassemble(data.data), data.name)
            return _specialized(LoadedFile(data.name, module, note), data.data)
        module = parse(data.text, data.name)
    _say_how_it_was_read(data.name, module)
    notes = [note for note in (_standing(module), _reconvergence_unheard()) if note is not None]
    return _specialized(LoadedFile(data.name, module, "; ".join(notes) or None), data.text.encode())


def _reconvergence_unheard() -> str | None:
    """That ``--reconvergence`` says nothing of LLVM IR, if it was given."""
    context = click.get_current_context(silent=True)
    if context is None or RECONVERGENCE not in context.meta:
        return None
    return "this is LLVM IR, of which --reconvergence says nothing: it is for SPIR-V"


def _standing(module: Module) -> str | None:
    """What every answer says of how the module was read, if it was not as most are."""
    if not (module.without_llvm or module.upgrades):
        return None
    from ...report.parts.words import reading_standing

    return reading_standing(module)


def _specialized(loaded: LoadedFile, data: bytes) -> LoadedFile:
    """The file with the values that its specialization constants are given, which its note names."""
    context = click.get_current_context(silent=True)
    by_option = context is not None and CONSTANTS in context.meta
    if not by_option and b"--spec" not in data:
        return loaded
    values = constants(loaded.name, data)
    if not values:
        return loaded
    with reading(loaded.name):
        module = specialized_ir(loaded.name, loaded.module, values)
    listed = ", ".join(f"{name}={value}" for name, value in values.items())
    note = f"specialization constants {listed}"
    return replace(loaded, module=module, note=f"{loaded.note}; {note}" if loaded.note else note)


def _say_how_it_was_read(name: str, module: Module) -> None:
    """Lines on standard error, unless ``--quiet`` was given."""
    context = click.get_current_context(silent=True)
    if context is not None and context.params.get("quiet"):
        return
    if module.typed_pointer.start < 0 and not module.upgrades:
        return
    from ...report.parts.words import reading_notes

    for line, column, note in reading_notes(module):
        complain(f"{_place(name, line, column)}: note: {note}")


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Turns what the parser raises into InputErrors. Bodies are parsed at the first look, so this goes
    around everything that looks into a module."""
    from ...parser import NotLLVM, Unsupported

    try:
        yield
    except NotLLVM as error:
        if (how := advice(name)) is not None:
            raise InputError(name, how) from None
        raise InputError(_place(name, error.line, error.column), one_line(error.message)) from None
    except Unsupported as error:
        why = f"not supported: {one_line(error.message)}"
        raise InputError(_place(name, error.line, error.column), why, Exit.UNKNOWN) from None
    except RecursionError:
        raise InputError(name, "not supported: nested too deeply", Exit.UNKNOWN) from None


@contextmanager
def launching(name: str) -> Iterator[None]:
    """Turns what :func:`reading` does, and what a launch raises, into InputErrors."""
    from ...semantics import NotModelled, UsageError

    try:
        with reading(name):
            yield
    except UsageError as error:
        place = _place(name, error.line, None)
        raise InputError(place, one_line(error.command_line), usage=error) from None
    except NotModelled as error:
        raise InputError(name, f"not modelled: {one_line(error.feature)}", Exit.UNKNOWN) from None


def _place(name: str, line: int | None, column: int | None) -> str:
    if line is None:
        return name
    return f"{name}:{line}" if column is None else f"{name}:{line}:{column}"


def one_line(message: str, longest: int = 300) -> str:
    """A message without line breaks, and not without end."""
    words = " ".join(message.split())
    return words if len(words) <= longest else words[: longest - 1] + "…"


# -- Reading FILE: a path or ``-``, textual IR or bitcode; everything that is neither is one clear line

STDIN = "<stdin>"
LARGEST = 1 << 30  # bytes; a reader that never ends (/dev/zero) must not fill the memory


@dataclass(frozen=True, slots=True)
class Text:
    """Textual IR: the ``name`` that messages give it, and its text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Bitcode:
    """Bitcode, which LLVM is asked to print."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class SPIRVBytes:
    """A SPIR-V binary, or its disassembly."""

    name: str
    data: bytes


def _is_spirv(data: bytes) -> bool:
    """Whether bytes begin as SPIR-V does; what reads it is asked only where they may."""
    from ...parser import SPIRV_SIGNS

    if not any(word in data for word in SPIRV_SIGNS):
        return False
    from ...spirv import is_spirv

    return is_spirv(data)


def read(file: str) -> Text | Bitcode | SPIRVBytes:
    """The contents of FILE.

    :raises InputError: if it cannot be read, is empty, or is neither text in UTF-8 nor bitcode nor SPIR-V
    """
    from ...parser import BITCODE

    name = STDIN if file == "-" else file or "''"
    try:
        data = _bytes(file, name)
    except OSError as error:
        raise InputError(name, error.strerror or str(error)) from None
    except ValueError as error:  # a NUL in the name
        raise InputError(name, str(error)) from None
    if data.startswith(BITCODE):
        return Bitcode(name, data)
    if _is_spirv(data):
        return SPIRVBytes(name, data)
    if file.endswith(".bc"):
        raise InputError(name, "not LLVM bitcode: its magic number is missing")
    if file.endswith(".spv"):
        raise InputError(name, "not SPIR-V: neither its magic number nor its disassembly")
    if not data.strip():
        raise InputError(name, "the file is empty")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(name, "UTF-16 text, which LLVM IR may not be: save it as UTF-8")
    if (at := data.find(0)) != -1:
        binary = f"a binary file, neither LLVM IR nor bitcode (byte {at} is zero)"
        raise InputError(name, advice(name) or binary)
    if data.startswith(codecs.BOM_UTF8):
        raise InputError(f"{name}:1:1", "a byte order mark, which LLVM IR may not have: save it without")
    try:
        return Text(name, data.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(name, f"not UTF-8 text: byte {data[error.start]:#04x} in line {line}") from None


def _bytes(file: str, name: str) -> bytes:
    if file == "-":
        return _all(sys.stdin.buffer, name)
    if not file:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))  # to a Path it is the directory here
    file = str(shipped(file) or file)
    mode = Path(file).stat().st_mode
    if stat.S_ISDIR(mode):
        raise InputError(name, "is a directory")
    if stat.S_ISBLK(mode):
        raise InputError(name, "is a device")
    with Path(file).open("rb") as stream:
        return _all(stream, name)


def _all(stream: BinaryIO, name: str) -> bytes:
    """Everything up to the bound; of what begins as neither text nor bitcode, only the beginning."""
    from ...parser import BITCODE, SPIRV_SIGNS

    data = stream.read(1 << 16)
    if b"\0" in data and not data.startswith((*BITCODE, *SPIRV_SIGNS)):
        return data
    data += stream.read(LARGEST)
    if len(data) > LARGEST:
        raise InputError(name, "larger than 1 GiB")
    return data


# ----------------------------------------------------------------------------------------------------------
# FILE may be a kernel's source, or what a compiler made of it: then say how to come by its LLVM IR.
# ----------------------------------------------------------------------------------------------------------


@cache
def _compilers() -> Mapping[str, tuple[str, str]]:
    """By what the file's name ends in: the language, and how clang is called for it."""
    from ...vulkan import VULKAN_TRIPLE

    return {
        ".cl": ("OpenCL C", "clang -x cl -cl-std=CL2.0 -target spirv64 -Xclang -finclude-default-header"),
        ".hip": ("HIP", "clang -x hip --offload-arch=gfx1030 --offload-device-only"),
        ".cu": ("CUDA", "clang -x cuda --cuda-gpu-arch=sm_70 --cuda-device-only"),
        ".hlsl": ("HLSL", f"clang -x hlsl -target {VULKAN_TRIPLE}"),
        ".c": ("C", "clang"),
        ".cpp": ("C++", "clang++"),
    }


MADE = {".s": "assembly", ".ptx": "PTX", ".dxil": "DXIL", ".hsaco": "a code object"}
"""What compilers make behind LLVM IR."""


def advice(name: str) -> str | None:
    """What to do with a file that is not LLVM IR, by its name; ``None`` where that says nothing."""
    path = PurePath(name)
    if (compiler := _compilers().get(path.suffix)) is not None:
        language, clang = compiler
        output = path.with_suffix(".ll").name
        call = f"{clang} -fno-discard-value-names -emit-llvm -S {path.name} -o {output}"
        return f"this is {language}, not LLVM IR: {call}"
    if path.suffix in MADE:
        return (
            f"this is {MADE[path.suffix]}, not LLVM IR: ask the compiler for LLVM IR (clang: -emit-llvm -S)"
        )
    return None


# ----------------------------------------------------------------------------------------------------------
# FILE may be SPIR-V: the module that it becomes, and what threads are promised.
# ----------------------------------------------------------------------------------------------------------


def translated(name: str, data: bytes) -> SPIRV:
    """SPIR-V as LLVM IR, with the promise that the command line asks for, or the file.

    :raises InputError: if it is no SPIR-V, or none that is read
    """
    from ...spirv import translate

    with _refusing(name):
        return translate(data, _model(name, data), constants(name, data))


def specialized(name: str, data: bytes, binary: bytes) -> bytes:
    """The binary that is run in place of ``data``, with the values that specialization constants are given.

    :raises InputError: for a constant that there is not, and for what is no value of its type
    """
    from ...spirv.constants import specialized_binary, specialized_values
    from ...spirv.reading import instructions_of

    with _refusing(name):
        return specialized_binary(binary, specialized_values(instructions_of(data), constants(name, data)))


def specialized_ir(name: str, module: Module, values: Mapping[str, str]) -> Module:
    """LLVM IR with the values that specialization constants are given.

    :raises InputError: for a constant that there is not, and for what is no value of its type
    """
    from ...transform.specialize import specialized_module

    with _refusing(name):
        return specialized_module(module, values)


@contextmanager
def _refusing(name: str) -> Iterator[None]:
    """Turns what reading SPIR-V raises into InputErrors."""
    from ...spirv import NotCovered, NotSpecialized, NotSPIRV

    try:
        yield
    except NotSpecialized as error:
        raise InputError(name, str(error)) from None
    except NotSPIRV as error:
        place = name if error.line is None else f"{name}:{error.line}"
        raise InputError(
            place if error.column is None else f"{place}:{error.column}", error.message
        ) from None
    except NotCovered as error:
        place = name if error.line is None else f"{name}:{error.line}"
        raise InputError(place, f"not supported: {error.feature}", Exit.UNKNOWN) from None
    except RecursionError:
        raise InputError(name, "not supported: nested too deeply", Exit.UNKNOWN) from None


def module_of(name: str, data: bytes, whole: bool = False) -> tuple[Module, str, tuple[Diagnostic, ...]]:
    """The same as a module, what is to be said of it, and what breaks the rules of structured control flow.
    What the parser raises is left alone. ``whole``: all of it is to be read.

    :raises InputError: if it is no SPIR-V, or none that is read
    """
    from ...spirv import as_ir, structural

    spirv = translated(name, data)
    with _refusing(name):
        if whole and spirv.translation.unread:
            raise spirv.translation.unread[0]
    asks = spirv.module.asks_for_maximal
    warning = "" if asks == (spirv.model == "maximal") else f", though the module asks for {_words(asks)}"
    with _refusing(name):
        module = as_ir(spirv, name)
    values = "".join(f", {word}={value}" for word, value in constants(name, data).items())
    note = f"SPIR-V, reconvergence {spirv.model}{warning}{values}{_undecided(spirv)}{_left_out(spirv)}"
    return module, note, structural(spirv, module)


_NAMED = 4
"""How many lines are named of those that would be."""


def _undecided(spirv: SPIRV) -> str:
    """The branches whose uniformity would promise more than the answer says."""
    lines = sorted(spirv.translation.undecided)
    if not lines:
        return ""
    names = ", ".join(map(str, lines[:_NAMED])) + (f" and {len(lines) - _NAMED} more" * (len(lines) > _NAMED))
    where = f"the branch at line {names} is" if len(lines) == 1 else f"the branches at lines {names} are"
    return f"; where {where} uniform, SPIR-V promises more"


def _left_out(spirv: SPIRV) -> str:
    """What is not read of a module, which stops the threads that come to it."""
    unread = spirv.translation.unread
    if not unread:
        return ""
    more = f" and {len(unread) - 1} more" if len(unread) > 1 else ""
    return f"; not supported, where a thread comes to it: {unread[0].feature}{more}"


def _words(maximal: bool) -> str:
    return "maximal" if maximal else "base (it has no execution mode MaximallyReconvergesKHR)"


def _model(name: str, data: bytes) -> Reconvergence:
    """What ``--reconvergence`` says: of the command line, else of the file's CONVCHECK lines."""
    from ...spirv import Reconvergence

    context = click.get_current_context(silent=True)
    option = None if context is None else context.meta.get(RECONVERGENCE)
    if option is None:
        option = next((word for word in reversed(_directive_values(name, data, "--reconvergence"))), None)
    return Reconvergence(option) if option in tuple(Reconvergence) else Reconvergence.MAXIMAL


def constants(name: str, data: bytes) -> Mapping[str, str]:
    """What ``--spec`` says of specialization constants: of the command line, and of the file's CONVCHECK
    lines where that says nothing of one."""
    context = click.get_current_context(silent=True)
    values: Mapping[str, str] = {} if context is None else context.meta.get(CONSTANTS, {})
    try:
        own = dict(map(constant, _directive_values(name, data, "--spec")))
    except click.BadParameter as error:
        raise InputError(name, f"CONVCHECK line: {error.message}") from None
    return {**own, **values}


def _directive_values(name: str, data: bytes, option: str) -> list[str]:
    """The values that a file's CONVCHECK lines give an option."""
    from ...spirv.instruction import directives

    values: list[str] = []
    for line, number in directives(data):
        try:
            words = shlex.split(line)
        except ValueError as error:
            raise InputError(f"{name}:{number}", f"CONVCHECK line: {str(error).lower()}") from None
        for word, behind in pairwise([*words, ""]):
            if word == option:
                values.append(behind)
            elif word.startswith(f"{option}="):
                values.append(word.removeprefix(f"{option}="))
    return values


# ----------------------------------------------------------------------------------------------------------
# Whether a file keeps the static rules, and LLVM's own.
# ----------------------------------------------------------------------------------------------------------


def broken(loaded: LoadedFile) -> VerifiedFile | None:
    """What the rules say of a file that breaks them; ``None`` if it keeps them all.

    :raises InputError: if LLVM's verifier refuses the file for another reason
    """
    from ...verifier import verify

    with reading(loaded.name):
        diagnostics = (*loaded.structural, *verify(loaded.module))
        if any(d.severity is Severity.ERROR for d in diagnostics):
            return VerifiedFile(loaded.name, loaded.module, diagnostics, None, loaded.note)
        refused = refusal(loaded.module, diagnostics)
    if refused is not None:
        raise InputError(loaded.name, refused)
    return None


def refusal(module: Module, diagnostics: tuple[Diagnostic, ...]) -> str | None:
    """Why the input is no valid LLVM IR: LLVM's first complaint that no broken rule accounts for; ``None``
    where LLVM was not asked."""
    if module.without_llvm:
        return None
    from ...parser.llvm import llvm_verdict

    if not (messages := llvm_verdict(module.source.text)):
        return None
    from ...verifier.wording import CONVERGENCE, SHARED

    warnings = warning_rules()
    broken = {d.rule for d in diagnostics if d.severity is Severity.ERROR and d.rule.id not in warnings}
    for message in messages:
        if (message in CONVERGENCE and broken) or broken & set(SHARED.get(message, ())):
            continue
        return f"LLVM's verifier: {one_line(message)}"
    return None


# ----------------------------------------------------------------------------------------------------------
# ``--show`` and ``--save``: what buffers and variables hold at the end of a run.
# ----------------------------------------------------------------------------------------------------------

F = TypeVar("F", bound=Callable[..., Any])


def buffers(function: F) -> F:
    """Add the options to a command."""
    save = click.option(
        "--save",
        metavar="%x=FILE.npy",
        multiple=True,
        callback=each(saved),
        help="Write what a buffer or variable holds at the end.",
    )
    show = click.option(
        "--show",
        metavar="%x",
        multiple=True,
        callback=each(with_sigil),
        help="Print what a buffer or variable (@g) holds at the end.",
    )
    return show(save(function))


@dataclass(frozen=True, slots=True)
class BuffersAtEnd:
    """What is to be shown of a run's buffers; ``notes`` say what was saved as something else."""

    shown: tuple[BufferContents, ...] = ()
    notes: tuple[str, ...] = ()


def at_end(run: Run, options: Mapping[str, Any], name: str) -> BuffersAtEnd:
    """What the options ask of a run of the file called ``name``; what is to be saved is.

    :raises InputError: for what is no buffer, or cannot be written
    """
    if not (options.get("show") or options.get("save")):
        return BuffersAtEnd()
    from ...semantics.machine.buffers import save

    notes: list[str] = []
    with launching(name):
        shown = tuple(run.held(buffer) for buffer in dict.fromkeys(options["show"]))
        for buffer, path in options["save"]:
            contents = run.held(buffer)
            save(contents.array, path)
            if contents.missing:
                what = f"{contents.missing} element{'s' * (contents.missing != 1)} of {contents.name}"
                notes.append(f"{what} are poison or undef: {path} has 0 there")
    return BuffersAtEnd(shown, tuple(notes))


def at_ends(
    enumeration: Enumeration, program: Program, launch: Launch, options: Mapping[str, Any], name: str
) -> list[BuffersAtEnd]:
    """As :func:`at_end`, for each outcome. What is saved has a row for each that has contents."""
    outcomes = enumeration.outcomes
    if not (options["show"] or options["save"]):
        return [BuffersAtEnd()] * len(outcomes)
    from ...packages import required
    from ...semantics import UsageError
    from ...semantics.machine.buffers import buffer_placed, save, shown_contents

    module, notes = program.module, list[str]()
    by_name: dict[str, list[BufferContents | None]] = {}
    with launching(name):
        for buffer in dict.fromkeys([*options["show"], *(saved for saved, _ in options["save"])]):
            called, placed = buffer_placed(module, launch.buffers, buffer)
            label = module.globals[placed.variable].label
            held = by_name[buffer] = []
            for item in outcomes:
                if item.ending == "returned" and label not in item.outcome.memory:
                    raise UsageError(f"{called}: each workgroup has its own")
                values = item.outcome.memory.get(label)
                held.append(None if values is None else shown_contents(called, placed, values))
        for buffer, path in options["save"]:
            rows = [held for held in by_name[buffer] if held is not None]
            if not rows:
                raise UsageError(f"{path}: no outcome has contents")
            save(required("numpy", "a buffer as an array").stack([row.array for row in rows]), path)
            missing = sum(row.missing for row in rows)
            if missing:
                what = f"{missing} element{'s' * (missing != 1)} of {rows[0].name}"
                notes.append(f"{what} are poison or undef: {path} has 0 there")
    shown = [by_name[buffer] for buffer in dict.fromkeys(options["show"])]
    of_outcomes = [[held[n] for held in shown] for n in range(len(outcomes))]
    return [
        BuffersAtEnd(tuple(held for held in row if held is not None), () if n else tuple(notes))
        for n, row in enumerate(of_outcomes)
    ]


# ----------------------------------------------------------------------------------------------------------
# The exit code that says how an execution ended.
# ----------------------------------------------------------------------------------------------------------


def ending_code(ending: Ending, otherwise: int | None = None) -> Exit:
    """0: every thread returned. 1: undefined behaviour, no end, no legal execution. 3: a bound was hit, or
    something has no model; or with a number ``otherwise`` in the place of stand-ins it would not end so
    (:attr:`.Run.otherwise`)."""
    from ...semantics import (
        Deadlock,
        Endless,
        Illegal,
        OutOfBound,
        Returned,
        UndefinedBehaviour,
        Unmodelled,
    )

    if otherwise is not None:
        return Exit.UNKNOWN
    match ending:
        case Returned():
            return Exit.HOLDS
        case UndefinedBehaviour() | Deadlock() | Endless() | Illegal():
            return Exit.FAILS
        case OutOfBound() | Unmodelled():
            return Exit.UNKNOWN
