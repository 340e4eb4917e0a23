"""How long reading SPIR-V takes, beside ``spirv-dis`` and ``spirv-val`` of the same module.

    python benchmarks/spirv.py [COPIES]        (default: 2000, about 100,000 lines)

So many functions of some 50 instructions, with loops and operations. Seconds of CPU time: to instructions
(``parse``), to LLVM IR (``translate``, parsing included), to a module (``ir``); of the two tools together
(``tools``); ``ratio``, all of ours to theirs. The aim is a ratio of at most 15.
"""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from convergence.spirv import translate
from convergence.spirv.instruction import decode, parse
from convergence.spirv.reading import as_ir


def module(copies: int) -> str:
    """The example with a loop, its function so many times."""
    text = (ROOT / "examples_ll" / "spirv" / "loop.spvasm").read_text()
    lines = [line for line in text.split("\n") if line.strip() and not line.startswith(";")]
    start = next(n for n, line in enumerate(lines) if "= OpFunction " in line)
    head, body = lines[:start], "\n".join(lines[start:])
    own = sorted(set(re.findall(r"(%\w+) =", body)), key=len, reverse=True)
    named = re.compile("|".join(rf"{name}\b" for name in own))
    bodies = [body, *(named.sub(rf"\g<0>_{n}", body) for n in range(copies - 1))]
    return "\n".join([*head, *bodies, ""])


def timed(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def tool(*words: str) -> float:
    """Seconds of CPU time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    text = module(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
    with tempfile.TemporaryDirectory() as folder:
        source, binary = Path(folder) / "a.spvasm", Path(folder) / "a.spv"
        source.write_text(text)
        tool("spirv-as", "--target-env", "vulkan1.1", str(source), "-o", str(binary))
        words = binary.read_bytes()
        tools = tool("spirv-dis", str(binary), "-o", str(Path(folder) / "b")) + tool(
            "spirv-val", "--target-env", "vulkan1.1", str(binary)
        )
    print(f"{text.count(chr(10))} lines")
    print("form     parse  translate     ir  tools  ratio")
    print(_row("text", text.encode(), lambda: list(parse(text)), tools))
    print(_row("binary", words, lambda: list(decode(words)), tools))


def _row(form: str, data: bytes, read: Callable[[], object], tools: float) -> str:
    spirv = translate(data)
    instructions, translating = timed(read), timed(lambda: translate(data))
    ir = timed(lambda: as_ir(spirv, form))
    ratio = (translating + ir) / tools
    return f"{form:8} {instructions:5.2f} {translating:10.2f} {ir:6.2f} {tools:6.2f} {ratio:6.1f}"


if __name__ == "__main__":
    main()
