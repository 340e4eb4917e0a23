"""z3 asked for any inputs that tell two controlled programs apart.

covers: refine.symbolic.paths, refine.symbolic.question
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from convergence.parser import parse
from convergence.refine import Refinement, parse_assumption, refine
from convergence.refine.sides.observable import EventMismatch
from convergence.refine.symbolic.question import refine_symbolically, strengthened
from convergence.refine.verdict.result import NotSymbolic, PastIterations, UnknownSymbolically
from convergence.semantics import Bound, BoundKind
from tests.oracles.programs_draw import Shape
from tests.oracles.programs_generate import random_case

DECLARATIONS = """
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
declare i32 @subgroupAdd(i32) convergent nounwind willreturn memory(none)
declare i32 @subgroupShuffle(i32, i32) convergent nounwind willreturn memory(none)
declare i32 @unknown(i32) convergent
declare i32 @plain(i32) nounwind willreturn memory(none)
declare void @event(i32) convergent
declare void @note(i32)
"""
BUNDLE = ' [ "convergencectrl"(token %t) ]'
LOOP = f"""
define i32 @src(i32 %n, i32 %x) convergent {{
a:
  %t = call token @llvm.experimental.convergence.entry()
  br label %b
b:
  %i = phi i32 [ 0, %a ], [ %i2, %b ]
  %s = phi i32 [ 0, %a ], [ %s2, %b ]
  %h = call token @llvm.experimental.convergence.loop(){BUNDLE}
  %g = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %h) ]
  %s2 = add i32 %s, %g
  %i2 = add i32 %i, 1
  %c = icmp ult i32 %i2, %n
  br i1 %c, label %b, label %d
