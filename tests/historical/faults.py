"""Faults that compilers have had, as small rewrites of our own that put them back.

Each takes a program of the fuzzer and gives every program that has the fault at one place. ``origin`` is
where it was seen: a public thread, a file of ``examples_ll/findings``, or LLVM's document (COS) where it says
what a transform may not do; a fault without one is a *control*, of a kind that any pass may have, and counts
apart. A rewrite is not the compiler's code; it does what that code did to a program, at every place where it
finds the pattern, harmful there or not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.historical.text import (
    CONTROL,
    Block,
    Call,
    Function,
    Program,
    call,
    convergent_functions,
    operations,
    read,
)

LLVM = "https://github.com/llvm/llvm-project/"
COS = "https://llvm.org/docs/ConvergentOperations.html#examples-for-the-correctness-of-program-transforms"
CONTROLS = ""
DXC = "https://github.com/microsoft/DirectXShaderCompiler/"

Rewrite = Callable[[str], Iterator[str]]


class Fault(NamedTuple):
    name: str
    origin: str
    words: str
    rewrite: Rewrite
    styles: tuple[str, ...] = ("any",)


FAULTS: list[Fault] = []


def fault(origin: str, *styles: str) -> Callable[[Rewrite], Rewrite]:
    """Put a rewrite on the shelf; its name and words are those of the function."""

    def shelve(rewrite: Rewrite) -> Rewrite:
        words = (rewrite.__doc__ or "").strip()
        FAULTS.append(Fault(rewrite.__name__.replace("_", "-"), origin, words, rewrite, styles or ("any",)))
        return rewrite

    return shelve


Place = tuple[Program, Function, Block, int, Call]


def places(text: str) -> Iterator[Place]:
    """Every convergent operation, each in a program of its own that may be changed."""
    first = read(text)
    convergent = convergent_functions(first)
    for f, function in enumerate(first.functions):
        for b, block in enumerate(function.blocks):
            for place, made in operations(block, convergent):
                program = read(text)
                yield program, program.functions[f], program.functions[f].blocks[b], place, made


def blocks(text: str) -> Iterator[tuple[Program, Function, Block]]:
    """Every block, each in a program of its own."""
    first = read(text)
    for f, function in enumerate(first.functions):
        for b in range(len(function.blocks)):
            program = read(text)
            yield program, program.functions[f], program.functions[f].blocks[b]


def loops(text: str) -> Iterator[tuple[Program, Function, Block, list[Block], Block]]:
    """Every loop: header, blocks, the block before."""
    first = read(text)
    for f, function in enumerate(first.functions):
        for number, _ in enumerate(function.loops()):
            program = read(text)
            header, body, before = list(program.functions[f].loops())[number]
            yield program, program.functions[f], header, body, before


def lines(text: str, pattern: str) -> Iterator[tuple[Program, Block, int]]:
    """Every line in which a pattern occurs."""
    for program, _, block in blocks(text):
        for place, line in enumerate(block.lines):
            if re.search(pattern, line):
                fresh = read(str(program))
                same = next(
                    b
                    for f in fresh.functions
                    for b in f.blocks
                    if b.lines == block.lines and b.name == block.name
                )
                yield fresh, same, place


def arm(function: Function, block: Block) -> Block | None:
    """The block whose branch leads to this one and that alone does."""
    before = function.predecessors(block.name)
    return before[0] if len(before) == 1 and len(before[0].targets) > 1 else None


# -- operations that move -----------------------------------------------------------------------------


@fault("examples_ll/findings/speculated-convergent-call.ll")
def speculated(text: str) -> Iterator[str]:
    """An operation in an arm is executed in front of the branch."""
    for program, function, block, place, _ in places(text):
        before = arm(function, block)
        if before is not None:
            before.lines.insert(-1, block.lines.pop(place))
            yield str(program)


@fault(COS)
def sunk_into_an_arm(text: str) -> Iterator[str]:
    """An operation in front of a branch is executed in the one arm that needs its result."""
    for program, function, block, place, made in places(text):
        for target in dict.fromkeys(block.targets):
            arms = function.block(target)
            needed = [] if made.result is None else function.uses(made.result)
            if arm(function, arms) is block and all(user is not block for user, _ in needed):
                line = block.lines.pop(place)
                arms.lines.insert(arms.phis, line)
                yield str(program)
                arms.lines.remove(line)
                block.lines.insert(place, line)


@fault(COS)
def merged_in_front_of_the_arms(text: str) -> Iterator[str]:
    """Two arms have the same operation: it is executed once, in front of the branch."""
    for program, function, block, place, made in places(text):
        before = arm(function, block)
        if before is None:
            continue
        for name in before.targets:
            other = function.block(name)
            if other is block or arm(function, other) is not before:
                continue
            for k, line in enumerate(other.lines):
                twin = call(line)
                if twin is not None and twin.identity == made.identity:
                    before.lines.insert(-1, block.lines.pop(place))
                    del other.lines[k]
                    if twin.result and made.result:
                        function.replace(twin.result, f"%{made.result}")
                    yield str(program)
                    break
            break


@fault(COS)
def merged_behind_the_arms(text: str) -> Iterator[str]:
    """Two arms end with the same operation: it is executed once, behind them."""
    for program, function, block, place, made in places(text):
        if len(block.targets) != 1:
            continue
        join = function.block(block.targets[0])
        for other in function.predecessors(join.name):
            if other is block or len(other.targets) != 1 or len(function.predecessors(join.name)) != 2:
                continue
            twins = [(k, c) for k, line in enumerate(other.lines) if (c := call(line))]
            twins = [(k, c) for k, c in twins if c.identity == made.identity]
            if not twins:
                continue
            k, twin = twins[-1]
            line = block.lines.pop(place)
            del other.lines[k]
            join.lines.insert(join.phis, line)
            pair = rf"\[ %{made.result}, %{block.name} \]|\[ %{twin.result}, %{other.name} \]"
            for n in range(join.phis):
                if len(re.findall(pair, join.lines[n])) == 2 and made.result:
                    gone = join.lines.pop(n).split(" = ")[0].strip()
                    function.replace(gone[1:], f"%{made.result}")
                    break
            yield str(program)
            break


@fault("https://github.com/HSAFoundation/HLC-HSAIL-Development-LLVM/issues/15", "any", "memory")
def replicated_into_predecessors(text: str) -> Iterator[str]:
    """An operation behind a join is executed in front of it, a copy in each block that leads there."""
    for program, function, block, place, made in places(text):
        before = function.predecessors(block.name)
        if len(before) < 2:
            continue
        line = block.lines.pop(place)
        incoming = []
        for number, source in enumerate(before):
            copy = (
                line
                if made.result is None
                else line.replace(f"%{made.result} =", f"%{made.result}.{number}x =", 1)
            )
            source.lines.insert(-1, copy)
            incoming.append(f"[ %{made.result}.{number}x, %{source.name} ]")
        if made.result is not None:
            kind = line.split("call ")[1].split()[0]
            block.lines.insert(0, f"  %{made.result} = phi {kind} {', '.join(incoming)}")
        yield str(program)


def duplicated(text: str, with_operation: bool) -> Iterator[str]:
    """Blocks with several predecessors, one of which gets a copy of its own."""
    for program, function, block in blocks(text):
        convergent = convergent_functions(program)
        before = function.predecessors(block.name)
        has = any(True for _ in operations(block, convergent))
        if len(before) < 2 or has != with_operation or any(CONTROL in line for line in block.lines):
            continue
        defined = [line.split(" = ")[0].strip()[1:] for line in block.lines if " = " in line]
        targets = [function.block(t) for t in dict.fromkeys(block.targets)]
        if any(
            user is not block and not (user in targets and " = phi " in user.lines[k])
            for name in defined
            for user, k in function.uses(name)
        ):
            continue
        source = before[-1]
        copy: list[str] = []
        values: dict[str, str] = {}
        for line in block.lines:
            if " = phi " in line:
                name = line.split(" = ")[0].strip()[1:]
                chosen = re.search(rf"\[ ([^,]+), %{re.escape(source.name)} \]", line)
                values[name] = chosen[1].strip() if chosen else "poison"
                continue
            for name in sorted(defined, key=len, reverse=True):
                line = re.sub(rf"%{re.escape(name)}(?![\w.$-])", values.get(name, f"%{name}.dup"), line)
            copy.append(line)
        for target in targets:
            for k in range(target.phis):
                entry = re.search(rf"\[ ([^,]+), %{re.escape(block.name)} \]", target.lines[k])
                if entry:
                    value = entry[1].strip()
                    if value[1:] in defined:
                        value = values.get(value[1:], f"{value}.dup")
                    target.lines[k] += f", [ {value}, %{block.name}.dup ]"
        for k in range(block.phis):
            block.lines[k] = re.sub(
                rf",? ?\[ [^,]+, %{re.escape(source.name)} \]", "", block.lines[k], count=1
            )
            block.lines[k] = re.sub(r"(phi \S+) , ", r"\1 ", block.lines[k])
        source.lines[-1] = re.sub(
            rf"label %{re.escape(block.name)}(?![\w.$-])", f"label %{block.name}.dup", source.lines[-1]
        )
        function.blocks.append(Block(f"{block.name}.dup", copy))
        yield str(program)


@fault(LLVM + "pull/180882")
def region_cloned(text: str) -> Iterator[str]:
    """A block with an operation is copied for one of the blocks that lead there."""
    yield from duplicated(text, with_operation=True)


@fault(LLVM + "issues/213868", "uncontrolled")
def edge_threaded(text: str) -> Iterator[str]:
    """A join is copied for one of its predecessors, which does not join the others there."""
    yield from duplicated(text, with_operation=False)


@fault(DXC + "issues/6109")
def hoisted_out_of_a_loop(text: str) -> Iterator[str]:
    """An operation in a loop whose operands do not change is executed once in front of it."""
    for program, _, _, body, before in loops(text):
        convergent = convergent_functions(program)
        for block in body:
            for place, _ in list(operations(block, convergent)):
                line = block.lines.pop(place)
                before.lines.insert(-1, line)
                yield str(program)
                before.lines.remove(line)
                block.lines.insert(place, line)


@fault(DXC + "pull/8204")
def moved_behind_a_loop(text: str) -> Iterator[str]:
    """An operation whose result is needed behind a loop only is executed there, by all who left it."""
    for program, function, _, body, _ in loops(text):
        convergent = convergent_functions(program)
        names = {b.name for b in body}
        for block in body:
            exits = [function.block(t) for b in body for t in b.targets if t not in names]
            for place, made in list(operations(block, convergent)):
                inside = made.result and any(user.name in names for user, _ in function.uses(made.result))
                for exit_ in exits[:1] if not inside else []:
                    line = block.lines.pop(place)
                    exit_.lines.insert(exit_.phis, line)
                    yield str(program)
                    exit_.lines.remove(line)
                    block.lines.insert(place, line)


@fault(DXC + "issues/6222")
def break_block_merged(text: str) -> Iterator[str]:
    """An operation where threads leave a loop is executed where all have come together."""
    for program, function, block, place, made in places(text):
        if len(block.targets) != 1:
            continue
        join = function.block(block.targets[0])
        if len(function.predecessors(join.name)) < 2:
            continue
        line = block.lines.pop(place)
        join.lines.insert(join.phis, line)
        if made.result is not None:
            for k in range(join.phis):
                mine = rf"\[ %{re.escape(made.result)}, %{re.escape(block.name)} \]"
                join.lines[k] = re.sub(mine, f"[ 0, %{block.name} ]", join.lines[k])
        yield str(program)


@fault(LLVM + "pull/207047")
def latch_redirected(text: str) -> Iterator[str]:
    """A branch that goes on with the next iteration leaves the loop instead."""
    for program, function, header, body, _ in loops(text):
        names = {b.name for b in body}
        exits = [t for b in body for t in b.targets if t not in names]
        for block in body:
            for target in exits[:1]:
                if len(block.targets) == 2 and header.name in block.targets and target not in block.targets:
                    old = block.lines[-1]
                    block.lines[-1] = re.sub(
                        rf"label %{re.escape(header.name)}(?![\w.$-])", f"label %{target}", old, count=1
                    )
                    _new_edge(function, target, block.name)
                    _no_edge(header, block.name)
                    yield str(program)
                    break


def _new_edge(function: Function, target: str, source: str) -> None:
    """Phis get a value for a new predecessor: that of another."""
    block = function.block(target)
    for k in range(block.phis):
        entry = re.search(r"\[ ([^,]+), %[\w.$-]+ \]", block.lines[k])
        assert entry is not None
        block.lines[k] += f", [ {entry[1].strip()}, %{source} ]"


def _no_edge(block: Block, source: str) -> None:
    for k in range(block.phis):
        block.lines[k] = re.sub(rf", \[ [^,]+, %{re.escape(source)} \]", "", block.lines[k], count=1)
        block.lines[k] = re.sub(rf"\[ [^,]+, %{re.escape(source)} \], ", "", block.lines[k], count=1)


@fault("examples_ll/findings/entry-sunk-below-loop.ll")
def entry_sunk(text: str) -> Iterator[str]:
    """entry is executed where its token is needed first, behind a branch or in another block."""
    for program, function, block in blocks(text):
        for place, line in enumerate(block.lines):
            made = call(line)
            if made is not None and made.callee == CONTROL + "entry" and block.targets:
                block.lines.pop(place)
                target = function.block(block.targets[0])
                target.lines.insert(target.phis, line)
                yield str(program)
                break


# -- operations that come, go and double ---------------------------------------------------------------


@fault(LLVM + "issues/65195")
def removed(text: str) -> Iterator[str]:
    """An operation with effects is removed."""
    for program, _, block, place, made in places(text):
        if made.result is None:
            del block.lines[place]
            yield str(program)


@fault(LLVM + "issues/51010")
def taken_for_an_earlier_one(text: str) -> Iterator[str]:
    """An operation takes the result of the same operation in a block that dominates it."""
    for program, function, block, place, made in places(text):
        for other in function.blocks[: function.blocks.index(block)]:
            for line in other.lines:
                twin = call(line)
                if twin and twin.result and made.result and twin.identity == made.identity:
                    fresh = read(str(program))
                    same = next(f for f in fresh.functions if f.name == function.name)
                    del same.block(block.name).lines[place]
                    same.replace(made.result, f"%{twin.result}")
                    yield str(fresh)


@fault(CONTROLS)
def unrolled_once_too_often(text: str) -> Iterator[str]:
    """An operation in a loop is executed twice in each iteration."""
    for program, _, _, body, _ in loops(text):
        convergent = convergent_functions(program)
        for block in body:
            for place, made in list(operations(block, convergent)):
                line = block.lines[place]
                if made.result is None:
                    block.lines.insert(place, line)
                    yield str(program)
                    del block.lines[place]


@fault(CONTROLS)
def effects_reordered(text: str) -> Iterator[str]:
    """Two operations with effects change places."""
    for program, _, block, place, made in places(text):
        after = call(block.lines[place + 1])
        if made.result is None and after is not None and after.result is None and after.line != made.line:
            block.lines[place], block.lines[place + 1] = block.lines[place + 1], block.lines[place]
            yield str(program)


# -- what an operation gives -----------------------------------------------------------------------------


def folded(text: str, callee: str, value: Callable[[Call], str | None]) -> Iterator[str]:
    """Results of one operation become other values."""
    for program, function, block, place, made in places(text):
        other = value(made)
        if made.callee.partition(".")[0] == callee and made.result and other is not None:
            del block.lines[place]
            function.replace(made.result, other)
            yield str(program)


def _operand(made: Call) -> str | None:
    return made.operands.split(", ")[0].split(" ", 1)[1] if made.operands else None


@fault("examples_ll/findings/wave-reduction-folded.ll")
def reduction_folded(text: str) -> Iterator[str]:
    """A sum over the group becomes the thread's own value."""
    yield from folded(text, "subgroupAdd", _operand)


