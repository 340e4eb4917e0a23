"""The listing of a machine's code: the structured CFG in words, and where masks are needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...frozen import dataclass
from ...ir import FloatType, IntType, Local, Operand, Simple, Type, VectorType
from ...ir import instructions as ir
from ...ir.calls import callee_name, control
from ...ir.instructions import Alloca, Binary, Conversion, FNeg, Instruction, Phi, Select, Store, operands
from ...semantics.instructions.lifting import result_type
from ...semantics.values.datalayout import Layout
from .executor import LockstepExecutor
from .masked_code import (
    CodePlace,
    CodeRegion,
    Op,
    Quads,
    RegionKind,
    Structure,
    compared_in,
    numbered,
    operand,
    stores,
    uses,
    where,
)
from .policy import Facts, Mask

# ----------------------------------------------------------------------------------------------------------
# The structured CFG in words: a line per block, regions and loops by indentation.
# ----------------------------------------------------------------------------------------------------------

# ----------------------------------------------------------------------------------------------------------
# Where predication needs a mask on a write (*Branch Divergence*, ``assignLocalVariable``).
#
# A mask "only need be applied when a value is written back to a local variable": in SSA, where a value goes
# into a phi, or is stored to an alloca. With an empty mask stack there is no blend. A blend is folded into
# the operation that makes the value where it is that operation's only use; else it is a ``move_mask``.
# ----------------------------------------------------------------------------------------------------------

ARITHMETIC = (Binary, FNeg, Conversion, Select)


class Blends:
    """``masked``: the variables that operations write with a mask, by the names of their values. ``apart``:
    by block, the blends that need an operation of their own: (variable, value).

    On any machine: ``into``: the phis that operations can write at once, by the names of their values;
    ``copied``: by block what must be copied into phis.
    """

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.function = structure.facts.function
        self.used = uses(self.function)
        self.home: dict[str, int] = {}
        self.blends: dict[str, Instruction] = {}
        for number, block in enumerate(self.function.blocks):
            for instruction in block.instructions:
                if instruction.result is not None:
                    self.home[instruction.result] = number
                    self.blends[instruction.result] = instruction
        self.into: dict[str, str] = {}
        self.copied: dict[int, list[tuple[str, Operand]]] = {}
        self.masked: dict[str, str] = {}
        self.apart: dict[int, list[tuple[str, Operand]]] = {}
        for at, variable, value in self._assignments():
            if isinstance(self.blends.get(variable), Phi):
                if self._folds(at, value):
                    self.into[_name(value)] = variable
                elif not isinstance(value, Simple) and _name(value) != variable:
                    self.copied.setdefault(at, []).append((variable, value))
            if not self.stack(at) or isinstance(value, Simple):
                continue
            if self._folds(at, value):
                self.masked[_name(value)] = variable
            elif _name(value) != variable:
                self.apart.setdefault(at, []).append((variable, value))

    def operations(self, block: int) -> Sequence[str]:
        """The machine operations that the blends of a block need."""
        return ["move_mask"] * len(self.apart.get(block, ()))

    def stack(self, block: int) -> bool:
        """Whether the mask stack is not empty in the block: it is inside a region, or a loop."""
        structure = self.structure
        here = structure.index.get(CodePlace(RegionKind.BLOCK, block))
        if here is None:
            return False
        return structure.around(CodePlace(RegionKind.BLOCK, block)) is not None or any(
            block in loop.body for loop in structure.loops
        )

    def _assignments(self) -> Iterator[tuple[int, str, Operand]]:
        """(block, local variable, value)."""
        number = self.structure.facts.cfg.index
        for at, block in enumerate(self.function.blocks):
            for instruction in block.instructions:
                match instruction:
                    case Phi(_, incoming) if instruction.result is not None:
                        for value, source in incoming:
                            yield number[source], instruction.result, value
                    case Store(value, Local(_, name)) if isinstance(self.blends.get(name), Alloca):
                        yield at, name, value

    def _folds(self, block: int, value: Operand) -> bool:
        """Whether the operation that makes the value can write the variable itself."""
        if not isinstance(value, Local) or self.used[value.name] != 1:
            return False
        return isinstance(self.blends.get(value.name), ARITHMETIC) and self.home[value.name] == block


def _name(value: Operand) -> str:
    return value.name if isinstance(value, Local) else ""


def regions(structure: Structure) -> tuple[str, ...]:
    """``if``, ``else``, ``end if``, ``loop``, ``end loop`` around ``block`` lines; a jump to a place that is
    neither next nor a region's is said behind its block."""
    facts = structure.facts
    lines: list[str] = []
    open_: list[CodeRegion | int] = []
    for place in structure.places:
        while open_ and isinstance(top := open_[-1], CodeRegion) and top.join == place:
            open_.pop()
            lines.append(f"{_indent(open_)}end if")
        match place.kind:
            case RegionKind.FLOW:
                lines.append(f"{_indent(open_[:-1])}else")
            case RegionKind.LATCH:
                while open_ and open_[-1] != place.number:
                    open_.pop()
                if open_:
                    open_.pop()
                lines.append(f"{_indent(open_)}end loop")
            case RegionKind.BLOCK:
                for number, loop in enumerate(structure.loops):
                    if loop.header == place.number:
                        latches = ", ".join(f"%{facts.name(b)}" for b in loop.latches)
                        lines.append(f"{_indent(open_)}loop (latch {latches})")
                        open_.append(number)
                lines.append(f"{_indent(open_)}block %{facts.name(place.number)}{_jumps(structure, place)}")
                region = structure.regions.get(place.number)
                if region is not None:
                    lines.append(f"{_indent(open_)}if {_sense(structure, region)}")
                    open_.append(region)
    return tuple(lines)


