"""Devices from outside: what a SPIR-V module asks of whoever runs it, which devices there are, and
batches of dispatches.
"""

from __future__ import annotations

import base64
import json
import signal
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from ..frozen import dataclass
from ..workers import ProcessEnded, Worker

# ----------------------------------------------------------------------------------------------------------
# What a SPIR-V module asks of whoever runs it: entry points, workgroup sizes, bindings, capabilities.
#
# A pass over the words of the binary (SPIR-V specification, 2.3 *Physical Layout of a SPIR-V Module and
# Instruction*), which looks at declarations only and at no code.
# ----------------------------------------------------------------------------------------------------------

MAGIC = 0x07230203
HEADER = 5
"""Words before the first instruction."""

BindingKind = Literal["storage", "uniform", "other"]


class UnreadableShader(Exception):
    """The bytes are no SPIR-V module; the message says why."""


@dataclass(frozen=True, slots=True)
class ShaderEntry:
    """A ``GLCompute`` or other entry point: its ``name``, the number of its execution ``model``, how many
    invocations a workgroup has along x, y and z, where the module says it by a literal, and the numbers of
    its execution ``modes``."""

    name: str
    model: int
    local_size: tuple[int, int, int] | None = None
    modes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Binding:
    """A resource: the ``variable``'s name, or that of its block (OpName, may be empty), where it is bound,
    and what it is."""

    variable: str
    set: int
    binding: int
    kind: BindingKind
    writable: bool = True


@dataclass(frozen=True, slots=True)
class Interface:
    """A module's ``version`` as (major, minor), and what it declares. ``capabilities`` are numbers;
    ``push_constants``: it has a variable of that storage class."""

    version: tuple[int, int]
    entry_points: tuple[ShaderEntry, ...]
    bindings: tuple[Binding, ...]
    capabilities: tuple[int, ...]
    extensions: tuple[str, ...]
    push_constants: bool = False

    def compute(self, name: str | None = None) -> ShaderEntry | None:
        """The compute entry point of a name, or the only one."""
        there = [e for e in self.entry_points if e.model == GL_COMPUTE and name in (None, e.name)]
        return there[0] if len(there) == 1 else None


GL_COMPUTE = 5
"""The execution model of compute shaders."""

_NAME, _EXTENSION, _ENTRY_POINT, _EXECUTION_MODE, _CAPABILITY = 5, 10, 15, 16, 17
_TYPE_ARRAY, _TYPE_RUNTIME_ARRAY, _TYPE_POINTER, _CONSTANT, _VARIABLE, _DECORATE, _MEMBER_DECORATE = (
    28, 29, 32, 43, 59, 71, 72,
)  # fmt: skip
_SPEC_CONSTANT, _CONSTANT_COMPOSITE, _SPEC_COMPOSITE, _EXECUTION_MODE_ID = 50, 44, 51, 331
_LOCAL_SIZE, _LOCAL_SIZE_ID = 17, 38
_BLOCK, _BUFFER_BLOCK, _BUILT_IN, _NON_WRITABLE, _BINDING, _SET = 2, 3, 11, 24, 33, 34
_WORKGROUP_SIZE = 25
_UNIFORM_CONSTANT, _UNIFORM, _PUSH_CONSTANT, _STORAGE_BUFFER = 0, 2, 9, 12


def words_of(data: bytes) -> tuple[int, ...]:
    """The words of a module, in this machine's order. Raises NotSPIRV."""
    if len(data) < 4 * HEADER or len(data) % 4:
        raise UnreadableShader("no SPIR-V: its size is no whole number of words, or too small")
    for order in "<>":
        words = struct.unpack(f"{order}{len(data) // 4}I", data)
        if words[0] == MAGIC:
            return words
    raise UnreadableShader("no SPIR-V: its magic number is missing")


