"""The page that runs convcheck in the browser, as a person uses it, where it is built.

covers: cli.page, cli.commands.playground, report.permalink
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from convergence.cli import page
from convergence.cli.commands.playground import built
from convergence.cli.plumbing import InputError
from convergence.report import permalink

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BROWSERS = {
    "chromium": ("chromium", "chromium-browser", "google-chrome"),
    "firefox": ("firefox", "firefox-esr"),
}
"""By kind the names that it has on the path."""
GIVEN = "; made by Python: é ∀\ndefine void @f() {\n  ret void\n}\n"


@contextmanager
def served() -> Iterator[str]:
    """The address of the page, served as its own command serves it."""
    command = [sys.executable, "-m", "convergence", "playground", "--no-open", "-q"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.kill()


class Visit(dict[str, Any]):
    """What came of all that was tried in a browser, and why it ended early where not all was."""

    def __missing__(self, key: str) -> Any:
        raise AssertionError(f"the visit ended before {key!r}: {self.get('failed')} {self.get('state')}")


@pytest.fixture(scope="module", params=BROWSERS)
def visit(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Visit:
    """One visit by each browser, where Python starts but once; workers of one test run share it."""
    browser = next((path for name in BROWSERS[request.param] if (path := shutil.which(name))), None)
    if browser is None:
        pytest.skip(f"no {request.param} on the path (Debian: chromium, firefox-esr)")
    if (
        shutil.which("node") is None
        or not (ROOT / "playground" / "node_modules" / "playwright-core").is_dir()
    ):
        pytest.skip("no node, or no playwright-core (make playground)")
    try:
        built(None)
    except InputError:
        pytest.skip("the page is not built (make playground)")
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / f"visit-{request.param}"
    with shared.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        report = file.read()
        if not report:
            report = _visit(request.param, browser)
            file.write(report)
    return Visit(json.loads(report))


def _visit(kind: str, browser: str) -> str:
    """What ``browser.mjs`` says, as JSON."""
    with served() as address:
        fragment = "#" + permalink.link(GIVEN, "--threads 3").partition("#")[2]
        done = subprocess.run(
            ["node", HERE / "browser.mjs", address, kind, browser, fragment, built(None).resolve()],
            capture_output=True, text=True, timeout=420, check=True, cwd=ROOT,
        )  # fmt: skip
    return done.stdout


def test_all_of_it_was_done_and_nothing_failed(visit: Visit) -> None:
    assert "failed" not in visit, (visit["failed"], visit.get("state"))
    assert visit["errors"] == []
    assert visit["elsewhere"] == [], "no request leaves the page"


def test_the_first_example_is_shown_under_every_model(visit: Visit) -> None:
    names = [name for name, _ in visit["natural"]]
    assert {"alignment 1", "inferred", "maximal", "ipdom", "heart"} <= set(names)
    assert visit["natural"][0][1] == ["A B B C D", "A B C B C D"]
    assert visit["answer"].startswith("Thread 0: A B - B C D\nThread 1: A B C B C D\n")
    assert "LLVM was not asked" in visit["answer"]
    assert (visit["cells"], visit["lanes"]) == (11, 2)


def test_the_first_picture_does_not_wait_for_python(
    visit: Visit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert visit["early"] == "starts"
    program = (ROOT / "examples_ll" / "alignments" / "natural.ll").read_text()
    monkeypatch.setenv("CONVCHECK_LLVM", "off")
    monkeypatch.chdir(tmp_path)
    checked, *_, whole = map(json.loads, visit["prepared"])
    assert checked == page.check(program), "what the build prepared is the answer"
    command = ["explore", page.FILE, "--format", "json", *checked["launch"]]
    assert json.loads(whole["out"]) == json.loads(page.call(program, command)["out"])


def test_two_cells_say_why_they_are_not_together(visit: Visit) -> None:
    first, second = "%heart for the 1st time with its token", "%heart for the 2nd time with its token"
    assert f"{first} here, {second} there (D-LOOP)" in visit["between"]


def test_typing_and_the_form_change_the_answer(visit: Visit) -> None:
    assert "threads 0, 1 #1: 5\n" in visit["launched"]
    assert visit["typed"] == "; typed by hand"


def test_a_path_is_recorded_by_clicking_blocks(visit: Visit) -> None:
    assert visit["recorded"] == "A B C B C D"
    assert visit["together"].startswith("Thread 0: A B C B C D\nThread 1: A B C B C D\n")


def test_colours_can_be_chosen(visit: Visit) -> None:
    assert visit["dark"] == ["dark", "rgb(23, 23, 27)"]


def test_a_link_leads_there_and_back(visit: Visit) -> None:
    held = permalink.read(visit["link"])
    assert held.program.endswith("; typed by hand") and "%x=2,3" in held.launch
    assert (visit["back"], visit["backLaunch"]) == ("; typed by hand", "2,3")
    assert visit["backAnswer"] == visit["launched"]
    assert (visit["given"], visit["givenThreads"]) == (GIVEN.splitlines()[0], "3")
    assert visit["damaged"].startswith("the link is damaged")


def test_the_command_is_the_launch(visit: Visit) -> None:
    assert visit["command"].startswith("convcheck run program.ll --threads 2 --arg %x=2,3 --path 'A B B C D'")
    assert visit["svg"].startswith("<svg ")


def test_faults_are_underlined_and_said(visit: Visit) -> None:
    assert visit["fault"] == "line 35, column 16: cannot read 'ad' here"
    assert visit["underlined"] > 0 and visit["kept"] == visit["cells"], "the picture before stays"
    assert "S-NEST" in visit["broken"]
    assert visit["before"] == "; typed by hand", (
        "the browser's Back leads to what was there before an example"
    )
    assert visit["pathBefore"] == visit["recorded"], "and to its launch as it was"


def test_a_program_that_says_no_launch_has_a_picture(visit: Visit) -> None:
    chosen, function, threads, rows = visit["chosen"]
    assert chosen == "Chosen by the page, as the program does not say: Function, Threads, %delta"
    assert (function, threads) == ("src", "4")
    assert len(rows) == 4 and len(set(rows)) > 1, "threads part"


def test_a_fault_speaks_of_fields_and_leads_there(visit: Visit) -> None:
    assert "give it with the field %delta, or give the blocks with the field Paths" in visit["missing"]
    assert "--" not in visit["missing"] and visit["led"] == "launch-arg-delta"


def test_a_broken_rules_witness_is_in_the_text_and_in_the_control_flow(visit: Visit) -> None:
    assert visit["witness"] == [1, "body", "body:"]


def test_every_shelf_is_a_menu(visit: Visit) -> None:
    files = [*(ROOT / "examples_ll").rglob("*.ll"), *(ROOT / "examples_ll").rglob("*.spvasm")]
    shelves = {file.relative_to(ROOT / "examples_ll").parts[0] for file in files}
    assert set(visit["shelves"]) == shelves


def test_a_long_run_is_stopped_and_the_page_stays_alive(visit: Visit) -> None:
    assert visit["alive"] == 42
    assert visit["stopped"] in ("stopped", "Python starts …")


def test_a_bound_names_its_field_and_leads_there(visit: Visit) -> None:
    assert "1000 in the field Steps" in visit["bound"] and "--max-steps" not in visit["bound"]
    assert visit["bounded"] == "launch-steps"


def test_what_is_typed_while_a_new_program_is_read_stays(visit: Visit) -> None:
    assert visit["filled"] == ["500", "999999999", "2"], "and the program's own words fill the rest"


def test_a_click_on_the_form_is_kept_while_the_form_changes(visit: Visit) -> None:
    assert visit["opened"]


def test_it_fits_a_phone_and_needs_no_mouse(visit: Visit) -> None:
    width, window = visit["narrow"]
    assert width <= window
    assert visit["focused"] == "B #1: thread 1, step 2, group 1 of %sum.b"
    assert visit["unnamed"] == []
    assert visit["axe"] == [], "what axe finds against people who do not see, or use no mouse"


def test_a_page_that_is_opened_as_a_file_says_what_to_do(visit: Visit) -> None:
    assert "convcheck playground" in visit["file"]


def test_what_runs_gives_way_and_what_waits_is_not_begun_after_a_stop() -> None:
    if shutil.which("node") is None:
        pytest.skip("no node")
    done = subprocess.run(
        ["node", HERE / "asking.mjs"], capture_output=True, text=True, timeout=60, check=True
    )
    answers = json.loads(done.stdout)
    assert answers["started"] == [None, "answered", True, ["newer"]]
    assert answers["halted"] == [None, None, True, []]


def test_the_page_is_as_small_as_is_said() -> None:
    try:
        folder = built(None)
    except InputError:
        pytest.skip("the page is not built (make playground)")
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    assert sum(sizes) <= 20_000_000
    packed = [len(zlib.compress(path.read_bytes(), 6)) for path in folder.rglob("*") if path.is_file()]
    assert sum(packed) <= 10_000_000, "what a server that compresses sends"
