"""A condition on final states, held against the program of whose states it is: all that it names is there,
and numbers are of the types of what they are compared with.

A number of an integer type fits its bits, signed or unsigned, as in a launch; outcomes have it signed. So
``0:return=0xffffffff`` and ``0:return=-1`` are the same of a function that returns i32.
"""

from __future__ import annotations

from dataclasses import replace

from ...ir import VOID, ArrayType, IntType, StructType, Type, VectorType
from ...ir.module import GlobalVariable, builtin_name, is_thread_local
from ...semantics import NotModelled, UsageError
from ...semantics.machine.launch import Launch
from ...semantics.machine.program import Program
from ...semantics.machine.run import Contents, initial_contents, of_workgroup
from ...semantics.memory.globals import object_type
from ...semantics.values.datalayout import ELEMENTS as LARGEST_VALUE
from .question import And, Constant, Not, Or, Proposition, ReturnedValue, Term, ValueComparison, Variable


def fitted(proposition: Proposition, program: Program, launch: Launch) -> Proposition:
    """A proposition with its numbers as outcomes have them. Raises UsageError for what names a thread, a
    variable or an element that there is not, and for a number that does not fit what it is compared with."""
    return _Fitting(program, launch).proposition(proposition)


class _Fitting:
    """``contents``: what can be seen of memory at the launch; ``None`` where that has no model."""

    def __init__(self, program: Program, launch: Launch) -> None:
        self.program, self.launch = program, launch
        try:
            self.contents: Contents | None = initial_contents(program, launch)
        except NotModelled:
            self.contents = None

    def proposition(self, proposition: Proposition) -> Proposition:
        match proposition:
            case ValueComparison(left, equal, right):
                types = self._type(left), self._type(right)
                return ValueComparison(
                    self._number(left, types[1], right), equal, self._number(right, types[0], left)
                )
            case Not(part):
                return Not(self.proposition(part))
            case And(parts):
                return And(tuple(map(self.proposition, parts)))
            case Or(parts):
                return Or(tuple(map(self.proposition, parts)))

    # -- what there is ------------------------------------------------------------------------------------

    def _type(self, term: Term) -> Type | None:
        """The type of what a term stands for; a number by itself has none."""
        match term:
            case Constant():
                return None
            case ReturnedValue(thread):
                self._thread(term, thread)
                function = self.program.module.functions[self.launch.function]
                if function.type.result == VOID:
                    raise UsageError(f"{words(term)}: @{function.name} returns nothing")
                return self.program.layout.resolve(function.type.result)
            case Variable():
                return self._element(term)

    def _thread(self, term: Term, thread: int) -> None:
        threads = self.launch.threads
        if thread >= threads:
            there = "thread 0 only" if threads == 1 else f"threads 0-{threads - 1}"
            raise UsageError(f"{words(term)}: there is no thread {thread}: this launch has {there}")

    def _variable(self, term: Variable) -> GlobalVariable:
        """The variable that a term names, in an outcome."""
        label = f"@{term.name}"
        where = "" if words(term) == label else f"{words(term)}: "
        for variable in self.program.module.globals.values():
            instances = [of_workgroup(variable.label, number) for number in range(self.launch.grid.volume)]
            if label == variable.label or label in instances:
                break
        else:
            raise UsageError(f"{where}there is no variable {label}")
        if variable.constant:
            raise UsageError(f"{where}{label} is constant, and no part of a final state")
        if builtin_name(variable) is not None or variable.name.startswith("llvm."):
            raise UsageError(f"{where}{label} is no part of a final state")
        if is_thread_local(variable):
            if term.thread is None:
                raise UsageError(f"{where}each thread has its own {label}: 0:{label} is that of thread 0")
            self._thread(term, term.thread)
        elif term.thread is not None:
            raise UsageError(f"{where}all threads share {label}: it is named without a thread")
        elif self.contents is not None and label not in self.contents.shared:
            if label != variable.label or instances[0] not in self.contents.shared:
                raise UsageError(f"{where}{label} is absent")
            raise UsageError(f'{where}each workgroup has its own {label}: @"{instances[0][1:]}" is one')
        return variable

    def _element(self, term: Variable) -> Type:
        """The type of a variable, or of the element to which the places lead."""
        layout, what = self.program.layout, f"@{term.name}"
        type_ = layout.resolve(object_type(self._variable(term), layout))
        held = None if self.contents is None or term.thread is not None else self.contents.shared[what]
        if term.places and isinstance(held, str) and layout.measure(type_).elements > LARGEST_VALUE:
            raise UsageError(f"{words(term)}: {what} has too many elements to be seen one by one")
        for place in term.places:
            match type_:
                case ArrayType(count, part) | VectorType(count, part):
                    parts: tuple[Type, ...] | None = None
                case StructType(parts):
                    count = len(parts)
                case _:
                    raise UsageError(f"{words(term)}: {what} is an {type_}, which has no elements")
            if place >= count:
                counted = f"{count} element{'s' * (count != 1)}"
                raise UsageError(f"{words(term)}: {what} has {counted}, from 0: there is no {place}")
            type_ = layout.resolve(part if parts is None else parts[place])
            what += f"[{place}]"
        return type_

    # -- numbers ------------------------------------------------------------------------------------------

    def _number(self, term: Term, type_: Type | None, other: Term) -> Term:
        """A term; a number as outcomes have one of the type, which is that of the ``other`` term."""
        if not isinstance(term, Constant) or type_ is None:
            return term
        what, value = words(other), term.value
        if isinstance(type_, ArrayType | VectorType | StructType) and value not in ("poison", "undef"):
            raise UsageError(f"{what} is {type_}, and no number: an element of a variable is, as @a[0]")
        if not isinstance(type_, IntType) or isinstance(value, str):
            return term
        if value != int(value):
            raise UsageError(f"{what} is an {type_}: {value} is no integer")
        bits, number = type_.bits, int(value)
        if not -(1 << (bits - 1)) <= number < 1 << bits:
            raise UsageError(f"{what} is an {type_}: {number} does not fit")
        number &= (1 << bits) - 1
        return replace(term, value=number - (1 << bits) if bits > 1 and number >> (bits - 1) else number)


def words(term: Term) -> str:
    """A term as it is written."""
    match term:
        case Constant(value):
            return str(value)
        case ReturnedValue(thread):
            return f"{thread}:return"
        case Variable(name, thread, places):
            of = "" if thread is None else f"{thread}:"
            return f"{of}@{name}{''.join(f'[{place}]' for place in places)}"
