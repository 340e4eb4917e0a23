"""Options that several subcommands share: a launch's words as values, and a file's own defaults."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ...frozen import dataclass
from . import InputError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from ...ir.module import Directive, Module

# ----------------------------------------------------------------------------------------------------------
# Words of the command line as values: ``--arg %x=3,5``, ``--global @g=3``, ``--input @f=1,0/0,0``,
# ``--path "A B"``.
# ----------------------------------------------------------------------------------------------------------

Value = int | float | str | list["Value"]

_OPEN, _CLOSE = "<[{", ">]}"
_NUMBER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)\Z")
_WORDS = {"true": 1, "false": 0}
_NAMED = ("poison", "undef", "null", "...", "absent", "present")


class Faulty(ValueError):
    """A value that cannot be read; the message says why."""


class Count(click.IntRange):
    """A whole number within bounds: what is none is "not a valid integer", which click calls a range."""

    name = "integer"


class Seconds(click.FloatRange):
    """A number of seconds that can be compared with others: ``nan``, which click takes for one, cannot."""

    name = "number of seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        seconds = float(super().convert(value, param, ctx))
        if seconds != seconds:
            self.fail(f"{value!r} is not a number of seconds.", param, ctx)
        return seconds


def split(text: str, separator: str) -> list[str]:
    """Parts between separators that stand in no bracket and no quotes."""
    parts, depth, quoted, start = [], 0, False, 0
    for at, sign in enumerate(text):
        if sign == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif sign in _OPEN:
            depth += 1
        elif sign in _CLOSE:
            depth -= 1
        elif sign == separator and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    return parts


def value(text: str) -> Value:
    """``3``, ``-0x1f``, ``1.5``, ``true``, ``poison``, ``@g``, ``<1,2>``.

    :raises Faulty: for anything else
    """
    word = text.strip()
    if word[:1] in tuple(_OPEN) and word[-1:] == _CLOSE[_OPEN.index(word[0])]:
        inner = word[1:-1].strip()
        return [value(part) for part in split(inner, ",")] if inner else []
    if _NUMBER.match(word):
        return int(word, 0) if word.lstrip("-+")[:1] == "0" and not word.lstrip("-+").isdigit() else int(word)
    if word in _WORDS:
        return _WORDS[word]
    if word in _NAMED or (word.startswith("@") and len(word) > 1):
        return word
    try:
        return float(word)
    except ValueError:
        raise Faulty(f"{word!r} is no value" if word else "a value is missing") from None


def _named(text: str, sigil: str) -> tuple[str, str]:
    """``%x=3`` as its name without sigil and quotes, and the rest."""
    name, equals, rest = text.partition("=")
    if name.startswith(sigil + '"') and not (name.endswith('"') and len(name) > 2):  # an = in the name
        end = text.find('"', 2)
        name, equals, rest = text[: end + 1], text[end + 1 : end + 2], text[end + 2 :]
    name = name.strip().removeprefix(sigil)
    if len(name) > 1 and name[0] == name[-1] == '"':
        name = name[1:-1]
    if equals != "=" or not name:
        raise Faulty(f"write {sigil}NAME=VALUE")
    return name, rest


def argument(text: str) -> tuple[str, list[Value]]:
    """``%x=3`` or ``%x=3,5``: a name and one value for all threads, or one per thread."""
    name, rest = _named(text, "%")
    return name, [value(part) for part in split(rest, ",")]


def inputs(text: str) -> tuple[str, list[list[Value]]]:
    """``@f=1,0/0,0``: what calls of a declared function return, in order; threads separated by ``/``."""
    name, rest = _named(text, "@")
    streams = split(rest, "/")
    return name, [[value(v) for v in split(stream, ",")] if stream.strip() else [] for stream in streams]


def variable(text: str) -> tuple[str, list[Value]]:
    """``@g=3``, ``@a=[1,2,3]`` or, of what each thread has for itself, ``@t=1,2``: what a global variable
    holds at the launch. ``[1,2,...]`` goes on so to the end of an array."""
    name, rest = _named(text, "@")
    return name, [value(part) for part in split(rest, ",")]


def buffer(text: str) -> tuple[str, str]:
    """``%out=i32[64]``, ``%in=@data.npy``, ``@g=f32[4]:1,2,...`` or ``+more=i32[8]``: a name with its sigil,
    and what is there at the launch, in words."""
    word = text.lstrip()
    sigil = word[:1] if word[:1] in ("@", "%", "+") else ""
    name, rest = _named(word, sigil)
    if not rest.strip():
        raise Faulty(f"write {sigil}NAME=i32[64], or {sigil}NAME=@data.npy")
    return sigil + name, rest.strip()


def with_sigil(text: str) -> str:
    """``%out``, ``@g`` or ``+more``: a buffer or variable, with its sigil."""
    word = text.strip()
    if not word.strip("%@+"):
        raise Faulty("write %NAME or @NAME")
    sigil, name = (word[0], word[1:]) if word[0] in "%@+" else ("", word)
    return sigil + (name[1:-1] if len(name) > 2 and name[0] == name[-1] == '"' else name)


def saved(text: str) -> tuple[str, str]:
    """``%out=out.npy``: a buffer or variable, and the file."""
    name, path = buffer(text)
    return name, path


def sizes(text: str) -> tuple[int, ...]:
    """``4``, ``8,4`` or ``8,4,2``: how many along x, y and z."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 3 or not all(part.isdecimal() and int(part) for part in parts):
        raise Faulty("one to three positive numbers are wanted: X, X,Y or X,Y,Z")
    return tuple(map(int, parts))


