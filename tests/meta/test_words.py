"""What people read has LLVM's words, and no class of ours.

covers: ir, semantics.operations
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from convergence import ir as types
from convergence.ir import instructions as ir
from convergence.ir.instructions import Instruction, opcode
from tests.cli.cli_harness import convcheck, ll
from tests.meta.package_modules import ROOT

PACKAGE = ROOT / "convergence"

EXCEPTIONS = {
    "semantics/operations/user.py": "an exception in a file of the user's",
    "cli/__init__.py": "our own bug, which is to be reported",
    "fuzz/campaign.py": "our own bug",
    "workers/scheduler.py": "an exception of dask's workers",
}
"""Where the class of an exception is said."""
SELF_SHOWN = {"__repr__", "_repr", "__str__"}


def named_classes(tree: ast.AST) -> Iterator[ast.Attribute]:
    """Every ``....__name__`` and ``....__class__`` outside of what shows an object to programmers."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef) and node.name in SELF_SHOWN:
            continue
        if isinstance(node, ast.Attribute) and node.attr == "__name__":
            yield node
        yield from named_classes(node)


def is_in_text(tree: ast.Module, attribute: ast.Attribute) -> bool:
    """Whether it is part of an f-string, or changed as a string."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr | ast.Call) and any(child is attribute for child in ast.walk(node)):
            if isinstance(node, ast.JoinedStr):
                return True
            if isinstance(node.func, ast.Attribute) and node.func.attr in (
                "lower",
                "upper",
                "replace",
                "title",
            ):
                return True
    return False


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: p.name)
def test_no_text_is_made_of_a_class_name(path: Path) -> None:
    tree = ast.parse(path.read_text())
    found = [node.lineno for node in named_classes(tree) if is_in_text(tree, node)]
    if str(path.relative_to(PACKAGE)) not in EXCEPTIONS:
        assert found == []


@cache
def classes() -> frozenset[str]:
    """The package's classes of values: names that no English or IR word is."""
    texts = [path.read_text() for path in PACKAGE.rglob("*.py")]
    definition = re.compile(r"^[ \t]*class ([A-Z][a-z]+(?:[A-Z][A-Za-z]*)+)\b", re.MULTILINE)
    return frozenset(name for text in texts for name in definition.findall(text))


TYPES = {
    "i32": types.IntType(32),
    "float": types.FloatType("float"),
    "ptr": types.PTR,
    "ptr addrspace(3)": types.PointerType(3),
    "token": types.TOKEN,
    "<4 x i1>": types.VectorType(4, types.I1),
    "<vscale x 2 x double>": types.VectorType(2, types.FloatType("double"), True),
    "[2 x { i8, ptr }]": types.ArrayType(2, types.StructType((types.IntType(8), types.PTR))),
    "<{ i8 }>": types.StructType((types.IntType(8),), True),
    '%"a b"': types.NamedType("a b"),
    "void (i32, ...)": types.FunctionType(types.VOID, (types.IntType(32),), True),
    'target("spirv.Image", float, 1)': types.TargetType("spirv.Image", (types.FloatType("float"),), (1,)),
}


@pytest.mark.parametrize("spelled", TYPES)
def test_a_type_in_a_message_is_spelled_as_llvm_does(spelled: str) -> None:
    assert str(TYPES[spelled]) == f"{TYPES[spelled]}" == spelled


def test_every_instruction_has_llvms_name() -> None:
    """By LLVM's own list of opcodes, in the LangRef's spelling."""
    made = [
        value
        for value in vars(ir).values()
        if inspect.isclass(value) and issubclass(value, Instruction) and value is not Instruction
    ]
    named = {ir._OPCODES[kind] for kind in made if kind in ir._OPCODES}
    abstract = {ir.CallSite, ir.Binary, ir.Conversion, ir.DebugRecord}
    assert {kind for kind in made if kind not in ir._OPCODES} == abstract
    assert {"br", "va_arg", "getelementptr", "atomicrmw", "callbr", "fneg"} <= named
    assert all(re.fullmatch(r"[a-z_]+", name) for name in named)
    assert opcode(ir.CondBr(None, "a", "b")) == "br"  # type: ignore[arg-type]


