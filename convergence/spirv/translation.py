"""From a module to LLVM IR with convergence tokens."""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property

from ..frozen import dataclass
from ..ir.calls import BEGIN_BUNDLE, CASE_BUNDLE, MEET_BUNDLE, WAY_BUNDLE
from ..vulkan import VULKAN_TRIPLE
from .arithmetic import ARITHMETIC, CONVERGENT, GROUPS
from .constants import NULL, SPIRVPointer, Value, Void, memory, typed
from .extended import decorated_conversion, extended, is_decorated_conversion
from .instruction import NotCovered, NotSPIRV, SPIRVInstruction
from .memory import MEMORY
from .module import EntryPoint, SPIRVBlock, SPIRVFunction, SPIRVModule
from .resources import IMAGES, bind, declare, declare_aliased
from .structured import Construct, ConstructTree, shared_cases, structure
from .uniform import UniformControlFlow, edges, on_one_path, selectors, several_values, uniformity
from .writing import Emit, FunctionWriter, Output, Table, quoted


class Reconvergence(StrEnum):
    """What is promised of threads that diverged."""

    BASE = "base"
    MAXIMAL = "maximal"


@dataclass(frozen=True, slots=True)
class TranslatedModule:
    """LLVM IR, and for each of its lines the line of SPIR-V that it comes from (0: none). ``unread`` is what
    convcheck does not read of it, in text order: no thread gets beyond the place where it stands.
    ``undecided``: the lines of branches on which it depends who is together at an operation, if in ``base``
    they may be uniform, as nothing shows that they are (R-UNIFORM)."""

    text: str
    origins: tuple[int, ...]
    unread: tuple[NotCovered, ...] = ()
    undecided: tuple[int, ...] = ()


_LAYOUT = "i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G"


def translated(
    module: SPIRVModule, model: Reconvergence, directives: tuple[tuple[str, int], ...] = ()
) -> TranslatedModule:
    """The module as LLVM IR; ``directives`` are comment lines to keep, with their places.

    :raises NotCovered: for declarations that are not read; of functions it is ``unread``
    """
    out = Output(module)
    kernel = module.is_kernel
    entries = {e.function: e for e in module.entry_points}
    names = {b.id: _function_name(out, b, entries.get(b.id)) for b in module.functions}
    if len(entries) == 1:
        (entry,) = entries
        out.line(f"; CONVCHECK: --function {_argument(names[entry])}")
    for text, line in directives:
        out.line(text, line)
    narrow = module.memory_model[0] == "Physical32"
    out.line(f'target datalayout = "e-{"p:32:32-" if narrow else ""}{_LAYOUT}{1 if kernel else 10}"')
    triple = f"spirv{32 if narrow else 64}-unknown-unknown" if kernel else VULKAN_TRIPLE
    out.line(f'target triple = "{triple}"')
    for variable in module.variables:
        try:
            declare(out, variable)
        except NotSPIRV as error:
            raise NotSPIRV(f"{variable.place}: {error.message}", error.line or variable.line) from None
    declare_aliased(out)
    for id_, name in names.items():
        out.globals[id_] = f"@{quoted(name)}"
    convergent = convergent_functions(module)
    modes: list[str] = []
    flow = None if model is Reconvergence.MAXIMAL else uniformity(module, _of_subgroup(module))
    functions = [
        _Function(out, body, entries.get(body.id), convergent, flow, modes) for body in module.functions
    ]
    ways = any(function.has_meetings() for function in functions)
    for function in functions:
        function.ways = ways
        function.write()
    for declaration in out.declarations.values():
        out.line(declaration)
    if modes:
        numbers = ", ".join(f"!{n}" for n in range(len(modes)))
        out.line(f"!spirv.ExecutionMode = !{{{numbers}}}")
        for n, mode in enumerate(modes):
            out.line(f"!{n} = !{{{mode}}}")
    undecided = tuple(line for lines in flow.branches.values() for line in lines) if flow and ways else ()
    return TranslatedModule("\n".join(out.lines) + "\n", tuple(out.origins), tuple(out.unread), undecided)


