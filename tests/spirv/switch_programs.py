"""Random shaders with OpSwitch, and by brute force who may be together there.

The second half reads the text of SPV_KHR_maximal_reconvergence (*Divergence*, *Reconvergence*) over
sets of threads, and knows nothing of convcheck: a tangle comes to an OpSwitch; each case begins
with the threads of each value, and with the tangles that fell out of the case before, in any union
of these; at the merge block is all that came to the switch. Selectors and breaks are bits of
constants, by thread and round, so control flow is known beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from random import Random

ROUNDS = 2
Tangle = frozenset[int]
Event = tuple[str, int, Tangle]
"""An operation, the round, and the threads that are together there."""


@dataclass(frozen=True)
class SwitchCase:
    """A case of a switch: its ``values`` (none: the default), a ballot if it ``votes``, a switch ``inside``;
    threads with a bit in ``leaving`` break out behind these, and the others go on to the next case if it
    ``falls``, else to the merge block."""

    name: str
    values: tuple[int, ...]
    votes: bool
    inside: OpSwitch | None
    leaving: int
    falls: bool


@dataclass(frozen=True)
class OpSwitch:
    """A switch on two bits of ``selectors`` by thread and round. Its last case may be the default."""

    name: str
    selectors: int
    cases: tuple[SwitchCase, ...]


@dataclass(frozen=True)
class SwitchShader:
    """``threads`` run ``switches`` one after the other in a loop of ROUNDS, which those leave early that have
    a bit in ``leaving``; behind it all of them vote."""

    threads: int
    switches: tuple[OpSwitch, ...]
    leaving: int


def drawn(random: Random) -> SwitchShader:
    """A random shader."""
    threads = random.choice((2, 3, 3))
    number = iter(range(100))
    switches = tuple(_switch(random, number, 0) for _ in range(random.choice((1, 1, 2))))
    return SwitchShader(threads, switches, random.getrandbits(8) & random.getrandbits(8))


def _switch(random: Random, number: Iterator[int], depth: int) -> OpSwitch:
    name = f"s{next(number)}"
    values = [0, 1, 2, 3]
    random.shuffle(values)
    cases = []
    for _ in range(random.choice((1, 2, 2, 3))):
        taken, values = values[: (k := random.choice((1, 1, 2)))], values[k:]
        inside = _switch(random, number, depth + 1) if depth == 0 and random.random() < 0.15 else None
        leaving = random.getrandbits(8) & random.getrandbits(8) if random.random() < 0.3 else 0
        votes, falls = random.random() < 0.7, random.random() < 0.4
        cases.append(SwitchCase(f"c{next(number)}", tuple(taken), votes, inside, leaving, falls))
        if not values:
            break
    if random.random() < 0.4:
        cases.append(SwitchCase(f"c{next(number)}", (), True, None, 0, False))
    last = cases[-1]
    cases[-1] = SwitchCase(last.name, last.values, last.votes, last.inside, last.leaving, False)
    return OpSwitch(name, random.getrandbits(16), tuple(c for c in cases))


# -- As SPIR-V

HEAD = """OpCapability Shader
OpCapability GroupNonUniform
OpCapability GroupNonUniformBallot
OpExtension "SPV_KHR_maximal_reconvergence"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize {threads} 1 1
OpExecutionMode %main MaximallyReconvergesKHR
OpDecorate %id BuiltIn LocalInvocationIndex
%void = OpTypeVoid
%code = OpTypeFunction %void
%uint = OpTypeInt 32 0
%v4 = OpTypeVector %uint 4
%bool = OpTypeBool
%in = OpTypePointer Input %uint
%id = OpVariable %in Input
%true = OpConstantTrue %bool
"""


class _Text:
    def __init__(self, shader: SwitchShader) -> None:
        self.shader = shader
        self.lines: list[str] = []
        self.constants: dict[int, str] = {}
        self.number = 0

    def constant(self, value: int) -> str:
        return self.constants.setdefault(value, f"%k{value}")

    def fresh(self) -> str:
        self.number += 1
        return f"%x{self.number}"

    def bits(self, of: int, width: int) -> str:
        """``width`` bits of a constant, those of the thread in this round."""
        place, shifted, value = self.fresh(), self.fresh(), self.fresh()
        self.lines += [
            f"{place} = OpIMul %uint %at {self.constant(width)}",
            f"{shifted} = OpShiftRightLogical %uint {self.constant(of)} {place}",
            f"{value} = OpBitwiseAnd %uint {shifted} {self.constant((1 << width) - 1)}",
        ]
        return value

    def ballot(self, name: str) -> None:
        self.lines.append(f"%{name} = OpGroupNonUniformBallot %v4 {self.constant(3)} %true")

    def switch(self, switch: OpSwitch) -> None:
        selector = self.bits(switch.selectors, 2)
        merge = f"%{switch.name}_merge"
        default = next((f"%{c.name}" for c in switch.cases if not c.values), merge)
        targets = " ".join(f"{v} %{c.name}" for c in switch.cases for v in c.values)
        self.lines += [f"OpSelectionMerge {merge} None", f"OpSwitch {selector} {default} {targets}"]
        for case, following in zip(switch.cases, (*switch.cases[1:], None), strict=True):
            self.lines.append(f"%{case.name} = OpLabel")
            if case.votes:
                self.ballot(f"b_{case.name}")
            if case.inside is not None:
                self.switch(case.inside)
            goes_on = f"%{following.name}" if case.falls and following is not None else merge
            if case.leaving and goes_on != merge:
                leaves, flag = self.bits(case.leaving, 1), self.fresh()
                self.lines += [
                    f"{flag} = OpINotEqual %bool {leaves} {self.constant(0)}",
                    f"OpBranchConditional {flag} {merge} %{case.name}_rest",
                    f"%{case.name}_rest = OpLabel",
                ]
            self.lines.append(f"OpBranch {goes_on}")
        self.lines.append(f"{merge} = OpLabel")
        self.ballot(f"b_{switch.name}")


def text(shader: SwitchShader) -> str:
    """The shader's disassembly."""
    writing = _Text(shader)
    zero, one = writing.constant(0), writing.constant(1)
    last = writing.constant(ROUNDS - 1)
    writing.lines += [
        "%main = OpFunction %void None %code",
        "%start = OpLabel",
        "%own = OpLoad %uint %id",
        "OpBranch %head",
        "%head = OpLabel",
        f"%round = OpPhi %uint {zero} %start %next %again",
        f"%passed = OpIMul %uint %round {writing.constant(shader.threads)}",
        "%at = OpIAdd %uint %own %passed",
        "OpLoopMerge %done %again None",
        "OpBranch %body",
        "%body = OpLabel",
    ]
    for switch in shader.switches:
        writing.switch(switch)
    leaves = writing.bits(shader.leaving, 1)
    writing.lines += [
        f"%early = OpINotEqual %bool {leaves} {zero}",
        f"%late = OpIEqual %bool %round {last}",
        "%out = OpLogicalOr %bool %early %late",
        "OpBranchConditional %out %done %again",
        "%again = OpLabel",
        f"%next = OpIAdd %uint %round {one}",
        "OpBranch %head",
        "%done = OpLabel",
    ]
    writing.ballot("b_end")
    writing.lines += ["OpReturn", "OpFunctionEnd"]
    constants = [f"{name} = OpConstant %uint {value}" for value, name in writing.constants.items()]
    return HEAD.format(threads=shader.threads) + "\n".join([*constants, *writing.lines]) + "\n"


