"""Buffers of a launch: what they hold before and after a run, for every engine.

covers: semantics.machine.bindings, semantics.memory.allocations
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import convergence as cc
from convergence.semantics.machine.buffers import ELEMENTS, LARGEST, Buffer, buffer_in_words, element_named

SHIFT = """
define void @shift(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %i) {
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %v = load i32, ptr addrspace(1) %p
  %w = add i32 %v, 100
  %q = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %w, ptr addrspace(1) %q
  ret void
}
"""
IDS = {"i": [0, 1, 2, 3]}


def _shift() -> cc.Module:
    return cc.parse(SHIFT)


def test_arrays_come_back_and_inputs_stay_as_they_were() -> None:
    given = np.array([5, -7, 11, 2**31 - 1], np.int32)
    before = given.copy()
    run = cc.run(_shift(), threads=4, arguments=IDS, buffers={"in": given, "%out": "u32[4]:9,..."})
    out = run.buffers["out"]
    assert out.dtype == np.uint32 and out.tolist() == (before + np.int32(100)).view(np.uint32).tolist()
    assert (given == before).all() and (run.buffers["in"] == before).all()
    assert sorted(run.buffers) == ["in", "out"]
    with pytest.raises(KeyError):
        run.buffers["other"]


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"])
def test_every_dtype_goes_in_and_comes_out_unchanged(dtype: str) -> None:
    """Also what no program touched, and bytes in the other order, or not in C's."""
    numbers = np.random.default_rng(11).integers(0, 100, (3, 4)).astype(dtype)
    for given in (numbers, numbers.astype(numbers.dtype.newbyteorder(">")), np.asfortranarray(numbers)):
        run = cc.run(cc.parse("define void @k(ptr %p) { ret void }"), buffers={"p": given})
        found = run.buffers["p"]
        assert found.shape == (3, 4) and found.dtype == np.dtype(dtype) and (found == numbers).all()


def test_structures_go_in_and_come_out(tmp_path: Path) -> None:
    dtype = np.dtype([("n", ">i4"), ("v", "<f4", 2)])
    rows = np.array([(1, (0.5, 1.5)), (2, (2.5, 3.5))], dtype)
    module = cc.parse(
        "define i32 @k(ptr %p) { %q = getelementptr i8, ptr %p, i64 12 %v = load i32, ptr %q "
        "%w = add i32 %v, 40 store i32 %w, ptr %q ret i32 %v }"
    )
    np.save(tmp_path / "rows.npy", rows)
    for given in (rows, f"@{tmp_path / 'rows.npy'}"):
        run = cc.run(module, buffers={"p": given})
        found = run.buffers["p"]
        assert run.outcome.threads[0].value == 2
        assert found["n"].tolist() == [1, 42] and (found["v"] == rows["v"]).all() and found.shape == (2,)
    with pytest.raises(cc.UsageError, match="none that a buffer holds"):
        cc.run(module, buffers={"p": np.zeros(1, [("a", "i4"), ("b", object)])})


def test_nan_infinities_and_minus_zero_keep_their_bits() -> None:
    numbers = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45], np.float32)
    run = cc.run(cc.parse("define void @k(ptr %p) { ret void }"), buffers={"p": numbers})
    assert (run.buffers["p"].view(np.uint32) == numbers.view(np.uint32)).all()
    assert repr(run.held("%p").values[3]) == "-0.0" and run.held("%p").values[4] == float(numbers[4])
    words = cc.run(cc.parse("define void @k(ptr %p) { ret void }"), buffers={"p": "f32[]:-0.0,nan,0"})
    assert words.buffers["p"].view(np.uint32).tolist() == [1 << 31, 0x7FC00000, 0]


@pytest.mark.parametrize("name", ["f16", "bf16", "f32", "f64"])
def test_minus_zero_and_hexadecimal_floats_in_words(name: str) -> None:
    """-0 is an integer to Python, which has no minus zero; C's hexadecimal floats are exact."""
    module = cc.parse("define void @k(ptr %p, ptr %q) { ret void }")
    buffers = {"p": f"{name}[5]:-0,-0.0,0,-0x0p0,0x1.8p-3", "q": f"{name}[2]:-0,..."}
    run = cc.run(module, buffers=buffers)
    values = [*run.held("p").values, *run.held("q").values]
    assert [str(value) for value in values] == ["-0.0", "-0.0", "0.0", "-0.0", "0.1875", "-0.0", "-0.0"]