def _of_subgroup(module: SPIRVModule) -> bool:
    """Whether uniform control flow is asked for each subgroup (SPV_KHR_subgroup_uniform_control_flow)."""
    return any(e.mode("SubgroupUniformControlFlowKHR") is not None for e in module.entry_points)


def _argument(name: str) -> str:
    return f"@{name}" if quoted(name) == name else f"'@{quoted(name)}'"


def _function_name(out: Output, body: SPIRVFunction, entry: EntryPoint | None) -> str:
    linkage = out.module.decoration(body.id, "LinkageAttributes")
    if entry is not None:
        return out.names.fresh(entry.name)
    return out.names.fresh(str(linkage[0])[1:] if linkage else out.module.name(body.id))


def convergent_functions(module: SPIRVModule) -> frozenset[str]:
    """The functions in which threads communicate, or call one in which they do; what is imported may."""
    calls: dict[str, set[str]] = {}
    names = {body.id for body in module.functions if not body.blocks}
    for body in module.functions:
        calls[body.id] = set()
        for block in body.blocks:
            for i in block.instructions:
                if i.op in CONVERGENT:
                    names.add(body.id)
                elif i.op == "OpFunctionCall":
                    calls[body.id].add(i.id(0))
    work = True
    while work:
        more = {f for f, callees in calls.items() if f not in names and callees & names}
        names |= more
        work = bool(more)
    return frozenset(names)


