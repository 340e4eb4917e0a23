"""A program without a shader around it, as a litmus test is: as a compute shader that a device takes.

Its variables become storage buffers, in order, and what its threads return one more. Only what is known to
mean the same there is taken over; everything else is named, and nothing runs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..frozen import dataclass
from ..ir.conventions import convention_of
from ..ir.module import Module
from ..ir.resources import has_resources
from ..semantics.errors import NotModelled
from ..semantics.machine.arguments import KERNELS

_HANDLE = 'target("spirv.VulkanBuffer", [0 x i32], 12, 1)'
_SUFFIX = "tspirv.VulkanBuffer_a0i32_12_1t"
_OPERATIONS = {
    "getSubgroupLocalInvocationId": "llvm.spv.subgroup.local.invocation.id",
    "subgroupAll": "llvm.spv.wave.all",
    "subgroupAny": "llvm.spv.wave.any",
}
"""Functions of a program that a shader has under another name."""
_KEPT = ("llvm.experimental.convergence.",)
"""Functions that a shader has, too, by how their names begin."""

_GLOBAL = re.compile(
    r"@([\w.]+) = (?:internal )?global (?:i32|\[(\d+) x i32\]) (?:zeroinitializer|0)\s*(?:;.*)?$"
)
_DEFINE = re.compile(r"define (i32|void) @([\w.]+)\((.*)\)[^{]*\{")
_ELEMENT = re.compile(
    r"(%[\w.]+ = )getelementptr (?:inbounds )?\[\d+ x i32\], ptr @([\w.]+), i32 0, i32 (\S+)$"
)
_ACCESS = re.compile(
    r"(?:%[\w.]+ = load (?:atomic )?i32|store (?:atomic )?i32 [\w%.-]+), ptr (?:@([\w.]+)|%[\w.]+)(?:[, ]|$)"
)
_POINTER = re.compile(r"\bptr ([@%][\w.]+)")
_RETURN = re.compile(r"ret (?:void|i32 (\S+))$")
_DECLARATION = re.compile(r"declare\b")
_CALL = re.compile(r"(?:%[\w.]+ = )?call \S+ @([\w.]+)\(")
_PLAIN = re.compile(
    r"%[\w.]+ = (?:add|sub|mul|and|or|xor|shl|lshr|icmp|select|phi|zext) |br |[\w.]+:|unreachable"
)


@dataclass(frozen=True, slots=True)
class BareShader:
    """The ``text`` of the shader, which is called ``main``; its ``buffers`` as a launch takes them, by
    register, and which variable each is (``None``: what threads return)."""

    text: str
    buffers: Mapping[str, str]
    variables: Mapping[str, str | None]


def is_bare(module: Module) -> bool:
    """Whether a module is of no target, and its one function no shader or kernel."""
    definitions = list(module.definitions())
    if module.triple or len(definitions) != 1 or convention_of(definitions[0].convention) in KERNELS:
        return False
    is_shader = any(word.startswith('"hlsl.shader"') for word in module.resolve(definitions[0].attributes))
    return not is_shader and not has_resources(module)


def as_shader(module: Module, threads: int) -> BareShader:
    """A program as a shader with workgroups of so many ``threads``. Raises NotModelled for what has no place
    there, with its line."""
    writer = _Writer(threads)
    for number, line in enumerate(module.source.text.splitlines(), 1):
        text = line.partition(";")[0].strip()
        if text and not writer.line(text):
            raise NotModelled(f"line {number} in a shader that a device takes: {text}")
    return writer.shader()


class _Writer:
    """What has been taken over."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.variables: dict[str, int] = {}
        self.body: list[str] = []
        self.inside = False
        self.returns = False
        self.next = 0

    def line(self, text: str) -> bool:
        """Take a line over; whether that could be done."""
        if not self.inside:
            return self._outside(text)
        if text == "}":
            self.inside = False
            return True
        return self._instruction(text)

    def _outside(self, text: str) -> bool:
        if variable := _GLOBAL.match(text):
            self.variables[variable[1]] = int(variable[2] or 1)
            return True
        define = _DEFINE.match(text)
        if define and not define[3]:
            self.inside, self.returns = True, define[1] == "i32"
            return True
        return _DECLARATION.match(text) is not None

    def _instruction(self, text: str) -> bool:
        if element := _ELEMENT.match(text):
            self.body.append(f"{element[1]}{self._place(element[2], element[3])}")
        elif result := _RETURN.match(text):
            if result[1] is not None:
                place = self._value("%place", self._place("", "%thread"))
                self.body.append(f"store i32 {result[1]}, ptr addrspace(11) {place}")
            self.body.append("ret void")
        elif access := _ACCESS.match(text):
            operand = _POINTER.search(text)
            assert operand is not None
            at = operand[1] if access[1] is None else self._value("%at", self._place(access[1], "0"))
            self.body.append(f"{text[: operand.start()]}ptr addrspace(11) {at}{text[operand.end() :]}")
        elif call := _CALL.match(text):
            name = call[1]
            if name not in _OPERATIONS and not name.startswith(_KEPT):
                return False
            self.body.append(text.replace(f"@{name}(", f"@{_OPERATIONS.get(name, name)}("))
        elif _PLAIN.match(text) and "@" not in text and "ptr" not in text:
            self.body.append(text)
        else:
            return False
        return True

    def _value(self, name: str, right: str) -> str:
        """A new value."""
        self.next += 1
        self.body.append(f"{name}.{self.next} = {right}")
        return f"{name}.{self.next}"

    def _place(self, variable: str, index: str) -> str:
        call = f"call ptr addrspace(11) @llvm.spv.resource.getpointer.p11.{_SUFFIX}"
        return f"{call}({_HANDLE} %{variable or 'returned'}.buffer, i32 {index})"

    def shader(self) -> BareShader:
        """The whole text."""
        sizes = {**self.variables, **({"": self.threads} if self.returns else {})}
        names = [f'@.{n} = private constant [2 x i8] c"{n}\\00"' for n in range(len(sizes))]
        bind = f"call {_HANDLE} @llvm.spv.resource.handlefrombinding.{_SUFFIX}"
        head = [
            f"%{name or 'returned'}.buffer = {bind}(i32 0, i32 {n}, i32 1, i32 0, ptr @.{n})"
            for n, name in enumerate(sizes)
        ]
        head.append("%thread = call i32 @llvm.spv.thread.id.i32(i32 0)")
        at = next((n for n, line in enumerate(self.body) if line.endswith(":")), -1) + 1
        if any("convergence.entry" in line for line in self.body[: at + 1]):
            at += 1
        body = [*self.body[:at], *head, *self.body[at:]]
        words = f'convergent "hlsl.numthreads"="{self.threads},1,1" "hlsl.shader"="compute"'
        text = "\n".join(
            ['target triple = "spirv-unknown-vulkan1.3-compute"', *names, "define void @main() #0 {", *body,
             "}", f"attributes #0 = {{ {words} }}", ""]
        )  # fmt: skip
        buffers = {f"u{n}": f"i32[{size}]" for n, size in enumerate(sizes.values())}
        return BareShader(text, buffers, {f"u{n}": name or None for n, name in enumerate(sizes)})