@fault(LLVM + "pull/166955")
def readfirstlane_of_a_divergent_value(text: str) -> Iterator[str]:
    """The first thread's value becomes the thread's own."""
    yield from folded(text, "subgroupBroadcastFirst", _operand)


@fault("examples_ll/findings/claim-ds-permute.ll")
def shuffle_of_a_divergent_value(text: str) -> Iterator[str]:
    """What is read from a lane becomes the thread's own value."""
    yield from folded(text, "subgroupShuffle", _operand)


@fault("examples_ll/findings/claim-anchored-vote.ll")
def vote_taken_for_its_operand(text: str) -> Iterator[str]:
    """Whether any of the group says so becomes whether the thread does."""
    yield from folded(text, "subgroupAny", _operand)


@fault(LLVM + "issues/62477")
def ballot_of_those_before_the_branch(text: str) -> Iterator[str]:
    """A ballot in an arm is that of all who came to the branch."""
    for program, function, block, place, made in places(text):
        before = arm(function, block)
        if made.callee == "subgroupBallot" and before is not None:
            before.lines.insert(-1, block.lines.pop(place))
            yield str(program)


@fault("https://github.com/GPUOpen-Drivers/llpc/issues/2746")
def operand_made_uniform(text: str) -> Iterator[str]:
    """An operand becomes that of the first thread of the group."""
    for program, _, block, place, made in places(text):
        if made.callee.startswith("subgroupAdd") and "%" in made.operands:
            token = f' [ "convergencectrl"(token %{made.token}) ]' if made.token else ""
            block.lines[place] = block.lines[place].replace(f"({made.operands})", "(i32 %first.x)")
            block.lines.insert(
                place, f"  %first.x = call i32 @subgroupBroadcastFirst({made.operands}){token}"
            )
            if not any("@subgroupBroadcastFirst(" in line for line in program.other):
                row = next(line for line in program.other if f"@{made.callee}(" in line)
                program.other.append(row.replace(f"@{made.callee}(", "@subgroupBroadcastFirst("))
            yield str(program)


