"""What LLVM's attributes mean here (LangRef, *Function Attributes*, *Parameter Attributes*).

One table says of each whether it is modelled. What is not, and could change what a program means, is named in
the answer of every command that runs one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING

from ..frozen import dataclass
from ..ir import FloatType, Local, Operand, Type, VectorType
from ..ir import instructions as ir
from ..ir.calls import callee_name, control, is_convergent
from ..ir.escape import Escapes
from ..ir.module import Function, Module
from .operations import Effects, effects_of

if TYPE_CHECKING:
    from ..ir.instructions import Words


class AttributeStanding(Enum):
    """What becomes of an attribute."""

    MODELLED = "modelled"
    NO_MEANING = "no meaning here"
    PROMISE = "not modelled: a promise, and what breaks it is undefined behaviour that nobody notices here"
    EFFECT = "not modelled: with it a program may do something else"


_ABI, _SAFETY, _SIZE, _PROFILE, _LINK = (
    "how values are passed to machine code",
    "more code for sanitizers, or for protection against attacks",
    "what is worth optimising, inlining or merging",
    "what profilers and patchers do",
    "how a call is linked",
)
_NO_MEANING: Mapping[str, tuple[str, ...]] = {
    _ABI: (
        "inreg", "noext", "signext", "zeroext", "nest", "sret", "alignstack", "noredzone", "uwtable",
        "noimplicitfloat", "swiftself", "swiftasync", "elementtype", "immarg",
    ),
    _SAFETY: (
        "disable_sanitizer_instrumentation", "fn_ret_thunk_extern", "nocf_check", "nosanitize_bounds",
        "nosanitize_coverage", "safestack", "sanitize_address", "sanitize_thread", "sanitize_type",
        "sanitize_memory", "sanitize_hwaddress", "sanitize_memtag", "sanitize_numerical_stability",
        "sanitize_realtime", "sanitize_realtime_blocking", "sanitize_alloc_token", "shadowcallstack",
        "speculative_load_hardening", "ssp", "sspreq", "sspstrong",
    ),
    _SIZE: (
        "alwaysinline", "builtin", "cold", "hot", "inlinehint", "jumptable", "minsize", "nobuiltin",
        "noduplicate", "noinline", "nomerge", "nodivergencesource", "optdebug", "optforfuzzing", "optsize",
        "optnone", "no-jump-tables", "no-inline-line-tables", "vscale_range",
    ),
    _PROFILE: (
        "noprofile", "skipprofile", "hybrid_patchable", "marked_for_windows_hot_patching",
        "allow_direct_access_in_hot_patch_function", "profile-sample-accurate", "use-sample-profile",
    ),
    _LINK: ("nonlazybind", "loader-replaceable"),
    "a declared function calls nothing back": ("nocallback",),
    "the floating-point environment is always the default one": ("strictfp",),
    "the size of what a declared function allocates": ("allocsize", "allocalign", "allocptr"),
    "exceptions do not unwind": ("dead_on_unwind",),
}  # fmt: skip
_MODELLED: Mapping[str, tuple[str, ...]] = {
    "who communicates": ("convergent",),
    "whether a call is an event (§6); of a definition a promise": (
        "memory", "readnone", "readonly", "writeonly", "willreturn", "nounwind", "speculatable",
    ),
    "such a call ends its thread, and such a definition may not return": ("noreturn",),
    "a thread that goes round in it for ever, and shows nothing, is undefined behaviour": ("mustprogress",),
    "what breaks it is poison": ("nonnull", "align", "range", "nofpclass"),
    "poison and undef are undefined behaviour": ("noundef",),
    "the callee gets a copy, and what a declared one is given is what lies there": ("byval",),
    "what a declared function gives; of a definition a promise": ("returned",),
    "named when a call is reached": ("inalloca", "preallocated", "returns_twice"),
}  # fmt: skip
_PROMISES: Mapping[str, tuple[str, ...]] = {
    "who else may point to the memory": ("noalias", "captures", "nocapture"),
    "what memory a pointer has behind it": (
        "dereferenceable", "dereferenceable_or_null", "byref", "writable",
    ),
    "what is done with the memory": ("initializes", "dead_on_return"),
    "what a function does": ("norecurse", "nosync", "nofree", "nocreateundeforpoison"),
}  # fmt: skip
_DENORMALS, _INEXACT = "denormal numbers are zeros", "values of operations are not exactly IEEE's"
_EFFECTS: Mapping[str, tuple[str, ...]] = {
    "pairs of allocations may go": ("allockind",),
    "the body is machine code": ("naked",),
    "address 0 may be read and written": ("null_pointer_is_valid",),
    "the function is a coroutine": (
        "presplitcoroutine", "coro_only_destroy_when_complete", "coro_elide_safe",
    ),
    "a value is returned in a register of its own": ("swifterror",),
    _DENORMALS: ("denormal-fp-math", "denormal-fp-math-f32"),
    _INEXACT: (
        "less-precise-fpmad", "no-infs-fp-math", "no-nans-fp-math", "no-signed-zeros-fp-math",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute's standing, and what it is about."""

    standing: AttributeStanding
    about: str


