"""The entry points in place of LLVM's tools: which program it is, how it is asked to print, and what is
checked after.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import IO, NoReturn

from ...frozen import dataclass

# ----------------------------------------------------------------------------------------------------------
# The tools that are stood for: which program it is, and how it is asked to print its modules.
# ----------------------------------------------------------------------------------------------------------

_MODULES = "-print-module-scope"
_LOOPS_END = ("loop-deletion", "simple-loop-unswitch", "loop-simplifycfg", "loop-unroll-full")
"""Passes after which a loop may be no more: of that -print-changed tells, and prints no module."""
_CHANGED = ("-print-changed", _MODULES, f"-print-after={','.join(_LOOPS_END)}")
_FIRST = "pre-isel-intrinsic-lowering"
"""The first pass of every code generator (``TargetPassConfig::addIRPasses``): without the module before it
nothing could be said of it."""
_OURS = ("convcheck-", "front.sh")
"""How our scripts are called: installed, and in a checkout, whose ``bin`` has links."""
_ALL = ("-print-after-all", f"-print-before={_FIRST}", _MODULES)
_ASKS = (
    "--version",
    "-version",
    "--help",
    "-help",
    "-h",
    "--help-list",
    "-###",
    "--print-passes",
    "-print-passes",
)
_GPU = ("amdgcn", "amdgpu", "nvptx", "spirv", "spir", "dxil", "r600")
_GPU_LANGUAGES = ("cl", "clcpp", "hip", "cuda", "hlsl")
_GPU_ENDINGS = (".cl", ".clcpp", ".hip", ".cu", ".hlsl")
_SOURCES = (*_GPU_ENDINGS, ".c", ".cc", ".cpp", ".cxx", ".C", ".ll", ".bc")
_DEVICES = ("--offload-arch=", "--cuda-gpu-arch=")
_DEVICE_ONLY = frozenset(("--cuda-device-only", "--offload-device-only"))
_NAMES_ANOTHER = ("-MF", "-MT", "-MQ", "-MJ")
_NAMES_A_FILE = (
    *_NAMES_ANOTHER,
    "-o",
    "-include",
    "-imacros",
    "-include-pch",
    "-Xclang",
    "-mllvm",
    "-I",
    "-isystem",
)
_PRINTING = (
    "print-after", "print-before", "print-changed", "print-module-scope", "filter-print-funcs=",
    "filter-passes=", "info-output-file=",
)  # fmt: skip
"""LLVM's options that say what is printed, and where to: the second run has its own."""
_WRITING = (
    "-M", "-save-temps", "--save-temps", "-save-stats", "--save-stats", "-ftime-trace",
    "-fsave-optimization-record", "-foptimization-record-file", "-gsplit-dwarf", "-fstack-usage",
    "-fproc-stat-report",
)  # fmt: skip
"""Compilers' options that write more files than the output."""
_WRITES_TO = ("--serialize-diagnostics", "-serialize-diagnostics", "--serialize-diags", "-dependency-file")
"""Those that the name of such a file follows."""
_LOGGING = ("CC_PRINT_", "CC_LOG_DIAGNOSTICS", "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES")
"""How names of the environment begin by which compilers write to files: the tool itself has."""
_TRACING = ("time-trace", "pass-remarks-output", "stats-json")
"""LLVM's own options of that kind."""
_READ_ONCE = ("/dev/", "/proc/")
"""Where what can be read once lies: standard input by another name, a shell's ``<(...)``."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of LLVM's.

    ``name`` is its own, ``variable`` the environment's that names the program. ``dumping`` gives from its
    arguments those with which it prints its modules and writes no output; ``None`` where there is nothing to
    check (it only says its version, compiles for a host, ...). One that ``compiles`` reads a language,
    and no IR.
    """

    name: str
    variable: str
    dumping: Callable[[Sequence[str]], list[str] | None]
    compiles: bool = False

    def program(self) -> str | None:
        """The real one: the environment's, else the first on PATH of its name, with 22 behind it or not, that
        is not this wrapper."""
        return program_of(self.name, self.variable)


def program_of(name: str, variable: str | None = None) -> str | None:
    """The program of a tool: the environment's, else the first on PATH of its name, with 22 behind it or
    not, that is no wrapper."""
    if variable is not None and (path := os.environ.get(variable)):
        return shutil.which(path)
    return next((p for known in (name, f"{name}-22") if (p := _real(known)) is not None), None)


