"""What LLVM is asked: is it LLVM IR, what of intrinsics, its verdict; and that it cannot hurt.

covers: parser.llvm_worker, workers, workers.serving
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from llvmlite import binding

from convergence.files import parse_file
from convergence.ir import I1, TOKEN, VOID, FunctionType, IntType, NamedType, StructType
from convergence.parser import BITCODE, NotLLVM, Unsupported, llvm, parse
from convergence.parser.assemble import Assembler
from convergence.source import Source
from tests.parser.reading import by_driver

ENTRY = "llvm.experimental.convergence.entry"


@pytest.mark.parametrize(
    ("text", "message", "place", "excerpt"),
    [
        ("hello", "expected top-level entity", (1, 1), "hello"),
        (
            "define void @f() {\n  ret i32 %x\n}",
            "value doesn't match function result type 'void'",
            (2, 7),
            "i32",
        ),
        (
            "define void @f() {\n  %a = add i32 1, %b\n  ret void\n}",
            "use of undefined value '%b'",
            (2, 19),
            "%b",
        ),
        ('@"é" = global i32 0 @é', "expected", (1, 21), "@é"),
        ("define void @f() {", "found end of file when expecting more instructions", (1, 19), ""),
    ],
)
def test_no_llvm_ir(text: str, message: str, place: tuple[int, int], excerpt: str) -> None:
    """LLVM's message, and where it points: columns count characters."""
    with pytest.raises(NotLLVM) as caught:
        parse(text)
    assert message in caught.value.message
    assert "\n" not in caught.value.message
    assert (caught.value.line, caught.value.column) == place
    assert caught.value.span is not None
    assert text[slice(*caught.value.span)] == excerpt


def test_intrinsics_by_llvms_table() -> None:
    """Whatever a ``declare`` says; and only intrinsics."""
    module = parse(
        f"declare token @{ENTRY}() nounwind\ndeclare i32 @llvm.abs.i32(i32, i1) convergent\n"
        "declare void @llvm.no.such.intrinsic() convergent\ndeclare void @f() convergent\n"
    )
    assert "convergent" in module.intrinsics[ENTRY]
    assert "convergent" not in module.intrinsics["llvm.abs.i32"]
    assert "memory(none)" in module.intrinsics["llvm.abs.i32"]
    assert module.intrinsics["llvm.no.such.intrinsic"] == {"convergent"}
    assert set(module.intrinsics) == {ENTRY, "llvm.abs.i32", "llvm.no.such.intrinsic"}
    assert module.function_attributes("f") == ("convergent",)


def test_undeclared_intrinsics() -> None:
    """LLVM declares them itself; so do we, and do not print it."""
    text = (
        "define i1 @f(<4 x i32> %v) convergent {\n"
        f"  %t = call token @{ENTRY}()\n"
        "  %r = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %v)\n"
        "  %b = call i1 @llvm.is.constant.i32(i32 %r)\n  ret i1 %b\n}\n"
    )
    module = parse(text)
    assert module.functions[ENTRY].implicit
    assert module.functions[ENTRY].type == FunctionType(TOKEN, ())
    assert module.functions["llvm.is.constant.i32"].type == FunctionType(I1, (IntType(32),))
    assert "convergent" in module.function_attributes(ENTRY)
    assert "convergent" in module.function_attributes("llvm.is.constant.i32")
    assert not by_driver(text).functions.keys() - {"f"}


def test_undeclared_intrinsic_with_any_type() -> None:
    """Variadic ones, and a type that only the grammar reads."""
    text = "define void @f(i32 %x) {\n  call void (...) @llvm.fake.use(i32 %x)\n  ret void\n}\n"
    assert parse(text).functions["llvm.fake.use"].type.variadic
    rare = Assembler(Source("", "")).implicit("llvm.x", 'void ({ %"a\\22b" }, ...)')
    assert rare.type == FunctionType(VOID, (StructType((NamedType('a"b'),)),), True)
    assert [p.name for p in rare.parameters] == ["0"]


