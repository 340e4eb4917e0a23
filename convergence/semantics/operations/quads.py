"""Operations in a quad, four lanes in a row that stand for two rows of two pixels: derivatives, moves, votes.

After *Exec masks in LLVM*, *whole quad mode*; SPIR-V, *Derivative Instructions* and
``OpGroupNonUniformQuadSwap``, ``SPV_KHR_quad_control``; HLSL's ``ddx`` and ``QuadReadAcrossX``. A neighbour
that does not take part gives poison.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ...ir import FloatType, Local, Type, VectorType
from ...ir.instructions import Binary
from .. import NotModelled
from ..instructions.binary import prepare_binary
from ..values import Composite, RuntimeValue, Value, scalar
from ..values.context import poison
from . import Callee, Exchanging, Model, Operands, Operations, Prepare, Subgroup
from .lanes import Decide, element_type, everywhere, read_lane, somewhere, vote, width_of
from .subgroup import behind, in_parts

if TYPE_CHECKING:
    from ..arithmetic.domain import Domain

_X, _Y = 1, 2
"""The bit of a lane's number that says in which column, or row, of its quad it is."""


def _of_one(callee: Callee) -> bool:
    return callee.type.parameters == (callee.type.result,)


def derivative(step: int, coarse: bool = False) -> Prepare:
    """``ddx`` is the right value less the left one, in the lane's own row; ``ddy`` the lower less the upper
    one, in its own column. Coarse derivatives are those of the quad's first row and column, for all lanes."""

    def prepare(callee: Callee) -> Model | None:
        if not _of_one(callee):
            return None
        type_, context = callee.type.result, callee.context
        opcode = "fsub" if width_of(element_type(type_)) is None else "sub"
        less = prepare_binary(Binary(opcode, Local(type_, "far"), Local(type_, "near")), context)
        bad = poison(type_, context.layout, context.domain)

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            results = {}
            for lane in group:
                pixel = lane & ~3 if coarse else lane
                near, far = group.get(pixel & ~step), group.get(pixel | step)
                results[lane] = bad if near is None or far is None else less(far[0], near[0])
            return results

        return Exchanging(together)

    return prepare


def _magnitude(value: RuntimeValue, type_: Type, domain: Domain) -> RuntimeValue:
    """A float without its sign."""
    if isinstance(value, Composite) and isinstance(type_, VectorType):
        return Composite(tuple(_magnitude(v, type_.element, domain) for v in value.elements))
    assert isinstance(type_, FloatType)
    w = domain.width(domain.floats(type_.kind).width)
    return Value(w.and_(scalar(value).bits, w.constant((1 << w.width - 1) - 1)), scalar(value).poison)


def width(coarse: bool = False) -> Prepare:
    """``fwidth``: both derivatives' magnitudes added."""

    def prepare(callee: Callee) -> Model | None:
        if not _of_one(callee) or not isinstance(element_type(callee.type.result), FloatType):
            return None
        type_, d = callee.type.result, callee.context.domain
        along_x, along_y = (derivative(step, coarse)(callee) for step in (_X, _Y))
        if not isinstance(along_x, Exchanging) or not isinstance(along_y, Exchanging):
            return None
        x_of, y_of = along_x.together, along_y.together
        add = prepare_binary(Binary("fadd", Local(type_, "x"), Local(type_, "y")), callee.context)

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            dx, dy = x_of(group, subgroup), y_of(group, subgroup)
            return {x: add(_magnitude(dx[x], type_, d), _magnitude(dy[x], type_, d)) for x in group}

        return Exchanging(together)

    return prepare


def _across(change: int) -> Prepare:
    """The value of the lane on the other side of the quad: sideways, up and down, or both."""

    def prepare(callee: Callee) -> Model | None:
        if not _of_one(callee):
            return None
        bad = poison(callee.type.result, callee.context.layout, callee.context.domain)

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            return {lane: group[lane ^ change][0] if lane ^ change in group else bad for lane in group}

        return Exchanging(together)

    return prepare


def _swap(callee: Callee) -> Model | None:
    """``(value, direction)``: 0 sideways, 1 up and down, 2 both; the direction is a constant."""
    if len(callee.type.parameters) != 2:
        return None
    d, single = callee.context.domain, replace(callee.type, parameters=callee.type.parameters[:1])
    models = [_across(change)(callee._replace(type=single)) for change in (_X, _Y, _X | _Y)]
    if not isinstance(models[0], Exchanging):
        return None

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        direction = d.concrete(scalar(group[min(group)][1]).bits, "a symbolic direction of a swap")
        model = models[direction] if direction < len(models) else None
        if not isinstance(model, Exchanging):
            raise NotModelled(f"direction {direction} of @{callee.name}")
        return model.together({lane: v[:1] for lane, v in group.items()}, subgroup)

    return Exchanging(together)