# -- branches and phis -------------------------------------------------------------------------------------


@fault("https://github.com/ROCm/hcc/pull/1431")
def branch_taken_for_uniform(text: str) -> Iterator[str]:
    """A branch that parts threads sends all one way, as if they had one condition."""
    for program, function, block in blocks(text):
        if block.end.strip().startswith("br i1"):
            then, otherwise = block.targets
            if then != otherwise:
                block.lines[-1] = f"  br label %{then}"
                _no_edge(function.block(otherwise), block.name)
                yield str(program)


@fault(CONTROLS)
def branch_inverted(text: str) -> Iterator[str]:
    """A condition is taken the wrong way round."""
    for program, _, block in blocks(text):
        if block.end.strip().startswith("br i1"):
            then, otherwise = block.targets
            block.lines[-1] = (
                block.end.replace(f"label %{then}", "label %0x").replace(
                    f"label %{otherwise}", f"label %{then}"
                )
            ).replace("label %0x", f"label %{otherwise}")
            yield str(program)


@fault("examples_ll/findings/claim-exit-phi.ll")
def phi_taken_for_one_value(text: str) -> Iterator[str]:
    """A phi that differs by the way that a thread came has the value of one way for all."""
    for program, block, place in lines(text, r" = phi i(1|32) "):
        line = block.lines[place]
        values = re.findall(r"\[ ([^,]+), %", line)
        constants = [v.strip() for v in values if not v.strip().startswith("%")]
        if constants and len({v.strip() for v in values}) > 1:
            name = line.split(" = ")[0].strip()[1:]
            function = next(f for f in program.functions if block in f.blocks)
            del block.lines[place]
            function.replace(name, constants[0])
            yield str(program)