# -- Who may be together, by the text of the extension


def legal(shader: SwitchShader) -> set[frozenset[Event]]:
    """Every way in which the threads may be together at the ballots."""
    everyone = frozenset(range(shader.threads))
    return {events | {("b_end", 0, everyone)} for events in _rounds(shader, everyone, 0)}


def _bit(of: int, shader: SwitchShader, thread: int, turn: int, width: int) -> int:
    return of >> width * (thread + turn * shader.threads) & (1 << width) - 1


def _rounds(shader: SwitchShader, tangle: Tangle, turn: int) -> Iterator[frozenset[Event]]:
    if not tangle or turn == ROUNDS:
        yield frozenset()
        return
    stay = frozenset(t for t in tangle if not _bit(shader.leaving, shader, t, turn, 1))
    here = product(*(list(_through(shader, switch, tangle, turn)) for switch in shader.switches))
    later = list(_rounds(shader, stay, turn + 1))
    for events in here:
        for rest in later:
            yield frozenset[Event]().union(*events, rest)


def _through(shader: SwitchShader, switch: OpSwitch, tangle: Tangle, turn: int) -> Iterator[frozenset[Event]]:
    """One tangle at a switch, until it is together again at the merge block."""
    behind: Event = (f"b_{switch.name}", turn, tangle)
    values = {t: _bit(switch.selectors, shader, t, turn, 2) for t in tangle}
    for events in _cases(shader, switch, values, 0, (), turn):
        yield events | {behind}


def _cases(
    shader: SwitchShader,
    switch: OpSwitch,
    values: dict[int, int],
    at: int,
    fallen: tuple[Tangle, ...],
    turn: int,
) -> Iterator[frozenset[Event]]:
    """The cases from number ``at`` on, the next one entered by the tangles that have ``fallen``."""
    if at == len(switch.cases):
        yield frozenset()
        return
    case = switch.cases[at]
    listed = {v for c in switch.cases for v in c.values}
    coming = [v for v in set(values.values()) if (v in case.values if case.values else v not in listed)]
    classes = [frozenset(t for t, v in values.items() if v == value) for value in sorted(coming)]
    for tangles in _unions([*fallen, *classes]):
        inside = [
            list(_through(shader, case.inside, t, turn)) if case.inside is not None else [frozenset[Event]()]
            for t in tangles
        ]
        votes = frozenset((f"b_{case.name}", turn, t) for t in tangles if case.votes)
        onward: tuple[Tangle, ...] = ()
        if case.falls:
            rest = (frozenset(x for x in t if not _bit(case.leaving, shader, x, turn, 1)) for t in tangles)
            onward = tuple(t for t in rest if t)
        for chosen in product(*inside):
            for later in _cases(shader, switch, values, at + 1, onward, turn):
                yield frozenset[Event]().union(votes, later, *chosen)


def _unions(parts: list[Tangle]) -> Iterator[tuple[Tangle, ...]]:
    """Every way to unite sets of threads."""
    if not parts:
        yield ()
        return
    first, *rest = parts
    for united in _unions(rest):
        yield (first, *united)
        for n, other in enumerate(united):
            yield (*united[:n], first | other, *united[n + 1 :])
