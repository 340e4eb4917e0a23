"""What every candidate of the reducer goes through: no unreachable block, no dead value, no unused name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from ..interruption import notice
from ..ir import FunctionType, Global, Int, IntType, Local, Operand, Simple, SimpleType, Type
from ..ir import instructions as ir
from ..ir.calls import Control, control, token_used
from ..ir.instructions import Instruction, successors
from ..ir.module import Block, Function, Module
from ..semantics import NEVER, Clock, clock_of
from ..semantics.operations import effects_of
from ..transform.rewrite import (
    Substitution,
    renamed_by,
    with_blocks,
    with_incoming,
    with_operands,
    with_targets,
)

_PURE = (
    ir.Binary, ir.ICmp, ir.FCmp, ir.Conversion, ir.Select, ir.Freeze, ir.Phi, ir.GetElementPtr, ir.FNeg,
    ir.ExtractElement, ir.InsertElement, ir.ExtractValue, ir.InsertValue, ir.ShuffleVector, ir.Alloca,
)  # fmt: skip


def tidy(module: Module) -> Module:
    """The module without what no longer matters."""
    functions = {
        name: f if f.is_declaration else tidy_function(f)
        for name, f in _without_groups(module).functions.items()
    }
    return _without_unused(replace(module, functions=functions, groups={}))


def _without_groups(module: Module) -> Module:
    """Attribute groups spelled out where they are used."""
    if not module.groups:
        return module
    functions = {}
    for name, function in module.functions.items():
        if not function.implicit:
            function = replace(function, attributes=module.resolve(function.attributes))
        if not function.is_declaration:
            blocks = [
                replace(block, instructions=tuple(_spelled_out(i, module) for i in block.instructions))
                for block in function.blocks
            ]
            function = with_blocks(function, blocks)
        functions[name] = function
    return replace(module, functions=functions)


def _spelled_out(instruction: Instruction, module: Module) -> Instruction:
    if isinstance(instruction, ir.CallSite):
        return replace(instruction, attributes=module.resolve(instruction.attributes))
    return instruction


def tidy_function(function: Function) -> Function:
    """Unreachable blocks, incoming values of edges that are gone, phis of one value, dead values: all go."""
    blocks = _reachable(function.blocks)
    predecessors: dict[str, list[str]] = {}
    for block in blocks:
        for target in successors(block.terminator):
            predecessors.setdefault(target, []).append(block.name)
    known: dict[str, Operand] = {}
    tidy = []
    for block in blocks:
        coming = predecessors.get(block.name, [])
        kept: list[Instruction] = []
        for instruction in block.instructions:
            if isinstance(instruction, ir.Phi):
                phi = _with_edges(instruction, coming)
                values = {v for v, _ in phi.incoming} - {Local(phi.type, phi.result or "")}
                if phi.result is not None and len(values) <= 1:
                    known[phi.result] = values.pop() if values else Simple(phi.type, "poison")
                    continue
                kept.append(phi)
            else:
                kept.append(instruction)
        tidy.append(replace(block, instructions=tuple(kept)))
    function = with_blocks(function, Substitution(known).over(tidy))
    return with_blocks(function, _without_dead(function.blocks))


def _reachable(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    by_name = {b.name: b for b in blocks}
    names: set[str] = set()
    todo = [blocks[0].name]
    while todo:
        name = todo.pop()
        if name not in names:
            names.add(name)
            todo += successors(by_name[name].terminator)
    return tuple(b for b in blocks if b.name in names)


def _with_edges(phi: ir.Phi, coming: list[str]) -> ir.Phi:
    """A phi with one entry per incoming edge."""
    by_block = {block: value for value, block in phi.incoming}
    return replace(phi, incoming=tuple((by_block[name], name) for name in coming if name in by_block))


def _without_dead(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """Pure instructions whose results nothing uses go; hearts and other calls have a say and stay."""
    maker = {i.result: i for b in blocks for i in b.instructions if i.result is not None}
    live: set[str] = set()
    todo: list[str] = []

    def note(instruction: Instruction) -> None:
        def local(value: Local) -> Operand:
            todo.append(value.name)
            return value

        with_operands(instruction, local)

    for block in blocks:
        for instruction in block.instructions:
            if not isinstance(instruction, _PURE):
                note(instruction)
    while todo:
        name = todo.pop()
        if name not in live:
            live.add(name)
            definition = maker.get(name)
            if isinstance(definition, _PURE):
                note(definition)

    def stays(instruction: Instruction) -> bool:
        return not isinstance(instruction, _PURE) or instruction.result in live

    return tuple(replace(b, instructions=tuple(filter(stays, b.instructions))) for b in blocks)


def _without_unused(module: Module) -> Module:
    """Declarations, attribute groups, globals and metadata that nothing mentions go."""
    used = _mentioned(module)
    functions = {n: f for n, f in module.functions.items() if not f.is_declaration or n in used}
    globals_ = {n: g for n, g in module.globals.items() if n in used}
    return replace(module, functions=functions, globals=globals_, source_filename=None)


def _mentioned(module: Module) -> set[str]:
    from ..ir.instructions import operands

    names: set[str] = set()
    for function in module.definitions():
        for instruction in function.instructions:
            for operand in operands(instruction):
                if isinstance(operand, Global):
                    names.add(operand.name)
            if isinstance(instruction, ir.CallSite) and isinstance(instruction.callee, Global):
                names.add(instruction.callee.name)
    return names


# -- Kinds of candidates for the reducer, big cuts first: each gives smaller modules for a module

Cut = Callable[[Module], Iterator[Module]]

TOKEN = SimpleType("token")


def candidates() -> tuple[Cut, ...]:
    """All kinds, in the order in which they are tried."""
    return (
        no_bodies, returns, one_way, fewer_cases, no_runs, no_instruction, forwarded, merged, no_results,
        simpler_operands, shorter_terminators, no_parameters, fewer_words,
    )  # fmt: skip


def with_function(module: Module, function: Function) -> Module:
    """A module with one function replaced."""
    return replace(module, functions={**module.functions, function.name: function})


def each(module: Module) -> Iterator[Function]:
    """The definitions, helpers first."""
    yield from reversed(module.definitions())


def default(type_: Type) -> Operand | None:
    """A constant of a type, or ``None``."""
    match type_:
        case IntType():
            return Int(type_, 0)
        case SimpleType():
            return None
        case _:
            return Simple(type_, "zeroinitializer")


def no_bodies(module: Module) -> Iterator[Module]:
    """Without a helper: its calls give their last operand. The first definition is what is launched."""
    for helper in module.definitions()[1:]:
        functions = {n: f for n, f in module.functions.items() if n != helper.name}
        for name, function in functions.items():
            if not function.is_declaration:
                functions[name] = _without_calls(function, helper.name)
        yield replace(module, functions=functions)


def _without_calls(function: Function, callee: str) -> Function:
    known: dict[str, Operand] = {}
    blocks = []
    for block in function.blocks:
        kept = []
        for i in block.instructions:
            if isinstance(i, ir.Call) and isinstance(i.callee, Global) and i.callee.name == callee:
                instead = i.arguments[-1].value if i.arguments else default(i.type.result)
                if i.result is not None and instead is not None:
                    known[i.result] = instead
            else:
                kept.append(i)
        blocks.append(replace(block, instructions=tuple(kept)))
    return with_blocks(function, Substitution(known).over(blocks))


def returns(module: Module) -> Iterator[Module]:
    """A block returns instead of going on."""
    for function in each(module):
        for place, block in enumerate(function.blocks):
            if isinstance(block.terminator, ir.Ret | ir.Unreachable):
                continue
            result = function.type.result
            value = None if result == SimpleType("void") else default(result)
            yield with_function(module, _terminated(function, place, ir.Ret(value)))


def _terminated(function: Function, place: int, terminator: Instruction) -> Function:
    blocks = list(function.blocks)
    block = blocks[place]
    blocks[place] = replace(block, instructions=(*block.instructions[:-1], terminator))
    return with_blocks(function, blocks)


def one_way(module: Module) -> Iterator[Module]:
    """A branch goes one way only."""
    for function in each(module):
        for place, block in enumerate(function.blocks):
            targets = dict.fromkeys(successors(block.terminator))
            if len(targets) > 1:
                for target in targets:
                    yield with_function(module, _terminated(function, place, ir.Br(target)))


def fewer_cases(module: Module) -> Iterator[Module]:
    """A switch has a case less, or is a branch."""
    for function in each(module):
        for place, block in enumerate(function.blocks):
            switch = block.terminator
            if not isinstance(switch, ir.Switch):
                continue
            for k in range(len(switch.cases)):
                cases = switch.cases[:k] + switch.cases[k + 1 :]
                fewer: Instruction = replace(switch, cases=cases) if cases else ir.Br(switch.default)
                yield with_function(module, _terminated(function, place, fewer))


def no_runs(module: Module) -> Iterator[Module]:
    """Without several instructions in a row."""
    for function in each(module):
        for place, block in enumerate(function.blocks):
            count = len(block.instructions) - 1
            size = count
            while size > 1:
                for start in range(0, count - size + 1, size):
                    yield from _without(module, function, place, range(start, start + size))
                size //= 2


def no_instruction(module: Module) -> Iterator[Module]:
    """Without one instruction."""
    for function in each(module):
        for place, block in enumerate(function.blocks):
            for k in reversed(range(len(block.instructions) - 1)):
                yield from _without(module, function, place, range(k, k + 1))


def _without(module: Module, function: Function, place: int, gone: range) -> Iterator[Module]:
    """The instructions ``gone`` of a block left out: values become zero, tokens become their parent or any
    other token of the function (validity decides which may stand there)."""
    block = function.blocks[place]
    kept = tuple(i for k, i in enumerate(block.instructions) if k not in gone)
    known: dict[str, Operand] = {}
    tokens: list[str] = []
    for k in gone:
        instruction = block.instructions[k]
        if instruction.result is None:
            continue
        if control(instruction) is not None:
            tokens.append(instruction.result)
            continue
        type_ = _type_of(instruction)
        value = None if type_ is None else default(type_)
        if value is None:
            return
        known[instruction.result] = value
    blocks = list(function.blocks)
    blocks[place] = replace(block, instructions=kept)
    if not tokens:
        yield with_function(module, with_blocks(function, Substitution(known).over(blocks)))
        return
    controls = (i for b in blocks for i in b.instructions if control(i) is not None)
    others = [i.result for i in controls if i.result is not None]
    parents = {
        i.result: parent.name
        for i in block.instructions
        if control(i) is Control.LOOP and i.result is not None and (parent := token_used(i)) is not None
    }
    first = [parents[t] for t in tokens if t in parents]
    for other in dict.fromkeys([*(p for p in first if p in others), *others]):
        known |= {token: Local(TOKEN, other) for token in tokens}
        yield with_function(module, with_blocks(function, Substitution(known).over(blocks)))
    if not _uses(blocks, tokens):
        yield with_function(module, with_blocks(function, Substitution(known).over(blocks)))


def _uses(blocks: list[Block], tokens: list[str]) -> bool:
    used = (token_used(i) for b in blocks for i in b.instructions)
    return any(token is not None and token.name in tokens for token in used)


def _type_of(instruction: Instruction) -> Type | None:
    """The type of an instruction's result, for those that programs here have."""
    match instruction:
        case ir.CallSite():
            return instruction.type.result
        case ir.Binary(lhs=value) | ir.Freeze(value=value) | ir.Select(then=value):
            return value.type
        case ir.ICmp() | ir.FCmp():
            return IntType(1)
        case ir.Conversion(to=type_) | ir.Load(type=type_) | ir.Phi(type=type_):
            return type_
        case _:
            return None