@fault(CONTROLS)
def case_no_longer_falls_through(text: str) -> Iterator[str]:
    """A case of a switch that goes on into the next one leaves the switch."""
    for program, function, block in blocks(text):
        if not block.end.strip().startswith("switch"):
            continue
        cases = list(dict.fromkeys(block.targets))
        for name in cases:
            case = function.block(name)
            if len(case.targets) == 1 and case.targets[0] in cases:
                following = function.block(case.targets[0])
                for target in following.targets:
                    if target in cases or target == name:
                        continue
                    case.lines[-1] = f"  br label %{target}"
                    _no_edge(following, name)
                    _new_edge(function, target, name)
                    yield str(program)
                    break
                break


# -- tokens -----------------------------------------------------------------------------------------------


def retold(text: str, other: Callable[[Program, Function, Block, int, Call], Iterator[str]]) -> Iterator[str]:
    """Operations that follow other tokens."""
    for program, function, block, place, made in places(text):
        if made.token is None:
            continue
        for token in other(program, function, block, place, made):
            line = block.lines[place]
            block.lines[place] = line.replace(f"(token %{made.token})", f"(token {token})")
            yield str(program)
            block.lines[place] = line


def _tokens(function: Function, kinds: tuple[str, ...]) -> Iterator[Call]:
    for block in function.blocks:
        for line in block.lines:
            made = call(line)
            if made is not None and made.callee in tuple(CONTROL + kind for kind in kinds):
                yield made