def _indent(open_: list[CodeRegion | int]) -> str:
    return "  " * (len(open_) + 1)


def _sense(structure: Structure, region: CodeRegion) -> str:
    """To which block the branch goes for the first arm."""
    return f"%{structure.facts.name(region.block)} goes to {where(structure, region.first)}"


def _jumps(structure: Structure, place: CodePlace) -> str:
    if place.number in structure.regions:
        return ""
    here = structure.index[place]
    goes = [structure.goes[place.number, t] for t in structure.facts.cfg.successors[place.number]]
    far = [where(structure, p) for p in dict.fromkeys(goes) if structure.index[p] != here + 1]
    return f", jumps to {' and '.join(far)}" if far else ""


# -- How machines spell the IR's own instructions in a listing
# Values keep the IR's names where the machine has registers. A value that only a phi reads is written to
# the phi at once. Phis and unconditional branches spell nothing.

_GCN: Mapping[str, str] = {
    "shl": "lshlrev", "lshr": "lshrrev", "ashr": "ashrrev", "fadd": "add", "fsub": "sub", "fmul": "mul",
    "fdiv": "div", "frem": "rem", "mul": "mul_lo", "udiv": "div", "sdiv": "div", "urem": "rem", "srem": "rem",
}  # fmt: skip
_FLOATS: Mapping[str, str] = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}
_SIGNED = ("sdiv", "srem", "ashr")
_RELATIONS: Mapping[str, str] = {"ne": "lg", "eq": "eq"}


def kind_of(opcode: str, type_: Type | None) -> str:
    """``f32``, ``i32``, ``u32``, ``b32``: what the operation takes its operand for."""
    if isinstance(type_, VectorType):
        return kind_of(opcode, type_.element)
    if isinstance(type_, FloatType):
        return _FLOATS.get(type_.kind, "f32")
    width = type_.bits if isinstance(type_, IntType) else 64
    if opcode in ("and", "or", "xor", "shl", "lshr"):
        return f"b{width}"
    return f"{'i' if opcode in _SIGNED else 'u'}{width}"


