"""A program without a shader around it, as a litmus test is: as a compute shader that a device takes.

Its variables become storage buffers, in order, and what its threads return one more. Only what is known to
mean the same there is taken over; everything else is named, and nothing runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..frozen import dataclass
from ..ir import (
    PTR,
    VOID,
    Aggregate,
    ArrayType,
    Bytes,
    FunctionType,
    Global,
    Int,
    IntType,
    Local,
    Operand,
    PointerType,
    Simple,
    TargetType,
    Type,
    VectorType,
)
from ..ir import instructions as ir
from ..ir.calls import Control, callee_name, control
from ..ir.instructions import Argument, Call, Instruction
from ..ir.module import Block, Body, Function, GlobalVariable, Module
from ..ir.resources import has_resources, register_name
from ..ir.targets import LAUNCHED, convention_of
from ..semantics import NotModelled
from ..source import Span
from ..transform.rewrite import Names, with_operands
from ..vulkan import VULKAN_TRIPLE

MAIN = "main"
"""What the shader's entry point is called."""
RETURNED = None
"""The variable that a buffer is of what threads return: none."""
I32 = IntType(32)
_SPACE = 11
"""The address space of storage buffers (LLVM's SPIR-V back end)."""
_IN_BUFFER = PointerType(_SPACE)
_HANDLE = TargetType("spirv.VulkanBuffer", (ArrayType(0, I32),), (12, 1))
_SUFFIX = "tspirv.VulkanBuffer_a0i32_12_1t"
_BIND = Global(f"llvm.spv.resource.handlefrombinding.{_SUFFIX}")
_BIND_TYPE = FunctionType(_HANDLE, (I32, I32, I32, I32, PTR))
_PLACE = Global(f"llvm.spv.resource.getpointer.p{_SPACE}.{_SUFFIX}")
_PLACE_TYPE = FunctionType(_IN_BUFFER, (_HANDLE, I32))
_THREAD = Global("llvm.spv.thread.id.i32")
_THREAD_TYPE = FunctionType(I32, (I32,))