@fault(LLVM + "issues/164496")
def token_lost(text: str) -> Iterator[str]:
    """A loop is deleted, and what used its heart's token is left with poison."""
    yield from retold(text, lambda *_: iter(["poison"]))


@fault("examples_ll/findings/loop-deleted-token-used.ll")
def heart_dropped(text: str) -> Iterator[str]:
    """A heart is removed, and what used its token uses the one around it."""
    for program, block, place in lines(text, "convergence.loop"):
        made = call(block.lines[place])
        if made is None or made.result is None:
            continue
        function = next(f for f in program.functions if block in f.blocks)
        del block.lines[place]
        function.replace(made.result, f"%{made.token}")
        yield str(program)


@fault("examples_ll/findings/operation-sunk-past-heart.ll")
def outer_token_taken(text: str) -> Iterator[str]:
    """What is under a heart or an anchor follows entry."""

    def outer(_: Program, function: Function, *rest: object) -> Iterator[str]:
        made = rest[-1]
        assert isinstance(made, Call)
        for entry in _tokens(function, ("entry",)):
            if entry.result != made.token:
                yield f"%{entry.result}"

    yield from retold(text, outer)


@fault("examples_ll/findings/regions-linearised.ll")
def inner_token_taken(text: str) -> Iterator[str]:
    """What is under the outer token follows the one of a heart or an anchor before it."""

    def inner(_: Program, function: Function, *rest: object) -> Iterator[str]:
        made = rest[-1]
        assert isinstance(made, Call)
        for token in _tokens(function, ("loop", "anchor")):
            if token.result != made.token:
                yield f"%{token.result}"

    yield from retold(text, inner)


