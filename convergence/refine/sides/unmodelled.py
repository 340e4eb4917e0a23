"""Operations without a model, and which of them a pass may have made or removed.

The result of a declared function without a model is uninterpreted: it may be anything, the same on both
sides. That is right for a function of which LLVM knows no more than its attributes. Intrinsics, functions
of the C library and of the compiler's runtime LLVM knows by name: a pass replaces them by what does the
same, or makes new ones (``printf`` becomes ``puts``, an argument a load). Where only one
side has such an operation, a difference between executions that reach it may be our ignorance.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from ...ir import (
    Aggregate,
    Global,
    InlineAsm,
    Int,
    IntType,
    Local,
    Operand,
    PointerType,
    Simple,
    SimpleType,
    VectorType,
)
from ...ir.calls import (
    argument_words,
    callee_name,
    control,
    is_convergent,
    is_convergent_function,
    token_used,
)
from ...ir.instructions import Argument, CallSite, Instruction, ShuffleVector, operands
from ...ir.module import Function, Module
from ...semantics.instructions import prepare_access, prepare_intrinsic
from ...semantics.instructions.intrinsics import ENDS_THREAD, base_name, is_marker
from ...semantics.machine.program import Program
from ...semantics.operations import Callee, Exchanging, Fencing, effects_of, is_shader_input, is_shader_output
from ...semantics.operations.table import Table
from ...semantics.threads.calls import EXITS, GOES_ON
from ...semantics.values.context import Context
from ...transform.rewrite import with_blocks, with_functions

_MATHEMATICS = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi erf exp exp10 exp2 expm1 "
    "fabs fdim floor fma fmax fmaximum_num fmin fminimum_num fmod frexp hypot ilogb ldexp log log10 log1p "
    "log2 logb modf nearbyint nextafter nexttoward pow remainder remquo rint round roundeven scalbln "
    "scalbn sin sincos sincospi sinh sinpi sqrt tan tanh tgamma trunc"
)  # fmt: skip
_OTHERS = (
    "abs labs llabs ffs ffsl ffsll fls flsl flsll isascii isdigit toascii atof atoi atol atoll strtod "
    "strtof strtol strtold strtoll strtoul strtoull bcmp bcopy bzero index rindex stpcpy stpncpy strcat "
    "strchr strcmp strcpy strcspn strdup strlcat strlcpy strlen strncat strncmp strncpy strndup strnlen "
    "strpbrk strrchr strspn strstr strtok wcslen memccpy memchr memcmp memcpy memmove mempcpy memrchr "
    "memset memset_pattern4 memset_pattern8 memset_pattern16 printf fprintf sprintf snprintf vprintf "
    "vfprintf vsprintf vsnprintf iprintf fiprintf siprintf puts putchar putc fputs fputc fwrite malloc "
    "calloc realloc reallocf free valloc memalign aligned_alloc posix_memalign access chmod chown closedir "
    "fopen fclose fflush feof ferror fgetc fgets fread fscanf fseek ftell fstat getenv gettimeofday lstat "
    "mkdir mktime opendir perror pread pwrite readlink realpath rmdir scanf sscanf setvbuf strcoll strxfrm "
    "tmpfile ungetc unlink unsetenv utime vscanf vsscanf"
)  # fmt: skip
_NUMBERS = re.compile(rf"(?:{'|'.join(_MATHEMATICS.split())})[fl]?")
_LIBRARY = re.compile(
    rf"{_NUMBERS.pattern}|{'|'.join(_OTHERS.split())}|_Z(?:n[wa]|d[la]).*"
    r"|omp_(?:get|set|in|is|target)_\w+"
)


def sets_only_errno(name: str) -> bool:
    """Whether LLVM may know of a declared function that it has no effect but on ``errno``, and for which
    operands it has none: a call whose result nobody uses goes then."""
    return _NUMBERS.fullmatch(name) is not None


def known_by_name(name: str) -> bool:
    """Whether LLVM may know what a declared function does: an intrinsic, the C library's, the runtime's."""
    return name.startswith(("llvm.", "__")) or _LIBRARY.fullmatch(name) is not None


def may_write(module: Module, name: str) -> bool:
    """Whether a declared function without a model is one of which LLVM knows no more than its attributes, so
    that it may write where these allow. What the module calls a barrier only orders what others write."""
    return not known_by_name(name) and not _assumed_barrier(module, name)


def writes_unmodelled(module: Module, functions: Iterable[Function], program: Program) -> bool:
    """Whether a function is called without a model, of which LLVM knows no more than its attributes, and that
    may write to memory that a module has."""
    for call in _calls(functions):
        name = callee_name(call)
        callee = module.functions.get(name or "")
        if name is None or control(call) is not None or not may_write(module, name):
            continue
        if (
            callee is None
            or not callee.is_declaration
            or _has_model(name, call, program.context, program.table)
        ):
            continue
        if program.effects(name, call).written_at & {"argmem", "other"}:
            return True
    return False


NOT_CAPTURED = ("captures(none)", "nocapture")
"""What a call says of a pointer of which it keeps neither address nor provenance."""


def uncaptured_operands(module: Module, functions: Iterable[Function]) -> dict[str, frozenset[int]]:
    """By the name of each declared function that is called, and that is not convergent, the operands of which
    every call says that they are not captured."""
    operands: dict[str, frozenset[int]] = {}
    for call in _calls(functions):
        name = callee_name(call)
        callee = module.functions.get(name or "")
        if name is None or callee is None or not callee.is_declaration or is_convergent(module, call):
            continue
        mine = frozenset(
            place
            for place in range(len(call.arguments))
            if any(word in NOT_CAPTURED for word in argument_words(module, call, place, callee))
        )
        operands[name] = operands.get(name, mine) & mine
    return operands


def called(functions: Iterable[Function]) -> frozenset[str]:
    """The functions that are called by their names."""
    return frozenset(name for call in _calls(functions) if (name := callee_name(call)) is not None)


def without_model(
    module: Module, functions: Iterable[Function], models: Table, context: Context
) -> frozenset[str]:
    """The declared functions that are called by their names and known by name to LLVM, but not here, where
    ``models`` are all models."""
    names: set[str] = set()
    for call in _calls(functions):
        name = callee_name(call)
        callee = module.functions.get(name or "")
        if name is None or name in names or callee is None or not callee.is_declaration:
            continue
        if not (known_by_name(name) or _allocates(module, name)) or control(call) is not None:
            continue
        if not _has_model(name, call, context, models):
            names.add(name)
    return frozenset(names)


def _allocates(module: Module, name: str) -> bool:
    """Whether attributes say which of the functions of one heap it is (LangRef, *allockind*): such a call may
    become another one."""
    return any(word.startswith("allockind(") for word in module.function_attributes(name))


_FILLS = re.compile(r"(?:llvm\.|__|mem|str|stp|v?sn?i?printf|bcopy|bzero).*")
"""What writes behind pointers, of what LLVM knows by name; ``errno`` is in no module."""


def _fills(module: Module, name: str) -> bool:
    return _FILLS.match(name) is not None and effects_of(module.function_attributes(name)).writes


class KnownCalls(NamedTuple):
    """How many calls of a function there are, how many instructions use their results, and whether they may
    write to memory."""

    calls: int
    uses: int
    writes: bool


def known_calls(
    module: Module, functions: Iterable[Function], unknown: frozenset[str]
) -> dict[str, KnownCalls]:
    """Of the names of what is called without a model and known to LLVM, those that are not convergent."""
    counts: dict[str, KnownCalls] = {}
    for function in functions:
        uses = Counter(o.name for i in function.instructions for o in operands(i) if isinstance(o, Local))
        for call in _calls([function]):
            name = callee_name(call)
            if name not in unknown or name is None or is_convergent(module, call):
                continue
            before = counts.get(name, KnownCalls(0, 0, _fills(module, name)))
            used = uses[call.result] if call.result is not None else 0
            counts[name] = before._replace(calls=before.calls + 1, uses=before.uses + used)
    return counts


def pointers_without_model(
    module: Module, functions: Iterable[Function], unknown: frozenset[str]
) -> frozenset[str]:
    """Of what is called without a model, what gives pointers of which LLVM may know where they go: to what an
    operand points to, as ``llvm.amdgcn.make.buffer.rsrc``, or to where no other does (``noalias``)."""
    names: set[str] = set()
    for call in _calls(functions):
        name = callee_name(call)
        callee = module.functions.get(name or "")
        if name is None or callee is None or not callee.is_declaration or control(call) is not None:
            continue
        if not isinstance(call.type.result, PointerType):
            continue
        words = {*module.resolve(call.return_attributes), *module.resolve(callee.return_attributes)}
        if name in unknown or "noalias" in words:
            names.add(name)
    return frozenset(names)


def gives_pointers(module: Module, functions: Iterable[Function], models: Table, context: Context) -> bool:
    """Whether something that has no model is called with a pointer, and gives a result."""
    for call in _calls(functions):
        name = callee_name(call)
        callee = module.functions.get(name or "")
        if call.type.result == SimpleType("void") or control(call) is not None:
            continue
        if not any(isinstance(argument.value.type, PointerType) for argument in call.arguments):
            continue
        if name is None or (
            callee is not None and callee.is_declaration and not _has_model(name, call, context, models)
        ):
            return True
    return False


ALIGNED_BARRIERS = ("ompx_aligned_barrier", "ext_aligned_barrier")
"""What ``llvm.assume`` says of a declared function that is a barrier, which LLVM's OpenMP passes know."""


