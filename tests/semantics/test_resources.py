"""Resources of shaders: which there are, what a launch binds to them, and how they are accessed.

covers: ir.resources, semantics.machine.bindings
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import convergence as cc
from convergence.ir import FloatType, TargetType
from convergence.ir.resources import constant_buffers, letter_of, resources_of

DX = 'target triple = "dxil-pc-shadermodel6.6-compute"\ntarget datalayout = "e-p:32:32-i64:64-v96:32:32"\n'
SPIRV = 'target triple = "spirv-unknown-vulkan1.3-compute"\ntarget datalayout = "e-i64:64-v96:128-G10"\n'

DECLARED = """
%S = type <{ <2 x float>, i32 }>
%layout = type <{ float, target("dx.Padding", 12), <4 x i32>, <3 x float>, i32 }>
@In.str = constant [3 x i8] c"In\\00"
@Free.str = constant [5 x i8] c"Free\\00"
@P.str = constant [2 x i8] c"P\\00"
@P.cb = global target("dx.CBuffer", %layout) poison
@scale = external hidden addrspace(2) global float
@last = external hidden addrspace(2) global i32
!hlsl.cbs = !{!0}
!0 = !{ptr @P.cb, ptr addrspace(2) @scale, null, null, ptr addrspace(2) @last}
"""


def _dx(body: str) -> cc.Module:
    """A module with these; LLVM gives the intrinsics their suffixes."""
    return cc.parse(DX + DECLARED + body)


S = 'target("dx.RawBuffer", %S, 0, 0)'
RAW = 'target("dx.RawBuffer", i8, 1, 0)'
INTS = 'target("dx.RawBuffer", i32, 1, 0)'
TYPED = 'target("dx.TypedBuffer", <2 x i32>, 1, 0, 1)'
FLOATS = 'target("dx.RawBuffer", float, 1, 0)'
VECTORS = 'target("dx.RawBuffer", <3 x float>, 1, 0)'
CB = 'target("dx.CBuffer", %layout)'
HANDLE = "@llvm.dx.resource.handlefrombinding"
IMPLICIT = "@llvm.dx.resource.handlefromimplicitbinding"


def test_structured_raw_and_typed_buffers() -> None:
    module = _dx(f"""
    define i32 @main(i32 %i) {{
      %s = call {S} {HANDLE}(i32 0, i32 1, i32 1, i32 0, ptr @In.str)
      %r = call {RAW} {HANDLE}(i32 3, i32 2, i32 1, i32 0, ptr null)
      %t = call {TYPED} {HANDLE}(i32 0, i32 0, i32 1, i32 0, ptr null)
      %n = call {{ i32, i1 }} @llvm.dx.resource.load.rawbuffer.i32({S} %s, i32 %i, i32 8)
      %v = extractvalue {{ i32, i1 }} %n, 0
      %p = call ptr @llvm.dx.resource.getpointer({S} %s, i32 %i)
      %q = getelementptr i8, ptr %p, i32 4
      %f = load float, ptr %q
      %at = mul i32 %i, 4
      call void @llvm.dx.resource.store.rawbuffer({RAW} %r, i32 %at, i32 poison, float %f)
      %a = insertelement <2 x i32> poison, i32 %v, i32 0
      %b = insertelement <2 x i32> %a, i32 7, i32 1
      call void @llvm.dx.resource.store.typedbuffer({TYPED} %t, i32 %i, <2 x i32> %b)
      %again = call {{ <2 x i32>, i1 }} @llvm.dx.resource.load.typedbuffer({TYPED} %t, i32 %i)
      %mapped = extractvalue {{ <2 x i32>, i1 }} %again, 1
      %one = zext i1 %mapped to i32
      %d = call i32 @llvm.dx.resource.getdimensions.x({S} %s)
      %sum = add i32 %d, %one
      ret i32 %sum
    }}
    """)
    rows = np.zeros(3, np.dtype([("v", "<f4", 2), ("n", "<i4")]))
    rows["v"], rows["n"] = np.array([[1, 2], [3, 4], [5, 6]]), [10, 20, 30]
    given = {"In": rows, "u2.space3": "f32[3]", "u0": np.zeros((3, 2), np.int32)}
    run = cc.run(module, threads=3, arguments={"i": [0, 1, 2]}, buffers=given)
    assert run.buffers["u2.space3"].tolist() == [2, 4, 6]
    assert run.buffers["u0"].tolist() == [[10, 7], [20, 7], [30, 7]]
    assert [thread.value for thread in run.outcome.threads] == [4, 4, 4]
    outside = cc.run(module, threads=1, arguments={"i": 3}, buffers=given)
    assert "offset 44 of t1, which has 36" in str(outside) and "thread 0" in str(outside)


def test_a_constant_buffer_is_one_object_and_its_members_lie_in_it() -> None:
    module = _dx(f"""
    define i32 @main() {{
      %c = call {CB} {HANDLE}(i32 0, i32 4, i32 1, i32 0, ptr @P.str)
      store {CB} %c, ptr @P.cb
      %s = load float, ptr addrspace(2) @scale
      %n = fptosi float %s to i32
      %l = load i32, ptr addrspace(2) @last
      %sum = add i32 %n, %l
      %h = load {CB}, ptr @P.cb
      %row = call {{ i32, i32, i32, i32 }} @llvm.dx.resource.load.cbufferrow.4({CB} %h, i32 1)
      %third = extractvalue {{ i32, i32, i32, i32 }} %row, 2
      %all = add i32 %sum, %third
      ret i32 %all
    }}
    """)
    (found,) = constant_buffers(module)
    assert (found.name, found.members) == ("P", ((0, "scale"), (3, "last")))
    words = np.zeros(12, np.int32)
    words[:1] = np.array([3], np.float32).view(np.int32)
    words[6], words[11] = 100, 2000
    for name in ("b4", "P"):
        run = cc.run(module, buffers={name: words})
        assert run.outcome.threads[0].value == 2103 and not run.notes
    assert cc.run(module, globals={"scale": 5.0}, buffers={"b4": words}).outcome.threads[0].value == 2105
    nothing = cc.run(module)
    assert nothing.outcome.threads[0].value == 0 and "what b4 holds" in nothing.notes[0]
    assert "(--buffer gives something else)" in nothing.notes[0]
    with pytest.raises(cc.UsageError, match="has 44 bytes: the constant buffer P has 48"):
        cc.run(module, buffers={"b4": words[:11]})


def test_members_of_constant_buffers_need_not_be_aligned() -> None:
    """clang aligns them by their types; the layout packs them."""
    module = cc.parse(f"""{DX}
    %layout = type <{{ float, <3 x float> }}>
    @P.str = constant [2 x i8] c"P\\00"
    @P.cb = global target("dx.CBuffer", %layout) poison
    @scale = external hidden addrspace(2) global float
    @axis = external hidden addrspace(2) global <3 x float>
    !hlsl.cbs = !{{!0}}
    !0 = !{{ptr @P.cb, ptr addrspace(2) @scale, ptr addrspace(2) @axis}}
    define <3 x float> @main() {{
      %c = call {CB} {HANDLE}(i32 0, i32 0, i32 1, i32 0, ptr @P.str)
      store {CB} %c, ptr @P.cb
      %v = load <3 x float>, ptr addrspace(2) @axis, align 16
      ret <3 x float> %v
    }}
    """)
    assert cc.run(module, buffers={"b0": "f32[4]:1,2,..."}).outcome.threads[0].value == [2, 3, 4]


def test_elements_lie_as_shaders_lay_them_out() -> None:
    """Three floats take twelve bytes, whatever clang promises of the address by C++'s rules."""
    module = _dx(f"""
    define <3 x float> @main(i32 %i) {{
      %h = call {VECTORS} {HANDLE}(i32 0, i32 0, i32 1, i32 0, ptr null)
      %p = call align 16 dereferenceable(16) ptr @llvm.dx.resource.getpointer({VECTORS} %h, i32 %i)
      %v = load <3 x float>, ptr %p, align 16
      ret <3 x float> %v
    }}
    """)
    run = cc.run(module, threads=2, arguments={"i": [1, 3]}, buffers={"u0": "f32[12]:0,1,..."})
    assert [t.value for t in run.outcome.threads] == [[3, 4, 5], [9, 10, 11]]
    image = 'target("spirv.Image", float, 5, 2, 0, 0, 1, 0)'
    unknown = cc.parse(f"""{SPIRV}
    define <2 x float> @main() {{
      %h = call {image} @llvm.spv.resource.handlefrombinding(i32 0, i32 0, i32 1, i32 0, ptr null)
      %p = call dereferenceable(8) ptr addrspace(11) @llvm.spv.resource.getpointer({image} %h, i32 2)
      %v = load <2 x float>, ptr addrspace(11) %p
      ret <2 x float> %v
    }}
    """)
    assert cc.run(unknown, buffers={"t0": "f32[8]:0,1,..."}).outcome.threads[0].value == [4, 5]


