"""S-NEST: what convergence regions must not cross."""

from __future__ import annotations

import random
import time

from convergence.collector import uncollected
from convergence.diagnostics import Witness
from convergence.ir.cfg import convergence_region, dominators
from convergence.rules import VerifierDifference
from convergence.verifier.facts import FunctionFacts, ModuleFacts
from convergence.verifier.nesting import s_nest
from tests.ir.shapes import cfg_of

from .saying import errors, module, rules, written

TWO = "%s = ANCHOR\n  %t = ANCHOR"


def straight(*tokens: str) -> list[str]:
    uses = "\n  ".join(f"BARRIER {{%{token}}}]" for token in tokens)
    return rules(f"define void @f() {{\n  {TWO}\n  {uses}\n  ret void\n}}")


def test_regions_in_one_block() -> None:
    assert straight("t", "s") == []
    assert straight("t", "t", "s", "s") == []
    assert straight("s", "t") == ["S-NEST"]
    assert straight("t", "s", "t") == ["S-NEST"]
    assert straight("s", "s", "t") == ["S-NEST", "S-NEST"], "each use in the region"


def test_the_region_is_the_witness_and_both_definitions_are_shown() -> None:
    (found,) = errors(
        """
        define void @f() {
        a:
          %s = ANCHOR
          br label %b
        b:
          %t = ANCHOR
          br label %c
        c:
          BARRIER {%s}]
          br label %d
        d:
          BARRIER {%t}]
          br label %e
        e:
          ret void
        }"""
    )
    assert found.witness == Witness("region", ("b", "c", "d"))
    assert [label.message for label in found.labels] == ["%s is defined here", "%t is defined here"]


def test_a_loop_reads_its_token_before_its_own_region() -> None:
    text = """
    define void @f(i1 %c) {
    a:
      %t = ANCHOR
      br label %h
    h:
      %u = LOOP {%t}]
      BARRIER {%u}]
      br i1 %c, label %h, label %e
    e:
      BARRIER {%t}]
      ret void
    }"""
    assert rules(text) == []


def test_only_paths_that_do_not_pass_the_definition_again_count() -> None:
    """What LLVM's sentence says word by word would reject this: from the latch the next iteration's use of
    %u can be reached, past a new %u."""
    text = """
    define void @f(i1 %c) {
    a:
      br label %h
    h:
      %t = ANCHOR
      br label %i
    i:
      %u = ANCHOR
      BARRIER {%u}]
      br label %latch
    latch:
      BARRIER {%t}]
      br i1 %c, label %h, label %e
    e:
      ret void
    }"""
    assert rules(text) == []


def test_one_arm_is_enough() -> None:
    text = f"""
    define void @f(i1 %c) {{
    a:
      {TWO}
      br i1 %c, label %b, label %d
    b:
      BARRIER {{%s}}]
      br label %e
    d:
      br label %e
    e:
      BARRIER {{%t}}]
      ret void
    }}"""
    assert rules(text) == ["S-NEST"]
    elsewhere = text.replace("BARRIER {%s}]\n      br label %e", "BARRIER {%s}]\n      ret void")
    assert rules(elsewhere) == []


def test_many_regions_one_inside_the_other() -> None:
    depth = 40
    down = [f"%t{k} = ANCHOR" for k in range(depth)]
    up = [f"BARRIER {{%t{k}}}]" for k in reversed(range(depth))]
    assert rules("\n".join(["define void @f() {", *down, *up, "ret void", "}"])) == []
    up[3], up[7] = up[7], up[3]
    found = errors("\n".join(["define void @f() {", *down, *up, "ret void", "}"]))
    assert [d.rule.id for d in found] == ["S-NEST"] * 4
    starts = [f"the call of @barrier uses %t{k} inside the region of %t36" for k in (32, 35, 34, 33)]
    assert all(d.message.startswith(start) for d, start in zip(found, starts, strict=True))


IRREDUCIBLE = """
define void @f(i1 %c, i1 %d) {{
a:
  %s = ANCHOR
  %t = ANCHOR
  br i1 %c, label {}, label {}
x:
  BARRIER {{%s}}]
  br label %y
y:
  br label %z
z:
  br i1 %d, label %y, label %e
e:
  BARRIER {{%t}}]
  ret void
}}"""


def test_irreducible_nesting_in_both_orders() -> None:
    seen, missed = IRREDUCIBLE.format("%x", "%z"), IRREDUCIBLE.format("%z", "%x")
    (first,) = errors(seen)
    (second,) = errors(missed)
    assert (first.rule.id, first.difference) == ("S-NEST", None)
    assert (second.rule.id, second.difference) == ("S-NEST", VerifierDifference.IRREDUCIBLE_NESTING)
    assert first.witness == second.witness == Witness("region", ("a", "x", "y", "z", "e"))


def test_unreachable_use_inside_the_region_of_a_reachable_token() -> None:
    """From %x, where nobody comes, the use of %t can be reached, and everything dominates %x. So %x is in the
    region of %t, and the definition of %s is not."""
    text = """
    define void @f(i1 %c) {
    a:
      %s = ANCHOR
      %t = ANCHOR
      br label %e
    x:
      BARRIER {%s}]
      br label %e
    e:
      BARRIER {%t}]
      ret void
    }"""
    (found,) = errors(text)
    assert (found.rule.id, found.difference) == ("S-NEST", VerifierDifference.UNREACHABLE)
    assert found.witness == Witness("region", ("a", "x", "e"))
    assert rules(text.replace("BARRIER {%s}]", "%o = ANCHOR\n  BARRIER {%o}]")) == []


