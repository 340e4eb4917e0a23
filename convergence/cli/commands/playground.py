"""``convcheck playground``: the page that runs convcheck in the browser, served from this machine."""

from __future__ import annotations

import contextlib
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import click

from ...interruption import requested
from ..plumbing import Exit, InputError, complain
from ..plumbing.options import Count, talking

BUILT = (Path("site") / "playground", Path(".playground") / "site")
"""Where a checkout has the page once it is built, seen from its root."""


class _Handler(SimpleHTTPRequestHandler):
    """Files of the page, and nothing said about each; isolated, so that the page may interrupt its Python."""

    extensions_map = {  # noqa: RUF012 (as the base class has it)
        **SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def end_headers(self) -> None:
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *words: object) -> None:
        pass

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):  # a browser that does not wait
            super().handle()


def built(folder: str | None) -> Path:
    """The folder that holds the page.

    :raises InputError: if there is none, with what makes one
    """
    root = Path(__file__).resolve().parents[3]
    places = (
        [Path(folder)] if folder is not None else [top / place for top in (Path(), root) for place in BUILT]
    )
    for place in places:
        if (place / "index.html").is_file() and (place / "packages.zip").is_file():
            return place.resolve()
    if folder is not None:
        raise InputError(folder, "the page is not there")
    why = "it is not built here: `make playground` in a checkout builds it (it needs npm), --site says where"
    raise InputError("playground", why, Exit.UNKNOWN)


@click.command("playground")
@click.option("--site", metavar="DIR", help="The folder of the built page.")
@click.option("--port", type=Count(0, 65535), default=0, metavar="N",
    help="The port; a free one by default.")  # fmt: skip
@click.option("--open/--no-open", "opens", default=True, show_default=True, help="Open a browser.")
@talking("Print nothing but the address.")
def command(site: str | None, port: int, opens: bool, color: str, quiet: bool, verbose: bool) -> Exit:
    """Serve the page that runs convcheck in the browser, for this machine alone, until Ctrl-C."""
    folder = built(site)
    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), partial(_Handler, directory=str(folder)))
    except OSError as error:
        raise InputError(f"port {port}", error.strerror or str(error)) from None
    with server:
        address = f"http://127.0.0.1:{server.server_address[1]}/index.html"
        click.echo(address)
        sys.stdout.flush()
        if not quiet:
            complain("Ctrl-C ends it")
        if opens:
            import webbrowser

            webbrowser.open(address)
        server.timeout = 0.25
        with contextlib.suppress(KeyboardInterrupt):
            while not requested():
                server.handle_request()
    return Exit.HOLDS
