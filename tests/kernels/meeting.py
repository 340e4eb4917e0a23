"""OpenCL kernels whose threads meet in atomics: by what they get they branch, write and exchange."""

from __future__ import annotations

from random import Random

OPERATIONS = ("add", "sub", "mul", "and", "or", "xor")
SIGNS = {"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^"}
VARIABLES = ("a", "b", "c")
EXCHANGES = (
    "sub_group_reduce_add", "sub_group_reduce_max", "sub_group_reduce_min", "sub_group_any",
    "sub_group_scan_inclusive_add",
)  # fmt: skip
DEEPEST = 3


class _Writer:
    """One kernel's statements."""

    def __init__(self, seed: int) -> None:
        self.random = Random(f"meeting {seed}")
        self.loops = 0
        self.open_loops = 0

    def value(self, depth: int = 0) -> str:
        random = self.random
        draw = random.random()
        if depth > 2 or draw < 0.35:
            return random.choice((*VARIABLES, "me", "in[me & 3]", str(random.randrange(4)), "(me & 1)"))
        if draw < 0.45:
            return f"own[{self.value(depth + 1)} & 3]"
        sign = SIGNS[random.choice(OPERATIONS)]
        return f"({self.value(depth + 1)} {sign} {self.value(depth + 1)})"

    def condition(self) -> str:
        sign = self.random.choice(("<", ">", "==", "!="))
        return f"{self.value(1)} {sign} {self.random.choice(('0', '1', '2', 'me', *VARIABLES))}"

    def block(self, depth: int) -> str:
        return "".join(self.statement(depth) for _ in range(self.random.randrange(1, 3)))

    def statement(self, depth: int) -> str:
        random, indent = self.random, "  " * depth
        variable, draw = random.choice(VARIABLES), random.random()
        if draw < 0.18:
            return f"{indent}{variable} = {self.value()};\n"
        if draw < 0.26:
            return f"{indent}own[{self.value(1)} & 3] = {self.value(1)};\n"
        if draw < 0.40:
            return f"{indent}{variable} = {random.choice(EXCHANGES)}({self.value(1)});\n"
        if draw < 0.52:
            place = random.choice(("0", "1", f"{self.value(1)} & 1"))
            operation = random.choice(("add", "xchg", "max", "or"))
            amount = random.choice(("1", "2", "me + 1"))
            return f"{indent}{variable} = atomic_{operation}(&count[{place}], {amount});\n"
        if draw < 0.60:
            place = random.choice(("me", variable, self.value(1)))
            return f"{indent}atomic_xchg(&out[{place} & 7], {self.value(1)});\n"
        if draw < 0.78 and depth <= DEEPEST:
            text = f"{indent}if ({self.condition()}) {{\n{self.block(depth + 1)}{indent}}}\n"
            if random.random() < 0.4:
                text += f"{indent}else {{\n{self.block(depth + 1)}{indent}}}\n"
            return text
        if draw < 0.92 and depth <= DEEPEST and self.open_loops < 2:
            return self._loop(depth)
        if draw < 0.95 and depth > 1:
            return f"{indent}if ({self.condition()}) return;\n"
        return f"{indent}{variable} ^= {self.value()};\n"

    def _loop(self, depth: int) -> str:
        random, indent = self.random, "  " * depth
        self.loops += 1
        self.open_loops += 1
        name, most = f"i{self.loops}", random.choice(("2", "me + 1", "(in[me & 3] & 1) + 1"))
        body = self.block(depth + 1)
        if random.random() < 0.5:
            body += f"{indent}  if ({self.condition()}) {random.choice(('break', 'continue'))};\n"
        if random.random() < 0.4:
            body += self.block(depth + 1)
        self.open_loops -= 1
        return f"{indent}for (int {name} = 0; {name} < {most}; {name}++) {{\n{body}{indent}}}\n"


def meeting(seed: int) -> str:
    """A kernel ``k``: ``in`` has 4 numbers, ``out`` 16, 8 to 15 of them each thread's own, ``count`` 2."""
    writer = _Writer(seed)
    body = "".join(writer.statement(1) for _ in range(writer.random.randrange(3, 6)))
    return f"""__kernel void k(__global int *out, __global const int *in, __global int *count) {{
  int me = get_local_id(0), a = 0, b = me, c = 1;
  int own[4] = {{0, 1, 2, 3}};
{body}  atomic_xchg(&out[8 + me], a + b * 3 + c * 5 + own[1]);
}}
"""