def test_bfloat_is_kept_as_its_bits() -> None:
    module = cc.parse(
        "define bfloat @k(ptr %p) { %v = load bfloat, ptr %p %w = fadd bfloat %v, 1.0 "
        "store bfloat %w, ptr %p ret bfloat %w }"
    )
    run = cc.run(module, buffers={"p": "bf16[2]:1.5,-3"})
    assert run.held("p").values == (2.5, -3.0)
    assert run.buffers["p"].tolist() == [0x4020, 0xC040] and run.buffers["p"].dtype == np.uint16


def test_what_has_no_number_is_said() -> None:
    module = cc.parse(
        "define void @k(ptr %p) { store i32 poison, ptr %p %u = alloca i32 "
        "%q = getelementptr i32, ptr %p, i32 2 %v = load i32, ptr %u store i32 %v, ptr %q ret void }"
    )
    held = cc.run(module, buffers={"p": "i32[4]:1,2,3,4"}).held("%p")
    assert held.values == ("poison", 2, "undef", 4)
    assert held.array.tolist() == [0, 2, 0, 4] and held.missing == 2


BY_VALUE = (
    "%s = type { i32 }\ndeclare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
    "define void @k(ptr byval(%s) %p, ptr %out) {\n"
    "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %x = load i32, ptr %p\n"
    "  %y = add i32 %x, %t\n  store i32 %y, ptr %p\n  %z = load i32, ptr %p\n"
    "  %q = getelementptr i32, ptr %out, i32 %t\n  store i32 %z, ptr %q\n  ret void\n}\n"
)


@pytest.mark.parametrize("engine", ["reference", "native", "attended"])
def test_what_is_passed_by_value_is_each_threads_own(engine: Any) -> None:
    given = {"p": "i32[1]:100", "out": "i32[4]"}
    run = cc.run(cc.parse(BY_VALUE), threads=4, buffers=given, engine=engine)
    assert not run.races and run.buffers["out"].tolist() == [100, 101, 102, 103]
    assert run.buffers["p"].tolist() == [100] and set(run.outcome.memory) == {"%out"}
    assert not any(thread.memory for thread in run.outcome.threads)


def test_all_engines_copy_what_is_passed_by_value() -> None:
    launch: dict[str, Any] = {"threads": 2, "buffers": {"p": "i32[1]:100", "out": "i32[4]"}}
    for kind in ("operational", "axiomatic"):
        found = cc.enumerate(cc.parse(BY_VALUE), engine=kind, **launch)
        (outcome,) = found.outcomes
        assert found.complete and outcome.outcome.memory["%out"] == [100, 101, 0, 0]
    (machine,) = cc.simulate(cc.parse(BY_VALUE), policy="exec-mask", **launch)
    assert machine.outcome is not None and machine.outcome.memory["%out"] == [100, 101, 0, 0]


STRUCTURE = """
%s = type { ptr, i32, [2 x float] }
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define void @k(ptr byval(%s) align 8 %p, ptr ATTRIBUTE([2 x i32]) %q) {
  %x = load ptr, ptr %p
  %f = getelementptr %s, ptr %p, i32 0, i32 2, i32 1
  %v = load float, ptr %f
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr float, ptr %x, i32 %t
  %q1 = getelementptr i32, ptr %q, i32 1
  %w = load i32, ptr %q1
  %wf = sitofp i32 %w to float
  %s = fadd float %v, %wf
  store float %s, ptr %at
  ret void
}
"""


@pytest.mark.parametrize("attribute", ["byval", "byref"])
@pytest.mark.parametrize("engine", ["reference", "native"])
def test_an_argument_is_the_structure_that_is_passed_by_value(engine: Any, attribute: str) -> None:
    """With an address among its members."""
    module = cc.parse(STRUCTURE.replace("ATTRIBUTE", attribute))
    launch: dict[str, Any] = {"threads": 3, "buffers": {"+x": "f32[3]"}, "engine": engine}
    run = cc.run(module, arguments={"p": ["@+x", 7, [1.5, 2.5]], "%q": [3, 4]}, **launch)
    assert run.buffers["+x"].tolist() == [6.5, 6.5, 6.5]
    for value, words in (([1, 2], "argument %p has 3 elements, 2 are given"), (["@+x", 1, 2], "argument %p")):
        with pytest.raises(cc.UsageError, match=words):
            cc.run(module, arguments={"p": value, "q": [3, 4]}, **launch)
    both = {**launch, "buffers": {"+x": "f32[3]", "q": "i32[2]"}}
    with pytest.raises(cc.UsageError, match="%q is given a value and a buffer"):
        cc.run(module, arguments={"p": ["@+x", 7, [1.5, 2.5]], "q": [3, 4]}, **both)