ATTRIBUTES: Mapping[str, Attribute] = {
    name: Attribute(standing, about)
    for standing, groups in (
        (AttributeStanding.MODELLED, _MODELLED),
        (AttributeStanding.NO_MEANING, _NO_MEANING),
        (AttributeStanding.PROMISE, _PROMISES),
        (AttributeStanding.EFFECT, _EFFECTS),
    )
    for about, names in groups.items()
    for name in names
}
"""Every attribute of LLVM's own list. Other strings are for targets, and have no meaning here."""


OF_LAUNCHES = frozenset(
    {
        "target-cpu", "target-features", "nvvm.reqntid", "nvvm.maxntid", "nvvm.cluster_dim",
        "hlsl.numthreads", "amdgpu-flat-work-group-size", "amdgpu-max-num-workgroups",
        "amdgpu-cluster-dims",
    }
)  # fmt: skip
"""Strings that say which launches there are (:mod:`convergence.ir.targets`,
:mod:`convergence.ir.targets`)."""


def means_nothing(word: str) -> bool:
    """Whether an attribute changes nothing of what a program means here, nor which launches it has."""
    name = attribute_name(word)
    known = ATTRIBUTES.get(name)
    if known is not None:
        return known.standing is AttributeStanding.NO_MEANING
    return word.startswith('"') and name not in OF_LAUNCHES


def attribute_name(word: str) -> str:
    """The attribute that a word is: ``align 4`` and ``align(4)`` are ``align``; strings without quotes."""
    if word.startswith('"'):
        return word[1:].partition('"')[0]
    return word.partition("(")[0].partition("=")[0].split(" ")[0]


@dataclass(frozen=True, slots=True)
class UnmodelledAttribute:
    """An attribute of the function ``@function`` or of its parameters that is not modelled."""

    name: str
    standing: AttributeStanding
    function: str


def unmodelled_attributes(module: Module, launched: str) -> tuple[UnmodelledAttribute, ...]:
    """What is not modelled among the attributes of the definitions that a launch may enter, each once in the
    text's order. What a definition cannot break, by what its text does, is left out."""
    escapes = Escapes(module)
    return tuple(
        {
            UnmodelledAttribute(name, standing, function.name): None
            for function in _entered(module, launched)
            for name, standing in _of_definition(module, function, escapes, function.name == launched)
        }
    )


def _entered(module: Module, launched: str) -> tuple[Function, ...]:
    """The definitions that a launch may enter: all of them if there is a call through a pointer."""
    names, waiting = {launched}, [launched]
    while waiting:
        function = module.functions.get(waiting.pop())
        for call in () if function is None else _calls(function):
            callees = [callee_name(call) or ""]
            if _is_indirect(call):
                callees = [f.name for f in module.definitions()]
            new = [callee for callee in callees if callee not in names]
            names.update(new)
            waiting += new
    return tuple(function for function in module.definitions() if function.name in names)


def _calls(function: Function) -> Iterator[ir.CallSite]:
    return (i for i in function.instructions if isinstance(i, ir.CallSite))


def _is_indirect(call: ir.CallSite) -> bool:
    return isinstance(call.callee, Local)


def _of_definition(
    module: Module, function: Function, escapes: Escapes, launched: bool
) -> Iterator[tuple[str, AttributeStanding]]:
    """Of its own attributes, and of those at its calls of definitions. What parameters promise of the memory
    behind them is looked at where a function is ``launched``."""
    yield from _of_words(module, function, function, escapes, launched)
    for call in _calls(function):
        callee = module.functions.get(callee_name(call) or "")
        if callee is not None and callee.body is not None:
            yield from _of_words(module, call, callee, escapes)


