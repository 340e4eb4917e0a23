"""Random reconvergence programs as compute shaders for Vulkan, which LLVM's SPIR-V backend takes.

The trees are those of :mod:`.reconvergence`, with more operations where faults sit: in blocks that leave a
loop or begin its next round, next to early returns. A program has tokens as clang writes them, reads each
invocation's ``x`` from ``u1``, and stores what its operations return in its own row of ``u0``.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from ..frozen import dataclass
from ..vulkan import VULKAN_TRIPLE
from .build import Value
from .reconvergence import (
    Ballot,
    Break,
    Continue,
    If,
    IRWriter,
    Return,
    Statement,
    Targets,
    TreeDraw,
    until_return,
)

SLOTS = 32
"""Stores of one invocation that have room; the last one is for ``acc``."""
_HANDLE = 'target("spirv.VulkanBuffer", [0 x i32], 12, 1)'
_SUFFIX = "tspirv.VulkanBuffer_a0i32_12_1t"

OPERATIONS = ("ballot", "countbits", "any", "all", "first", "sum", "umax", "min")
"""What a site may be: a vote about its condition, who is first, or a reduction over the lanes' numbers."""


class _Draw(TreeDraw):
    """Trees in which operations stand where a construct is left."""

    def conditional(self, depth: int, counters: tuple[str, ...], inside: str) -> If:
        if self.random.random() < 0.5:
            return super().conditional(depth, counters, inside)
        operations = tuple(self.ballot(counters) for _ in range(self.random.randint(1, 2)))
        jumps: tuple[Statement, ...] = (Return(),)
        if inside == "loop":
            jumps = (Break(), Continue(), Break(), Continue(), Return())
        then = self.block(depth + 1, counters, inside) if self.random.random() < 0.3 else ()
        kept = tuple(s for s in then if not isinstance(s, Break | Continue | Return))
        otherwise = self.block(depth + 1, counters, inside) if self.random.random() < 0.3 else ()
        return If(self.condition(counters), (*kept, *operations, self.random.choice(jumps)), otherwise)


def shader_tree(random: Random) -> tuple[Statement, ...]:
    """A random program."""
    draw = _Draw(random, random.choice((2, 2, 3, 3, 4)), random.choice((6, 10, 14)))
    statements: list[Statement] = []
    for _ in range(random.randint(1, 3)):
        statements.extend(draw.block(0, (), ""))
    statements.append(draw.ballot(()))
    return tuple(until_return(statements))


def shader_text(statements: tuple[Statement, ...], kinds: Callable[[int], str], lanes: int) -> str:
    """The module of a program, with workgroups of so many ``lanes``; ``kinds`` says which operation each site
    is."""
    body = "\n".join(_Shader(kinds).shader(statements))
    return (
        f'target triple = "{VULKAN_TRIPLE}"\n'
        '@.u0 = private unnamed_addr constant [4 x i8] c"Out\\00", align 1\n'
        '@.u1 = private unnamed_addr constant [3 x i8] c"In\\00", align 1\n\n'
        f"define void @main() #0 {{\n{body}\n}}\n\n"
        f'attributes #0 = {{ convergent "hlsl.numthreads"="{lanes},1,1" "hlsl.shader"="compute" }}\n'
    )


@dataclass(frozen=True, slots=True)
class ShaderProgram:
    """The program of a seed: its tree, and for workgroups of so many ``lanes`` its text and what it reads."""

    seed: int
    lanes: int = 8

    @property
    def tree(self) -> tuple[Statement, ...]:
        return shader_tree(Random(f"shader {self.seed}"))

    @property
    def kinds(self) -> Callable[[int], str]:
        """Which operation each site is."""
        return lambda site: Random(f"{self.seed} site {site}").choice(OPERATIONS)

    @property
    def text(self) -> str:
        """The LLVM IR."""
        return shader_text(self.tree, self.kinds, self.lanes)

    @property
    def inputs(self) -> tuple[int, ...]:
        """What each invocation reads as ``x``."""
        random = Random(f"inputs {self.seed}")
        return tuple(random.randint(0, 9) for _ in range(self.lanes))


