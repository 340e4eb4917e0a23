"""What a function without a model that reads memory may depend on: what its own thread wrote where it may
look.

covers: semantics.memory.accesses, semantics.values
"""

from __future__ import annotations

import pytest

from convergence.parser import parse
from convergence.refine import refine
from convergence.refine.symbolic.question import refine_symbolically

HEAD = """@out = global [4 x i32] zeroinitializer
@hidden = internal global i32 0
@flag = global i32 0
declare token @llvm.experimental.convergence.entry()
declare void @anything()
declare void @fill(ptr) memory(argmem: write)
declare void @set(ptr, i32) memory(argmem: write) willreturn nounwind
declare void @mark(i32) memory(inaccessiblemem: write)
"""
ASK = "%a = call i32 @ask(ptr %p)"
EARLY, LATE = f"{ASK}\nWRITE\n", f"WRITE\n{ASK}\n"
BACK = "willreturn nounwind"


def verdict(
    source: str, target: str, words: str = f"memory(read) {BACK}", before: str = "", p: str = "ptr %p"
) -> str:
    sides = [
        parse(
            f"{HEAD}declare i32 @ask(ptr) {words}\n"
            f"define i32 @f({p}, i32 %x) {{\n{before}{body}ret i32 %a\n}}\n"
        )
        for body in (source, target)
    ]
    answer = refine(*sides, threads=2, max_launches=12)
    if refine_symbolically(*sides, threads=2).verdict in ("equal", "refines"):
        assert answer.verdict in ("equal", "refines")
    return answer.verdict


def moved(write: str, words: str = f"memory(read) {BACK}", **more: str) -> str:
    """The verdict where a call is moved over a write."""
    return verdict(LATE.replace("WRITE", write), EARLY.replace("WRITE", write), words, **more)


SLOT = "%s = alloca i32\n"


@pytest.mark.parametrize(
    ("write", "where"),
    [
        ("store i32 7, ptr @out", "memory(read)"),
        ("store i32 7, ptr @out", "memory(read, argmem: none)"),
        ("store i32 7, ptr %p", "memory(read)"),
        ("store i32 7, ptr %p", "memory(argmem: read)"),
        ("store atomic i32 7, ptr @out seq_cst, align 4", "memory(read)"),
        ("call void @anything()", "memory(read)"),
        ("call void @anything()", "memory(argmem: read)"),
        ("call void @anything()", "memory(inaccessiblemem: read)"),
        ("call void @mark(i32 1)", "memory(inaccessiblemem: read)"),
        ("call void @fill(ptr %p)", "memory(argmem: read)"),
        ("call void @fill(ptr %p)", "memory(read)"),
        ("call void @llvm.memset.p0.i64(ptr @out, i8 3, i64 4, i1 false)", "memory(read)"),
    ],
)
def test_a_call_that_reads_may_not_move_over_what_it_may_see(write: str, where: str) -> None:
    assert moved(write, f"{where} {BACK}") == "wrong"


@pytest.mark.parametrize(
    ("write", "where"),
    [
        ("store i32 7, ptr @hidden", "memory(read)"),
        ("store i32 0, ptr @out", "memory(read)"),
        ("store i32 7, ptr @out", "memory(none)"),
        ("store i32 7, ptr @out", "memory(argmem: read)"),
        ("store i32 7, ptr @out", "memory(inaccessiblemem: read)"),
        ("store i32 7, ptr %s", "memory(read)"),
        ("call void @mark(i32 1)", "memory(argmem: read)"),
        ("call void @fill(ptr %p)", "memory(inaccessiblemem: read)"),
    ],
)
def test_it_may_move_over_what_it_cannot_see(write: str, where: str) -> None:
    assert moved(write, f"{where} {BACK}", before=SLOT) in ("equal", "unknown")
    text = f"{write}\n{write}\n{ASK}\n"
    assert (
        verdict(text.replace(f"{write}\n{write}", write), f"{write}\n{ASK}\n", f"{where} {BACK}", SLOT)
        != "wrong"
    )


def test_a_stack_object_that_is_given_is_seen() -> None:
    ask = ASK.replace("%p", "%s")
    write = "store i32 7, ptr %s\n"
    assert verdict(f"{write}{ask}\n", f"{ask}\n{write}", before=SLOT) == "wrong"
    assert verdict(f"{write}{ask}\n", f"store i32 3, ptr %s\n{write}{ask}\n", before=SLOT) == "equal"