def instructions(words: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Opcodes with their operands. Raises NotSPIRV for an instruction that ends behind the module."""
    at = HEADER
    while at < len(words):
        size, opcode = words[at] >> 16, words[at] & 0xFFFF
        if not size or at + size > len(words):
            raise UnreadableShader(f"broken SPIR-V: an instruction of {size} words at word {at}")
        yield opcode, words[at + 1 : at + size]
        at += size


def text_in(words: tuple[int, ...]) -> tuple[str, int]:
    """A literal string and how many words it takes."""
    data = b"".join(word.to_bytes(4, "little") for word in words)
    end = data.find(b"\0")
    end = len(data) if end < 0 else end
    return data[:end].decode("utf-8", "replace"), end // 4 + 1


def interface_of(data: bytes) -> Interface:
    """The interface of a module. Raises NotSPIRV."""
    words = words_of(data)
    read = _Reading()
    for opcode, operands in instructions(words):
        read.take(opcode, operands)
    version = words[1] >> 16 & 0xFF, words[1] >> 8 & 0xFF
    return read.interface(version)


class _Reading:
    """What has been seen so far, by identifier."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self.entries: list[tuple[int, int, str]] = []
        self.sizes: dict[int, tuple[int, ...]] = {}
        self.size_ids: dict[int, tuple[int, ...]] = {}
        self.modes: dict[int, list[int]] = {}
        self.capabilities: list[int] = []
        self.extensions: list[str] = []
        self.pointers: dict[int, tuple[int, int]] = {}
        self.elements: dict[int, int] = {}
        self.constants: dict[int, int] = {}
        self.composites: dict[int, tuple[int, ...]] = {}
        self.variables: list[tuple[int, int, int]] = []
        self.decorations: dict[int, dict[int, tuple[int, ...]]] = {}
        self.read_only_members: set[int] = set()

    def take(self, opcode: int, operands: tuple[int, ...]) -> None:
        """One instruction."""
        match opcode:
            case 5:
                self.names[operands[0]] = text_in(operands[1:])[0]
            case 10:
                self.extensions.append(text_in(operands)[0])
            case 15:
                self.entries.append((operands[0], operands[1], text_in(operands[2:])[0]))
            case 16 | 331:
                self.modes.setdefault(operands[0], []).append(operands[1])
                if operands[1] == _LOCAL_SIZE:
                    self.sizes[operands[0]] = operands[2:5]
                elif operands[1] == _LOCAL_SIZE_ID:
                    self.size_ids[operands[0]] = operands[2:5]
            case 17:
                self.capabilities.append(operands[0])
            case 28 | 29:
                self.elements[operands[0]] = operands[1]
            case 32:
                self.pointers[operands[0]] = operands[1], operands[2]
            case 43 | 50:
                self.constants[operands[1]] = operands[2]
            case 44 | 51:
                self.composites[operands[1]] = operands[2:]
            case 59:
                self.variables.append((operands[0], operands[1], operands[2]))
            case 71:
                self.decorations.setdefault(operands[0], {})[operands[1]] = operands[2:]
            case 72 if operands[2] == _NON_WRITABLE:
                self.read_only_members.add(operands[0])
            case _:
                pass

    def interface(self, version: tuple[int, int]) -> Interface:
        """What there is when all was seen."""
        entries = tuple(
            ShaderEntry(name, model, self._size(id_), tuple(self.modes.get(id_, ())))
            for model, id_, name in self.entries
        )
        bindings = (self._binding(*variable) for variable in self.variables)
        return Interface(
            version,
            entries,
            tuple(binding for binding in bindings if binding is not None),
            tuple(dict.fromkeys(self.capabilities)),
            tuple(self.extensions),
            any(storage == _PUSH_CONSTANT for _, _, storage in self.variables),
        )

    def _size(self, entry: int) -> tuple[int, int, int] | None:
        """The workgroup's size; the constant that is decorated so goes before what the mode says."""
        ids = next(
            (self.composites[i] for i, d in self.decorations.items()
             if d.get(_BUILT_IN) == (_WORKGROUP_SIZE,) and i in self.composites),
            self.size_ids.get(entry),
        )  # fmt: skip
        size = self.sizes.get(entry) if ids is None else tuple(self.constants.get(i, 0) for i in ids)
        return None if size is None or len(size) != 3 or not all(size) else (size[0], size[1], size[2])

    def _binding(self, type_: int, variable: int, storage: int) -> Binding | None:
        marks = self.decorations.get(variable, {})
        if _BINDING not in marks and _SET not in marks:
            return None
        pointee = self.pointers.get(type_, (0, 0))[1]
        arrayed = pointee in self.elements
        block = self.decorations.get(pointee, {})
        kind: BindingKind = "other"
        if not arrayed and (storage == _STORAGE_BUFFER or (storage == _UNIFORM and _BUFFER_BLOCK in block)):
            kind = "storage"
        elif not arrayed and storage == _UNIFORM and _BLOCK in block:
            kind = "uniform"
        writable = kind == "storage" and _NON_WRITABLE not in marks
        writable = writable and pointee not in self.read_only_members
        place = marks.get(_SET, (0,))[0], marks.get(_BINDING, (0,))[0]
        name = self.names.get(variable) or self.names.get(pointee, "")
        return Binding(name, *place, kind, writable)


# ----------------------------------------------------------------------------------------------------------
# Devices from outside: which there are, and batches of dispatches, with a time limit.
#
# The device is driven in a process of its own (:mod:`.worker`); where that ends itself or gives no answer,
# the dispatch that did it has that for an ending, and the others of its batch are run in a new process.
# ----------------------------------------------------------------------------------------------------------


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