def forwarded(module: Module) -> Iterator[Module]:
    """Without a block that only branches on."""
    for function in each(module):
        for block in function.blocks[1:]:
            if len(block.instructions) == 1 and isinstance(block.terminator, ir.Br):
                target = block.terminator.target
                if target == block.name:
                    continue
                yield with_function(module, _around(function, block, target))


def _around(function: Function, block: Block, target: str) -> Function:
    """All edges to ``block`` go to ``target``; phis there take its value for each of them."""
    coming = [b.name for b in function.blocks if block.name in successors(b.terminator)]
    blocks = []
    for b in function.blocks:
        if b.name == block.name:
            continue
        instructions = [
            replace(i, incoming=_split(i.incoming, block.name, coming)) if isinstance(i, ir.Phi) else i
            for i in b.instructions
        ]
        instructions[-1] = with_targets(instructions[-1], lambda n: target if n == block.name else n)
        end = instructions[-1]
        if isinstance(end, ir.CondBr) and end.then == end.otherwise:
            instructions[-1] = ir.Br(end.then)
        blocks.append(replace(b, instructions=tuple(instructions)))
    return with_blocks(function, blocks)


def _split(
    incoming: tuple[tuple[Operand, str], ...], gone: str, coming: list[str]
) -> tuple[tuple[Operand, str], ...]:
    pieces = []
    for value, block in incoming:
        pieces += [(value, name) for name in coming] if block == gone else [(value, block)]
    return tuple({b: (v, b) for v, b in reversed(pieces)}.values())


