"""The names that LLVM gives intrinsics are the only ones that anything sees; upgrades are LLVM's print.

covers: parser.assemble, parser.llvm, parser.llvm_worker, parser.names, report.parts.words
"""

from __future__ import annotations

from pathlib import Path

import pytest
from llvmlite import binding

from convergence.ir.calls import callee_name, is_convergent
from convergence.ir.instructions import CallSite
from convergence.ir.module import Module
from convergence.parser import NotLLVM, parse
from convergence.parser.llvm import print_by_llvm
from convergence.parser.printer import print_module
from convergence.report.parts.words import reading_notes, reading_standing
from convergence.rules import Rule
from convergence.verifier import verify
from tests.cli.cli_harness import convcheck, ll

ENTRY = "declare token @llvm.experimental.convergence.entry()\n"
UNMANGLED = """{first}define i32 @a(i32 %x) convergent {{
  %t = call token @llvm.experimental.convergence.entry()
  %r = call i32 @{name}(i32 %x)
  ret i32 %r
}}
{declared}"""
READFIRSTLANE = "llvm.amdgcn.readfirstlane"


def callees(module: Module, function: str) -> list[str | None]:
    return [callee_name(i) for i in module.functions[function].instructions if isinstance(i, CallSite)]


@pytest.mark.parametrize(
    "first",
    [
        "",
        f"; @{READFIRSTLANE}.i32\n",
        f"/* @{READFIRSTLANE}.i32 */\n",
        f'@s = global [32 x i8] c"@{READFIRSTLANE}.i32xx"\n',
        f'!named = !{{!0}}\n!0 = !{{!"@{READFIRSTLANE}.i32"}}\n',
        f"declare i32 @{READFIRSTLANE}.i32(i32)\n",
        f'$"@{READFIRSTLANE}.i32" = comdat any\n',
    ],
)
@pytest.mark.parametrize("name", [READFIRSTLANE, f'"{READFIRSTLANE}"', r'"llvm.amdgcn.readfirstl\61ne"'])
@pytest.mark.parametrize("declares", [True, False])
def test_a_name_without_its_types_is_convergent_whatever_the_text_mentions(
    first: str, name: str, declares: bool
) -> None:
    declared = ENTRY + (f"declare i32 @{name}(i32)\n" if declares else "")
    module = parse(UNMANGLED.format(first=first, name=name, declared=declared))
    assert callees(module, "a")[1] == f"{READFIRSTLANE}.i32"
    assert {d.rule for d in verify(module)} >= {Rule.S_MIX}
    assert "convergent" in module.function_attributes(f"{READFIRSTLANE}.i32")
    assert READFIRSTLANE not in module.functions


def test_several_overloads_of_one_name() -> None:
    """Undeclared, each call's type says which; a declaration stands for one."""
    module = parse(
        f"""; {READFIRSTLANE}
%pair = type {{ i32, i32 }}
define void @f(i32 %x, float %y, <2 x i16> %v) {{
  %a = call i32 @{READFIRSTLANE}(i32 %x)
  %b = call float @{READFIRSTLANE}(float %y)
  %c = call <2 x i16> @{READFIRSTLANE}(<2 x i16> %v)
  %d = call i32 @{READFIRSTLANE}.i32(i32 %x)
  ret void
}}
"""
    )
    assert callees(module, "f") == [f"{READFIRSTLANE}.{suffix}" for suffix in ("i32", "f32", "v2i16", "i32")]
    assert all(is_convergent(module, i) for i in module.functions["f"].instructions[:4])
    assert parse(print_module(module)).functions["f"] == module.functions["f"]


def test_a_suffix_that_is_wrong_is_llvms_for_the_calls_type() -> None:
    """Whether or not the module has that overload, too."""
    other = f"  %b = call <2 x i32> @{READFIRSTLANE}.v2i32(<2 x i32> %u)\n"
    for more in ("", other, other + f"  ; @{READFIRSTLANE}.v3i32\n"):
        text = "define void @f(<3 x i32> %v, <2 x i32> %u) {\n"
        text += f"  %a = call <3 x i32> @{READFIRSTLANE}.v2i32(<3 x i32> %v)\n{more}  ret void\n}}\n"
        assert callees(parse(text), "f")[0] == f"{READFIRSTLANE}.v3i32"


def test_the_users_own_names_for_functions_hold_in_options(tmp_path: Path) -> None:
    text = f"declare i32 @{READFIRSTLANE}(i32)\ndefine i32 @a(i32 %x) convergent {{\n"
    text += f"  %r = call i32 @{READFIRSTLANE}(i32 %x)\n  ret i32 %r\n}}\n"
    path, models = ll(tmp_path, text), tmp_path / "models.py"
    models.write_text(f'OPERATIONS = {{"@{READFIRSTLANE}": lambda group: {{lane: 42 for lane in group}}}}\n')
    for name in (READFIRSTLANE, f"{READFIRSTLANE}.i32"):
        assert "returned 7" in convcheck("run", path, "--arg", "%x=1", "--input", f"@{name}=7").out
    assert "returned 42" in convcheck("run", path, "--arg", "%x=1", "--operations", models).out


def test_an_old_name_of_the_same_function_keeps_the_places_of_the_text() -> None:
    text = (
        "declare void @llvm.memcpy.p0i8.p0i8.i64(i8*, i8*, i64, i1)\n"
        "define void @f(i8* %p) {\n"
        "  call void @llvm.memcpy.p0i8.p0i8.i64(i8* %p, i8* %p, i64 1, i1 false)\n  ret void\n}\n"
    )
    module = parse(text)
    assert callees(module, "f") == ["llvm.memcpy.p0.p0.i64"]
    assert "memory(argmem: readwrite)" in module.intrinsics["llvm.memcpy.p0.p0.i64"]
    assert module.source.text == text
    assert not module.upgrades