def test_verdict() -> None:
    """Each of the verifier's messages once for each fault, without what it prints below them."""
    body = "define void @{}() {{\n  %t = call token @llvm.experimental.convergence.entry()\n  ret void\n}}\n"
    assert llvm.llvm_verdict("define void @f() {\n  ret void\n}\n") == ()
    said = llvm.llvm_verdict(body.format("f") + body.format("g"))
    assert said == ("Entry intrinsic can occur only in a convergent function.",) * 2


@pytest.mark.parametrize(
    ("triple", "complaints"),
    [("amdgcn--", ()), ("", ("PtrToAddr result must be address width",)),
     ("no-such-target", ("PtrToAddr result must be address width",))],
)  # fmt: skip
def test_a_module_without_a_layout_has_that_of_its_target(triple: str, complaints: tuple[str, ...]) -> None:
    """As LLVM's tools give it one: how wide an address is in a space is said there."""
    text = (
        f'target triple = "{triple}"\ndefine i32 @f(ptr addrspace(7) %p) {{\n'
        "  %r = ptrtoaddr ptr addrspace(7) %p to i32\n  ret i32 %r\n}\n"
    )
    assert tuple(llvm.llvm_verdict(text)[:1]) == complaints


def test_verdict_of_a_broken_module_with_debug_info() -> None:
    """LLVM's reader would end the process on this one."""
    text = Path(__file__).parent.joinpath("data", "metadata.ll").read_text()
    broken = text + "define i32 @broken() {\n  br label %b\nb:\n  %p = phi i32 [ 1, %b ]\n  ret i32 %p\n}\n"
    assert any("PHI node" in message for message in llvm.llvm_verdict(broken))


def test_broken_debug_info_is_no_fault_of_the_module() -> None:
    """``opt`` takes such a module with a warning, and drops the debug info; what else is broken counts."""
    flags = '!llvm.module.flags = !{!0}\n!0 = !{i32 2, !"Debug Info Version", i32 3}\n'
    unit = flags + '!1 = distinct !DISubprogram(name: "f", spFlags: DISPFlagDefinition)\n'
    assert llvm.llvm_verdict(f"define void @f() !dbg !1 {{\n  ret void\n}}\n{unit}") == ()
    entry = "  %t = call token @llvm.experimental.convergence.entry()\n"
    said = llvm.llvm_verdict(f"define void @f() !dbg !1 {{\n{entry}  ret void\n}}\n{unit}")
    assert said == ("Entry intrinsic can occur only in a convergent function.",)