def path(text: str) -> tuple[str, ...]:
    """``A B "odd name" D``: the blocks that a thread takes, in order."""
    try:
        blocks = shlex.split(text)
    except ValueError as error:
        raise Faulty(str(error).lower()) from None
    if not blocks:
        raise Faulty("a path names at least the entry block")
    return tuple(blocks)


T = TypeVar("T")
Callback = Callable[[click.Context, click.Parameter, tuple[str, ...]], tuple[T, ...]]


def each(read: Callable[[str], T]) -> Callback[T]:
    """An option's callback that reads each of its values; what cannot be read is a usage error."""

    def callback(ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]) -> tuple[T, ...]:
        values = []
        for text in texts:
            try:
                values.append(read(text))
            except Faulty as error:
                raise click.BadParameter(f"{text!r}: {error}", ctx, param) from None
        return tuple(values)

    return callback


def single(read: Callable[[str], T]) -> Callable[[click.Context, click.Parameter, str | None], T | None]:
    """The callback of an option that is given once, or not at all."""

    def callback(ctx: click.Context, parameter: click.Parameter, text: str | None) -> T | None:
        return None if text is None else each(read)(ctx, parameter, (text,))[0]

    return callback


# -- The options that every executing command shares: what is launched, with what, and how far it may go

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--function", metavar="@f", help="The function to launch."),
    click.option("--threads", type=Count(min=1), metavar="N",
        help="How many threads, in one workgroup."),
    click.option("--grid", metavar="X[,Y[,Z]]", callback=single(sizes),
        help="How many workgroups (default: 1)."),
    click.option("--workgroup", metavar="X[,Y[,Z]]", callback=single(sizes),
        help="How many threads each has (default: what the kernel says, else 1)."),
    click.option("--partial", is_flag=True,
        help="Fewer threads than the kernel says that a workgroup has: the first of it run."),
    click.option("--subgroup-size", type=Count(min=1), metavar="N",
        help="Lanes per subgroup (default: all threads of a workgroup)."),
    click.option("--arg", metavar="%x=V,...", multiple=True, callback=each(argument),
        help="An argument: one value for all threads, or one per thread."),
    click.option("--global", "globals", metavar="@g=V,...", multiple=True, callback=each(variable),
        help="What a global variable holds at the launch; of a thread_local one, one value per thread."),
    click.option("--buffer", "buffers", metavar="%x=TYPE[N]", multiple=True, callback=each(buffer),
        help="What a pointer parameter points to, @g, or +x, by its address: i32[64], f32[4]:1,2,..., "
        "@data.npy, %y."),
    click.option("--input", metavar="@f=V,.../...", multiple=True, callback=each(inputs),
        help="What calls of a declared function return, in order; threads separated by /."),
    click.option("--path", metavar='"A B ..."', multiple=True, callback=each(path),
        help="Once per thread, in order: the blocks that it takes."),
    click.option("--operations", metavar="FILE.py", multiple=True,
        help="Python file with models of declared functions."),
    click.option("--uncontrolled", type=click.Choice(["maximal", "any", "none"]), default="maximal",
        show_default=True, help="How uncontrolled convergent operations group."),
    click.option("--dfs", type=click.Choice(["text", "reversed"]), default="text", show_default=True,
        help="Successor order of the search behind the cycle hierarchy."),
    click.option("--equal-writes", is_flag=True,
        help="Writes that race with one another and leave the same bytes count as one."),
    click.option("--no-verify", is_flag=True, help="Run what breaks a static rule, too."),
    click.option("--max-steps", type=Count(min=0), metavar="N",
        show_default="10000000; natively 100000 a thread, if more",
        help="Bound on instructions over all threads."),
    click.option("--timeout", type=Seconds(min=0), metavar="S", help="Bound on seconds."),
)  # fmt: skip


