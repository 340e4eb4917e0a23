"""``python -m tests.llvm_suite list|run|report``: see the package."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from math import inf
from pathlib import Path
from typing import Any

from .answer import answer
from .questions import Question, questions
from .report import report

Record = dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(prog="llvm_suite", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    listing = commands.add_parser("list", help="what would be asked, one question a line")
    running = commands.add_parser(
        "run", help="ask, and append one JSON line a question; goes on where it was"
    )
    running.add_argument("out", type=Path)
    for command in (listing, running):
        command.add_argument("--tests", type=Path, required=True, metavar="DIR", help="LLVM's llvm/test")
        command.add_argument("--every", type=int, default=1, metavar="N", help="every N-th pair only")
        command.add_argument("--only", default="", metavar="WORD", help="only files with WORD in their names")
        command.add_argument(
            "--below", type=float, default=inf, metavar="N", help="pairs of smaller files only"
        )
        command.add_argument("--own", action="store_true", help="only pipelines of the files' RUN lines")
    running.add_argument("--opt", default="opt-22")
    running.add_argument("--jobs", type=int, default=1)
    running.add_argument("--timeout", type=float, default=5, metavar="S", help="refine's time-out for a pair")
    counting = commands.add_parser("report", help="count answers by verdict and by reason")
    counting.add_argument("out", type=Path)
    options = parser.parse_args()
    match options.command:
        case "list":
            for question in questions(
                _tree(options.tests), options.every, options.only, options.own, options.below
            ):
                print(question.id)
        case "run":
            _run(options)
        case _:
            print(report(read(options.out)))
    return 0


def read(out: Path) -> list[Record]:
    """The records of a sweep; a last line that was cut off does not count."""
    if not out.exists():
        return []
    lines = out.read_text(encoding="utf-8").split("\n")[:-1]
    return [json.loads(line) for line in lines]


def _tree(tests: Path) -> Path:
    """``llvm/test``, also where the tree that holds it is given."""
    for inner in (tests, tests / "test", tests / "llvm" / "test"):
        if (inner / "Transforms").is_dir():
            return inner.resolve()
    sys.exit(f"{tests} holds none of LLVM's tests: there is no Transforms/ in it")


def _run(options: argparse.Namespace) -> None:
    tests = _tree(options.tests)
    records = read(options.out)
    options.out.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    done = {r["id"] for r in records}
    todo = [
        q
        for q in questions(tests, options.every, options.only, options.own, options.below)
        if q.id not in done
    ]
    said = subprocess.run([options.opt, "--version"], capture_output=True, text=True, check=True).stdout
    print(
        f"{len(todo)} questions, {len(done)} answered before; {' '.join(said.split()[:5])}", file=sys.stderr
    )
    with options.out.open("a", encoding="utf-8", buffering=1) as out:
        for number, record in enumerate(_answers(todo, tests, options), 1):
            out.write(json.dumps(record) + "\n")
            if number % 100 == 0:
                print(f"{number} of {len(todo)}", file=sys.stderr, flush=True)


def _answers(todo: Sequence[Question], tests: Path, options: argparse.Namespace) -> Iterator[Record]:
    """In the questions' order, ``--jobs`` at a time."""
    with ThreadPoolExecutor(options.jobs) as pool:
        ahead: list[Future[Record]] = []
        for question in todo:
            ahead.append(pool.submit(answer, question, tests, options.opt, options.timeout))
            if len(ahead) > 2 * options.jobs:
                yield ahead.pop(0).result()
        for future in ahead:
            yield future.result()


if __name__ == "__main__":
    sys.exit(main())
