"""Variables, loads and stores, access chains, atomics.

SPIR-V, *Memory Instructions*, *Atomic Instructions*, *Memory Semantics*, *Scope*. What lies where is said by
:mod:`~convergence.spirv.constants`; an access chain is so many bytes.
"""

from __future__ import annotations

from collections.abc import Mapping

from .arithmetic import extract, insert, resized
from .constants import (
    SPACES,
    Array,
    Bool,
    Matrix,
    MatrixLayout,
    NoLayout,
    SPIRVInt,
    SPIRVPointer,
    Struct,
    Type,
    Vector,
    align,
    column_step,
    count_of,
    is_natural,
    is_natural_matrix,
    is_shared,
    memory,
    offsets,
    size,
    stride,
)
from .instruction import SPIRVInstruction
from .writing import Emit, FunctionWriter

MOST = 4096
"""Scalars of a composite that are loaded or stored one by one."""


def _offset(code: FunctionWriter, pointer: str, bytes_: int) -> str:
    """A pointer, with its type, so many bytes on."""
    if not bytes_:
        return pointer
    text = code.step(f"getelementptr i8, {pointer}, i64 {bytes_}")
    return f"{_type(pointer)} {text}"


def _type(pointer: str) -> str:
    return pointer.rpartition(" ")[0]


Part = tuple[int, Type, MatrixLayout | None]
"""Where a part of a composite lies, its type, and how it is laid out where that is said."""


def parts_of(type_: Type, layout: MatrixLayout | None = None) -> list[Part]:
    """The parts of a composite."""
    match type_:
        case Vector(inner, count):
            return [(n * _element_step(type_, layout), inner, None) for n in range(count)]
        case Matrix(column, count):
            of_column = _of_column(layout)
            return [(n * column_step(type_, layout), column, of_column) for n in range(count)]
        case Array(inner, length):
            return [(n * stride(type_), inner, layout) for n in range(length or 0)]
        case Struct(_, members):
            starts = offsets(type_)
            return [(starts[n], member, type_.layout(n)) for n, member in enumerate(members)]
        case _:
            return []


def _of_column(layout: MatrixLayout | None) -> MatrixLayout | None:
    """How a column lies: one element behind the other, or one in each row."""
    return layout if layout is not None and layout.rows else None


def _element_step(type_: Vector, layout: MatrixLayout | None) -> int:
    """Bytes from one element of a vector to the next."""
    return size(type_.element) if layout is None else layout.stride


def _whole(type_: Type, layout: MatrixLayout | None) -> bool:
    """Whether LLVM lays a value out as it lies here, and touches no other's bytes. (A value of very many
    parts is taken whole.)"""
    if isinstance(type_, Matrix):
        return is_natural_matrix(type_, layout)
    if isinstance(type_, Array | Vector) and layout is not None:
        return False
    return is_natural(type_) and not (is_shared(type_) and count_of(type_) <= MOST)


def load(
    code: FunctionWriter, type_: Type, pointer: str, words: str, at: int, layout: MatrixLayout | None
) -> str:
    """A value from memory; ``words`` as LLVM's: ``volatile``; ``at`` is the alignment."""
    if isinstance(type_, Bool):
        byte = code.step(f"load {words}i8, {pointer}, align {at}")
        return code.step(f"icmp ne i8 {byte}, 0")
    if _whole(type_, layout):
        return code.step(f"load {words}{code.llvm(type_)}, {pointer}, align {at}")
    composite = "undef"
    for n, (offset, part, inner) in enumerate(_bounded(code, type_, layout)):
        place = _offset(code, pointer, offset)
        value = load(code, part, place, words, _at(at, offset), inner)
        composite = insert(code, composite, type_, f"{code.llvm(part)} {value}", n)
    return composite


def store(
    code: FunctionWriter,
    type_: Type,
    value: str,
    pointer: str,
    words: str,
    at: int,
    layout: MatrixLayout | None,
) -> None:
    """A value to memory."""
    if isinstance(type_, Bool):
        byte = code.step(f"zext i1 {value} to i8")
        code.emit(f"store {words}i8 {byte}, {pointer}, align {at}")
    elif _whole(type_, layout):
        code.emit(f"store {words}{code.llvm(type_)} {value}, {pointer}, align {at}")
    else:
        for n, (offset, part, inner) in enumerate(_bounded(code, type_, layout)):
            text = extract(code, value, type_, n)[0]
            store(code, part, text, _offset(code, pointer, offset), words, _at(at, offset), inner)


def _at(alignment: int, offset: int) -> int:
    """What is known of the alignment so many bytes on."""
    return min(alignment, offset & -offset) if offset else alignment


