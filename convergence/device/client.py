"""Devices from outside: which there are, and batches of dispatches, with a time limit.

The device is driven in a process of its own (:mod:`.worker`); where that ends itself or gives no answer, the
dispatch that did it has that for an ending, and the others of its batch are run in a new process.
"""

from __future__ import annotations

import base64
import json
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from ..frozen import dataclass
from ..workers.process import ProcessEnded, Worker

API = Literal["vulkan", "opencl"]
"""How a device is driven."""
WORKERS: Mapping[API, Path] = {
    "vulkan": Path(__file__).with_name("worker.py"),
    "opencl": Path(__file__).with_name("opencl_worker.py"),
}
START = 60.0
"""Seconds for loader and driver to start."""


class Unavailable(Exception):
    """There is no device here, or no way to one; the message is one line that says what is missing."""


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """A device: its ``number`` and ``name``, what it is, its versions, and what subgroups can do there.
    ``workgroup`` is the largest size along x, y and z, ``invocations`` the most in one workgroup,
    ``push_constants`` how many bytes there is room for. ``subgroup_size`` is 0 where there are none.
    ``features`` are those that it has of what Vulkan calls so, by Vulkan's names."""

    number: int
    name: str
    kind: str
    api: str
    driver: str
    driver_info: str
    driver_version: int
    subgroup_size: int
    least_subgroup_size: int
    most_subgroup_size: int
    compute: bool
    operations: tuple[str, ...]
    extensions: tuple[str, ...]
    workgroup: tuple[int, ...]
    invocations: int
    push_constants: int = 0
    interface: API = "vulkan"
    features: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Its name, with the driver's version."""
        return f"{self.name}, {self.driver_info}" if self.driver_info else self.name


@dataclass(frozen=True, slots=True)
class Dispatch:
    """A module to run: ``repeat`` times, of ``groups`` workgroups, each time with the same ``data``.

    ``data`` is by (set, binding); ``uniform`` are those of them that are uniform buffers.
    ``subgroup_size`` is asked of the device, where it can be. ``constants``: what is pushed.
    """

    module: bytes
    entry: str
    groups: tuple[int, int, int]
    data: Mapping[tuple[int, int], bytes]
    uniform: frozenset[tuple[int, int]] = frozenset()
    repeat: int = 1
    subgroup_size: int | None = None
    constants: bytes = b""


@dataclass(frozen=True, slots=True)
class KernelArgument:
    """An argument of a kernel: a ``buffer`` or a ``value`` with its bytes, or so many bytes of ``local``
    memory."""

    kind: Literal["buffer", "value", "local"]
    data: bytes = b""
    size: int = 0


@dataclass(frozen=True, slots=True)
class KernelDispatch:
    """A kernel to run: the source as ``module``, ``groups`` of ``local`` work-items along x, y and z, and its
    ``arguments`` in order; ``options`` are the compiler's."""

    module: bytes
    entry: str
    groups: tuple[int, int, int]
    local: tuple[int, int, int]
    arguments: tuple[KernelArgument, ...]
    repeat: int = 1
    options: tuple[str, ...] = ()

    @property
    def data(self) -> Mapping[tuple[int, int], bytes]:
        """What buffers hold at the launch, by (0, the argument's number)."""
        return {(0, n): a.data for n, a in enumerate(self.arguments) if a.kind == "buffer"}


@dataclass(frozen=True, slots=True)
class DispatchResult:
    """What all buffers held at the end, and how often they did."""

    data: Mapping[tuple[int, int], bytes]
    count: int


Stage = Literal["module", "pipeline", "buffers", "commands", "dispatch", "process"]


@dataclass(frozen=True, slots=True)
class DeviceFailed:
    """A dispatch without an answer: ``why`` in a few words, and at which ``stage``; ``process``: the process
    in which the device is driven ended, of which ``detail`` is what it printed."""

    why: str
    stage: Stage
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Dispatched:
    """The distinct results of a dispatch, in the order in which they were first seen."""

    results: tuple[DispatchResult, ...]

    @property
    def runs(self) -> int:
        """How many runs there were."""
        return sum(result.count for result in self.results)


def devices(api: API = "vulkan") -> tuple[DeviceFacts, ...]:
    """The devices of this machine. Raises Unavailable where there is none, or no way to ask."""
    client = _Client(api)
    try:
        return client.devices()
    finally:
        client.stop()