def _of_words(
    module: Module,
    place: Function | ir.CallSite,
    function: Function,
    escapes: Escapes,
    launched: bool = False,
) -> Iterator[tuple[str, AttributeStanding]]:
    """Of the attributes at ``place``, which are about the definition ``function``."""
    does = _Deeds(module, function)
    for word in module.resolve(place.attributes):
        name = attribute_name(word)
        standing = _standing(name)
        match name:
            case "norecurse":
                broken = does.recurses()
            case "nosync":
                broken = does.synchronises()
            case "nofree":
                broken = does.frees()
            case "memory" | "readnone" | "readonly" | "writeonly":
                broken, standing = does.accesses_beyond(effects_of((word,))), AttributeStanding.PROMISE
            case _ if name in _ARITHMETIC:
                broken = word.partition("=")[2] not in _IEEE and does.computes_floats()
            case _:
                broken = True
        if broken and standing in _UNMODELLED:
            yield name, standing
    for word in module.resolve(place.return_attributes):
        name = attribute_name(word)
        if _standing(name) in _UNMODELLED:
            yield name, _standing(name)
    passed: Sequence[Words]
    if isinstance(place, Function):
        passed = [parameter.attributes for parameter in place.parameters]
    else:
        passed = [argument.attributes for argument in place.arguments]
    for parameter, words in zip(function.parameters, passed, strict=False):
        for word in module.resolve(words):
            name = attribute_name(word)
            standing = _standing(name)
            match name:
                case "readnone" | "readonly" | "writeonly":
                    broken, standing = does.accesses_beyond(effects_of((name,))), AttributeStanding.PROMISE
                case "returned":
                    standing = AttributeStanding.PROMISE
                    broken = True
                case "captures" | "nocapture":
                    broken = escapes.escapes(function, parameter.name)
                case "noalias":
                    broken = does.accesses_beyond(effects_of(("readonly",)))
                case "dereferenceable" | "dereferenceable_or_null":
                    broken = not launched
                case _:
                    broken = True
            if broken and standing in _UNMODELLED:
                yield name, standing


_UNMODELLED = (AttributeStanding.PROMISE, AttributeStanding.EFFECT)
_ARITHMETIC = frozenset((*_EFFECTS[_DENORMALS], *_EFFECTS[_INEXACT]))
_IEEE = ("", '"false"', '"ieee"', '"ieee,ieee"')


def _standing(name: str) -> AttributeStanding:
    known = ATTRIBUTES.get(name)
    return AttributeStanding.NO_MEANING if known is None else known.standing


class _Deeds:
    """What the text of one definition does, as far as promises are about it."""

    def __init__(self, module: Module, function: Function) -> None:
        self.module = module
        self.function = function
        self._own: set[str | None] = set()  # addresses of its own objects, and what is made of them
        for i in function.instructions:
            if isinstance(i, ir.Alloca) or (isinstance(i, ir.GetElementPtr) and self._is_own(i.pointer)):
                self._own.add(i.result)

    def _is_own(self, pointer: Operand) -> bool:
        return isinstance(pointer, Local) and pointer.name in self._own

    def recurses(self) -> bool:
        """It may call itself."""
        name = self.function.name
        return any(
            _is_indirect(call) or any(f.name == name for f in _entered(self.module, callee_name(call) or ""))
            for call in _calls(self.function)
        )

    def synchronises(self) -> bool:
        """It has an atomic or volatile access, a fence, or a convergent operation."""
        return any(
            isinstance(i, ir.Fence | ir.AtomicRMW | ir.CmpXchg)
            or (isinstance(i, ir.Load | ir.Store) and (i.volatile or i.ordering is not None))
            or (control(i) is None and is_convergent(self.module, i))
            for i in self.function.instructions
        )

    def frees(self) -> bool:
        """It may call what ends an object of the heap."""
        from .instructions.library.c_library import frees

        return any(
            frees(callee_name(call) or "")
            for function in _entered(self.module, self.function.name)
            for call in _calls(function)
        )

    def accesses_beyond(self, allowed: Effects) -> bool:
        """It has a memory instruction that may read or write what it may not, and it is not known whether
        that does; its own objects do not count."""
        from .instructions.promises import ForbiddenAccesses

        forbidden = ForbiddenAccesses(self.module, self.function)
        return any(
            (isinstance(i, ir.Load) and not allowed.reads and not self._is_own(i.pointer))
            or (isinstance(i, ir.Store) and not allowed.writes and not self._is_own(i.pointer))
            or (isinstance(i, ir.AtomicRMW | ir.CmpXchg) and not (allowed.reads and allowed.writes))
            for i in self.function.instructions
            if forbidden.broken(i) is None
        )

    def computes_floats(self) -> bool:
        """It has a floating-point operation."""
        return any(_is_float(type) for i in self.function.instructions for type in _types(i))


def _types(instruction: ir.Instruction) -> Iterable[Type]:
    match instruction:
        case ir.Binary() | ir.FCmp():
            return (instruction.lhs.type,)
        case ir.FNeg():
            return (instruction.value.type,)
        case ir.Conversion():
            return (instruction.value.type, instruction.to)
        case ir.CallSite():
            return (instruction.type.result, *instruction.type.parameters)
        case _:
            return ()


def _is_float(type: Type) -> bool:
    return isinstance(type.element if isinstance(type, VectorType) else type, FloatType)