def _real(name: str) -> str | None:
    """The first program of this name on PATH that is no wrapper of ours under the tool's own name."""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = shutil.which(name, path=folder)
        if path is not None and not Path(path).resolve().name.startswith(_OURS):
            return path
    return None


def without_output(arguments: Sequence[str]) -> list[str]:
    """Arguments without ``-o FILE``, ``-o=FILE`` and ``-oFILE``."""
    kept: list[str] = []
    skip = False
    for argument in arguments:
        if skip:
            skip = False
        elif argument in ("-o", "--o"):
            skip = True
        elif not argument.startswith(("-o=", "--o=")):
            kept.append(argument)
    return kept


def reads_standard_input(tool: Tool, arguments: Sequence[str]) -> bool:
    """Whether a tool may read its input from there: it is named, or no file is. A compiler reads it only
    where it is named."""
    words = without_output(arguments)
    return "-" in words or not (tool.compiles or inputs(arguments))


def overwrites(arguments: Sequence[str]) -> bool:
    """Whether a tool writes to a file that it reads: then it can be asked only before."""
    outputs = {a.partition("=")[2] for a in arguments if a.startswith(("-o=", "--o="))}
    outputs |= {following for a, following in pairwise(arguments) if a in ("-o", "--o")}
    written = {Path(name).resolve() for name in outputs}
    return any(path.resolve() in written for path in inputs(arguments))


def inputs(arguments: Sequence[str]) -> list[Path]:
    """The files among the arguments."""
    return [Path(a) for a in without_output(arguments) if not a.startswith("-") and Path(a).is_file()]


def read_once(arguments: Sequence[str]) -> str | None:
    """An input that cannot be read a second time, if there is one."""
    words = (a for a in without_output(arguments) if not a.startswith("-") and a != os.devnull)
    return next((a for a in words if a.startswith(_READ_ONCE) or Path(a).is_fifo()), None)


def _without_printing(arguments: Sequence[str]) -> list[str]:
    """Arguments without those that have LLVM print modules otherwise, or less of them, than is read here, or
    write a file that the tool itself has written."""
    kept: list[str] = []
    for argument in arguments:
        option = argument.removeprefix("-mllvm=")
        if option.startswith("-") and option.lstrip("-").startswith((*_PRINTING, *_TRACING)):
            if kept[-1:] == ["-mllvm"]:
                kept.pop()
        else:
            kept.append(argument)
    return kept


def _opt(arguments: Sequence[str]) -> list[str] | None:
    if any(argument in _ASKS for argument in arguments):
        return None
    words = _without_printing(without_output(arguments))
    kept = [a for a in words if a.lstrip("-") != "disable-output"]
    return ["-disable-output", *_CHANGED, *kept]  # in front: what follows a "--" is no option


def _llc(arguments: Sequence[str]) -> list[str] | None:
    if any(argument in _ASKS for argument in arguments):
        return None
    return ["-o", os.devnull, *_ALL, *_without_printing(without_output(arguments))]


def _clang(arguments: Sequence[str]) -> list[str] | None:
    """Only what compiles for a GPU, and does compile: nothing on a host has convergent operations."""
    stops = ("-E", "-M", "-MM", "-fsyntax-only", "-emit-interface-stubs", *_ASKS)
    if any(argument in stops for argument in arguments) or not _for_gpu(arguments):
        return None
    flags = [word for flag in _CHANGED for word in ("-mllvm", flag)]
    kept: list[str] = []
    skip = False
    for words in _with_prefix(_without_printing(without_output(arguments))):
        word = words[-1]
        if not skip and not word.startswith(("-stats-file", *_WRITING)) and word not in _WRITES_TO:
            kept += _for_preprocessor(word) if word.startswith("-Wp,") else words
        skip = not skip and word in (*_NAMES_ANOTHER, *_WRITES_TO)
    if kept[:1] == ["-cc1"]:  # the compiler itself, whose own options stand behind that word
        return ["-cc1", "-o", os.devnull, *flags, *kept[1:]]
    compiles = [] if any(a in ("-c", "-S", "-emit-llvm") for a in kept) else ["-c"]
    return ["-o", os.devnull, *flags, *compiles, *kept]


def _with_prefix(arguments: Sequence[str]) -> Iterator[list[str]]:
    """The arguments, each with the ``-Xclang`` that hands it on."""
    words = iter(arguments)
    for word in words:
        following = next(words, None) if word == "-Xclang" else None
        yield [word] if following is None else [word, following]


