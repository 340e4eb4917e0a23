"""Words of the command line as values: ``--arg %x=3,5``, ``--global @g=3``, ``--input @f=1,0/0,0``,
``--path "A B"``."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from typing import Any, TypeVar

import click

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
