"""What LLVM says of a module's values and branches, matched by name. Nothing is guessed: what has no name
there is said to have none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ..frozen import dataclass
from ..ir.calls import control
from ..ir.cfg import build_cfg
from ..ir.cycles import Order, cycles
from ..ir.instructions import CallSite, successors
from ..ir.module import Function, Module
from .observe import Subject


class FunctionClaims(Protocol):
    """What :mod:`convergence.passes.uniformity` read of one function: ``uniform`` by value, but of parameters
    only the divergent ones; ``branches`` by block; ``cycles`` as (header, blocks); ``everything``: all is
    uniform."""

    @property
    def uniform(self) -> Mapping[str, bool]: ...
    @property
    def branches(self) -> Mapping[str, bool]: ...
    @property
    def cycles(self) -> frozenset[tuple[str, frozenset[str]]]: ...
    @property
    def everything(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class LlvmClaims:
    """``by`` names the program that was asked, for ``triple``. ``divergence`` is false for a target for which
    LLVM takes everything to be uniform without looking. ``missing`` are functions of which it says
    nothing."""

    by: str
    triple: str
    functions: Mapping[str, FunctionClaims]
    divergence: bool = True
    missing: tuple[str, ...] = ()

    def subjects(self, module: Module) -> Mapping[Subject, bool]:
        """The claims, of values and branches of ``module`` that a thread can reach."""
        claims: dict[Subject, bool] = {}
        if not self.divergence:
            return claims
        for name, claimed in self.functions.items():
            function = module.functions.get(name)
            if function is None:
                continue
            parameters = {parameter.name: True for parameter in function.parameters}
            uniform = {**parameters, **claimed.uniform}  # only divergent parameters are printed
            for value in _values(function):
                if (claim := True if claimed.everything else uniform.get(value)) is not None:
                    claims[Subject(name, value)] = claim
            for block in _branches(function):
                if (claim := True if claimed.everything else claimed.branches.get(block)) is not None:
                    claims[Subject(name, block, True)] = claim
        return claims

    def unnamed(self, module: Module) -> tuple[Subject, ...]:
        """Values and branches of the module of which LLVM says nothing by name."""
        known = self.subjects(module)
        return tuple(
            subject
            for name in self.functions
            if (function := module.functions.get(name)) is not None and self.divergence
            for subject in (
                *(Subject(name, v) for v in _values(function)),
                *(Subject(name, b, True) for b in _branches(function)),
            )
            if subject not in known
        )


def claims_of_llvm(
    printed: Mapping[str, FunctionClaims], module: Module, by: str, triple: str, divergence: bool = True
) -> LlvmClaims:
    """The claims in what the printers printed of ``module``."""
    missing = tuple(f.name for f in module.definitions() if f.name not in printed)
    functions = {
        name: function_claims for name, function_claims in printed.items() if name in module.functions
    }
    return LlvmClaims(by, triple, functions, divergence, missing)


def same_cycles(claimed: FunctionClaims, function: Function) -> Order | None:
    """The hierarchy of ours that LLVM's is, if it is one of them."""
    cfg = build_cfg(function)
    for order in (Order.REVERSED, Order.TEXT):
        forest = cycles(cfg, order)
        ours = {(cfg.names[c.header], frozenset(cfg.names[b] for b in forest.blocks(c))) for c in forest.all}
        if ours == claimed.cycles:
            return order
    return None


def _values(function: Function) -> list[str]:
    """Parameters and results that are no tokens, in blocks that a thread can reach."""
    cfg = build_cfg(function)
    names = [parameter.name for parameter in function.parameters]
    for number, block in enumerate(function.blocks):
        if cfg.reachable[number]:
            names += [i.result for i in block.instructions if i.result is not None and not _is_token(i)]
    return names


def _is_token(instruction: object) -> bool:
    return isinstance(instruction, CallSite) and control(instruction) is not None


def _branches(function: Function) -> list[str]:
    cfg = build_cfg(function)
    return [
        block.name
        for number, block in enumerate(function.blocks)
        if cfg.reachable[number] and len(set(successors(block.terminator))) > 1
    ]