class Device:
    """One device, by its number, open as long as it is asked; :meth:`close` it. Raises Unavailable where
    there is none of that number."""

    def __init__(self, number: int = 0, api: API = "vulkan") -> None:
        self._client = _Client(api)
        there = self._client.devices()
        if number >= len(there):
            self.close()
            many = f"{len(there)} devices" if len(there) > 1 else "one device"
            raise Unavailable(
                f"there is no device {number}: there {'are' if len(there) > 1 else 'is'} {many}"
            )
        self.facts = there[number]

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        self._client.stop()

    def run(
        self, dispatches: Sequence[Dispatch | KernelDispatch], seconds: float = 10.0
    ) -> list[Dispatched | DeviceFailed]:
        """What each dispatch came to; ``seconds`` for each."""
        answers = self._batch(dispatches, seconds)
        if isinstance(answers, DeviceFailed):
            if len(dispatches) == 1:
                return [answers]
            return [answer for dispatch in dispatches for answer in self.run([dispatch], seconds)]
        if len(answers) < len(dispatches):  # the device was lost on the last one
            self._client.stop()
            return [*answers, *self.run(dispatches[len(answers) :], seconds)]
        return answers

    def _batch(
        self, dispatches: Sequence[Dispatch | KernelDispatch], seconds: float
    ) -> list[Dispatched | DeviceFailed] | DeviceFailed:
        """The answers up to the first that leaves the device without use."""
        request = {
            "ask": "run", "device": self.facts.number, "seconds": seconds,
            "jobs": [_job(dispatch) for dispatch in dispatches],
        }  # fmt: skip
        patience = 5.0 + sum(2 * seconds + 0.1 * dispatch.repeat for dispatch in dispatches)
        try:
            answer = self._client.ask(request, patience)
        except TimeoutError:
            return DeviceFailed("no answer in time", "process")
        except ProcessEnded as end:
            return DeviceFailed(_ending(end.code), "process", end.words)
        dispatched = [_dispatched(d, job) for d, job in zip(dispatches, answer["jobs"], strict=False)]
        lost = isinstance(dispatched[-1], DeviceFailed) and dispatched[-1].why in _LOST
        if lost:
            self._client.stop()
        return dispatched


_LOST = ("VkTimeout", "VkErrorDeviceLost")
"""Vulkan's words after which a device gives no more answers."""


def _job(dispatch: Dispatch | KernelDispatch) -> dict[str, Any]:
    if isinstance(dispatch, KernelDispatch):
        arguments = [{"kind": a.kind, "data": _text(a.data), "size": a.size} for a in dispatch.arguments]
        return {
            "module": _text(dispatch.module), "entry": dispatch.entry, "groups": list(dispatch.groups),
            "local": list(dispatch.local), "repeat": dispatch.repeat, "options": list(dispatch.options),
            "bindings": arguments,
        }  # fmt: skip
    bindings = [
        {"set": place[0], "binding": place[1], "uniform": place in dispatch.uniform, "data": _text(data)}
        for place, data in dispatch.data.items()
    ]
    return {
        "module": _text(dispatch.module), "entry": dispatch.entry, "groups": list(dispatch.groups),
        "repeat": dispatch.repeat, "subgroup_size": dispatch.subgroup_size, "bindings": bindings,
        "constants": _text(dispatch.constants),
    }  # fmt: skip


def _dispatched(dispatch: Dispatch | KernelDispatch, job: dict[str, Any]) -> Dispatched | DeviceFailed:
    if "error" in job:
        return DeviceFailed(job["error"], job["stage"])
    return Dispatched(
        tuple(
            DispatchResult(
                dict(zip(dispatch.data, map(base64.b64decode, r["buffers"]), strict=True)), r["count"]
            )
            for r in job["results"]
        )
    )


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _ending(code: int) -> str:
    """How a process ended, in a few words."""
    if code >= 0:
        return f"the driver's process ended (exit code {code})"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return f"the driver's process crashed ({name})"


_MISSING: Mapping[API, Mapping[str, str]] = {
    "vulkan": {
        "binding": "the Python package vulkan is missing: pip install 'convcheck[vulkan]'",
        "loader": "Vulkan's loader cannot be used",
        "driver": "Vulkan has no driver here",
    },
    "opencl": {
        "binding": "the Python package pyopencl is missing: pip install 'convcheck[opencl]'",
        "driver": "OpenCL has no driver here",
    },
}
_CALLED: Mapping[API, str] = {"vulkan": "Vulkan", "opencl": "OpenCL"}


class _Client(Worker):
    """The process, started when something is asked."""

    def __init__(self, api: API) -> None:
        super().__init__()
        self.api: API = api

    def devices(self) -> tuple[DeviceFacts, ...]:
        called = _CALLED[self.api]
        try:
            answer = self.ask({"ask": "list"}, START)
        except TimeoutError:
            raise Unavailable(f"{called}'s loader gave no answer in {START:g} s") from None
        except ProcessEnded as end:
            raise Unavailable(f"{called}'s loader cannot be asked: {_ending(end.code)}") from None
        devices = tuple(
            DeviceFacts(**{k: _frozen(v) for k, v in facts.items()}) for facts in answer["devices"]
        )
        if not devices:
            raise Unavailable(f"{called} has no device here")
        return devices

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer to one request. Raises Unavailable, TimeoutError and ProcessEnded."""
        if self.running() is None:
            try:
                self.start(WORKERS[self.api], keep=True)
            except OSError as error:
                raise Unavailable(f"no process can be started: {error}") from None
            self.first(START)
        reply: dict[str, Any] = self.answer_to(json.dumps(request).encode("ascii"), seconds)
        if "unavailable" in reply:
            self.stop()
            key, _, more = reply["unavailable"].partition(": ")
            raise Unavailable(_MISSING[self.api][key] + (f" ({more})" if more else ""))
        if "error" in reply:
            self.stop()
            raise Unavailable(f"the device cannot be asked: {reply['error']}")
        return reply


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