def test_a_buffer_may_hold_nothing() -> None:
    module = cc.parse(
        "define i32 @k(ptr %p) { %q = getelementptr i32, ptr %p, i32 1 store i32 7, ptr %q "
        "%r = load i32, ptr %p store i32 %r, ptr %q ret i32 %r }"
    )
    for engine in ("reference", "native"):
        run = cc.run(module, buffers={"p": "i32[2]:undef"}, engine=engine)
        assert run.held("p").values == ("undef", "undef")
        assert run.notes == (
            "uninitialised bytes of %p were read, or undef that was stored there: undef was taken as 0",
        )
    written = cc.run(module, buffers={"p": "i32[2]"})
    assert written.held("p").values == (0, 0) and not written.notes
    with pytest.raises(cc.UsageError, match="how many"):
        cc.run(module, buffers={"p": "i32[]:undef"})


def test_the_same_object_behind_two_parameters() -> None:
    run = cc.run(_shift(), threads=4, arguments=IDS, buffers={"in": "i32[4]:0,1,...", "out": "%in"})
    assert run.buffers["out"].tolist() == run.buffers["in"].tolist() == [100, 101, 102, 103]


def test_an_access_outside_is_undefined_and_says_where() -> None:
    given = {"in": "i32[4]", "out": "i32[4]"}
    run = cc.run(_shift(), threads=2, arguments={"i": [3, 4]}, buffers=given)
    text = str(run)
    assert "Undefined behaviour in thread 1: load out of bounds: 4 bytes at offset 16 of %in" in text
    assert "index 4: it has 4 elements" in text
    byte = cc.parse(
        "define i32 @k(ptr %p) { %q = getelementptr i8, ptr %p, i64 6 "
        "%v = load i32, ptr %q, align 1 ret i32 %v }"
    )
    assert "(index 1, byte 2: it has 2 elements)" in str(cc.run(byte, buffers={"p": "i32[2]"}))
    inbounds = cc.parse(SHIFT.replace("getelementptr i32", "getelementptr inbounds i32"))
    text = str(cc.run(inbounds, threads=2, arguments={"i": [3, 5]}, buffers=given))
    assert (
        "thread 1: load through a poison pointer: 4 bytes at offset 20 of %in, which has 16 (index 5" in text
    )
    below = cc.parse(
        "define i32 @k(ptr %p) { %q = getelementptr i32, ptr %p, i64 -1 %v = load i32, ptr %q ret i32 %v }"
    )
    assert "index -1" in str(cc.run(below, buffers={"p": "i32[2]"}))


def test_every_engine_sees_them() -> None:
    given = {"in": np.arange(4, dtype=np.int32), "out": "i32[4]"}
    launch = {"threads": 4, "arguments": IDS, "buffers": given}
    wanted = [100, 101, 102, 103]
    for engine in ("operational", "axiomatic"):
        found = cc.enumerate(_shift(), engine=engine, **launch)  # type: ignore[arg-type]
        assert found.complete and len(found.outcomes) == 1
        outcome = found.outcomes[0].outcome
        assert outcome is not None and outcome.memory["%out"] == wanted
    for one in cc.simulate(_shift(), **launch):  # type: ignore[arg-type]
        assert one.conforms, one


def test_refine_gives_both_sides_the_same_and_compares_what_they_hold() -> None:
    same = cc.parse(SHIFT.replace("%in", "%from").replace("add i32 %v, 100", "sub i32 %v, -100"))
    other = cc.parse(SHIFT.replace("add i32 %v, 100", "sub i32 %v, 100"))
    given = {"in": "i32[4]:3,4,...", "out": "i32[4]"}
    launch = {"threads": 4, "arguments": IDS, "buffers": given}
    assert cc.refine(_shift(), same, **launch).verdict in ("equal", "refines")  # type: ignore[arg-type]
    found = cc.refine(_shift(), other, **launch)  # type: ignore[arg-type]
    assert found.verdict == "wrong" and "at the end %out is" in str(found)
    assert "--buffer %in as given" in str(found)
    with pytest.raises(cc.UsageError, match="an argument and a buffer"):
        cc.refine(_shift(), same, threads=4, arguments={**IDS, "in": "null"}, buffers=given)


