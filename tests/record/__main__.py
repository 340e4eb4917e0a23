"""``python -m tests.record programs|write|compare|show``: see the package."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from . import compare, execute, index


def main() -> int:
    parser = argparse.ArgumentParser(prog="record", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    freeze = commands.add_parser("programs", help="freeze programs and command lines in a folder")
    freeze.add_argument("folder", type=Path)
    write = commands.add_parser("write", help="run the command lines and record what they say")
    write.add_argument("out", type=Path, help="one JSON line an answer; OUT.times says how long each took")
    write.add_argument("--programs", type=Path, required=True, metavar="DIR")
    write.add_argument("--shard", default="1/1", metavar="I/N", help="every N-th, from the I-th on")
    write.add_argument("--only", action="append", default=[], metavar="KIND", help="only these kinds")
    write.add_argument("--ids", type=Path, metavar="FILE", help="only these ids, one a line")
    write.add_argument("--skip", type=Path, metavar="FILE", help="not the ids of this record: to go on")
    same = commands.add_parser("compare", help="tell two records apart; exit code 1 if they differ")
    same.add_argument("before", type=Path)
    same.add_argument("after", type=Path)
    same.add_argument("--only", action="append", default=[], metavar="KIND")
    same.add_argument("--ids", type=Path, metavar="FILE")
    same.add_argument("--show", type=int, default=12, metavar="N", help="differences that are shown")
    same.add_argument("--except", action="append", default=[], metavar="PLACE", dest="excepted")
    show = commands.add_parser("show", help="print one answer in full")
    show.add_argument("id")
    show.add_argument("--programs", type=Path, required=True, metavar="DIR")
    options = parser.parse_args()
    match options.command:
        case "programs":
            from .programs import write_programs  # the only part that knows generators

            print(write_programs(options.folder), "command lines")
            return 0
        case "write":
            return _write(options)
        case "compare":
            asked = (options.only, options.show, _ids(options.ids), options.excepted)
            return compare.compare(options.before, options.after, *asked)
        case _:
            return _show(options)


def _ids(path: Path | None) -> frozenset[str] | None:
    return None if path is None else frozenset(path.read_text().split("\n")) - {""}


def _write(options: argparse.Namespace) -> int:
    ids = _ids(options.ids)
    done = compare.read(options.skip).keys() if options.skip else ()
    this, of = map(int, options.shard.split("/"))
    todo = [
        c
        for place, c in enumerate(index.read_index(options.programs))
        if place % of == this - 1
        and (not options.only or c.kind in options.only)
        and (ids is None or c.id in ids)
        and c.id not in done
    ]
    with options.out.open("w") as out, Path(f"{options.out}.times").open("w") as times:
        os.chdir(options.programs)  # answers name files as command lines do
        for number, (commands, record, seconds) in enumerate(execute.execute(todo), 1):
            whole = {"id": commands.id, "kind": commands.kind, "line": commands.line, **record}
            out.write(json.dumps(whole, ensure_ascii=True) + "\n")
            times.write(f"{seconds:.2f}\t{commands.id}\n")
            if number % 500 == 0:
                out.flush()
                times.flush()
                print(f"{number} of {len(todo)}", file=sys.stderr, flush=True)
    return 0


def _show(options: argparse.Namespace) -> int:
    [commands] = [c for c in index.read_index(options.programs) if c.id == options.id]
    os.chdir(options.programs)
    codes, out, err = execute.run_pipe(commands)
    print(commands.line)
    sys.stdout.flush()
    sys.stdout.buffer.write(out + err)
    print("exit code", *codes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