ODD = [
    'declare target("spirv.Image", float, 1) @image()\ndefine void @f() {\n'
    '  %i = call target("spirv.Image", float, 1) @image()\n  ret void\n}\n',
    "declare <vscale x 2 x i32> @scalable()\ndefine void @f() {\n"
    "  %v = call <vscale x 2 x i32> @scalable()\n  ret void\n}\n",
    "define i32 @f(ptr %list) {\n  %x = va_arg ptr %list, i32\n  ret i32 %x\n}\n",
    "%o = type opaque\n@g = external global %o\ndefine void @f() {\n  %p = alloca [2 x ptr]\n"
    "  %q = getelementptr %o, ptr @g, i32 1\n  ret void\n}\n",
    "define x86_fp80 @f(x86_fp80 %x) {\n  %y = fadd x86_fp80 %x, %x\n  ret x86_fp80 %y\n}\n",
    'define i32 @f() {\n  %x = call i32 asm "nop", "=r"()\n  ret i32 %x\n}\n',
    "define void @f(ptr byval([4 x i8]) %p) {\n  ret void\n}\n"
    "define void @k() {\n  %a = alloca [4 x i8]\n  call void @f(ptr byval([4 x i8]) %a)\n  ret void\n}\n",
    'define void @f(target("spirv.Event") %e) {\n  %a = alloca target("spirv.Event")\n'
    '  store target("spirv.Event") %e, ptr %a\n  ret void\n}\n',
    "declare i32 @p(...)\ndefine void @f() personality ptr @p {\n"
    "  invoke void @g() to label %a unwind label %b\n"
    "a:\n  ret void\nb:\n  %l = landingpad { ptr, i32 } cleanup\n  resume { ptr, i32 } %l\n}\n"
    "declare void @g()\n",
    "@a = global ptr blockaddress(@f, %c)\ndefine void @f() {\n"
    "  %p = load ptr, ptr @a\n  indirectbr ptr %p, [label %c]\nc:\n  ret void\n}\n",
    "define token @f() convergent {\n"
    "  %t = call token @llvm.experimental.convergence.entry()\n  ret token %t\n}\n",
    "define bfloat @f(<2 x bfloat> %v) {\n  %s = extractelement <2 x bfloat> %v, i32 0\n"
    "  %r = fptrunc double 1.0 to bfloat\n  ret bfloat %s\n}\n",
    "define i32 @f() {\n  %x = atomicrmw usub_sat ptr null, i32 1 seq_cst\n"
    "  fence syncscope(\"odd\") seq_cst\n  ret i32 %x\n}\n",
]  # fmt: skip


@pytest.mark.parametrize("text", ODD, ids=lambda t: re.findall(r"define .*@(\w+)", t)[0] + str(len(t)))
def test_what_is_not_modelled_is_named_in_llvms_words(text: str, tmp_path: Path) -> None:
    """In every command that runs it, with and without ``-v``."""
    ours = re.compile(
        r"\b(?:" + "|".join(sorted(classes())) + r")\b|\bconvergence\.[a-z]+\.|<class|object at 0x"
    )
    path = ll(tmp_path, text)
    function = "@k" if "@k" in text else "@f"
    for command in (
        ("run", path), ("run", path, "-v", "--trace"), ("enumerate", path),
        ("enumerate", path, "--engine", "axiomatic"), ("simulate", path),
        ("simulate", path, "--policy", "exec-mask", "--listing"), ("refine", path, path), ("infer", path),
    ):  # fmt: skip
        more = () if command[0] == "infer" else ("--function", function)
        ran = convcheck(*command, *more)
        said = (ran.out + ran.err).replace(str(path), "FILE")
        assert ran.code != 4, said
        assert not ours.findall(said), (command, said)


def test_a_stand_in_that_cannot_be_made_names_callee_and_type(tmp_path: Path) -> None:
    ran = convcheck("run", ll(tmp_path, ODD[0]))
    assert ran.code == 3
    assert 'a stand-in of type target("spirv.Image", float, 1) for the result of @image' in ran.out + ran.err
