"""Loads, stores and atomic accesses in emitted code, and what the reference sees of them in the same memory.

Random straight-line programs are done twice: by the reference on lists of pieces, and natively on packed
contents, where each instruction that is handed back is done by the reference. Every value, and what the
objects hold at the end, is the same.

covers: semantics.memory.emitted, semantics.memory.packed
"""

from __future__ import annotations

import ctypes
import gc
import mmap
import random
import weakref
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convergence.ir import ArrayType, FloatType, IntType, Local, Packed, PointerType, Type, VectorType
from convergence.ir import instructions as ir
from convergence.ir.instructions import operands
from convergence.parser import parse
from convergence.semantics import NotModelled, Undefined
from convergence.semantics.arithmetic import ConcreteDomain
from convergence.semantics.arithmetic.emitting import (
    EmittedLines,
    EmittingDomain,
    NotNative,
    Term,
    int_text,
    truth_text,
)
from convergence.semantics.instructions import prepare, prepare_access
from convergence.semantics.instructions.lifting import result_type
from convergence.semantics.memory import UNINITIALISED, ZERO, Piece, moved_cells, typed
from convergence.semantics.memory.allocations import PackedInitializer, numbers_in
from convergence.semantics.memory.emitted import METADATA, EmittedMemory, Fields
from convergence.semantics.memory.packed import READABLE, WRITABLE, ObjectTable
from convergence.semantics.memory.synchronisation import Encounters
from convergence.semantics.values import (
    NULL,
    Composite,
    Pointer,
    Provenance,
    RuntimeValue,
    Undef,
    UndefPointer,
    Value,
    scalars,
)
from convergence.semantics.values.context import Context
from convergence.semantics.values.datalayout import Layout
from tests.semantics.emitted import engine, scalar_types
from tests.semantics.straight import THREAD, Runner

SLOT = 32
"""Bytes of a scalar: 16 of bits, four of the number of what a pointer is based on, and one of poison."""
_NUMBER, _POISON = 16, 20


