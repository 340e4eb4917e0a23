"""LLVM's textual pipelines: their passes, the processes in which llvmlite runs them, and text through one
to text.
"""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from ..frozen import dataclass
from ..packages import without_llvm
from ..workers import ProcessEnded, Worker, environment
from . import outside
from .outside import PassFailed, crashed, last_words, one_line

# ----------------------------------------------------------------------------------------------------------
# LLVM's textual pipelines, as far as llvmlite's pass builder offers them.
#
# The names are those of ``opt -passes=``; the grammar is that of LLVM's *PassBuilder*: elements separated by
# commas, with parameters in ``<>`` and nested pipelines in ``()``.
# ----------------------------------------------------------------------------------------------------------

MODULE: Mapping[str, str] = {
    "always-inline": "add_always_inliner_pass",
    "constmerge": "add_constant_merge_pass",
    "deadargelim": "add_dead_arg_elimination_pass",
    "globaldce": "add_global_dead_code_eliminate_pass",
    "globalopt": "add_global_opt_pass",
    "internalize": "add_internalize_pass",
    "ipsccp": "add_ipsccp_pass",
    "loop-extract": "add_loop_extract_pass",
    "mergefunc": "add_merge_functions_pass",
    "partial-inliner": "add_partial_inliner_pass",
    "rpo-function-attrs": "add_rpo_function_attrs_pass",
    "strip": "add_strip_symbols_pass",
    "strip-dead-debug-info": "add_strip_dead_debug_info_pass",
    "strip-dead-prototypes": "add_strip_dead_prototype_pass",
    "strip-debug-declare": "add_strip_debug_declare_pass",
    "strip-nondebug": "add_strip_non_debug_symbols_pass",
}
CGSCC: Mapping[str, str] = {
    "argpromotion": "add_argument_promotion_pass",
    "function-attrs": "add_post_order_function_attributes_pass",
}
FUNCTION: Mapping[str, str] = {
    "adce": "add_aggressive_dce_pass",
    "aggressive-instcombine": "add_aggressive_instcombine_pass",
    "break-crit-edges": "add_break_critical_edges_pass",
    "dce": "add_dead_code_elimination_pass",
    "dse": "add_dead_store_elimination_pass",
    "instcombine": "add_instruction_combine_pass",
    "instnamer": "add_instruction_namer_pass",
    "jump-threading": "add_jump_threading_pass",
    "lcssa": "add_lcssa_pass",
    "loop-simplify": "add_loop_simplify_pass",
    "loop-unroll": "add_loop_unroll_pass",
    "loop-unroll-and-jam": "add_loop_unroll_and_jam_pass",
    "lower-atomic": "add_lower_atomic_pass",
    "lower-invoke": "add_lower_invoke_pass",
    "lower-switch": "add_lower_switch_pass",
    "memcpyopt": "add_mem_copy_opt_pass",
    "mergereturn": "add_unify_function_exit_nodes_pass",
    "newgvn": "add_new_gvn_pass",
    "reassociate": "add_reassociate_pass",
    "reg2mem": "add_register_to_memory_pass",
    "sccp": "add_sccp_pass",
    "simplifycfg": "add_simplify_cfg_pass",
    "sink": "add_sinking_pass",
    "sroa<preserve-cfg>": "add_sroa_pass",
    "tailcallelim": "add_tail_call_elimination_pass",
}
LOOP: Mapping[str, str] = {
    "loop-deletion": "add_loop_deletion_pass",
    "loop-reduce": "add_loop_strength_reduce_pass",
    "loop-rotate": "add_loop_rotate_pass",
}

NEARLY: Mapping[str, str] = {"sroa": "sroa<preserve-cfg>"}
"""What ``opt`` runs in another form than the only one that llvmlite has."""

_LEVEL = re.compile(r"default<O([0-3])>\Z")
_SHORT = re.compile(r"-?O([0-3sz])\Z")
_NESTS = {"module": MODULE, "cgscc": CGSCC, "function": FUNCTION, "loop": LOOP}


@dataclass(frozen=True, slots=True)
class PassStep:
    """One element: ``name`` as in the pipeline; ``level`` of a default pipeline, or llvmlite's ``method``."""

    name: str
    level: int | None = None
    method: str | None = None


