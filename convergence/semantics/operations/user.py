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
from reprlib import repr as short
from typing import Any

from ...ir.module import Module
from .. import UsageError
from ..values import RuntimeValue, any_poison, plain
from ..values.context import poison, value_of
from . import Callee, Exchanging, Model, Operands, Prepare, Subgroup
from .lanes import is_void

UserOperation = Callable[..., Any]


class UserModel:
    """A function of ``{lane: operands}`` as the model of a declared function. ``sought``: the module that is
    run has to declare it; a file may have models of functions that only other modules declare."""

    __slots__ = ("_function", "_name", "_with_subgroup", "sought")

    def __init__(self, name: str, function: UserOperation, sought: bool = False) -> None:
        """Raises TypeError for what is no function."""
        if not callable(function):
            raise TypeError(
                f"the operation {name} is a function of {{lane: operands}}, not {short(function)}"
            )
        self._name, self._function, self.sought = name, function, sought
        self._with_subgroup = _parameters(function) > 1

    def anywhere(self) -> UserModel:
        """The same, for modules of which some may not declare the function."""
        return UserModel(self._name, self._function)

    def __call__(self, callee: Callee) -> Model:
        name, function, with_subgroup = self._name, self._function, self._with_subgroup
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


def _parameters(function: UserOperation) -> int:
    """How many parameters a function has; one where it is a builtin that does not say."""
    try:
        return len(inspect.signature(function).parameters)
    except ValueError:
        return 1


def load_operations(path: str) -> dict[str, Prepare]:
    """The operations of a Python file. Raises UsageError if it defines none, or fails."""
    try:
        Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    try:
        defined = runpy.run_path(str(Path(path)))
    except Exception as error:  # whatever the user's file does, it is theirs to mend
        raise UsageError(f"{path}: {type(error).__name__}: {error}") from error
    operations = defined.get("OPERATIONS")
    if not isinstance(operations, Mapping):
        raise UsageError(f"{path} defines no dictionary OPERATIONS")
    try:
        return user_operations(operations)
    except TypeError as error:
        raise UsageError(f"{path}: {error}") from error


def user_operations(functions: Mapping[str, UserOperation], sought: bool = False) -> dict[str, Prepare]:
    """Functions of ``{lane: operands}`` as models, by name; a model is one already. Raises TypeError for what
    is no function."""
    return {
        name.removeprefix("@"): function
        if isinstance(function, UserModel)
        else UserModel(name, function, sought)
        for name, function in functions.items()
    }


def declared_operations(operations: Mapping[str, Prepare], *modules: Module) -> dict[str, Prepare]:
    """Models for modules of which one declares each function. Raises UsageError for a model that is sought of
    a function that none declares."""
    models: dict[str, Prepare] = {}
    for name, model in operations.items():
        if isinstance(model, UserModel) and model.sought:
            functions = (module.functions.get(module.named(name)) for module in modules)
            if not any(function is not None and function.is_declaration for function in functions):
                raise UsageError(f"operations has @{name}: the module does not declare that function")
            model = model.anywhere()
        models[name] = model
    return models
