"""No input of any kind gives a traceback: exit code 2 and one clear line, in bounded time."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.cli_harness import BAD, GOOD, ROOT, Ran, convcheck, ll, one_line, process

COMMANDS = ("verify", "run")
SEEDS = [BAD, GOOD, *(p.read_text() for p in sorted((ROOT / "examples_ll" / "langref").glob("*.ll"))[:4])]


def refused(ran: Ran) -> None:
    assert ran.code == 2, ran
    assert one_line(ran.err), ran.err


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("empty", b"", "the file is empty"),
        ("blank", b" \n\t\r\n", "the file is empty"),
        ("zeros", bytes(1000), "a binary file"),
        ("elf", b"\x7fELF\x02\x01\x01\x00" + bytes(range(256)), "a binary file"),
        ("latin1", b"; caf\xe9\ndefine void @f() {\n  ret void\n}\n", "not UTF-8 text: byte 0xe9 in line 1"),
        ("words", b"this is not LLVM IR\n", ":1:1: expected top-level entity"),
        ("cut", BAD[:200].encode(), "a.ll:"),
        ("bom", b"\xef\xbb\xbf" + GOOD.encode(), "a.ll:1:1: a byte order mark"),
        ("utf-16", GOOD.encode("utf-16"), "UTF-16 text, which LLVM IR may not be: save it as UTF-8"),
        ("pointers to nothing", b"define void @f(void* %p) {\n  ret void\n}\n", "pointers to void"),
        ("magic only", b"BC\xc0\xde", ""),
        ("bitcode cut", b"BC\xc0\xde" + bytes(range(100)), "LLVM cannot read the bitcode: "),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_inputs_that_are_no_llvm_ir(tmp_path: Path, command: str, name: str, data: bytes, said: str) -> None:
    ran = convcheck(command, ll(tmp_path, data))
    refused(ran)
    assert said in ran.err


EXECUTING = ("run", "enumerate", "simulate", "explore", "refine")


@pytest.mark.parametrize("quote", ['"', "'"])
def test_an_unclosed_quote_is_no_fault_of_the_module(tmp_path: Path, quote: str) -> None:
    file = ll(tmp_path, f"; CONVCHECK: --threads 2\n;; CONVCHECK: --path {quote}A B\n{GOOD}")
    assert (convcheck("verify", file).code, convcheck("verify", file).err) == (0, "")
    for command in ("infer", "inline"):
        ran = convcheck(command, "-q", file)
        assert (ran.code, ran.err) == (0, "")
        assert f"--path {quote}A B\n" in ran.out and "--threads 2" in ran.out


@pytest.mark.parametrize("command", EXECUTING)
@pytest.mark.parametrize(
    ("line", "column", "why"),
    [
        ("; CONVCHECK: --path 'A B", 14, "quot"),
        (";CONVCHECK:   --threads nine", 15, "'nine'"),
        ("; CONVCHECK: --no-such-option", 14, "--no-such-option"),
        ("; CONVCHECK: --operations x.py -o y", 14, "may not set"),
        ("; CONVCHECK: --help", 14, "help"),
    ],
)
def test_a_faulty_default_is_told_with_its_place(
    tmp_path: Path, command: str, line: str, column: int, why: str
) -> None:
    file = ll(tmp_path, f"; CONVCHECK: --threads 2\n{line}\n{GOOD}")
    ran = convcheck(command, file, *([file] if command == "refine" else []))
    refused(ran)
    assert ran.err.startswith(f"convcheck: {file}:2:{column}: ")
    assert why in ran.err


@pytest.mark.parametrize("command", COMMANDS)
def test_files_that_are_none(tmp_path: Path, command: str) -> None:
    missing = tmp_path / "missing.ll"
    assert convcheck(command, missing).err == f"convcheck: {missing}: No such file or directory\n"
    assert convcheck(command, tmp_path).err == f"convcheck: {tmp_path}: is a directory\n"
    refused(convcheck(command, missing))
    refused(convcheck(command, tmp_path))
    refused(convcheck(command, "a\0b"))
    refused(convcheck(command, "x" * 5000))
    refused(convcheck(command, "/dev/zero"))
    assert convcheck(command, "").err == "convcheck: '': No such file or directory\n"
    refused(convcheck(command, "-", stdin=b""))
    fake = ll(tmp_path, GOOD, "fake.bc")
    assert "not LLVM bitcode" in convcheck(command, fake).err


def test_a_file_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(self: Path, mode: str) -> None:
        raise PermissionError(13, "Permission denied")

    path = ll(tmp_path, GOOD)
    monkeypatch.setattr(Path, "open", closed)
    ran = convcheck("verify", path)
    refused(ran)
    assert ran.err == f"convcheck: {path}: Permission denied\n"


NESTED = {
    "types": lambda n: "@g = external global " + "[1 x " * n + "i8" + "]" * n,
    "structs": lambda n: "@g = external global " + "{" * n + "i8" + "}" * n,
    "constants": lambda n: "@g = global ptr " + "getelementptr(i8, ptr " * n + "null" + ", i64 1)" * n,
    "metadata": lambda n: "!0 = !{" + "!{" * n + "}" * n + "}",
    "debug": lambda n: "!0 = !DILocation(" + "scope: !DILocation(" * n,
    "brackets": lambda n: "[" * n,
}


@pytest.mark.parametrize("kind", NESTED)
def test_deep_nesting_overflows_no_stack(tmp_path: Path, kind: str) -> None:
    """In a process of its own, which LLVM's reader would take down."""
    refused(process("verify", ll(tmp_path, NESTED[kind](100_000))))