RUNTIME_BARRIER = "__kmpc_barrier"
"""How the names of the barriers of OpenMP's runtime begin, which these passes know, too."""


def _assumed_barrier(module: Module, name: str) -> bool:
    return any(known in word for known in ALIGNED_BARRIERS for word in module.function_attributes(name))


def barriers(
    module: Module, functions: Iterable[Function], models: Table, context: Context
) -> frozenset[str]:
    """The functions that are called by their names and are barriers: by their model, an exchange that orders
    memory or only waits, or the arrival at a barrier that is split; or because the module says so."""
    names: set[str] = set()
    for call in _calls(functions):
        name = callee_name(call)
        if name is None or name in names or control(call) is not None:
            continue
        model = models.model(Callee.of(name, call, context))
        is_aligned = _assumed_barrier(module, name) or name.startswith(RUNTIME_BARRIER)
        match model:
            case Exchanging(orders=orders) if orders is not None:
                is_aligned = True
            case Fencing(arrives=arrives) if arrives is not None:
                is_aligned = True
        if is_aligned:
            names.add(name)
    return frozenset(names)


def reads_unmodelled(module: Module, program: Program, but: Collection[str] = ()) -> bool:
    """Whether something is called, by its name or through a pointer, that has no model and may
    read memory, other than the functions ``but``."""
    for call in _calls(module.definitions()):
        name = callee_name(call) or ""
        callee = module.functions.get(name)
        if control(call) is not None or (callee is not None and not callee.is_declaration) or name in but:
            continue
        effects = program.effects(name, call)
        if isinstance(call.callee, InlineAsm):
            if effects.reads and not _has_model(name, call, program.context, program.table):
                return True
        elif callee is None:  # what is behind a pointer may promise more than its call
            declared = (f for f in module.functions.values() if f.is_declaration)
            if any(program.effects(f.name, call).reads for f in declared):
                return True
        elif effects.reads and not _has_model(name, call, program.context, program.table):
            return True
    return False