def _for_preprocessor(argument: str) -> list[str]:
    """``-Wp,WORD,...`` without what writes dependencies to a file."""
    kept, words = list[str](), iter(argument.split(",")[1:])
    for word in words:
        if word in ("-MD", "-MMD", *_NAMES_ANOTHER):
            next(words, None)
        elif not word.startswith("-M"):
            kept.append(word)
    return [",".join(("-Wp", *kept))] if kept else []


def with_response_files(arguments: Sequence[str]) -> list[str]:
    """Arguments with those that stand in files (``@FILE``), as the tools read them; a name that is no file's
    stays."""
    result: list[str] = []
    for argument in arguments:
        path = Path(argument[1:])
        if argument.startswith("@") and path.is_file():
            words = shlex.split(path.read_text(encoding="utf-8", errors="surrogateescape"))
            result += words if argument in words else with_response_files(words)
        else:
            result.append(argument)
    return result


def singly(tool: Tool, arguments: Sequence[str]) -> list[list[str]]:
    """The arguments, for one source and one device at a time where a compiler is given several: it would have
    several outputs, and no name for all of them."""
    if not tool.compiles:
        return [list(arguments)]
    sources = [
        a
        for before, a in pairwise(["", *arguments])
        if before not in _NAMES_A_FILE
        and not a.startswith("-")
        and a.endswith(_SOURCES)
        and Path(a).is_file()
    ]
    devices = [a for a in arguments if a.startswith(_DEVICES)] if _DEVICE_ONLY & {*arguments} else []
    names = [name for a in devices for name in a.partition("=")[2].split(",")]
    return [
        [*(a for a in arguments if a not in devices and (a == source or a not in sources)), *device]
        for source in sources or [""]
        for device in ([_DEVICES[0] + name] for name in names or [""])
        for device in [device if names else []]
    ]


def _for_gpu(arguments: Sequence[str]) -> bool:
    """Whether a target, a language or an ending says that a GPU's code is compiled."""
    for argument, following in pairwise([*arguments, ""]):
        target = argument.partition("=")[2] if argument.startswith(("--target=", "-target=")) else ""
        if argument in ("-target", "--target", "-triple"):
            target = following
        if target.startswith(_GPU) or argument.startswith(("--offload", "--driver-mode=dxc")):
            return True
        if (argument == "-x" and following in _GPU_LANGUAGES) or argument.removeprefix(
            "-x"
        ) in _GPU_LANGUAGES:
            return True
        if not argument.startswith("-") and argument.endswith(_GPU_ENDINGS):
            return True
    return False


OPT = Tool("opt", "CONVCHECK_OPT", _opt)
LLC = Tool("llc", "CONVCHECK_LLC", _llc)
CLANG = Tool("clang", "CONVCHECK_CLANG", _clang, True)
CLANGXX = Tool("clang++", "CONVCHECK_CLANGXX", _clang, True)


# ----------------------------------------------------------------------------------------------------------
# The entry points. The tool runs first, and as it was asked to; what is checked comes after it.
# ----------------------------------------------------------------------------------------------------------


FOLDER, BUDGET, WAIT = "CONVCHECK_DIR", "CONVCHECK_BUDGET", "CONVCHECK_WAIT"
"""The environment's names for the folder of results, for the seconds for a function and pass, and for how
many times as long as the tool a wrapper may take: what is not answered then is answered beside the build."""
SECONDS, TIMES = 2.0, 10.0
START = 0.05
"""Seconds that a wrapper takes before it can look at a clock: Python's start."""
LOOK = 0.005
"""Seconds between two looks whether the answers are there."""
_BITCODE = (b"BC", b"\xde\xc0")
_CONVERGES = re.compile(rb"convergen|@\"?llvm\.(?:amdgcn|nvvm|spv|dx|r600)\.")
_PATIENCE = 5.0
"""Seconds that the tool has to print its modules at least; else as long as the wrapper may take."""