def test_variables_of_the_module() -> None:
    text = """
    @given = external global [0 x float]
    @scale = global float 1.0
    @shared = external addrspace(3) global [0 x i32]
    define float @k() {
      %p = getelementptr float, ptr @given, i32 70
      %v = load float, ptr %p
      %s = load float, ptr @scale
      %w = fmul float %v, %s
      store float %w, ptr @scale
      %q = getelementptr i32, ptr addrspace(3) @shared, i32 99
      store i32 7, ptr addrspace(3) %q
      ret float %w
    }
    """
    given = {"@given": np.arange(71, dtype=np.float32), "@scale": "f32[1]:0.5", "@shared": "i32[100]"}
    run = cc.run(cc.parse(text), buffers=given)
    assert run.buffers["@scale"].tolist() == [35.0] and not run.notes
    assert run.held("@shared").values[98:] == ("undef", 7)
    beyond = cc.run(cc.parse(text), buffers={**given, "@shared": "i32[99]"})
    assert "offset 396 of @shared" in str(beyond)
    plain = cc.run(cc.parse("@g = global [2 x [3 x i16]] zeroinitializer define void @k() { ret void }"))
    assert plain.held("@g").array.shape == (2, 3)


def test_variables_that_are_vectors() -> None:
    text = """
    @v = global [2 x <4 x float>] zeroinitializer
    @padded = global <3 x i32> zeroinitializer
    define void @k() {
      store <4 x float> <float 1.0, float 2.0, float 3.0, float 4.0>, ptr @v
      ret void
    }
    """
    run = cc.run(cc.parse(text))
    assert run.held("@v").array.tolist() == [[1, 2, 3, 4], [0, 0, 0, 0]]
    with pytest.raises(cc.UsageError, match="@padded is <3 x i32>, no array"):
        run.held("@padded")


def test_workgroup_memory_behind_a_parameter_holds_nothing_but_what_is_given() -> None:
    """The launches of ``refine``'s counterexamples give it numbers, and were refused."""
    module = cc.parse("define i32 @k(ptr addrspace(3) %t) { %v = load i32, ptr addrspace(3) %t ret i32 %v }")
    run = cc.run(module, buffers={"t": "i32[4]"})
    assert any("uninitialised bytes of %t" in note for note in run.notes)
    run = cc.run(module, buffers={"t": "i32[4]:9,..."})
    assert (run.outcome.threads[0].value, run.notes) == (9, ())


def test_a_large_buffer() -> None:
    """More than a variable's contents may have, and no list of numbers in the outcome."""
    count = (1 << 22) // 8 + 5
    numbers = np.zeros(count)
    numbers[-1] = 3.25
    module = cc.parse(
        f"define double @k(ptr %p) {{ %q = getelementptr double, ptr %p, i64 {count - 1} "
        "%v = load double, ptr %q %w = fadd double %v, 1.0 store double %w, ptr %q ret double %w }"
    )
    run = cc.run(module, buffers={"p": numbers})
    said = run.outcome.memory["%p"]
    assert isinstance(said, str) and said.startswith(f"{count} x double, sha256 ")
    assert run.changed_memory.shared == {"%p": said}
    assert run.buffers["p"][-1] == 4.25 and not run.buffers["p"][:-1].any()


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("i32[5]:0,1,2,...", [0, 1, 2, 3, 4]),
        ("i8[3]:-1,...", [-1, -1, -1]),
        ("u8[]:255,0x10,-1", [255, 16, 255]),
        ("f64[4]:1,0.5,...", [1.0, 0.5, 0.0, -0.5]),
        ("float[2] : 1e3, inf", [1000.0, float("inf")]),
        ("half[2]:65504,0.1", [65504.0, 0.0999755859375]),
        ("int16[2,2]:1,3,...", [1, 3, 5, 7]),
        ("uint64[1]:18446744073709551615", [2**64 - 1]),
        ("f32[0]", []),
    ],
)
def test_words_say_what_a_buffer_holds(words: str, wanted: list[float]) -> None:
    run = cc.run(cc.parse("define void @k(ptr %p) { ret void }"), buffers={"p": words})
    assert list(run.held("p").values) == wanted


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("i32", "is no buffer"),
        ("i32[]", "how many elements"),
        ("i32[4", "is no buffer"),
        ("i33[4]", "'i33' is no element type"),
        ("complex64[4]", "is no element type"),
        ("i32[4]:1,2", "2 values are given for 4 elements"),
        ("i32[2]:1,2,3,...", "3 values are given for 2 elements"),
        ("i32[]:1,...", "how many elements"),
        ("i32[4]:...", "what stands before it"),
        ("i32[4]:1,2,4,...", "a progression"),
        ("i8[1]:256", "256 does not fit i8"),
        ("i32[1]:1.5", "1.5 is no value of i32"),
        ("i32[2]:1,", "a value is missing"),
        ("f32[1]:x", "'x' is no number"),
        ("f32[1]:0x1p", "'0x1p' is no number"),
        ("f64[1]:0x1p9999", "0x1p9999 is no value of f64"),
        ("i32[1]:0x1p3", "0x1p3 is no value of i32"),
        ("f32[-1]", "is no buffer"),
        ("%other", "is given no buffer"),
        (f"i8[{LARGEST + 1}]", "more than"),
        (f"i8[{LARGEST + 1}]:0,1,...", "more than"),
    ],
)
def test_what_is_no_buffer_is_refused(words: str, why: str) -> None:
    with pytest.raises(cc.UsageError, match=why):
        cc.run(cc.parse("define void @k(ptr %p) { ret void }"), buffers={"p": words})