@fault("examples_ll/findings/inlined-mix.ll")
def bundle_dropped(text: str) -> Iterator[str]:
    """An operation loses its token."""
    for program, _, block, place, made in places(text):
        if made.token is not None:
            block.lines[place] = re.sub(r' \[ "convergencectrl"\(token [^)]*\) \]', "", block.lines[place])
            yield str(program)


@fault(CONTROLS)
def entry_becomes_anchor(text: str) -> Iterator[str]:
    """A function that took over its caller's group has one of its own."""
    for program, block, place in lines(text, "convergence.entry"):
        block.lines[place] = block.lines[place].replace("convergence.entry", "convergence.anchor")
        if not any("convergence.anchor" in line for line in program.other):
            program.other.append("declare token @llvm.experimental.convergence.anchor()")
        yield str(program)


@fault("examples_ll/findings/heart-merged-into-block.ll")
def heart_behind_an_operation(text: str) -> Iterator[str]:
    """A block is merged with the one before it, and its heart comes to stand behind an operation."""
    for program, _, header, _, before in loops(text):
        convergent = convergent_functions(program)
        if any("convergence.loop" in line for line in header.lines):
            for place, _ in reversed(list(operations(before, convergent))):
                header.lines.insert(header.phis, before.lines.pop(place))
                yield str(program)
                break


