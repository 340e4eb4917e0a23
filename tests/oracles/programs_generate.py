"""Random well-formed token programs, uncontrolled ones, and ones whose tokens are mixed up."""

from __future__ import annotations

import random
from dataclasses import replace

from .programs import (
    EXCHANGES,
    Anchor,
    Effect,
    Entry,
    Exchange,
    Function,
    Instruction,
    Invocation,
    Loop,
    Program,
)
from .programs_build import FunctionBuilder
from .programs_draw import Case, RandomSource, Shape, Source
from .programs_write import Helper, Writer


def _unstructured(source: Source, shape: Shape) -> Function:
    """An arbitrary CFG without tokens, or with an anchor for each operation.

    Second successors go forwards in the text, and a first one is taken only while the path word
    ``a`` still has bits: it loses one per branch.
    """
    build = FunctionBuilder("main", ("a", "b"))
    count = 3 + source.below(5)
    blocks = [build.block("n") for _ in range(count)]
    build.write("path", build.read("a"))
    build.write("v0", build.read("b"))
    preds: set[int] = {0}
    plan: list[tuple[int, int]] = []
    for i in range(count - 1):
        otherwise = min(count - 1, i + 1 + source.below(2))
        then = count - 1 - source.below(count)
        plan.append((then, otherwise))
        preds |= {then, otherwise}
    start = source.below(min(3, count - 1))
    reachable = {0, start}
    todo = [0, start]
    while todo:
        at = todo.pop()
        for target in plan[at] if at < count - 1 else ():
            if target not in reachable:
                reachable.add(target)
                todo.append(target)

    def branch(then: int, otherwise: int) -> None:
        bit = build.compute("and", build.read("path"), 1, "bit")
        if source.below(4) == 3:
            bit = build.compute("and", bit, build.read("v0"), "bit")
        build.write("path", build.compute("lshr", build.read("path"), 1, "path"))
        if then == otherwise:
            build.goto(blocks[then])
        elif source.below(2):
            build.branch(build.compute("eq", bit, 0, "c"), blocks[otherwise], blocks[then])
        else:
            build.branch(build.compute("ne", bit, 0, "c"), blocks[then], blocks[otherwise])

    branch(start, 0)
    for i in range(count):
        if i not in reachable:
            continue
        build.start(blocks[i])
        token = None
        if shape.anchors and source.below(2):
            token = build.fresh("anchor")
            build.append(Anchor(token))
        if source.below(2) and (token or not shape.anchors):
            result = build.fresh("r")
            build.append(Exchange(result, EXCHANGES[0], build.read("v0"), token))
            build.write("v0", result)
        if i == count - 1:
            build.ret(build.read("v0"))
        else:
            branch(*plan[i])
    return build.finish(convergent=not shape.anchors)


def _reachable_without(function: Function, removed: str) -> set[str]:
    """The blocks that can be reached from the entry block around ``removed``."""
    seen: set[str] = set()
    todo = [function.blocks[0].name]
    while todo:
        name = todo.pop()
        if name != removed and name not in seen:
            seen.add(name)
            todo += function.block[name].successors
    return seen


def with_other_tokens(source: Source, case: Case) -> Case:
    """Some uses get another token that is defined there: static rules other than S-DOM may break."""
    functions = []
    for function in case.program.functions:
        avoiding = {b.name: _reachable_without(function, b.name) for b in function.blocks}
        blocks = []
        for block in function.blocks:
            elsewhere = [
                i.result
                for b in function.blocks
                if b is not block and block.name not in avoiding[b.name]
                for i in b.body
                if isinstance(i, Entry | Loop | Anchor)
            ]
            body: list[Instruction] = []
            for instruction in block.body:
                tokens = elsewhere + [i.result for i in body if isinstance(i, Entry | Loop | Anchor)]
                if getattr(instruction, "token", None) is not None and tokens and source.below(3) == 2:
                    assert isinstance(instruction, Loop | Exchange | Effect | Invocation)
                    instruction = replace(instruction, token=tokens[source.below(len(tokens))])
                body.append(instruction)
            blocks.append(replace(block, body=tuple(body)))
        functions.append(replace(function, blocks=tuple(blocks)))
    return replace(case, program=Program(tuple(functions)))


def generate(source: Source, shape: Shape) -> Case:
    """One program with arguments."""
    if shape.unstructured:
        program = Program((_unstructured(source, shape),))
        threads = 2 + source.below(shape.threads - 1)
        arguments = tuple((source.below(64), 1 + source.below(3)) for _ in range(threads))
        return Case(program, arguments)
    styles = ["entry"] if shape.controlled else ["uncontrolled"]
    if shape.anchors:
        styles.append("anchor")
    helper_styles = list(styles)
    if shape.mixed:
        helper_styles += ["entry", "uncontrolled"]
    names = [
        Helper(f"helper{i}", helper_styles[source.below(len(helper_styles))])
        for i in range(source.below(shape.helpers + 1))
    ]
    main_style = styles[source.below(len(styles))]
    helpers = tuple(names)
    main = Writer(source, shape, "main", ("a", "b"), main_style, helpers, shape.statements).function()
    small = replace(shape, depth=1)
    functions = [main]
    for helper in helpers:
        writer = Writer(source, small, helper.name, ("fuel", "x"), helper.style, helpers, 3 + source.below(4))
        functions.append(writer.function())
    threads = 2 + source.below(shape.threads - 1)
    arguments = tuple((source.below(shape.most + 1), source.below(shape.most + 1)) for _ in range(threads))
    return Case(Program(tuple(functions)), arguments)


def random_case(seed: int, shape: Shape) -> Case:
    """The program of a seed."""
    return generate(RandomSource(random.Random(seed)), shape)


def random_ill_formed_case(seed: int, shape: Shape) -> Case:
    """The program of a seed with tokens mixed up."""
    source = RandomSource(random.Random(seed))
    return with_other_tokens(source, generate(source, shape))
