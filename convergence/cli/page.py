"""What the page in the browser asks of convcheck: a question as JSON in, an answer as JSON out.

Answers are the command line's own: the page's worker calls :func:`invoke` as a shell would, so that the page
and the command that it shows say the same. Only what an editor asks at every key stroke is asked directly.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ..diagnostics import Diagnostic
from ..ir import IntType, type_text
from ..ir.instructions import successors
from ..ir.module import Function, Module
from ..parser import NotLLVM, Unsupported, parse
from ..report.parts import diagnostic_data
from ..source import Source
from ..spirv import is_spirv
from . import Refusal, invoke
from .plumbing import InputError
from .plumbing.load import module_of

FILE = "program.ll"
"""The file's name in the page's own file system, and in what it shows."""
_PLACE = re.compile(r".*?:(\d+)(?::(\d+))?$")


def answer(question: str) -> str:
    """The answer to a question: ``{"ask": "check", "program": ...}``, or ``call`` or ``propose`` with a
    ``"command": [...]``, whose words stand around ``FILE``."""
    request = json.loads(question)
    match request["ask"]:
        case "check":
            return json.dumps(check(request["program"]))
        case "propose":
            return json.dumps(propose(request["program"], request["command"]))
        case _:
            return json.dumps(call(request["program"], request["command"]))


def call(program: str, command: Sequence[str]) -> dict[str, Any]:
    """A command line's exit code, standard output and standard error, with the program as its file. ``fault``
    is why it was refused, in pieces: text, and options, for which the page has fields."""
    Path(FILE).write_text(program, "utf-8", "replace")
    out, err = io.StringIO(), io.StringIO()
    refusals: list[Refusal] = []
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = int(invoke(list(command), refusals.append))
    fault = _pieces(refusals[0]) if refusals else None
    return {"code": code, "out": out.getvalue(), "err": err.getvalue(), "fault": fault}


def _pieces(refusal: Refusal) -> list[str | dict[str, str]]:
    from ..semantics import UsageError

    match refusal:
        case InputError(usage=UsageError() as usage):
            return [part if isinstance(part, str) else part._asdict() for part in usage.parts]
        case InputError():
            place = refusal.place.removeprefix(FILE).lstrip(":")
            line, _, column = place.partition(":")
            where = f"line {line}, column {column}: " if column else f"line {line}: " if line else ""
            return [where + refusal.why]
        case click.BadParameter(param=click.Option() as option):
            name = max(option.opts, key=len).removeprefix("--")
            return [{"name": name, "key": "", "value": ""}, f": {refusal.message}"]
        case _:
            return [refusal.format_message()]


def propose(program: str, command: Sequence[str]) -> dict[str, Any]:
    """What could be launched where a ``run`` of the program leaves that open: ``function``, ``threads``,
    ``arguments`` and ``buffers`` in the command line's words, each only where it is not given. ``{}`` for
    what cannot be launched at all."""
    from ..refine.inputs.space import proposal
    from ..report.parts.words import argument_words
    from ..semantics import NotModelled, UsageError
    from .commands.run import _Runner
    from .commands.run import command as run_command
    from .plumbing.load import load
    from .plumbing.options import with_defaults

    Path(FILE).write_text(program, "utf-8", "replace")
    try:
        with run_command.make_context("run", list(command)) as context:
            loaded = load(FILE)
            options = with_defaults(context, loaded.module, loaded.name)
            chosen = proposal(loaded.module, _Runner(loaded, options, not options["no_verify"]).spec.begun())
    except (click.ClickException, InputError, UsageError, NotLLVM, Unsupported, NotModelled):
        return {}
    return {
        "function": chosen.function,
        "threads": chosen.threads,
        "arguments": {n: ",".join(map(argument_words, values)) for n, values in chosen.arguments.items()},
        "buffers": dict(chosen.buffers),
    }


def check(program: str) -> dict[str, Any]:
    """What an editor shows of a program, whatever it is launched with: ``diagnostics`` with their places,
    ``functions`` that can be launched, and the words of its own ``; CONVCHECK:`` lines."""
    from ..verifier import verify

    try:
        module, structural = _module(program)
        diagnostics = (*structural, *verify(module))
    except InputError as error:
        found_at = _PLACE.match(error.place)
        line, column = (int(n) if n else None for n in found_at.groups()) if found_at else (None, None)
        return {"diagnostics": [_fault(error.why, line, column)]}
    except NotLLVM as error:
        return {"diagnostics": [_fault(error.message, error.line, error.column)]}
    except Unsupported as error:
        words = f"not supported: {error.message}"
        return {"diagnostics": [_fault(words, error.line, error.column)]}
    except RecursionError:
        return {"diagnostics": [_fault("not supported: nested too deeply", None, None)]}
    except Exception as error:
        words = f"a bug in convcheck ({error}): please report it with this program"
        return {"diagnostics": [_fault(words, None, None)]}
    return {
        "diagnostics": [_diagnostic(module.source, diagnostic) for diagnostic in diagnostics],
        "functions": [_function(module, f) for f in module.definitions()],
        "launch": _directives(module),
    }


def _module(program: str) -> tuple[Module, tuple[Diagnostic, ...]]:
    """The module that a text spells, in LLVM IR or as a disassembly of SPIR-V, and what breaks the rules of
    structure in that. Raises what reading either raises."""
    data = program.encode("utf-8", "replace")
    if is_spirv(data):
        module, _, structural = module_of(FILE, data)
        return module, structural
    return parse(program, FILE), ()


def _fault(message: str, line: int | None, column: int | None) -> dict[str, Any]:
    return {
        "severity": "error", "rule": None, "message": message, "line": line or 1, "column": column or 1,
        "end_line": None, "end_column": None, "witness": None, "labels": [], "help": None,
    }  # fmt: skip


def _diagnostic(source: Source, violation: Diagnostic) -> dict[str, Any]:
    return dict(diagnostic_data(source, violation))


def _function(module: Module, function: Function) -> dict[str, Any]:
    return {
        "name": function.name,
        "parameters": [
            {
                "name": p.name,
                "type": type_text(p.type),
                "bits": p.type.bits if isinstance(p.type, IntType) else None,
            }
            for p in function.parameters
        ],
        "blocks": [
            {
                "name": block.name,
                "line": module.source.position(block.span.start).line if block.span.start >= 0 else None,
                "to": list(dict.fromkeys(successors(block.terminator))),
            }
            for block in function.blocks
        ],
    }


def _directives(module: Module) -> list[str]:
    """The words of the file's own lines; none of a line that no shell would split."""
    words: list[str] = []
    for directive in module.directives:
        with contextlib.suppress(ValueError):
            words += directive.words()
    return words
