"""A smaller program on which something still differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from .synchronisation_model import If, Load, Loop, Op, Program, Store, Update, Variable, Vote


def shrink(program: Program, differs: Callable[[Program], bool]) -> Program:
    """Takes a step while the program still differs."""
    while True:
        for smaller in _steps(program):
            if _defined(smaller.ops, frozenset()) and differs(smaller):
                program = smaller
                break
        else:
            return program


def _steps(program: Program) -> Iterator[Program]:
    for ops in _fewer(program.ops):
        yield replace(program, ops=ops)
    for n in range(len(program.arguments) if program.threads > 2 else 0):
        yield replace(program, arguments=program.arguments[:n] + program.arguments[n + 1 :])
    if program.group_size is not None:
        yield replace(program, group_size=None)
    for n, variable in enumerate(program.variables):
        variables = program.variables[:n] + program.variables[n + 1 :]
        if not any(v.name == variable.name for v in _variables(program.ops)):
            yield replace(program, variables=variables)


def _variables(ops: tuple[Op, ...]) -> Iterator[Variable]:
    for op in ops:
        match op:
            case Load(_, place) | Store(place) | Update(_, place):
                yield place.variable
            case If(_, _, body, otherwise):
                yield from _variables((*body, *otherwise))
            case Loop(_, _, body):
                yield from _variables(body)
            case _:
                pass


def _fewer(ops: tuple[Op, ...]) -> Iterator[tuple[Op, ...]]:
    for n, op in enumerate(ops):
        before, after = ops[:n], ops[n + 1 :]
        yield before + after
        match op:
            case If(_, _, body, otherwise):
                yield before + body + after
                yield before + otherwise + after
                yield from ((*before, replace(op, body=b), *after) for b in _fewer(body))
                yield from ((*before, replace(op, otherwise=b), *after) for b in _fewer(otherwise))
            case Loop(_, _, body):
                yield before + body + after
                yield from ((*before, replace(op, body=b), *after) for b in _fewer(body))
            case Load(ordering=str()) | Store(ordering=str()) | Update() if op.scope is not None:
                yield (*before, replace(op, scope=None), *after)
            case _:
                pass


def _defined(ops: tuple[Op, ...], known: frozenset[str]) -> bool:
    """Whether each register that is used was defined before, on every path."""
    for op in ops:
        match op:
            case Load(register):
                known |= {register}
            case Store(_, value):
                if not _is_known(value, known):
                    return False
            case Update(register, _, _, value, expected):
                if not (_is_known(value, known) and _is_known(expected, known)):
                    return False
                known |= {register}
            case Vote(register, value):
                if not _is_known(value, known):
                    return False
                known |= {register}
            case If(condition, _, body, otherwise):
                if not (_is_known(condition, known) and _defined(body, known) and _defined(otherwise, known)):
                    return False
            case Loop(condition, _, body):
                inside = known | {op.register for op in body if isinstance(op, Load | Update | Vote)}
                if not (_defined(body, known) and _is_known(condition, inside)):
                    return False
            case _:
                pass
    return True


def _is_known(value: object, known: frozenset[str]) -> bool:
    return not isinstance(value, str) or value == "arg" or value in known
