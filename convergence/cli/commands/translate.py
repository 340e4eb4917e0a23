"""``convcheck translate``: SPIR-V as LLVM IR with convergence tokens."""

from __future__ import annotations

import click

from ..plumbing import Exit, InputError, write
from ..plumbing.load import SPIRVBytes, read
from ..plumbing.options import common, shaders


@click.command("translate")
@click.argument("file", metavar="FILE")
@click.option("--origins", is_flag=True, help="Say behind each line which SPIR-V it comes from.")
@shaders
@common("text")
def command(
    file: str, origins: bool, form: str, output: str | None, color: str, quiet: bool, verbose: bool
) -> Exit:
    """Write FILE, a SPIR-V binary or disassembly, as LLVM IR: what the other commands run."""
    data = read(file)
    if not isinstance(data, SPIRVBytes):
        raise InputError(data.name, "not SPIR-V: neither its magic number nor its disassembly")
    from ...spirv.reading import with_origins
    from ..plumbing.load import translated

    spirv = translated(data.name, data.data)
    write(with_origins(spirv) if origins else spirv.translation.text, output)
    return Exit.HOLDS
