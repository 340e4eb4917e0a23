"""Small programs and executions made by hand: no parser, no machine.

A program is a list of blocks ``"A: t=entry -> B"``, ``"B: h=loop[t] s=add[h] -> B C"``: operations,
then successors. ``x=anchor``, ``x=f[t]`` and ``x=f`` (uncontrolled) as well; ``x`` alone is an add;
``=free`` forms such as ``c=call g`` call a defined function.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from convergence.alignment import BlockVisit, ConvergedWith, DynamicInstance, Execution, StaticInstance
from convergence.ir import I1, TOKEN, VOID, FunctionType, Global, Int, IntType, Local
from convergence.ir.calls import Control, control, is_convergent, token_used
from convergence.ir.instructions import Binary, Br, Bundle, Call, CondBr, Instruction, Ret, Switch
from convergence.ir.module import Block, Body, Function, Module

I32 = IntType(32)
_INTRINSICS = {c.name.lower(): c.value for c in Control}
_OPERATION = re.compile(r"(?:(\w+)=)?(\w+)(?:\[(\w+)\])?$")


def _operation(word: str) -> Instruction:
    match = _OPERATION.match(word)
    assert match, word
    result, what, token = match.groups()
    if result is None and token is None and what != "anchor":
        return Binary(result=what, opcode="add", lhs=Int(I32, 1), rhs=Int(I32, 2))
    bundles = (Bundle("convergencectrl", (Local(TOKEN, token),)),) if token else ()
    intrinsic = _INTRINSICS.get(what)
    result_type = TOKEN if intrinsic else I32
    return Call(
        result=result,
        callee=Global(intrinsic or what),
        type=FunctionType(result_type, ()),
        bundles=bundles,
    )


def _terminator(targets: Sequence[str]) -> Instruction:
    match list(targets):
        case []:
            return Ret(value=None)
        case [one]:
            return Br(target=one)
        case [then, otherwise]:
            return CondBr(condition=Int(I1, 1), then=then, otherwise=otherwise)
        case [default, *rest]:
            return Switch(
                value=Int(I32, 0), default=default, cases=tuple((Int(I32, n), t) for n, t in enumerate(rest))
            )
    raise AssertionError


def function(name: str, lines: Sequence[str]) -> Function:
    blocks = []
    for line in lines:
        head, _, targets = line.partition("->")
        label, _, operations = head.partition(":")
        instructions = [_operation(word) for word in operations.split()]
        blocks.append(Block(label.strip(), (*instructions, _terminator(targets.split()))))
    return Function(name, FunctionType(VOID, ()), (), Body(tuple(blocks)), ("convergent",))


def module(**functions: Sequence[str]) -> Module:
    """A module of these functions, all convergent; whatever else they call is declared convergent."""
    made = {name: function(name, lines) for name, lines in functions.items()}
    called = {
        i.callee.name
        for f in made.values()
        for i in f.instructions
        if isinstance(i, Call) and isinstance(i.callee, Global)
    }
    declared = {
        name: Function(name, FunctionType(I32, ()), (), None, ("convergent",))
        for name in sorted(called - made.keys() - {c.value for c in Control})
    }
    return Module(
        functions={**made, **declared},
        intrinsics={c.value: frozenset({"convergent"}) for c in Control},
    )


Label = Callable[[DynamicInstance], object]


def execute(program: Module, name: str, paths: Sequence[str], label: Label | None = None) -> Execution:
    """The execution of ``@name`` along ``paths``, calls of other functions not followed.

    Controlled operations are converged by the structural keys of semantics.md, fact 1; anchors
    and uncontrolled operations by ``label`` (default: all that are executed for the n-th time).
    """
    f = program.functions[name]
    label = label or (lambda instance: instance.nth)
    index = {block.name: number for number, block in enumerate(f.blocks)}
    start = [0]
    for block in f.blocks:
        start.append(start[-1] + len(block.instructions))
    rows, groups = [], defaultdict(set)
    for thread, path in enumerate(paths):
        visits = []
        counts: defaultdict[object, int] = defaultdict(int)
        tokens: dict[str, object] = {}
        for block_name in path.split():
            number = index[block_name]
            operations = []
            for offset, instruction in enumerate(f.blocks[number].instructions):
                if not is_convergent(program, instruction):
                    continue
                site = StaticInstance(name, start[number] + offset)
                counts[site] += 1
                instance = DynamicInstance(thread, site, counts[site])
                token = token_used(instruction)
                match control(instruction):
                    case Control.ENTRY:
                        key: object = site
                    case Control.LOOP:
                        assert token is not None
                        base = (site, tokens[token.name])
                        counts[base] += 1
                        key = (*base, counts[base])
                    case _ if token is not None:
                        key = (site, tokens[token.name])
                    case _:
                        key = (site, label(instance))
                if instruction.result is not None:
                    tokens[instruction.result] = key
                groups[key].add(instance)
                operations.append(instance)
            visits.append(BlockVisit(0, None, name, block_name, tuple(operations)))
        rows.append(tuple(visits))
    return Execution(tuple(rows), ConvergedWith(frozenset(map(frozenset, groups.values()))))


def apart(threads: Mapping[int, object]) -> Label:
    """A label that keeps the given threads in groups of their own."""
    return lambda instance: (threads[instance.thread], instance.nth)


NATURAL = ("A: t=anchor -> B", "B: h=loop[t] s=sum[h] -> B C", "C: -> B D", "D:")
NATURAL_PATHS = ("A B B C D", "A B C B C D")
NESTED = (
    "A: t=anchor -> O",
    "O: o=loop[t] -> B",
    "B: h=loop[o] s=sum[h] -> B C",
    "C: -> O D",
    "D:",
)
NESTED_PATHS = ("A O B B C D", "A O B C O B C D")
UNCONTROLLED = ("A: -> B", "B: s=sum -> B C", "C: -> B D", "D:")