class Spelling:
    """``spell(index, instruction, block)``: the line, or ``None``."""

    def __init__(self, structure: Structure, layout: Layout, blends: Blends) -> None:
        self.structure, self.layout, self.blends = structure, layout, blends
        self.function = structure.facts.function

    def target(self, instruction: ir.Instruction) -> str:
        """Where the result goes: to the phi that alone reads it, else to a register of its own."""
        name = instruction.result or ""
        return f"%{self.blends.into.get(name, name)}"

    def copies(self, block: int) -> Sequence[tuple[str, str]]:
        """(variable, value) of what phis behind the block take and no operation wrote to them."""
        return [(f"%{variable}", operand(value)) for variable, value in self.blends.copied.get(block, ())]

    def spell(self, instruction: ir.Instruction, block: int) -> str | None:
        match instruction:
            case ir.Phi() | ir.Br() | ir.CondBr() | ir.Switch() | ir.DebugRecord():
                return None
            case ir.CallSite() if control(instruction) is not None:
                return None
            case ir.CallSite():
                operands_text = ", ".join(operand(a.value) for a in instruction.arguments)
                return self.call(f"@{callee_name(instruction) or '?'}", operands_text, instruction)
            case ir.Ret(value):
                last = self.structure.places[-1] == CodePlace(RegionKind.BLOCK, block)
                return self.ret() if last else self.leaves(None if value is None else operand(value))
            case ir.ICmp(predicate, lhs, rhs) | ir.FCmp(predicate, lhs, rhs):
                alone = compared_in(self.function, block) is instruction
                return self.compare(predicate, lhs, rhs, instruction, block if alone else None)
            case ir.Store(value, pointer):
                return self.store(operand(value), operand(pointer), block)
            case _:
                opcode = ir.opcode(instruction)
                type_ = result_type(instruction, self.layout)
                first = next(iter(operands(instruction)), None)
                used = getattr(first, "type", type_) if type_ is None else type_
                return self.plain(opcode, kind_of(opcode, used), instruction, block)

    # -- Southern Islands, and what the others change -------------------------------------------------------

    def call(self, callee: str, operands_text: str, instruction: ir.Instruction) -> str:
        return f"s_swappc_b64 {self._result(instruction)}{callee}({operands_text})"

    def _result(self, instruction: ir.Instruction) -> str:
        return f"{self.target(instruction)}, " if instruction.result is not None else ""

    def ret(self) -> str:
        return "s_endpgm"

    def leaves(self, value: str | None) -> str | None:
        """A return that is not the code's end: the value stays in its register."""
        return None if value is None else self.copy("v0", value, -1)

    def compare(
        self, predicate: str, lhs: Operand, rhs: Operand, instruction: ir.Instruction, block: int | None
    ) -> str:
        relation, kind = _relation(predicate, lhs)
        into = self.target(instruction) if block is None else "vcc"
        return f"v_cmp_{_RELATIONS.get(relation, relation)}_{kind} {into}, {operand(lhs)}, {operand(rhs)}"

    def store(self, value: str, pointer: str, block: int) -> str:
        return f"buffer_store_dword {value}, {pointer}"

    def plain(self, opcode: str, kind: str, instruction: ir.Instruction, block: int) -> str:
        operands_text = ", ".join(operand(o) for o in operands(instruction))
        if opcode == "load":
            return f"buffer_load_dword {self.target(instruction)}, {operands_text}"
        return f"v_{_GCN.get(opcode, opcode)}_{kind} {self._result(instruction)}{operands_text}"

    def copy(self, variable: str, value: str, block: int) -> str:
        return f"v_mov_b32 {variable}, {value}"