def test_resources_without_a_name_are_called_by_their_order() -> None:
    module = _dx(f"""
    define i32 @main() {{
      %h = call {INTS} {IMPLICIT}(i32 7, i32 0, i32 1, i32 0, ptr null)
      %p = call ptr @llvm.dx.resource.getpointer({INTS} %h, i32 1)
      %v = load i32, ptr %p
      ret i32 %v
    }}
    """)
    assert cc.run(module, buffers={"implicit7": "i32[2]:1,2"}).outcome.threads[0].value == 2


def test_counters_count() -> None:
    module = _dx(f"""
    define i32 @main(i32 %n) {{
      %f = call {FLOATS} {IMPLICIT}(i32 0, i32 0, i32 1, i32 0, ptr @Free.str)
      %up = icmp ne i32 %n, 0
      br i1 %up, label %more, label %less
    more:
      %a = call i32 @llvm.dx.resource.updatecounter({FLOATS} %f, i8 1)
      ret i32 %a
    less:
      %b = call i32 @llvm.dx.resource.updatecounter({FLOATS} %f, i8 -1)
      ret i32 %b
    }}
    """)
    launch = {"threads": 3, "arguments": {"n": [1, 1, 1]}}
    found = cc.enumerate(module, **launch)  # type: ignore[arg-type]
    ends = {tuple(t.value for t in o.outcome.threads) for o in found.outcomes if o.outcome is not None}
    assert found.complete and len(ends) == 6 and (0, 1, 2) in ends
    down = cc.run(module, arguments={"n": 0}, buffers={"Free.counter": "u32[1]:9"})
    assert down.outcome.threads[0].value == 8 and down.held("Free.counter").values == (8,)