class _Shader(IRWriter):
    """Writes a tree as a shader."""

    def __init__(self, kinds: Callable[[int], str]) -> None:
        super().__init__(memory=False)
        self.kinds = kinds

    def shader(self, statements: tuple[Statement, ...]) -> list[str]:
        """The body of ``@main``."""
        build = self.build
        token = build.value("call token @llvm.experimental.convergence.entry()", "entry.token")
        self.out = self._buffer(0)
        inputs = self._buffer(1)
        self.id = build.value("call i32 @llvm.spv.thread.id.i32(i32 0)", "id")
        build.write("acc", "0")
        build.write("slot", "0")
        build.write("x", build.value(f"load i32, ptr addrspace(11) {self._place(inputs, self.id)}", "x"))
        lane = build.value("call i32 @llvm.spv.subgroup.local.invocation.id()", "lane")
        build.write("lane", lane)
        self.block(statements, Targets(token))
        if build.at is not None:
            self.ret()
        return build.body()

    def _buffer(self, binding: int) -> Value:
        call = f"call {_HANDLE} @llvm.spv.resource.handlefrombinding.{_SUFFIX}"
        return self.build.value(
            f"{call}(i32 0, i32 {binding}, i32 1, i32 0, ptr @.u{binding})", f"u{binding}"
        )

    def _place(self, buffer: Value, index: Value) -> Value:
        call = f"call ptr addrspace(11) @llvm.spv.resource.getpointer.p11.{_SUFFIX}"
        return self.build.value(f"{call}({_HANDLE} {buffer}, i32 {index})", "place")

    def _put(self, value: Value, slot: Value) -> None:
        base = self.build.value(f"mul i32 {self.id}, {SLOTS}")
        place = self._place(self.out, self.build.value(f"add i32 {base}, {slot}"))
        self.build.line(f"store i32 {value}, ptr addrspace(11) {place}, align 4")

    def store(self, value: Value) -> None:
        """The next slot of the own row; the last but one takes all that have no room."""
        build = self.build
        slot = build.read("slot")
        self._put(value, build.value(f"call i32 @llvm.umin.i32(i32 {slot}, i32 {SLOTS - 2})"))
        build.write("slot", build.value(f"add i32 {slot}, 1"))

    def ret(self) -> None:
        """Early or late: ``acc`` is stored, and the invocation ends."""
        self._put(self.build.read("acc"), str(SLOTS - 1))
        self.build.ret(None)

    def operation(self, site: Ballot, bundle: str) -> Value:
        """One of the operations, and its result as a number."""
        build, number = self.build, site.site
        kind = self.kinds(number)
        match kind:
            case "ballot":
                voted = self.condition(site.condition)
                mask = build.value(
                    f"call <4 x i32> @llvm.spv.wave.ballot(i1 {voted}){bundle}", f"ballot{number}"
                )
                return build.value(f"extractelement <4 x i32> {mask}, i32 0")
            case "countbits":
                voted = self.condition(site.condition)
                return build.value(
                    f"call i32 @llvm.spv.wave.active.countbits(i1 {voted}){bundle}", f"count{number}"
                )
            case "any" | "all":
                voted = self.condition(site.condition)
                vote = build.value(f"call i1 @llvm.spv.wave.{kind}(i1 {voted}){bundle}", f"{kind}{number}")
                return build.value(f"zext i1 {vote} to i32")
            case "first":
                vote = build.value(f"call i1 @llvm.spv.wave.is.first.lane(){bundle}", f"first{number}")
                return build.value(f"zext i1 {vote} to i32")
            case _:
                value = build.value(f"add i32 {build.read(site.condition.variable)}, {number}")
                call = f"call i32 @llvm.spv.wave.reduce.{kind}.i32(i32 {value}){bundle}"
                return build.value(call, f"{kind}{number}")