class StackSpelling(Spelling):
    """R700: a comparison for a branch writes the predicate."""

    def call(self, callee: str, operands_text: str, instruction: ir.Instruction) -> str:
        return f"CALL {self._result(instruction)}{callee}({operands_text})"

    def ret(self) -> str:
        return "RETURN"

    def compare(
        self, predicate: str, lhs: Operand, rhs: Operand, instruction: ir.Instruction, block: int | None
    ) -> str:
        relation, kind = _relation(predicate, lhs)
        suffix = "" if "f" in kind else "_INT" if kind.startswith("i") else "_UINT"
        name = f"SET{relation.upper()}{suffix}"
        into = f"{self.target(instruction)}, " if block is None else ""
        return f"{'' if into else 'PRED_'}{name} {into}{operand(lhs)}, {operand(rhs)}"

    def store(self, value: str, pointer: str, block: int) -> str:
        return f"MEM_WRITE {pointer}, {value}"

    def plain(self, opcode: str, kind: str, instruction: ir.Instruction, block: int) -> str:
        operands_text = ", ".join(operand(o) for o in operands(instruction))
        name = _GCN.get(opcode, opcode).upper() + ("" if "f" in kind else "_INT")
        return f"{'MEM_READ' if opcode == 'load' else name} {self._result(instruction)}{operands_text}"

    def copy(self, variable: str, value: str, block: int) -> str:
        return f"MOV {variable}, {value}"


class MaskSpelling(Spelling):
    """Nyuzi: writes to local variables, and stores, take a mask; ``masks`` names each block's register."""

    def __init__(
        self,
        structure: Structure,
        layout: Layout,
        blends: Blends,
        masks: Mapping[int, str],
        conditions: Mapping[int, str],
    ) -> None:
        super().__init__(structure, layout, blends)
        self.masks, self.conditions = masks, conditions

    def call(self, callee: str, operands_text: str, instruction: ir.Instruction) -> str:
        return f"call {self._result(instruction)}{callee}({operands_text})"

    def ret(self) -> str:
        return "ret"

    def compare(
        self, predicate: str, lhs: Operand, rhs: Operand, instruction: ir.Instruction, block: int | None
    ) -> str:
        relation, kind = _relation(predicate, lhs)
        suffix = "f" if "f" in kind else kind[0]
        into = self.conditions.get(block, "s31") if block is not None else self.target(instruction)
        return f"cmp{relation}_{suffix} {into}, {operand(lhs)}, {operand(rhs)}"

    def store(self, value: str, pointer: str, block: int) -> str:
        if not self.blends.stack(block):
            return f"store_v {value}, {pointer}"
        return f"store_v_mask {value}, {self.masks[block]}, {pointer}"

    def plain(self, opcode: str, kind: str, instruction: ir.Instruction, block: int) -> str:
        operands_text = ", ".join(operand(o) for o in operands(instruction))
        name = "load_v" if opcode == "load" else f"{_GCN.get(opcode, opcode)}_{kind[0].replace('b', 'i')}"
        if instruction.result in self.blends.masked:
            return (
                f"{name}_mask %{self.blends.masked[instruction.result]}, {self.masks[block]}, {operands_text}"
            )
        return f"{name} {self._result(instruction)}{operands_text}"

    def copy(self, variable: str, value: str, block: int) -> str:
        return f"move {variable}, {value}"


def _relation(predicate: str, lhs: Operand) -> tuple[str, str]:
    """``ogt`` as (``gt``, ``f32``), ``ult`` as (``lt``, ``u32``), ``slt`` as (``lt``, ``i32``)."""
    kind = kind_of("", lhs.type)
    if "f" in kind:
        return predicate.removeprefix("o") if len(predicate) > 2 else predicate, kind
    if predicate in ("eq", "ne"):
        return predicate, kind
    return predicate[1:], ("i" if predicate[0] == "s" else "u") + kind[1:]


# -- The listing of a function: its operations in order, and who was on behind each, every time it ran


@dataclass(frozen=True, slots=True)
class Line:
    """``label`` or an operation: its ``text``, what it is for, and, each time that it ran, who was on behind
    it. ``extra``: an operation on masks, none of the program's."""

    label: str | None = None
    text: str = ""
    note: str = ""
    masks: tuple[Mask, ...] = ()
    extra: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """A function on a machine; ``lanes`` is the room of a wave; ``structured`` its structured CFG."""

    function: str
    lanes: int
    lines: tuple[Line, ...]
    structured: tuple[str, ...]