def test_registers_and_spaces_are_unsigned() -> None:
    """LLVM prints those of the upper half as negative numbers."""
    module = _dx(f"""
    define i32 @main() {{
      %h = call {INTS} {HANDLE}(i32 -17, i32 -2, i32 1, i32 0, ptr null)
      %p = call ptr @llvm.dx.resource.getpointer({INTS} %h, i32 0)
      %v = load i32, ptr %p
      ret i32 %v
    }}
    """)
    for name in ("u4294967294.space4294967279", "4294967279:4294967294"):
        assert cc.run(module, buffers={name: "i32[1]:5"}).outcome.threads[0].value == 5


def test_a_range_of_resources_and_what_nobody_gave() -> None:
    module = _dx(f"""
    define i32 @main(i32 %i) {{
      %n = call i32 @llvm.dx.resource.nonuniformindex(i32 %i)
      %h = call {INTS} {HANDLE}(i32 0, i32 5, i32 3, i32 %n, ptr null)
      %p = call ptr @llvm.dx.resource.getpointer({INTS} %h, i32 0)
      %v = load i32, ptr %p
      ret i32 %v
    }}
    """)
    given = {"u5": "i32[1]:50", "u6": "i32[1]:60"}
    run = cc.run(module, threads=3, arguments={"i": [1, 2, 0]}, buffers=given)
    assert [t.value for t in run.outcome.threads] == [60, 0, 50]
    assert [note for note in run.notes if "what u7 holds" in note]
    assert "index 3 of a range of 3" in str(cc.run(module, arguments={"i": 3}, buffers=given))
    for name, why in {
        "u8": "there is no resource u8; there are: u5, u6, u7",
        "t5": "there is no resource t5",
        "Other": "there is no resource Other",
    }.items():
        with pytest.raises(cc.UsageError, match=why):
            cc.run(module, arguments={"i": 0}, buffers={name: "i32[1]"})


