"""One frozen class per instruction of the LangRef (*Instruction Reference*).

Fields common to all (keyword-only): ``result`` is the name of the value it defines without ``%``
(unnamed values have their number), ``attachments`` its ``!kind !node`` pairs, ``span`` its text,
which takes no part in equality. Attributes and flags are kept as normalised words, e.g.
``"convergent"``, ``"memory(argmem: read)"``, ``'"key"="value"'``, ``"#3"`` for a group.
"""

from .base import Instruction, Words
from .calls import Argument, Bundle, Call, CallBr, CallSite, Invoke
from .memory import Alloca, AtomicRMW, CmpXchg, Fence, GetElementPtr, Load, Store
from .other import CatchPad, CleanupPad, DebugRecord, Freeze, LandingPad, Phi, Select, VAArg
from .terminators import (
    Br,
    CatchRet,
    CatchSwitch,
    CleanupRet,
    CondBr,
    IndirectBr,
    Resume,
    Ret,
    Switch,
    Terminator,
    Unreachable,
    successors,
)
from .values import (
    Binary,
    Conversion,
    ExtractElement,
    ExtractValue,
    FCmp,
    FNeg,
    ICmp,
    InsertElement,
    InsertValue,
    ShuffleVector,
)

__all__ = [
    "Alloca",
    "Argument",
    "AtomicRMW",
    "Binary",
    "Br",
    "Bundle",
    "Call",
    "CallBr",
    "CallSite",
    "CatchPad",
    "CatchRet",
    "CatchSwitch",
    "CleanupPad",
    "CleanupRet",
    "CmpXchg",
    "CondBr",
    "Conversion",
    "DebugRecord",
    "ExtractElement",
    "ExtractValue",
    "FCmp",
    "FNeg",
    "Fence",
    "Freeze",
    "GetElementPtr",
    "ICmp",
    "IndirectBr",
    "InsertElement",
    "InsertValue",
    "Instruction",
    "Invoke",
    "LandingPad",
    "Load",
    "Phi",
    "Resume",
    "Ret",
    "Select",
    "ShuffleVector",
    "Store",
    "Switch",
    "Terminator",
    "Unreachable",
    "VAArg",
    "Words",
    "successors",
]