def test_what_a_noalias_argument_points_to_is_the_callers() -> None:
    other = "%a = call i32 @ask(ptr null)\n"
    write = "store i32 7, ptr %p\n"
    assert verdict(write + other, other + write, p="ptr noalias %p") == "equal"
    assert verdict(write + other, other + write) == "wrong"


def test_only_the_last_write_counts() -> None:
    once, twice = "store i32 7, ptr @out\n", "store i32 3, ptr @out\nstore i32 7, ptr @out\n"
    assert verdict(f"{twice}{ASK}\n", f"{once}{ASK}\n") == "equal"
    back = "%o = load i32, ptr @out\nstore i32 %o, ptr @out\n"
    assert verdict(f"{once}{back}{ASK}\n", f"{once}{ASK}\n") in ("equal", "refines")  # the load may race


def test_a_call_that_only_writes_is_repeated_over_writes_elsewhere() -> None:
    mark, put = "call void @mark(i32 1)\n", "call void @set(ptr %p, i32 2)\n"
    assert verdict(f"{mark}{put}{mark}{put}{ASK}\n", f"{mark}{put}{ASK}\n") == "equal"
    assert verdict(f"{mark}{put}{mark}{put}{ASK}\n", f"{mark}{put}{put}{ASK}\n") == "equal"
    other = "call void @anything()\n"
    assert verdict(f"{mark}{other}{mark}{ASK}\n", f"{mark}{other}{ASK}\n") == "wrong"
    assert verdict(f"{put}{other}{put}{ASK}\n", f"{put}{other}{ASK}\n") == "wrong"


def test_equal_calls_with_no_write_between_are_one() -> None:
    write = "store i32 7, ptr @out\n"
    one = f"{write}{ASK}\n%b = call i32 @ask(ptr %p)\n%c = sub i32 %a, %b\nstore i32 %c, ptr @flag\n"
    two = f"{write}{ASK}\nstore i32 0, ptr @flag\n"
    between = f"{ASK}\n{write}%b = call i32 @ask(ptr %p)\n%c = sub i32 %a, %b\nstore i32 %c, ptr @flag\n"
    none = f"{ASK}\n{write}store i32 0, ptr @flag\n"
    for words in (f"memory(read) {BACK}", "memory(read)"):
        assert verdict(one, two, words) == "equal"
        assert verdict(between, none, words) == "wrong"


def test_a_convergent_call_depends_on_what_its_members_wrote() -> None:
    def side(body: str) -> str:
        return (
            f"{HEAD}declare i32 @ask(ptr) convergent memory(read) {BACK}\n"
            "define i32 @f(ptr %p) convergent {\n%t = call token @llvm.experimental.convergence.entry()\n"
            + body.replace(ASK, f'{ASK} [ "convergencectrl"(token %t) ]')
            + "ret i32 %a\n}\n"
        )

    def compared(write: str) -> str:
        sides = [parse(side(text.replace("WRITE", write))) for text in (LATE, EARLY)]
        return refine(*sides, threads=2, max_launches=12).verdict

    assert compared("store i32 7, ptr @out") == "wrong"
    assert compared("store i32 7, ptr @hidden") in ("equal", "unknown")
    assert compared("call void @anything()") == "wrong"


def test_where_threads_meet_in_memory() -> None:
    """The machine that performs accesses by choice."""
    meet = "%o = atomicrmw add ptr @flag, i32 1 seq_cst\n"
    write = "store atomic i32 7, ptr @out seq_cst, align 4\n"
    assert verdict(f"{meet}{write}{ASK}\n", f"{meet}{ASK}\n{write}") == "wrong"
    assert verdict(f"{write}{meet}{ASK}\n", f"{write}{meet}{ASK}\n%d = add i32 %a, 0\n") == "equal"
    hidden = "store atomic i32 7, ptr @hidden seq_cst, align 4\n"
    assert verdict(f"{meet}{hidden}{ASK}\n", f"{meet}{ASK}\n{hidden}") == "equal"


# -- what a call writes to stack objects of its own thread is seen by who reads them


OWN = "%s = alloca i32\nstore i32 0, ptr %s\n"


