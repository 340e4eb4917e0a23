"""Freezes the example files, generated programs and pairs of programs, with the command lines to run on them.

Everything is drawn from fixed seeds, so that the same checkout freezes the same folder. Only this module and
:mod:`.pairs` import generators: once frozen, the texts outlive them.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from .execute import run_line
from .index import Commands, freeze
from .launches import arguments, functions, question, run_lines

ROOT = Path(__file__).resolve().parents[2]

STEPS = ("--max-steps", "20000")
FEW_STEPS = ("--max-steps", "300")
EXECUTIONS = ("--max-executions", "200")
JSON = ("--format", "json")
EXAMPLE, GENERATED, COMPARED = 8.0, 3.0, 6.0
"""Seconds of processor time for one answer on an example, a generated program, a pair."""


@dataclass(frozen=True)
class Program:
    """A text, the words that launch it, and which kinds of commands make sense."""

    id: str
    text: str
    launch: tuple[str, ...]
    kinds: tuple[str, ...] = ("verify", "run", "enumerate", "axiomatic", "simulate")


def write_programs(folder: Path) -> int:
    """Fill a folder; gives the number of command lines."""
    from .pairs import pairs  # draws on this module

    folder.mkdir(parents=True, exist_ok=True)
    commands = [*_examples(folder), *_explained()]
    for program in generated():
        commands += _of_program(folder, program)
    for pair in pairs():
        for side, text in (("src", pair.source), ("tgt", pair.target)):
            _write(folder / f"pairs/{pair.id}.{side}.ll", text)
        files = (f"pairs/{pair.id}.src.ll", f"pairs/{pair.id}.tgt.ll")
        words = ("refine", *files, *pair.launch, *JSON)
        commands.append(Commands(f"pairs/{pair.id}:refine", "refine", (words,), COMPARED))
        if pair.symbolic:
            words = ("refine", *files, "--symbolic", "--max-launches", "2", *STEPS, *JSON)
            commands.append(Commands(f"pairs/{pair.id}:symbolic", "symbolic", (words,), COMPARED))
    return freeze(folder, commands)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


# -- examples ---------------------------------------------------------------------------------------


def _examples(folder: Path) -> Iterator[Commands]:
    target = folder / "examples"
    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(ROOT / "examples_ll", target, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for path in sorted(target.rglob("*.ll")):
        yield from _of_example(folder, path)
    for before in sorted((target / "langref").glob("*-before.ll")):
        after = before.with_name(before.name.replace("-before", "-after"))
        if after.exists():
            files = (str(p.relative_to(folder)) for p in (before, after))
            words = ("refine", *files, "--max-launches", "6", *EXECUTIONS, *STEPS, *JSON)
            yield Commands(f"{before.relative_to(folder)}:refine", "refine", (words,), EXAMPLE)


def _of_example(folder: Path, path: Path) -> Iterator[Commands]:
    file, text = str(path.relative_to(folder)), path.read_text()

    def asked(kind: str, *words: str, name: str = "") -> Commands:
        return Commands(f"{file}:{name or kind}", kind, (words,), EXAMPLE)

    yield asked("verify", "verify", file, *JSON)
    yield asked("verify", "verify", file, name="verify-text")
    launches: list[tuple[str, tuple[str, ...]]] = [("", ())]
    defined = dict(functions(text))
    chosen = [name for name in defined if name in ("src", "tgt")]
    if not chosen and "CONVCHECK:" not in text:
        chosen = list(defined)[:1]
    for name in chosen:
        words = arguments(defined[name], 3, Random(file))
        launches.append((f"-{name}", ("--function", f"@{name}", "--no-verify", *words)))
    for suffix, launch in launches:
        how = (file, *launch, *(FEW_STEPS if suffix else STEPS))  # with any arguments, some never end
        yield asked("run", "run", *how, *JSON, name=f"run{suffix}")
        yield asked("trace", "run", *how, "--trace", "--format", "jsonl", name=f"trace{suffix}")
        most = () if not suffix else EXECUTIONS
        yield asked("enumerate", "enumerate", *how, *most, *JSON, name=f"enumerate{suffix}")
        axiomatic = ("--engine", "axiomatic")
        yield asked("axiomatic", "enumerate", *how, *axiomatic, *JSON, name=f"axiomatic{suffix}")
        yield asked("simulate", "simulate", *how, "--policy", "all", *JSON, name=f"simulate{suffix}")
    yield asked("picture", "run", file, "--format", "svg", *STEPS, name="run-svg")
    yield asked("picture", "enumerate", file, "--format", "svg", *STEPS, *EXECUTIONS, name="enumerate-svg")
    yield asked("explore", "explore", file, *STEPS)
    why = question(text, Random(file))
    if why is not None:
        yield asked("why", "run", file, "--why", why, *STEPS)
    yield asked("infer", "infer", file)
    yield asked("inline", "inline", file)
    for number, pipe in enumerate(run_lines(text, file)):
        kind = "passes" if any("--passes" in words for words in pipe) else "lines"
        yield Commands(f"{file}:line{number}", kind, pipe, EXAMPLE)
        if pipe[0][0] == "refine" and kind == "lines":
            yield Commands(f"{file}:refine{number}", "refine", ((*pipe[0], *JSON),), EXAMPLE)
            symbolic = (*pipe[0], "--symbolic", *JSON)
            yield Commands(f"{file}:symbolic{number}", "symbolic", (symbolic,), EXAMPLE)


def _explained() -> Iterator[Commands]:
    """Every rule that ``explain`` lists; and what ``fuzz --show`` draws."""
    _, out, _ = run_line(["explain"])
    rules = [line.split()[0] for line in out.decode().splitlines() if line[:2] in ("S-", "D-", "W-")]
    for rule in rules:
        yield Commands(f"explain/{rule}", "explain", (("explain", rule, "--all"),), EXAMPLE)
    for style in STYLES:
        for number in range(30):
            words = ("fuzz", "--show", str(number), "--seed", "7", "--style", style)
            yield Commands(f"fuzz/{style}/{number}", "show", (words,), GENERATED)


# -- generated programs -----------------------------------------------------------------------------


def _of_program(folder: Path, program: Program) -> Iterator[Commands]:
    file = f"generated/{program.id}.ll"
    _write(folder / file, program.text)
    random = Random(program.id)
    how = (file, *program.launch, *STEPS)
    lines = {
        "verify": ("verify", file),
        "run": ("run", *how),
        "enumerate": ("enumerate", *how, *EXECUTIONS),
        "axiomatic": ("enumerate", *how, "--engine", "axiomatic"),
        "simulate": ("simulate", *how, "--policy", "all"),
    }
    for kind in program.kinds:
        yield Commands(f"{file}:{kind}", kind, ((*lines[kind], *JSON),), GENERATED)
    if random.random() < 0.15 and "run" in program.kinds:
        words = ("run", *how, "--trace", "--format", "jsonl")
        yield Commands(f"{file}:trace", "trace", (words,), GENERATED)
    why = question(program.text, random)
    if random.random() < 0.08 and why is not None and "run" in program.kinds:
        yield Commands(f"{file}:why", "why", (("run", *how, "--why", why),), GENERATED)
    if random.random() < 0.1:
        yield Commands(f"{file}:infer", "infer", (("infer", file),), GENERATED)
        yield Commands(f"{file}:inline", "inline", (("inline", file),), GENERATED)


STYLES = ("controlled", "uncontrolled", "mixed", "reconvergence", "any")


def shown(style: str, seed: int) -> str:
    """The text of a program of ``fuzz``."""
    code, out, err = run_line(["fuzz", "--show", "0", "--seed", str(seed), "--style", style])
    if code:
        raise RuntimeError(err.decode())
    return out.decode()


def fuzz_launch(text: str, random: Random) -> tuple[str, ...]:
    """Two to four threads with small arguments, sometimes in several subgroups, for ``@main``."""
    threads = random.choice((2, 2, 3, 3, 4))
    [parameters] = [p for name, p in functions(text) if name == "main"]
    words = ["--function", "@main", *arguments(parameters, threads, random)]
    if threads > 2 and random.random() < 0.15:
        words += ["--subgroup-size", "2"]
    return tuple(words)


def generated() -> Iterator[Program]:
    """5,000 programs of all generators."""
    yield from _fuzz()
    yield from _oracle()
    yield from _memory()
    yield from _routines()
    yield from _static()
    yield from _straight_lines()


def _fuzz() -> Iterator[Program]:
    counts = {"controlled": 900, "uncontrolled": 400, "mixed": 400, "reconvergence": 400, "any": 200}
    for style, count in counts.items():
        for seed in range(count):
            text = shown(style, seed)
            launch = list(fuzz_launch(text, Random(f"{style} {seed}")))
            if style in ("uncontrolled", "mixed") and seed % 8 == 0:
                launch += ["--uncontrolled", ("any", "none")[seed // 8 % 2]]
            yield Program(f"fuzz-{style}/{seed:04}", text, tuple(launch))
    for seed in range(200):
        text = _through_allocas(shown(("controlled", "reconvergence", "any", "mixed")[seed % 4], 5000 + seed))
        yield Program(f"fuzz-allocas/{seed:04}", text, fuzz_launch(text, Random(f"allocas {seed}")))


def optimised(text: str, passes: str) -> str | None:
    """What LLVM makes of a module, without a line that names where it came from; ``None`` if nothing."""
    opt = shutil.which("opt-22") or shutil.which("opt")
    if opt is None:
        raise RuntimeError("programs are frozen with LLVM's opt on the path")
    command = [opt, "-S", f"-passes={passes}", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        return None
    named = ("; ModuleID", "source_filename")
    return "".join(line for line in done.stdout.splitlines(keepends=True) if not line.startswith(named))


def _through_allocas(text: str) -> str:
    """With every value that lives across blocks in an alloca, as in unoptimised code."""
    made = optimised(text, "reg2mem")
    assert made is not None, text
    return made


def _oracle() -> Iterator[Program]:
    from tests.oracles.programs_draw import Case, Shape
    from tests.oracles.programs_generate import random_case, random_ill_formed_case
    from tests.properties.test_dynamic_run import KINDS, KNOWN

    def program(name: str, case: Case, mode: str, size: int | None, *more: str) -> Program:
        launch = ["--function", f"@{case.program.launched.name}", "--threads", str(case.threads)]
        columns = zip(*case.arguments, strict=True)
        for parameter, column in zip(case.program.launched.parameters, columns, strict=True):
            launch += ["--arg", f"%{parameter}={','.join(map(str, column))}"]
        if mode != "maximal":
            launch += ["--uncontrolled", mode]
        if size is not None:
            launch += ["--subgroup-size", str(size)]
        return Program(name, str(case.program), (*launch, *more))

    for kind, (shape, mode) in KINDS.items():
        for seed in range(110):
            size = (None, None, 1, 2)[seed % 4]
            yield program(f"oracle-{kind}/{seed:04}", random_case(3_000_000 + seed, shape), mode, size)
    for seed in range(150):
        shape = Shape(anchors=seed % 2 == 0, statements=4, depth=2, helpers=1)
        case = random_ill_formed_case(3_000_000 + seed, shape)
        yield program(f"oracle-ill-formed/{seed:04}", case, "maximal", None, "--no-verify")
    for number, (case, mode) in enumerate(KNOWN):
        yield program(f"oracle-known/{number:04}", case, mode, None)


def _memory() -> Iterator[Program]:
    from tests.oracles.memory import llvm, random_program

    for seed in range(250):
        program = random_program(3_000_000 + seed)
        count = program.threads
        columns = {
            "tid": range(count),
            "next": [(t + 1) % count for t in range(count)],
            "arg": program.arguments,
        }
        launch = ["--threads", str(count)]
        for name, column in columns.items():
            launch += ["--arg", f"%{name}={','.join(map(str, column))}"]
        text = llvm(program)
        if seed % 5 == 4:
            text = text.replace("convergence.entry", "convergence.anchor")
        yield Program(f"memory/{seed:04}", text, tuple(launch))


def _routines() -> Iterator[Program]:
    from tests.oracles.refinement_source import lower, random_routines

    seed = count = 0
    while count < 200:
        seed += 1
        random = Random(3_000_000 + seed)
        try:
            text = str(lower(random_routines(random)))
        except (KeyError, IndexError):
            continue
        count += 1
        yield Program(f"routines/{seed:04}", text, fuzz_launch(text, random))


def _static() -> Iterator[Program]:
    from tests.oracles.generate import random_function
    from tests.oracles.model import module_text

    random = Random(3_000_000)
    for number in range(417):
        text = module_text([random_function(random)])
        launch = ("--function", "@f0", "--threads", "2", "--arg", "%c=0,1", "--arg", "%s=1,2", "--no-verify")
        kinds = ("verify", "run", "enumerate", "simulate") if number % 4 == 0 else ("verify", "run")
        yield Program(f"static/{number:04}", text, launch, kinds)


def _straight_lines() -> Iterator[Program]:
    """What each instruction computes: results are stored in ``@out``."""
    from tests.differential.random_lines import LAYOUT, STRIDE, random_data, random_lines

    for seed in range(150):
        random = Random(3_000_000 + seed)
        writer, data = random_lines(random, 110), random_data(random)
        values = [(type_, name) for type_, names in writer.pool.items() for name in names if name[1] == "v"]
        stored = [(t, n) for t, n in values if t[0] in "i<fdh"]
        body = list(writer.lines)
        for slot, (type_, name) in enumerate(stored):
            body.append(f"%o{slot} = getelementptr i8, ptr @out, i64 {slot * STRIDE}")
            body.append(f"store {type_} {name}, ptr %o{slot}")
        written = "".join(f"\\{byte:02X}" for byte in data)
        text = "\n".join(
            [
                f'target datalayout = "{LAYOUT}"',
                f'@data = constant [{len(data)} x i8] c"{written}", align 32',
                f"@out = global [{max(1, len(stored)) * STRIDE} x i8] zeroinitializer, align 32",
                *sorted(writer.declarations),
                "define void @f() {",
                "  %in = getelementptr i8, ptr @data, i64 0",
                *(f"  {line}" for line in body),
                "  ret void",
                "}",
            ]
        )
        yield Program(f"lines/{seed:04}", text + "\n", ("--function", "@f"), ("verify", "run", "axiomatic"))