def merged(module: Module) -> Iterator[Module]:
    """A block and its only successor, which has no other predecessor, as one."""
    for function in each(module):
        coming: dict[str, list[str]] = {}
        for b in function.blocks:
            for target in successors(b.terminator):
                coming.setdefault(target, []).append(b.name)
        by_name = {b.name: b for b in function.blocks}
        for b in function.blocks:
            if not isinstance(b.terminator, ir.Br):
                continue
            after = by_name[b.terminator.target]
            if coming[after.name] != [b.name] or after is b or after is function.blocks[0]:
                continue
            if any(isinstance(i, ir.Phi) for i in after.instructions):
                continue
            whole = replace(b, instructions=(*b.instructions[:-1], *after.instructions))
            renamed = renamed_by({after.name: b.name})
            rest = (x for x in function.blocks if x is not after)
            blocks = [whole if x is b else with_incoming(x, renamed) for x in rest]
            yield with_function(module, with_blocks(function, blocks))


def no_results(module: Module) -> Iterator[Module]:
    """A value that is computed is a parameter or a constant instead, the computation staying if it must."""
    for function in each(module):
        for block in function.blocks:
            for i in block.instructions:
                if i.result is None or control(i) is not None:
                    continue
                if not isinstance(i, ir.CallSite | ir.Phi | ir.Select):
                    continue
                for value in _simple_values(function, _type_of(i)):
                    known = Substitution({i.result: value})
                    yield with_function(module, with_blocks(function, known.over(function.blocks)))