def stand_for(tool: Tool, arguments: Sequence[str]) -> int:
    """Run the tool, check what it did, and give its exit status; a signal's number is negative."""
    program = tool.program()
    if program is None:
        print(
            f"convcheck-{tool.name}: there is no {tool.name} on PATH ({tool.variable} names one)",
            file=sys.stderr,
        )
        return 127
    begun = time.monotonic()
    called, arguments = arguments, with_response_files(arguments)
    checks = tool.dumping(arguments) is not None
    once = read_once(arguments) if checks else None
    checks = checks and once is None
    reads = checks and reads_standard_input(tool, arguments)
    if reads and (sys.stdin is None or sys.stdin.isatty()):
        checks = reads = False  # nobody types a module, and one that is typed cannot be read twice
    checks = checks and (reads or may_converge(tool, arguments, None))
    before = _dumped(tool, program, arguments, None, inf) if checks and overwrites(arguments) else None
    ran = time.monotonic()
    code, data, signalled = _run(program, [_called(tool, program), *called], reads)
    took = time.monotonic() - ran
    if reads:
        checks = data is not None and may_converge(tool, arguments, data)
    if signalled or not (code == 0 or crashed(code)):  # who sends a signal wants an end, and no answer
        return code
    if once is not None:
        _check(tool, program, arguments, Unprinted(f"{once} can be read once only"), ran)
    elif checks:
        wait = _number(WAIT, TIMES)
        dump = before or _dumped(tool, program, arguments, data, max(_PATIENCE, (wait - 1) * took))
        _check(tool, program, arguments, dump, begun - START + wait * took)
    return code


def _called(tool: Tool, program: str) -> str:
    """The name by which the tool is called, which is in what it says."""
    return os.environ.get(tool.variable) or Path(program).name


class _Feed(threading.Thread):
    """What stands on standard input, handed on to a tool while it runs and kept: ``data`` is all of it, once
    its end was seen. A tool that ends before has not read it, and nobody waits for the rest."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self.stream = stream
        self.data: bytes | None = None

    def run(self) -> None:
        parts: list[bytes] = []
        while part := os.read(0, 1 << 16):
            parts.append(part)
            with suppress(BrokenPipeError):
                self.stream.write(part)
                self.stream.flush()
        self.data = b"".join(parts)
        with suppress(BrokenPipeError):
            self.stream.close()


_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_TELLING = (signal.SIGUSR1, signal.SIGUSR2)
"""Signals that want an end, and those by which LLVM's tools say how far they are."""


def _run(program: str, command: Sequence[str], reads: bool) -> tuple[int, bytes | None, bool]:
    """The tool's exit status; where it ``reads`` standard input, what was there; and whether a signal came
    that wants an end. Signals that would end this process are for the tool, which may do something about
    them, and end this one only if they end the tool. It has all open files, as it would have without us: a
    shell's ``<(...)`` is one."""
    tool: subprocess.Popen[bytes] | None = None
    feed: _Feed | None = None
    came: list[int] = []  # the first ones while the tool was being started: it may run already

    def hand_on(number: int, _: object) -> None:
        came.append(number)
        if tool is not None:
            tool.send_signal(number)

    taken = [n for n in (*_ENDING, *_TELLING) if signal.getsignal(n) != signal.SIG_IGN]
    before = {number: signal.signal(number, hand_on) for number in taken}
    try:
        standard_input = subprocess.PIPE if reads else None
        tool = subprocess.Popen(command, executable=program, stdin=standard_input, close_fds=False)
        for number in tuple(came):
            tool.send_signal(number)
        if tool.stdin is not None:
            feed = _Feed(tool.stdin)
            feed.start()
        tool.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return tool.returncode, None if feed is None else feed.data, any(number in _ENDING for number in came)