def listings(executor: LockstepExecutor) -> tuple[Listing, ...]:
    """The functions that ran; none on a machine without code on masks."""
    listings = []
    for name, facts in executor.functions.items():
        if "code" in facts.derived:
            structure: Structure = facts.derived["structure"]
            lines = tuple(_Lines(executor, facts, structure).lines())
            room = max(wave.size for wave in executor.waves)
            listings.append(Listing(name, room, lines, regions(structure)))
    return tuple(listings)


class _Lines:
    def __init__(self, executor: LockstepExecutor, facts: Facts, structure: Structure) -> None:
        self.facts = facts
        name = facts.function.name
        self.of_op: dict[int, list[Mask]] = {}
        for function, number, mask in executor.issued.log or ():
            if function == name:
                self.of_op.setdefault(number, []).append(mask)
        self.of_index: dict[int, list[Mask]] = {}
        for step in executor.steps:
            if step.function == name:
                self.of_index.setdefault(step.at, []).append(step.mask)
        blends, layout = Blends(structure), executor.machine.program.layout
        self.blends = blends
        self.spelling: Spelling
        self.predicated = executor.policy.name == "predication"
        if self.predicated:
            dialect = facts.derived["dialect"]
            self.spelling = MaskSpelling(structure, layout, blends, dialect.masks(), dialect.conditions())
        elif executor.policy.name == "mask-stack":
            self.spelling = StackSpelling(structure, layout, blends)
        else:
            self.spelling = Spelling(structure, layout, blends)
        self.quads = Quads(facts.function, executor.issued.quads)
        self.by_block: dict[int, list[int]] = {}
        for block, index, _ in numbered(facts.function):
            self.by_block.setdefault(block, []).append(index)

    def lines(self) -> Iterator[Line]:
        ops: tuple[Op, ...] = self.facts.derived["code"]
        jumped = {op.jump for op in ops if op.jump is not None}
        for number, op in enumerate(ops):
            if op.label is not None and op.label in jumped:
                yield Line(label=op.label)
            elif op.block is not None:
                yield from self._block(op.block)
            elif op.text:
                yield Line(None, op.text, op.note, tuple(self.of_op.get(number, ())), True)

    def _block(self, block: int) -> Iterator[Line]:
        function = self.facts.function
        *body, last = self.by_block[block]
        for index in body:
            yield from self._line(block, index)
        masks = tuple(self.of_index.get(last, ()))
        if self.predicated:
            register = self.spelling.masks[block] if isinstance(self.spelling, MaskSpelling) else ""
            for variable, value in self.blends.apart.get(block, ()):
                text = f"move_mask %{variable}, {register}, {_spelled(value)}"
                yield Line(None, text, "blend", masks, True)
            copies = [] if self.blends.stack(block) else self.spelling.copies(block)
        else:
            copies = list(self.spelling.copies(block))
        for variable, copied in copies:
            yield Line(None, self.spelling.copy(variable, copied, block), "", masks, True)
        if function.instructions[last] is not None:
            yield from self._line(block, last)

    def _line(self, block: int, index: int) -> Iterator[Line]:
        instruction = self.facts.function.instructions[index]
        text = self.spelling.spell(instruction, block)
        if text is None:
            return
        masks = tuple(self.of_index.get(index, ()))
        if not (self.quads.on and stores(instruction)):
            yield Line(None, text, "", masks)
            return
        around = tuple(self.of_index.get(self.by_block[block][-1], ()))
        yield Line(None, "s_mov_b64 s[98:99], exec", "", around, True)
        yield Line(None, "s_and_b64 exec, exec, s[100:101]", "without helper lanes", masks, True)
        yield Line(None, text, "", masks)
        yield Line(None, "s_mov_b64 exec, s[98:99]", "", around, True)


def _spelled(value: object) -> str:
    from .masked_code import operand

    return operand(value)  # type: ignore[arg-type]