def _bounded(code: FunctionWriter, type_: Type, layout: MatrixLayout | None) -> list[Part]:
    count = count_of(type_)
    if count > MOST:
        raise code.refused(f"a value of {count} parts")
    return parts_of(type_, layout)


def natural(code: FunctionWriter, type_: Type) -> int:
    """The alignment of accesses of a type: of its scalars, as SPIR-V asks no more of it."""
    while True:
        match type_:
            case Vector(inner) | Array(inner):
                type_ = inner
            case Matrix(column):
                type_ = column
            case Struct(_, members):
                return min((natural(code, m) for m in members), default=1)
            case _:
                try:
                    return align(type_)
                except NoLayout as error:
                    raise code.refused(f"{error} in memory") from None


def _access(code: FunctionWriter, i: SPIRVInstruction, at: int, type_: Type) -> tuple[str, int]:
    """The words and the alignment that memory operands give."""
    operands = i.operands[at : at + 2]
    mask = str(operands[0]).split("|") if operands else []
    words = "volatile " if "Volatile" in mask else ""
    if "Aligned" in mask and len(operands) > 1 and isinstance(operands[1], int):
        return words, operands[1]
    return words, natural(code, type_)


def _load(code: FunctionWriter, i: SPIRVInstruction) -> None:
    pointer = i.id(0)
    if pointer in code.images and i.result is not None:
        code.images[i.result] = code.images[pointer]
        return
    type_ = code.result_type()
    words, at = _access(code, i, 1, type_)
    if not isinstance(type_, Bool) and _whole(type_, code.layouts.get(pointer)):
        code.define(f"load {words}{code.llvm(type_)}, {code.typed(pointer)}, align {at}")
    else:
        code.alias(load(code, type_, code.typed(pointer), words, at, code.layouts.get(pointer)))


def _store(code: FunctionWriter, i: SPIRVInstruction) -> None:
    type_ = code.type(i.id(1))
    words, at = _access(code, i, 2, type_)
    store(code, type_, code.value(i.id(1)), code.typed(i.id(0)), words, at, code.layouts.get(i.id(0)))


