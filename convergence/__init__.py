"""convcheck: a formal reference interpreter and verifier for LLVM's convergence-control tokens.

The front door; everything else is inside::

    import convergence as cc

    module = cc.parse_file("kernel.ll")
    for found in cc.verify(module):
        print(found.rule.id, found.message)
    run = cc.run(module, threads=2, arguments={"x": [1, 10]})
    print(*cc.picture(run.execution, module, "kernel"), sep="\\n")

``parse`` and ``parse_file`` give a :class:`Module`, or raise :class:`NotLLVM` or :class:`Unsupported`; a file
may hold SPIR-V, too (:mod:`convergence.spirv`).
What executes raises :class:`UsageError` for a launch that does not fit the module.
``verify`` gives every violation of the static rules as a :class:`Diagnostic`. ``run`` gives one legal
execution as a :class:`Run`; ``enumerate`` gives every legal alignment and outcome as an :class:`Enumeration`.
``why`` says of two instances of a run why they are converged or not, as a :class:`Why`. ``simulate`` runs a
module on lock-step machines and says whether each stays legal, as :class:`Simulations`. ``refine`` compares
a module before and after a transform, as a :class:`Refinement`; ``optimise`` gives the text that LLVM's
passes make of a text, or raises :class:`PassFailed`.
``allows`` says whether an alignment or a final state is legal, as an :class:`Allowed`; ``litmus`` holds the
conditions that a text states against every model, as a :class:`Litmus`.
``uniformity`` says which values are the same in all converged threads, as a :class:`Uniformity`.
``infer`` gives an uncontrolled module tokens, or raises :class:`CannotTransform`; ``inline`` substitutes
controlled calls; both give a :class:`Module`.
``fuzz`` sends random programs through LLVM's passes and ``refine``, as a :class:`Campaign`; ``reduce`` makes
a :class:`Module` smaller on which a pass goes wrong; ``explain`` gives one rule, as an :class:`Explanation`.
All of these show themselves: as the command line's text in ``print``, with pictures in a notebook, and as
plain data by ``to_dict()`` and ``to_json()``. All can be pickled.
Names are imported when they are first used: ``import convergence`` itself costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .packages import __version__, conflict

if (_conflict := conflict(__path__[0])) is not None:
    import warnings

    warnings.warn(_conflict, stacklevel=2)

if TYPE_CHECKING:
    from .alignment import picture
    from .cli.plumbing.examples import explain
    from .diagnostics import Diagnostic, Diagnostics
    from .files import parse_file
    from .fuzz.campaign import NotThisCampaign
    from .fuzz.front import Campaign, fuzz, reduce
    from .ir.module import Module
    from .parser import NotLLVM, Unsupported, parse
    from .passes import PassFailed, optimise
    from .refine import Refinement, refine
    from .report.explain import Explanation
    from .rules import Rule
    from .sched.ask.allows import Allowed, allows
    from .sched.ask.litmus import Litmus, litmus
    from .sched.engines import enumerate as enumerate
    from .sched.enumeration import Enumeration
    from .sched.lockstep.simulate import Simulated, Simulations, simulate
    from .sched.why import Why, why
    from .semantics import NotModelled, UsageError
    from .semantics.machine.run import Run, run
    from .transform.infer import CannotTransform, infer
    from .transform.inline import inline
    from .uniformity import Uniformity, uniformity
    from .verifier import verify

__all__ = [
    "Allowed",
    "Campaign",
    "CannotTransform",
    "Diagnostic",
    "Diagnostics",
    "Enumeration",
    "Explanation",
    "Litmus",
    "Module",
    "NotLLVM",
    "NotModelled",
    "NotThisCampaign",
    "PassFailed",
    "Refinement",
    "Rule",
    "Run",
    "Simulated",
    "Simulations",
    "Uniformity",
    "Unsupported",
    "UsageError",
    "Why",
    "__version__",
    "allows",
    "explain",
    "fuzz",
    "infer",
    "inline",
    "litmus",
    "optimise",
    "parse",
    "parse_file",
    "picture",
    "reduce",
    "refine",
    "run",
    "simulate",
    "uniformity",
    "verify",
    "why",
]
"""What ``from convergence import *`` gives: all but ``enumerate``, which is also a builtin's name."""

_HOME = {
    "Allowed": "sched.ask.allows",
    "Campaign": "fuzz.front",
    "CannotTransform": "transform.infer",
    "Diagnostic": "diagnostics",
    "Diagnostics": "diagnostics",
    "Enumeration": "sched.enumeration",
    "Explanation": "report.explain",
    "Litmus": "sched.ask.litmus",
    "Module": "ir.module",
    "NotLLVM": "parser",
    "NotModelled": "semantics",
    "NotThisCampaign": "fuzz.campaign",
    "PassFailed": "passes",
    "Refinement": "refine.verdict.result",
    "Rule": "rules",
    "Run": "semantics.machine.run",
    "Simulated": "sched.lockstep.simulate",
    "Simulations": "sched.lockstep.simulate",
    "Uniformity": "uniformity.answer",
    "Unsupported": "parser",
    "UsageError": "semantics",
    "Why": "sched.why",
    "allows": "sched.ask.allows",
    "enumerate": "sched.engines",
    "explain": "cli.plumbing.examples",
    "fuzz": "fuzz",
    "infer": "transform.infer",
    "inline": "transform.inline",
    "litmus": "sched.ask.litmus",
    "optimise": "passes.pipelines",
    "parse": "parser",
    "parse_file": "files",
    "picture": "alignment",
    "reduce": "fuzz.front",
    "refine": "refine",
    "run": "semantics.machine.run",
    "simulate": "sched.lockstep.simulate",
    "uniformity": "uniformity",
    "verify": "verifier",
    "why": "sched.why",
}


def __getattr__(name: str) -> Any:
    """Import a public name from its home at the first use."""
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f".{home}", __name__)
    value = module if home == name else getattr(module, name)  # a package of that name can itself be called
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *_HOME})
