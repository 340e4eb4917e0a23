"""Random functions with arithmetic of many types in loops: what native code is compared on."""

from __future__ import annotations

from random import Random

INTEGERS = ("i1", "i8", "i13", "i16", "i32", "i32", "i64", "i96")
FLOATS = ("half", "bfloat", "float", "float", "double")
VECTORS = ("<2 x i32>", "<4 x i8>", "<2 x float>", "<3 x i16>")
ARRAY = 8
HEAD = f"""
@data = global [{ARRAY} x i32] [i32 1, i32 -2, i32 3, i32 0, i32 7, i32 -9, i32 11, i32 5]
@bytes = global [16 x i8] zeroinitializer
@cells = global [4 x i64] [i64 5, i64 -1, i64 0, i64 9]
@own = thread_local global [4 x i64] [i64 3, i64 0, i64 -2, i64 8]
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i32 @llvm.abs.i32(i32, i1)
declare i32 @llvm.sadd.sat.i32(i32, i32)
declare {{ i32, i1 }} @llvm.uadd.with.overflow.i32(i32, i32)
declare float @llvm.fma.f32(float, float, float)
declare double @llvm.sqrt.f64(double)
declare float @llvm.floor.f32(float)
declare void @event(i32)
declare i32 @unknown(i32)
"""
NODES = """%node = type { ptr, i32, [4 x i8], ptr addrspace(3) }
@node = global %node zeroinitializer
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i32 @looks(ptr align 4 dereferenceable_or_null(4)) memory(none) nounwind willreturn
define i32 @through(ptr byval(%node) align 8 %n, i32 range(i32 -100, 100) %v, i32 %field) {
  %kept = alloca %node, align 8
  %index = alloca i32
  store i32 %field, ptr %index
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %kept, ptr align 8 %n, i64 24, i1 false)
  %p = load ptr, ptr %kept
  %which = load i32, ptr %index
  %word = getelementptr i32, ptr %p, i32 %which
  %old = load i32, ptr %word, align 1
  store i32 %v, ptr %word, align 1
  store ptr null, ptr %n
  ret i32 %old
}
"""
"""Structures that hold addresses: copied, in whole and in part, and passed by value."""
OBJECTS = ("@data", "@cells", "%slots", "%slots")
"""What such an address is that of: eight bytes and more lie there."""


def width(type_: str) -> int:
    return {"half": 16, "bfloat": 16, "float": 32, "double": 64}.get(type_) or int(type_[1:])


def element(type_: str) -> str:
    return type_.split(" x ")[1].rstrip(">") if type_.startswith("<") else type_


def count(type_: str) -> int:
    return int(type_[1:].split(" x ")[0])