def test_what_does_not_fit_the_program_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    module = cc.parse(
        "@a = global [8 x i32] zeroinitializer @c = constant i32 1 @t = thread_local global i32 0 "
        "@s = global { i32, i32 } zeroinitializer define void @k(ptr %p, i32 %n, ptr %r) { ret void }"
    )
    wrong = {
        "q": "no parameter %q; it has: %p, %n, %r",
        "n": "%n is no pointer but i32",
        "@none": "no global variable @none",
        "@c": "a constant",
        "@t": "thread_local",
    }
    for name, why in wrong.items():
        with pytest.raises(cc.UsageError, match=why):
            cc.run(module, buffers={name: "i32[8]"})
    with pytest.raises(cc.UsageError, match=r"has 28 bytes: \[8 x i32\] has 32"):
        cc.run(module, buffers={"@a": "i32[7]"})
    with pytest.raises(cc.UsageError, match=r"of f32: @a is \[8 x i32\]"):
        cc.run(module, buffers={"@a": "f32[8]"})
    assert cc.run(module, arguments={"n": 0, "r": "null"}, buffers={"p": "i8[1]", "@s": "i32[2]:1,2"}).buffers
    for bad in (np.zeros(2, complex), np.array(["a"]), [1, 2], object()):
        with pytest.raises(cc.UsageError):
            cc.run(module, buffers={"p": bad})
    with pytest.raises(cc.UsageError, match="given twice"):
        cc.run(module, buffers={"p": "i32[1]", "%p": "i32[1]"})
    with pytest.raises(cc.UsageError, match="were: %p"):
        cc.run(module, buffers={"p": "i32[1]"}).held("r")
    monkeypatch.setattr("convergence.semantics.machine.buffers._free_memory", lambda: 1000)
    with pytest.raises(cc.UsageError, match="GiB of memory, of which"):
        cc.run(module, buffers={"p": "i32[64]"})


def test_files(tmp_path: Path) -> None:
    module = cc.parse("define void @k(ptr %p) { ret void }")

    def held(name: str, words: str = "") -> list[float]:
        return list(cc.run(module, buffers={"p": f"{words}@{tmp_path / name}"}).held("p").values)  # type: ignore[arg-type]

    np.save(tmp_path / "a.npy", np.array([[1, 2], [3, 4]], np.int16))
    assert held("a.npy") == held("a.npy", "i16[2,2]:") == [1, 2, 3, 4]
    assert held("a.npy", "u16[4]:") == [1, 2, 3, 4]
    np.save(tmp_path / "b.npy", np.array([0x3F80], np.uint16))
    assert held("b.npy", "bf16[1]:") == [1.0]
    np.save(tmp_path / "o.npy", np.array([{}], object), allow_pickle=True)
    (tmp_path / "text.npy").write_text("1,2,3")
    whole = (tmp_path / "a.npy").read_bytes()
    (tmp_path / "cut.npy").write_bytes(whole[:-3])
    wrong = {
        ("none.npy", ""): "no such file",
        ("text.npy", ""): "not a .npy file that is whole",
        ("cut.npy", ""): "not a .npy file that is whole",
        ("o.npy", ""): "Python objects",
        ("a.npy", "i32[4]:"): "it holds i16, not i32",
        ("a.npy", "i16[5]:"): "4 elements, 5 are wanted",
        ("a.npy", "bf16[4]:"): "it holds i16, not bf16",
    }
    for (name, words), why in wrong.items():
        with pytest.raises(cc.UsageError, match=why):
            held(name, words)