@dataclass(frozen=True, slots=True)
class PassPlan:
    """A pipeline that llvmlite offers. ``differs`` says where ``opt`` would do otherwise: it runs several
    loop passes in a row loop by loop, and llvmlite has one form of a pass only."""

    steps: tuple[PassStep, ...]
    differs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotOffered:
    """The first element of a pipeline that llvmlite does not offer."""

    element: str


def normal(pipeline: str) -> str:
    """A pipeline as ``opt`` writes it: ``-O1`` and ``O1`` are ``default<O1>``, and no blanks.

    >>> normal(" O2 , simplifycfg")
    'default<O2>,simplifycfg'
    """
    parts = ["".join(part.split()) for part in split(pipeline)]
    return ",".join(_SHORT.sub(r"default<O\1>", part) for part in parts)


def split(pipeline: str) -> list[str]:
    """The elements of a pipeline: parts between commas outside ``<>`` and ``()``."""
    parts, depth, start = [], 0, 0
    for at, sign in enumerate(pipeline):
        if sign in "<(":
            depth += 1
        elif sign in ">)":
            depth -= 1
        elif sign == "," and depth == 0:
            parts.append(pipeline[start:at])
            start = at + 1
    parts.append(pipeline[start:])
    return parts


def plan(pipeline: str) -> PassPlan | NotOffered:
    """How llvmlite runs a pipeline, or what in it that does not offer.

    Function passes in a row run one after the other over all functions, where ``opt`` takes function by
    function: the same, as such a pass neither changes nor reads another function's body.
    """
    steps: list[PassStep] = []
    differs: list[str] = []
    for element in split(pipeline):
        step = _step(element)
        if isinstance(step, NotOffered):
            return step
        differs += step.differs
        if steps and steps[-1].name in LOOP and step.steps and step.steps[0].name in LOOP:
            differs.append(_IN_A_ROW)
        steps += step.steps
    return PassPlan(tuple(steps), tuple(dict.fromkeys(differs)))


_IN_A_ROW = "passes of a nest ran one after the other over the whole module"


def _step(element: str) -> PassPlan | NotOffered:
    if match := _LEVEL.match(element):
        return PassPlan((PassStep(element, level=int(match[1])),))
    if element == "no-op-module":
        return PassPlan(())
    name, bracket, rest = element.partition("(")
    if bracket and name in _NESTS and rest.endswith(")"):
        inner = plan(rest[:-1])
        if isinstance(inner, NotOffered) or len(inner.steps) < 2 or name in ("module", "function"):
            return inner
        return PassPlan(inner.steps, tuple(dict.fromkeys((*inner.differs, _IN_A_ROW))))
    if element in NEARLY:
        other = NEARLY[element]
        return PassPlan((PassStep(element, method=FUNCTION[other]),), (f"{element} ran as {other}",))
    for table in _NESTS.values():
        if element in table:
            return PassPlan((PassStep(element, method=table[element]),))
    return NotOffered(element)


def offered() -> tuple[str, ...]:
    """Every element that llvmlite offers, in order."""
    single = [name for table in _NESTS.values() for name in table]
    return (*(f"default<O{level}>" for level in range(4)), *sorted([*single, *NEARLY]))


# ----------------------------------------------------------------------------------------------------------
# llvmlite's passes: the processes in which they run, one per set of LLVM's flags, kept for later.
# ----------------------------------------------------------------------------------------------------------


WORKER = Path(__file__).with_name("worker.py")
PATIENCE = 60.0  # seconds for the process to start
READY = b"+"
"""What the process writes first."""
REQUESTS = 5_000
"""Pipelines that one process runs: some 30 kB of LLVM's memory stay behind with each."""


class UnknownFlag(Exception):
    """llvmlite's LLVM does not know a flag; the message says which."""


@dataclass(frozen=True, slots=True)
class PassOutput:
    """What LLVM made of a module: its text, what is to be known about how, and what the passes printed; and,
    as data, what LLVM says of the texts before and behind, where that was asked."""

    text: str
    notes: tuple[str, ...]
    printed: str
    answers: Mapping[str, Any] = field(default_factory=dict)


