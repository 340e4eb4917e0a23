"""Which D-rules had a say in an execution: a function of what its machine noted (semantics.md, §2)."""

from __future__ import annotations

from collections import Counter

from ...alignment.instances import StaticInstance
from ...rules import Rule
from ..convergence.keys import LaunchGroup
from ..errors import Ending, Endless, Illegal, OutOfBound
from .log import accessed, meet
from .machine import Machine


def had_a_say(machine: Machine, ending: Ending) -> tuple[Rule, ...]:
    """The rules that had a say, in the order of their definition; each as docs/semantics.md says of it."""
    touches = any(accessed(machine.log))
    unseen = set() if machine.whole is None else {*machine.whole.rules()}
    fired = {rule for rule in machine.fired if touches or rule is not Rule.D_CAUSE}
    fired |= {key.rule for thread in machine.threads for key in thread.keys}
    # whether anything raced in a run that was cut nobody looked, and so not at what was ordered, either
    cut = isinstance(ending, OutOfBound | Endless)
    watchers = (machine.races, None if cut else machine.log.encounters)
    says = {
        Rule.D_THREAD: bool(machine.resolved),
        Rule.D_EQ: _launched_apart(machine) or _chose_twice(machine),
        Rule.D_CALL: any(thread.frames_made > 1 for thread in machine.threads),
        Rule.D_SYNC: any(w is not None and w.synchronised for w in watchers),
        Rule.D_MEM: meet(machine.log),
    }
    fired |= unseen | {rule for rule, said_so in says.items() if said_so}
    if isinstance(ending, Illegal):
        fired.add(ending.rule)
    return tuple(rule for rule in Rule if rule in fired)


def _launched_apart(machine: Machine) -> bool:
    """Whether threads of two launch groups executed one convergent operation."""
    first: dict[StaticInstance, LaunchGroup] = {}
    return any(
        first.setdefault(site, thread.launch) is not thread.launch
        for thread in machine.threads
        for site in thread.counts
    )


def _chose_twice(machine: Machine) -> bool:
    """Whether a thread had a label to choose where it had chosen before, and could not join its own group."""
    return any(
        n > 1
        for groups in machine.groups_at.values()
        for n in Counter(member.thread for group in groups for member in group.members).values()
    )