def _end_by(number: int) -> NoReturn:
    """End as a process that a signal ends: who called sees whether a tool crashed (``not --crash``), or was
    interrupted. It leaves no memory image beside the tool's own."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    with suppress(OSError):  # SIGKILL has no other handler
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
    os.kill(os.getpid(), number)
    sys.exit(128 + number)  # it was one that ends nobody


def crashed(code: int) -> bool:
    """Whether an exit status is that of a tool that ended itself: a signal's, or clang's for its own part
    that did (``EX_SOFTWARE``)."""
    return code < 0 or code >= 128 or code == 70


def _entry(tool: Tool) -> Callable[[], None]:
    def stand() -> NoReturn:
        try:
            code = stand_for(tool, sys.argv[1:])
        except KeyboardInterrupt:  # while it waits for checks: they go on beside the build
            code = -signal.SIGINT
        if code < 0:
            _end_by(-code)
        sys.exit(code)

    return stand


TOOLS = {tool.name: _entry(tool) for tool in (OPT, LLC, CLANG, CLANGXX)}
"""By tool what ``convcheck-TOOL`` does."""


def may_converge(tool: Tool, arguments: Sequence[str], data: bytes | None) -> bool:
    """Whether an input can hold convergent code, as far as a look at its bytes says: text without the word
    has none, but for intrinsics of machines, whose attributes LLVM knows. Of bitcode and of a source it
    cannot be told."""
    if tool.compiles:
        return True
    try:
        texts = [data] if data is not None else [path.read_bytes() for path in inputs(arguments)]
    except OSError:
        return False
    return any(text[:2] in _BITCODE or _CONVERGES.search(text) is not None for text in texts)


class Unprinted(Exception):
    """A tool does not print its modules: the message says why."""


def printed_modules(
    tool: Tool,
    program: str,
    arguments: Sequence[str],
    data: bytes | None,
    patience: float,
    folder: Path | None = None,
) -> bytes | None:
    """What a tool, which is this program, prints of its modules, called with these arguments, in ``folder``;
    ``None`` where there is nothing to check. Of one that crashes it is what it printed before: LLVM ends
    itself where it sees that a pass has broken a module.

    :raises Unprinted: if it fails otherwise, or does not end in ``patience`` seconds
    """
    printed = [_printed(tool, program, words, data, patience, folder) for words in singly(tool, arguments)]
    modules = b"".join(part for part in printed if part is not None)
    return modules if b"convergent" in modules else None


def _printed(
    tool: Tool,
    program: str,
    arguments: Sequence[str],
    data: bytes | None,
    patience: float,
    folder: Path | None,
) -> bytes | None:
    """What it prints where it has one source and one device."""
    dumping = tool.dumping(arguments)
    if dumping is None:
        return None
    try:
        done = subprocess.run(
            [program, *dumping], input=data if data is not None else b"", stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, timeout=None if patience == inf else patience, check=False, cwd=folder,
            env={name: value for name, value in os.environ.items() if not name.startswith(_LOGGING)},
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Unprinted("printing its modules took too long") from None
    if done.returncode and not (crashed(done.returncode) and b"*** IR Dump " in done.stderr):
        raise Unprinted(f"it does not print its modules with these arguments{_complaint(done.stderr)}")
    return done.stderr


def _dumped(
    tool: Tool, program: str, arguments: Sequence[str], data: bytes | None, patience: float
) -> bytes | Unprinted | None:
    """The same; why it is not printed is a value, for it may be that nobody wants to know."""
    try:
        return printed_modules(tool, program, arguments, data, patience)
    except Unprinted as problem:
        return problem


def _plain(word: str) -> str:
    """A word of a command without this machine's paths: a file's name alone."""
    return Path(word).name if Path(word).is_absolute() else word


def _complaint(printed: bytes) -> str:
    """A tool's first complaint, without the paths in it."""
    lines = printed[:100_000].decode("utf-8", "replace").splitlines()
    line = next((line for line in lines if "error:" in line or "Unknown" in line), None)
    return (
        "" if line is None else ": " + re.sub(r"\S*/", "", line.partition("error:")[2].strip() or line)[:120]
    )


def _check(
    tool: Tool, program: str, arguments: Sequence[str], dump: bytes | Unprinted | None, end: float
) -> None:
    """See to it that what the tool did is checked, and wait for it until ``end``, as ``time.monotonic``
    counts. What goes wrong here is a line of the results: the tool has done its work."""
    if dump is None:
        return
    from .pending import PendingDump, PendingFolder

    results = Path(os.environ.get(FOLDER) or "convcheck-findings")
    try:
        if isinstance(dump, Unprinted):
            from .store import FindingFolder

            FindingFolder(results).skip(tool.name, str(dump))
            return
        command = shlex.join([tool.name, *(_plain(word) for word in arguments)])
        budget = _number(BUDGET, SECONDS)
        pending, question = (
            PendingFolder(results),
            PendingDump(tool.name, command, budget, str(Path(program).absolute())),
        )
        if end == inf or not pending.possible:
            from .pending import check

            results.mkdir(parents=True, exist_ok=True)
            check(question, dump.decode("utf-8", "surrogateescape"), results)
            return
        from .pending import start

        name = pending.add(question, dump)
        start(pending)
        while pending.has(name) and time.monotonic() < end:
            time.sleep(LOOK)
    except OSError as error:
        print(f"convcheck-{tool.name}: {results}: {error.strerror or error}", file=sys.stderr)


def _number(name: str, usual: float) -> float:
    """A number of the environment's; the usual one where there is none, and, which is said, where it is no
    number or a negative one."""
    words = os.environ.get(name)
    if not words:
        return usual
    with suppress(ValueError):
        if (number := float(words)) >= 0:
            return number
    print(f"convcheck: {name}={words} is no number from 0 on: {usual:g} is taken", file=sys.stderr)
    return usual