def run(
    text: str, pipeline: str, plan: PassPlan, flags: Sequence[str], timeout: float, asks: bool = False
) -> PassOutput:
    """The module after a plan's steps. ``asks``: what LLVM says of the two texts is wanted, too.

    :raises PassFailed: if LLVM ends itself, gives no answer in time, or cannot read the text
    :raises UnknownFlag: if it does not know one of the flags
    """
    request, rest = _request(text, [plan], flags, asks)
    output = _worker(rest).begin(request, (pipeline,), timeout).wait()[0]
    if isinstance(output, PassFailed):
        raise output
    return output


def _request(
    text: str, plans: Sequence[PassPlan], flags: Sequence[str], asks: bool
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What LLVM's process is asked about a text, and with which flags it must run. Raises UnknownFlag."""
    triple, rest = _triple(flags)
    pipelines = [
        [step.level if step.level is not None else step.method for step in plan.steps] for plan in plans
    ]
    return {"text": text, "triple": triple, "pipelines": pipelines, "asks": asks and not rest}, rest


def _triple(flags: Sequence[str]) -> tuple[str | None, tuple[str, ...]]:
    """``-mtriple``, which is a flag of ``opt``'s own, and the other flags.

    :raises UnknownFlag: for a flag that LLVM does not know here (it would pass over it), or that only
        ``opt`` heeds
    """
    triple, rest = None, []
    words = iter(flags)
    for word in words:
        name, equals, value = word.partition("=")
        if name.lstrip("-") == "mtriple" and word.startswith("-"):
            triple = value if equals else next(words, "")
        else:
            if (
                not word.startswith("-")
                or name.lstrip("-") in _OF_A_TOOL
                or name.lstrip("-") not in _flag_names()
            ):
                raise UnknownFlag(f"llvmlite does not take the flag {word}")
            rest.append(word)
    return triple, tuple(rest)


@dataclasses.dataclass(slots=True)
class _UnderWay:
    """A request whose answer has not been looked at: ``end``, until when it must begin, by the monotonic
    clock. ``outputs`` are those of the first of the ``pipelines``, up to one on which LLVM failed."""

    worker: _PassWorker
    pipelines: tuple[str, ...]
    asks: bool
    timeout: float
    end: float
    settled: bool = False
    outputs: list[PassOutput | PassFailed] = field(default_factory=list)

    def wait(self) -> Sequence[PassOutput | PassFailed]:
        """The outputs."""
        with self.worker.lock:
            self.settle()
        return self.outputs

    def settle(self) -> None:
        """Read the answer unless it is read; the worker's lock is held."""
        if self.settled:
            return
        self.settled, self.worker.under_way = True, None
        for pipeline in self.pipelines:
            try:
                self.outputs.append(self.worker.output(pipeline, self.end, self.timeout))
            except PassFailed as failed:
                self.outputs.append(failed)
                return
            self.end = time.monotonic() + self.timeout
        if self.asks:
            self._look_at_what_llvm_says()
        self.worker.end_if_old()

    def _look_at_what_llvm_says(self) -> None:
        try:
            about = self.worker.receive(self.end)
        except (TimeoutError, ProcessEnded):  # who parses the texts asks anew, and is told
            return
        for k, output in enumerate(self.outputs):
            if isinstance(output, PassOutput) and "error" not in about:
                answers = {"source": about["source"], "target": about["targets"][k]}
                known = {which: answer for which, answer in answers.items() if answer is not None}
                self.outputs[k] = replace(output, answers=known)


@dataclasses.dataclass(slots=True)
class _PassWorker(Worker):
    """The process of one set of flags, how many pipelines it ran, and what it was asked last if nobody has
    looked at the answer."""

    flags: tuple[str, ...] = ()
    served: int = 0
    lock: Lock = field(default_factory=Lock)
    under_way: _UnderWay | None = None

    def begin(self, request: dict[str, Any], pipelines: tuple[str, ...], timeout: float) -> _UnderWay:
        """Ask; the answer may be looked at later. Raises UnknownFlag."""
        with self.lock:
            if self.under_way is not None:
                self.under_way.settle()
            under_way = _UnderWay(self, pipelines, request["asks"], timeout, 0.0)
            try:
                self._start()
                under_way.end = time.monotonic() + timeout
                self.send(json.dumps(request).encode("ascii"))
            except PassFailed as failed:
                under_way.settled, under_way.outputs = True, [failed]
            except ProcessEnded as ended:
                under_way.settled, under_way.outputs = True, [crashed(pipelines[0], ended.code, ended.words)]
            else:
                self.under_way = under_way
            return under_way

    def output(self, pipeline: str, end: float, timeout: float) -> PassOutput:
        """The next part of the answer to what was asked last; the lock is held."""
        try:
            reply = self.receive(end)
        except TimeoutError:
            raise PassFailed(f"LLVM did not end in {timeout:g} s on {pipeline}", "timeout") from None
        except ProcessEnded as ended:
            raise crashed(pipeline, ended.code, ended.words) from None
        words = self.words()
        self.served += 1
        if "error" in reply:
            why = reply["error"].removeprefix("LLVM IR parsing error").strip()
            raise PassFailed(f"LLVM does not read the module: {one_line(why)}", "refused", words)
        return PassOutput(reply["text"], tuple(reply["notes"]), words)

    def end_if_old(self) -> None:
        """End the process if it has served for long; the lock is held, and nothing is under way."""
        if self.served >= REQUESTS:
            self.stop()

    def _start(self) -> None:
        """Start the process unless it runs, and see that LLVM takes the flags."""
        if self.running() is not None:
            return
        self.served = 0
        try:
            self.start(WORKER, self.flags, keep=True)
        except OSError as error:
            raise PassFailed(f"no process can be started: {error}", "unavailable") from None
        try:
            first = self.first(PATIENCE)
        except TimeoutError:
            raise PassFailed("LLVM's process does not start", "timeout") from None
        except ProcessEnded as end:
            raise UnknownFlag(last_words(end.words) or "LLVM's process does not start") from None
        if words := self.words():
            self.stop()
            raise UnknownFlag(one_line(words.removeprefix("convcheck: ")))
        if first != READY:  # a flag for which LLVM prints something, and ends
            self.stop()
            raise UnknownFlag(f"llvmlite runs no passes with {' '.join(self.flags)}")


_OF_A_TOOL = frozenset(("mcpu", "mattr", "march", "passes", "S", "o", "f", "version"))


@cache
def _flag_names() -> frozenset[str]:
    """The names of all flags of llvmlite's LLVM, by its own list, without dashes."""
    code = "from llvmlite import binding; binding.set_option('convcheck', '--help-list-hidden')"
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment(), timeout=PATIENCE
    )
    return frozenset(re.findall(r"^ +--?([-\w.]+)", done.stdout, re.MULTILINE))


