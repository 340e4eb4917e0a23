"""What global variables hold at the launch, and what the outside sees of them at the end.

covers: ir.module, semantics.machine.launch, semantics.machine.program
"""

from __future__ import annotations

from typing import Literal

import pytest

import convergence as cc
from convergence.sched.engines import enumerate as enumerated
from convergence.semantics import OutOfBound, Returned, UndefinedBehaviour, Unmodelled, UsageError
from convergence.semantics.machine.program import EngineKind


def returning(globals_: str, body: str) -> cc.Module:
    return cc.parse(f"{globals_}\ndefine i32 @f() {{\n{body}\n}}\n")


def load(globals_: str, at: str = "@g") -> cc.Module:
    return returning(globals_, f"  %x = load i32, ptr {at}\n  ret i32 %x")


NOTE = "what @g holds at the launch is an input"


@pytest.mark.parametrize(
    ("declaration", "value", "taken"),
    [
        ("@g = external global i32", 0, "zero"),
        ("@g = external constant i32", 0, "zero"),
        ("@g = external thread_local global i32", 0, "zero"),
        ("@g = extern_weak global i32", 0, "zero"),
        ("@g = common global i32 0", 0, "its initializer"),
        ("@g = externally_initialized global i32 7", 7, "its initializer"),
        ("@g = weak global i32 7", 7, "its initializer"),
    ],
)
def test_contents_that_nobody_gave_are_named(declaration: str, value: int, taken: str) -> None:
    run = cc.run(load(declaration))
    assert run.outcome.threads[0].value == value
    (note,) = run.notes
    assert note.startswith(NOTE) and f"{taken} was taken" in note
    given = cc.run(load(declaration), globals={"@g": 5})
    assert given.outcome.threads[0].value == 5
    assert given.notes == ()


@pytest.mark.parametrize(
    "words", ["global", "internal global", "weak_odr global", "constant", "linkonce_odr constant"]
)
def test_what_the_module_initialises_is_no_input(words: str) -> None:
    run = cc.run(load(f"@g = {words} i32 7"))
    assert run.outcome.threads[0].value == 7
    assert run.notes == ()


def test_what_nobody_looks_at_is_not_named() -> None:
    assert cc.run(returning("@g = external global i32", "  ret i32 0")).notes == ()


@pytest.mark.parametrize("engine", ["operational", "axiomatic", "both"])
@pytest.mark.parametrize("words", ["external global", "external constant", "external thread_local global"])
def test_each_engine_names_it(engine: Literal["operational", "axiomatic", "both"], words: str) -> None:
    found = enumerated(load(f"@g = {words} i32"), engine=engine)
    assert found.complete and any(note.startswith(NOTE) for note in found.notes)
    assert enumerated(load(f"@g = {words} i32"), engine=engine, globals={"g": 0}).notes == ()


@pytest.mark.parametrize("engine", ["operational", "axiomatic", "both"])
def test_each_thread_has_its_own_and_they_are_shown(
    engine: Literal["operational", "axiomatic", "both"],
) -> None:
    module = cc.parse("""
@t = external thread_local global i32
@g = external global [2 x i32]
declare i32 @subgroupAdd(i32) convergent
define i32 @f(i32 %x) convergent {
  %token = call token @llvm.experimental.convergence.entry()
  %old = load i32, ptr @t
  %sum = call i32 @subgroupAdd(i32 %old) [ "convergencectrl"(token %token) ]
  %at = getelementptr i32, ptr @g, i32 1
  %g = load i32, ptr %at
  %new = add i32 %sum, %g
  store i32 %new, ptr @t
  ret i32 %old
}
declare token @llvm.experimental.convergence.entry()
""")
    found = enumerated(
        module, engine=engine, threads=2, arguments={"x": 0}, globals={"t": [3, 4], "g": [10, 20]}
    )
    (outcome,) = found.outcomes
    assert [(t.value, t.memory) for t in outcome.outcome.threads] == [(3, {"@t": 27}), (4, {"@t": 27})]
    assert outcome.outcome.memory == {"@g": [10, 20]}
    assert "@t = 27 in threads 0, 1" in str(found)


def test_a_thread_local_constant_is_an_input_and_not_shown() -> None:
    module = load("@g = external thread_local constant i32")
    run = cc.run(module, threads=2, globals={"g": [8, 9]})
    assert [(t.value, t.memory) for t in run.outcome.threads] == [(8, {}), (9, {})]


def test_thread_local_variables_and_machines() -> None:
    module = cc.parse("""
@t = thread_local global i32 0
define void @f(i32 %x) {
  store i32 %x, ptr @t
  ret void
}
""")
    for found in cc.simulate(module, threads=2, arguments={"x": [5, 6]}, policy=["ipdom", "exec-mask"]):
        assert found.outcome is not None
        assert [t.memory for t in found.outcome.threads] == [{"@t": 5}, {"@t": 6}]


