'''Operations that a user adds from a Python file (``--operations my_ops.py``).

The file defines a dictionary ``OPERATIONS`` from a declared function's name to a function that is
given the group as ``{lane: (operand, ...)}`` and returns ``{lane: result}``::

    def rotate(group):
        """Every lane gets its left neighbour's value, the lowest one the highest's."""
        lanes = sorted(group)
        return {lane: group[lanes[i - 1]][0] for i, lane in enumerate(lanes)}

    OPERATIONS = {"@subgroupRotateOne": rotate}

Operands and results are plain: signed integers (``i1`` as 0 or 1; results may be bools), floats, lists for
vectors, ``"@g+4"`` for a pointer (as an operand only). A result that is no dictionary is every
lane's result; a function of a ``void`` callee may return nothing; ``"poison"`` is poison. If an
operand of the group is poison, all results are, and the function is not called. A function with a
second parameter is also given the :class:`Subgroup` (``size``, ``first``, ``threads``, ``number``).
'''

from __future__ import annotations

import inspect
import runpy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .. import UsageError
from ..machine.launch import value_of
from ..values import RuntimeValue, any_poison, plain
from ..values.context import poison
from . import Callee, Exchanging, Model, Operands, Prepare, Subgroup
from .lanes import is_void

UserOperation = Callable[..., Any]


def load_operations(path: str) -> dict[str, Prepare]:
    """The operations of a Python file. Raises UsageError if it defines none, or fails."""
    try:
        defined = runpy.run_path(str(Path(path)))
    except Exception as error:  # whatever the user's file does, it is theirs to mend
        raise UsageError(f"{path}: {type(error).__name__}: {error}") from error
    operations = defined.get("OPERATIONS")
    if not isinstance(operations, Mapping):
        raise UsageError(f"{path} defines no dictionary OPERATIONS")
    return user_operations(operations)


def user_operations(functions: Mapping[str, UserOperation]) -> dict[str, Prepare]:
    """Functions of ``{lane: operands}`` as models, by name."""
    return {name.removeprefix("@"): _prepare(name, function) for name, function in functions.items()}


def _prepare(name: str, function: UserOperation) -> Prepare:
    with_subgroup = len(inspect.signature(function).parameters) > 1

    def prepare(callee: Callee) -> Model:
        context, type_ = callee.context, callee.type.result
        void = is_void(type_)

        def together(group: Mapping[int, Operands], subgroup: Subgroup) -> Mapping[int, RuntimeValue]:
            if any(any_poison(v) for values in group.values() for v in values):
                return {} if void else dict.fromkeys(group, poison(type_, context.layout, context.domain))
            shown = {
                lane: tuple(
                    plain(v, t, context.layout) for v, t in zip(values, callee.type.parameters, strict=False)
                )
                for lane, values in group.items()
            }
            try:
                results = function(shown, subgroup) if with_subgroup else function(shown)
            except Exception as error:
                raise UsageError(f"the operation {name} failed: {type(error).__name__}: {error}") from error
            if void:
                return {}
            by_lane: Mapping[int, Any] = (
                results if isinstance(results, Mapping) else dict.fromkeys(group, results)
            )
            missing = sorted(set(group) - set(by_lane))
            if missing:
                raise UsageError(f"the operation {name} gave no result for lane {missing[0]}")
            return {lane: value_of(by_lane[lane], type_, context, f"the result of {name}") for lane in group}

        return Exchanging(together, effect=void)

    return prepare