def test_an_array_without_an_end_has_the_elements_that_the_launch_gives() -> None:
    """And those whose index the text says; where a thread computes one that nobody gave, the run stops."""

    def element(index: str, prefix: str = "dx", type_: str = INTS, name: str = "In") -> str:
        call = f"call {type_} @llvm.{prefix}.resource.handlefrombinding"
        return f"{call}(i32 1, i32 5, i32 -1, i32 {index}, ptr @{name}.str)"

    text = f"""
    define i32 @main(i32 %i) {{
      %n = call i32 @llvm.dx.resource.nonuniformindex(i32 %i)
      %h = {element("%n")}
      %p = call ptr @llvm.dx.resource.getpointer({INTS} %h, i32 0)
      %v = load i32, ptr %p
      %g = {element("2")}
      %q = call ptr @llvm.dx.resource.getpointer({INTS} %g, i32 0)
      store i32 %v, ptr %q
      %c = call i32 @llvm.dx.resource.updatecounter({INTS} %g, i8 1)
      ret i32 %v
    }}
    """
    for first, ninth, counter in (
        ("u5.space1", "u13.space1", "u7.space1.counter"),
        ("In[0]", "In[8]", "In[2].counter"),
        ("1:5", "1:13", "1:7.counter"),
    ):
        given = {first: "i32[1]:50", ninth: "i32[1]:60", counter: "u32[1]:9"}
        run = cc.run(_dx(text), threads=1, arguments={"i": 8}, buffers=given)
        assert run.outcome.threads[0].value == 60 and run.held("u7.space1").values[0] == 60
        assert run.held(counter).values == (10,) and run.buffers[counter].tolist() == [10]
    missing = cc.run(_dx(text), threads=1, arguments={"i": 8}, buffers={"In[0]": "i32[1]:50"})
    assert "the resource u13.space1, which is given no buffer" in str(missing)
    there = r"there are: u7.space1 \(In\), u5.space1, u6.space1, \.\.\."
    for name in ("u4.space1", "u5", "t5.space1", "In[01]", "In[-1]", "In[x]", "Other[1]"):
        with pytest.raises(cc.UsageError, match=f"there is no resource .*; {there}"):
            cc.run(_dx(text), threads=1, arguments={"i": 8}, buffers={name: "i32[1]"})
    with pytest.raises(cc.UsageError, match=r"it is several resources: u7.space1, \.\.\."):
        cc.run(_dx(text), threads=1, arguments={"i": 8}, buffers={"In": "i32[1]"})

    handle = 'target("spirv.VulkanBuffer", [0 x i32], 12, 1)'
    vulkan = cc.parse(f"""{SPIRV}
    @In.str = constant [3 x i8] c"In\\00"
    define i32 @main(i32 %i) {{
      %h = {element("%i", "spv", handle)}
      %p = call ptr addrspace(11) @llvm.spv.resource.getpointer({handle} %h, i32 0)
      %v = load i32, ptr addrspace(11) %p
      ret i32 %v
    }}
    """)
    for name in ("u5.space1[70]", "1:5[70]", "In[70]"):
        run = cc.run(vulkan, arguments={"i": 70}, buffers={name: "i32[1]:7"})
        assert run.outcome.threads[0].value == 7
    with pytest.raises(
        cc.UsageError, match=r"there is no resource u6.space1; .*: u5.space1\[0\], u5.space1\[1\]"
    ):
        cc.run(vulkan, arguments={"i": 70}, buffers={"u6.space1": "i32[1]:7"})


def test_an_array_that_nobody_chose_a_register_for_may_have_no_end() -> None:
    text = f"""
    define i32 @main() {{
      %h = call {INTS} {IMPLICIT}(i32 0, i32 0, i32 COUNT, i32 1, ptr @Free.str)
      %p = call ptr @llvm.dx.resource.getpointer({INTS} %h, i32 0)
      %v = load i32, ptr %p
      ret i32 %v
    }}
    """
    for count in ("-1", "3"):
        run = cc.run(_dx(text.replace("COUNT", count)), buffers={"Free[1]": "i32[1]:5"})
        assert run.outcome.threads[0].value == 5


