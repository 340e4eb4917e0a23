"""Programs with known answers, from semantics.md and LLVM's documents, by their CFGs and paths."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .programs import Anchor, Entry, Exchange, Function, Invocation, Loop, Program
from .programs_build import FunctionBuilder
from .programs_draw import Case


class Shown(NamedTuple):
    """A block: its control intrinsics and exchanges, as (kind, name, token), and its successors."""

    operations: Sequence[tuple[str, str, str | None]]
    successors: Sequence[str]


def along_paths(
    cfg: Mapping[str, Shown], paths: Sequence[str], operands: Sequence[int], convergent: bool = True
) -> Case:
    """The program of a CFG, with arguments that make each thread take its path.

    Branches read the bits of the first argument; the first successor is the ``true`` one. Each
    exchange adds up the second argument; ``main`` returns its results, two decimal digits each.
    """
    build = FunctionBuilder("main", ("path", "operand"))
    blocks = {name: build.block(name) for name in cfg}
    build.write("sums", 0)
    build.goto(blocks[next(iter(cfg))])
    for name, (operations, successors) in cfg.items():
        build.start(blocks[name])
        for kind, result, token in operations:
            match kind, token:
                case "entry", None:
                    build.append(Entry(result))
                case "anchor", None:
                    build.append(Anchor(result))
                case "loop", str(parent):
                    build.append(Loop(result, parent))
                case _:
                    build.append(Exchange(result, "subgroupAdd", "operand", token))
                    build.write("sums", build.compute("mul", build.read("sums"), 100, "sums"))
                    build.write("sums", build.compute("add", build.read("sums"), result, "sums"))
        match list(successors):
            case []:
                build.ret(build.read("sums"))
            case [only]:
                build.goto(blocks[only])
            case [first, second]:
                bit = build.compute("and", build.read("path"), 1, "bit")
                build.write("path", build.compute("lshr", build.read("path"), 1, "path"))
                build.branch(build.compute("ne", bit, 0, "taken"), blocks[first], blocks[second])
    function = build.finish(convergent)
    arguments = []
    for path, operand in zip(paths, operands, strict=True):
        bits = position = 0
        steps = path.split()
        for here, there in itertools.pairwise(steps):
            successors = list(cfg[here].successors)
            assert there in successors, f"{here} has no successor {there}"
            if len(successors) == 2:
                bits |= (there == successors[0]) << position
                position += 1
        arguments.append((bits, operand))
    return Case(Program((_starting_at_first(function),)), tuple(arguments))


def _starting_at_first(function: Function) -> Function:
    """Without the block that only jumps to the first one, where the first one has no other way in."""
    first, *rest = function.blocks
    targets = {s for b in rest for s in b.successors}
    if not first.body and first.successors[0] not in targets:
        return Function(function.name, function.parameters, tuple(rest), function.convergent)
    return function


RFC_PATHS = ("A B B C D", "A B C B C D")


def rfc(start: str | None, nested: bool = False) -> Case:
    """The RFC program of semantics.md §5: without tokens, or below ``entry`` or ``anchor``."""
    first = [(start, "t", None)] if start else []
    sum_token = None if start is None else "heart"
    if not nested:
        hearts = [("loop", "heart", "t")] if start else []
        cfg = {
            "A": Shown(first, ["B"]),
            "B": Shown([*hearts, ("sum", "sum", sum_token)], ["B", "C"]),
            "C": Shown([], ["B", "D"]),
            "D": Shown([], []),
        }
        return along_paths(cfg, RFC_PATHS, (1, 10), start != "anchor")
    cfg = {
        "A": Shown(first, ["O"]),
        "O": Shown([("loop", "outer", "t")], ["B"]),
        "B": Shown([("loop", "heart", "outer"), ("sum", "sum", "heart")], ["B", "C"]),
        "C": Shown([], ["O", "D"]),
        "D": Shown([], []),
    }
    return along_paths(cfg, ("A O B B C D", "A O B C O B C D"), (1, 10), start != "anchor")


def crossed_anchors() -> Case:
    """semantics.md §2, fact 2: labels of an anchor in a loop that cannot cross."""
    cfg = {
        "A": Shown([("anchor", "t0", None)], ["B"]),
        "B": Shown([("loop", "t1", "t0"), ("f", "f", "t1"), ("anchor", "t2", None)], ["B", "D"]),
        "D": Shown([], []),
    }
    return along_paths(cfg, ("A B B D", "A B B D"), (1, 10), False)


def _each(cfg: Mapping[str, Sequence[str]]) -> dict[str, Shown]:
    """One uncontrolled exchange in every block."""
    return {b: Shown([("sum", f"at.{b}", None)], s) for b, s in cfg.items()}


NATURAL_LOOP = _each({"Entry": ["H"], "H": ["B", "L"], "B": ["L"], "L": ["H", "Exit"], "Exit": []})
"""CAU, *Threads and Dynamic Instances*."""

_REST = {"P": ["Q"], "Q": ["R", "S"], "R": ["S"], "S": ["P", "Exit"], "Exit": []}
IRREDUCIBLE_R_FIRST = _each({"Entry": ["R", "P"], **_REST})
IRREDUCIBLE_P_FIRST = _each({"Entry": ["P", "R"], **_REST})
"""CAU, *Dependence on Cycles Headers* and *Static Uniformity Analysis*, with R or P the header."""


def unnatural_counting(start: str) -> Case:
    """COS, *Rationales for Static rules about cycles*: a heart in one arm, an anchor in the other."""
    cfg = {
        "A": Shown([(start, "t", None)], ["B"]),
        "B": Shown([], ["C", "D"]),
        "C": Shown([("loop", "loop", "t"), ("op", "op.1", "loop")], ["D"]),
        "D": Shown([], ["E", "F"]),
        "E": Shown([("anchor", "free", None), ("op", "op.2", "free")], ["F"]),
        "F": Shown([], ["B", "G"]),
        "G": Shown([], []),
    }
    return along_paths(cfg, ("A B C D F B D E F G", "A B D E F B C D F G"), (1, 10), start != "anchor")


def two_operations_under_one_heart() -> Case:
    """The same with the heart where it belongs: each thread runs them in different iterations."""
    cfg = {
        "A": Shown([("entry", "t", None)], ["B"]),
        "B": Shown([("loop", "loop", "t")], ["C", "D"]),
        "C": Shown([("op", "op.1", "loop")], ["D"]),
        "D": Shown([], ["E", "F"]),
        "E": Shown([("op", "op.2", "loop")], ["F"]),
        "F": Shown([], ["B", "G"]),
        "G": Shown([], []),
    }
    return along_paths(cfg, ("A B C D F B D E F G", "A B D E F B C D F G"), (1, 10))


def helper_called_twice() -> Case:
    """Thread 0 calls a helper with a loop once more than thread 1, from another place, before both do.

    Headers count per frame: in the common call both sum in step all the same.
    """
    helper = FunctionBuilder("helper", ("times", "operand"))
    head, out = helper.block("head"), helper.block("out")
    helper.write("left", "times")
    helper.write("sums", 0)
    helper.goto(head)
    helper.start(head)
    helper.append(Exchange("sum", "subgroupAdd", "operand", None))
    helper.write("sums", helper.compute("mul", helper.read("sums"), 100, "sums"))
    helper.write("sums", helper.compute("add", helper.read("sums"), "sum", "sums"))
    helper.write("left", helper.compute("sub", helper.read("left"), 1, "left"))
    helper.branch(helper.compute("ne", helper.read("left"), 0, "more"), head, out)
    helper.start(out)
    helper.ret(helper.read("sums"))
    main = FunctionBuilder("main", ("first", "operand"))
    once_more, both = main.block("once.more"), main.block("both")
    main.branch(main.compute("ne", "first", 0, "c"), once_more, both)
    main.start(once_more)
    main.append(Invocation("ignored", "helper", (3, "operand"), None))
    main.goto(both)
    main.start(both)
    main.append(Invocation("called", "helper", (2, "operand"), None))
    main.ret("called")
    return Case(Program((main.finish(True), helper.finish(True))), ((1, 1), (0, 10)))


def two_hearts_of_one_token() -> Case:
    """Breaks the rules on closed paths: nested loops whose hearts both use the entry token.

    Thread 0 beats the inner heart a second time before its second outer beat, thread 1 after it: by
    D-LOOP both pairs are ≡, so D-ORDER has a cycle and nothing is legal.
    """
    cfg = {
        "A": Shown([("entry", "t", None)], ["O"]),
        "O": Shown([("loop", "outer", "t")], ["B"]),
        "B": Shown([("loop", "inner", "t")], ["B", "C"]),
        "C": Shown([], ["O", "D"]),
        "D": Shown([], []),
    }
    return along_paths(cfg, ("A O B B C O B C D", "A O B C O B C D"), (1, 10))