@fault("examples_ll/findings/exit-unswitched-from-heart.ll")
def heart_not_in_the_header(text: str) -> Iterator[str]:
    """A heart stands in another block of its loop, which not all threads come to first."""
    for program, _, header, body, _ in loops(text):
        hearts = [k for k, line in enumerate(header.lines) if "convergence.loop" in line]
        for block in body:
            if hearts and block is not header:
                line = header.lines.pop(hearts[0])
                block.lines.insert(block.phis, line)
                yield str(program)
                block.lines.remove(line)
                header.lines.insert(hearts[0], line)


@fault(COS)
def heart_twice(text: str) -> Iterator[str]:
    """A loop is unrolled with its heart, and has two of one token."""
    for program, _, header, body, _ in loops(text):
        hearts = [line for line in header.lines if "convergence.loop" in line]
        for block in body:
            if hearts and block is not header:
                block.lines.insert(block.phis, hearts[0].replace(" = call", ".twice = call", 1))
                yield str(program)
                break


# -- memory ---------------------------------------------------------------------------------------------


@fault(LLVM + "pull/116987", "memory")
def load_moved_over_a_barrier(text: str) -> Iterator[str]:
    """A load behind a barrier is executed in front of it, with what computes its address."""
    for program, block, place in lines(text, r" = load i32"):
        barriers = [k for k in range(place) if "barrier" in block.lines[k].lower()]
        if not barriers:
            continue
        needed, moved = set(re.findall(r"%([\w.$-]+)", block.lines[place].split(" = ")[1])), [place]
        for k in range(place - 1, barriers[-1], -1):
            name, sign, computed = block.lines[k].strip().partition(" = ")
            if sign and name[1:] in needed and not computed.startswith(("load", "call")):
                needed |= set(re.findall(r"%([\w.$-]+)", computed))
                moved.insert(0, k)
        taken = [block.lines[k] for k in moved]
        for k in reversed(moved):
            del block.lines[k]
        first = barriers[-1]
        while first and "fence" in block.lines[first - 1]:
            first -= 1
        block.lines[first:first] = taken
        yield str(program)


@fault("https://github.com/intel/llvm/pull/1333", "memory")
def barrier_removed(text: str) -> Iterator[str]:
    """A barrier of the workgroup is removed."""
    for program, block, place in lines(
        text, r"call .*@(llvm\.amdgcn\.s\.barrier|llvm\.nvvm\.barrier|.*ControlBarrier)"
    ):
        del block.lines[place]
        yield str(program)


@fault(CONTROLS, "memory")
def store_moved_over_a_barrier(text: str) -> Iterator[str]:
    """A store in front of a barrier is executed behind it."""
    for program, block, place in lines(text, r"^\s*store "):
        after = [k for k in range(place, len(block.lines)) if "barrier" in block.lines[k].lower()]
        if after:
            last = after[0]
            while "fence" in block.lines[last + 1]:
                last += 1
            block.lines.insert(last, block.lines.pop(place))
            yield str(program)


@fault(CONTROLS, "memory")
def fence_removed(text: str) -> Iterator[str]:
    """A fence around a barrier is removed."""
    for program, block, place in lines(text, r"^\s*fence "):
        del block.lines[place]
        yield str(program)