def test_a_set_and_a_binding_name_counters_and_both_sides_of_refine() -> None:
    def text(value: str) -> cc.Module:
        return _dx(f"""
        define void @main() {{
          %a = call {INTS} {HANDLE}(i32 1, i32 3, i32 1, i32 0, ptr @In.str)
          %n = call i32 @llvm.dx.resource.updatecounter({INTS} %a, i8 1)
          %p = call ptr @llvm.dx.resource.getpointer({INTS} %a, i32 %n)
          store i32 {value}, ptr %p
          ret void
        }}
        """)

    for name, counter in (("1:3", "1:3.counter"), ("In", "In.counter"), ("u3.space1", "u3.space1.counter")):
        given = {name: "i32[4]", counter: "u32[1]:2"}
        run = cc.run(text("9"), buffers=given)
        assert run.buffers[name].tolist() == [0, 0, 9, 0] and run.buffers[counter].tolist() == [3]
        found = cc.refine(text("9"), text("8"), threads=1, buffers=given)
        assert found.verdict == "wrong" and "[0, 0, 8, 0]" in str(found), str(found)


def test_vectors_lie_side_by_side_in_storage_buffers_of_vulkan() -> None:
    """As LLVM's back end says (ArrayStride 12), where a vector of three words takes sixteen elsewhere."""
    handle = 'target("spirv.VulkanBuffer", [0 x <3 x i32>], 12, 1)'
    module = cc.parse(f"""{SPIRV}
    define i32 @main(i32 %i) {{
      %h = call {handle} @llvm.spv.resource.handlefrombinding(i32 0, i32 0, i32 1, i32 0, ptr null)
      %p = call ptr addrspace(11) @llvm.spv.resource.getpointer({handle} %h, i32 %i)
      %w = insertelement <3 x i32> <i32 7, i32 8, i32 9>, i32 %i, i32 0
      store <3 x i32> %w, ptr addrspace(11) %p, align 16
      %n = call i32 @llvm.spv.resource.getdimensions.x({handle} %h)
      ret i32 %n
    }}
    """)
    run = cc.run(module, threads=2, arguments={"i": [0, 2]}, buffers={"u0": "i32[9]"})
    assert run.buffers["u0"].tolist() == [0, 8, 9, 0, 0, 0, 2, 8, 9]
    assert [thread.value for thread in run.outcome.threads] == [3, 3]


def test_registers_are_found_behind_stack_objects_and_parameters() -> None:
    """As clang leaves them without optimisation; and what is computed leaves open which there are."""
    module = _dx(f"""
    define {INTS} @bind(i32 %register, ptr %name) {{
      %slot = alloca i32
      store i32 %register, ptr %slot
      %r = load i32, ptr %slot
      %h = call {INTS} {HANDLE}(i32 0, i32 %r, i32 1, i32 0, ptr %name)
      ret {INTS} %h
    }}
    define i32 @main(i32 %i) {{
      %one = call {INTS} @bind(i32 4, ptr @In.str)
      %two = call {INTS} @bind(i32 9, ptr @Free.str)
      %p = call ptr @llvm.dx.resource.getpointer({INTS} %two, i32 1)
      %v = load i32, ptr %p
      ret i32 %v
    }}
    """)
    found = resources_of(module)
    assert {(r.name, r.keys) for r in found.entries} == {("In", ("u4",)), ("Free", ("u9",))}
    assert not found.open
    assert cc.run(module, function="main", buffers={"Free": "i32[]:1,2"}).outcome.threads[0].value == 2
    text = f"""
    define i32 @main(i32 %i) {{
      %h = call {INTS} {HANDLE}(i32 0, i32 %i, i32 1, i32 0, ptr null)
      %p = call ptr @llvm.dx.resource.getpointer({INTS} %h, i32 0)
      %v = load i32, ptr %p
      ret i32 %v
    }}
    """
    computed = _dx(text)
    assert resources_of(computed).open and not resources_of(computed).entries
    assert cc.run(computed, arguments={"i": 2}, buffers={"u2": "i32[]:7"}).outcome.threads[0].value == 7
    assert "the resource u3, which is given no buffer" in str(
        cc.run(computed, arguments={"i": 3}, buffers={"u2": "i32[]:7"})
    )