def own(source: str, target: str, words: str = "memory(none)") -> str:
    return verdict(f"{source}\n{ASK}\n", f"{target}\n{ASK}\n", words, before=OWN)


SET = "call void @set(ptr %s, i32 %x)"


def test_a_call_that_writes_only_a_dead_stack_object_may_go() -> None:
    assert own(SET, "") == "equal"
    assert own(f"%v = load i32, ptr %s\nstore i32 %v, ptr @out\n{SET}", "store i32 0, ptr @out") == "equal"
    assert own(SET.replace("%s", "%p"), "") == "wrong"
    assert own("call void @fill(ptr %s)", "") == "wrong"  # which may not come back


def test_each_byte_that_a_call_writes_is_another_one() -> None:
    read = """call void @set(ptr %s, i32 %x)
      %at = getelementptr i8, ptr %s, i32 AT
      %v = load i8, ptr %at
      %w = zext i8 %v to i32
      store i32 %w, ptr @out
"""
    sides = [read.replace("AT", str(at)) for at in (1, 2, 3)]
    assert own(sides[0], sides[0]) == "equal"
    assert own(sides[0], sides[1]) == own(sides[1], sides[2]) == "wrong"


def test_one_whose_object_is_read_may_not() -> None:
    read = "%v = load i32, ptr %s\nstore i32 %v, ptr @out\n"
    assert own(f"{SET}\n{read}", read) == "wrong"
    assert own(f"{SET}\n{read}", f"{SET}\nstore i32 0, ptr @out") == "wrong"
    assert own(f"{SET}\n{read}", f"{SET}\n{read}") == "equal"
    again = SET.replace("%x", "7")
    assert own(f"{SET}\n{again}\n{read}", f"{again}\n{SET}\n{read}") == "wrong"


def test_one_whose_object_is_given_on_may_not() -> None:
    ask = ASK.replace("%p", "%s")
    words = f"memory(argmem: read) {BACK}"
    assert verdict(f"{SET}\n{ask}\n", f"{ask}\n", words, before=OWN) == "wrong"
    assert verdict(f"{SET}\n{ask}\n", f"{ask}\n{SET}\n", words, before=OWN) == "wrong"


def test_attributes_of_parameters_say_what_is_not_written() -> None:
    copy = "declare void @copy(ptr, ptr) memory(argmem: readwrite)\n"
    call = "call void @copy(ptr %s, ptr readonly %p)"
    ask = f"{ASK}\n"
    words = f"memory(argmem: read) {BACK}\n{copy}"
    assert verdict(f"{call}\n{ask}", f"{ask}{call}\n", words, before=OWN) == "equal"
    assert (
        verdict(
            f"{call.replace('readonly ', '')}\n{ask}", f"{ask}{call.replace('readonly ', '')}\n", words, OWN
        )
        == "wrong"
    )
    look = ask.replace("ptr %p", "ptr writeonly %p")
    assert (
        verdict(f"store i32 7, ptr %p\n{look}", f"{look}store i32 7, ptr %p\n", words, before=OWN) == "equal"
    )


def test_it_is_done_in_its_place_where_threads_meet() -> None:
    meet = "%o = atomicrmw add ptr @flag, i32 1 seq_cst\n"
    read = "%v = load i32, ptr %s\nstore atomic i32 %v, ptr @out seq_cst, align 4\n"
    assert own(f"{meet}{SET}\n{read}", f"{meet}{read}") == "wrong"
    assert own(f"{meet}{SET}\n{read}", f"{SET}\n{meet}{read}") == "equal"
    assert own(f"{meet}{SET}", meet) == "equal"


def over_event(
    write: str, declaration: str, call: str = "call void @tell()", head: str = "", p: str = "ptr %p"
) -> str:
    """The verdict where a write is moved over a call that is seen."""
    sides = [
        parse(f"{HEAD}{head}{declaration}\ndefine void @f({p}, i32 %x) {{\n{SLOT}{body}ret void\n}}\n")
        for body in (f"{write}\n{call}\n", f"{call}\n{write}\n")
    ]
    answer = refine(*sides, threads=2, max_launches=12)
    assert refine_symbolically(*sides, threads=2).verdict not in ("equal", "refines") or (
        answer.verdict in ("equal", "refines")
    )
    return answer.verdict