def _broadcast(callee: Callee) -> Model | None:
    """``(value, index)``: the value of one of the quad's lanes."""
    parameters = callee.type.parameters
    bits = width_of(parameters[1]) if len(parameters) == 2 else None
    if bits is None or bits > 32 or parameters[0] != callee.type.result:
        return None
    d = callee.context.domain
    widen = d.zext(bits, 32)
    bad = poison(callee.type.result, callee.context.layout, d)

    def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
        def result(lane: int, operands: Operands) -> RuntimeValue:
            quad = {other: group[lane & ~3 | other][0] for other in range(4) if lane & ~3 | other in group}
            index = scalar(operands[1])
            return read_lane(Value(widen(index.bits), index.poison), quad, bad, d)

        return {lane: result(lane, operands) for lane, operands in group.items()}

    return Exchanging(together)


def in_squares(prepare: Prepare) -> Prepare:
    """The operation in quads of two by two threads along x and y of the workgroup, in place of four in a row
    (SPV_KHR_compute_shader_derivatives, *DerivativeGroupQuadsKHR*)."""

    def prepare_call(callee: Callee) -> Model | None:
        model = prepare(callee)
        if not isinstance(model, Exchanging):
            return None
        inner = model.together

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            across, down, _ = subgroup.grid.workgroup
            lanes = {}
            for lane in group:
                number = subgroup.base + lane
                x, y, plane = number % across, number // across % down, number // (across * down)
                for other in (number ^ 1, number + (-across if y % 2 else across)):
                    if other < subgroup.threads and not 0 <= other - subgroup.base < subgroup.size:
                        raise NotModelled(f"@{callee.name} in a quad of threads of several subgroups")
                quad = (plane * ((down + 1) // 2) + y // 2) * ((across + 1) // 2) + x // 2
                lanes[4 * quad + 2 * (y % 2) + x % 2] = lane
            results = inner({place: group[lane] for place, lane in lanes.items()}, subgroup)
            return {lane: results[place] for place, lane in lanes.items()}

        return Exchanging(together)

    return prepare_call


def _vote(decide: Decide) -> Prepare:
    """What the lanes of the quad that take part say of their operands (SPV_KHR_quad_control)."""

    prepare = vote(decide)
    return lambda callee: in_parts(prepare(callee), lambda lane, _: lane // 4)


_TARGET = r"(?:llvm\.(?:dx|spv)\.)?"
_TYPES = r"(?:\.\w+)*"
_SPIRV = r"(?:_Z\d+)?__spirv_"


QUADS: Operations = (
    *(
        (rf"{_SPIRV}{name}{form}_Quads\w*", in_squares(prepare))
        for form, coarse in (("Coarse", True), ("(?:Fine)?", False))
        for name, prepare in (
            ("DPdx", derivative(_X, coarse)),
            ("DPdy", derivative(_Y, coarse)),
            ("Fwidth", width(coarse)),
        )
    ),
    *(
        entry
        for letter, step in (("x", _X), ("y", _Y))
        for entry in (
            (
                rf"{_TARGET}dd{letter}\.coarse{_TYPES}|dFd{letter}Coarse|{_SPIRV}DPd{letter}Coarse\w*",
                derivative(step, True),
            ),
            (
                rf"{_TARGET}dd{letter}{_TYPES}|dFd{letter}(?:Fine)?|{_SPIRV}DPd{letter}(?:Fine)?\w*",
                derivative(step),
            ),
        )
    ),
    (rf"fwidthCoarse|{_SPIRV}FwidthCoarse\w*", width(True)),
    (rf"{_TARGET}fwidth{_TYPES}|fwidthFine|{_SPIRV}Fwidth(?:Fine)?\w*", width()),
    (rf"{_TARGET}quad\.read\.across\.x{_TYPES}|subgroupQuadSwapHorizontal{_TYPES}", _across(_X)),
    (rf"{_TARGET}quad\.read\.across\.y{_TYPES}|subgroupQuadSwapVertical{_TYPES}", _across(_Y)),
    (rf"{_TARGET}quad\.read\.across\.diagonal{_TYPES}|subgroupQuadSwapDiagonal{_TYPES}", _across(_X | _Y)),
    (rf"subgroupQuadBroadcast{_TYPES}", _broadcast),
    (rf"{_SPIRV}GroupNonUniformQuadAllKHR\w*", _vote(everywhere)),
    (rf"{_SPIRV}GroupNonUniformQuadAnyKHR\w*", _vote(somewhere)),
    (rf"{_SPIRV}GroupNonUniformQuadSwap\w*", behind(1, _swap)),
    (rf"{_SPIRV}GroupNonUniformQuadBroadcast\w*", behind(1, _broadcast)),
)