class NativeRunner(Runner):
    """Executes what can be executed natively so, and all else by the reference, in the same memory."""

    def __init__(self, text: str, optimised: int = 1, workgroups: int = 1) -> None:
        super().__init__(text)
        self.memory.workgroups, self.memory.workgroup_threads = workgroups, 2
        self.thread = THREAD
        self.table = ObjectTable()
        self.encounters = Encounters(self.table.address, 2 * workgroups, 2)
        self.memory.attach(self.table, self.encounters)
        self.native = 0
        self._types: dict[str, Type] = {}
        self._made: dict[int, tuple[tuple[str, ...], list[Type]]] = {}
        texts, declarations = [], dict[str, str]()
        for function in self.module.functions.values():
            if not function.blocks:
                continue
            self._types = {p.name: p.type for p in function.parameters}
            for instruction in function.instructions:
                type_ = result_type(instruction, self.context.layout)
                if instruction.result is not None and type_ is not None:
                    self._types[instruction.result] = type_
                try:
                    made = self._emitted(instruction)
                except (NotNative, NotModelled, Undefined):
                    continue
                if made is not None:
                    texts.append(made[0])
                    declarations |= made[1]
        self._engine = engine("\n".join([*declarations.values(), *texts, METADATA]), {}, optimised)

    def _emitted(self, instruction: ir.Instruction) -> tuple[str, dict[str, str]] | None:
        code, layout = EmittedLines(), self.context.layout

        def guard(condition: Any) -> None:
            go_on = code.new_label("on")
            code.line(f"br i1 {condition}, label %{go_on}, label %back")
            code.label(go_on)

        fields = Fields(code, "%env")
        domain = EmittingDomain(code, guard, self._number, *fields.bounds)
        context = Context(self.module, domain, layout, self.context.address_of)
        names = tuple(dict.fromkeys(o.name for o in operands(instruction) if isinstance(o, Local)))
        place, values = 0, dict[str, RuntimeValue]()

        def scalar(type_: Type) -> Value:
            nonlocal place
            width = layout.bits(type_)
            at = code.typed(f"getelementptr i8, ptr %in, i64 {place * SLOT}")
            place += 1
            bits = code.value(width, f"load i{width}, ptr {at}")
            flag = code.typed(f"getelementptr i8, ptr {at}, i64 {_POISON}")
            poison = code.value(1, f"trunc i8 {code.typed(f'load i8, ptr {flag}')} to i1")
            if not isinstance(type_, PointerType):
                return Value(bits, poison)
            where = code.typed(f"getelementptr i8, ptr {at}, i64 {_NUMBER}")
            return Pointer(bits, domain.provenance(code.value(32, f"load i32, ptr {where}")), poison)

        for name in names:
            parts = [scalar(t) for t in scalar_types(self._types[name], layout)]
            values[name] = parts[0] if not hasattr(self._types[name], "count") else Composite(tuple(parts))
        runner = Runner.__new__(Runner)
        runner.context, runner.values = context, values
        given = [runner.value(o) for o in operands(instruction)]
        if (access := prepare_access(instruction, context)) is not None:
            asked = access(*given)
            memory = EmittedMemory(domain, layout, "%env", Term("%thread", 64), asked.shape.atomicity)
            result = asked.shape.perform(asked, memory, 0)  # type: ignore[arg-type]
        else:
            action = prepare(instruction, context)
            if action is None:
                return None
            result = action(*given)
        types: list[Type] = []
        if instruction.result is not None and result is not None:
            types = scalar_types(self._types[instruction.result], layout)
            for number, (part, type_) in enumerate(zip(scalars(result), types, strict=True)):
                at = code.typed(f"getelementptr i8, ptr %out, i64 {number * SLOT}")
                code.line(f"store i{layout.bits(type_)} {int_text(part.bits)}, ptr {at}")
                flag = code.typed(f"getelementptr i8, ptr {at}, i64 {_POISON}")
                code.line(f"store i8 {code.typed(f'zext i1 {truth_text(part.poison)} to i8')}, ptr {flag}")
                if isinstance(type_, PointerType):
                    where = code.typed(f"getelementptr i8, ptr {at}, i64 {_NUMBER}")
                    code.line(f"store i32 {int_text(domain.object_number(part))}, ptr {where}")
        code.line("ret i1 true")
        code.label("back")
        code.line("ret i1 false")
        name = f"i{len(self._made)}"
        self._made[id(instruction)] = names, types
        body = "\n".join(code.lines)
        head = f"define i1 @{name}(ptr %in, ptr %out, ptr %env, i64 %thread)"
        self._names = getattr(self, "_names", {}) | {id(instruction): name}
        return f"{head} {{\n{body}\n}}\n", code.declarations

    def _number(self, provenance: Any) -> int:
        number = self.table.number(provenance)
        assert number is not None
        return number

    def _encoded(self, value: Value) -> bytes | None:
        if value.undef:
            return None
        number = self.table.number(value.provenance)
        if number is None:
            return None
        head = int(value.bits).to_bytes(16, "little") + number.to_bytes(4, "little")
        return head + bytes([bool(value.poison)]) + bytes(11)

    def step(self, instruction: ir.Instruction) -> RuntimeValue | None:
        made = self._made.get(id(instruction))
        if made is not None:
            names, types = made
            slots = [self._encoded(s) for name in names for s in scalars(self.values[name])]
            if None not in slots:
                done, result = self._native(instruction, b"".join(s for s in slots if s), types)
                if done:
                    self.native += 1
                    return None if result is None else self.values[instruction.result or ""]
        return super().step(instruction)

    def _native(self, instruction: ir.Instruction, given: bytes, types: list[Type]) -> tuple[bool, Any]:
        pointer = ctypes.c_void_p
        signature = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_char_p, ctypes.c_char_p, pointer, ctypes.c_int64)
        function = signature(self._engine.get_function_address(self._names[id(instruction)]))
        out = ctypes.create_string_buffer(max(1, len(types)) * SLOT)
        if not function(given, out, self.encounters.address, self.thread):
            return False, None
        if not types:
            return True, None
        parts = []
        for number, type_ in enumerate(types):
            slot = out.raw[number * SLOT : (number + 1) * SLOT]
            width = self.context.layout.bits(type_)
            bits, poison = int.from_bytes(slot[: -(-width // 8)], "little"), bool(slot[_POISON])
            based = self.table.provenance(int.from_bytes(slot[_NUMBER : _NUMBER + 4], "little"))
            parts.append(
                Pointer(bits, based, poison) if isinstance(type_, PointerType) else Value(bits, poison)
            )
        assert instruction.result is not None
        single = not hasattr(self._types_of(instruction), "count") and len(parts) == 1
        result: RuntimeValue = parts[0] if single else Composite(tuple(parts))
        self.values[instruction.result] = result
        return True, result

    def _types_of(self, instruction: ir.Instruction) -> Type | None:
        return result_type(instruction, self.context.layout)


PRELUDE = """
@zeros = global [32 x i8] zeroinitializer, align 8
@set = global [4 x i64] [i64 1, i64 -2, i64 3, i64 72623859790382856], align 16
@ro = constant [2 x i32] [i32 7, i32 poison], align 4
@unset = global [24 x i8] undef, align 8
@at = global ptr @set, align 8
"""
TYPES = ("i1", "i8", "i16", "i32", "i64", "i33", "half", "float", "double", "ptr", "<2 x i16>", "<4 x i32>",
         "<9 x i1>", "[2 x i16]")  # fmt: skip
VALUES = {
    "i1": ("true", "false"), "i8": ("-3", "poison"), "i16": ("513", "undef"),
    "i32": ("65537", "%n", "poison"),
    "i64": ("-1", "81985529216486895"), "i33": ("-7",), "half": ("0xH3C01",), "float": ("1.5",),
    "double": ("-2.25", "undef"),
    "ptr": ("@set", "null", "%own", "%p0", "undef", "inttoptr (i64 4100 to ptr)"),
    "<2 x i16>": ("<i16 1, i16 2>", "<i16 1, i16 poison>"), "<4 x i32>": ("splat (i32 9)",),
    "<9 x i1>": ("splat (i1 true)", "<i1 1, i1 0, i1 poison, i1 1, i1 1, i1 0, i1 0, i1 0, i1 1>"),
    "[2 x i16]": ("[i16 3, i16 4]",),
}  # fmt: skip


def program(rng: random.Random) -> str:
    """A straight-line program over a few objects."""
    lines = ["%own = alloca [24 x i8], align 8", "%small = alloca i32, align 4"]
    objects = ["@zeros", "@set", "@unset", "%own", "@zeros", "%own", "%small", "@ro", "@at"]
    values: dict[str, list[str]] = {t: list(v) for t, v in VALUES.items()}
    pointers = ["%own"]
    for number in range(40):
        at = rng.choice(objects)
        offset = rng.choice([0, 0, 0, 8, 8, 8, 16, 4, 12, 2, 1, 7, 24])
        if number == 0 or rng.random() < 0.5:
            flag = rng.choice(["", "inbounds ", "nuw "])
            lines.append(f"%p{number} = getelementptr {flag}i8, ptr {at}, i64 {offset}")
        else:
            lines.append(f"%p{number} = select i1 %c, ptr {rng.choice(pointers)}, ptr {at}")
        pointers.append(f"%p{number}")
        pointer = rng.choice([f"%p{number}", f"%p{number}", rng.choice(pointers)])
        type_ = rng.choice(TYPES)
        align = rng.choice(["", ", align 1", ", align 1", ", align 2"])
        match rng.randrange(7):
            case 0 | 1 | 2:
                lines.append(f"store {type_} {rng.choice(values[type_])}, ptr {pointer}{align}")
            case 3 | 4:
                lines.append(f"%v{number} = load {type_}, ptr {pointer}{align}")
                values[type_].append(f"%v{number}")
                if type_ == "ptr":
                    objects.append(f"%v{number}")
            case 5:
                operation = rng.choice(["add", "xchg", "umax", "uinc_wrap"])
                value = rng.choice(values["i32"])
                lines.append(f"%v{number} = atomicrmw {operation} ptr {pointer}, i32 {value} monotonic")
                values["i32"].append(f"%v{number}")
            case _ if rng.random() < 0.5:
                expected = f"i64 {rng.choice(values['i64'])}"
                lines.append(f"%v{number} = cmpxchg ptr {pointer}, {expected}, i64 5 seq_cst monotonic")
            case _:
                other = rng.choice(pointers)
                length = rng.choice([8, 4, 16, 3])
                lines.append(
                    f"call void @llvm.memmove.p0.p0.i64(ptr {pointer}, ptr {other}, i64 {length}, i1 false)"
                )
    body = "\n".join(lines)
    declare = "declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)"
    return f"{PRELUDE}{declare}\ndefine void @f(i32 %n, i1 %c) {{\n{body}\nret void\n}}"


def exact(value: Any) -> Any:
    """A value with all that can be told of it."""
    if isinstance(value, Composite):
        return tuple(map(exact, value.elements))
    if value is None or value.poison:
        return type(value).__name__, "poison"
    return type(value).__name__, value.bits, value.provenance


def done(runner: Runner, arguments: dict[str, RuntimeValue]) -> list[Any]:
    """What each instruction gave, or why it is undefined; and what the objects hold."""
    runner.values = dict(arguments)
    results: list[Any] = []
    for instruction in runner.module.functions["f"].instructions:
        if isinstance(instruction, ir.Ret):
            break
        try:
            runner.step(instruction)
        except (Undefined, NotModelled) as problem:
            results.append((type(problem), str(problem)))  # what uses its result is left out
            continue
        except KeyError:
            continue
        results.append(exact(runner.values.get(instruction.result or "")))
    results.append(runner.memory.undef_reads)
    byte = typed(parse("@g = global i8 0").globals["g"].type, runner.context.layout, runner.memory.domain)
    pointer = typed(PointerType(), runner.context.layout, runner.memory.domain)
    for allocation in runner.memory.allocations.values():
        cells, size = allocation.contents(), allocation.provenance.size
        results.append([exact(byte.read(cells, at)) for at in range(size)])
        results.append([exact(pointer.read(cells, at)) for at in range(size - 7)])
    return results


def test_native_accesses_are_those_of_the_reference() -> None:
    rng, native, whole = random.Random(5), 0, 0
    for optimised in (0, 0, 0, 2):
        text = program(rng)
        arguments: dict[str, RuntimeValue] = {"n": Value(rng.getrandbits(32)), "c": Value(rng.getrandbits(1))}
        plain, both = Runner(text), NativeRunner(text, optimised)
        want, got = done(plain, arguments), done(both, arguments)
        assert want == got, text
        native, whole = native + both.native, whole + len(want)
    assert native > whole // 2


def test_each_workgroup_has_its_own_instance_of_a_variable_in_workgroup_memory() -> None:
    text = """@tile = addrspace(3) global [2 x i32] undef
    define void @f(i32 %n, i1 %c) {
    store i32 %n, ptr addrspace(3) @tile
    %v = load i32, ptr addrspace(3) @tile
    ret void
    }"""
    runner = NativeRunner(text, workgroups=3)
    store, load, _ = runner.module.functions["f"].instructions
    variable = next(a for a in runner.memory.owned(None) if a.address_space == 3)
    instances = [runner.memory.of_workgroup(variable, group) for group in range(3)]
    for instance in instances:
        instance.contents()
    for thread in range(6):
        runner.thread, runner.values = thread, {"n": Value(100 + thread)}
        runner.step(store)
        assert runner.step(load) == Value(100 + thread)
    assert runner.native == 12
    form = typed(IntType(32), runner.context.layout, runner.memory.domain)
    assert [form.read(i.contents(), 0) for i in instances] == [Value(101), Value(103), Value(105)]
    assert runner.encounters.conflict and runner.encounters.suspicious


POINTERS = f"""{PRELUDE}
define void @f(i32 %n, i1 %c) {{
%own = alloca [24 x i8], align 8
%second = getelementptr i8, ptr %own, i64 8
%between = getelementptr i8, ptr %own, i64 4
%made = load i8, ptr @zeros
%null = load ptr, ptr @zeros
store i64 0, ptr @zeros
%zero = load ptr, ptr @zeros
store ptr @set, ptr %own
%there = load ptr, ptr %own
%number = load i64, ptr %own
store i64 %number, ptr %own
%forged = load ptr, ptr %own
store ptr @set, ptr %second
store ptr %second, ptr %own
%half = load ptr, ptr %between, align 4
store ptr @ro, ptr %between, align 4
%odd = load ptr, ptr %between, align 4
%broken = load ptr, ptr %own
%read = load i64, ptr %forged
%through = load i64, ptr %there
ret void
}}
"""


def test_pointers_keep_what_they_are_based_on_while_all_of_them_is_there() -> None:
    arguments: dict[str, RuntimeValue] = {"n": Value(0), "c": Value(0)}
    plain, both = Runner(POINTERS), NativeRunner(POINTERS)
    assert done(plain, arguments) == done(both, arguments)
    assert both.native >= 14
    based = {name: scalars(both.values[name])[0].provenance for name in ("null", "zero", "forged", "there")}
    assert based["null"] is NULL and based["zero"] is None
    assert based["forged"] is None and based["there"] is not None


def contents(cells: list[Piece], runner: Runner) -> list[Any]:
    """All that reads of an object's contents can give, for a few types."""
    found = []
    for type_ in (IntType(8), IntType(32), PointerType(), IntType(9)):
        form = typed(type_, runner.context.layout, runner.memory.domain)
        found.append([exact(form.read(cells, at)) for at in range(len(cells) - form.size + 1)])
    return found


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_packed_contents_are_those_of_a_list_of_pieces(data: st.DataObject) -> None:
    runner = Runner(PRELUDE)
    table, layout, domain = ObjectTable(), runner.context.layout, runner.memory.domain
    runner.memory.attach(table)
    known = [a.provenance for a in runner.memory.allocations.values()] + [None, NULL]
    pointers = [Pointer(n, p) for n, p in enumerate(known)]
    pointers += [Pointer(1, Provenance(77, 1, 1, "gone")), UndefPointer(0, NULL), Pointer(0, NULL, True)]
    values: dict[Type, list[Any]] = {
        IntType(8): [Value(3), Value(0), Value(0, True), Undef(0)],
        IntType(32): [Value(1 << 31), Value(0), Value(5, True), Undef(0)],
        IntType(9): [Value(257), Value(1, True)],
        PointerType(): pointers,
        VectorType(3, IntType(3)): [
            Composite((Value(7), Value(1, True), Value(2))),
            Composite((Value(1),) * 3),
        ],
    }
    size = 24
    plain = [data.draw(st.sampled_from([ZERO, UNINITIALISED]))] * size
    packed = table.pack(plain)
    for _ in range(data.draw(st.integers(1, 12))):
        if data.draw(st.booleans()):
            type_ = data.draw(st.sampled_from([PointerType(), *values]))
            value, form = data.draw(st.sampled_from(values[type_])), typed(type_, layout, domain)
            at = data.draw(st.integers(0, size - form.size))
            at = at // 8 * 8 if data.draw(st.booleans()) else at
            form.write(plain, at, value)
            form.write(packed, at, value)
        else:
            length = data.draw(st.integers(1, 16))
            start, to = (data.draw(st.integers(0, size - length)) for _ in range(2))
            for cells in (plain, packed):
                cells[to : to + length] = moved_cells(cells[start : start + length], to - start)
    assert contents(packed, runner) == contents(plain, runner)
    assert [p is ZERO for p in packed] == [p is ZERO for p in plain]
    assert [p is UNINITIALISED for p in packed] == [p is UNINITIALISED for p in plain]
    kept = packed.copy()
    assert kept == packed
    packed[0] = UNINITIALISED if packed[0] is ZERO else ZERO
    assert kept != packed and contents(kept, runner) == contents(plain, runner)


def test_numbers_go_into_packed_contents_and_out_of_them() -> None:
    table, layout = ObjectTable(), Layout()
    type_ = ArrayType(5, FloatType("float"))
    data = bytes.fromhex("0000803f 00000000 0000c07f 01000080 00000000".replace(" ", ""))
    initial = PackedInitializer(Packed(type_, data), layout, ConcreteDomain())
    packed, plain = initial.packed(table), initial.cells()
    assert [p is ZERO for p in packed] == [p is ZERO for p in plain]
    for cells in (packed, plain):
        assert numbers_in(cells, type_.element, 5, layout, ConcreteDomain()).data == data
    packed[4:8] = [UNINITIALISED] * 4
    assert numbers_in(packed, type_.element, 5, layout, ConcreteDomain()).undef == {1}


def test_rows_say_what_native_code_may_do() -> None:
    runner = Runner(PRELUDE + "@input = external global i32")
    table = ObjectTable()
    runner.memory.attach(table)
    words = {name: table.flags(table.number(runner.context.address_of(name).provenance) or 0)
             for name in ("zeros", "set", "ro", "input")}  # fmt: skip
    assert words == {"zeros": 0, "set": READABLE | WRITABLE, "ro": READABLE, "input": 0}
    own = runner.memory.allocate(8, 8, 3, "%own")
    assert own.provenance is not None
    number = table.number(own.provenance)
    assert number is not None and table.owner(number) == 3
    assert table.flags(number) == READABLE | WRITABLE
    runner.memory.set_lifetime(own, False)
    assert table.flags(number) == 0
    runner.memory.set_lifetime(own, True)
    assert table.flags(number) == READABLE | WRITABLE
    runner.memory.release(own)
    assert table.flags(number) == 0 and table.provenance(number) is own.provenance
    assert table.number(Provenance(1 << 50, 0, 1, "other")) is None


def test_room_of_tables_in_cycles_is_given_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where address space is bounded (``ulimit -v``), it was an error of ours that garbage held all of it."""

    whole, living = mmap.mmap, weakref.WeakSet[mmap.mmap]()

    def room(number: int, length: int) -> mmap.mmap:
        if len(living) == 3:
            raise OSError(12, "Cannot allocate memory")
        part = whole(number, length)
        living.add(part)
        return part

    monkeypatch.setattr(mmap, "mmap", room)
    gc.disable()
    try:
        for _ in range(9):
            cycle: list[object] = [ObjectTable()]
            cycle.append(cycle)
        del cycle
    finally:
        gc.enable()
    tables = [ObjectTable() for _ in range(3)]
    with pytest.raises(OSError, match="Cannot allocate"):
        ObjectTable()
    assert len(tables) == 3