STORE = "store i32 7, ptr @out"


@pytest.mark.parametrize(
    ("write", "declaration", "call"),
    [
        (STORE, "declare void @tell()", "call void @tell()"),
        (STORE, "declare i32 @tell()", "%r = call i32 @tell()"),
        (STORE, "declare void @tell() memory(read)", "call void @tell()"),
        (STORE, "declare void @tell() memory(read, inaccessiblemem: readwrite)", "call void @tell()"),
        (STORE, "declare void @tell(ptr) memory(argmem: read) nounwind", "call void @tell(ptr @out)"),
        ("store i32 7, ptr %p", "declare void @tell()", "call void @tell()"),
        ("store i32 7, ptr %s", "declare void @tell(ptr)", "call void @tell(ptr %s)"),
        (STORE, "", 'call void asm "x", "~{memory}"()'),
        (STORE, "", 'call void asm sideeffect "x", "~{memory}"()'),
        (
            "call void @set(ptr %s, i32 1)",
            "declare void @tell(ptr) memory(argmem: read)",
            "call void @tell(ptr %s)",
        ),
    ],
)
def test_a_write_may_not_move_over_an_event_that_may_read_it(write: str, declaration: str, call: str) -> None:
    assert over_event(write, declaration, call) == "wrong"


@pytest.mark.parametrize(
    ("write", "declaration", "call"),
    [
        (STORE, "declare void @tell() memory(write)", "call void @tell()"),
        (STORE, "declare void @tell() memory(inaccessiblemem: readwrite)", "call void @tell()"),
        (STORE, "declare void @tell(ptr) memory(argmem: read)", "call void @tell(ptr %p)"),
        (STORE, "declare void @tell(ptr writeonly) memory(argmem: readwrite)", "call void @tell(ptr @out)"),
        ("store i32 7, ptr @hidden", "declare void @tell()", "call void @tell()"),
        ("store i32 7, ptr %s", "declare void @tell()", "call void @tell()"),
        ("store i32 0, ptr @out", "declare void @tell()", "call void @tell()"),
        (STORE, "", 'call void asm sideeffect "x", ""() memory(none)'),
    ],
)
def test_a_write_may_move_over_an_event_that_cannot_read_it(write: str, declaration: str, call: str) -> None:
    assert over_event(write, declaration, call) in ("equal", "unknown")
    assert over_event("store i32 7, ptr %p", declaration, call, p="ptr noalias %p") != "wrong" or "%p" in call


def test_what_llvm_knows_better_is_unknown() -> None:
    assert over_event(STORE, "declare i32 @putchar(i32)", "%r = call i32 @putchar(i32 1)") == "unknown"
    tell = "declare void @tell()"
    scopes = "!0 = !{!1}\n!1 = distinct !{!1, !2}\n!2 = distinct !{!2}\n"
    assert (
        over_event(f"{STORE}, !alias.scope !0", tell, "call void @tell(), !noalias !0", scopes) == "unknown"
    )


def test_a_convergent_event_depends_on_what_its_own_thread_wrote() -> None:
    declaration = "declare void @tell() convergent"
    call = 'call void @tell() [ "convergencectrl"(token %t) ]'
    entry = "%t = call token @llvm.experimental.convergence.entry()\n"
    sides = [
        parse(f"{HEAD}{declaration}\ndefine void @f(i32 %x) convergent {{\n{entry}{body}ret void\n}}\n")
        for body in (f"{STORE}\n{call}\n", f"{call}\n{STORE}\n")
    ]
    assert refine(*sides, threads=2, max_launches=12).verdict == "wrong"
    same = (parse(sides[0].source.text), sides[0])
    assert refine(*same, threads=2, max_launches=12, shortcut=False).verdict == "equal"


def test_bytes_that_may_be_anything_are_refined() -> None:
    tell = "declare void @tell()"
    sides = [
        parse(
            f"{HEAD}{tell}\ndefine void @f() {{\nstore i32 {v}, ptr @out\ncall void @tell()\nret void\n}}\n"
        )
        for v in ("poison", "5")
    ]
    assert refine(*sides, threads=1, max_launches=2).verdict == "refines"
    assert refine(*reversed(sides), threads=1, max_launches=2).verdict == "wrong"