@pytest.mark.parametrize(
    ("globals_", "given", "message"),
    [
        ("@g = external global i32", {"h": 1}, "no global variable @h; there are: @g"),
        ("@g = external global i32", {"g": [1, 2]}, "shared by all threads"),
        ("@g = external global i32", {"g": 1 << 40}, "does not fit"),
        ("@g = external thread_local global i32", {"g": [1, 2, 3]}, "3 values are given for 1 thread"),
        ("@g = constant i32 7", {"g": 1}, "a constant whose contents the program gives"),
        ("@g = external global [2 x i32]", {"g": [1, 2, 3]}, "has 2 elements, 3 are given"),
    ],
)
def test_what_does_not_fit_is_refused(globals_: str, given: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        cc.run(load(globals_), globals=given)


def test_an_array_goes_on_as_it_began() -> None:
    module = load("@g = external global [1000 x i32]", "getelementptr (i32, ptr @g, i32 998)")
    assert cc.run(module, globals={"g": [1, 2, 3, "..."]}).outcome.threads[0].value == 3


@pytest.mark.parametrize("type_", ["[0 x i32]", "%opaque"])
def test_a_declaration_may_leave_the_size_open(type_: str) -> None:
    declared = f"%opaque = type opaque\n@g = external global {type_}"
    inside = cc.run(load(declared, "getelementptr (i32, ptr @g, i32 63)"), globals={"g": [4, "..."]})
    assert inside.outcome.threads[0].value == 4
    beyond = cc.run(load(declared, "getelementptr (i32, ptr @g, i32 64)")).ending
    assert isinstance(beyond, Unmodelled) and "leaves its size open" in beyond.feature
    guarded = cc.run(load(declared, "getelementptr inbounds (i32, ptr @g, i32 64)")).ending
    assert isinstance(guarded, Unmodelled) and guarded.feature == beyond.feature
    before = cc.run(load(declared, "getelementptr (i32, ptr @g, i32 -1)")).ending
    assert isinstance(before, UndefinedBehaviour)
    sized = cc.run(load("@g = external global [4 x i32]", "getelementptr (i32, ptr @g, i32 4)")).ending
    assert isinstance(sized, UndefinedBehaviour)


def test_workgroup_memory_that_is_only_declared_holds_nothing_yet() -> None:
    module = returning(
        "@g = external addrspace(3) global [0 x i32]",
        "  store i32 6, ptr addrspace(3) @g\n  %x = load i32, ptr addrspace(3) @g\n  ret i32 %x",
    )
    run = cc.run(module)
    assert isinstance(run.ending, Returned) and run.outcome.threads[0].value == 6 and run.notes == ()
    unset = returning(
        "@g = external addrspace(3) global i32", "  %x = load i32, ptr addrspace(3) @g\n  ret i32 %x"
    )
    (note,) = cc.run(unset).notes
    assert "uninitialised bytes of @g were read" in note


def test_an_alias_of_an_external_variable() -> None:
    module = load("@g = external global i32\n@a = alias i32, ptr @h\n@h = weak global i32 2", "@a")
    assert cc.run(module, globals={"h": 9}).outcome.threads[0].value == 9


def test_a_loop_that_counts_in_a_thread_local_variable_is_not_endless() -> None:
    """The state that comes back counts what each thread has for itself."""
    module = cc.parse("""
@t = thread_local global i32 0
@flag = global i32 0
define void @f() {
entry:
  br label %loop
loop:
  %seen = load atomic i32, ptr @flag monotonic, align 4
  call void @step()
  %n = load i32, ptr @t
  %done = icmp eq i32 %n, 3
  br i1 %done, label %end, label %loop
end:
  ret void
}
define void @step() {
  %n = load i32, ptr @t
  %m = add i32 %n, 1
  store i32 %m, ptr @t
  ret void
}
""")
    found = enumerated(module, function="f", threads=1)
    assert [o.ending for o in found.outcomes] == ["returned"]
    (machine,) = cc.simulate(module, function="f", threads=1, policy="ipdom")
    assert isinstance(machine.ending, Returned) and not isinstance(machine.ending, OutOfBound)


def test_what_a_thread_wrote_itself_is_not_assumed() -> None:
    stored = "  store i32 3, ptr @g\n  %x = load i32, ptr @g\n  ret i32 %x"
    for words in ("external", "external thread_local", "weak"):
        initial = " 0" if words == "weak" else ""
        assert cc.run(returning(f"@g = {words} global i32{initial}", stored)).notes == ()
    half = "  store i16 3, ptr @g\n  %x = load i32, ptr @g\n  ret i32 %x"
    (note,) = cc.run(returning("@g = external global i32", half)).notes
    assert note.startswith(NOTE)


WEAK = """
@w = extern_weak global i32
declare extern_weak i32 @hook(i32)
define i32 @f(i32 %x) {
  %there = icmp ne ptr @w, null
  br i1 %there, label %load, label %else
load:
  %y = load i32, ptr @w
  ret i32 %y
else:
  %hooked = icmp ne ptr @hook, null
  br i1 %hooked, label %call, label %end
call:
  %z = call i32 @hook(i32 %x)
  ret i32 %z
end:
  ret i32 -1
}
define i32 @loads() {
  %y = load i32, ptr @w
  ret i32 %y
}
define i32 @calls() {
  %z = call i32 @hook(i32 1)
  ret i32 %z
}
"""


@pytest.mark.parametrize("engine", ["operational", "axiomatic", "both"])
def test_a_weak_symbol_need_not_be_there(engine: Literal["operational", "axiomatic", "both"]) -> None:
    module = cc.parse(WEAK)

    def returned(**given: object) -> object:
        found = enumerated(
            module, engine=engine, function="f", arguments={"x": 5}, globals=given, inputs={"hook": [[77]]}
        )
        (outcome,) = found.outcomes
        return outcome.outcome.threads[0].value

    assert returned(w=3) == 3
    assert returned(w="absent") == 77
    assert returned(w="absent", hook="absent") == -1
    assert returned(w=["absent"], hook="present") == 77


def test_what_is_not_there_is_neither_read_nor_called() -> None:
    module = cc.parse(WEAK)
    for function in ("loads", "calls"):
        ending = cc.run(module, function=function, globals={"w": "absent", "hook": "absent"}).ending
        assert isinstance(ending, UndefinedBehaviour)
    assert (
        "@w" not in cc.run(module, function="f", arguments={"x": 0}, globals={"w": "absent"}).outcome.memory
    )


def test_that_a_weak_symbol_was_taken_to_be_there_is_said() -> None:
    module = cc.parse(WEAK)
    run = cc.run(module, function="f", arguments={"x": 0})
    assert any("whether @w is there is an input" in note for note in run.notes)
    assert any("whether @hook is there" in note for note in run.notes)
    assert not any("whether" in note for note in cc.run(module, function="loads").notes)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"g": "absent"}, "@g is not extern_weak"),
        ({"hook": 3}, "@hook is a function"),
        ({"there": "absent"}, "@there is not extern_weak"),
    ],
)
def test_what_must_be_there(given: dict[str, object], message: str) -> None:
    module = cc.parse(WEAK + "@g = external global i32\ndeclare void @there()\n")
    with pytest.raises(UsageError, match=message):
        cc.run(module, function="loads", globals=given)


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_an_address_beyond_what_is_supposed_is_no_poison(engine: EngineKind) -> None:
    """CUDA's ``extern __shared__``: nobody knows how large it is until the launch says so."""
    module = cc.parse(
        "@tile = external addrspace(3) global [0 x i32]\n"
        "define i32 @f(i64 %n) {\n"
        "  br label %loop\nloop:\n  %i = phi i64 [ 0, %0 ], [ %next, %loop ]\n"
        "  %p = getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 %i\n"
        "  store i32 7, ptr %p\n  %next = add i64 %i, 1\n  %more = icmp ult i64 %next, %n\n"
        "  br i1 %more, label %loop, label %out\nout:\n  %last = load i32, ptr %p\n  ret i32 %last\n}\n"
    )
    supposed = cc.run(module, arguments={"n": 64}, engine=engine)
    assert supposed.outcome.threads[0].value == 7
    beyond = cc.run(module, arguments={"n": 65}, engine=engine).ending
    assert isinstance(beyond, Unmodelled) and "--buffer @tile=TYPE[N] says it" in beyond.feature
    sized = cc.run(module, arguments={"n": 65}, buffers={"@tile": "i32[65]"}, engine=engine)
    assert sized.outcome.threads[0].value == 7


def test_a_pointer_to_what_has_no_known_size_keeps_its_promise() -> None:
    """More bytes than are supposed may lie behind it."""
    module = cc.parse(
        "@tile = external addrspace(3) global [0 x i32]\n"
        "@few = addrspace(3) global [4 x i32] zeroinitializer\n"
        "define i32 @f(ptr addrspace(3) dereferenceable(4096) %p) {\n"
        "  store i32 5, ptr addrspace(3) %p\n  ret i32 5\n}\n"
    )
    assert cc.run(module, arguments={"p": "@tile"}).outcome.threads[0].value == 5
    assert isinstance(cc.run(module, arguments={"p": "@few"}).ending, UndefinedBehaviour)


def test_a_buffer_of_no_elements_in_a_workgroups_memory_has_none() -> None:
    """It holds nothing at the launch, and was taken for a declaration that leaves its size open."""
    text = "define void @k(ptr addrspace(3) %t) {\n  store i32 1, ptr addrspace(3) %t\n  ret void\n}\n"
    for count, ending in ((0, UndefinedBehaviour), (1, Returned)):
        assert isinstance(cc.run(cc.parse(text), buffers={"t": f"i32[{count}]"}).ending, ending)