def _simple_values(function: Function, type_: Type | None) -> list[Operand]:
    if type_ is None or isinstance(type_, SimpleType):
        return []
    values: list[Operand] = [Local(p.type, p.name) for p in function.parameters if p.type == type_]
    if isinstance(type_, IntType):
        values += [Int(type_, 0), Int(type_, 1)]
    return values


def simpler_operands(module: Module) -> Iterator[Module]:
    """One operand of one instruction is a parameter or a constant."""
    for function in each(module):
        for place, block in enumerate(function.blocks):
            for k, i in enumerate(block.instructions):
                used: list[Local] = []

                def note(value: Local, used: list[Local] = used) -> Operand:
                    used.append(value)
                    return value

                with_operands(i, note)
                for local in dict.fromkeys(used):
                    if local.type == TOKEN or local.name in {p.name for p in function.parameters}:
                        continue
                    for value in _simple_values(function, local.type):
                        changed = with_operands(i, lambda v, a=local, b=value: b if v == a else v)  # type: ignore[misc]
                        blocks = list(function.blocks)
                        instructions = list(block.instructions)
                        instructions[k] = changed
                        blocks[place] = replace(block, instructions=tuple(instructions))
                        yield with_function(module, with_blocks(function, blocks))


def shorter_terminators(module: Module) -> Iterator[Module]:
    """A switch of one case is a branch; the value returned is simpler, or the function returns nothing."""
    for function in each(module):
        for place, block in enumerate(function.blocks):
            end = block.terminator
            if isinstance(end, ir.Switch) and isinstance(end.value.type, IntType):
                for value, target in end.cases:
                    if target == end.default:
                        continue
                    test = ir.ICmp("eq", end.value, value, result="case.test")
                    branch = ir.CondBr(Local(IntType(1), "case.test"), target, end.default)
                    blocks = list(function.blocks)
                    blocks[place] = replace(block, instructions=(*block.instructions[:-1], test, branch))
                    yield with_function(module, with_blocks(function, blocks))
    main = module.definitions()[0]
    callers = _calls(module, main.name)
    if main.type.result != SimpleType("void") and not callers:
        blocks = [
            replace(b, instructions=(*b.instructions[:-1], ir.Ret(None)))
            if isinstance(b.terminator, ir.Ret)
            else b
            for b in main.blocks
        ]
        type_ = replace(main.type, result=SimpleType("void"))
        yield with_function(module, replace(with_blocks(main, blocks), type=type_))


