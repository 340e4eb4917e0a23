"""Random OpenCL kernels, and the same as C: phases between barriers, in each of which a work-item writes what
only it may write, and reads what others wrote in the phase before. So in C the work-items of a phase run one
after the other, without any notion of convergence, and the results are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

WORKGROUP, GROUPS, BINS, ARRAY = 16, 2, 8, 8
"""Work-items of a workgroup, workgroups, counters of a workgroup, elements of a work-item's own array."""
DEEPEST = 3
NAMES = ("a", "b", "c", "d")
"""Each work-item's variables, ``uint``; ``l`` and ``g`` are its own number and its workgroup's."""

OPENCL = """\
#define MIN(x, y) min((uint)(x), (uint)(y))
#define MAX(x, y) max((uint)(x), (uint)(y))
#define ROTATE(x, n) rotate((uint)(x), (uint)(n))
#define ADD(p, v) atomic_add(p, v)
__kernel __attribute__((reqd_work_group_size({workgroup}, 1, 1)))
void k(__global uint *out, __global const uint *in, __global uint *counts) {{
  __local uint shared[2][{workgroup}];
  __local uint bins[{bins}];
  uint l = get_local_id(0), g = get_group_id(0);
  uint a = in[get_global_id(0)], b = l * 3u, c = g + 5u, d = 1u, own[{array}];
  for (int n = 0; n < {array}; ++n) own[n] = n * a;
  if (l < {bins}) bins[l] = 0;
  shared[0][l] = shared[1][l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
{phases}
  out[get_global_id(0)] = a ^ (b * 3u) ^ (c * 5u) ^ (d * 7u);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < {bins}) counts[g * {bins} + l] = bins[l];
}}
"""
C = """\
#include <stdint.h>
typedef uint32_t uint;
typedef uint64_t ulong;
typedef uint16_t ushort;
#define char signed char
#define long int64_t
#define MIN(x, y) least(x, y)
#define MAX(x, y) most(x, y)
#define ADD(p, v) (*(p) += (v))
static uint least(uint x, uint y) {{ return x < y ? x : y; }}
static uint most(uint x, uint y) {{ return x > y ? x : y; }}
static uint ROTATE(uint x, uint n) {{ return n % 32 ? x << n % 32 | x >> (32 - n % 32) : x; }}
typedef struct {{ uint a, b, c, d, own[{array}]; }} Item;
{functions}
void run(uint *out, const uint *in, uint *counts) {{
  for (uint g = 0; g < {groups}; ++g) {{
    uint shared[2][{workgroup}] = {{{{0}}}}, bins[{bins}] = {{0}};
    Item items[{workgroup}];
    for (uint l = 0; l < {workgroup}; ++l) {{
      Item *item = &items[l];
      item->a = in[g * {workgroup} + l], item->b = l * 3u, item->c = g + 5u, item->d = 1u;
      for (int n = 0; n < {array}; ++n) item->own[n] = n * item->a;
    }}
{calls}
    for (uint l = 0; l < {workgroup}; ++l) {{
      Item *item = &items[l];
      out[g * {workgroup} + l] = item->a ^ (item->b * 3u) ^ (item->c * 5u) ^ (item->d * 7u);
    }}
    for (uint l = 0; l < {bins}; ++l) counts[g * {bins} + l] = bins[l];
  }}
}}
"""
FUNCTION = """\
static void phase{n}(Item *item, uint l, uint g, uint shared[2][{workgroup}], uint *bins) {{
  uint a = item->a, b = item->b, c = item->c, d = item->d, *own = item->own;
  {{ {text} }}
  item->a = a, item->b = b, item->c = c, item->d = d;
}}"""


@dataclass(frozen=True, slots=True)
class RandomKernel:
    """A kernel by its phases, each the text of some statements, which C and OpenCL C read alike."""

    phases: tuple[str, ...]

    @property
    def opencl(self) -> str:
        """``@k(out, in, counts)``."""
        between = "\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
        phases = between.join(f"  {{ {text} }}" for text in self.phases)
        return OPENCL.format(phases=phases, **_SIZES)

    @property
    def c(self) -> str:
        """``run(out, in, counts)``, for the whole launch."""
        functions = [FUNCTION.format(n=n, text=text, **_SIZES) for n, text in enumerate(self.phases)]
        calls = [
            f"    for (uint l = 0; l < {WORKGROUP}; ++l) phase{n}(&items[l], l, g, shared, bins);"
            for n in range(len(self.phases))
        ]
        return C.format(functions="\n".join(functions), calls="\n".join(calls), **_SIZES)


_SIZES = {"workgroup": WORKGROUP, "groups": GROUPS, "bins": BINS, "array": ARRAY}


def kernel(seed: int) -> RandomKernel:
    """The kernel of a seed."""
    return RandomKernel(tuple(_Writer(Random(f"kernel {seed}")).phases()))


