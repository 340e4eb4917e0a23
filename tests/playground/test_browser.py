"""The page that runs convcheck in the browser, as a person uses it, where it is built.

covers: cli.page, cli.commands.playground, report.permalink
"""

from __future__ import annotations

import json
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
from convergence.cli.plumbing.output import InputError
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


@pytest.fixture(scope="module", params=BROWSERS)
def told(request: pytest.FixtureRequest) -> Any:
    """What came of all that is tried, in one visit to each browser: Python starts but once."""
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
    with served() as address:
        fragment = "#" + permalink.link(GIVEN, "--threads 3").partition("#")[2]
        done = subprocess.run(
            ["node", HERE / "browser.mjs", address, request.param, browser, fragment, built(None).resolve()],
            capture_output=True, text=True, timeout=420, check=True, cwd=ROOT,
        )  # fmt: skip
    return json.loads(done.stdout)


def test_all_of_it_was_done_and_nothing_failed(told: Any) -> None:
    assert "failed" not in told, (told["failed"], told.get("state"))
    assert told["errors"] == []
    assert told["elsewhere"] == [], "no request leaves the page"


def test_the_first_example_is_shown_under_every_model(told: Any) -> None:
    names = [name for name, _ in told["natural"]]
    assert {"alignment 1", "inferred", "maximal", "ipdom", "heart"} <= set(names)
    assert told["natural"][0][1] == ["A B B C D", "A B C B C D"]
    assert told["answer"].startswith("Thread 0: A B - B C D\nThread 1: A B C B C D\n")
    assert "LLVM was not asked" in told["answer"]
    assert (told["cells"], told["lanes"]) == (11, 2)


def test_the_first_picture_does_not_wait_for_python(
    told: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert told["early"] == "starts"
    program = (ROOT / "examples_ll" / "alignments" / "natural.ll").read_text()
    monkeypatch.setenv("CONVCHECK_LLVM", "off")
    monkeypatch.chdir(tmp_path)
    checked, *_, whole = map(json.loads, told["prepared"])
    assert checked == page.check(program), "what the build prepared is the answer"
    command = ["explore", page.FILE, "--format", "json", *checked["launch"]]
    assert json.loads(whole["out"]) == json.loads(page.call(program, command)["out"])


def test_two_cells_say_why_they_are_not_together(told: Any) -> None:
    first, second = "%heart for the 1st time with its token", "%heart for the 2nd time with its token"
    assert f"{first} here, {second} there (D-LOOP)" in told["between"]


def test_typing_and_the_form_change_the_answer(told: Any) -> None:
    assert "threads 0, 1 #1: 5\n" in told["launched"]
    assert told["typed"] == "; typed by hand"


def test_a_path_is_recorded_by_clicking_blocks(told: Any) -> None:
    assert told["recorded"] == "A B C B C D"
    assert told["together"].startswith("Thread 0: A B C B C D\nThread 1: A B C B C D\n")


def test_colours_can_be_chosen(told: Any) -> None:
    assert told["dark"] == ["dark", "rgb(23, 23, 27)"]


def test_a_link_leads_there_and_back(told: Any) -> None:
    held = permalink.read(told["link"])
    assert held.program.endswith("; typed by hand") and "%x=2,3" in held.launch
    assert (told["back"], told["backLaunch"]) == ("; typed by hand", "2,3")
    assert told["backAnswer"] == told["launched"]
    assert (told["given"], told["givenThreads"]) == (GIVEN.splitlines()[0], "3")
    assert told["damaged"].startswith("the link is damaged")


def test_the_command_is_the_launch(told: Any) -> None:
    assert told["command"].startswith("convcheck run program.ll --threads 2 --arg %x=2,3 --path 'A B B C D'")
    assert told["svg"].startswith("<svg ")


def test_faults_are_underlined_and_said(told: Any) -> None:
    assert told["fault"] == "line 35, column 16: cannot read 'ad' here"
    assert told["underlined"] > 0 and told["kept"] == told["cells"], "the picture before stays"
    assert "S-NEST" in told["broken"]
    assert told["before"] == "; typed by hand", "the browser's Back leads to what was there before an example"


def test_a_program_that_says_no_launch_has_a_picture(told: Any) -> None:
    chosen, function, threads, rows = told["chosen"]
    assert chosen == "Chosen by the page, as the program does not say: Function, Threads, %delta"
    assert (function, threads) == ("src", "4")
    assert len(rows) == 4 and len(set(rows)) > 1, "threads part"


def test_a_fault_speaks_of_fields_and_leads_there(told: Any) -> None:
    assert "give it with the field %delta, or give the blocks with the field Paths" in told["missing"]
    assert "--" not in told["missing"] and told["led"] == "launch-arg-delta"


def test_a_broken_rules_witness_is_in_the_text_and_in_the_control_flow(told: Any) -> None:
    assert told["witness"] == [1, "body", "body:"]


def test_every_shelf_is_a_menu(told: Any) -> None:
    files = [*(ROOT / "examples_ll").rglob("*.ll"), *(ROOT / "examples_ll").rglob("*.spvasm")]
    shelves = {file.relative_to(ROOT / "examples_ll").parts[0] for file in files}
    assert set(told["shelves"]) == shelves


def test_a_long_run_is_stopped_and_the_page_stays_alive(told: Any) -> None:
    assert told["alive"] == 42
    assert told["stopped"] in ("stopped", "Python starts …")


def test_it_fits_a_phone_and_needs_no_mouse(told: Any) -> None:
    width, window = told["narrow"]
    assert width <= window
    assert told["focused"] == "B #1: thread 1, step 2, group 1 of %sum.b"
    assert told["unnamed"] == []
    assert told["axe"] == [], "what axe finds against people who do not see, or use no mouse"


def test_a_page_that_is_opened_as_a_file_says_what_to_do(told: Any) -> None:
    assert "convcheck playground" in told["file"]


def test_the_page_is_as_small_as_is_said() -> None:
    try:
        folder = built(None)
    except InputError:
        pytest.skip("the page is not built (make playground)")
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    assert sum(sizes) <= 20_000_000
    packed = [len(zlib.compress(path.read_bytes(), 6)) for path in folder.rglob("*") if path.is_file()]
    assert sum(packed) <= 10_000_000, "what a server that compresses sends"