def test_spirv_names_the_same_things_otherwise() -> None:
    handle, counter = (
        'target("spirv.VulkanBuffer", [0 x i32], 12, 1)',
        'target("spirv.VulkanBuffer", i32, 12, 1)',
    )
    image, block = (
        'target("spirv.Image", float, 5, 2, 0, 0, 2, 6)',
        'target("spirv.VulkanBuffer", %layout, 2, 0)',
    )
    module = cc.parse(f"""{SPIRV}
    %layout = type <{{ i32, target("spirv.Padding", 12), i32 }}>
    define i32 @main() {{
      %h = call {handle} @llvm.spv.resource.handlefrombinding(i32 1, i32 0, i32 1, i32 0, ptr null)
      %c = call {counter} @llvm.spv.resource.counterhandlefromimplicitbinding({handle} %h, i32 0, i32 0)
      %n = call i32 @llvm.spv.resource.updatecounter({counter} %c, i8 1)
      %p = call ptr addrspace(11) @llvm.spv.resource.getpointer({handle} %h, i32 %n)
      store i32 5, ptr addrspace(11) %p
      %i = call {image} @llvm.spv.resource.handlefrombinding(i32 0, i32 3, i32 1, i32 0, ptr null)
      %q = call ptr addrspace(11) @llvm.spv.resource.getpointer({image} %i, i32 1)
      store <2 x float> <float 1.0, float 2.0>, ptr addrspace(11) %q
      %b = call {block} @llvm.spv.resource.handlefrombinding(i32 0, i32 3, i32 1, i32 0, ptr null)
      %m = call ptr addrspace(12) @llvm.spv.resource.getpointer({block} %b, i32 2)
      %v = load i32, ptr addrspace(12) %m
      ret i32 %v
    }}
    """)
    given = {"u0.space1": "i32[2]:8,9", "u0.space1.counter": "i32[1]:1", "u3": "f32[2,2]"}
    given["b3"] = "i32[5]:0,1,2,..."
    run = cc.run(module, buffers=given)
    assert run.outcome.threads[0].value == 4, run
    assert run.buffers["u0.space1"].tolist() == [8, 5]
    assert run.buffers["u3"].tolist() == [[0, 0], [1, 2]]
    assert run.held("u0.space1.counter").values == (2,)


def test_static_variables_of_shaders_are_each_threads_own() -> None:
    """Those with handles in them, too, which are no part of what the outside sees."""
    body = f"""
    @count = internal global i32 0
    @held = global {INTS} poison
    define i32 @main(i32 %i) {{
      store i32 %i, ptr @count
      %h = call {INTS} {HANDLE}(i32 0, i32 0, i32 1, i32 0, ptr null)
      store {INTS} %h, ptr @held
      %again = load {INTS}, ptr @held
      %p = call ptr @llvm.dx.resource.getpointer({INTS} %again, i32 %i)
      %v = load i32, ptr @count
      store i32 %v, ptr %p
      ret i32 %v
    }}
    """
    run = cc.run(_dx(body), threads=4, arguments={"i": [0, 1, 2, 3]}, buffers={"u0": "i32[4]"})
    assert run.buffers["u0"].tolist() == [0, 1, 2, 3] and not run.notes
    assert not any("held" in name for thread in run.outcome.threads for name in thread.memory)
    found = cc.enumerate(_dx(body), threads=2, arguments={"i": [0, 1]}, buffers={"u0": "i32[4]"})
    assert len(found.outcomes) == 1


