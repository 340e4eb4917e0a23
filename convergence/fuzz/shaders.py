"""Random reconvergence programs as compute shaders for Vulkan, which LLVM's SPIR-V backend takes.

The trees are those of :mod:`.reconvergence`, with more operations where faults sit: in blocks that leave a
loop or begin its next round, next to early returns. A program has tokens as clang writes them, reads each
invocation's ``x`` from ``u1``, and stores what its operations return in its own row of ``u0``.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
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
    LaneCondition,
    LoopStatement,
    Return,
    Statement,
    StoreStatement,
    SwitchStatement,
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


# ----------------------------------------------------------------------------------------------------------
# The programs of :mod:`.shaders` as SPIR-V, written directly: between a tree and a driver is no compiler.
#
# Constructs are the structured ones of the SPIR-V specification (2.11): each selection and loop has its
# merge block, each loop its continue target, and variables live in Function storage, so that nothing needs
# a phi.
# ----------------------------------------------------------------------------------------------------------


MAGIC, VERSION, GENERATOR = 0x07230203, 0x00010400, 0
_CAPABILITIES = (1, 61, 62, 63, 64)
"""Shader, and the subgroup operations: basic, vote, arithmetic, ballot."""
_SUBGROUP, _REDUCE = 3, 0
_FUNCTION, _INPUT, _STORAGE_BUFFER = 7, 1, 12
_VOLATILE = 1


@dataclass(frozen=True, slots=True)
class _Targets:
    """Where ``break`` and ``continue`` go."""

    breaks: int = 0
    continues: int = 0


@dataclass(frozen=True, slots=True)
class Sited:
    """A tree, and which operation each of its sites is."""

    tree: tuple[Statement, ...]
    kinds: Callable[[int], str]


CELLS = 64
"""Variables of one invocation that have room, where they lie in memory."""


def shader_words(
    statements: tuple[Statement, ...], kinds: Callable[[int], str], lanes: int, in_memory: bool = False
) -> bytes:
    """The module of a program; ``kinds`` says which operation each site is. ``in_memory``: its variables lie
    in a third buffer, :data:`CELLS` for each invocation, and each access is volatile; what the program means
    is the same. Raises OverflowError for a program with more variables than that."""
    return _Writer(in_memory).module([Sited(statements, kinds)], lanes)


def packed_words(programs: Sequence[Sited], lanes: int) -> bytes:
    """A module of several programs: the workgroup of a number runs the program of that number, on its own
    rows of both buffers. A driver compiles them at once."""
    return _Writer().module(programs, lanes)


class _Writer:
    """Writes trees. ``open``: the block being written has no terminator yet."""

    def __init__(self, in_memory: bool = False) -> None:
        self.in_memory = in_memory
        self.kinds: Callable[[int], str] = lambda site: ""
        self.next = 1
        self.types: list[int] = []
        self.body: list[int] = []
        self.constants: dict[tuple[int, ...], int] = {}
        self.variables: dict[str, int] = {}
        self.top: list[int] = []
        self.open = True

    # -- words

    def id(self) -> int:
        self.next += 1
        return self.next - 1

    def declared(self, opcode: int, *operands: int, typed: bool = False) -> int:
        """A type, or a constant (``typed``: its type comes before the result), once."""
        key = (opcode, *operands)
        if key not in self.constants:
            number = self.constants[key] = self.id()
            words = (operands[0], number, *operands[1:]) if typed else (number, *operands)
            self.types += _words(opcode, *words)
        return self.constants[key]

    def constant(self, number: int) -> int:
        return self.declared(43, self.u32, number & 0xFFFFFFFF, typed=True)

    def line(self, opcode: int, *operands: int) -> None:
        self.body += _words(opcode, *operands)

    def value(self, opcode: int, type_: int, *operands: int) -> int:
        number = self.id()
        self.line(opcode, type_, number, *operands)
        return number

    def label(self, block: int) -> None:
        self.line(248, block)
        self.open = True

    def end(self, opcode: int, *operands: int) -> None:
        self.line(opcode, *operands)
        self.open = False

    # -- the module

    def module(self, programs: Sequence[Sited], lanes: int) -> bytes:
        """Each program is a function, which its workgroup calls, the first the first."""
        main, self.extended = self.id(), self.id()
        self.void = self.declared(19)
        self.u32 = self.declared(21, 32, 0)
        self.boolean = self.declared(20)
        self.v3 = self.declared(23, self.u32, 3)
        self.v4 = self.declared(23, self.u32, 4)
        array = self.declared(29, self.u32)
        block = self.declared(30, array)
        pointer = self.declared(32, _STORAGE_BUFFER, block)
        self.element = self.declared(32, _STORAGE_BUFFER, self.u32)
        self.slot_pointer = self.declared(32, _FUNCTION, self.u32)
        vector_pointer, lane_pointer = self.declared(32, _INPUT, self.v3), self.declared(32, _INPUT, self.u32)
        self.zero = self.constant(0)
        self.buffers = [self.id() for _ in range(3 if self.in_memory else 2)]
        self.identity, self.lane, workgroup = self.id(), self.id(), self.id()
        for buffer in self.buffers:
            self.types += _words(59, pointer, buffer, _STORAGE_BUFFER)
        self.types += _words(59, vector_pointer, self.identity, _INPUT)
        self.types += _words(59, lane_pointer, self.lane, _INPUT)
        inputs = [self.identity, self.lane]
        if len(programs) > 1:
            inputs.append(workgroup)
            self.types += _words(59, vector_pointer, workgroup, _INPUT)
        signature = self.declared(33, self.void)
        functions = []
        code: list[int] = []
        if len(programs) == 1:
            code += self.function(main, signature, programs[0])
        else:
            functions = [self.id() for _ in programs]
            code += self.dispatcher(main, signature, workgroup, functions)
            for function, program in zip(functions, programs, strict=True):
                code += self.function(function, signature, program)
        head = [word for c in _CAPABILITIES for word in _words(17, c)]
        head += _words(11, self.extended, *_text("GLSL.std.450"))
        head += _words(14, 0, 1)
        head += _words(15, 5, main, *_text("main"), *inputs, *self.buffers)
        head += _words(16, main, 17, lanes, 1, 1)
        for number, buffer in enumerate(self.buffers):
            head += _words(71, buffer, 34, 0) + _words(71, buffer, 33, number)
        head += _words(71, array, 6, 4) + _words(72, block, 0, 35, 0) + _words(71, block, 2)
        head += _words(71, self.identity, 11, 28) + _words(71, self.lane, 11, 41)
        if len(programs) > 1:
            head += _words(71, workgroup, 11, 26)
        words = [*head, *self.types, *code]
        everything = [MAGIC, VERSION, GENERATOR, self.next, 0, *words]
        return struct.pack(f"<{len(everything)}I", *everything)

    def function(self, name: int, signature: int, program: Sited) -> list[int]:
        """A program's code."""
        self.kinds = program.kinds
        self.body, self.top, self.variables, self.open = [], [], {}, True
        first = self.id()
        whole = self.value(61, self.v3, self.identity)
        self.number = self.value(81, self.u32, whole, 0)
        for variable in ("acc", "slot"):
            self.write(variable, self.zero)
        place = self.value(65, self.element, self.buffers[1], self.zero, self.number)
        self.write("x", self.value(61, self.u32, place))
        self.write("lane", self.value(61, self.u32, self.lane))
        self.block(program.tree, _Targets())
        if self.open:
            self.ret()
        self.line(56)
        return [*_words(54, self.void, name, 0, signature), *_words(248, first), *self.top, *self.body]

    def dispatcher(self, name: int, signature: int, workgroup: int, functions: Sequence[int]) -> list[int]:
        """Each workgroup calls the function of its number, so each is entered in uniform control flow."""
        self.body = []
        first, merge = self.id(), self.id()
        whole = self.value(61, self.v3, workgroup)
        number = self.value(81, self.u32, whole, 0)
        cases = [self.id() for _ in functions]
        self.line(247, merge, 0)
        self.end(251, number, merge, *(word for pair in enumerate(cases) for word in pair))
        for case, function in zip(cases, functions, strict=True):
            self.label(case)
            self.value(57, self.void, function)
            self.end(249, merge)
        self.label(merge)
        self.end(253)
        self.line(56)
        return [*_words(54, self.void, name, 0, signature), *_words(248, first), *self.body]

    # -- variables

    def variable(self, name: str) -> int:
        """A pointer to a variable."""
        if self.in_memory:
            return self.cell(name)
        if name not in self.variables:
            number = self.variables[name] = self.id()
            self.top += _words(59, self.slot_pointer, number, _FUNCTION)
        return self.variables[name]

    def cell(self, name: str) -> int:
        """A pointer to a variable in memory, in the invocation's own row."""
        number = self.variables.setdefault(name, len(self.variables))
        if number >= CELLS:
            raise OverflowError(f"more than {CELLS} variables")
        row = self.binary(132, self.number, self.constant(CELLS))
        place = self.binary(128, row, self.constant(number))
        return self.value(65, self.element, self.buffers[2], self.zero, place)

    def write(self, name: str, value: int) -> None:
        self.line(62, self.variable(name), value, *self.access)

    def read(self, name: str) -> int:
        return self.value(61, self.u32, self.variable(name), *self.access)

    @property
    def access(self) -> tuple[int, ...]:
        """How a variable is accessed."""
        return (_VOLATILE,) if self.in_memory else ()

    def binary(self, opcode: int, left: int, right: int) -> int:
        return self.value(opcode, self.u32, left, right)

    # -- statements

    def block(self, statements: tuple[Statement, ...], targets: _Targets) -> None:
        for statement in statements:
            if not self.open:
                return
            self.statement(statement, targets)

    def statement(self, statement: Statement, targets: _Targets) -> None:
        match statement:
            case Ballot(stored=stored):
                result = self.operation(statement)
                scaled = self.binary(132, self.read("acc"), self.constant(3))
                self.write("acc", self.binary(128, scaled, result))
                if stored:
                    self.store(result)
            case StoreStatement(number):
                self.store(self.constant(number))
            case If():
                self.conditional(statement, targets)
            case SwitchStatement():
                self.switch(statement, targets)
            case LoopStatement():
                self.loop(statement)
            case Break():
                self.end(249, targets.breaks)
            case Continue():
                self.end(249, targets.continues)
            case Return():
                self.ret()

    def condition(self, condition: LaneCondition) -> int:
        masked = self.binary(199, self.read(condition.variable), self.constant(condition.mask))
        return self.value(176, self.boolean, masked, self.constant(condition.bound))

    def put(self, value: int, slot: int) -> None:
        row = self.binary(132, self.number, self.constant(SLOTS))
        place = self.value(65, self.element, self.buffers[0], self.zero, self.binary(128, row, slot))
        self.line(62, place, value)

    def store(self, value: int) -> None:
        slot = self.read("slot")
        self.put(value, self.value(12, self.u32, self.extended, 38, slot, self.constant(SLOTS - 2)))
        self.write("slot", self.binary(128, slot, self.constant(1)))

    def ret(self) -> None:
        self.put(self.read("acc"), self.constant(SLOTS - 1))
        self.end(253)

    def operation(self, site: Ballot) -> int:
        """The site's operation, and its result as a number."""
        scope = self.constant(_SUBGROUP)
        kind = self.kinds(site.site)
        match kind:
            case "ballot":
                mask = self.value(339, self.v4, scope, self.condition(site.condition))
                return self.value(81, self.u32, mask, 0)
            case "countbits":
                mask = self.value(339, self.v4, scope, self.condition(site.condition))
                return self.value(342, self.u32, scope, _REDUCE, mask)
            case "any" | "all":
                opcode = 335 if kind == "any" else 334
                return self.as_number(self.value(opcode, self.boolean, scope, self.condition(site.condition)))
            case "first":
                return self.as_number(self.value(333, self.boolean, scope))
            case _:
                variable = self.read(site.condition.variable)
                value = self.binary(128, variable, self.constant(site.site))
                return self.value(_REDUCTIONS[kind], self.u32, scope, _REDUCE, value)

    def as_number(self, truth: int) -> int:
        return self.value(169, self.u32, truth, self.constant(1), self.zero)

    def conditional(self, statement: If, targets: _Targets) -> None:
        then, merge = self.id(), self.id()
        other = self.id() if statement.otherwise else merge
        met = self.condition(statement.condition)
        self.line(247, merge, 0)
        self.end(250, met, then, other)
        reached = other == merge
        for block, body in ((then, statement.then), (other, statement.otherwise)):
            if block != merge:
                self.label(block)
                self.block(body, targets)
                reached = self.goto(merge) or reached
        self.join(merge, reached)

    def switch(self, statement: SwitchStatement, targets: _Targets) -> None:
        merge = self.id()
        cases = [self.id() for _ in statement.cases]
        default = self.id() if statement.default else merge
        value = self.binary(199, self.read(statement.variable), self.constant(3))
        self.line(247, merge, 0)
        numbers = [(n, block) for (n, _, _), block in zip(statement.cases, cases, strict=True)]
        self.end(251, value, default, *(word for pair in numbers for word in pair))
        reached = default == merge
        inner = _Targets(merge, targets.continues)
        following = [*cases[1:], default]
        for (_, body, breaks), block, onward in zip(statement.cases, cases, following, strict=True):
            self.label(block)
            self.block(body, inner)
            leaves = breaks or onward == merge
            reached = (self.goto(merge if leaves else onward) and leaves) or reached
        if default != merge:
            self.label(default)
            self.block(statement.default, inner)
            reached = self.goto(merge) or reached
        self.join(merge, reached)

    def loop(self, statement: LoopStatement) -> None:
        head, body, step, merge = self.id(), self.id(), self.id(), self.id()
        self.write(statement.counter, self.zero)
        self.end(249, head)
        self.label(head)
        if statement.kind == "do":
            self.line(246, merge, step, 0)
            self.end(249, body)
        else:
            more = self.more(statement)
            self.line(246, merge, step, 0)
            self.end(250, more, body, merge)
        self.label(body)
        self.block(statement.body, _Targets(merge, step))
        self.goto(step)
        self.label(step)
        self.write(statement.counter, self.binary(128, self.read(statement.counter), self.constant(1)))
        if statement.kind == "do":
            self.end(250, self.more(statement), head, merge)
        else:
            self.end(249, head)
        self.label(merge)

    def more(self, statement: LoopStatement) -> int:
        counter = self.read(statement.counter)
        below = self.value(176, self.boolean, counter, self.constant(statement.limit))
        if statement.guard is None:
            return below
        return self.value(167, self.boolean, below, self.condition(statement.guard))

    def goto(self, target: int) -> bool:
        """Go on there, unless the block has ended; whether it had not."""
        if not self.open:
            return False
        self.end(249, target)
        return True

    def join(self, merge: int, reached: bool) -> None:
        """The merge block of a selection; nothing is written behind one that nobody reaches."""
        self.label(merge)
        if not reached:
            self.end(255)


_REDUCTIONS: Mapping[str, int] = {"sum": 349, "umax": 357, "min": 353}


def _words(opcode: int, *operands: int) -> list[int]:
    return [(len(operands) + 1) << 16 | opcode, *operands]


def _text(text: str) -> tuple[int, ...]:
    data = text.encode() + b"\0"
    data += bytes(-len(data) % 4)
    return struct.unpack(f"<{len(data) // 4}I", data)