d:
  call void @event(i32 %s2){BUNDLE}
  %q = mul i32 %s2, 2
  ret i32 %q
}}
"""


def straight(body: str, parameters: str = "i32 %x, i32 %y") -> str:
    head = f"define i32 @src({parameters}) convergent {{\n"
    return f"{head}  %t = call token @llvm.experimental.convergence.entry()\n{body}\n}}\n"


def asked(source: str, *changes: tuple[str, str], **how: object) -> Refinement:
    """A program against itself with some changes, which must all be there to make."""
    target = source.replace("@src", "@tgt")
    for old, new in changes:
        assert old in target
        target = target.replace(old, new)
    module = parse(source + target + DECLARATIONS)
    options: dict[str, object] = {"threads": 2, "timeout": 60.0, **how}
    return refine_symbolically(module, module, **options)  # type: ignore[arg-type]


def test_equal_for_all_inputs_up_to_a_bound() -> None:
    changes = [("add i32 %s, %g", "add i32 %g, %s"), ("mul i32 %s2, 2", "shl i32 %s2, 1")]
    found = asked(LOOP, *changes, iterations=3)
    assert found.verdict == "equal"
    assert found.established == (
        "for all inputs, up to 3 iterations, 2 threads in one subgroup (z3, 16 pairs of path tuples)"
    )
    three = asked(LOOP, *changes, iterations=1, threads=None)
    assert three.established.startswith("for all inputs, up to 1 iterations, 2 and 3 threads in one subgroup")


def test_without_a_loop_there_is_no_bound() -> None:
    body = f"  %s = call i32 @subgroupAdd(i32 %x){BUNDLE}\n  %r = add i32 %s, %y\n  ret i32 %r"
    found = asked(straight(body), ("add i32 %s, %y", "add i32 %y, %s"))
    assert found.verdict == "equal"
    assert "up to" not in found.established


def test_what_only_an_unlikely_input_shows() -> None:
    """No list of small values or constants would try it: the difference needs x * x + 1 = 123456790."""
    body = f"  %s = call i32 @subgroupAdd(i32 %x){BUNDLE}\n  %m = mul i32 %x, %x\n  %p = add i32 %m, 1\n"
    body += "  %r = add i32 %s, 0\n  ret i32 %r"
    odd = "  %z = icmp eq i32 %p, 123454322\n  %b = zext i1 %z to i32\n  %r = add i32 %s, %b"
    found = asked(straight(body), ("  %r = add i32 %s, 0", odd))
    assert found.verdict == "wrong"
    assert found.counterexample is not None
    assert "running them confirms it" in found.established


def test_a_group_that_differs() -> None:
    source = straight(
        f"  %c = icmp ult i32 %x, 5\n  br i1 %c, label %l, label %j\nl:\n  br label %j\nj:\n"
        f"  call void @event(i32 1){BUNDLE}\n  ret i32 0"
    )
    target_arm = f"l:\n  call void @event(i32 1){BUNDLE}\n  ret i32 0\n"
    found = asked(source, ("l:\n  br label %j\n", target_arm))
    assert found.verdict == "wrong"
    assert found.counterexample is not None
    difference = found.counterexample.difference
    assert isinstance(difference, EventMismatch) and difference.part == "group"
    uniform = asked(source, ("l:\n  br label %j\n", target_arm), assume=[parse_assumption("uniform:%x")])
    assert uniform.verdict == "equal"


def test_assumptions_and_given_arguments() -> None:
    body = f"  %s = call i32 @subgroupAdd(i32 %x){BUNDLE}\n  %r = and i32 %y, 7\n  ret i32 %r"
    change = ("and i32 %y, 7", "and i32 %y, 15")
    assert asked(straight(body), change).verdict == "wrong"
    assert asked(straight(body), change, assume=[parse_assumption("range:%y=0..7")]).verdict == "equal"
    assert asked(straight(body), change, assume=[parse_assumption("range:%y=0..8")]).verdict == "wrong"
    assert asked(straight(body), change, arguments={"y": [3, 5]}).verdict == "equal"
    assert asked(straight(body), change, arguments={"y": 8}).verdict == "wrong"


def test_poison_may_be_refined() -> None:
    body = "  %r = add nsw i32 %x, %y\n  ret i32 %r"
    assert asked(straight(body), ("add nsw", "add")).verdict == "refines"
    backwards = asked(straight(body.replace("add nsw", "add")), ("add", "add nsw"))
    assert backwards.verdict == "wrong"


def test_undefined_behaviour() -> None:
    body = "  %r = udiv i32 %x, %y\n  ret i32 %r"
    safe = "  %z = icmp eq i32 %y, 0\n  %d = select i1 %z, i32 1, i32 %y\n  %r = udiv i32 %x, %d"
    assert asked(straight(body), ("  %r = udiv i32 %x, %y", safe)).verdict == "refines"
    source = straight(safe + "\n  ret i32 %r")
    assert asked(source, (safe, "  %r = udiv i32 %x, %y")).verdict == "wrong"


def test_functions_without_a_model_are_uninterpreted() -> None:
    """The same operands give the same result; of different ones nothing is known."""
    body = f"  %s = call i32 @unknown(i32 %x){BUNDLE}\n  %p = call i32 @plain(i32 %y)\n"
    body += "  %r = add i32 %s, %p\n  ret i32 %r"
    assert asked(straight(body), ("add i32 %s, %p", "add i32 %p, %s")).verdict == "equal"
    assert asked(straight(body), ("@plain(i32 %y)", "@plain(i32 %x)")).verdict == "wrong"


def test_freeze() -> None:
    """In the target a freeze of poison may give anything, so it must not matter; none in the source."""
    body = "  %a = add nsw i32 %x, 1\n  %r = mul i32 %a, 1\n  ret i32 %r"
    frozen = ("%r = mul i32 %a, 1", "%r = freeze i32 %a")
    assert asked(straight(body), frozen).verdict == "refines"
    unsaid = asked(straight(body.replace(*frozen)), ("freeze i32 %a", "add i32 %a, 0"))
    assert unsaid.verdict == "unknown"
    assert isinstance(unsaid.bound, NotSymbolic) and "freeze" in unsaid.bound.feature
    certain = straight("  %r = freeze i32 %x\n  ret i32 %r")
    assert asked(certain, ("freeze i32 %x", "add i32 %x, 0")).verdict == "equal"


def test_private_memory() -> None:
    body = "  %m = alloca i32\n  store i32 %x, ptr %m\n  %v = load i32, ptr %m\n"
    body += f"  %s = call i32 @subgroupAdd(i32 %v){BUNDLE}\n  ret i32 %s"
    assert asked(straight(body), ("@subgroupAdd(i32 %v)", "@subgroupAdd(i32 %x)")).verdict == "equal"


def test_the_target_may_be_unrolled() -> None:
    source = LOOP.replace("ult i32 %i2, %n", "ult i32 %i2, 2")
    unrolled = (
        f"  %h = call token @llvm.experimental.convergence.loop(){BUNDLE}\n"
        '  %g = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %h) ]\n'
        "  %s2 = add i32 %s, %g\n  %i2 = add i32 %i, 1\n  %c = icmp ult i32 %i2, 2\n"
    )
    once = f"  %g = call i32 @subgroupAdd(i32 %x){BUNDLE}\n  %g2 = call i32 @subgroupAdd(i32 %x){BUNDLE}\n"
    once += "  %s2 = add i32 %g, %g2\n  %i2 = add i32 %i, 2\n  %c = icmp ult i32 %i2, 2\n"
    found = asked(source, (unrolled, once), ("br i1 %c, label %b, label %d", "br label %d"),
                  (", [ %i2, %b ]", ""), (", [ %s2, %b ]", ""))  # fmt: skip
    assert found.verdict == "equal"
    assert "up to" not in found.established


UNSUPPORTED = {
    "uncontrolled": (
        "define i32 @src(i32 %x) convergent {\n  %r = call i32 @subgroupAdd(i32 %x)\n  ret i32 %r\n}\n"
    ),
    "memory that threads share": "@g = global i32 0\n" + straight("  %r = load i32, ptr @g\n  ret i32 %r"),
    "address": straight(
        "  %m = alloca [4 x i32]\n  %i = and i32 %x, 3\n"
        "  %p = getelementptr [4 x i32], ptr %m, i32 0, i32 %i\n  store i32 1, ptr %p\n"
        "  %r = load i32, ptr %p\n  ret i32 %r"
    ),
    "undef": straight("  %r = add i32 undef, %x\n  ret i32 %r"),
    "uninitialised": straight("  %m = alloca i32\n  %r = load i32, ptr %m\n  ret i32 %r"),
}


@pytest.mark.parametrize("what", UNSUPPORTED)
def test_unsupported_by_name(what: str) -> None:
    source = UNSUPPORTED[what]
    target = source.partition("\n")[2] if source.startswith("@g") else source
    target = target.replace("@src", "@tgt").replace("ret i32 %r", "%q = add i32 %r, 0\n  ret i32 %q")
    module = parse(source + target + DECLARATIONS)
    found = refine_symbolically(module, module, threads=2)
    assert found.verdict == "unknown"
    assert isinstance(found.bound, NotSymbolic) and what in found.bound.feature


ANCHOR = "%u = call token @llvm.experimental.convergence.anchor()\n"
BELOW = '  %s = call i32 @subgroupAdd(i32 %x) [ "convergencectrl"(token %u) ]\n'


def test_anchors_are_choices_of_both_sides() -> None:
    """An anchor for entry does more than the source may do; entry for an anchor takes one of its choices."""
    anchored = straight(f"  {ANCHOR}{BELOW}  ret i32 %s")
    by_entry = ("token %u", "token %t")
    assert asked(anchored, by_entry).verdict == "refines"
    found = asked(anchored.replace(*by_entry), ("token %t", "token %u"))
    assert found.verdict == "wrong"
    assert found.counterexample is not None
    assert asked(anchored, ("ret i32 %s", "%r = add i32 %s, 0\n  ret i32 %r")).verdict == "equal"


def test_two_operations_of_one_anchor_keep_their_groups_equal() -> None:
    both = straight(f"  {ANCHOR}{BELOW}{BELOW.replace('%s', '%v')}  %r = sub i32 %s, %v\n  ret i32 %r")
    assert asked(both, ("%r = sub i32 %s, %v", "%r = add i32 0, 0")).verdict == "equal"
    second = f"  %u2 = call{ANCHOR.partition('call')[2]}{BELOW.replace('%s', '%v').replace('%u', '%u2')}"
    assert asked(both, (BELOW.replace("%s", "%v"), second)).verdict == "wrong"


def test_an_operation_on_the_result_of_another_of_one_anchor() -> None:
    chained = straight(
        f"  %c = icmp ult i32 %x, %y\n  br i1 %c, label %l, label %r\nl:\n  br label %j\nr:\n  br label %j\n"
        f'j:\n  {ANCHOR}{BELOW}  %v = call i32 @subgroupAdd(i32 %s) [ "convergencectrl"(token %u) ]\n'
        "  ret i32 %v"
    )
    assert asked(chained, ("ret i32 %v", "%q = or i32 %v, 0\n  ret i32 %q")).verdict == "equal"


def test_too_many_choices_are_named() -> None:
    heart = f"%h = call token @llvm.experimental.convergence.loop(){BUNDLE}"
    anchored = LOOP.replace(heart, ANCHOR.replace("%u", "%h"))
    found = asked(anchored, ("mul i32 %s2, 2", "add i32 %s2, %s2"), iterations=5)
    assert found.bound == Bound(BoundKind.GROUPINGS, 300)


def test_bounds_are_named() -> None:
    change = ("mul i32 %s2, 2", "add i32 %s2, %s2")
    assert asked(LOOP, change, timeout=0.0).bound == Bound(BoundKind.TIMEOUT, 0.0)
    assert asked(LOOP, change, max_paths=3).bound == Bound(BoundKind.PATHS, 3)


def test_a_target_that_goes_on_for_longer() -> None:
    found = asked(LOOP, ("icmp ult i32 %i2, %n", "icmp ule i32 0, %n"), iterations=2)
    assert found.verdict in ("unknown", "wrong")
    assert found.bound is None or isinstance(found.bound, PastIterations)


def test_strengthening_a_concrete_answer() -> None:
    equal = Refinement("equal", "inputs tried: 7 launches, 2 threads", {"tokens": "equal"})
    always = Refinement("equal", "for all inputs, 2 threads", {"tokens": "equal"})
    assert strengthened(equal, always).established.startswith("for all inputs, 2 threads; inputs tried")
    less = Refinement("refines", "for all inputs", {"tokens": "refines"})
    assert strengthened(equal, less).verdict == "refines"
    wrong = Refinement("wrong", "z3 found", {"tokens": "wrong"})
    assert strengthened(equal, wrong).verdict == "wrong"
    unknown = Refinement("unknown", "nothing", {"tokens": "unknown"}, bound=NotSymbolic("anchors"))
    assert strengthened(equal, unknown).verdict == "equal"
    assert strengthened(equal, unknown).notes == (UnknownSymbolically(NotSymbolic("anchors"), "nothing"),)
    assert strengthened(unknown, always).verdict == "equal"


CHANGES = [(" add ", " or "), (" add ", " sub "), (" mul ", " shl "), (" add ", " xor ")]


def compared_with_trying(seeds: range, timeout: float) -> tuple[int, int]:
    """Random controlled programs and the same with one opcode changed: where z3 says that there is no
    difference, trying inputs finds none, but for inputs beyond the bound. How many differ, and do not."""
    source = random.Random(3)
    differ = alike = 0
    for seed in seeds:
        case = random_case(seed, Shape(helpers=1, calls=2, statements=4, depth=1, threads=2))
        text = str(case.program)
        lines = text.split("\n")
        places = [n for n, line in enumerate(lines) if " = add i32" in line or " = mul i32" in line]
        if not places:
            continue
        at = source.choice(places)
        lines[at] = lines[at].replace(*source.choice(CHANGES))
        one, other = parse(text), parse("\n".join(lines))
        symbolic = refine_symbolically(one, other, function="main", threads=2, iterations=3, timeout=timeout)
        tried = refine(
            one, other, function="main", threads=2, subgroup_size=2, max_launches=20, timeout=timeout
        )
        if symbolic.verdict == "unknown" or tried.verdict == "unknown":
            continue
        if symbolic.verdict == "wrong":
            differ += 1
        else:
            alike += 1
            assert tried.verdict != "wrong" or "up to" in symbolic.established, (text, lines[at])
    return differ, alike


def test_agrees_with_trying_inputs() -> None:
    differ, alike = compared_with_trying(range(400, 412), 1.5)
    assert differ > 1
    assert alike > 1


@pytest.mark.campaign
def test_agrees_with_trying_inputs_on_many(record_property: Callable[[str, object], None]) -> None:
    differ, alike = compared_with_trying(range(1_000, 1_300), 10.0)
    record_property("programs with and without a difference, by z3 and by trying", (differ, alike))
    assert differ > 30
    assert alike > 30


@pytest.mark.parametrize(
    ("declaration", "guess", "verdict"),
    [
        ("external constant i32", 0, "wrong"),
        ("external thread_local global i32", 0, "wrong"),
        ("external thread_local constant i32", 0, "wrong"),
        ("thread_local externally_initialized global i32 7", 7, "wrong"),
        ("external constant [4 x i32]", 0, "wrong"),
        ("thread_local global i32 7", 7, "equal"),
        ("constant i32 7", 7, "equal"),
    ],
)
def test_z3_chooses_what_variables_hold(declaration: str, guess: int, verdict: str) -> None:
    def of(body: str) -> str:
        return f"@g = {declaration}\ndefine i32 @f() {{\n{body}\n}}"

    load = "  %x = load i32, ptr @g\n  ret i32 %x"
    found = refine_symbolically(parse(of(load)), parse(of(f"  ret i32 {guess}")))
    assert found.verdict == verdict
    if verdict == "wrong":
        assert found.counterexample is not None and found.counterexample.globals.keys() == {"g"}
    again = refine_symbolically(parse(of(load)), parse(of(f"  %y = add i32 0, 0\n{load}")))
    assert (again.verdict, again.bound) == ("equal", None)


def test_z3_sees_each_thread_s_own_variables() -> None:
    def of(value: str) -> str:
        stored = f"  %y = {value}\n  store i32 %y, ptr @t\n  ret void"
        return f"@t = external thread_local global i32\ndefine void @f(i32 %x) {{\n{stored}\n}}"

    twice = parse(of("shl i32 %x, 1"))
    assert refine_symbolically(twice, parse(of("add i32 %x, %x"))).verdict == "equal"
    found = refine_symbolically(twice, parse(of("mul i32 %x, 3")))
    assert found.verdict == "wrong"


def test_given_contents_limit_what_z3_chooses() -> None:
    text = "@g = external constant i32\ndefine i32 @f() {\n  %x = load i32, ptr @g\n  ret i32 BODY\n}"
    source, target = parse(text.replace("BODY", "%x")), parse(text.replace("BODY", "4"))
    assert refine_symbolically(source, target, globals={"g": 4}).verdict == "equal"
    assert refine_symbolically(source, target, globals={"g": 5}).verdict == "wrong"