class _Function:
    """One function on its way."""

    def __init__(
        self,
        out: Output,
        body: SPIRVFunction,
        entry: EntryPoint | None,
        convergent: frozenset[str],
        flow: UniformControlFlow | None,
        modes: list[str],
    ) -> None:
        self.out, self.body, self.entry, self.flow, self.modes = out, body, entry, flow, modes
        self.convergent = convergent
        self.code = FunctionWriter(out)
        self.is_convergent = body.id in convergent
        self.within: str | None = None
        self.ways = False
        self.phis: dict[str, list[SPIRVInstruction]] = {}
        self.table: Table = {
            **ARITHMETIC,
            **MEMORY,
            **GROUPS,
            **IMAGES,
            "OpExtInst": extended,
            "OpFunctionCall": self.call,
        }

    def write(self) -> None:
        """Write the definition, or the declaration of what is imported."""
        code, body, out = self.code, self.body, self.out
        code.at = body.at
        name = out.globals[body.id]
        try:
            result = code.llvm(body.type.result)
            parameters = ", ".join(f"{code.llvm(t)}{self._words(p)}" for p, t in body.parameters)
        except NotCovered as error:  # nobody can call it, as nobody can pass such values
            self._unread_function(name, error)
            return
        if not body.blocks:
            words = " convergent" if self.is_convergent else ""
            out.line(f"declare {result} {name}({parameters}){words}", body.at.line)
            return
        parameters = ", ".join(f"{code.llvm(t)}{self._words(p)} {code.local(p)}" for p, t in body.parameters)
        kernel = self.entry is not None and out.module.is_kernel
        convention = "spir_kernel " if kernel else ""
        words = " convergent" if self.is_convergent else ""
        if self.entry is not None and not kernel:
            words += ' "hlsl.shader"="compute"'
        self._size()
        out.line("")
        out.line(f"define {convention}{result} {name}({parameters}){words} {{", body.at.line)
        self._blocks()
        out.line("}")

    def _unread_function(self, name: str, error: NotCovered) -> None:
        """A function whose signature is not read, in whose place one stands that does nothing but say so."""
        kernel = self.entry is not None and self.out.module.is_kernel
        self.code.lines = []
        self.code.stop(error)
        self.out.line("")
        self.out.line(f"define {'spir_kernel ' if kernel else ''}void {name}() {{", self.body.at.line)
        for text, line in self.code.lines:
            self.out.line(text, line)
        self.out.line("  ret void")
        self.out.line("}")

    def _words(self, parameter: str) -> str:
        """Attributes of a parameter: a kernel's structures are passed by value."""
        attribute = self.out.module.decoration(parameter, "FuncParamAttr")
        type_ = self.code.type(parameter)
        if attribute and attribute[0] == "ByVal" and isinstance(type_, SPIRVPointer):
            return f" byval({self.out.named_type(memory(self.code.pointee(parameter)))})"
        return ""

    def _size(self) -> None:
        """The workgroup's size: the built-in constant WorkgroupSize, or LocalSize, or LocalSizeId."""
        if self.entry is None:
            return
        size = self._size_constant()
        if size is None and (numbers := self.entry.mode("LocalSize")) is not None:
            size = [n for n in numbers if isinstance(n, int)]
        if size is None and (ids := self.entry.mode("LocalSizeId")) is not None:
            size = [self.out.constants.number(str(n)) or 1 for n in ids]
        if size is not None and len(size) == 3:
            numbers_ = ", ".join(f"i32 {n}" for n in size)
            self.modes.append(f"ptr {self.out.globals[self.body.id]}, i32 17, {numbers_}")

    def _size_constant(self) -> list[int] | None:
        for id_, decorations in self.out.module.decorations.items():
            if decorations.get("BuiltIn") == ("WorkgroupSize",):
                value: Value = self.out.constants.values.get(id_)
                if value == NULL:
                    return [0, 0, 0]
                if isinstance(value, tuple):
                    return [n for n in value if isinstance(n, int)]
        return None

    # -- Blocks

    def _blocks(self) -> None:
        code = self.code
        shape = self.shape
        first = self.body.blocks[0].label
        for variable in self.out.module.variables:
            if variable.result is not None and self._uses(variable.result):
                code.at = variable
                bind(code, variable.result)
        controlled = self.is_convergent and (self.flow is not None or not self.out.module.is_kernel)
        scopes = self._scopes(shape) if controlled else {}
        entry = code.fresh("token") if controlled else None
        tokens = {label: code.fresh(f"token.{label[1:]}") for label in scopes}
        written: list[tuple[SPIRVBlock, list[tuple[str, int]]]] = []
        for block in self.body.blocks:
            if block.label not in shape.reachable:
                continue
            code.lines = []
            code.at = block.at
            around = self._scope(block.label, shape, tokens)
            code.token = entry if around is None else tokens[around]
            self.within = block.label if controlled else None
            if block.label == first and entry is not None:
                code.emit(f"{entry} = call token @llvm.experimental.convergence.entry()")
                self.out.declare("llvm.experimental.convergence.entry", "token", (), "convergent")
            rest = self._phis(block)
            goes_on = self._goes_on(block.label)
            value = self._selected(block.label) if goes_on else ""
            if block.label in scopes:
                self._begin(block, shape, tokens, entry)
            if goes_on:
                self._anchor(f'[ "{WAY_BUNDLE}"({value}) ]')
            if block.label == first:
                code.lines += code.prologue
            for i in rest:
                self._instruction(i)
            if self._begins_ways(block):
                code.at = block.terminator
                self._begin_ways()
            self._terminator(block)
            written.append((block, code.lines))
        for block, lines in written:
            self.out.line(f"{code.local(block.label)[1:]}:", block.at.line)
            for phi in self.phis.get(block.label, ()):
                code.at, code.lines = phi, []
                self._phi(phi, block.label, shape)
                for text, line in code.lines:
                    self.out.line(text, line)
            for text, line in lines:
                self.out.line(text, line)

    def _uses(self, variable: str) -> bool:
        return any(variable in i.operands for b in self.body.blocks for i in (*b.instructions, b.terminator))

    # -- Who is together

    @cached_property
    def shape(self) -> ConstructTree:
        """The constructs of the body."""
        return structure(self.body)

    def _is_divergent(self, label: str, line: int) -> bool:
        """R-UNIFORM: in base, an operation in control flow that is not shown to be uniform, and to which
        several ways lead, has an anchor of its own, at which ways meet."""
        flow = self.flow
        if flow is None or flow.holds(self.body.id, label, line):
            return False

        def uniform(block: str) -> bool:
            return flow.holds(self.body.id, block, self.shape.blocks[block].terminator.line)

        def parts(block: str, end: int | None) -> bool:
            calls = (i for i in self.shape.blocks[block].instructions if i.op == "OpFunctionCall")
            return any(i.id(0) in flow.parted and (end is None or i.line < end) for i in calls)

        first = self.body.blocks[0].label
        return not on_one_path(self.shape, first, label, line, uniform, parts)

    def has_meetings(self) -> bool:
        """Whether it has an operation at which ways meet (R-UNIFORM)."""
        return self.flow is not None and any(
            i.op in CONVERGENT and self._is_divergent(block.label, i.line)
            for block in self.body.blocks
            if block.label in self.shape.reachable
            for i in block.instructions
        )

    def _is_apart(self, label: str) -> bool:
        """Whether control flow is not shown to be uniform at the beginning of a block."""
        return self.flow is not None and label in self.flow.divergent[self.body.id]

    def _goes_on(self, label: str) -> bool:
        """Whether a way has an anchor in a block: threads may have parted before it."""
        if not (self.ways and self._is_apart(label)):
            return False
        blocks = self.shape.blocks
        return any(
            label in blocks[before].successors and len(set(blocks[before].successors)) > 1
            for before in self.shape.reachable
        )

    def _selected(self, case: str) -> str:
        """What a switch went by that leads to a case of it by several values, which the extension lets it
        part: the selector, and of threads that come from elsewhere 0."""
        shape = self.shape
        switch = shape.of.get(case)
        if switch is None or not switch.switch or not several_values(shape, switch.header, case):
            return ""
        selector = self.code.typed(shape.blocks[switch.header].terminator.id(0))
        type_, value = selector.split()
        sources = [
            label
            for label in shape.blocks
            if label in shape.reachable and case in shape.blocks[label].successors
        ]
        if sources == [switch.header]:
            return selector
        ways = ", ".join(
            f"[ {value if label == switch.header else 0}, {self.code.local(label)} ]"
            for label in sources
            for _ in range(edges(shape.blocks[label], case))
        )
        return f"{type_} {self.code.step(f'phi {type_} {ways}')}"

    def _begins_ways(self, block: SPIRVBlock) -> bool:
        """Whether threads may leave a block, in which control flow is uniform up to its branch, by several
        ways."""
        flow = self.flow
        if flow is None or not (self.ways and self.is_convergent):
            return False
        uniform = flow.holds(self.body.id, block.label, block.terminator.line)
        return uniform and any(map(self._is_apart, block.successors))

    def _begins_in(self, i: SPIRVInstruction, label: str) -> bool:
        """Whether a call, in uniform control flow, is of a function in which threads may part."""
        flow = self.flow
        if flow is None or not (self.ways and self.is_convergent) or i.op != "OpFunctionCall":
            return False
        called = i.id(0)
        apart = bool(flow.divergent.get(called)) or any(f == called for f, _ in flow.tails)
        return apart and flow.holds(self.body.id, label, i.line)

    def _anchor(self, bundle: str) -> str:
        """An anchor with a bound."""
        self.out.declare("llvm.experimental.convergence.anchor", "token", (), "convergent")
        return self.code.step(f"call token @llvm.experimental.convergence.anchor() {bundle}")

    def _begin_ways(self) -> None:
        self._anchor(f'[ "{BEGIN_BUNDLE}"(token {self.code.token}) ]')

    def _scopes(self, shape: ConstructTree) -> dict[str, None]:
        """The blocks where a token of its own begins, where threads communicate inside: headers of loops
        with a back edge (R-LOOP), and cases that several values, or a case before, lead to (R-CASE)."""
        cases: frozenset[str] = frozenset()
        if self.flow is None:
            few = selectors(self.out.module, self.body, self.out.constants.number)
            cases = shared_cases(shape, few.values)
        scopes: dict[str, None] = {}
        for block in self.body.blocks:
            if block.label not in shape.reachable or not self._has_token(block):
                continue
            construct = shape.of.get(block.label)
            for around in () if construct is None else construct.around():
                if around.is_loop and self._comes_back(around, shape):
                    scopes[around.header] = None
            for case in cases:
                if self._in_case(block.label, case, shape):
                    scopes[case] = None
        return scopes

    def _has_token(self, block: SPIRVBlock) -> bool:
        """Whether something in a block has the token of what is around it."""
        return self._begins_ways(block) or any(
            self._begins_in(i, block.label)
            or (self._communicates(i) and not self._is_divergent(block.label, i.line))
            for i in block.instructions
        )

    def _in_case(self, label: str, case: str, shape: ConstructTree) -> bool:
        """Whether a block lies in the case construct that begins at ``case``."""
        switch = shape.of[case]
        inside = shape.of.get(label)
        return inside is not None and switch in inside.around() and shape.dominates(case, label)

    def _scope(self, label: str, shape: ConstructTree, tokens: dict[str, str]) -> str | None:
        """The block where the innermost token around a block begins."""
        best: str | None = None
        construct = shape.of.get(label)
        inside = {c.header for c in (() if construct is None else construct.around()) if c.is_loop}
        for begins in tokens:
            is_loop = begins in shape.headed and shape.headed[begins].is_loop
            holds = begins in inside if is_loop else self._in_case(label, begins, shape)
            if holds and (best is None or shape.dominates(best, begins)):
                best = begins
        return best

    def _communicates(self, i: SPIRVInstruction) -> bool:
        return i.op in CONVERGENT or (i.op == "OpFunctionCall" and i.id(0) in self.convergent)

    def _comes_back(self, loop: Construct, shape: ConstructTree) -> bool:
        """Whether a block that is reached branches back to the loop's header."""
        return any(
            loop.header in shape.blocks[label].successors and shape.dominates(loop.header, label)
            for label in shape.reachable
        )

    def _begin(
        self, block: SPIRVBlock, shape: ConstructTree, tokens: dict[str, str], entry: str | None
    ) -> None:
        """A loop's heart, with the token of what is around it, or the anchor of a case."""
        own = tokens[block.label]
        self.code.at = block.merge or block.at
        headed = shape.headed.get(block.label)
        if headed is None or not headed.is_loop:
            self.out.declare("llvm.experimental.convergence.anchor", "token", (), "convergent")
            bound = self._bound(block.label, shape, tokens, entry)
            self.code.emit(f"{own} = call token @llvm.experimental.convergence.anchor() {bound}")
            return
        outer = self._scope(
            block.label, shape, {label: t for label, t in tokens.items() if label != block.label}
        )
        parent = entry if outer is None else tokens[outer]
        self.out.declare("llvm.experimental.convergence.loop", "token", (), "convergent")
        self.code.emit(
            f'{own} = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token {parent}) ]'
        )

    def _bound(self, case: str, shape: ConstructTree, tokens: dict[str, str], entry: str | None) -> str:
        """What bounds the anchor of a case: the token at its OpSwitch, the selector, and which OpSwitch."""
        switch = shape.of[case]
        assert switch is not None
        around = self._scope(switch.header, shape, tokens)
        token = entry if around is None else tokens[around]
        selector = self.code.typed(shape.blocks[switch.header].terminator.id(0))
        return f'[ "{CASE_BUNDLE}"(token {token}, {selector}, i32 {shape.place[switch.header]}) ]'

    def _phis(self, block: SPIRVBlock) -> list[SPIRVInstruction]:
        """A block's instructions but for its phis, which are kept: their operands may come later."""
        self.phis[block.label] = phis = [i for i in block.instructions if i.op == "OpPhi"]
        for i in phis:
            self.code.at = i
            try:
                self.code.llvm(self.code.result_type())
            except NotCovered:  # so is each use
                self.code.alias("poison")
        return [i for i in block.instructions if i.op != "OpPhi"]

    def _phi(self, i: SPIRVInstruction, block: str, shape: ConstructTree) -> None:
        code = self.code
        if i.result in code.texts:  # of a type that is not read
            return
        pairs = [(i.id(n), i.id(n + 1)) for n in range(0, len(i.operands), 2)]
        ways = ", ".join(
            f"[ {code.value(value)}, {code.local(label)} ]"
            for value, label in pairs
            if label in shape.reachable
            for _ in range(edges(shape.blocks[label], block))
        )
        code.define(f"phi {code.llvm(code.result_type())} {ways}")

    def _instruction(self, i: SPIRVInstruction) -> None:
        emit: Emit | None = self.table.get(i.op)
        if is_decorated_conversion(self.code, i):
            emit = decorated_conversion
        self.code.at = i
        if emit is None:
            self.code.unread(NotCovered(i.place, i.line))
            return
        if self.within is not None and self._begins_in(i, self.within):
            self._begin_ways()
        if self.within is not None and self._communicates(i) and self._is_divergent(self.within, i.line):
            meets = i.op != "OpFunctionCall"
            before = self.code.token
            self.code.token = self._anchor(f'[ "{MEET_BUNDLE if meets else WAY_BUNDLE}"() ]')
            self._emit(emit, i)
            self.code.token = before
            return
        self._emit(emit, i)

    def _emit(self, emit: Emit, i: SPIRVInstruction) -> None:
        """What instruction functions assert of their operands is what SPIR-V asks for."""
        before = len(self.code.lines)
        try:
            emit(self.code, i)
        except NotCovered as error:
            del self.code.lines[before:]
            self.code.unread(error)
        except (AssertionError, IndexError):
            raise NotSPIRV(f"{i.place}: operands of types that it does not take", i.line) from None
        except NotSPIRV as error:
            raise NotSPIRV(error.message, error.line or i.line, error.column) from None

    def call(self, code: FunctionWriter, i: SPIRVInstruction) -> None:
        """OpFunctionCall: of a function in which threads communicate with the token."""
        callee = i.id(0)
        result = code.llvm(code.result_type())
        arguments = ", ".join(code.typed(i.id(n)) for n in range(1, len(i.operands)))
        bundle = ""
        if callee in self.convergent and code.token:
            bundle = f' [ "convergencectrl"(token {code.token}) ]'
        text = f"call {result} {code.value(callee)}({arguments}){bundle}"
        if isinstance(code.result_type(), Void):
            code.emit(text)
        else:
            code.define(text)

    def _terminator(self, block: SPIRVBlock) -> None:
        code, i = self.code, block.terminator
        code.at = i

        def label(at: int) -> str:
            return f"label {code.local(i.id(at))}"

        match i.op:
            case "OpBranch":
                code.emit(f"br {label(0)}")
            case "OpBranchConditional":
                code.emit(f"br {code.typed(i.id(0))}, {label(1)}, {label(2)}")
            case "OpSwitch":
                type_ = code.type(i.id(0))
                cases = " ".join(
                    f"{typed(type_, i.number(n))}, {label(n + 1)}" for n in range(2, len(i.operands), 2)
                )
                code.emit(f"switch {code.typed(i.id(0))}, {label(1)} [ {cases} ]")
            case "OpReturn":
                code.emit("ret void")
            case "OpReturnValue":
                code.emit(f"ret {code.typed(i.id(0))}")
            case "OpUnreachable":
                code.emit("unreachable")
            case "OpKill" | "OpTerminateInvocation":
                name = f"__spirv_{i.op.removeprefix('Op')}"
                code.emit(code.call(name, "void", [], "noreturn nounwind"))
                code.emit("unreachable")
            case _:
                code.stop(NotCovered(i.place, i.line))
                code.emit("unreachable")