def test_bitcode(tmp_path: Path) -> None:
    """By its first bytes, not its name; the text is what LLVM prints."""
    text = "define i32 @f(i32 %x) {\n  %y = add i32 %x, 1\n  ret i32 %y\n}\n"
    with binding.create_context() as context, binding.parse_assembly(text, context) as module:
        data = module.as_bitcode()
    assert data.startswith(BITCODE)
    path = tmp_path / "a.ll"
    path.write_bytes(data)
    found = parse_file(path)
    assert found.functions["f"] == parse(text).functions["f"]
    assert found.source.excerpt(found.functions["f"].instructions[0].span) == "%y = add i32 %x, 1"
    for cut in (4, 40, len(data) // 2):
        path.write_bytes(data[:cut])
        with pytest.raises(NotLLVM) as caught:
            parse_file(path)
        assert caught.value.message


def test_corrupt_bitcode(tmp_path: Path) -> None:
    """LLVM ends its process on some of these; ours goes on."""
    with (
        binding.create_context() as context,
        binding.parse_assembly("@g = global i32 7\n", context) as module,
    ):
        data = module.as_bitcode()
    outcomes = set()
    for at in range(8, len(data), 5):
        bad = bytearray(data)
        bad[at] ^= 0x5A
        try:
            llvm.disassemble(bytes(bad))
            outcomes.add("read")
        except NotLLVM as error:
            outcomes.add("refused" if error.message else "without a word")
    assert "refused" in outcomes and "without a word" not in outcomes
    assert parse("@g = global i32 7\n").globals["g"].initializer is not None


def test_llvm_breaking_down_is_an_answer() -> None:
    """An assertion of LLVM's own fails on this flag; the next question finds a new process."""
    text = '!0 = !DIBasicType(name: "x", flags: 4294967295)\n'
    with pytest.raises(NotLLVM, match=r"LLVM breaks down on it \(signal 6\)|expected|too large"):
        parse(text)
    worker = llvm._worker()
    process = worker.started()
    process.kill()
    process.wait()
    assert parse("@g = global i32 0\n").globals.keys() == {"g"}


def test_a_process_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = llvm._worker()
    process = worker.started()
    os.kill(process.pid, signal.SIGSTOP)
    os.waitpid(process.pid, os.WUNTRACED)
    monkeypatch.setattr(llvm, "_patience", lambda size: 0.2)
    with pytest.raises(NotLLVM, match="no answer in time"):
        parse("@not_asked_before = global i32 0\n")
    monkeypatch.undo()
    assert parse("@not_asked_before_either = global i32 0\n").globals


def test_where_no_process_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then LLVM runs in this process."""
    llvm._worker().stop()
    for executable in ("/no/such/python", ""):
        monkeypatch.setattr(sys, "executable", executable)
        text = f"define token @f() {{\n  %t = call token @{ENTRY}()\n  ret token %t\n}}\n;{executable}"
        assert "convergent" in parse(text).function_attributes(ENTRY)
        assert len(llvm.llvm_verdict(text)) >= 1
        with pytest.raises(NotLLVM, match="expected top-level entity"):
            parse(f"hello {executable}")


def test_a_forked_process_asks_its_own() -> None:
    """A process that is forked off leaves its parent's conversation alone."""
    parse("@g = global i32 1\n")
    program = (
        "import os, sys\nfrom convergence.parser import parse\nparse('@a = global i32 0')\n"
        "pid = os.fork()\n"
        "for k in range(20): assert list(parse(f'@b{k}{os.getpid()} = global i32 {k}').globals)\n"
        "if pid: assert os.waitpid(pid, 0)[1] == 0; print('both')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "both\n", done.stderr


def test_text_that_is_no_utf8(tmp_path: Path) -> None:
    """LLVM does not mind bytes in comments and strings, and nor do we."""
    path = tmp_path / "latin1.ll"
    path.write_bytes(b'; caf\xe9\n@"caf\xe9" = global [1 x i8] c"\xff"\n')
    module = parse_file(path)
    assert list(module.globals) == ["caf\udce9"]
    assert module.globals["caf\udce9"].initializer.data == b"\xff"  # type: ignore[union-attr]


def test_what_llvm_takes_and_we_do_not() -> None:
    """It has a place, and is no syntax error."""
    error = Unsupported("cannot read it", 3)
    assert (error.message, error.offset, error.line) == ("cannot read it", 3, None)
    with pytest.raises(Unsupported) as caught:
        Assembler(Source("a.ll", "\n@g = global i32 0 @@\n")).module({}).globals["g"]
    assert (caught.value.line, caught.value.column) == (2, 19)


def test_llvmlite_that_cannot_be_imported_is_named(tmp_path: Path) -> None:
    """It is no fault of the file, and no breakdown of LLVM's."""
    (tmp_path / "llvmlite.py").write_text('raise ImportError("no llvmlite here")\n')
    done = subprocess.run(
        [sys.executable, "-c", "from convergence.parser import parse; parse('@a = global i32 0')"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), *filter(None, sys.path)))},
    )
    assert "LLVM could not be asked: no llvmlite here" in done.stderr


def test_a_function_s_name_may_be_any_bytes() -> None:
    text = 'declare void @"\\FF"()\ndefine void @"llvm\\C3\\28"() {\n  call void @"\\FF"()\n  ret void\n}\n'
    assert llvm.llvm_verdict(text) == ()
