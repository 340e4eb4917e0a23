"""``convcheck drive``: a shader on a Vulkan device, and whether what it does there is legal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from ...frozen import dataclass
from ...passes.compilers import is_source
from ...vulkan import VULKAN_TRIPLE
from ..plumbing import Exit, InputError, write
from ..plumbing.load import LoadedFile, SPIRVBytes, launching, load, read, specialized
from ..plumbing.options import (
    Count,
    common,
    each,
    executing,
    files,
    saved,
    shaders,
    with_defaults,
    with_sigil,
)
from .run import _broken, _Runner

if TYPE_CHECKING:
    from ...device import API, Device, DeviceFacts
    from ...drive.trial import Driven
    from ...semantics.machine.launch import LaunchSpec

PATIENCE = 10.0
"""Seconds for one run of a shader where ``--timeout`` says nothing."""
LOOKING = 30.0
"""Seconds in which legal outcomes are looked for where ``--timeout`` says nothing."""


@click.command("drive")
@click.argument("file", metavar="[FILE]", required=False, shell_complete=files)
@executing
@click.option("--list", "listing", is_flag=True, help="List the devices and what they can do.")
@click.option("--device", metavar="N|opencl|NAME", help="Which device (default: the first that takes FILE).")
@click.option(
    "--repetitions",
    "--repeat",
    "repeat",
    type=Count(min=1),
    default=100,
    show_default=True,
    metavar="N",
    help="Runs; each legal outcome is told with how many came to it.",
)
@click.option("--module", "module_file", metavar="FILE.spv", help="The SPIR-V to run in place of LLVM's.")
@click.option("--triple", metavar="T", help=f"What LLVM compiles for (default: {VULKAN_TRIPLE}).")
@click.option("-O", "level", type=Count(0, 3), default=0, show_default=True, help="LLVM's code generation.")
@click.option("--llc", metavar="PATH", help="The `llc` to compile with.")
@click.option("--keep", metavar="FILE.spv", help="Write the SPIR-V that was run.")
@click.option(
    "--campaign",
    type=Count(min=1),
    metavar="N",
    help="Run N random shaders, each held against its legal outcomes, and keep what is not legal.",
)
@click.option(
    "--lowered",
    is_flag=True,
    help="With --campaign: let LLVM's back end compile the shaders, which are SPIR-V otherwise.",
)
@click.option("--seed", type=Count(min=0), default=0, show_default=True, help="Which shaders.")
@click.option(
    "--folder",
    metavar="DIR",
    default="driver-findings",
    show_default=True,
    help="Where findings go, and the state from which the same campaign goes on.",
)
@click.option("--jobs", type=Count(min=1), default=2, show_default=True, metavar="N", help="Processes.")
@click.option(
    "--max-executions",
    type=Count(min=1),
    metavar="N",
    help="Bound on the executions among which legal outcomes are looked for.",
)
@click.option(
    "--show",
    metavar="u0",
    multiple=True,
    callback=each(with_sigil),
    help="Print what a buffer held, and no others.",
)
@click.option(
    "--save",
    metavar="u0=FILE.npy",
    multiple=True,
    callback=each(saved),
    help="Write what a buffer held on the device, in the result seen most often.",
)
@shaders
@common("text", "json")
@click.pass_context
def command(ctx: click.Context, /, file: str | None, listing: bool, **_: Any) -> Exit:
    """Run FILE on a device, and hold each result against every legal outcome.

    LLVM IR is compiled by LLVM's SPIR-V backend, .comp by glslang, .hlsl by clang; a kernel (.cl) goes to an
    OpenCL device. Exit code 1: a result is not legal. 3: no device, no answer
    of it, or not all legal outcomes are known.
    """
    if listing:
        return _list(ctx.params)
    if ctx.params["campaign"] is not None:
        if file is not None:
            raise click.UsageError("give FILE or --campaign, not both")
        return _campaign(ctx.params)
    if file is None:
        raise click.UsageError("Missing argument 'FILE' (or --list, --campaign).")
    source = _source(file, ctx.params["level"]) if is_source(file) else None
    loaded = load(file) if source is None else source.loaded
    options = with_defaults(ctx, loaded.module, loaded.name)
    broken = None if options["no_verify"] else _broken(loaded)
    if broken is not None:
        text, code = broken(options)
        write(text, options["output"])
        return code
    binary = _binary(file) if source is None else source.binary
    if source is None and binary is None and options["module_file"] is None:
        loaded, options = _shader_around(loaded, options)
    return _Drive(loaded, options, binary, source).give()


def _binary(file: str) -> bytes | None:
    """The SPIR-V in FILE; ``None`` where it is LLVM IR.

    :raises InputError: for disassembly that nobody here assembles
    """
    text = None if file == "-" else read(file)
    if not isinstance(text, SPIRVBytes):
        return None
    from ...device import UnreadableShader, interface_of

    data: bytes | None = text.data
    try:
        interface_of(text.data)
    except UnreadableShader:
        from ...passes.compilers import assembled

        data = assembled(text.data)
        if data is None:
            why = "disassembly: spirv-as is not here to make a module of it, or does not"
            raise InputError(text.name, why, Exit.UNKNOWN) from None
    return specialized(text.name, text.data, data or text.data)


@dataclass(frozen=True, slots=True)
class _Source:
    """A source: its own text, what a compiler made of it, and who."""

    text: bytes
    loaded: LoadedFile
    binary: bytes | None
    by: str
    kernel: bool


def _source(file: str, level: int) -> _Source:
    """A shader's or kernel's source, compiled.

    :raises InputError: where there is no compiler, or it does not take the source
    """
    from ...passes import PassFailed
    from ...passes.compilers import compiled_source

    try:
        text = Path(file).read_bytes()
        source = compiled_source(file, level)
    except OSError as error:
        raise InputError(file, error.strerror or str(error)) from None
    except PassFailed as error:
        code = Exit.INPUT if error.kind == "refused" else Exit.UNKNOWN
        raise InputError(file, error.reason, code, error.detail) from None
    with TemporaryDirectory() as folder:
        path = Path(folder) / (Path(file).name + source.suffix)
        path.write_bytes(source.data)
        loaded = replace(load(str(path)), name=file)
        binary = _binary(str(path))
    return _Source(text, loaded, binary, source.by, file.endswith(".cl"))


def _shader_around(loaded: LoadedFile, options: dict[str, Any]) -> tuple[LoadedFile, dict[str, Any]]:
    """A program that is no shader, as one; its variables are buffers."""
    from ...drive.bare import as_shader, is_bare
    from ...parser import parse
    from ...parser.printer import print_module

    if not is_bare(loaded.module):
        return loaded, options
    with launching(loaded.name):
        shader = as_shader(loaded.module, options["threads"] or 1)
        module = parse(print_module(shader.module), loaded.name)
    shown = ", ".join(
        f"{key} is {'what threads return' if name is None else f'@{name}'}"
        for key, name in shader.variables.items()
    )
    loaded = replace(loaded, module=module, note=f"a shader was put around the program: {shown}")
    return loaded, {
        **options, "function": "main", "buffers": tuple(shader.buffers.items()), "threads": None,
    }  # fmt: skip


def _list(options: dict[str, Any]) -> Exit:
    from ...report import drive as json
    from ...report import drive as text
    from ...report.parts import dump

    there = _all_devices()
    if options["form"] == "json":
        write(dump(json.listed_data(there)), options["output"])
    else:
        write(text.listed(there, options["verbose"]), options["output"])
    return Exit.HOLDS


def _campaign(options: dict[str, Any]) -> Exit:
    from ...fuzz.shader_campaign import ShaderPlan
    from .fuzz import look_at_shaders

    with opened(options["device"] or "0") as device:
        facts = device.facts
    plan = ShaderPlan(
        options["seed"], options["campaign"], options["lowered"], options["level"], None, options["llc"],
        facts.number, facts.subgroup_size,
    )  # fmt: skip
    return look_at_shaders(
        plan, options["folder"], options["jobs"], 60.0, options["form"], options["quiet"], "drive"
    )


def _all_devices() -> list[DeviceFacts]:
    """The devices of both interfaces, Vulkan's first.

    :raises InputError: if there is none, with why
    """
    from ...device import Unavailable, devices

    there: list[DeviceFacts] = []
    missing = []
    for api in INTERFACES:
        try:
            there += devices(api)
        except Unavailable as error:
            missing.append(str(error))
    if not there:
        raise InputError("drive", "; ".join(missing), Exit.UNKNOWN)
    return there


INTERFACES: tuple[API, ...] = ("vulkan", "opencl")


def opened(which: str) -> Device:
    """The device of a number (Vulkan's), of ``opencl`` or ``opencl:N``, or whose name has these words in it.

    :raises InputError: if there is none
    """
    from ...device import Device, Unavailable

    api, _, number = which.rpartition(":")
    if which in INTERFACES:
        api, number = which, "0"
    try:
        if number.isdecimal() and api in ("", *INTERFACES):
            return Device(int(number), "opencl" if api == "opencl" else "vulkan")
        for facts in _all_devices():
            if which.lower() in facts.words.lower():
                return Device(facts.number, facts.interface)
    except Unavailable as error:
        raise InputError("drive", str(error), Exit.UNKNOWN) from None
    raise InputError("drive", f"no device is called {which}: see convcheck drive --list", Exit.UNKNOWN)


class _Drive:
    """One ``drive`` command: the launch as asked for, and its answer."""

    def __init__(
        self, loaded: LoadedFile, options: dict[str, Any], binary: bytes | None, source: _Source | None
    ) -> None:
        self.loaded, self.options, self.binary, self.source = loaded, options, binary, source
        self.spec = _Runner(loaded, options, not options["no_verify"]).spec
        self.spec = self.spec.within(max_executions=options["max_executions"])

    def give(self) -> Exit:
        """Compile, run, compare, write the answer."""
        with opened(self._device()) as device:
            driven = self._driven(device)
        options = self.options
        self._save(driven)
        if options["form"] == "json":
            from ...report import drive as json
            from ...report.parts import dump

            write(dump(json.answer(driven, options["show"])), options["output"])
        else:
            from ...report import drive as text

            write(text.text(driven, options["show"], options["quiet"]), options["output"])
        return _CODES[driven.trial.verdict]

    def _device(self) -> str:
        """The device that was asked for; else the first that takes what the file is."""
        device: str | None = self.options["device"]
        return device or ("opencl" if self.source is not None and self.source.kernel else "0")

    def _kernel(self, device: Device) -> bytes | None:
        """The source of a kernel for an OpenCL device; ``None`` for a shader for a Vulkan device.

        :raises InputError: for one on the other's device
        """
        kernel = self.source is not None and self.source.kernel
        if (device.facts.interface == "opencl") == kernel:
            return self.source.text if self.source is not None and kernel else None
        if kernel:
            why = f"an OpenCL kernel, and {device.facts.name} is a Vulkan device: --device opencl"
        else:
            why = f"{device.facts.name} is an OpenCL device, which is given a kernel's source (.cl)"
        raise InputError(self.loaded.name, why)

    def _driven(self, device: Device) -> Driven:
        from ...device import UnreadableShader
        from ...drive.binding import LackingDevice, bind, bind_kernel
        from ...drive.trial import Driven, judge, question, with_open_remainders

        kernel = self._kernel(device)
        data, maker = self._module() if kernel is None else (kernel, "the source of the file")
        if self.options["keep"] is not None:
            _write(self.options["keep"], data)
        self.spec = self._for(device.facts)
        with launching(self.loaded.name):
            module = self.loaded.module if kernel is not None else with_open_remainders(self.loaded.module)
            launch_question = question(module, self._bounded(self.spec).begun())
            repeat = self.options["repeat"]
            try:
                if kernel is None:
                    bound = bind(launch_question.program, launch_question.launch, data, device.facts, repeat)
                else:
                    bound = bind_kernel(
                        launch_question.program, launch_question.launch, kernel, device.facts, repeat
                    )
            except UnreadableShader as error:
                raise InputError(self.options["module_file"] or self.loaded.name, str(error)) from None
            except LackingDevice as error:
                raise InputError(self.loaded.name, str(error), Exit.UNKNOWN) from None
            for name in (*self.options["show"], *(name for name, _ in self.options["save"])):
                if name not in bound.names.values():
                    there = ", ".join(bound.names.values()) or "none"
                    raise InputError(self.loaded.name, f"the device has no buffer {name}; it has: {there}")
            answer = None
            if launch_question.undefined is None:
                answer = device.run([bound.dispatch], self.options["timeout"] or PATIENCE)[0]
            trial = judge(launch_question, bound, answer)
        notes = () if self.loaded.note is None else (self.loaded.note,)
        return Driven(launch_question, bound, device.facts, answer, trial, maker, notes)

    def _bounded(self, spec: LaunchSpec) -> LaunchSpec:
        """Legal outcomes are looked for as long as was said, or else as long as a person waits."""
        return spec if spec.limits.timeout is not None else spec.within(timeout=LOOKING)

    def _module(self) -> tuple[bytes, str]:
        """The SPIR-V to run, and where it came from."""
        from ...passes import PassFailed
        from ...passes.compilers import lower

        options = self.options
        if options["module_file"] is not None:
            try:
                return Path(options["module_file"]).read_bytes(), "the module given"
            except OSError as error:
                raise InputError(options["module_file"], error.strerror or str(error)) from None
        if self.binary is not None:
            by = None if self.source is None else self.source.by
            return self.binary, "the module of the file" if by is None else f"SPIR-V by {by}"
        module = self.loaded.module
        triple = options["triple"] or (None if module.triple else VULKAN_TRIPLE)
        try:
            lowered = lower(module.source.text, triple, level=options["level"], llc=options["llc"])
        except PassFailed as error:
            code = Exit.INPUT if error.kind in ("refused", "unavailable") else Exit.UNKNOWN
            raise InputError(self.loaded.name, error.reason, code, error.detail) from None
        return lowered.data, f"SPIR-V by {lowered.by} -O{options['level']}"

    def _for(self, facts: DeviceFacts) -> Any:
        """The launch with the device's subgroup size, where nobody asked for one."""
        if self.spec.partial:
            raise click.UsageError("--partial: a device runs all threads of a workgroup")
        if self.spec.subgroup_size is not None:
            return self.spec
        from ...ir.targets import wave_size
        from ...semantics.machine.launch import launched_function

        with launching(self.loaded.name):
            function = launched_function(self.loaded.module, self.spec.function)
        size = wave_size(self.loaded.module, function) or facts.subgroup_size or None
        return replace(self.spec, subgroup_size=size)

    def _save(self, driven: Driven) -> None:
        from ...semantics import UsageError
        from ...semantics.machine.buffers import save

        for name, path in self.options["save"]:
            for held in driven.held([name]):
                try:
                    save(held.array, path)
                except UsageError as error:
                    raise InputError(path, str(error)) from None


def _write(path: str, data: bytes) -> None:
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise InputError(path, f"cannot write: {error.strerror or error}") from None


_CODES = {"legal": Exit.HOLDS, "illegal": Exit.FAILS, "unknown": Exit.UNKNOWN}