@cache
def _worker(flags: tuple[str, ...]) -> _PassWorker:
    return _PassWorker(flags=flags)


# ----------------------------------------------------------------------------------------------------------
# From text through a pipeline to text: who runs it, and on what terms.
# ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Optimised:
    """A module after a pipeline. ``by`` says who ran it (``llvmlite``, ``opt (LLVM 22.1.8)``), ``notes`` on
    what terms: the target, and what differs from ``opt``. ``printed`` is what the passes printed. ``answers``
    is what the same LLVM says of the texts before and behind, where it was asked, as data for
    :func:`convergence.parser.llvm.remember`."""

    text: str
    by: str
    notes: tuple[str, ...] = ()
    printed: str = ""
    answers: tuple[tuple[str, Any], ...] = ()


def optimise(
    text: str, pipeline: str, *, opt: str | None = None, opt_args: Sequence[str] = (), timeout: float = 60
) -> str:
    """The text of a module after one of LLVM's pipelines, in the words of ``opt -passes=``.

    llvmlite runs what it offers, unless ``opt`` names a program; everything else is for that program, or for
    ``opt`` or ``opt-22`` on PATH. ``opt_args`` are flags of ``opt`` and of LLVM. Nothing is added to the
    module: it keeps its own triple, and its attributes are what the passes make of them.

    :raises PassFailed: if LLVM crashes, refuses the pipeline or takes more than ``timeout`` seconds, or if
        nothing here offers the pipeline
    """
    return optimised(text, pipeline, opt=opt, opt_args=opt_args, timeout=timeout).text