def test_refine_binds_both_sides_alike() -> None:
    def text(value: str) -> cc.Module:
        return _dx(f"""
        define void @main(i32 %i) {{
          %a = call {INTS} {HANDLE}(i32 0, i32 0, i32 1, i32 0, ptr null)
          %b = call {FLOATS} {HANDLE}(i32 0, i32 1, i32 1, i32 0, ptr null)
          %p = call ptr @llvm.dx.resource.getpointer({INTS} %a, i32 %i)
          %q = call ptr @llvm.dx.resource.getpointer({FLOATS} %b, i32 0)
          %v = load i32, ptr %p
          %w = {value}
          store i32 %w, ptr %p
          ret void
        }}
        """)

    launch = {"threads": 1, "arguments": {"i": 3}}
    assert cc.refine(text("shl i32 %v, 1"), text("add i32 %v, %v"), **launch).verdict in ("equal", "refines")  # type: ignore[arg-type]
    assert cc.refine(text("shl i32 %v, 1"), text("add i32 %v, 1"), **launch).verdict == "wrong"  # type: ignore[arg-type]


def test_refine_knows_resources_that_a_pass_removed() -> None:
    """What one side does not mention is there, too, and as it was."""
    writes = f"""
      %b = call {INTS} {HANDLE}(i32 0, i32 1, i32 1, i32 0, ptr @In.str)
      %q = call ptr @llvm.dx.resource.getpointer({INTS} %b, i32 2)
      WHAT
    """
    text = f"""
    @gone = global i32 3
    define void @main() {{
      %a = call {INTS} {HANDLE}(i32 0, i32 0, i32 1, i32 0, ptr null)
      %p = call ptr @llvm.dx.resource.getpointer({INTS} %a, i32 0)
      store i32 77, ptr %p
      MORE
      ret void
    }}
    """
    reads, stores = (writes.replace("WHAT", w) for w in ("%v = load i32, ptr %q", "store i32 78, ptr %q"))
    plain = text.replace("MORE", "").replace("@gone = global i32 3", "")
    for launch in ({}, {"buffers": {"In": "i32[4]:1,2,...", "u0": "i32[2]", "@gone": "i32[1]:5"}}):
        found = cc.refine(_dx(text.replace("MORE", reads)), _dx(plain), threads=1, **launch)  # type: ignore[arg-type]
        assert found.verdict in ("equal", "refines"), str(found)
        found = cc.refine(_dx(text.replace("MORE", stores)), _dx(plain), threads=1, **launch)  # type: ignore[arg-type]
        assert found.verdict == "wrong" and "u1" in str(found)
        found = cc.refine(_dx(plain), _dx(text.replace("MORE", stores)), threads=1)
        assert found.verdict == "wrong" and "u1" in str(found)


def test_which_registers_a_type_has() -> None:
    f32 = FloatType("float")
    letters = {
        "u": [("dx.RawBuffer", (1, 0)), ("spirv.VulkanBuffer", (12, 1)), ("spirv.Image", (5, 2, 0, 0, 2, 3))],
        "t": [("dx.TypedBuffer", (0, 0, 0)), ("spirv.VulkanBuffer", (12, 0)), ("dx.Texture", (0, 0, 0)),
              ("spirv.SignedImage", (5, 2, 0, 0, 1, 3))],
        "b": [("dx.CBuffer", ()), ("spirv.VulkanBuffer", (2, 0))],
        "s": [("dx.Sampler", (0,)), ("spirv.Sampler", ())],
    }  # fmt: skip
    for letter, types in letters.items():
        assert {letter_of(TargetType(name, (f32,), numbers)) for name, numbers in types} == {letter}
    texture = _dx(
        'define void @main() { %h = call target("dx.Texture", <4 x float>, 0, 0, 0, 2) '
        f"{HANDLE}(i32 0, i32 0, i32 1, i32 0, ptr null) ret void }}"
    )
    assert 'resources of type target("dx.Texture"' in str(cc.run(texture))


