"""The way in: bytes of either form to a module of LLVM IR whose positions are those of the SPIR-V."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from ..diagnostics import Diagnostic, Severity, Witness
from ..frozen import dataclass
from ..ir.module import Module as IRModule
from ..source import Origin, Span
from .constants import specialized, specialized_values
from .instruction import NotSPIRV, SPIRVInstruction, decode, directives, is_binary, is_text, listing, parse
from .module import SPIRVFunction, SPIRVModule, build
from .structured import violations
from .translation import Reconvergence, TranslatedModule, translated

NO_CONSTANTS: Mapping[Any, Any] = MappingProxyType({})
"""Each specialization constant has its default."""


@dataclass(frozen=True, slots=True)
class SPIRV:
    """A module, the ``text`` that its lines are about, which of a binary is our own listing, and its LLVM
    IR."""

    module: SPIRVModule
    text: str
    model: Reconvergence
    translation: TranslatedModule


def is_spirv(data: bytes) -> bool:
    """Whether bytes begin as a SPIR-V binary or its disassembly does."""
    return is_binary(data) or is_text(data)


def translate(
    data: bytes,
    model: Reconvergence = Reconvergence.MAXIMAL,
    constants: Mapping[str, str] = NO_CONSTANTS,
    whole: bool = False,
) -> SPIRV:
    """A module and its LLVM IR; ``constants`` are values of specialization constants, by name or SpecId,
    as disassembly spells them. What functions have that is not read stops the thread that comes to it;
    ``whole``: it is an error, as what stands outside of functions always is.

    :raises NotSPIRV: if it is neither a binary nor disassembly
    :raises NotCovered: for what convcheck does not read, with its place
    :raises NotSpecialized: for a constant that there is not, and for what is no value of its type
    """
    instructions = instructions_of(data)
    text = listing(data, instructions) if is_binary(data) else data.decode("utf-8")
    module = build(specialized(instructions, specialized_values(instructions, constants)))
    translation = translated(module, model, tuple(directives(data)))
    if whole and translation.unread:
        raise translation.unread[0]
    return SPIRV(module, text, model, translation)


def instructions_of(data: bytes) -> tuple[SPIRVInstruction, ...]:
    """The instructions of a binary or of disassembly.

    :raises NotSPIRV: if it is neither
    :raises NotCovered: for an opcode that the grammar does not have
    """
    if is_binary(data):
        return tuple(decode(data))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise NotSPIRV(f"not UTF-8 text: byte {data[error.start]:#04x}", line) from None
    return tuple(parse(text))


def read(
    data: bytes,
    name: str = "<string>",
    model: Reconvergence = Reconvergence.MAXIMAL,
    constants: Mapping[str | int, float | str] = NO_CONSTANTS,
) -> IRModule:
    """The module of LLVM IR; its positions and lines are those of the SPIR-V. ``constants`` are values of
    specialization constants, by name or SpecId.

    :raises NotSPIRV: if it is neither a binary nor disassembly
    :raises NotCovered: for what convcheck does not read, with its place
    :raises NotSpecialized: for a constant that there is not, and for what is no value of its type
    """
    words = {str(name): str(value) for name, value in constants.items()}
    return as_ir(translate(data, model, words), name)


def as_ir(spirv: SPIRV, name: str) -> IRModule:
    """LLVM IR parsed, with the positions of the SPIR-V that it comes from.

    :raises NotSPIRV: where types do not fit each other, so that LLVM takes it for no LLVM IR
    """
    from ..parser import NotLLVM
    from ..parser import parse as parse_llvm

    origin = Origin(spirv.text, spirv.translation.origins)
    try:
        module = parse_llvm(spirv.translation.text, name)
    except NotLLVM as error:
        line = None if error.line is None else origin.line(error.line)
        raise NotSPIRV(f"no LLVM IR comes of it: {error.message}", line) from None
    return replace(module, source=replace(module.source, origin=origin))


def structural(spirv: SPIRV, module: IRModule) -> tuple[Diagnostic, ...]:
    """What breaks the rules of structured control flow, with spans in the module made of it."""
    starts: list[int] = []
    at = 0
    lines = spirv.translation.text.split("\n")
    for line in lines:
        starts.append(at)
        at += len(line) + 1
    names = {body.id: name for body, name in _definitions(spirv, module)}
    diagnostics = []
    for broken in violations(spirv.module):
        origins = spirv.translation.origins
        n = next((n for n, origin in enumerate(origins) if origin >= broken.at.line), len(origins) - 1)
        first = len(lines[n]) - len(lines[n].lstrip())
        span = Span(starts[n] + first, starts[n] + len(lines[n]))
        witness = Witness("path", broken.blocks)
        function = names.get(broken.function, broken.function)
        diagnostics.append(Diagnostic(broken.rule, Severity.ERROR, function, span, broken.message, witness))
    return tuple(diagnostics)


def _definitions(spirv: SPIRV, module: IRModule) -> Iterator[tuple[SPIRVFunction, str]]:
    """The functions that have a body, and what they are called; the order is the same."""
    bodies = [body for body in spirv.module.functions if body.blocks]
    for body, function in zip(bodies, module.definitions(), strict=False):
        yield body, f"@{function.name}"


def with_origins(spirv: SPIRV) -> str:
    """The LLVM IR, behind each line in a comment the line of SPIR-V that it comes from."""
    lines = spirv.text.split("\n")
    shown = []
    last = 0
    for text, number in zip(spirv.translation.text.split("\n"), spirv.translation.origins, strict=False):
        if number and number != last and not text.startswith(";"):
            text = f"{text:<72} ; {number}: {lines[number - 1].strip()}"
        shown.append(text)
        last = number
    return "\n".join(shown) + "\n"
