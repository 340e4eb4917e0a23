"""Modules as data, at random: everything that the IR's classes can say and the text can spell.

They need not be valid for LLVM (a value may be used before it is defined, or not at all); they are what
a parser can produce, so that printing one and parsing it gives it back.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from convergence.ir import (
    I1,
    PTR,
    TOKEN,
    VOID,
    Aggregate,
    ArrayType,
    BlockAddress,
    Bytes,
    ConstantExpression,
    Float,
    FloatType,
    FunctionType,
    Global,
    GlobalWrapper,
    InlineAsm,
    Int,
    IntType,
    Local,
    Metadata,
    MetadataOperand,
    MetadataRecord,
    MetadataReference,
    MetadataString,
    MetadataTuple,
    MetadataValue,
    NamedType,
    Operand,
    PointerType,
    PtrAuth,
    Simple,
    SimpleType,
    Splat,
    StructType,
    TargetType,
    Type,
    VectorType,
)
from convergence.ir import instructions as ir
from convergence.ir.instructions import Argument, Bundle, Instruction, Words
from convergence.ir.module import (
    Alias,
    Block,
    Body,
    Function,
    GlobalVariable,
    MetadataNode,
    Module,
    Parameter,
)

# -- names and words ------------------------------------------------------------------------------

PLAIN = st.from_regex(r"[a-zA-Z$._-][a-zA-Z$._0-9-]{0,5}", fullmatch=True)
ANY = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=4)
NAMES = st.one_of(PLAIN, ANY.filter(lambda n: not n.isdigit()))
KEYS = st.from_regex(r"[a-z][a-zA-Z]{0,5}", fullmatch=True)
RECORD_KINDS = st.from_regex(r"DI[A-Z][a-z]{0,4}", fullmatch=True)
NUMBERS = st.integers(0, 70).map(str)
PARAMETER_WORDS = st.sampled_from(
    ["noundef", "zeroext", "nonnull", "sret(i32)", "range(i32 0, 10)", "nofpclass(nan inf)", "captures(none)",
     "captures(ret: address, provenance)", "dereferenceable(4)", "align 8", "initializes((0, 4), (8, 12))",
     '"key"="value"', '"lonely"', "byval({i32, [2 x i8]})", "future_word"]
)  # fmt: skip
FUNCTION_WORDS = st.sampled_from(
    ["nounwind", "convergent", "#0", "#7", "memory(argmem: read, inaccessiblemem: none)", '"a\\22b"="\\5C"',
     "vscale_range(1, 16)", "alignstack(8)", "uwtable(sync)", 'allockind("alloc")', "future_word(1, i32)"]
)  # fmt: skip
TAILS = st.sampled_from(
    ['section ".text"', "comdat", "comdat($k)", 'gc "x"', 'partition "p"', "personality ptr @p"]
)
FLAGS = st.sampled_from(["nuw", "nsw", "exact", "disjoint", "nneg", "samesign", "future"])
GEP_FLAGS = st.sampled_from([(), ("inbounds",), ("nuw",), ("inbounds", "nuw"), ("nusw", "nuw")])
FAST = st.sampled_from(["fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"])
CONVENTIONS = st.sampled_from(
    [(), ("fastcc",), ("cc", "10"), ("spir_func",), ("amdgpu_kernel",), ("swifttailcc",)]
)
ORDERINGS = st.sampled_from(["unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst"])
SCOPES = st.sampled_from([None, "agent", "workgroup-one-as", "a b"])
ALIGNS = st.sampled_from([None, 1, 16])
SPACES: st.SearchStrategy[int | str] = st.sampled_from([0, 0, 0, 1, 200, "A"])


def words(of: st.SearchStrategy[str]) -> st.SearchStrategy[Words]:
    return st.lists(of, max_size=2).map(tuple)


def some(of: st.SearchStrategy[Any], least: int = 0, most: int = 3) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(of, min_size=least, max_size=most).map(tuple)


# -- types ----------------------------------------------------------------------------------------

INTS = st.sampled_from([1, 8, 32, 64, 77]).map(IntType)
FLOATS = st.sampled_from(["half", "bfloat", "float", "double", "x86_fp80", "fp128", "ppc_fp128"]).map(
    FloatType
)
POINTERS = SPACES.map(PointerType)
LEAVES: st.SearchStrategy[Type] = st.one_of(INTS, FLOATS, POINTERS, NAMES.map(NamedType))


def _composed(inner: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    return st.one_of(
        st.builds(VectorType, st.integers(1, 9), inner, st.booleans()),
        st.builds(ArrayType, st.integers(0, 9), inner),
        st.builds(StructType, some(inner), st.booleans()),
        st.builds(
            TargetType, st.sampled_from(["spirv.Image", 'a"b']), some(inner, 0, 2), some(st.integers(0, 9))
        ),
        st.builds(FunctionType, st.one_of(inner, st.just(VOID)), some(inner), st.booleans()),
    )


TYPES = st.recursive(LEAVES, _composed, max_leaves=4)
SIGNATURES = st.builds(FunctionType, st.one_of(TYPES, st.just(VOID)), some(TYPES), st.booleans())


# -- operands -------------------------------------------------------------------------------------


def _of_type(type: Type) -> st.SearchStrategy[Operand]:
    simple: list[st.SearchStrategy[Operand]] = [
        st.builds(Local, st.just(type), NAMES),
        st.sampled_from(["undef", "poison", "zeroinitializer"]).map(lambda kind: Simple(type, kind)),
    ]
    match type:
        case IntType(bits):
            simple.append(st.integers(-(1 << bits), 1 << bits).map(lambda n: Int(type, n)))
        case FloatType(kind):
            widths = {"half": 16, "bfloat": 16, "float": 32, "double": 64, "x86_fp80": 80}
            limit = (1 << widths.get(kind, 128)) - 1
            simple.append(st.integers(0, limit).map(lambda bits: Float(type, bits)))
        case PointerType():
            expression = st.builds(
                ConstantExpression,
                st.just(type),
                st.just("getelementptr"),
                st.one_of(GEP_FLAGS, st.just(("inbounds", "inrange(-8, 16)"))),
                st.just((Global("base", type), Int(IntType(64), 3))),
                TYPES,
            )
            simple += [
                NAMES.map(lambda name: Global(name, type)),
                st.just(Simple(type, "null")),
                expression,
                st.builds(BlockAddress, NAMES, NAMES, st.just(type)),
                st.builds(
                    GlobalWrapper, st.sampled_from(["no_cfi", "dso_local_equivalent"]), NAMES, st.just(type)
                ),
                st.builds(PtrAuth, st.just((Global("p"), Int(IntType(32), 2))), st.just(type)),
                st.just(ConstantExpression(type, "inttoptr", (), (Int(IntType(64), 8),))),
            ]
        case VectorType(_, element):
            simple.append(_of_type(element).map(lambda e: Splat(type, e)))
            simple.append(some(_of_type(element), 1).map(lambda e: Aggregate(type, e)))
        case ArrayType(_, element):
            simple.append(some(_of_type(element)).map(lambda e: Aggregate(type, e)))
            if element == IntType(8):
                simple.append(st.binary(max_size=5).map(lambda data: Bytes(type, data)))
        case StructType(elements, _):
            simple.append(st.tuples(*map(_of_type, elements)).map(lambda e: Aggregate(type, e)))
        case _:
            pass
    return st.one_of(simple)


OPERANDS = TYPES.flatmap(_of_type)
POINTER_OPERANDS = POINTERS.flatmap(_of_type)
INT_OPERANDS = INTS.flatmap(_of_type)
CONDITIONS = _of_type(I1)
TOKENS = st.builds(Local, st.just(TOKEN), NAMES)
PAIRS = TYPES.flatmap(lambda type: st.tuples(_of_type(type), _of_type(type)))

# -- metadata -------------------------------------------------------------------------------------

METADATA_LEAVES: st.SearchStrategy[Metadata] = st.one_of(
    st.binary(max_size=4).map(MetadataString), NUMBERS.map(MetadataReference), OPERANDS.map(MetadataValue)
)
FIELD_WORDS = st.sampled_from(["5", "-3", "true", "DW_LANG_C99", "DIFlagA | DIFlagB", '"text\\22"', "None"])


def _composed_metadata(inner: st.SearchStrategy[Metadata]) -> st.SearchStrategy[Metadata]:
    values = st.one_of(inner, FIELD_WORDS, st.none())
    return st.one_of(
        some(st.one_of(inner, st.none())).map(MetadataTuple),
        st.builds(MetadataRecord, RECORD_KINDS, some(st.tuples(KEYS, values))),
        some(st.tuples(st.none(), st.sampled_from(["DW_OP_deref", "4"]))).map(
            lambda fields: MetadataRecord("DIExpression", fields)
        ),
    )


METADATA = st.recursive(METADATA_LEAVES, _composed_metadata, max_leaves=3)
NODES = METADATA.filter(lambda m: not isinstance(m, MetadataValue))
ATTACHMENTS = some(st.tuples(NAMES, NODES), 0, 2)

# -- instructions ---------------------------------------------------------------------------------

ARGUMENTS = st.one_of(
    st.builds(Argument, OPERANDS, words(PARAMETER_WORDS)),
    METADATA.map(lambda m: Argument(MetadataOperand(m))),
)
BUNDLES = st.builds(
    Bundle, st.sampled_from(["convergencectrl", "deopt", 'a"b']), some(st.one_of(OPERANDS, TOKENS))
)


@st.composite
def _calls(draw: st.DrawFn, /, make: Any, **more: st.SearchStrategy[Any]) -> Instruction:
    arguments = draw(some(ARGUMENTS))
    explicit = draw(st.booleans())
    result = draw(st.one_of(TYPES.filter(lambda t: not isinstance(t, FunctionType)), st.just(VOID)))
    signature = draw(SIGNATURES) if explicit else FunctionType(result, tuple(a.value.type for a in arguments))
    space = draw(st.sampled_from([None, None, 0, 3]))
    callee: Operand = draw(_of_type(PointerType(space or 0)))
    if draw(st.integers(0, 5)) == 0:
        flags = draw(some(st.sampled_from(["sideeffect", "alignstack", "inteldialect", "unwind"]), 0, 2))
        callee = InlineAsm(signature, flags, draw(ANY), draw(ANY))
    made: Instruction = make(
        result=None if signature.result == VOID else draw(NAMES),
        attachments=draw(ATTACHMENTS),
        callee=callee,
        type=signature,
        arguments=arguments,
        bundles=draw(some(BUNDLES, 0, 2)),
        attributes=draw(words(FUNCTION_WORDS)),
        return_attributes=draw(words(PARAMETER_WORDS)),
        convention=draw(CONVENTIONS),
        fast_math=draw(words(FAST)),
        address_space=space,
        explicit_type=explicit,
        **{key: draw(value) for key, value in more.items()},
    )
    return made


def _value(
    make: Any, *fields: st.SearchStrategy[Any], **more: st.SearchStrategy[Any]
) -> st.SearchStrategy[Instruction]:
    return st.builds(make, *fields, result=NAMES, attachments=ATTACHMENTS, **more)


def _effect(
    make: Any, *fields: st.SearchStrategy[Any], **more: st.SearchStrategy[Any]
) -> st.SearchStrategy[Instruction]:
    return st.builds(make, *fields, attachments=ATTACHMENTS, **more)


@st.composite
def _access(draw: st.DrawFn, make: Any, first: st.SearchStrategy[Any]) -> Instruction:
    """A load or store: a scope only with an ordering."""
    ordering = draw(st.one_of(st.none(), ORDERINGS))
    made: Instruction = make(
        draw(first), draw(POINTER_OPERANDS), draw(ALIGNS), draw(st.booleans()), ordering,
        None if ordering is None else draw(SCOPES), attachments=draw(ATTACHMENTS),
        result=draw(NAMES) if make is ir.Load else None,
    )  # fmt: skip
    return made


def _binary(pair: tuple[Operand, Operand]) -> st.SearchStrategy[Instruction]:
    lhs, rhs = st.just(pair[0]), st.just(pair[1])
    opcodes = st.sampled_from(["add", "xor", "fadd", "shl", "frem", "or"])
    predicates = st.sampled_from(["eq", "ult", "sge"])
    float_predicates = st.sampled_from(["oeq", "uno", "true", "false"])
    return st.one_of(
        _value(ir.Binary, opcodes, lhs, rhs, words(FLAGS)),
        _value(ir.ICmp, predicates, lhs, rhs, words(FLAGS)),
        _value(ir.FCmp, float_predicates, lhs, rhs, words(FAST)),
    )


@st.composite
def _phis(draw: st.DrawFn) -> Instruction:
    type = draw(TYPES)
    incoming = draw(some(st.tuples(_of_type(type), NAMES)))
    return ir.Phi(type, incoming, draw(words(FAST)), result=draw(NAMES), attachments=draw(ATTACHMENTS))


CLAUSES = st.sampled_from(["catch", "filter"])
RECORDS = st.sampled_from(["dbg_value", "dbg_declare"])
INDICES = some(st.integers(0, 9), 1)
INSTRUCTIONS: st.SearchStrategy[Instruction] = st.one_of(
    PAIRS.flatmap(_binary),
    _value(ir.FNeg, OPERANDS, words(FAST)),
    _value(ir.Conversion, st.sampled_from(["trunc", "bitcast", "sitofp"]), OPERANDS, TYPES, words(FLAGS)),
    _value(ir.ExtractElement, OPERANDS, OPERANDS),
    _value(ir.InsertElement, OPERANDS, OPERANDS, OPERANDS),
    _value(ir.ShuffleVector, OPERANDS, OPERANDS, OPERANDS),
    _value(ir.ExtractValue, OPERANDS, INDICES),
    _value(ir.InsertValue, OPERANDS, OPERANDS, INDICES),
    _value(ir.Alloca, TYPES, st.one_of(st.none(), INT_OPERANDS), ALIGNS, SPACES, words(st.just("inalloca"))),
    _access(ir.Load, TYPES),
    _access(ir.Store, OPERANDS),
    _effect(ir.Fence, ORDERINGS, SCOPES),
    _value(
        ir.CmpXchg, POINTER_OPERANDS, OPERANDS, OPERANDS, ORDERINGS, ORDERINGS, st.booleans(), st.booleans(),
        SCOPES, ALIGNS,
    ),
    _value(
        ir.AtomicRMW, st.sampled_from(["add", "xchg", "fmax", "uinc_wrap"]), POINTER_OPERANDS, OPERANDS,
        ORDERINGS, st.booleans(), SCOPES, ALIGNS,
    ),
    _value(ir.GetElementPtr, TYPES, OPERANDS, some(OPERANDS), GEP_FLAGS),
    _phis(),
    _value(ir.Select, CONDITIONS, OPERANDS, OPERANDS, words(FAST)),
    _value(ir.Freeze, OPERANDS),
    _value(ir.VAArg, POINTER_OPERANDS, TYPES),
    _value(ir.LandingPad, TYPES, st.booleans(), some(st.tuples(CLAUSES, OPERANDS))),
    _value(ir.CatchPad, TOKENS, some(OPERANDS)),
    _value(ir.CleanupPad, st.one_of(TOKENS, st.just(Simple(TOKEN, "none"))), some(OPERANDS)),
    st.builds(ir.DebugRecord, RECORDS, some(st.one_of(NODES, OPERANDS), 1)),
    _calls(
        ir.Call, marker=st.sampled_from(["", "tail", "musttail", "notail"]), ellipsis=st.booleans()
    ),
)  # fmt: skip
TERMINATORS: st.SearchStrategy[Instruction] = st.one_of(
    _effect(ir.Ret, st.one_of(st.none(), OPERANDS)),
    _effect(ir.Br, NAMES),
    _effect(ir.CondBr, CONDITIONS, NAMES, NAMES),
    INTS.flatmap(
        lambda t: _effect(
            ir.Switch, _of_type(t), NAMES, some(st.tuples(st.integers(0, 99).map(lambda n: Int(t, n)), NAMES))
        )
    ),
    _effect(ir.IndirectBr, POINTER_OPERANDS, some(NAMES)),
    _effect(ir.Resume, OPERANDS),
    _value(ir.CatchSwitch, TOKENS, some(NAMES, 1), st.one_of(st.none(), NAMES)),
    _effect(ir.CatchRet, TOKENS, NAMES),
    _effect(ir.CleanupRet, TOKENS, st.one_of(st.none(), NAMES)),
    _effect(ir.Unreachable),
    _calls(ir.Invoke, normal=NAMES, unwind=NAMES),
    _calls(ir.CallBr, fallthrough=NAMES, indirect=some(NAMES)),
)
BLOCKS = st.builds(
    lambda name, inner, last: Block(name, (*inner, last)), NAMES, some(INSTRUCTIONS), TERMINATORS
)

# -- modules --------------------------------------------------------------------------------------

LINKAGES = st.sampled_from(
    [(), ("internal",), ("linkonce_odr", "hidden"), ("dso_local",), ("weak", "dllexport")]
)


@st.composite
def _functions(draw: st.DrawFn) -> Function:
    parameters = draw(some(st.builds(Parameter, TYPES, NAMES, words(PARAMETER_WORDS))))
    result = draw(st.one_of(TYPES.filter(lambda t: not isinstance(t, FunctionType)), st.just(VOID)))
    body = draw(st.one_of(st.none(), some(BLOCKS, 1, 2)))
    return Function(
        draw(NAMES),
        FunctionType(result, tuple(p.type for p in parameters), draw(st.booleans())),
        parameters,
        None if body is None else Body(body),
        attributes=draw(words(FUNCTION_WORDS)),
        return_attributes=draw(words(PARAMETER_WORDS)),
        convention=draw(CONVENTIONS),
        words=(*draw(LINKAGES), *draw(st.sampled_from([(), ("unnamed_addr",), ("local_unnamed_addr",)]))),
        tail=draw(words(TAILS)),
        address_space=draw(st.sampled_from([None, None, 1])),
        attachments=draw(ATTACHMENTS),
    )


@st.composite
def _globals(draw: st.DrawFn) -> GlobalVariable:
    type = draw(TYPES)
    external = draw(st.booleans())
    return GlobalVariable(
        draw(NAMES),
        type,
        draw(st.booleans()),
        None if external else draw(_of_type(type)),
        ("external",) if external else draw(LINKAGES),
        draw(SPACES),
        draw(st.booleans()),
        draw(some(st.sampled_from(["align 4", 'section "x"', "comdat", "no_sanitize_address"]), 0, 2)),
        draw(words(FUNCTION_WORDS)),
        draw(ATTACHMENTS),
    )


ALIASES = st.builds(
    Alias, NAMES, st.sampled_from(["alias", "ifunc"]), TYPES, POINTER_OPERANDS, LINKAGES,
    some(st.just('partition "p"'), 0, 1),
)  # fmt: skip


def _by_name(of: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.lists(of, max_size=2).map(lambda found: {x.name: x for x in found})


TEXTS = st.one_of(st.none(), ANY)
STRUCTS = st.one_of(st.none(), st.builds(StructType, some(TYPES), st.booleans()))
MODULES = st.builds(
    Module,
    source_filename=TEXTS,
    datalayout=TEXTS,
    triple=TEXTS,
    assembly=some(ANY, 0, 2),
    types=st.dictionaries(NAMES, STRUCTS, max_size=2),
    comdats=st.dictionaries(NAMES, st.sampled_from(["any", "largest"]), max_size=2),
    globals=_by_name(_globals()),
    aliases=_by_name(ALIASES),
    functions=_by_name(_functions()),
    groups=st.dictionaries(
        NUMBERS, some(st.sampled_from(["nounwind", '"a"="b"', "alignstack=8", "memory(none)"])), max_size=2
    ),
    named_metadata=st.dictionaries(NAMES, some(NUMBERS.map(MetadataReference)), max_size=2),
    metadata=_by_name(st.builds(MetadataNode, NUMBERS, NODES, st.booleans())),
    use_list_orders=some(st.just("uselistorder ptr @g, {1, 0}"), 0, 1),
    summary=some(st.just('^0=module: (path: "x", hash: (0, 0))'), 0, 1),
)
__all__ = ["MODULES", "PTR", "SimpleType"]