def test_region_that_only_a_callbr_reaches() -> None:
    text = """
    define void @f() {
    a:
      %s = ANCHOR
      %t = ANCHOR
      BARRIER {%s}]
      callbr void asm "", ""() {%t}] to label %b []
    b:
      ret void
    }"""
    (found,) = errors(text)
    assert (found.rule.id, found.difference) == ("S-NEST", VerifierDifference.CALLBR)
    seen = text.replace("BARRIER {%s}]", "BARRIER {%t}]\n      BARRIER {%s}]")  # a use that LLVM sees, too
    (found,) = errors(seen)
    assert (found.rule.id, found.difference) == ("S-NEST", VerifierDifference.CALLBR)


def test_a_token_used_where_it_is_not_defined_has_a_region_too() -> None:
    text = """
    define void @f(i1 %c) {
    a:
      br i1 %c, label %b, label %e
    b:
      %s = ANCHOR
      %t = ANCHOR
      BARRIER {%s}]
      br label %e
    e:
      BARRIER {%t}]
      ret void
    }"""
    assert rules(text) == ["S-NEST", "S-DOM"]


def sequence(count: int) -> str:
    """``count`` loops one after the other, their hearts on one token that is used after each."""
    lines = ["define void @f(i1 %c) {", "h0:", " %t0 = ANCHOR", " br label %h1"]
    for k in range(1, count + 1):
        lines += [f"h{k}:", f" %t{k} = LOOP {{%t0}}]", f" BARRIER {{%t{k}}}]"]
        lines += [f" br i1 %c, label %h{k}, label %e{k}"]
        lines += [f"e{k}:", " BARRIER {%t0}]", f" br label %h{k + 1}"]
    return "\n".join([*lines, f"h{count + 1}:", " ret void", "}"])


def nest(depth: int) -> str:
    """``depth`` loops inside each other, each heart on the token around it, which its latch uses."""
    lines = ["define void @f(i1 %c) {", "h0:", " %t0 = ANCHOR", " br label %h1"]
    for k in range(1, depth + 1):
        lines += [f"h{k}:", f" %t{k} = LOOP {{%t{k - 1}}}]", f" br label %h{k + 1}"]
    lines += [f"h{depth + 1}:", f" br label %l{depth}"]
    for k in range(depth, 0, -1):
        lines += [f"l{k}:", f" BARRIER {{%t{k}}}]", f" br i1 %c, label %h{k}, label %l{k - 1}"]
    return "\n".join([*lines, "l0:", " ret void", "}"])


def timed(text: str) -> tuple[float, list[str]]:
    from convergence.parser import parse
    from convergence.verifier import verify

    module = parse(written(text), ask_llvm=False)
    assert module.definitions()[0].blocks  # parsed before the clock starts
    with uncollected():  # among thousands of tests a collection of garbage may take longer than all of it
        begin = time.process_time()
        found = [d.rule.id for d in verify(module)]
        return time.process_time() - begin, found


def test_near_linear_in_sequences_and_deep_nests() -> None:
    """Four times the size may take at most twelve times the time; quadratic would be sixteen times."""
    for shape in (sequence, nest):
        small = min(timed(shape(1500))[0] for _ in range(2))
        (large, found), (again, _) = (timed(shape(6000)) for _ in range(2))
        large = min(large, again)
        assert found == []
        assert large < 12 * small + 0.5, f"{shape.__name__}: {small:.2f} s, then {large:.2f} s"


def larger(rng: random.Random) -> str:
    """A function of a few dozen blocks with anchors anywhere and uses where they are dominated, mostly."""
    size = rng.randint(10, 40)

    def near(block: int) -> int:
        return min(size - 1, max(1, block + rng.randint(-4, 6)))

    edges = [list(dict.fromkeys(near(b) for _ in range(rng.choice([1, 2, 2])))) for b in range(size)]
    tree = dominators(cfg_of(edges))
    homes = [rng.randrange(size) for _ in range(rng.randint(2, 14))]
    lines: list[list[str]] = [[] for _ in range(size)]
    for token, home in enumerate(homes):
        lines[home].append(f" %t{token} = ANCHOR")
    for _ in range(rng.randint(2, 20)):
        token, block = rng.randrange(len(homes)), rng.randrange(size)
        if tree.dominates(homes[token], block) and (tree.enter[block] >= 0 or not rng.randrange(4)):
            lines[block].append(f" BARRIER {{%t{token}}}]")
    text = ["define void @f(i32 %x) {"]
    for block, targets in enumerate(edges):
        cases = " ".join(f"i32 {at}, label %b{target}" for at, target in enumerate(targets[1:]))
        text += [f"b{block}:", *lines[block], f" switch i32 %x, label %b{targets[0]} [ {cases} ]"]
    return "\n".join([*text, "}"])


def test_the_quick_way_finds_what_comparing_all_regions_finds() -> None:
    rng, broken = random.Random(11), 0
    for _ in range(400):
        parsed = module(larger(rng))
        facts = FunctionFacts(ModuleFacts(parsed), parsed.functions["f"])
        expected = set()
        for token, definition in facts.definitions.items():
            uses = [use.point for use in facts.uses if use.token == token]
            region = convergence_region(facts.cfg, facts.dominators, definition.point, uses)
            expected |= {
                use.span.start
                for use in facts.uses
                if use.token != token
                and region.contains(use.point)
                and not region.contains_definition(use.definition.point)
            }
        found = {d.span.start for d in s_nest(facts)}
        assert found == expected
        broken += bool(found)
    assert 50 < broken < 390