def _variable(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """OpVariable of storage class Function. Its alloca stands in the entry block, as the instruction does."""
    assert i.result is not None
    type_ = code.pointee(i.result)
    try:
        words = f"alloca {memory(type_)}, align {max(align(type_), 4)}"
    except NoLayout as error:
        raise code.refused(f"a variable of {error}") from None
    code.define(words)
    if len(i.operands) > 1:
        value, pointer = code.value(i.id(1)), f"ptr {code.local(i.result)}"
        store(code, type_, value, pointer, "", natural(code, type_), None)


# -- Access chains


def chain(code: FunctionWriter, i: SPIRVInstruction, base: str, indices: list[str], first: bool) -> None:
    """The address of a part; ``first``: the first index counts whole objects."""
    assert i.result is not None
    type_ = code.pointee(base)
    pointer, at = code.typed(base), 0
    layout = code.layouts.get(base)
    if first:
        own = code.type(base)
        assert isinstance(own, SPIRVPointer)
        step_ = own.stride or size(type_)
        pointer, at = _moved(code, pointer, at, indices[0], step_)
        indices = indices[1:]
    elif (array := code.descriptors.get(base)) is not None:
        pointer = f"{code.llvm(code.result_type())} {array(indices[0])}"
        assert isinstance(type_, Array)
        type_ = type_.element
        if (bytes_ := code.lengths_of.get(base)) is not None and len(indices) == 1:
            code.lengths[i.result] = bytes_(indices[0])
        indices = indices[1:]
    for index in indices:
        match type_:
            case Struct(_, members):
                n = code.constant(index, "a member")
                if n >= len(members):
                    raise code.refused(f"member {n} of a structure of {len(members)}")
                at += offsets(type_)[n]
                layout = type_.layout(n)
                type_ = members[n]
            case Vector(inner):
                pointer, at = _moved(code, pointer, at, index, _element_step(type_, layout))
                type_, layout = inner, None
            case Matrix(column):
                pointer, at = _moved(code, pointer, at, index, column_step(type_, layout))
                type_, layout = column, _of_column(layout)
            case Array(inner):
                pointer, at = _moved(code, pointer, at, index, stride(type_))
                type_ = inner
            case _:
                raise code.refused("an index into what is no composite")
    if layout is not None:
        code.layouts[i.result] = layout
    if at:
        code.define(f"getelementptr i8, {pointer}, i64 {at}")
    else:
        code.alias(pointer.rpartition(" ")[2])


def _moved(code: FunctionWriter, pointer: str, at: int, index: str, step_: int) -> tuple[str, int]:
    """A pointer and the bytes behind it, so many elements on. Indices have a sign."""
    number = code.number(index)
    if number is not None:
        type_ = code.type(index)
        bits = type_.bits if isinstance(type_, SPIRVInt) else 32
        if number >> (bits - 1) and isinstance(type_, SPIRVInt) and type_.signed:
            number -= 1 << bits
        return pointer, at + number * step_
    moved = code.step(f"getelementptr [{step_} x i8], {pointer}, {code.typed(index)}")
    return f"{_type(pointer)} {moved}", at


def _access_chain(code: FunctionWriter, i: SPIRVInstruction) -> None:
    indices = [i.id(n) for n in range(1, len(i.operands))]
    if (images := code.image_arrays.get(i.id(0))) is not None and i.result is not None:
        code.images[i.result] = images(indices[0])
        return
    chain(code, i, i.id(0), indices, False)


def _pointer_chain(code: FunctionWriter, i: SPIRVInstruction) -> None:
    indices = [i.id(n) for n in range(1, len(i.operands))]
    chain(code, i, i.id(0), indices, True)


def _copy(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """OpCopyMemory."""
    type_ = code.pointee(i.id(1))
    words, at = _access(code, i, 2, type_)
    value = load(code, type_, code.typed(i.id(1)), words, at, code.layouts.get(i.id(1)))
    target = code.pointee(i.id(0))
    store(code, target, value, code.typed(i.id(0)), words, at, code.layouts.get(i.id(0)))


def _copy_sized(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """OpCopyMemorySized."""
    to, from_ = code.typed(i.id(0)), code.typed(i.id(1))
    number = resized(code, i.id(2), SPIRVInt(64))
    kinds = [_space(code.type(i.id(n))) for n in (0, 1)]
    volatile = "true" if "Volatile" in str(i.operands[3:4]) else "false"
    name = f"llvm.memcpy.p{kinds[0]}.p{kinds[1]}.i64"
    code.emit(code.call(name, "void", [to, from_, f"i64 {number}", f"i1 {volatile}"], "nounwind willreturn"))


def _space(type_: Type) -> int:
    """The address space that a pointer's type is of."""
    return SPACES[type_.storage] if isinstance(type_, SPIRVPointer) else 0


def _array_length(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """OpArrayLength: how many elements of the last member fit into the buffer."""
    type_ = code.pointee(i.id(0))
    bytes_ = code.lengths.get(i.id(0))
    if not isinstance(type_, Struct) or bytes_ is None:
        raise code.refused("the length of an array that is in no buffer")
    member = i.number(1)
    array = type_.members[member]
    assert isinstance(array, Array)
    rest = code.step(f"sub i32 {bytes_()}, {offsets(type_)[member]}")
    code.define(f"udiv i32 {rest}, {stride(array)}")


def _lifetime(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """OpLifetimeStart and OpLifetimeStop say what a compiler may do, and nothing that can be seen."""


# -- Atomics

SCOPES = {0: "", 1: "device", 2: "workgroup", 3: "subgroup", 4: "singlethread", 5: "device"}
"""What LLVM calls a scope: CrossDevice, Device, Workgroup, Subgroup, Invocation, QueueFamily."""


def scope(code: FunctionWriter, id_: str) -> str:
    """``syncscope("workgroup")``, or nothing for all threads."""
    number = code.constant(id_, "a scope")
    if number not in SCOPES:
        raise code.refused(f"scope {number}")
    name = SCOPES[number]
    return f' syncscope("{name}")' if name else ""


def ordering(code: FunctionWriter, id_: str) -> str:
    """LLVM's ordering of memory semantics."""
    bits = code.constant(id_, "memory semantics")
    if bits & 0x10:
        return "seq_cst"
    if bits & 0x8 or bits & 0x6 == 0x6:
        return "acq_rel"
    return "acquire" if bits & 0x2 else "release" if bits & 0x4 else "monotonic"


def _place(code: FunctionWriter, pointer: str, type_: Type) -> str:
    if not isinstance(type_, SPIRVInt) and code.llvm(type_) not in (
        "half",
        "bfloat",
        "float",
        "double",
        "ptr",
    ):
        raise code.refused(f"atomic accesses of {code.llvm(type_)}")
    return code.typed(pointer)


def _volatile(code: FunctionWriter, id_: str) -> str:
    return " volatile" if code.constant(id_, "memory semantics") & 0x8000 else ""


def _atomic_load(code: FunctionWriter, i: SPIRVInstruction) -> None:
    type_ = code.result_type()
    order = ordering(code, i.id(2))
    place, volatile = _place(code, i.id(0), type_), _volatile(code, i.id(2))
    code.define(
        f"load atomic{volatile} {code.llvm(type_)}, {place}{scope(code, i.id(1))} {order}, "
        f"align {align(type_)}"
    )


def _atomic_store(code: FunctionWriter, i: SPIRVInstruction) -> None:
    type_ = code.type(i.id(3))
    order = ordering(code, i.id(2))
    place, volatile = _place(code, i.id(0), type_), _volatile(code, i.id(2))
    code.emit(
        f"store atomic{volatile} {code.typed(i.id(3))}, {place}{scope(code, i.id(1))} {order}, "
        f"align {align(type_)}"
    )


def _update(word: str, operand: str | None = None) -> Emit:
    """An ``atomicrmw``; ``operand`` where the instruction has none."""

    def emit(code: FunctionWriter, i: SPIRVInstruction) -> None:
        type_ = code.result_type()
        value = code.value(i.id(3)) if operand is None else operand
        place, volatile = _place(code, i.id(0), type_), _volatile(code, i.id(2))
        code.define(
            f"atomicrmw{volatile} {word} {place}, {code.llvm(type_)} {value}"
            f"{scope(code, i.id(1))} {ordering(code, i.id(2))}, align {align(type_)}"
        )

    return emit


def _compare_exchange(code: FunctionWriter, i: SPIRVInstruction) -> None:
    """OpAtomicCompareExchange: the operands are the new value, then the one to compare with."""
    type_ = code.result_type()
    t = code.llvm(type_)
    equal, unequal = ordering(code, i.id(2)), ordering(code, i.id(3))
    unequal = {"release": "monotonic", "acq_rel": "acquire"}.get(unequal, unequal)
    pair = code.step(
        f"cmpxchg{_volatile(code, i.id(2))} {_place(code, i.id(0), type_)}, {code.typed(i.id(5))}, "
        f"{code.typed(i.id(4))}{scope(code, i.id(1))} {equal} {unequal}, align {align(type_)}"
    )
    code.define(f"extractvalue {{ {t}, i1 }} {pair}, 0")


def _test_and_set(code: FunctionWriter, i: SPIRVInstruction) -> None:
    old = code.step(
        f"atomicrmw xchg {code.typed(i.id(0))}, i32 -1{scope(code, i.id(1))} {ordering(code, i.id(2))}, "
        "align 4"
    )
    code.define(f"icmp ne i32 {old}, 0")


def _flag_clear(code: FunctionWriter, i: SPIRVInstruction) -> None:
    order = {"acq_rel": "release", "acquire": "monotonic"}.get(o := ordering(code, i.id(2)), o)
    code.emit(f"store atomic i32 0, {code.typed(i.id(0))}{scope(code, i.id(1))} {order}, align 4")


MEMORY: Mapping[str, Emit] = {
    "OpVariable": _variable, "OpLoad": _load, "OpStore": _store,
    "OpAccessChain": _access_chain, "OpInBoundsAccessChain": _access_chain,
    "OpPtrAccessChain": _pointer_chain, "OpInBoundsPtrAccessChain": _pointer_chain,
    "OpCopyMemory": _copy, "OpCopyMemorySized": _copy_sized, "OpArrayLength": _array_length,
    "OpLifetimeStart": _lifetime, "OpLifetimeStop": _lifetime,
    "OpAtomicLoad": _atomic_load, "OpAtomicStore": _atomic_store, "OpAtomicExchange": _update("xchg"),
    "OpAtomicCompareExchange": _compare_exchange, "OpAtomicCompareExchangeWeak": _compare_exchange,
    "OpAtomicIIncrement": _update("add", "1"), "OpAtomicIDecrement": _update("sub", "1"),
    "OpAtomicIAdd": _update("add"), "OpAtomicISub": _update("sub"), "OpAtomicSMin": _update("min"),
    "OpAtomicUMin": _update("umin"), "OpAtomicSMax": _update("max"), "OpAtomicUMax": _update("umax"),
    "OpAtomicAnd": _update("and"), "OpAtomicOr": _update("or"), "OpAtomicXor": _update("xor"),
    "OpAtomicFAddEXT": _update("fadd"), "OpAtomicFMinEXT": _update("fmin"),
    "OpAtomicFMaxEXT": _update("fmax"),
    "OpAtomicFlagTestAndSet": _test_and_set, "OpAtomicFlagClear": _flag_clear,
}  # fmt: skip
"""By opcode."""
