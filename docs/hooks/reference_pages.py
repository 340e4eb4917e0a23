"""The reference: the front door's docstrings, every command's help, the JSON schemas."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import re
from importlib import import_module
from typing import Any

from shown import fenced, output

import convergence as cc
from convergence.cli import cli
from convergence.report.schemas import schema

PYTHON, COMMANDS, SCHEMAS = "reference/python.md", "reference/commands.md", "reference/schemas.md"


def names() -> set[str]:
    return {PYTHON, COMMANDS, SCHEMAS}


def pages() -> dict[str, str]:
    return {PYTHON: _python(), COMMANDS: _commands(), SCHEMAS: _schemas()}


# -- Python -------------------------------------------------------------------------------------------


def _python() -> str:
    """Every public name, in the order of kinds."""
    found = {name: _public(name) for name in dir(cc) if not name.startswith("__")}
    functions = {n: v for n, v in found.items() if inspect.isfunction(v)}
    errors = {n: v for n, v in found.items() if inspect.isclass(v) and issubclass(v, Exception)}
    classes = {n: v for n, v in found.items() if inspect.isclass(v) and n not in errors}
    parts = ["# Python", markdown(cc.__doc__ or "")]
    for heading, members in (("Functions", functions), ("Classes", classes), ("Errors", errors)):
        parts.append(f"## {heading}")
        for name, value in members.items():
            parts += _documented(name, value)
    assert len(functions) + len(errors) + len(classes) == len(found), "a public name is of no kind"
    return "\n\n".join(parts) + "\n"


def _public(name: str) -> Any:
    """A public name's value; of a package that can be called, the function of its name within it."""
    value = getattr(cc, name)
    if inspect.ismodule(value):
        homes = value, import_module(f"{value.__name__}.front") if name == "fuzz" else value
        inner = [m for home in homes for n, m in vars(home).items() if n == name and inspect.isfunction(m)]
        assert inner, f"{name} is a module"
        value = inner[0]
    return value


def _documented(name: str, value: Any) -> list[str]:
    doc = inspect.getdoc(value)
    assert doc, f"{name} has no docstring"
    parts = [f"### `{name}`"]
    if inspect.isfunction(value):
        parts.append(fenced(signature(name, value), "python"))
    elif dataclasses.is_dataclass(value):
        parts.append(fenced(_fields(name, value), "python"))
    parts.append(markdown(doc))
    if inspect.isclass(value) and not issubclass(value, enum.Enum | Exception):
        parts += _members(value)
    return parts


def _members(value: type) -> list[str]:
    """The public methods and properties with their docstrings, one a line of a list."""
    lines = []
    for name, member in vars(value).items():
        if name.startswith("_") or not (doc := inspect.getdoc(member)):
            continue
        if isinstance(member, property) or hasattr(member, "func"):
            lines.append(f"- `{name}`: {markdown(doc, one_line=True)}")
        elif inspect.isfunction(member):
            lines.append(f"- `{signature(name, member, member=True)}`: {markdown(doc, one_line=True)}")
    return ["\n".join(lines)] if lines else []


def signature(name: str, function: Any, member: bool = False) -> str:
    """``name(a: int, *, b: str = "x") -> str``, on lines of their own where that is long."""
    found = inspect.signature(function)
    parts, star = [], False
    for parameter in found.parameters.values():
        if member and parameter.name == "self":
            continue
        said = parameter.name
        if parameter.kind is parameter.VAR_KEYWORD:
            said = "**" + said
        elif parameter.kind is parameter.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        if parameter.annotation is not parameter.empty:
            said += f": {parameter.annotation}"
        if parameter.default is not parameter.empty:
            said += f" = {_default(parameter.default)}"
        parts.append(said)
    result = "" if found.return_annotation is found.empty else f" -> {found.return_annotation}"
    short = f"{name}({', '.join(parts)}){result}"
    if len(short) <= 90:
        return short
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){result}"


def _default(value: object) -> str:
    return str(value) if isinstance(value, enum.Enum) else repr(value)


def _fields(name: str, value: Any) -> str:
    lines = [f"class {name}:"]
    lines += [f"    {field.name}: {field.type}" for field in dataclasses.fields(value)]
    return "\n".join(lines)


def markdown(doc: str, one_line: bool = False) -> str:
    """A docstring as Markdown: literals, roles, literal blocks, and what is raised."""
    doc = inspect.cleandoc(doc)
    doc = re.sub(r":(?:class|func|meth|attr|data|mod|exc):`~?([^`]+)`", r"`\1`", doc)
    doc = re.sub(r"``([^`]+)``", r"`\1`", doc)
    doc = re.sub(r"^:raises (\w+):", r"- Raises `\1`", doc, flags=re.M)
    blocks = re.split(r"::\n\n((?:    .*\n?|\n)+)", doc)
    for place in range(1, len(blocks), 2):
        code = "\n".join(line.removeprefix("    ") for line in blocks[place].strip("\n").splitlines())
        blocks[place] = f":\n\n{fenced(code, 'python')}\n\n"
    text = "".join(blocks)
    return " ".join(text.split()) if one_line else text


# -- commands and schemas -----------------------------------------------------------------------------


def _commands() -> str:
    parts = ["# Every command's help", fenced(output("--help"), "text")]
    for name in cli.list_commands(None):  # type: ignore[arg-type]
        parts += [f"## `convcheck {name}`", fenced(output(name, "--help"), "text")]
    return "\n\n".join(parts) + "\n"


def _schemas() -> str:
    import json
    from importlib.resources import files

    parts = [
        "# JSON schemas",
        "One for each command; they are in the package, in `convergence/report/schemas/`.",
    ]
    for file in sorted(files("convergence.report.schemas").iterdir(), key=lambda f: f.name):
        if file.name.endswith(".schema.json"):
            name = file.name.removesuffix(".schema.json")
            parts += [f"## `{name}`", fenced(json.dumps(schema(name), indent=2), "json")]
    return "\n\n".join(parts) + "\n"