def executing(function: F) -> F:
    """Add the shared options to a command."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


# ----------------------------------------------------------------------------------------------------------
# Options that several subcommands share.
# ----------------------------------------------------------------------------------------------------------


def files(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """For the shell's completion: a file's name, which the shell knows best."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def _all(options: list[Callable[[F], F]]) -> Callable[[F], F]:
    """Options as one decorator, in the order in which ``--help`` shows them."""

    def add(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return add


def talking(quiet: str = "Say only what matters.") -> Callable[[F], F]:
    """``--color``, ``-q`` and ``-v``, which every command has; ``quiet`` says what ``-q`` leaves away."""
    return _all([
        click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto",
            show_default=True, help="Colours; NO_COLOR is honoured."),
        click.option("-q", "--quiet", is_flag=True, help=quiet),
        click.option("-v", "--verbose", is_flag=True, help="Say more; show a traceback if convcheck fails."),
    ])  # fmt: skip


def common(*formats: str) -> Callable[[F], F]:
    """``--format`` with the command's forms, the first by default; ``-o``, ``--color``, ``-q``, ``-v``."""
    return _all([
        click.option("--format", "form", type=click.Choice(formats), default=formats[0], show_default=True,
            help="Form of the answer."),
        click.option("-o", "--output", metavar="FILE", shell_complete=files,
            help="Write the answer to FILE."),
        talking(),
    ])  # fmt: skip


def all_blocks(function: F) -> F:
    """``--all-blocks``, of every command that draws alignments."""
    return click.option("--all-blocks", is_flag=True,
        help="Show blocks that hold only control intrinsics and a branch, too.")(function)  # fmt: skip


def engine(function: F) -> F:
    """``--engine``, of a command that runs a program more than once."""
    return click.option(
        "--engine",
        type=click.Choice(["auto", "reference", "native"]),
        default="auto",
        show_default=True,
        help="What runs threads: the reference, native code, or native code where it is worth it (auto); the "
        "answer is the same.",
    )(function)


def legend(function: F) -> F:
    """``--legend``, of every command whose pictures are SVG."""
    return click.option("--legend", is_flag=True,
        help="svg: say below the picture what its signs mean.")(function)  # fmt: skip


def synchrony(function: F) -> F:
    """``--synchrony``, of every command that enumerates."""
    levels = ["none", "subgroup-op", "control-flow", "memory", "collective"]
    return click.option("--synchrony", type=click.Choice(levels), default="none", show_default=True,
        help="What orders memory besides D-CAUSE (docs/synchrony.md).")(function)  # fmt: skip


RECONVERGENCE = "convcheck.reconvergence"
"""Where the context keeps what ``--reconvergence`` says."""


CONSTANTS = "convcheck.constants"
"""Where the context keeps what ``--spec`` says: names or numbers, and values."""


def _keep_constants(ctx: click.Context, parameter: click.Parameter, words: tuple[str, ...]) -> None:
    if words:
        ctx.meta[CONSTANTS] = dict(map(constant, words))


def constant(words: str) -> tuple[str, str]:
    """A specialization constant's name or number, and its value."""
    name, equals, value = words.partition("=")
    if not (equals and name and value):
        raise click.BadParameter(f"{words}: NAME=VALUE is wanted, or the constant's number in place of NAME")
    return name, value


def _keep(ctx: click.Context, parameter: click.Parameter, word: str | None) -> None:
    if word is not None:
        ctx.meta[RECONVERGENCE] = word


