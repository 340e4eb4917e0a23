"""The closed set of rules: identifiers, titles, one sentence each, and where LLVM states them."""

from __future__ import annotations

from enum import Enum

from .frozen import dataclass

COS = "https://llvm.org/docs/ConvergentOperations.html"
AMD = "https://llvm.org/docs/AMDGPUUsage.html"
CAU = "https://llvm.org/docs/ConvergenceAndUniformity.html"
SPIRV = "https://registry.khronos.org/SPIR-V/specs/unified1/SPIRV.html"
MAXIMAL = "https://github.khronos.org/SPIRV-Registry/extensions/KHR/SPV_KHR_maximal_reconvergence.html"


@dataclass(frozen=True, slots=True)
class RuleText:
    """``id`` as cited, a short ``title``, the rule's ``sentence``, the ``link`` to LLVM's document."""

    id: str
    title: str
    sentence: str
    link: str


class Rule(Enum):
    """Static rules (S-), dynamic rules (D-), rules of uniformity (U-), of exec masks in lowered code (E-), and
    warnings (W-)."""

    S_BUNDLE = RuleText(
        "S-BUNDLE",
        "one token in one bundle",
        "A convergencectrl bundle holds exactly one operand, of type token, and a call has at most one such bundle.",
        COS + "#dynamic-instances-and-convergence-tokens",
    )
    S_PRODUCER = RuleText(
        "S-PRODUCER",
        "tokens come from control intrinsics",
        "The token in a convergencectrl bundle is the result of a direct call to entry, loop or anchor.",
        COS + "#convergence-control-intrinsics",
    )
    S_ENTRY_FN = RuleText(
        "S-ENTRY-FN",
        "entry needs a convergent function",
        "The entry intrinsic is called only in a convergent function.",
        COS + "#llvm-experimental-convergence-entry",
    )
    S_ENTRY_BLOCK = RuleText(
        "S-ENTRY-BLOCK",
        "entry once, in the entry block",
        "The entry intrinsic is called only in the entry block, and at most once in a function.",
        COS + "#llvm-experimental-convergence-entry",
    )
    S_ENTRY_FIRST = RuleText(
        "S-ENTRY-FIRST",
        "entry before other convergent operations",
        "No convergent operation, control intrinsics included, precedes entry in its block.",
        COS + "#llvm-experimental-convergence-entry",
    )
    S_LOOP_FIRST = RuleText(
        "S-LOOP-FIRST",
        "loop before other convergent operations",
        "No convergent operation, control intrinsics included, precedes loop in its block.",
        COS + "#llvm-experimental-convergence-loop",
    )
    S_LOOP_TOKEN = RuleText(
        "S-LOOP-TOKEN",
        "loop takes a token, entry and anchor do not",
        "A call of loop has a convergencectrl bundle; calls of entry and anchor have none.",
        COS + "#convergence-control-intrinsics",
    )
    S_MIX = RuleText(
        "S-MIX",
        "controlled or uncontrolled, not both",
        "Controlled operations or control intrinsics and uncontrolled convergent operations never stand in one function.",
        COS + "#uncontrolled-convergent-operations",
    )
    S_DIRECT = RuleText(
        "S-DIRECT",
        "control intrinsics are called directly",
        "The control intrinsics are not called indirectly.",
        COS + "#convergence-control-intrinsics",
    )
    S_DOM = RuleText(
        "S-DOM",
        "a token's definition dominates its uses",
        "A token's definition dominates its uses, and tokens do not pass through phi or select.",
        COS + "#dynamic-instances-and-convergence-tokens",
    )
    S_CYCLE_USE = RuleText(
        "S-CYCLE-USE",
        "a use in a cycle needs its definition there",
        "A closed path with a use of token T other than by loop contains the definition of T.",
        COS + "#closed-paths",
    )
    S_CYCLE_TWICE = RuleText(
        "S-CYCLE-TWICE",
        "two uses of one token in a cycle",
        "A closed path with two different uses of token T contains the definition of T.",
        COS + "#closed-paths",
    )
    S_CYCLE_TWO = RuleText(
        "S-CYCLE-TWO",
        "uses of two tokens in a cycle",
        "A closed path with uses of two tokens contains the definition of at least one of them.",
        COS + "#closed-paths",
    )
    S_HEART_DOM = RuleText(
        "S-HEART-DOM",
        "a heart dominates its cycle",
        "On a closed path with a use U of token T but not the definition of T, U dominates every node.",
        COS + "#closed-paths",
    )
    S_NEST = RuleText(
        "S-NEST",
        "convergence regions nest",
        "A convergence region that contains a use of token T2 contains the definition of T2.",
        COS + "#convergence-regions",
    )

    W_NO_HEART = RuleText(
        "W-NO-HEART",
        "a loop call that is no heart",
        "A call of loop is not the heart of any cycle: it counts to one.",
        COS + "#llvm-experimental-convergence-loop",
    )
    W_UNUSED_TOKEN = RuleText(
        "W-UNUSED-TOKEN",
        "a token that nothing uses",
        "The token of a control intrinsic has no use.",
        COS + "#convergence-control-intrinsics",
    )
    W_ANCHOR_CYCLE = RuleText(
        "W-ANCHOR-CYCLE",
        "an anchor anew in every iteration",
        "An anchor stands inside a cycle and its token crosses no edge of the CFG: each iteration groups threads anew.",
        COS + "#llvm-experimental-convergence-anchor",
    )
    W_NOT_CONVERGENT = RuleText(
        "W-NOT-CONVERGENT",
        "a bundle on a call that is otherwise not convergent",
        "A call with a convergencectrl bundle has neither a convergent callee nor the convergent attribute.",
        COS + "#convergent-operations",
    )
    W_UNREACHABLE = RuleText(
        "W-UNREACHABLE",
        "a convergent call in unreachable code",
        "A convergent operation or a control intrinsic stands in a block that the entry block does not reach.",
        COS + "#convergent-operations",
    )
    W_ENTRY_CALL = RuleText(
        "W-ENTRY-CALL",
        "a call that is not convergent reaches entry",
        "A call that is no convergent operation enters a function with an entry intrinsic: its groups are free.",
        COS + "#llvm-experimental-convergence-entry",
    )

    D_THREAD = RuleText(
        "D-THREAD",
        "each trace is a run of its thread",
        "Each trace is a run of the program by that thread alone, in which every exchange returned what its model gives for its group.",
        COS + "#dynamic-instances-and-convergence-tokens",
    )
    D_EQ = RuleText(
        "D-EQ",
        "converged-with relates like with like",
        "Converged-with relates only instances of one static instance, never two of one thread, never threads of different launch groups.",
        CAU + "#convergence",
    )
    D_ENTRY = RuleText(
        "D-ENTRY",
        "entry takes over the caller's convergence",
        "Instances of entry are converged iff their call-site instances are, or, in a launched function, iff the environment launched the threads together.",
        COS + "#llvm-experimental-convergence-entry",
    )
    D_LOOP = RuleText(
        "D-LOOP",
        "loop counts executions with one token value",
        "Instances of loop are converged iff their tokens come from converged instances and both threads execute it for the n-th time with that token value.",
        COS + "#llvm-experimental-convergence-loop",
    )
    D_USE = RuleText(
        "D-USE",
        "an operation follows its token",
        "Instances of any other controlled operation are converged iff their tokens come from converged instances.",
        COS + "#dynamic-instances-and-convergence-tokens",
    )
    D_ANCHOR = RuleText(
        "D-ANCHOR",
        "an anchor groups freely",
        "Instances of anchor are converged by any partition that D-EQ and D-ORDER allow.",
        COS + "#llvm-experimental-convergence-anchor",
    )
    D_FREE = RuleText(
        "D-FREE",
        "uncontrolled operations",
        "Instances of an uncontrolled operation are converged as the mode says: maximal, any or none.",
        CAU + "#maximal-convergence",
    )
    D_CALL = RuleText(
        "D-CALL",
        "declared functions exchange, defined ones are entered",
        "A convergent call of a declared function exchanges data; a call of a defined one only enters it.",
        COS + "#convergent-operations",
    )
    D_ORDER = RuleText(
        "D-ORDER",
        "convergence-before has no cycle",
        "Convergence-before over convergent operations and control intrinsics is a strict partial order.",
        CAU + "#convergence",
    )
    D_MEM = RuleText(
        "D-MEM",
        "one order of memory accesses",
        "One total order of all accesses extends each thread's program order; a read returns the last earlier write.",
        COS + "#memory-model-non-interaction",
    )
    D_SYNC = RuleText(
        "D-SYNC",
        "what orders memory among threads",
        "What stands before a release comes before what stands behind an acquire that meets it, through memory or through a barrier.",
        "https://llvm.org/docs/LangRef.html#memory-model-for-concurrent-operations",
    )
    D_CAUSE = RuleText(
        "D-CAUSE",
        "no result before its cause",
        "No access to shared memory is its own cause, by the order of accesses, dependence, and the exchange of data.",
        COS + "#memory-model-non-interaction",
    )
    D_DEP = RuleText(
        "D-DEP",
        "dependence, for refinement",
        "For refinement a free choice is legal if dependence, carried across converged exchanges, is acyclic.",
        COS + "#examples-for-the-correctness-of-program-transforms",
    )

    U_SOURCE = RuleText(
        "U-SOURCE",
        "what tells threads from each other",
        "What tells a thread from others is divergent: its number, what only it can see, and what nobody knows.",
        CAU + "#uniformity",
    )
    U_ARGUMENT = RuleText(
        "U-ARGUMENT",
        "parameters by calling convention",
        "A parameter is uniform if the calling convention passes one value to all threads.",
        CAU + "#uniformity",
    )
    U_ALWAYS = RuleText(
        "U-ALWAYS",
        "one result for all",
        "An operation that gives all converged threads one result is uniform, whatever its operands are.",
        CAU + "#uniformity",
    )
    U_LOAD = RuleText(
        "U-LOAD",
        "what threads read",
        "A load is uniform if its address is, from memory that threads share, and nothing it may see is written before it.",
        CAU + "#uniformity",
    )
    U_DATA = RuleText(
        "U-DATA",
        "divergence of operands",
        "What is computed from a divergent value is divergent, and so is a branch on one.",
        CAU + "#uniformity",
    )
    U_JOIN = RuleText(
        "U-JOIN",
        "where threads that parted meet",
        "A phi in a join of a divergent branch is divergent, unless all threads bring it one value.",
        CAU + "#uniformity",
    )
    U_UNDEF = RuleText(
        "U-UNDEF",
        "undef and poison are no threads' common value",
        "Undef and poison in one thread are not the same as a value in another, and what freeze makes of them is divergent.",
        CAU + "#uniformity",
    )
    U_EXIT = RuleText(
        "U-EXIT",
        "values that leave a cycle at different times",
        "A value that is defined in a cycle is divergent where it is used outside, if threads leave the cycle in different iterations and come there.",
        CAU + "#divergent-cycle-exits",
    )
    U_CYCLE = RuleText(
        "U-CYCLE",
        "irreducible cycles",
        "What changes in an irreducible cycle is divergent, if the cycle is not m-converged.",
        CAU + "#static-uniformity-analysis",
    )
    U_TOKEN = RuleText(
        "U-TOKEN",
        "groups end with their token's region",
        "What is the same only for threads with converged instances of an anchor is divergent outside that token's region, a branch on it parts threads, and what changes in a cycle with an anchor is divergent.",
        COS + "#controlled-maximal-convergence",
    )

    E_IF = RuleText(
        "E-IF",
        "llvm.amdgcn.if",
        "The lanes that are on and whose condition is false are saved and go off; the wave takes the branch unless no lane is left on.",
        AMD + "#llvm-ir-intrinsics",
    )
    E_ELSE = RuleText(
        "E-ELSE",
        "llvm.amdgcn.else",
        "The lanes of the mask go on at the head of the block; at its branch they stay on, and those that were on before are saved and go off.",
        AMD + "#llvm-ir-intrinsics",
    )
    E_BREAK = RuleText(
        "E-BREAK",
        "llvm.amdgcn.if.break",
        "The result is the mask with the lanes added that are on and whose condition is true.",
        AMD + "#llvm-ir-intrinsics",
    )
    E_LOOP = RuleText(
        "E-LOOP",
        "llvm.amdgcn.loop",
        "The lanes of the mask go off; the wave goes round as long as a lane is left on.",
        AMD + "#llvm-ir-intrinsics",
    )
    E_END = RuleText(
        "E-END",
        "llvm.amdgcn.end.cf",
        "The lanes of the mask go on at the head of the block.",
        AMD + "#llvm-ir-intrinsics",
    )
    E_KILL = RuleText(
        "E-KILL",
        "llvm.amdgcn.kill",
        "A lane whose operand is false ends its thread and goes off for good; masks that are made later are without it.",
        AMD + "#llvm-ir-intrinsics",
    )
    E_WHOLE = RuleText(
        "E-WHOLE",
        "llvm.amdgcn.strict.wwm",
        "The operand is computed as if all lanes of the wave were on; one that is off has what set.inactive gives it.",
        AMD + "#llvm-ir-intrinsics",
    )
    E_QUAD = RuleText(
        "E-QUAD",
        "llvm.amdgcn.strict.wqm",
        "The operand is computed as if all lanes of each quad with a lane that is on were on.",
        AMD + "#llvm-ir-intrinsics",
    )
    E_WAVE = RuleText(
        "E-WAVE",
        "one place in the code, one value of a mask",
        "A wave is at one instruction and a mask has one value for all its lanes; a branch that no mask goes with sends all lanes that are on one way.",
        AMD + "#llvm-ir-intrinsics",
    )

    R_ENTRY = RuleText(
        "R-ENTRY",
        "a function begins with entry",
        "A function in which threads communicate begins with entry, and an operation in no loop construct has its token.",
        SPIRV + "#UniformControlFlow",
    )
    R_LOOP = RuleText(
        "R-LOOP",
        "a loop construct has a heart",
        "The header of a loop construct that threads go round in has a heart with the token of what is around the loop; what lies in the construct, blocks that break and the continue construct included, has the heart's token, and the merge block has not.",
        MAXIMAL,
    )
    R_CASE = RuleText(
        "R-CASE",
        "a case with several ways in is open",
        "A case that several values which the selector may have lead to, or that another case falls through to, begins with an anchor that parts neither threads with one value nor those that fall out of a case together.",
        MAXIMAL,
    )
    R_UNIFORM = RuleText(
        "R-UNIFORM",
        "only uniform control flow is promised",
        "Without maximal reconvergence, at an operation in control flow that is not shown to be uniform, and to which several ways lead, threads of one way are together, and those of several may be.",
        SPIRV + "#UniformControlFlow",
    )
    R_HEADER = RuleText(
        "R-HEADER",
        "a header dominates what it declares",
        "A header has one merge instruction, before its branch, and strictly dominates its merge block and its continue target, structurally; no other header declares that merge block.",
        SPIRV + "#StructuredControlFlow",
    )
    R_BACK = RuleText(
        "R-BACK",
        "one back edge a loop",
        "Each back edge goes to the header of a loop, from a block that the loop's continue target dominates, and each loop has exactly one.",
        SPIRV + "#StructuredControlFlow",
    )
    R_EXIT = RuleText(
        "R-EXIT",
        "ways into a construct and out of it",
        "A construct is entered by its header, and left by a branch to its merge block, to the merge block or continue target of the innermost loop around it, or to the merge block of the innermost switch.",
        SPIRV + "#StructuredControlFlow",
    )
    R_SELECT = RuleText(
        "R-SELECT",
        "a selection has a merge block",
        "A branch that leads to more than one block besides merge blocks, continue targets and headers of the constructs around it has a merge instruction.",
        SPIRV + "#StructuredControlFlow",
    )
    R_SWITCH = RuleText(
        "R-SWITCH",
        "cases are apart, and fall through in order",
        "A switch's header structurally dominates each case; a case leads to at most one other, the next among the targets, no two cases lead to one, and no block belongs to several.",
        SPIRV + "#StructuredControlFlow",
    )
    R_JOIN = RuleText(
        "R-JOIN",
        "ways meet where it is declared",
        "Where a shader asks for maximal reconvergence, only headers of loops, merge blocks, continue targets and cases of a switch have more than one block that branches to them.",
        MAXIMAL,
    )

    @property
    def id(self) -> str:
        return self.value.id

    @property
    def title(self) -> str:
        return self.value.title

    @property
    def sentence(self) -> str:
        return self.value.sentence

    @property
    def link(self) -> str:
        return self.value.link

    @property
    def authority(self) -> str:
        """Whose document the link leads to."""
        return "SPIR-V" if self.id.startswith("R-") else "LLVM"


class VerifierDifference(Enum):
    """The known ways in which LLVM 22.1's verifier is weaker than the rules; it is never stricter."""

    IRREDUCIBLE_NESTING = "nesting in an irreducible CFG: LLVM's answer depends on the order of successors"
    LOOP_AFTER_BUNDLE_ONLY = "loop after an operation that is convergent by its bundle only"
    CALLBR = "callbr: LLVM does not look at its tokens"
    UNREACHABLE = "unreachable code: LLVM does not check cycles, nesting and dominance there"