def optimised(
    text: str,
    pipeline: str,
    *,
    opt: str | None = None,
    opt_args: Sequence[str] = (),
    timeout: float = 60,
    asks: bool = False,
) -> Optimised:
    """Like :func:`optimise`, with who ran it and on what terms. ``asks``: who parses the texts next has LLVM
    asked about them, and so llvmlite's is, while it has them."""
    known: object = text
    if not isinstance(known, str):
        hint = ": its text is module.source.text" if hasattr(text, "source") else ""
        raise TypeError(f"optimise() takes the text of a module, and not {known!r}{hint}")
    pipeline = normal(pipeline)
    if not pipeline:
        raise PassFailed("the pipeline is empty", "refused")
    steps = plan(pipeline)
    program = None
    if opt is not None or isinstance(steps, NotOffered) or steps.differs:
        program = outside.find(opt)
    llvm_is_there = without_llvm() is None
    if program is None and not llvm_is_there and (program := outside.find(None)) is None:
        raise PassFailed(f"LLVM's passes cannot run here ({without_llvm()}); {_HELP}", "unavailable")
    if isinstance(steps, PassPlan) and program is None:
        try:
            return _by_llvmlite(text, steps, run(text, pipeline, steps, opt_args, timeout, asks))
        except UnknownFlag as error:
            if (program := outside.find(None)) is None:
                raise PassFailed(f"{error}; {_HELP}", "unavailable") from None
    if program is None:
        assert isinstance(steps, NotOffered)
        raise PassFailed(f"llvmlite does not offer the pass {steps.element!r}; {_HELP}", "unavailable")
    text, printed = outside.run(program, text, pipeline, opt_args, timeout)
    return Optimised(text, outside.version(program), (_target(text),), printed)


def _by_llvmlite(text: str, steps: PassPlan, output: PassOutput) -> Optimised:
    notes = (*output.notes, *(f"{what}, unlike in opt" for what in steps.differs))
    texts = {"source": text, "target": output.text}
    answers = tuple((texts[which], answer) for which, answer in output.answers.items())
    return Optimised(output.text, "llvmlite", notes, output.printed, answers)


@dataclasses.dataclass(slots=True)
class Outputs:
    """What pipelines make of a text, under way in LLVM's process while this one does something else: those of
    ``plans``, in their order. The others, and those after one on which LLVM fails, run when they are asked
    for."""

    text: str
    opt: str | None
    opt_args: Sequence[str]
    timeout: float
    plans: Mapping[str, PassPlan]
    under_way: _UnderWay | None

    def of(self, pipeline: str) -> Optimised:
        """What :func:`optimised` gives, where LLVM is asked about the texts; but for what passes print, which
        may be of another pipeline that ran meanwhile. Raises PassFailed."""
        if self.under_way is not None and pipeline in self.plans:
            outputs = self.under_way.wait()
            place = list(self.plans).index(pipeline)
            if place < len(outputs):
                output = outputs[place]
                if isinstance(output, PassFailed):
                    raise output
                return _by_llvmlite(self.text, self.plans[pipeline], output)
        return optimised(
            self.text, pipeline, opt=self.opt, opt_args=self.opt_args, timeout=self.timeout, asks=True
        )


def begin(
    text: str, pipelines: Sequence[str], *, opt: str | None, opt_args: Sequence[str], timeout: float
) -> Outputs:
    """Send a text through pipelines, whose outputs are wanted later. ``timeout`` seconds are for each."""
    plans = {pipeline: steps for pipeline in pipelines if (steps := _exact(pipeline, opt)) is not None}
    under_way = None
    if plans:
        with suppress(UnknownFlag):
            request, flags = _request(text, list(plans.values()), opt_args, True)
            under_way = _worker(flags).begin(request, tuple(map(normal, plans)), timeout)
    return Outputs(text, opt, opt_args, timeout, plans, under_way)


def _exact(pipeline: str, opt: str | None) -> PassPlan | None:
    """How llvmlite runs a pipeline as ``opt`` would."""
    if opt is not None or without_llvm() is not None or not (elements := normal(pipeline)):
        return None
    steps = plan(elements)
    return None if isinstance(steps, NotOffered) or steps.differs else steps


def _target(text: str) -> str:
    """Which target ``opt`` used: the one that its output names."""
    match = _TRIPLE.search(text)
    return f"target {match[1]}" if match else "no target triple: the passes ran without a target"


_TRIPLE = re.compile(r'^target triple = "(.+)"$', re.MULTILINE)


_HELP = "LLVM's own opt may: install LLVM 22 (opt or opt-22 on PATH), or say where it is with --opt PATH"
"""What would help where llvmlite cannot."""