def _calls(module: Module, name: str) -> bool:
    return any(
        isinstance(i, ir.CallSite) and isinstance(i.callee, Global) and i.callee.name == name
        for f in module.definitions()
        for i in f.instructions
    )


def no_parameters(module: Module) -> Iterator[Module]:
    """A function has a parameter less: inside it is zero, or another parameter."""
    for function in each(module):
        for k, parameter in enumerate(function.parameters):
            value = default(parameter.type)
            if value is None:
                continue
            known = Substitution({parameter.name: value})
            parameters = function.parameters[:k] + function.parameters[k + 1 :]
            type_ = _less(function.type, k)
            simpler = replace(function, parameters=parameters, type=type_)
            simpler = with_blocks(simpler, known.over(function.blocks))
            changed = with_function(module, simpler)
            for caller in changed.definitions():
                blocks = [
                    replace(b, instructions=tuple(_with_less(i, function.name, k) for i in b.instructions))
                    for b in caller.blocks
                ]
                changed = with_function(changed, with_blocks(caller, blocks))
            yield changed


def _less(type_: FunctionType, k: int) -> FunctionType:
    return replace(type_, parameters=type_.parameters[:k] + type_.parameters[k + 1 :])


def _with_less(instruction: Instruction, callee: str, k: int) -> Instruction:
    if (
        isinstance(instruction, ir.CallSite)
        and isinstance(instruction.callee, Global)
        and instruction.callee.name == callee
    ):
        arguments = instruction.arguments[:k] + instruction.arguments[k + 1 :]
        return replace(instruction, arguments=arguments, type=_less(instruction.type, k))
    return instruction


def fewer_words(module: Module) -> Iterator[Module]:
    """Without metadata, flags and attributes that do not matter. A call that nobody sees stays one."""
    if module.metadata or module.named_metadata:
        yield replace(_without_attachments(module), metadata={}, named_metadata={})
    for function in module.functions.values():
        if function.implicit:
            continue
        for k, word in enumerate(function.attributes):
            if word == "convergent":
                continue  # what it means would be another
            fewer = function.attributes[:k] + function.attributes[k + 1 :]
            if _becomes_event(function.attributes, fewer):
                continue  # a pass that was free to move or drop the call would be wrong, and by our doing
            yield with_function(module, replace(function, attributes=fewer))
        if function.words:
            yield with_function(module, replace(function, words=()))
    for function in each(module):
        for place, block in enumerate(function.blocks):
            for k, i in enumerate(block.instructions):
                if getattr(i, "flags", ()) and not isinstance(i, ir.Alloca):
                    instructions = list(block.instructions)
                    instructions[k] = replace(i, flags=())  # type: ignore[call-arg]
                    blocks = list(function.blocks)
                    blocks[place] = replace(block, instructions=tuple(instructions))
                    yield with_function(module, with_blocks(function, blocks))