def _has_model(name: str, call: CallSite, context: Context, models: Table) -> bool:
    """Whether it is known here what a call does of the declared function ``name``."""
    if name in EXITS or name in GOES_ON or is_marker(name) or base_name(name, ENDS_THREAD) is not None:
        return True
    if is_shader_input(name) or is_shader_output(name):
        return True
    if prepare_intrinsic(call, context) is not None or prepare_access(call, context) is not None:
        return True
    return models.model(Callee.of(name, call, context)) is not None


def _calls(functions: Iterable[Function]) -> Iterator[CallSite]:
    return (call for function in functions for call in function.calls)


# ----------------------------------------------------------------------------------------------------------
# What one side's calls say of a declared function, and the other side's do not.
#
# Calls may say ``convergent`` where the declaration of their callee does not. Who is called is known, and
# its declaration says that it does not communicate: so a pass may drop the word from such a call
# (``instcombine`` does), and what the word held in place may move from then on. It stays where a call goes
# through a pointer, or has a token. And calls may say ``noreturn``, which the other side's need not repeat.
# (semantics.md, *Outcomes and refinement*)
# ----------------------------------------------------------------------------------------------------------

WORD = "convergent"
ENDS = "noreturn"


def droppable(first: Module, second: Module) -> frozenset[str]:
    """The functions, declared on both sides without ``convergent``, of which one side says it at a call, and
    the other one at some call does not."""
    marks = [_marks(side) for side in (first, second)]
    apart = {
        name
        for mine, its in (marks, reversed(marks))
        for name, flags in mine.items()
        if True in flags and False in its.get(name, ())
    }
    return frozenset(name for name in apart if all(_promises_none(side, name) for side in (first, second)))