UPGRADED = """; CONVCHECK: --threads 2
declare void @llvm.nvvm.barrier0()
declare i32 @llvm.ctlz.i32(i32)
define i32 @k(i32 %x) convergent {
  call void @llvm.nvvm.barrier0()
  %n = call i32 @llvm.ctlz.i32(i32 %x)
  ret i32 %n
}
"""


def test_an_upgrade_with_other_operands_is_llvms_print() -> None:
    module = parse(UPGRADED)
    assert callees(module, "k") == ["llvm.nvvm.barrier.cta.sync.aligned.all", "llvm.ctlz.i32"]
    assert module.source.text == print_by_llvm(UPGRADED)
    assert [directive.text for directive in module.directives] == ["--threads 2"]
    assert {upgrade.old for upgrade in module.upgrades} == {"llvm.nvvm.barrier0", "llvm.ctlz.i32"}
    assert "print" in (reading_standing(module) or "")
    ((_, _, note),) = reading_notes(module)
    assert "@llvm.nvvm.barrier0" in note
    assert "@llvm.ctlz.i32" in note


def test_what_becomes_instructions_is_read_as_these() -> None:
    module = parse(
        "declare <4 x i32> @llvm.x86.sse41.pmaxsd(<4 x i32>, <4 x i32>)\n"
        "define <4 x i32> @f(<4 x i32> %v) {\n"
        "  %m = call <4 x i32> @llvm.x86.sse41.pmaxsd(<4 x i32> %v, <4 x i32> %v)\n  ret <4 x i32> %m\n}\n"
    )
    assert "llvm.x86.sse41.pmaxsd" not in callees(module, "f")
    assert [upgrade.old for upgrade in module.upgrades] == ["llvm.x86.sse41.pmaxsd"]


def test_debug_calls_and_lifetimes_stay_where_they_are() -> None:
    """LLVM makes records of the former and drops the latter's size: nobody should lose the text's places."""
    text = (
        "declare void @llvm.lifetime.start.p0i8(i64, i8*)\n"
        "declare void @llvm.dbg.value(metadata, metadata, metadata)\n"
        "define void @f() {\n  %p = alloca i8\n  call void @llvm.lifetime.start.p0i8(i64 1, i8* %p)\n"
        "  ret void\n}\n"
    )
    module = parse(text)
    assert module.source.text == text
    assert not module.upgrades


@pytest.mark.parametrize("old", ["llvm.nvvm.barrier0()", "llvm.nvvm.barrier.sync(i32 0)"])
def test_a_bundle_that_llvm_drops_is_named(old: str) -> None:
    """Of an upgrade, and of another name for the same function."""
    name, _, rest = old.partition("(")
    parameters = rest.removesuffix(")").removesuffix(" 0")
    text = (
        f"{ENTRY}declare void @{name}({parameters})\ndefine void @k() convergent {{\n"
        "  %t = call token @llvm.experimental.convergence.entry()\n"
        f'  call void @{old} [ "convergencectrl"(token %t) ]\n  ret void\n}}\n'
    )
    assert print_by_llvm(text).count("convergencectrl") == 0, "LLVM keeps it now: the finding is mended"
    with pytest.raises(
        NotLLVM, match=rf"@{name} by @llvm\.nvvm\.barrier\.cta.* drops the .convergencectrl."
    ) as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == (5, 3)


def test_a_bundle_that_llvm_keeps_is_fine() -> None:
    text = UNMANGLED.format(
        first="", name=READFIRSTLANE, declared=ENTRY + f"declare i32 @{READFIRSTLANE}(i32)\n"
    )
    text = text.replace("(i32 %x)\n", '(i32 %x) [ "convergencectrl"(token %t) ]\n')
    module = parse(text)
    assert not verify(module)
    assert module.source.text == text


def test_commands_agree_on_old_and_unmangled_names(tmp_path: Path) -> None:
    """The issue's example: none of them loses the operation, and none stops at its name."""
    plain = UNMANGLED.format(first="", name=f"{READFIRSTLANE}.i32", declared="")
    plain = "\n".join(line for line in plain.splitlines() if "token" not in line) + "\n"
    old = plain.replace(f"{READFIRSTLANE}.i32", READFIRSTLANE) + f"; @{READFIRSTLANE}.i32\n"
    new_file, old_file = ll(tmp_path, plain, "new.ll"), ll(tmp_path, old, "old.ll")
    launch = ("--threads", "2", "--arg", "%x=3,5")
    for command in (("run", *launch), ("enumerate", *launch), ("simulate", "--policy", "ipdom", *launch)):
        one, other = (
            convcheck(command[0], old_file, *command[1:]),
            convcheck(command[0], new_file, *command[1:]),
        )
        assert (one.code, one.out) == (other.code, other.out.replace("new.ll", "old.ll")), command
        assert one.code == 0
    assert "entry and 1 controlled operation" in convcheck("infer", old_file).out
    assert convcheck("refine", old_file, new_file).code == 0
    assert "equal" in convcheck("refine", old_file, "--passes", "simplifycfg").out
    upgraded = ll(tmp_path, UPGRADED, "upgraded.ll")
    assert "entry and 1 controlled operation" in convcheck("infer", upgraded).out
    assert convcheck("run", upgraded, "--arg", "%x=1").code == 0


def test_names_are_those_of_llvms_module() -> None:
    """For the text as for its print."""
    text = UNMANGLED.format(
        first="", name=READFIRSTLANE, declared=ENTRY + f"declare i32 @{READFIRSTLANE}(i32)\n"
    )
    with binding.create_context() as context, binding.parse_assembly(text, context) as made:
        names = {f.name for f in made.functions}
    assert set(parse(text).functions) == names