def _becomes_event(words: tuple[str, ...], fewer: tuple[str, ...]) -> bool:
    """Whether the outside sees a call with fewer attributes, and does not see it with all."""
    before, after = effects_of(words), effects_of(fewer)
    return any(after.is_event(reading) and not before.is_event(reading) for reading in (False, True))


def _without_attachments(module: Module) -> Module:
    for function in module.definitions():
        blocks = [
            replace(b, instructions=tuple(replace(i, attachments=()) for i in b.instructions))
            for b in function.blocks
        ]
        module = with_function(module, with_blocks(function, blocks))
    return module


# -- A token-aware reducer: a smaller program with the same fault
# Candidates are made on the IR, so that hearts keep their cycles and uses their tokens: where an
# intrinsic goes, its uses take another token. Each candidate must be LLVM IR that LLVM's verifier and
# ours accept; then the caller's question decides.

_REFUSED = ("S-", "W-NOT-CONVERGENT")
"""What no candidate may have: LLVM and its documents differ on calls convergent by their bundle alone."""

Question = Callable[[str], bool]
"""Whether a program still has what is looked for."""


@dataclass
class Reduction:
    """The state of one reduction: how many ``candidates`` there were, and how many ``questions`` they were
    worth."""

    question: Question
    clock: Clock = NEVER
    most: int = 4_000
    candidates: int = 0
    questions: int = 0
    texts: set[str] = field(default_factory=set)

    def holds(self, module: Module) -> Module | None:
        """The candidate as it was read back, if it is valid, new and still interesting."""
        from ..parser import NotLLVM, Unsupported, parse
        from ..parser.llvm import llvm_verdict
        from ..parser.printer import print_module
        from ..verifier import verify

        self.candidates += 1
        try:
            text = print_module(tidy(module))
            if text in self.texts:
                return None
            self.texts.add(text)
            if llvm_verdict(text):
                return None
            parsed = parse(text)
            if any(d.rule.id.startswith(_REFUSED) for d in verify(parsed)):
                return None
        except (NotLLVM, Unsupported, KeyError, IndexError):
            return None
        self.questions += 1
        return parsed if self.question(text) else None

    @property
    def over(self) -> bool:
        """Whether a bound is hit."""
        return self.clock.hit() is not None or self.questions >= self.most

    def smaller(self, module: Module) -> Iterator[Module]:
        """Ever smaller modules, until no single candidate is interesting."""
        progress = True
        while progress:
            progress = False
            for cut in candidates():
                again = True
                while again:
                    smaller_module = next(
                        (m for c in self._within(cut(module)) if (m := self.holds(c))), None
                    )
                    again = smaller_module is not None
                    if smaller_module is not None:
                        module, progress = smaller_module, True
                        yield module

    def _within(self, candidates: Iterator[Module]) -> Iterator[Module]:
        """Candidates until a bound is hit."""
        for candidate in candidates:
            if self.over:
                return
            yield candidate


def reduce(
    text: str, question: Question, *, timeout: float | None = None, most: int = 4_000,
    progress: Callable[[int], None] | None = None,
) -> str:  # fmt: skip
    """The smallest program found for which ``question`` still holds.

    ``text`` must be valid and interesting itself, else it is given back. ``progress`` is told the number of
    lines whenever it falls. ``most`` bounds the questions, ``timeout`` the seconds;
    an interrupt (Ctrl-C) ends it with what there is.
    """
    from ..parser import parse
    from ..parser.printer import print_module

    state = Reduction(question, clock_of(timeout), most)
    best = parse(text)
    first = state.holds(best)
    if first is None:
        return text
    best = first
    try:
        for smaller in state.smaller(first):
            best = smaller
            if progress is not None:
                progress(print_module(best).count("\n"))
    except KeyboardInterrupt:
        notice()
    return print_module(best)