def without_marks(module: Module, names: frozenset[str]) -> Module:
    """The module, in which no call of the functions ``names`` says ``convergent``."""
    return with_functions(module, {f.name: _unmarked(f, module, names) for f in module.definitions()})


def ends_calls(first: Module, second: Module) -> frozenset[str]:
    """The declared functions that never return where ``first`` calls them, as each of its calls or the
    declaration says (LangRef, ``noreturn``), and of which ``second`` does not say so. They are the same
    functions there, and come back no more; a pass may drop the word."""
    ended = frozenset(
        name
        for name in _ended(first)
        if name in second.functions and second.functions[name].is_declaration and not name.startswith("llvm.")
    )
    return ended - _ended(second) if ended else ended


def with_ends(module: Module, names: frozenset[str]) -> Module:
    """The module, in which no function of these comes back."""
    functions = {n: module.functions[n] for n in names}
    ended = {n: replace(f, attributes=(*f.attributes, ENDS)) for n, f in functions.items()}
    return replace(module, functions={**module.functions, **ended})


def _ended(module: Module) -> frozenset[str]:
    """The declared functions of which each call says that it does not come back."""
    calls: dict[str, list[bool]] = {}
    for call in _calls(module.definitions()):
        name = callee_name(call)
        function = module.functions.get(name or "")
        if name is not None and function is not None and function.is_declaration:
            words = (*module.resolve(call.attributes), *module.resolve(function.attributes))
            calls.setdefault(name, []).append(ENDS in words)
    return frozenset(name for name, ends in calls.items() if all(ends))


def _unmarked(function: Function, module: Module, names: frozenset[str]) -> Function:
    if not any(callee_name(c) in names for c in _calls((function,))):
        return function
    return with_blocks(
        function,
        (
            replace(block, instructions=tuple(_plain(i, module, names) for i in block.instructions))
            for block in function.blocks
        ),
    )


def _plain(instruction: Instruction, module: Module, names: frozenset[str]) -> Instruction:
    if not isinstance(instruction, CallSite) or callee_name(instruction) not in names:
        return instruction
    words = module.resolve(instruction.attributes)
    return replace(instruction, attributes=tuple(word for word in words if word != WORD))


def _marks(module: Module) -> dict[str, set[bool]]:
    """By the name of what is called: whether its calls say it."""
    flags: dict[str, set[bool]] = {}
    for call in _calls(module.definitions()):
        name = callee_name(call)
        if name is not None and control(call) is None and token_used(call) is None:
            flags.setdefault(name, set()).add(WORD in module.resolve(call.attributes))
    return flags


def _promises_none(module: Module, name: str) -> bool:
    """Whether a function is declared, is no intrinsic, and is not called convergent there."""
    function = module.functions.get(name)
    declared = function is not None and function.is_declaration and not name.startswith("llvm.")
    controlled = any(
        callee_name(c) == name and token_used(c) is not None for c in _calls(module.definitions())
    )
    return declared and not controlled and not is_convergent_function(module, name)


# ----------------------------------------------------------------------------------------------------------
# Operations of targets that LLVM has two names for, one where less of the operands counts.
#
# Nobody models them, so that their results are values of name and operands: a pass that takes the shorter
# name, as AMDGPU's ``instcombine`` does, would have made another operation. Both sides get the shorter one,
# where the operands allow it (``llvm/lib/Target/AMDGPU/AMDGPUInstCombineIntrinsic.cpp``).
# ----------------------------------------------------------------------------------------------------------

I32 = IntType(32)
_TENSOR = re.compile(r"llvm\.amdgcn\.tensor\.(?:load\.to|store\.from)\.lds")
_MATRIX = re.compile(r"llvm\.amdgcn\.(?P<kind>mfma|wmma)\.(?:scale(?:16)?\.)?f32\.[\dx]+\.f8f6f4\b.*")
_QUARTERS = {0: 4, 1: 4, 2: 3, 3: 3, 4: 2}
"""By the number of a format of 8, 6 or 4 bits, how many quarters of the widest vector hold such numbers."""