class _Writer:
    """Statements and expressions over the variables; ``_counters`` are loops' own."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._counters = 0

    def phases(self) -> list[str]:
        random = self._random
        phases = []
        for number in range(random.randrange(1, 4)):
            parts = []
            if number:
                other = f"({self.expression()}) % {WORKGROUP}u"
                parts.append(f"{self._name()} ^= shared[{1 - number % 2}][{other}];")
            parts.append(self._statements(0, random.randrange(2, 6), False))
            parts.append(f"shared[{number % 2}][l] = {self.expression()};")
            match random.randrange(3):  # in which order counts grow nobody sees
                case 1:
                    parts.append(f"ADD(&bins[{self._bin()}], {self.expression()});")
                case 2:
                    parts.append(f"if ({self.expression()} & 1u) {{ ADD(&bins[{self._bin()}], 3u); }}")
            phases.append(" ".join(parts))
        return phases

    def _name(self) -> str:
        return self._random.choice(NAMES)

    def _bin(self) -> str:
        return f"({self.expression()}) & {BINS - 1}u"

    def _counter(self) -> str:
        self._counters += 1
        return f"i{self._counters}"

    # -- expressions ------------------------------------------------------------------------------------

    def expression(self, depth: int = 0) -> str:
        """An unsigned number of 32 bits."""
        random = self._random
        if depth >= DEEPEST or random.random() < 0.25:
            return random.choice((*NAMES, "l", "g", f"{random.randrange(40)}u"))
        x, y = self.expression(depth + 1), self.expression(depth + 1)
        match random.randrange(16):
            case 0:
                return f"({x} % {random.randrange(1, 19)}u)"
            case 1:
                return f"({x} {random.choice(('<<', '>>'))} {random.randrange(31)})"
            case 2:
                return f"(({x} < {y}) ? {self.expression(depth + 1)} : {y})"
            case 3:
                return f"{random.choice(('MIN', 'MAX'))}({x}, {y})"
            case 4:
                return f"ROTATE({x}, {random.randrange(1, 31)}u)"
            case 5:
                return f"(uint)({x} {random.choice(('>', '==', '<='))} {y})"
            case 6:
                return f"(uint)(ushort)({x})"
            case 7:
                return f"(uint)(int)(char)({x})"
            case 8:
                return f"(uint)(((ulong)({x}) * (ulong)({y})) >> 32)"
            case 9:
                return f"(uint)(((long)(int)({x}) * 7) / {random.randrange(1, 9)})"
            case 10:
                return f"(uint)(float)(({x}) & 4095u)"
            case _:
                return f"({x} {random.choice(('+', '-', '*', '&', '|', '^'))} {y})"

    # -- statements -------------------------------------------------------------------------------------

    def _statements(self, depth: int, count: int, in_loop: bool) -> str:
        return " ".join(self._statement(depth, in_loop) for _ in range(count))

    def _statement(self, depth: int, in_loop: bool) -> str:
        random, x, y = self._random, self.expression(), self.expression()
        what = 0 if depth > DEEPEST else random.randrange(14)
        match what:
            case 5 | 6:
                compare = random.choice(("<", "==", ">", "!="))
                text = f"if ({x} {compare} {y}) {{ {self._block(depth, in_loop)} }}"
                return text + (f" else {{ {self._block(depth, in_loop)} }}" if random.random() < 0.5 else "")
            case 7 | 8:
                i = self._counter()
                body = self._statements(depth + 1, 3, True)
                stop = f"({x}) % {random.randrange(1, 6)}u"
                return f"for (uint {i} = 0; {i} < {stop}; ++{i}) {{ {body} {self._name()} += {i}; }}"
            case 9:
                i = self._counter()
                body = self._block(depth, True)
                return f"{{ uint {i} = 0; while ({i}++ < {random.randrange(1, 5)}u) {{ {body} }} }}"
            case 10:
                cases = []
                for n in range(random.randrange(1, 4)):
                    leaves = "break;" if random.random() < 0.7 else ""
                    cases.append(f"case {n}: {self._statement(depth + 1, False)} {leaves}")
                last = self._statement(depth + 1, False)
                return f"switch (({x}) & 3u) {{ {' '.join(cases)} default: {last} }}"
            case 11 if in_loop:
                return f"if ({x} > {y}) {random.choice(('break;', 'continue;'))}"
            case 12:
                return f"own[({x}) & {ARRAY - 1}u] = {y};"
            case 13:
                return f"{self._name()} ^= own[({x}) & {ARRAY - 1}u];"
            case _:
                return f"{self._name()} {random.choice(('=', '+=', '^=', '-='))} {x};"

    def _block(self, depth: int, in_loop: bool) -> str:
        return self._statements(depth + 1, 2, in_loop)
