"""Random functions with knotted cycles: several back edges to one header, cycles that share headers or lie in
each other, exits from inner cycles to outer headers, switches, several returns; reducible or not.

Everything that a thread does goes into its state, a number that each block turns into another one by steps
that do not commute; the result and what a thread stores to its own part of a global variable are that state.
So a block too few, too many, or out of turn is seen. Edges backwards are taken while fuel is left; each
block burns one, and then goes forwards only.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

LANES = 8
"""A launch has at most so many threads."""


@dataclass(frozen=True)
class Knots:
    """What programs may contain."""

    reducible: bool = True
    operations: bool = False
    """Uncontrolled convergent operations whose results enter the state."""
    helper: bool = False
    """Calls of a function with cycles of its own."""
    blocks: int = 9


@dataclass(frozen=True)
class CyclicCase:
    """IR and its launch: ``arguments`` by parameter, a value for each thread."""

    text: str
    threads: int
    arguments: dict[str, list[int]]

    def __repr__(self) -> str:
        return f"\n; {self.threads} threads, {self.arguments}\n{self.text}"


@dataclass
class _Block:
    """``forwards``: blocks further down, the first for who has no fuel; ``backwards``: headers."""

    forwards: list[int]
    backwards: list[int]

    @property
    def targets(self) -> list[int]:
        return [*self.forwards, *self.backwards]


def cyclic_case(seed: int, knots: Knots) -> CyclicCase:
    """The program of a seed."""
    random = Random(seed)
    functions = [_function(random, "main", knots)]
    if knots.helper:
        functions.append(_function(random, "helper", Knots(knots.reducible, knots.operations, blocks=6)))
    threads = random.randint(2, LANES)
    arguments = {
        "t": list(range(threads)),
        "x": [random.randrange(64) for _ in range(threads)],
        "f": [random.choice((random.randrange(14), 12)) for _ in range(threads)],
    }
    declared = "declare i32 @subgroupAdd(i32) convergent\n" if knots.operations else ""
    text = f"@out = global [{LANES} x i32] zeroinitializer\n\n" + "\n".join(functions) + declared
    return CyclicCase(text, threads, arguments)


def _function(random: Random, name: str, knots: Knots) -> str:
    blocks = _graph(random, knots)
    bodies = [_body(random, name, number, block, blocks, knots) for number, block in enumerate(blocks)]
    attribute = " convergent" if knots.operations else ""
    start = "entry:\n  %own = getelementptr i32, ptr @out, i32 %t\n  br label %b0\n"
    return f"define i32 @{name}(i32 %t, i32 %x, i32 %f){attribute} {{\n{start}{''.join(bodies)}}}\n"


def _graph(random: Random, knots: Knots) -> list[_Block]:
    """Blocks in a line; a knot is a stretch of it whose blocks go back to its first one, often with a way
    around it. Knots lie in each other, share headers, or cross. If the graph is to be reducible, edges
    backwards go only to what dominates; blocks that cannot be reached are left out."""
    count = random.randint(3, knots.blocks)
    last = count - 1
    back: list[list[int]] = [[] for _ in range(count)]
    forth = [{min(number + 1, last)} for number in range(last)] + [set()]
    dense, jumps, ends = random.choice((0.5, 0.9)), random.choice((0.05, 0.3)), random.choice((0, 0.05))
    for _ in range(random.choice((1, 2, 2, 3))):
        start = random.randrange(last)
        end = random.randint(start, last - 1)
        for number in range(start, end + 1):
            if random.random() < dense:
                back[number].append(start)
        if start and random.random() < 0.6:
            forth[random.choice((start - 1, random.randrange(start)))].add(end + 1)
    for number in range(last):
        if random.random() < jumps:
            forth[number].add(random.randrange(number + 1, count))
        elif number and random.random() < ends:
            forth[number] = set()
    blocks = _reached([_Block(sorted(targets), []) for targets in forth], back)
    above = _dominators(blocks)
    for number, block in enumerate(blocks):
        legal = [h for h in block.backwards if not knots.reducible or h in above[number]]
        room = max(1, random.choice((2, 2, 2, 3)) - len(block.forwards))
        block.backwards = legal[:room] if block.forwards else []
        random.shuffle(block.forwards)
    for number in random.sample(range(len(blocks)), len(blocks)):
        if blocks[number].backwards and random.random() < 0.3:
            _only_back(blocks, number)
    return blocks


def _only_back(blocks: list[_Block], number: int) -> None:
    """The block goes back in any case, if every block is still reached, and every other one still ends
    without fuel; where it then goes forwards comes first."""
    changed = [_Block(b.forwards, b.backwards) for b in blocks]
    changed[number] = _Block([], blocks[number].backwards[:1])
    ends: set[int] = set()
    for at in reversed(range(len(blocks))):
        block = changed[at]
        if not block.targets or any(t in ends for t in block.forwards):
            ends.add(at)
            block.forwards = sorted(block.forwards, key=lambda t: t not in ends)
        elif block.forwards:
            return
    if any(b.backwards[0] not in ends for b in changed if b.backwards and not b.forwards):
        return
    if len(_reached(changed, [[] for _ in blocks])) == len(blocks):
        blocks[:] = changed


def _reached(blocks: list[_Block], back: list[list[int]]) -> list[_Block]:
    seen = {0}
    for number, block in enumerate(blocks):
        if number in seen:
            seen.update(block.forwards)
    new = {old: at for at, old in enumerate(sorted(seen))}
    found = []
    for old in new:
        headers = dict.fromkeys(new[h] for h in back[old] if h in new)
        found.append(_Block([new[t] for t in blocks[old].forwards], list(headers)))
    return found


def _dominators(blocks: list[_Block]) -> list[set[int]]:
    """Along edges forwards; edges backwards to a dominator do not change them."""
    found: list[set[int]] = [{0}]
    for number in range(1, len(blocks)):
        before = [found[p] for p in range(number) if number in blocks[p].forwards]
        found.append(set.intersection(*before) | {number})
    return found


def _body(
    random: Random, function: str, number: int, block: _Block, blocks: list[_Block], knots: Knots
) -> str:
    before = [f"b{p}" for p, other in enumerate(blocks) if number in other.targets]
    states = [f"[ %s{p[1:]}, %{p} ]" for p in before]
    fuels = [f"[ %f{p[1:]}, %{p} ]" for p in before]
    if number == 0:
        states, fuels = ["[ %x, %entry ]", *states], ["[ %f, %entry ]", *fuels]
    n = number
    lines = [
        f"%p{n} = phi i32 {', '.join(states)}",
        f"%q{n} = phi i32 {', '.join(fuels)}",
        f"%m{n} = mul i32 %p{n}, {2 * random.randrange(1, 50) + 1}",
    ]
    value = f"%m{n}"
    if knots.helper and function == "main" and random.random() < 0.3:
        lines.append(f"%h{n} = call i32 @helper(i32 %t, i32 {value}, i32 %q{n})")
        value = f"%h{n}"
    if knots.operations and random.random() < 0.4:
        lines.append(f"%o{n} = call i32 @subgroupAdd(i32 {value})")
        value = f"%o{n}"
    lines.append(f"%s{n} = add i32 {value}, {random.randrange(1, 1000)}")
    lines.append(f"%d{n} = sub i32 %q{n}, 1")
    lines.append(f"%z{n} = icmp slt i32 %d{n}, 0")
    lines.append(f"%f{n} = select i1 %z{n}, i32 0, i32 %d{n}")
    if random.random() < 0.4:
        lines.append(f"%g{n} = load i32, ptr %own")
        lines.append(f"%w{n} = mul i32 %g{n}, 5")
        lines.append(f"%u{n} = xor i32 %w{n}, %s{n}")
        lines.append(f"store i32 %u{n}, ptr %own")
    burns = bool(block.backwards) or any(b.backwards and not b.forwards for b in blocks)
    lines += _terminator(random, n, block, burns)
    return f"b{n}:\n" + "".join(f"  {line}\n" for line in lines)


def _terminator(random: Random, n: int, block: _Block, burns: bool) -> list[str]:
    """Who has no fuel goes to the first block; else some bits of the state say where."""
    if not block.targets:
        return [f"ret i32 %s{n}"]
    safe, *others = block.targets
    if not others:
        return [f"br label %b{safe}"]
    lines = [f"%k{n} = lshr i32 %s{n}, {random.randrange(1, 9)}"]
    burnt = f"%e{n} = icmp eq i32 %f{n}, 0"
    if len(others) == 1:
        bits = random.choice((1, 1, 3))
        lines += [f"%a{n} = and i32 %k{n}, {bits}"]
        if burns:
            lines += [burnt, f"%v{n} = select i1 %e{n}, i32 0, i32 %a{n}"]
        else:
            lines += [f"%v{n} = or i32 %a{n}, 0"]
        if random.random() < 0.5:
            predicate, first, second = "ne", others[0], safe
        else:
            predicate, first, second = "eq", safe, others[0]
        condition = f"%c{n} = icmp {predicate} i32 %v{n}, 0"
        return [*lines, condition, f"br i1 %c{n}, label %b{first}, label %b{second}"]
    lines += [f"%a{n} = urem i32 %k{n}, {len(others) + random.choice((1, 2))}"]
    lines += [burnt, f"%v{n} = select i1 %e{n}, i32 0, i32 %a{n}"]
    listed = [(at + 1, target) for at, target in enumerate(others)]
    random.shuffle(listed)
    cases = " ".join(f"i32 {value}, label %b{target}" for value, target in listed)
    return [*lines, f"switch i32 %v{n}, label %b{safe} [ {cases} ]"]