@pytest.mark.parametrize("kind", ["types", "structs", "constants", "metadata"])
def test_some_nesting_is_fine(tmp_path: Path, kind: str) -> None:
    assert process("verify", ll(tmp_path, NESTED[kind](100))).code == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("garbage", '{%@!x"0 ' * (10_000_000 // 8)),
        ("one line", "; " + "x" * 10_000_000),
        ("one name", f'define void @"{"y" * 10_000_000}"() {{\n  ret void\n'),
        ("cut at the end", GOOD + "; a comment line\n" * 600_000 + "define void @g("),
    ],
    ids=lambda value: value if len(value) < 20 else "",
)
def test_ten_megabytes(tmp_path: Path, name: str, text: str) -> None:
    ran = convcheck("verify", ll(tmp_path, text))
    assert ran.code == (0 if name == "one line" else 2)
    assert len(ran.err) < 1000


def mutated(text: str, rnd: random.Random) -> bytes:
    """A text with a few bytes flipped, cut, doubled or replaced by words of the language."""
    words = [*'% @ ! { } [ ] ( ) " token #0 !0 poison i999999999 -1 é'.split(), "label %B", "\0", "\\"]
    words += ["splat (i8 1)", '[ "convergencectrl"(token %t) ]', "\x1b[2J"]
    data = text
    for _ in range(rnd.randint(1, 5)):
        at, kind = rnd.randrange(len(data) + 1), rnd.randrange(6)
        end = min(len(data), at + rnd.randint(1, 30))
        match kind:
            case 0:
                data = data[:at] + data[end:]
            case 1:
                data = data[:at] + rnd.choice(words) + data[at:]
            case 2:
                data = data[:at] + rnd.choice(words) + data[end:]
            case 3:
                data = data[:at] + data[at:end] + data[at:]
            case 4:
                data = data[: max(1, at)]
            case _:
                data = data[:at] + chr(rnd.randrange(256)) + data[at + 1 :]
    encoded = data.encode()
    if rnd.random() < 0.05:
        encoded = (
            encoded[: len(encoded) // 2] + bytes([rnd.randrange(128, 256)]) + encoded[len(encoded) // 2 :]
        )
    return encoded


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32), st.sampled_from(range(len(SEEDS))), st.sampled_from(COMMANDS))
def test_mutated_files_never_give_a_traceback(seed: int, which: int, command: str) -> None:
    data = mutated(SEEDS[which], random.Random(seed))
    ran = convcheck(command, *(["--max-steps", "1000"] if command == "run" else []), "-", stdin=data)
    assert ran.code in (0, 1, 2, 3), ran
    assert "Traceback" not in ran.err
    assert "\x1b" not in ran.out + ran.err
    if ran.code == 2:
        assert one_line(ran.err), ran.err


@pytest.mark.parametrize("command", COMMANDS)
def test_what_the_parser_cannot_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Bodies are parsed at the first look, so the parser may give up long after it began."""
    from convergence.parser import Unsupported

    def late(*_: object) -> None:
        error = Unsupported("a new kind of thing")
        error.line, error.column = 3, 4
        raise error

    monkeypatch.setattr("convergence.verifier.verify", late)
    path = ll(tmp_path, GOOD)
    ran = convcheck(command, path)
    assert ran.code == 3
    assert ran.err == f"convcheck: {path}:3:4: not supported: a new kind of thing\n"