OPERATIONS: Mapping[str, str] = {
    "getSubgroupLocalInvocationId": "llvm.spv.subgroup.local.invocation.id",
    "subgroupAll": "llvm.spv.wave.all",
    "subgroupAny": "llvm.spv.wave.any",
}
"""Functions of a program that a shader has under another name; the control intrinsics it has under theirs."""
_CONTROLS = frozenset(control.value for control in Control)
_OPCODES = frozenset(
    ("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "urem", "zext", "sext", "trunc")
)


@dataclass(frozen=True, slots=True)
class BareShader:
    """The shader, as a ``module`` whose entry point is called ``main``; its ``buffers`` as a launch takes
    them, by register, and which variable each is (``None``: what threads return)."""

    module: Module
    buffers: Mapping[str, str]
    variables: Mapping[str, str | None]


def is_bare(module: Module) -> bool:
    """Whether a module is of no target, and its one function no shader or kernel."""
    definitions = list(module.definitions())
    if module.triple or len(definitions) != 1 or convention_of(definitions[0].convention) in LAUNCHED:
        return False
    is_shader = any(word.startswith('"hlsl.shader"') for word in module.resolve(definitions[0].attributes))
    return not is_shader and not has_resources(module)


def as_shader(module: Module, threads: int) -> BareShader:
    """A program as a shader with workgroups of so many ``threads``. Raises NotModelled for what has no place
    there, with its line."""
    return _Writer(module, threads).shader()


class _Writer:
    """The one function of a module, on its way."""

    def __init__(self, module: Module, threads: int) -> None:
        (self.function,) = module.definitions()
        self.module, self.threads = module, threads
        self.names = Names(self.function)
        self.misfits: list[Span] = []
        self.contents = {name: self._contents(variable) for name, variable in module.globals.items()}
        self.thread = Local(I32, self.names.new("thread"))
        returned = self.function.type.result
        if self.function.parameters or returned not in (I32, VOID):
            self.misfits.append(self.function.span)
        self.buffers: list[str | None] = [*self.contents, *([RETURNED] if returned == I32 else [])]
        self.handles = {
            name: Local(_HANDLE, self.names.new(f"{name or 'returned'}.buffer")) for name in self.buffers
        }

    def _no_place(self) -> NotModelled:
        """For the first that a shader on a device has not: its line, and what stands there."""
        source = self.module.source
        line = source.position(min(span.start for span in self.misfits))[0]
        text = source.text.split("\n")[line - 1].partition(";")[0].strip()
        return NotModelled(f"line {line} in a shader that a device takes: {text}")

    # -- Variables

    def _contents(self, variable: GlobalVariable) -> tuple[int, ...]:
        """What a variable of numbers of 32 bits holds at the launch."""
        size = variable.type.count if isinstance(variable.type, ArrayType) else 1
        element = variable.type.element if isinstance(variable.type, ArrayType) else variable.type
        numbers = _numbers(variable.initializer, size)
        if element != I32 or variable.constant or variable.address_space or numbers is None:
            self.misfits.append(variable.span)
        return numbers or ()

    def _place(self, variable: str | None, index: Operand, result: str) -> Call:
        """The address of an element of a buffer."""
        arguments = (Argument(self.handles[variable]), Argument(index))
        return Call(_PLACE, _PLACE_TYPE, arguments, result=result)

    # -- Instructions

    def _instructions(self, instruction: Instruction) -> Iterator[Instruction]:
        """What a shader has in place of an instruction."""
        plain = replace(instruction, attachments=())
        match plain:
            case ir.GetElementPtr(source, Global(name), indices) if name in self.contents:
                index = self._index(source, name, indices)
                if index is None or plain.result is None:
                    self.misfits.append(instruction.span)
                else:
                    yield self._place(name, index, plain.result)
            case ir.Load(type_, pointer) if type_ == I32:
                yield from self._access(plain, pointer)
            case ir.Store(value, pointer) if value.type == I32 and not _addresses(value):
                yield from self._access(plain, pointer)
            case ir.Ret(value):
                if value is not None:
                    place = self._place(RETURNED, self.thread, self.names.new("place"))
                    yield place
                    yield ir.Store(value, Local(_IN_BUFFER, str(place.result)), align=4)
                yield ir.Ret(None)
            case Call() if (name := callee_name(plain) or "") in OPERATIONS or name in _CONTROLS:
                yield replace(plain, callee=Global(OPERATIONS.get(name, name)), explicit_type=False)
            case _ if (operands := _computed_from(plain)) is not None and not any(map(_addresses, operands)):
                yield plain
            case _:
                self.misfits.append(instruction.span)

    def _index(self, source: Type, name: str, indices: tuple[Operand, ...]) -> Operand | None:
        """The element of a variable that an address computation comes to."""
        match source, indices:
            case (ArrayType() as array, (Int(_, 0), index)):
                fits = array == self.module.globals[name].type
            case (IntType(32), (index,)):
                fits = True
            case _:
                return None
        return index if fits and index.type == I32 else None

    def _access(self, access: ir.Load | ir.Store, pointer: Operand) -> Iterator[Instruction]:
        """A load or store, in the buffer."""
        if isinstance(pointer, Global) and pointer.type == PTR and pointer.name in self.contents:
            place = self._place(pointer.name, Int(I32, 0), self.names.new("at"))
            yield place
            yield replace(access, pointer=Local(_IN_BUFFER, str(place.result)))
        elif isinstance(pointer, Local) and pointer.type == PTR:
            place_of = replace(pointer, type=_IN_BUFFER)
            yield with_operands(access, lambda local: place_of if local == pointer else local)
        else:
            self.misfits.append(access.span)

    # -- The whole

    def _head(self) -> Iterator[Instruction]:
        """The buffers' handles, and the thread's number."""
        for n, name in enumerate(self.buffers):
            numbers = [Argument(Int(I32, number)) for number in (0, n, 1, 0)]
            words = (*numbers, Argument(Global(f".{n}")))
            yield Call(_BIND, _BIND_TYPE, words, result=self.handles[name].name)
        yield Call(_THREAD, _THREAD_TYPE, (Argument(Int(I32, 0)),), result=self.thread.name)

    def shader(self) -> BareShader:
        """The module, and what it is launched with."""
        blocks: list[Block] = []
        for block in self.function.blocks:
            body = [new for old in block.instructions for new in self._instructions(old)]
            if not blocks:  # entry stands first in its block
                at = 1 if body and control(body[0]) is Control.ENTRY else 0
                body[at:at] = self._head()
            blocks.append(Block(block.name, tuple(body)))
        if self.misfits:
            raise self._no_place()
        words = ("convergent", f'"hlsl.numthreads"="{self.threads},1,1"', '"hlsl.shader"="compute"')
        functions = {MAIN: Function(MAIN, FunctionType(VOID, ()), (), Body(tuple(blocks)), attributes=words)}
        names = {
            f".{n}": GlobalVariable(
                f".{n}", ArrayType(2, IntType(8)), True, Bytes(ArrayType(2, IntType(8)), b"%d\0" % n),
                words=("private",),
            )
            for n in range(len(self.buffers))
        }  # fmt: skip
        module = Module(triple=VULKAN_TRIPLE, globals=names, functions=functions, groups=self.module.groups)
        keys = {register_name("u", 0, n): name for n, name in enumerate(self.buffers)}
        return BareShader(module, {key: self._buffer(name) for key, name in keys.items()}, keys)

    def _buffer(self, name: str | None) -> str:
        """A buffer as ``--buffer`` has it."""
        if name is None:
            return f"i32[{self.threads}]"
        numbers = self.contents[name]
        start = f":{','.join(map(str, numbers))}" if any(numbers) else ""
        return f"i32[{len(numbers)}]{start}"


def _computed_from(instruction: Instruction) -> tuple[Operand, ...] | None:
    """The operands of an instruction that means the same in a shader, where they are integers; ``None`` of
    others."""
    match instruction:
        case ir.Binary(opcode, left, right) if opcode in _OPCODES:
            return left, right
        case ir.Conversion(opcode, value, _) if opcode in _OPCODES:
            return (value,)
        case ir.ICmp(_, left, right):
            return left, right
        case ir.Select(condition, then, otherwise):
            return condition, then, otherwise
        case ir.Phi(_, incoming):
            return tuple(value for value, _ in incoming)
        case ir.CondBr(condition):
            return (condition,)
        case ir.Br() | ir.Unreachable():
            return ()
        case _:
            return None


def _addresses(operand: Operand) -> bool:
    """Whether an operand is, or may be made of, an address, or is no integer."""
    if isinstance(operand, Local | Int | Simple):
        type_ = operand.type.element if isinstance(operand.type, VectorType) else operand.type
        return not isinstance(type_, IntType)
    return True


def _numbers(initializer: Operand | None, size: int) -> tuple[int, ...] | None:
    """The integers of an initializer; ``None`` where it is something else."""
    match initializer:
        case Int(_, value):
            return (value,)
        case Simple(_, "zeroinitializer"):
            return (0,) * size
        case Aggregate(_, elements) if all(isinstance(e, Int) for e in elements):
            return tuple(e.value for e in elements if isinstance(e, Int))
        case _:
            return None
