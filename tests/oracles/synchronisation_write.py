"""A program of :mod:`.synchronisation_model` as a module of LLVM IR.

Each register has a slot in an array that no other thread can know, one for each iteration; a thread returns
all slots as a struct, with a 0 behind them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .synchronisation_model import (
    Call,
    FenceInstruction,
    If,
    Load,
    Loop,
    Op,
    Place,
    Program,
    Store,
    Update,
    Value,
    Vote,
    registers,
)

TYPES = {1: "i8", 2: "i16", 4: "i32"}


def llvm(program: Program) -> str:
    return _Writer(program).module()


def calls(ops: Sequence[Op]) -> Iterator[Call]:
    for op in ops:
        match op:
            case Call():
                yield op
            case If(_, _, body, otherwise):
                yield from calls((*body, *otherwise))
            case Loop(_, _, body):
                yield from calls(body)
            case _:
                pass


class _Writer:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.lines: list[str] = []
        self.fresh = 0
        self.size = {name: size for name, size, _ in registers(program.ops)}
        self.inside: set[str] = set()
        """The registers of the loop around, whose slot is that of the iteration."""
        self.loop: int | None = None
        self.token = "%t"
        self.tags: list[tuple[str, ...]] = []

    def module(self) -> str:
        program = self.program
        slots = [(n, TYPES[size], times) for n, size, times in registers(program.ops)]
        result = "{ " + "".join(f"{kind}, " * times for _, kind, times in slots) + "i32 }"
        self._add("br label %body")
        self.lines.append("body:")
        self._ops(program.ops)
        value, place = "poison", 0
        for name, kind, times in slots:
            for n in range(times):
                at, loaded, made = self._name(), self._name(), self._name()
                self._add(f"{at} = getelementptr {kind}, ptr %{name}.slots, i32 {n}")
                self._add(f"{loaded} = load {kind}, ptr {at}")
                self._add(f"{made} = insertvalue {result} {value}, {kind} {loaded}, {place}")
                value, place = made, place + 1
        self._add(f"%all = insertvalue {result} {value}, i32 0, {place}")
        self._add(f"ret {result} %all")
        begin = [f"  %{n}.slots = alloca [{times} x {kind}]" for n, kind, times in slots]
        begin += [f"  store [{times} x {kind}] zeroinitializer, ptr %{n}.slots" for n, kind, times in slots]
        if program.tokens:
            begin.insert(0, "  %t = call token @llvm.experimental.convergence.entry()")
        text = ['target datalayout = "e"']
        for v in program.variables:
            kind = TYPES[v.size]
            initial = "undef" if v.initial is None else str(v.initial)
            if v.count > 1:
                initial = "[" + ", ".join([f"{kind} {initial}"] * v.count) + "]"
                kind = f"[{v.count} x {kind}]"
            space = f"addrspace({v.space}) " if v.space else ""
            text.append(f"@{v.name} = {space}global {kind} {initial}, align 4")
        text += self._declarations()
        text.append(f"define {result} @f(i32 %tid, i32 %next, i32 %arg) convergent {{")
        text += ["entry:", *begin, *self.lines, "}"]
        for n, tags in enumerate(self.tags):
            names = [f'!{{!"amdgpu-synchronize-as", !"{tag}"}}' for tag in tags]
            text.append(f"!{n} = {names[0]}" if len(names) == 1 else f"!{n} = !{{{', '.join(names)}}}")
        return "\n".join(text) + "\n"

    def _declarations(self) -> Iterator[str]:
        yield "declare token @llvm.experimental.convergence.entry()"
        yield "declare token @llvm.experimental.convergence.loop()"
        yield "declare i32 @subgroupAdd(i32) convergent"
        seen = set()
        for call in calls(self.program.ops):
            if call.callee not in seen:
                seen.add(call.callee)
                convergent = " convergent" if call.convergent else ""
                yield f"declare void @{call.callee}({', '.join(['i32'] * len(call.operands))}){convergent}"

    def _name(self) -> str:
        self.fresh += 1
        return f"%v{self.fresh}"

    def _add(self, line: str) -> None:
        self.lines.append(f"  {line}")

    def _slot(self, register: str) -> str:
        at = self._name()
        number = "0"
        if register in self.inside:
            number = self._name()
            self._add(f"{number} = load i32, ptr %count{self.loop}")
        kind = TYPES[self.size[register]]
        self._add(f"{at} = getelementptr {kind}, ptr %{register}.slots, i32 {number}")
        return at

    def _value(self, value: Value) -> str:
        if isinstance(value, int):
            return str(value)
        if value == "arg":
            return "%arg"
        at, loaded = self._slot(value), self._name()
        self._add(f"{loaded} = load {TYPES[self.size[value]]}, ptr {at}")
        return loaded

    def _keep(self, register: str, value: str) -> None:
        self._add(f"store {TYPES[self.size[register]]} {value}, ptr {self._slot(register)}")

    def _pointer(self, place: Place) -> str:
        v = place.variable
        kind = f"ptr addrspace({v.space})" if v.space else "ptr"
        at = f"@{v.name}"
        match place.element:
            case "own" | "peer":
                index = "%tid" if place.element == "own" else "%next"
                made = self._name()
                self._add(f"{made} = getelementptr {TYPES[v.size]}, {kind} {at}, i32 {index}")
                at = made
            case "first":
                pass
        if place.offset:
            made = self._name()
            self._add(f"{made} = getelementptr i8, {kind} {at}, i32 {place.offset}")
            at = made
        if place.generic and v.space:
            made = self._name()
            self._add(f"{made} = addrspacecast {kind} {at} to ptr")
            return f"ptr {made}"
        return f"{kind} {at}"

    def _ops(self, ops: Sequence[Op]) -> None:
        for op in ops:
            self._op(op)

    def _op(self, op: Op) -> None:
        match op:
            case Load(register, place, ordering, scope):
                pointer, made = self._pointer(place), self._name()
                atomic, how = _atomic(ordering, scope)
                self._add(f"{made} = load {atomic}{TYPES[place.size]}, {pointer}{how}, align {place.size}")
                self._keep(register, made)
            case Store(place, value, ordering, scope):
                given, pointer = self._value(value), self._pointer(place)
                atomic, how = _atomic(ordering, scope)
                self._add(f"store {atomic}{TYPES[place.size]} {given}, {pointer}{how}, align {place.size}")
            case Update(register, place, "cmpxchg", value, expected, ordering, scope, failure):
                kind, given, wanted = TYPES[place.size], self._value(value), self._value(expected)
                pointer, both, made = self._pointer(place), self._name(), self._name()
                how = f"{_scope(scope)} {ordering} {failure}"
                self._add(f"{both} = cmpxchg {pointer}, {kind} {wanted}, {kind} {given}{how}")
                self._add(f"{made} = extractvalue {{ {kind}, i1 }} {both}, 0")
                self._keep(register, made)
            case Update(register, place, operation, value, _, ordering, scope):
                given, pointer, made = self._value(value), self._pointer(place), self._name()
                kind = TYPES[place.size]
                self._add(
                    f"{made} = atomicrmw {operation} {pointer}, {kind} {given}{_scope(scope)} {ordering}"
                )
                self._keep(register, made)
            case Vote(register, value):
                given, made = self._value(value), self._name()
                self._add(f"{made} = call i32 @subgroupAdd(i32 {given}){self._bundle()}")
                self._keep(register, made)
            case FenceInstruction(ordering, scope, tags):
                mmra = ""
                if tags:
                    if tags not in self.tags:
                        self.tags.append(tags)
                    mmra = f", !mmra !{self.tags.index(tags)}"
                self._add(f"fence{_scope(scope)} {ordering}{mmra}")
            case Call(callee, operands, convergent):
                given = ", ".join(f"i32 {n}" for n in operands)
                self._add(f"call void @{callee}({given}){self._bundle() if convergent else ''}")
            case If(condition, over, body, otherwise):
                self._if(self._condition(condition, str(over)), body, otherwise)
            case Loop():
                self._loop(op)

    def _bundle(self) -> str:
        return f' [ "convergencectrl"(token {self.token}) ]' if self.program.tokens else ""

    def _condition(self, condition: str | None, over: str) -> str:
        made = self._name()
        if condition is None:
            self._add(f"{made} = icmp sgt i32 %arg, {over}")
        else:
            self._add(f"{made} = icmp ne i32 {self._value(condition)}, 0")
        return made

    def _if(self, condition: str, body: Sequence[Op], otherwise: Sequence[Op]) -> None:
        self.fresh += 1
        n = self.fresh
        self._add(f"br i1 {condition}, label %then{n}, label %{'else' if otherwise else 'join'}{n}")
        self.lines.append(f"then{n}:")
        self._ops(body)
        self._add(f"br label %join{n}")
        if otherwise:
            self.lines.append(f"else{n}:")
            self._ops(otherwise)
            self._add(f"br label %join{n}")
        self.lines.append(f"join{n}:")

    def _loop(self, loop: Loop) -> None:
        self.fresh += 1
        n, outer = self.fresh, self.token
        self.lines.insert(0, f"  %count{n} = alloca i32")
        self._add(f"store i32 0, ptr %count{n}")
        self._add(f"br label %loop{n}")
        self.lines.append(f"loop{n}:")
        if self.program.tokens:
            self.token = f"%heart{n}"
            self._add(
                f"{self.token} = call token @llvm.experimental.convergence.loop()"
                f' [ "convergencectrl"(token {outer}) ]'
            )
        self.loop, self.inside = n, {name for name, _, _ in registers(loop.body)}
        self._ops(loop.body)
        count, more, within, again = self._name(), self._name(), self._name(), self._name()
        self._add(f"{count} = load i32, ptr %count{n}")
        condition = self._condition(loop.condition, count)
        self._add(f"{more} = add i32 {count}, 1")
        self._add(f"store i32 {more}, ptr %count{n}")
        self._add(f"{within} = icmp slt i32 {more}, {loop.limit}")
        self._add(f"{again} = and i1 {within}, {condition}")
        self._add(f"br i1 {again}, label %loop{n}, label %after{n}")
        self.lines.append(f"after{n}:")
        self.loop, self.inside, self.token = None, set(), outer


def _scope(scope: str | None) -> str:
    return "" if scope is None else f' syncscope("{scope}")'


def _atomic(ordering: str | None, scope: str | None) -> tuple[str, str]:
    return ("", "") if ordering is None else ("atomic ", f"{_scope(scope)} {ordering}")