@dataclass(frozen=True, slots=True)
class _Shorter:
    """A call by its shorter name: which of its operands stay, and to how many elements vectors are cut."""

    name: str
    operands: tuple[int, ...]
    cut: Mapping[int, int]


def has_synonyms(module: Module) -> bool:
    """Whether a module may call an operation of two names."""
    return any(_TENSOR.match(name) or _MATRIX.fullmatch(name) for name in module.functions)


def with_shorter_names(module: Module) -> Module:
    """The module, in which each such operation has the shorter name where it can."""
    functions = dict(module.functions)
    intrinsics = dict(module.intrinsics)
    for name, function in module.functions.items():
        if function.body is None:
            continue
        blocks = []
        for block in function.blocks:
            instructions: list[Instruction] = []
            for instruction in block.instructions:
                shorter = _shorter(instruction)
                if shorter is None or not isinstance(instruction, CallSite):
                    instructions.append(instruction)
                    continue
                before, call = _renamed(instruction, shorter, len(instructions), block.name)
                instructions += [*before, call]
                old = callee_name(instruction) or ""
                if shorter.name not in functions:
                    functions[shorter.name] = replace(functions[old], name=shorter.name, type=call.type)
                intrinsics.setdefault(shorter.name, intrinsics.get(old, frozenset()))
            blocks.append(replace(block, instructions=tuple(instructions)))
        if tuple(blocks) != function.blocks:
            functions[name] = with_blocks(function, blocks)
    return replace(module, functions=functions, intrinsics=intrinsics)


def _shorter(instruction: Instruction) -> _Shorter | None:
    name = callee_name(instruction) if isinstance(instruction, CallSite) else None
    if name is None or not isinstance(instruction, CallSite):
        return None
    values = [argument.value for argument in instruction.arguments]
    if _TENSOR.fullmatch(name) and len(values) == 5 and all(map(_is_nothing, values[2:4])):
        return _Shorter(f"{name}.d2", (0, 1, 4), {})
    if (matrix := _MATRIX.fullmatch(name)) is None:
        return None
    # mfma has A, B, C and then the formats of A and B; wmma each format before its vector
    places = ((0, 3), (1, 4)) if matrix["kind"] == "mfma" else ((1, 0), (3, 2))
    widest = 8 if matrix["kind"] == "mfma" else 16
    cut: dict[int, int] = {}
    for vector, form in places:
        type_, number = (
            values[vector].type if len(values) > max(vector, form) else None,
            _number(values, form),
        )
        if not isinstance(type_, VectorType) or number not in _QUARTERS:
            return None
        wanted = widest * _QUARTERS[number] // 4
        if type_.count > wanted:
            cut[vector] = wanted
    if not cut:
        return None
    head, *suffixes = re.split(r"(?=\.v\d+i32\b)", name)
    if len(suffixes) != 2:
        return None
    for place, (vector, _) in enumerate(places):
        if vector in cut:
            suffixes[place] = f".v{cut[vector]}i32"
    return _Shorter(head + "".join(suffixes), tuple(range(len(values))), cut)


def _renamed(call: CallSite, shorter: _Shorter, place: int, block: str) -> tuple[list[Instruction], CallSite]:
    """What cuts its vectors, and the call."""
    before: list[Instruction] = []
    arguments: list[Argument] = []
    for at in shorter.operands:
        argument = call.arguments[at]
        if (count := shorter.cut.get(at)) is not None:
            mask = VectorType(count, I32)
            parts = Aggregate(mask, tuple(Int(I32, n) for n in range(count)))
            type_ = argument.value.type
            name = f"cut.{block}.{place}.{at}"
            before.append(
                ShuffleVector(argument.value, Simple(type_, "poison"), parts, result=name, span=call.span)
            )
            argument = replace(argument, value=Local(mask, name))
        arguments.append(argument)
    types = tuple(argument.value.type for argument in arguments)
    renamed = replace(
        call,
        callee=Global(shorter.name),
        arguments=tuple(arguments),
        type=replace(call.type, parameters=types),
    )
    return before, renamed


def _is_nothing(value: Operand) -> bool:
    return isinstance(value, Simple) and value.kind in ("zeroinitializer", "poison", "undef")


def _number(values: list[Operand], place: int) -> int | None:
    value = values[place]
    return value.value if isinstance(value, Int) else None