def test_native_code_holds_handles() -> None:
    """In a loop the handle stays in its register: few instructions are handed back."""
    module = _dx(f"""
    define i32 @main(i32 %i) {{
    entry:
      %s = call {S} {HANDLE}(i32 0, i32 1, i32 1, i32 0, ptr @In.str)
      %o = call {INTS} {HANDLE}(i32 0, i32 0, i32 1, i32 0, ptr null)
      br label %loop
    loop:
      %n = phi i32 [ 0, %entry ], [ %next, %loop ]
      %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
      %p = call ptr @llvm.dx.resource.getpointer({S} %s, i32 %n)
      %q = getelementptr %S, ptr %p, i32 0, i32 1
      %v = load i32, ptr %q
      %more = add i32 %sum, %v
      %next = add i32 %n, 1
      %again = icmp ult i32 %next, 100
      br i1 %again, label %loop, label %end
    end:
      %w = call ptr @llvm.dx.resource.getpointer({INTS} %o, i32 %i)
      store i32 %more, ptr %w
      ret i32 %more
    }}
    """)
    given = {"In": np.arange(300, dtype=np.int32), "u0": "i32[4]"}
    launch = {"threads": 4, "arguments": {"i": [0, 1, 2, 3]}, "buffers": given}
    native = cc.run(module, engine="native", **launch)  # type: ignore[arg-type]
    reference = cc.run(module, engine="reference", **launch)  # type: ignore[arg-type]
    assert native.buffers["u0"].tolist() == [sum(range(2, 300, 3))] * 4
    assert native.outcome == reference.outcome and native.steps == reference.steps
    assert native.engine is not None and native.engine.instructions > native.steps // 2


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_every_engine_knows_how_large_a_resource_is(engine: Any) -> None:
    module = _dx(f"""
    define i32 @main() {{
      %s = call {S} {HANDLE}(i32 0, i32 1, i32 1, i32 0, ptr @In.str)
      %r = call {RAW} {HANDLE}(i32 0, i32 2, i32 1, i32 0, ptr null)
      br label %sizes
    sizes:
      %n = call i32 @llvm.dx.resource.getdimensions.x({S} %s)
      %m = call i32 @llvm.dx.resource.getdimensions.x({RAW} %r)
      %high = shl i32 %n, 16
      %both = or i32 %high, %m
      ret i32 %both
    }}
    """)
    run = cc.run(module, engine=engine, buffers={"In": np.zeros(36, np.uint8), "u2": "i32[5]"})
    assert run.outcome.threads[0].value == (3 << 16) + 20


@pytest.mark.parametrize("where", ["space", "register"])
def test_native_code_holds_handles_on_the_stack(where: str) -> None:
    """As clang has them at ``-O0``: poison first, and from registers that lie on the stack, too."""
    held = {"space": "i32 2, ptr %space", "register": "i32 0, ptr %space"}[where]
    module = _dx(f"""
    define i32 @main(i32 %i) {{
    entry:
      %space = alloca i32
      %register = alloca i32
      %this = alloca {INTS}
      %pair = alloca [2 x {INTS}]
      %vector = alloca <2 x i32>
      store {INTS} poison, ptr %this
      store [2 x {INTS}] poison, ptr %pair
      store <2 x i32> poison, ptr %vector
      store {held}
      store i32 5, ptr %register
      %s = load i32, ptr %space
      %r = load i32, ptr %register
      %h = call {INTS} {HANDLE}(i32 %s, i32 %r, i32 1, i32 0, ptr null)
      store {INTS} %h, ptr %this
      br label %loop
    loop:
      %n = phi i32 [ 0, %entry ], [ %next, %loop ]
      %o = load {INTS}, ptr %this
      %p = call ptr @llvm.dx.resource.getpointer({INTS} %o, i32 %i)
      %v = load i32, ptr %p
      %more = add i32 %v, %n
      store i32 %more, ptr %p
      %next = add i32 %n, 1
      %again = icmp ult i32 %next, 100
      br i1 %again, label %loop, label %end
    end:
      %half = load i32, ptr %vector
      ret i32 %half
    }}
    """)
    buffer = "u5.space2" if where == "space" else "u5"
    launch = {"threads": 4, "arguments": {"i": [0, 1, 2, 3]}, "buffers": {buffer: "i32[4]"}}
    native = cc.run(module, engine="native", **launch)  # type: ignore[arg-type]
    reference = cc.run(module, engine="reference", **launch)  # type: ignore[arg-type]
    assert native.buffers[buffer].tolist() == [4950] * 4
    assert native.outcome == reference.outcome and native.outcome.threads[0].value == "poison"
    assert native.engine is not None and native.engine.handed.keys() <= {
        ("main", "load", "a guard failed"), ("main", "ret", "what asks for allocas"),
    }  # fmt: skip