def test_numbers_are_spelled_as_they_are_read() -> None:
    """What ``--show`` prints is what ``--buffer`` takes, for every bit pattern."""
    random = np.random.default_rng(7)
    for element in ELEMENTS.values():
        bits = random.integers(0, 1 << (8 * element.size - 1), 50, np.uint64)
        for pattern in map(int, bits):
            number = element.number(pattern)
            if number != number:
                continue
            again = buffer_in_words(f"{element.name}[1]:{element.spelled(number)}")
            assert isinstance(again, Buffer)
            assert int.from_bytes(again.data or b"", "little") == pattern, (element.name, number)
    assert element_named("float32") is ELEMENTS["f32"] and element_named("f8") is None


def test_what_nobody_looked_at_is_what_is_there() -> None:
    """Numbers are taken from the launch where no contents were made, from the cells where they were."""
    read = "define i32 @k(ptr %p, ptr %q) { %v = load i32, ptr %p %w = load i32, ptr %q ret i32 %v }"
    given = {"p": np.arange(-3, 70_000, dtype=np.int32), "q": "f64[70000]"}
    looked = cc.run(cc.parse(read), buffers=given)
    blind = cc.run(cc.parse("define void @k(ptr %p, ptr %q) { ret void }"), buffers=given)
    for name in given:
        assert (looked.buffers[name] == blind.buffers[name]).all()
    assert looked.outcome.memory == blind.outcome.memory and not looked.changed_memory


def test_names_as_compilers_leave_them() -> None:
    """HIP's coerced pointers; and parameters whose names are gone, of which the message says how to keep
    them."""
    hip = cc.parse(
        "define i32 @k(ptr addrspace(1) %in.coerce) { %v = load i32, ptr addrspace(1) %in.coerce ret i32 %v }"
    )
    for name in ("in", "%in", "%in.coerce"):
        ran = cc.run(hip, buffers={name: "i32[1]:4"})
        assert ran.outcome.threads[0].value == 4
        assert all(ran.held(shown).name == "%in" for shown in ("in", "%in", "%in.coerce"))
    nameless = cc.parse("define i32 @k(ptr %0) { %v = load i32, ptr %0 ret i32 %v }")
    assert cc.run(nameless, buffers={"%0": "i32[1]:4"}).outcome.threads[0].value == 4
    with pytest.raises(cc.UsageError, match=r"it has: %0 .clang keeps names with -fno-discard"):
        cc.run(nameless, buffers={"in": "i32[1]"})
    with pytest.raises(cc.UsageError, match=r"give it with buffers=\{'0': TYPE"):
        cc.run(nameless)


BIG_ENDIAN = """target datalayout = "E"
@g = global [2 x i32] [i32 1, i32 2]
define i8 @f(ptr %p) {
  %q = getelementptr i8, ptr %p, i32 7
  %v = load i8, ptr %q
  %r = getelementptr i8, ptr @g, i32 7
  %w = load i8, ptr %r
  %s = shl i8 %w, 4
  %t = or i8 %s, %v
  ret i8 %t
}
"""


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_the_lowest_byte_is_the_last_one_where_the_layout_says_so(engine: Any) -> None:
    run = cc.run(cc.parse(BIG_ENDIAN), threads=2, buffers={"p": "i32[2]:1,3"}, engine=engine)
    assert [thread.value for thread in run.outcome.threads] == [0x23, 0x23]


@pytest.mark.parametrize(("stored", "buffer"), [("float", "u8[4]"), ("i32", "f32[1]"), ("i8", "i32[1]")])
def test_undef_is_undef_in_numbers_of_another_size(stored: str, buffer: str) -> None:
    """It was taken as 0, and nothing said so."""
    module = cc.parse(
        f"define void @k(ptr %p) {{ %u = alloca {stored} %v = load {stored}, ptr %u "
        f"store {stored} %v, ptr %p ret void }}"
    )
    held = cc.run(module, buffers={"p": f"{buffer}:9,..."}).held("%p")
    assert held.values[0] == "undef"