class Program:
    """One function under way: ``scope`` has the values that may be used, by type."""

    def __init__(self, random: Random, memory: bool) -> None:
        self.random = random
        self.memory = memory
        self.lines: list[str] = []
        self.scope: dict[str, list[str]] = {}
        self.made = 0
        self.rare = random.random() < 0.3
        self.nodes = memory and random.random() < 0.5

    # -- operands ---------------------------------------------------------------------------------------

    def constant(self, type_: str) -> str:
        random = self.random
        if type_.startswith("<"):
            return (
                "<"
                + ", ".join(f"{element(type_)} {self.constant(element(type_))}" for _ in range(count(type_)))
                + ">"
            )
        if self.rare and random.random() < 0.04:
            return random.choice(("poison", "undef"))
        if type_ in FLOATS:
            return random.choice(("0.0", "-0.0", "1.0", "-1.5", "2.0", "0.5", "1024.0"))
        if type_ == "i1":
            return random.choice(("true", "false"))
        return str(
            random.choice((0, 1, 2, 3, 5, 7, -1, -2, 100, random.getrandbits(width(type_)) >> 1))
            % (1 << width(type_))
        )

    def use(self, type_: str) -> str:
        known = self.scope.get(type_)
        if known and self.random.random() < 0.8:
            return self.random.choice(known[-6:])
        return self.constant(type_)

    def uses(self, type_: str, times: int) -> str:
        return ", ".join(f"{type_} {self.use(type_)}" for _ in range(times))

    def line(self, text: str) -> None:
        self.lines.append("  " + text)

    def define(self, type_: str, text: str) -> str:
        self.made += 1
        name = f"%v{self.made}"
        self.line(f"{name} = {text}")
        self.scope.setdefault(type_, []).append(name)
        return name

    # -- instructions -----------------------------------------------------------------------------------

    def operation(self) -> None:
        random = self.random
        kinds = [self.integer, self.integer, self.integer, self.compare, self.choice, self.cast, self.float]
        kinds += [self.lanes, self.aggregate, self.intrinsic, self.frozen]
        if self.memory:
            kinds += [self.access, self.access, self.access, self.pointer]
            if self.nodes:
                kinds += [self.node, self.node]
        if random.random() < 0.04:
            kinds = [self.call]
        random.choice(kinds)()

    def integer(self) -> None:
        random = self.random
        type_ = random.choice((*INTEGERS, *INTEGERS, "<2 x i32>", "<4 x i8>", "<3 x i16>"))
        opcode = random.choice(
            ("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "sdiv", "urem", "srem")
        )
        flags = ""
        if opcode in ("add", "sub", "mul", "shl"):
            flags = random.choice(("", "", "nsw ", "nuw ", "nuw nsw "))
        elif opcode in ("udiv", "sdiv", "lshr", "ashr"):
            flags = random.choice(("", "", "exact "))
        elif opcode == "or":
            flags = random.choice(("", "disjoint "))
        second = self.use(type_)
        if opcode in ("shl", "lshr", "ashr", "udiv", "sdiv", "urem", "srem") and random.random() < 0.9:
            if type_.startswith("<"):
                second = (
                    "<"
                    + ", ".join(f"{element(type_)} {random.randrange(1, 8)}" for _ in range(count(type_)))
                    + ">"
                )
            else:
                second = str(random.randrange(1, max(2, min(width(type_), 60)))) if type_ != "i1" else "true"
                second = "0" if type_ == "i1" and opcode in ("shl", "lshr", "ashr") else second
        self.define(type_, f"{opcode} {flags}{type_} {self.use(type_)}, {second}")

    def compare(self) -> None:
        random = self.random
        type_ = random.choice((*INTEGERS, "float", "double"))
        if type_ in FLOATS:
            predicate = random.choice(("oeq", "olt", "ogt", "une", "uno", "ord", "ult", "oge"))
            self.define("i1", f"fcmp {predicate} {type_} {self.use(type_)}, {self.use(type_)}")
        else:
            predicate = random.choice(("eq", "ne", "ult", "ule", "sgt", "sge", "slt", "ugt"))
            samesign = "samesign " if random.random() < 0.1 and predicate[0] in "us" else ""
            self.define("i1", f"icmp {samesign}{predicate} {type_} {self.use(type_)}, {self.use(type_)}")

    def choice(self) -> None:
        type_ = self.random.choice((*INTEGERS, *FLOATS, *VECTORS))
        self.define(
            type_, f"select i1 {self.use('i1')}, {type_} {self.use(type_)}, {type_} {self.use(type_)}"
        )

    def cast(self) -> None:
        random = self.random
        one, other = sorted(random.sample(sorted(set(INTEGERS)), 2), key=width)
        match random.randrange(6):
            case 0:
                self.define(other, f"zext {random.choice(('', 'nneg '))}{one} {self.use(one)} to {other}")
            case 1:
                self.define(other, f"sext {one} {self.use(one)} to {other}")
            case 2:
                self.define(
                    one, f"trunc {random.choice(('', 'nuw ', 'nsw '))}{other} {self.use(other)} to {one}"
                )
            case 3:
                type_, to = random.choice(("i8", "i32", "i64")), random.choice(("float", "double", "half"))
                self.define(to, f"{random.choice(('sitofp', 'uitofp'))} {type_} {self.use(type_)} to {to}")
            case 4:
                type_, to = random.choice(("float", "double")), random.choice(("i8", "i32", "i64"))
                self.define(to, f"{random.choice(('fptosi', 'fptoui'))} {type_} {self.use(type_)} to {to}")
            case _:
                type_, to = random.choice(
                    (
                        ("float", "i32"),
                        ("i32", "float"),
                        ("double", "i64"),
                        ("i64", "double"),
                        ("<4 x i8>", "i32"),
                        ("i32", "<4 x i8>"),
                    )
                )
                self.define(to, f"bitcast {type_} {self.use(type_)} to {to}")

    def float(self) -> None:
        random = self.random
        type_ = random.choice((*FLOATS, "<2 x float>"))
        flags = random.choice(("", "", "", "nnan ", "nsz "))
        match random.randrange(4):
            case 0:
                self.define(type_, f"fneg {flags}{type_} {self.use(type_)}")
            case 1 if type_ in ("float", "half"):
                to = "double" if type_ == "float" else "float"
                self.define(to, f"fpext {type_} {self.use(type_)} to {to}")
            case 2 if type_ in ("float", "double"):
                to = "half" if type_ == "float" else "float"
                self.define(to, f"fptrunc {type_} {self.use(type_)} to {to}")
            case _:
                opcode = random.choice(("fadd", "fsub", "fmul", "fdiv", "frem"))
                self.define(type_, f"{opcode} {flags}{type_} {self.use(type_)}, {self.use(type_)}")

    def lanes(self) -> None:
        random = self.random
        type_ = random.choice(VECTORS)
        one, index = element(type_), str(random.randrange(count(type_)))
        if random.random() < 0.2:
            index = self.use("i32")
        match random.randrange(3):
            case 0:
                self.define(one, f"extractelement {type_} {self.use(type_)}, i32 {index}")
            case 1:
                self.define(
                    type_, f"insertelement {type_} {self.use(type_)}, {one} {self.use(one)}, i32 {index}"
                )
            case _:
                mask = ", ".join(f"i32 {random.randrange(2 * count(type_))}" for _ in range(count(type_)))
                pair = f"{type_} {self.use(type_)}, {type_} {self.use(type_)}"
                self.define(type_, f"shufflevector {pair}, <{count(type_)} x i32> <{mask}>")

    def aggregate(self) -> None:
        pair = self.define(
            "pair", f"insertvalue {{ i32, [2 x i64] }} zeroinitializer, i32 {self.use('i32')}, 0"
        )
        whole = self.define(
            "pair",
            f"insertvalue {{ i32, [2 x i64] }} {pair}, i64 {self.use('i64')}, 1, {self.random.randrange(2)}",
        )
        self.define("i64", f"extractvalue {{ i32, [2 x i64] }} {whole}, 1, {self.random.randrange(2)}")

    def intrinsic(self) -> None:
        match self.random.randrange(9):
            case 0 | 1:
                name = self.random.choice(("smax", "umin", "sadd.sat"))
                self.define("i32", f"call i32 @llvm.{name}.i32(i32 {self.use('i32')}, i32 {self.use('i32')})")
            case 2:
                self.define("i32", f"call i32 @llvm.ctpop.i32(i32 {self.use('i32')})")
            case 3:
                self.define("i32", f"call i32 @llvm.fshl.i32({self.uses('i32', 3)})")
            case 4:
                pair = "{ i32, i1 }"
                both = self.define("sum", f"call {pair} @llvm.uadd.with.overflow.i32({self.uses('i32', 2)})")
                self.define("i1", f"extractvalue {{ i32, i1 }} {both}, 1")
            case 5:
                self.define("float", f"call float @llvm.fma.f32({self.uses('float', 3)})")
            case 6:
                self.define("double", f"call double @llvm.sqrt.f64(double {self.use('double')})")
            case 7:
                self.define("float", f"call float @llvm.floor.f32(float {self.use('float')})")
            case _:
                flag = self.random.choice(("true", "false"))
                self.define("i32", f"call i32 @llvm.abs.i32(i32 {self.use('i32')}, i1 {flag})")

    def frozen(self) -> None:
        type_ = self.random.choice((*INTEGERS, "float", "<2 x i32>"))
        self.define(type_, f"freeze {type_} {self.use(type_)}")

    def call(self) -> None:
        if self.random.random() < 0.5:
            self.line(f"call void @event(i32 {self.use('i32')})")
        else:
            name = self.random.choice(("unknown", "helper"))
            self.define("i32", f"call i32 @{name}(i32 {self.use('i32')})")

    # -- memory -----------------------------------------------------------------------------------------

    def pointer(self) -> None:
        random = self.random
        inside = self.define("i64", f"and i64 {self.use('i64')}, {random.choice((1, 3, 3))}")
        flag = random.choice(("inbounds ", "", "nuw "))
        base = random.choice(
            (("i32", "@data"), ("i64", "@cells"), ("i8", "@bytes"), ("i32", "%slots"), ("i64", "@own"))
        )
        self.define("ptr", f"getelementptr {flag}{base[0]}, ptr {base[1]}, i64 {inside}")

    def access(self) -> None:
        random = self.random
        type_ = random.choice(("i32", "i32", "i64", "i8", "float", "i16", "i13", "<2 x i32>", "<4 x i8>"))
        place = self.use_pointer()
        if random.random() < 0.5:
            self.define(type_, f"load {type_}, ptr {place}, align 1")
        else:
            self.line(f"store {type_} {self.use(type_)}, ptr {place}, align 1")

    def node(self) -> None:
        """A structure that holds an address is written, read, copied or passed; mostly the address stays
        whole."""
        random = self.random
        places = ("%box", "%kin", "@node") if random.random() < 0.1 else ("%box", "%kin")
        place, other = random.choices(places, k=2)
        match random.randrange(6):
            case 0:
                whole = random.choice(OBJECTS) if random.random() < 0.9 else self.use_pointer()
                self.line(f"store ptr {whole}, ptr {place}")
            case 1:
                self.define("ptr", f"load ptr, ptr {place}")
            case 2 | 3:
                size, to_at, of_at = random.choice(
                    ((24, 0, 0), (24, 0, 0), (8, 0, 0), (16, 0, 0), (8, 8, 16))
                )
                if random.random() < 0.1:
                    size, to_at, of_at = random.choice(
                        ((12, 0, 0), (6, 0, 0), (4, 8, 8), (8, 4, 0), (8, 0, 8))
                    )
                to = self.define("node", f"getelementptr i8, ptr {place}, i64 {to_at}")
                of = self.define("node", f"getelementptr i8, ptr {other}, i64 {of_at}")
                operands = f"ptr align 4 {to}, ptr align 4 {of}, i64 {size}, i1 false"
                self.line(f"call void @llvm.memcpy.p0.p0.i64({operands})")
            case 4:
                field = random.choice(("0", "1"))
                small = self.define("i32", f"urem i32 {self.use('i32')}, 90")
                operands = f"ptr byval(%node) align 8 {place}, i32 {small}, i32 {field}"
                self.define("i32", f"call i32 @through({operands})")
            case _:
                operand = random.choice((*OBJECTS, "null")) if random.random() < 0.9 else self.use_pointer()
                self.define("i32", f"call i32 @looks(ptr align 4 dereferenceable_or_null(4) {operand})")

    def use_pointer(self) -> str:
        known = self.scope.get("ptr")
        if known and self.random.random() < 0.7:
            return self.random.choice(known[-4:])
        return self.random.choice(("@data", "@bytes", "@cells", "@own", "%slots", "%slots"))

    # -- the whole --------------------------------------------------------------------------------------

    def text(self) -> str:
        """The module: ``@f`` of three parameters, a loop with an inner one or a choice of ways."""
        random = self.random
        result = random.choice(("i32", "i64", "float", "<2 x i32>", "i96"))
        self.scope = {"i32": ["%x"], "i64": ["%y"], "float": ["%z"]}
        if self.memory:
            self.line("%slots = alloca [4 x i32]")
            if random.random() < 0.8:
                self.line("store [4 x i32] [i32 1, i32 2, i32 3, i32 4], ptr %slots")
        if self.nodes:
            self.line("%box = alloca %node, align 8")
            self.line("%kin = alloca %node, align 8")
            for box in "%box", "%kin":
                self.line(f"store ptr {random.choice(OBJECTS)}, ptr {box}")
        for _ in range(random.randrange(4)):
            self.operation()
        entry = {type_: list(names) for type_, names in self.scope.items()}
        carried = [
            (f"%c{n}", random.choice((*INTEGERS, *FLOATS, "<2 x i32>"))) for n in range(random.randrange(4))
        ]
        first = {name: self.use(type_) for name, type_ in carried}
        self.line("br label %head")
        before, self.lines = self.lines, []
        for name, type_ in [("%i", "i32"), *carried]:
            self.scope.setdefault(type_, []).append(name)
        for _ in range(random.randrange(1, 8)):
            self.operation()
        arms = random.randrange(4)
        if arms == 1:
            self.line(f"br i1 {self.use('i1')}, label %left, label %join")
        elif arms:
            type_ = random.choice(("i32", "i8", "i64"))
            cases = " ".join(f"{type_} {n}, label %way{n}" for n in range(arms - 1))
            self.line(f"switch {type_} {self.use(type_)}, label %join [ {cases} ]")
        else:
            self.line("br label %join")
        outer = {type_: list(names) for type_, names in self.scope.items()}
        arrivals = [("%head", self.use("i32"))]
        for label in ["left"] if arms == 1 else [f"way{n}" for n in range(arms - 1)]:
            self.scope = {type_: list(names) for type_, names in outer.items()}
            self.lines.append(f"{label}:")
            for _ in range(random.randrange(4)):
                self.operation()
            arrivals.append((f"%{label}", self.use("i32")))
            self.line("br label %join")
        self.scope = outer
        self.lines.append("join:")
        self.line("%met = phi i32 " + ", ".join(f"[ {value}, {label} ]" for label, value in arrivals))
        self.scope["i32"].append("%met")
        for _ in range(random.randrange(4)):
            self.operation()
        again = {name: self.use(type_) for name, type_ in carried}
        bound = random.choice(("5", "40", "400", "%x"))
        self.line("%next = add i32 %i, 1")
        self.line(f"%more = icmp {random.choice(('ult', 'ult', 'ult', 'ne', 'slt'))} i32 %next, {bound}")
        self.line("br i1 %more, label %head, label %out")
        self.lines.append("out:")
        self.line(f"ret {result} {self.use(result)}")
        phis = ["  %i = phi i32 [ 0, %entry ], [ %next, %join ]"]
        phis += [
            f"  {name} = phi {type_} [ {first[name]}, %entry ], [ {again[name]}, %join ]"
            for name, type_ in carried
        ]
        del entry
        body = "\n".join(["entry:", *before, "head:", *phis, *self.lines])
        helper = "define i32 @helper(i32 %v) {\n  %w = mul i32 %v, 3\n  %z = xor i32 %w, 5\n  ret i32 %z\n}\n"
        nodes = NODES if self.nodes else ""
        return f"{HEAD}{nodes}{helper}define {result} @f(i32 %x, i64 %y, float %z) {{\n{body}\n}}\n"


def program(seed: int, memory: bool = False) -> str:
    """The program of a seed."""
    return Program(Random(f"native {seed} {memory}"), memory).text()