def shaders(function: F) -> F:
    """``--reconvergence`` and ``--spec``, of every command whose FILE may be SPIR-V."""
    return _all([
        click.option("--reconvergence", type=click.Choice(["base", "maximal"]), expose_value=False,
            callback=_keep, help="What SPIR-V promises of threads that diverged."),
        click.option("--spec", metavar="NAME=VALUE", multiple=True, expose_value=False,
            callback=_keep_constants,
            help="The value of a specialization constant, by number (in SPIR-V by name, too)."),
    ])(function)  # fmt: skip


# -- What ``simulate``'s own options hold: words of the command line to what machines take


def structure(words: str) -> tuple[str, tuple[str, ...]]:
    """``nested``, ``continue``, or a header and the blocks inside its loop."""
    if words in ("nested", "continue"):
        return words, ()
    header, equals, blocks = words.partition("=")
    if not (equals and header and blocks):
        raise Faulty("nested, continue, or HEADER=BLOCK,... is wanted")
    return header.removeprefix("%"), tuple(name.removeprefix("%") for name in blocks.split(","))


def complete_names(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """For the shell's completion: the machines that begin so."""
    from ...sched.lockstep.policies import NAMES, VARIANTS
    from ...sched.lockstep.policies.outside import offered

    return [name for name in (*NAMES, *VARIANTS, *offered(), "all") if name.startswith(incomplete)]


def least(words: str) -> int | None:
    """The least size of a region with a branch around it."""
    if words in ("always", "never"):
        return 0 if words == "always" else None
    if not words.isdecimal():
        raise Faulty("always, never, or a number is wanted")
    return int(words)


def covered(words: str) -> frozenset[int]:
    """Thread numbers; none of them for ``none``."""
    names = [] if words == "none" else words.split(",")
    if not all(name.strip().isdecimal() for name in names):
        raise Faulty("numbers of threads are wanted, as in 0,1,5, or none")
    return frozenset(int(name) for name in names)


def names_of(names: tuple[str, ...]) -> tuple[str, ...]:
    """The machines that were asked for, each once."""
    from ...sched.lockstep.policies import NAMES
    from ...sched.lockstep.policies.outside import machine
    from ...semantics import UsageError

    for name in names:
        if name != "all":
            try:
                machine(name)
            except UsageError as error:
                raise click.UsageError(error.command_line) from None
    if not names:
        return NAMES
    return tuple(dict.fromkeys(n for name in names for n in (NAMES if name == "all" else (name,))))


# ----------------------------------------------------------------------------------------------------------
# A file's own defaults: the words of its ``; CONVCHECK:`` lines, below what the command line says.
# ----------------------------------------------------------------------------------------------------------


ALLOWED = frozenset(
    (
        "function", "threads", "grid", "workgroup", "partial", "subgroup_size", "arg", "globals", "buffers",
        "show", "input", "path", "uncontrolled", "dfs", "equal_writes", "no_verify",
        "all_blocks", "max_steps", "timeout", "seed", "trace", "latches", "structure", "block_order",
        "synchrony", "engine", "max_executions", "policy", "barriers", "exec_form", "branch_if_none",
        "covered", "spill", "yields", "no_jumps",
        "target_function", "passes", "bisect", "assume",
        "models", "max_launches", "symbolic", "iterations",
    )
)  # fmt: skip
"""What a file may say. Not ``-o``, ``--save``, ``--operations`` or ``--opt``: a file must not write or run
another."""

_BY_NAME = frozenset(("arg", "globals", "buffers", "input"))
_SHORT, _SHAPE = "threads", frozenset(("grid", "workgroup"))
"""Two ways to say how many threads there are: the command line's takes the place of the file's."""


def with_defaults(ctx: click.Context, module: Module, file: str) -> dict[str, Any]:
    """The command's parameters: the command line's where it says something, else the file's.

    Of an option that repeats, the command line's replace the file's; ``--arg``, ``--global``,
    ``--buffer`` and ``--input`` do so name by name.

    :raises InputError: if the file's words are not options of the command, or not for a file to give
    """
    parameters = dict(ctx.params)
    lines = [_split(directive, module, file) for directive in module.directives]
    if not lines:
        return parameters
    theirs = _context(ctx.command, lines, file)
    line = click.core.ParameterSource.COMMANDLINE
    shape = any(ctx.get_parameter_source(name) is line for name in _SHAPE if name in parameters)
    other_way = {_SHORT} if shape else _SHAPE if ctx.get_parameter_source(_SHORT) is line else frozenset()
    for name, value in theirs.params.items():
        if theirs.get_parameter_source(name) is not line or name == "file" or name in other_way:
            continue
        if ctx.get_parameter_source(name) is not line:
            parameters[name] = value
        elif name in _BY_NAME:
            keys = {key for key, _ in parameters[name]}
            parameters[name] = (*(pair for pair in value if pair[0] not in keys), *parameters[name])
    return parameters


_OF_SOME_COMMANDS = {
    "--show": True, "--save": True, "--trace": False, "--why": True, "--synchrony": True, "--engine": True,
    "--max-executions": True, "--target-function": True, "--passes": True,
    "--reconvergence": True, "--spec": True, "--bisect": False, "--assume": True, "--models": True,
    "--max-launches": True, "--symbolic": False, "--iterations": True, "--seed": True, "--all-blocks": False,
    "--policy": True, "--latches": True, "--structure": True, "--block-order": True,
    "--barriers": True, "--yield": False, "--no-jumps": False,
    "--exec-form": True, "--branch-if-none": True, "--covered": True, "--spill": True,
}  # fmt: skip
"""Options that only some executing commands have, and whether they take a value."""


_ENGINES = frozenset(("operational", "axiomatic", "both", "auto", "reference", "native", "attended"))
"""What ``--engine`` may be of some command: a file may say it for one of them."""


def _choices(command: click.Command, name: str) -> frozenset[str]:
    """What an option of a command may be."""
    types = [p.type for p in command.params if name in p.opts]
    return frozenset(c for t in types if isinstance(t, click.Choice) for c in t.choices)


def _without_others(command: click.Command, words: Sequence[str]) -> list[str]:
    """A file's words without the options that are for another command than this one."""
    own = {name for parameter in command.params for name in parameter.opts}
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        name, assigned, value = word.partition("=")
        if name == "--engine" and name in own and not assigned:
            value = next(rest, "")
            word = f"--engine={value}"
        if name == "--engine" and value in _ENGINES - _choices(command, name):
            continue
        if name in own or name not in _OF_SOME_COMMANDS:
            kept.append(word)
        elif _OF_SOME_COMMANDS[name] and not assigned:
            next(rest, None)
    return kept


@dataclass(frozen=True, slots=True)
class _Line:
    """The words of one CONVCHECK line, and ``FILE:LINE:COLUMN`` of the first."""

    words: tuple[str, ...]
    place: str


def _split(directive: Directive, module: Module, file: str) -> _Line:
    """:raises InputError: for a quote that is not closed"""
    position = (module.original or module.source).position(directive.span.start)
    place = f"{file}:{position.line}:{position.column}"
    try:
        return _Line(directive.words(), place)
    except ValueError as error:
        raise InputError(place, f"CONVCHECK line: {str(error).lower()}") from None


def _context(command: click.Command, lines: Sequence[_Line], file: str) -> click.Context:
    """The command's parameters by all the lines together.

    :raises InputError: at the line that is at fault where that can be told, else at the first
    """
    context, why = _parsed(command, [word for line in lines for word in line.words], file)
    if context is not None:
        return context
    for line in lines:
        _, own = _parsed(command, line.words, file)
        if own is not None:
            raise InputError(line.place, own)
    raise InputError(lines[0].place, why or "")


def _parsed(
    command: click.Command, words: Sequence[str], file: str
) -> tuple[click.Context, None] | tuple[None, str]:
    """The parameters that words give, or why they cannot."""
    try:
        context = command.make_context("CONVCHECK", [*_without_others(command, words), "--", file])
    except click.ClickException as error:
        return None, f"in its CONVCHECK line: {error.format_message()}"
    except click.exceptions.Exit:
        return None, "its CONVCHECK line may not ask for help"
    from ...sched.lockstep.policies.outside import in_file

    line = click.core.ParameterSource.COMMANDLINE
    for name in context.params:
        if context.get_parameter_source(name) is line and name not in ALLOWED and name != "file":
            return None, f"its CONVCHECK line may not set --{name.replace('_', '-')}"
    if any(in_file(word) for word in context.params.get("policy", ())):
        return None, "its CONVCHECK line may not name a Python file for --policy"
    return context, None
