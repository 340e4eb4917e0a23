"""NVPTX's intrinsics that are plain accesses of memory: scoped atomics, and loads of what nobody writes;
copies that go on beside their thread; the rows of matrices that lanes read and write; and barriers in memory
(:mod:`.mbarriers`).

LLVM's *IntrinsicsNVVM.td* (``llvm.nvvm.atomic.*.gen.*``, ``llvm.nvvm.ldu.global.*``,
``llvm.nvvm.ldg.global.*``); PTX ISA, *atom*, *ldu*, *ld.global.nc*, *cp.async*, *ldmatrix*. Atomics are
relaxed; ``cta`` is the workgroup's scope, ``sys`` that of all. That nobody writes to what ``ldg`` reads is
not checked: it is a load.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ....ir import instructions as ir
from ....ir.fragments import ELEMENT_BITS, WARP, WMMA_ACCESS, fragment
from ....ir.operands import Int, Local
from ....ir.ptx import MATRIX_ACCESS, MATRIX_ROW
from ....ir.types import VOID, IntType, PointerType
from ...errors import NotModelled
from ...memory.accesses import Access, AccessShape, PrepareAccess, address, touched
from ...memory.allocations import Memory
from ...memory.bytes import ZERO, Touch, moved_cells, typed
from ...values.bits import from_registers, in_registers, register_parts, registers_holding, result_registers
from ...values.constants import undef
from ...values.context import Context
from ...values.value import Pointer, RuntimeValue, Value, scalar
from ..intrinsics_memory import BuildAccess
from ..memory import loaded, prepare_atomicrmw, prepare_cmpxchg, prepare_load, prepare_store, stored
from .mbarriers import mbarrier_access
from .outputs import first, with_result

_ATOMIC = re.compile(
    r"llvm\.nvvm\.atomic\.(add|exch|max|min|inc|dec|and|or|xor|cas)\.gen\.([if])\.(cta|sys)(?:\.\w+)*"
)
_LOAD = re.compile(r"llvm\.nvvm\.ld[ug]\.global\.[ifp](?:\.\w+)*")
_OPCODES: Mapping[str, str] = {"exch": "xchg", "inc": "uinc_wrap", "dec": "udec_wrap"}
_SCOPES: Mapping[str, str | None] = {"cta": "block", "sys": None}


def _atomic(operation: str, kind: str, scope: str) -> BuildAccess:
    opcode = "fadd" if (operation, kind) == ("add", "f") else _OPCODES.get(operation, operation)

    def build(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
        pointer, *_ = (argument.value for argument in call.arguments)
        value = Local(call.type.result, "value")
        if operation != "cas":
            instruction = ir.AtomicRMW(opcode, pointer, value, "monotonic", scope=_SCOPES[scope])
            return prepare_atomicrmw(instruction, context)
        exchange = ir.CmpXchg(pointer, value, value, "monotonic", "monotonic", scope=_SCOPES[scope])
        return with_result("atom.cas", prepare_cmpxchg(exchange, context), call.type.result, first)

    return build


def _load(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
    """The last operand is the alignment."""
    pointer, align = (argument.value for argument in call.arguments)
    known = align.value if isinstance(align, Int) and align.value > 0 else None
    load = prepare_load(ir.Load(call.type.result, pointer, known), context)
    return lambda at, _: load(at)


_ROWS = 8


def _row(loads: bool, matrices: int) -> BuildAccess:
    """The access of a lane that gives the address of a row of one of so many matrices; the others make
    none."""

    def build(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
        pointer = call.arguments[0].value
        if loads:
            prepared = prepare_load(ir.Load(MATRIX_ROW, pointer, 16), context)
        else:
            prepared = prepare_store(ir.Store(Local(MATRIX_ROW, "row"), pointer, 16), context)
        nothing = undef(MATRIX_ROW, context.layout, context.domain)

        def takes_part(memory: Memory, thread: int) -> bool:
            if memory.rank is None:
                raise NotModelled(f"@{name}, here")
            return memory.rank(thread)[0] % WARP < _ROWS * matrices

        shapes: dict[AccessShape, AccessShape] = {}

        def by_lane(shape: AccessShape) -> AccessShape:
            def perform(access: Access, memory: Memory, thread: int) -> RuntimeValue | None:
                if takes_part(memory, thread):
                    return shape.perform(access, memory, thread)
                return nothing if loads else None

            def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
                return shape.footprint(access, memory, thread) if takes_part(memory, thread) else ()

            return replace(shape, perform=perform, footprint=footprint)

        def access(*operands: RuntimeValue) -> Access:
            access = prepared(*operands) if loads else prepared(*reversed(operands))
            if access.shape not in shapes:
                shapes[access.shape] = by_lane(access.shape)
            return access._replace(shape=shapes[access.shape])

        return access

    return build


def _fragment(shape: str, loads: bool, matrix: str, by_row: bool, kind: str) -> BuildAccess | None:
    """``wmma.load``, ``wmma.store``: a lane's elements of a matrix (:mod:`.....ir.fragments`). The last
    operand says how many elements lie from one row, or column, to the next; without one they lie one behind
    the other."""
    held = fragment(shape, matrix, kind)
    if held is None:
        return None
    bits = ELEMENT_BITS[kind]

    def build(name: str, call: ir.CallSite, context: Context) -> PrepareAccess:
        d = context.domain
        types = [a.value.type for a in call.arguments]
        pointer_type, w = types[0], d.width(context.layout.bits(types[0]))
        if loads:
            strided, registers = len(types) > 1, result_registers(call.type.result)
        else:
            count, _ = registers_holding(types[1:], held.holds * bits, context.layout)
            registers, strided = types[1 : count + 1], len(types) > count + 1
        parts = [part for register in registers for part in register_parts(register, bits)]
        if len(parts) != held.holds or pointer_type != PointerType(getattr(pointer_type, "address_space", 0)):
            raise NotModelled(f"@{name} of {call.type}")
        form = typed(parts[0], context.layout, d)
        least = held.columns if by_row else held.rows

        def pointers(access: Access, memory: Memory, thread: int) -> list[Value]:
            if memory.rank is None:
                raise NotModelled(f"@{name}, here")
            lane, base, stride = memory.rank(thread)[0] % WARP, address(access), least
            if strided:
                apart = scalar(access.operands[0])
                d.require(d.negate(apart.poison), f"{name} with a poison stride", "wmma.load")
                stride = int(d.concrete(apart.bits, "a symbolic stride of a matrix"))
            places: list[Value] = []
            for number in range(held.holds):
                row, column = held.place(lane, number)
                at = row * stride + column if by_row else column * stride + row
                bits_there = w.add(base.bits, w.constant(at * form.size))
                places.append(Pointer(bits_there, base.provenance, base.poison))
            return places

        load, store = loaded(form, parts[0], 1, context.layout, d), stored(form, 1)

        def read(access: Access, memory: Memory, thread: int) -> RuntimeValue:
            values = [scalar(load(memory, p, thread)) for p in pointers(access, memory, thread)]
            return in_registers(values, call.type.result, bits, d)

        def write(access: Access, memory: Memory, thread: int) -> None:
            values = from_registers(access.operands[strided:], registers, bits, context)
            for pointer, value in zip(pointers(access, memory, thread), values, strict=True):
                store(memory, pointer, value, thread)

        def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
            places = pointers(access, memory, thread)
            return tuple(touched(memory, p, form.size, thread, not loads) for p in places)

        behind = types[-1:] * strided
        shape = AccessShape(
            name, loads, not loads, read if loads else write, type=call.type.result if loads else parts[0],
            footprint=footprint, operands=(*behind, *([] if loads else registers)), result=call.type.result,
        )  # fmt: skip
        if loads:
            return lambda pointer, *stride: Access(shape, pointer, stride)
        return lambda pointer, *rest: Access(
            shape, pointer, (*rest[len(registers) :], *rest[: len(registers)])
        )

    return build


_COPY = re.compile(r"llvm\.nvvm\.cp\.async\.c[ag]\.shared\.global\.(4|8|16)(?:\.s)?")


def async_copy(size: int, context: Context) -> PrepareAccess:
    """``(target, source[, bytes])``: so many bytes are copied beside the thread, until it waits; of those
    that are copied, the ones beyond ``bytes`` become zero (PTX ISA, *cp.async*)."""
    d = context.domain

    def taken(access: Access) -> int:
        if len(access.operands) == 1:
            return size
        count = scalar(access.operands[1])
        d.require(d.negate(count.poison), "cp.async of a poison number of bytes", "cp.async")
        number = int(d.concrete(count.bits, "a symbolic number of bytes"))
        d.require(d.bit(number <= size), f"cp.async of {number} bytes of {size}", "cp.async")
        return number

    def perform(access: Access, memory: Memory, thread: int) -> None:
        count, target = taken(access), address(access)
        object_, at = memory.locate(target, size, size, thread, "cp.async", True)
        cells = [ZERO] * size
        if count:
            origin, start = memory.locate(scalar(access.operands[0]), count, 1, thread, "cp.async", False)
            cells[:count] = moved_cells(origin.contents()[start : start + count], at - start)
        object_.contents()[at : at + size] = cells

    def footprint(access: Access, memory: Memory, thread: int) -> tuple[Touch, ...]:
        count = taken(access)
        source = (touched(memory, scalar(access.operands[0]), count, thread, False),) if count else ()
        return (*source, touched(memory, address(access), size, thread, True))

    shape = AccessShape(
        "cp.async", True, True, perform, align=size, footprint=footprint, result=VOID, apart=True,
        operands=(PointerType(1), IntType(32)),
    )  # fmt: skip
    plain = replace(shape, operands=(PointerType(1),))
    return lambda target, source, *count: Access(shape if count else plain, target, (source, *count))


def nvvm_access(name: str) -> BuildAccess | None:
    """The model of an intrinsic that is an access of memory; ``None`` if it is none."""
    if (atomic := _ATOMIC.fullmatch(name)) is not None:
        return _atomic(atomic[1], atomic[2], atomic[3])
    if (matrix := MATRIX_ACCESS.fullmatch(name)) is not None:
        return _row(matrix[1] == "ld", int(matrix[2]))
    if (part := WMMA_ACCESS.fullmatch(name)) is not None:
        return _fragment(part[1], part[2] == "load", part[3], part[4] == "row", part[6])
    if (copy := _COPY.fullmatch(name)) is not None:
        return lambda name, call, context: async_copy(int(copy[1]), context)
    if _LOAD.fullmatch(name) is not None:
        return _load
    return mbarrier_access(name)
