"""The explorer page: what is in it, and what a browser does with it (where there is headless Chromium).

covers: cli.commands.explore, report.explore
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from convergence import parse
from convergence.cli import invoke
from convergence.report import explore as explorer
from convergence.sched.lockstep.executor import LockstepExecutor
from convergence.semantics import Clock, Ending
from convergence.semantics.machine.launch import LaunchSpec
from convergence.semantics.machine.machine import Machine
from convergence.semantics.machine.run import execute
from tests.cli.cli_harness import convcheck, ll

ROOT = Path(__file__).parents[2]
NATURAL = ROOT / "examples_ll" / "alignments" / "natural.ll"
BROWSER = next((b for b in ("chromium", "chromium-browser", "google-chrome") if shutil.which(b)), None)
browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium on the path (Debian: chromium)")

LONG = """
declare i32 @subgroupAdd(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
define void @long(i32 %n) convergent {
A:
  %t = call token @llvm.experimental.convergence.entry()
  br label %B
B:
  %i = phi i32 [ 0, %A ], [ %j, %B ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %t) ]
  %s = call i32 @subgroupAdd(i32 %i) [ "convergencectrl"(token %h) ]
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %B, label %C
C:
  ret void
}
"""


def written(tmp_path: Path, *arguments: str) -> Path:
    page = tmp_path / "page.html"
    assert invoke(["explore", *arguments, "-o", str(page)]) == 0
    return page


def data_of(page: Path) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text(), re.S)
    assert found is not None
    return json.loads(found[1])


def in_browser(page: Path, script: str) -> Any:
    """What ``script``, the body of a function, returns in the opened page."""
    assert BROWSER is not None
    tried = page.with_name("tried.html")
    marked = (
        "<script>setTimeout(() => { let r; try { r = (() => {" + script + "})(); } catch (e) "
        "{ r = 'failed: ' + e.stack; } document.title = 'asked:' + btoa(unescape(encodeURIComponent("
        "JSON.stringify(r)))); }, 100)</script>"
    )
    tried.write_text(page.read_text() + marked)
    ran = subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,900",
         f"--user-data-dir={page.parent / 'profile'}", "--virtual-time-budget=4000", "--dump-dom",
         tried.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    import base64

    found = re.search(r"<title>asked:([A-Za-z0-9+/=]*)</title>", ran.stdout)
    assert found is not None, ran.stderr[-2000:]
    return json.loads(base64.b64decode(found[1]))


def test_the_page_is_self_contained_and_the_same_each_time(tmp_path: Path) -> None:
    text = written(tmp_path, str(NATURAL)).read_text()
    assert text == written(tmp_path, str(NATURAL)).read_text()
    assert not re.search(r'(src|href)="(?!#)', text)
    assert "http" not in text.replace("http-equiv", "")
    assert str(ROOT) not in text


def test_views_are_the_legal_alignments_and_the_machines(tmp_path: Path) -> None:
    found = data_of(written(tmp_path, str(NATURAL)))
    names = [view["name"] for view in found["views"]]
    assert names[0] == "alignment 1"
    assert {"ipdom", "exec-mask", "heart", "independent"} <= set(names)
    first = found["views"][0]
    assert [column["block"] for column in first["columns"]] == "A B C B C D".split()
    assert [[cell[0] for cell in row] for row in first["rows"]] == [[0, 1, 3, 4, 5], [0, 1, 2, 3, 4, 5]]
    sums = [g for g in first["groups"] if found["sites"][g["site"]]["operation"] == "%sum.b"]
    assert [(g["members"], g["results"]) for g in sums] == [
        ([[0, 1], [1, 1]], "11"),
        ([[0, 2], [1, 2]], "11"),
    ]
    assert all(g["key"] >= 0 for g in first["groups"])


def test_every_alignment_has_its_keys(tmp_path: Path) -> None:
    anchored = NATURAL.with_name("uncontrolled.ll")
    found = data_of(written(tmp_path, str(anchored), "--uncontrolled", "any", "--policy", "none"))
    assert [view["summary"] for view in found["views"]] == [f"{n} of 6 legal (complete)" for n in range(1, 7)]
    assert all(group["key"] >= 0 for view in found["views"] for group in view["groups"])


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    anchored = NATURAL.with_name("uncontrolled.ll")
    page = written(tmp_path, str(anchored), "--uncontrolled", "any", "--policy", "none", "--alignments", "2")
    found = data_of(page)
    assert len(found["views"]) == 2
    assert "4 more alignments are not shown (--alignments 2)" in found["notes"]


def test_of_a_long_execution_the_beginning_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "DRAWN", 40)
    program = str(ll(tmp_path, LONG))
    arguments = (program, "--threads", "2", "--arg", "n=30", "--policy", "ipdom")
    found = data_of(written(tmp_path, *arguments))
    assert [len(row) for row in found["views"][0]["rows"]] == [20, 20]
    assert found["views"][0]["drawn"] == {"visits": [20, 32], "slots": [0, 0]}
    (machine,) = [view for view in found["views"] if view["name"] == "ipdom"]
    assert len(machine["slots"]) == 40
    members = {tuple(member) for group in found["views"][0]["groups"] for member in group["members"]}
    assert max(nth for _, nth in members) == 19  # the entry's block and 19 times round
    assert "alignment 1: drawn are the first 20 of up to 32 block visits of each thread" in found["notes"]


def test_no_view_but_the_first_is_drawn_when_time_is_up(tmp_path: Path) -> None:
    program = str(ll(tmp_path, LONG))
    found = data_of(written(tmp_path, program, "--threads", "2", "--arg", "n=3"))
    whole = [view["name"] for view in found["views"]]
    assert found["undrawn"] == []
    module = parse(Path(program).read_text())
    run = execute(module, LaunchSpec(threads=2, arguments={"n": 3}))
    views = [explorer.View(name, "", run.execution, run.groups, run.keys) for name in whole]
    text = explorer.page(views, run.machine.program, "long", clock=Clock(0.5, 0.0))
    page = tmp_path / "late.html"
    page.write_text(text)
    late = data_of(page)
    assert [view["name"] for view in late["views"]] == whole[:1]
    assert late["undrawn"] == whole[1:]
    assert late["notes"] == [f"not drawn (--timeout 0.5): {', '.join(whole[1:])}"]


def test_a_source_cannot_end_the_script(tmp_path: Path) -> None:
    source = tmp_path / "evil.ll"
    source.write_text("; </script><script>alert(1)</script>\ndefine void @f() {\nA:\n  ret void\n}\n")
    page = written(tmp_path, str(source))
    assert "</script><script>alert" not in page.read_text()
    assert data_of(page)["source"][0] == "; </script><script>alert(1)</script>"


def test_what_breaks_a_rule_gives_no_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = next((ROOT / "examples_ll" / "rules").glob("S-CYCLE-USE.bad*.ll"))
    page = tmp_path / "page.html"
    assert invoke(["explore", str(bad), "-o", str(page)]) == 1
    assert "S-CYCLE-USE" in capsys.readouterr().err
    assert not page.exists()


@browser
def test_stepping_picking_and_comparing(tmp_path: Path) -> None:
    told = in_browser(
        written(tmp_path, str(NATURAL)),
        """
        const out = { first: at('place').textContent };
        at('on').click(); at('on').click(); out.third = at('place').textContent;
        out.now = [...document.querySelectorAll('#lines li.now')].length;
        document.querySelector('.cell[data-thread="1"][data-column="3"]').click();
        out.details = at('details').textContent;
        const ipdom = data.views.findIndex(v => v.name === 'ipdom');
        at('other').value = ipdom; at('other').dispatchEvent(new Event('change'));
        out.summary = at('summary').textContent; out.differing = document.querySelectorAll('.differs').length;
        go(0); at('next-difference').click(); out.next = at('place').textContent;
        out.beside = at('details').textContent;
        at('view').value = ipdom; at('view').dispatchEvent(new Event('change'));
        at('mode').value = 'masks'; at('mode').dispatchEvent(new Event('change'));
        out.masks = document.querySelector('[role="grid"]').getAttribute('aria-colcount');
        return out;
        """,
    )
    assert told["first"] == "step 1 of 6: A, threads 0-1"
    assert told["third"] == "step 3 of 6: C, thread 1"
    assert told["now"] > 0
    assert "%sum.b" in told["details"]
    assert "group 2threads 0-1 #2" in told["details"]
    assert "2 instances in different groups" in told["summary"]
    assert told["differing"] > 0
    assert told["next"] == "step 4 of 6: B, threads 0-1"
    assert "in ipdomthread 0 #2" in told["beside"]
    assert int(told["masks"]) > 6


@browser
def test_the_keyboard_alone_is_enough(tmp_path: Path) -> None:
    told = in_browser(
        written(tmp_path, str(NATURAL)),
        """
        document.querySelector('.cell[tabindex="0"]').focus();
        const typed = key => new KeyboardEvent('keydown', { key, bubbles: true });
        const press = key => document.activeElement.dispatchEvent(typed(key));
        press('ArrowRight'); press('ArrowDown'); press('Enter');
        return { where: document.activeElement.getAttribute('aria-label'), details: at('details').textContent,
          live: at('details').getAttribute('aria-live'),
          roles: [...document.querySelectorAll('[role]')].map(e => e.getAttribute('role')),
          unnamed: [...document.querySelectorAll('button, select, input')].filter(e =>
            !e.labels?.length && !e.getAttribute('aria-label') && !e.textContent.trim()).length };
        """,
    )
    assert told["where"] == "B #1: thread 1, step 2, group 1 of %sum.b"
    assert "%sum.b" in told["details"]
    assert told["live"] == "polite"
    assert {"grid", "row", "gridcell"} <= set(told["roles"])
    assert told["unnamed"] == 0


@browser
def test_threads_that_do_the_same_are_one_row_that_opens(tmp_path: Path) -> None:
    counts = [1] * 10 + [3] * 5 + [9]
    launch = ["--threads", "16", "--arg", "%n=" + ",".join(map(str, counts)), "--policy", "none"]
    told = in_browser(
        written(tmp_path, str(ll(tmp_path, LONG)), *launch),
        """
        const names = () => [...document.querySelectorAll('.rowname')].map(e => e.textContent);
        const out = { folded: names() };
        document.querySelectorAll('.fold')[1].click(); out.opened = names();
        return out;
        """,
    )
    assert told["folded"] == ["▸ 0–9", "▸ 10–14", "Thread 15"]
    assert told["opened"] == ["▸ 0–9", "▾ 10", *(f"Thread {n}" for n in range(11, 16))]


UNDEFINED = """
declare i32 @subgroupAdd(i32) convergent
define i32 @undefined(i32 %n) convergent {
A:
  %s = call i32 @subgroupAdd(i32 %n)
  %q = udiv i32 %s, %n
  ret i32 %q
}
"""
OF_ALL_KINDS = {
    "64 threads": (LONG, ["--threads", "64", "--arg", "%n=" + ",".join(str(n % 7) for n in range(64))], 0),
    "undefined": (UNDEFINED, ["--threads", "2", "--arg", "%n=1,0"], 1),
    "cut off": (LONG, ["--threads", "2", "--arg", "%n=9", "--max-steps", "30"], 3),
    "calls": ((ROOT / "examples_ll" / "langref" / "inlining-before.ll").read_text(), [], 0),
}


@browser
@pytest.mark.parametrize("kind", OF_ALL_KINDS)
def test_every_view_of_every_kind_is_drawn(tmp_path: Path, kind: str) -> None:
    """Each view in each mode, with each other one beside it: no error, no name missing, nothing too wide."""
    text, launch, code = OF_ALL_KINDS[kind]
    source, page = tmp_path / "kind.ll", tmp_path / "page.html"
    source.write_text(text)
    assert invoke(["explore", str(source), *launch, "-o", str(page)]) == code
    early = "<head><script>window.errors = []; onerror = said => { errors.push(said); };</script>"
    page.write_text(page.read_text().replace("<head>", early, 1))
    told = in_browser(
        page,
        """
        const change = (id, to) => { at(id).value = to; at(id).dispatchEvent(new Event('change')); };
        const values = id => [...at(id).options].map(option => option.value);
        let drawn = 0, widest = 0;
        for (const view of values('view')) for (const mode of values('mode')) {
          change('view', view);
          change('mode', mode);
          go(steps() - 1);
          document.querySelector('.cell').click();
          drawn += document.querySelectorAll('.cell').length > 0;
          widest = Math.max(widest, document.documentElement.scrollWidth);
        }
        for (const other of values('other')) { change('other', other); at('next-difference').click(); }
        const named = e => e.labels?.length || e.getAttribute('aria-label') || e.textContent.trim();
        return { drawn, views: values('view').length, wide: widest - innerWidth, errors: window.errors,
          unnamed: [...document.querySelectorAll('button, select, input, [role=grid], [role=gridcell]')]
            .filter(e => !named(e)).length };
        """,
    )
    assert told["errors"] == []
    assert told["drawn"] == 2 * told["views"] > 2
    assert told["unnamed"] == 0
    assert told["wide"] <= 0


@browser
def test_ten_thousand_steps_stay_usable(tmp_path: Path) -> None:
    source = tmp_path / "long.ll"
    source.write_text(LONG)
    page = written(tmp_path, str(source), "--threads", "2", "--arg", "%n=10000,9999", "--policy", "none")
    told = in_browser(
        page,
        """
        const begun = performance.now();
        for (let n = 0; n < 200; n++) go(n * 50);
        const each = (performance.now() - begun) / 200;
        const drawn = document.querySelectorAll('.cell').length;
        return { steps: steps(), drawn, each, place: at('place').textContent };
        """,
    )
    assert told["steps"] >= 10_000
    assert told["drawn"] < 200
    assert told["each"] < 50  # milliseconds a step
    assert told["place"].startswith("step 9951 of 1000")


APART = """@a = global [8 x i32] zeroinitializer
declare token @llvm.experimental.convergence.entry()
declare i32 @subgroupAdd(i32) convergent
define i32 @f(i64 %x) convergent {
  %t = call token @llvm.experimental.convergence.entry()
  %p = getelementptr [8 x i32], ptr @a, i64 0, i64 %x
  store i32 1, ptr %p
  %v = load i32, ptr %p
  store i32 %v, ptr %p
  %s = call i32 @subgroupAdd(i32 %v) [ "convergencectrl"(token %t) ]
  ret i32 %s
}
"""


def executions(monkeypatch: pytest.MonkeyPatch, *words: str | Path) -> int:
    """How many executions a command makes."""
    count = 0
    once = Machine.run

    def counted(machine: Machine, *given: Any, **named: Any) -> Ending:
        nonlocal count
        count += 1
        return once(machine, *given, **named)

    monkeypatch.setattr(Machine, "run", counted)
    assert convcheck(*words).code == 0
    monkeypatch.undo()
    return count


def test_a_program_with_one_execution_is_executed_as_often_as_by_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = ll(tmp_path, APART), "--threads", "8", "--arg", "%x=0,1,2,3,4,5,6,7"
    page = "-o", tmp_path / "page.html", "--policy", "none"
    assert executions(monkeypatch, "explore", *given, *page) == executions(monkeypatch, "run", *given) == 1


def test_a_bound_is_said_where_no_page_is_opened(tmp_path: Path) -> None:
    page = "-o", tmp_path / "page.html"
    ran = convcheck("explore", "--max-steps", "3", ROOT / "examples_ll" / "alignments" / "natural.ll", *page)
    assert (ran.code, ran.out) == (3, "")
    assert "there may be more alignments: --max-steps 3" in ran.err


def test_one_execution_of_several_is_called_so() -> None:
    found = convcheck("explore", "--format", "json", ROOT / "examples_ll" / "spirv" / "break-block.spvasm")
    summary = {view["name"]: view["summary"] for view in json.loads(found.out)["views"]}
    assert summary["SPIR-V base"].endswith("; the first of several executions")
    assert summary["SPIR-V maximal"] == "what SPIR-V promises: reconvergence maximal"


def test_a_timeout_is_for_all_that_explore_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For the first execution, the others, and eight machines: each had it for itself."""
    text = """define i32 @f(i32 %x) {
A:
  br label %B
B:
  %n = phi i32 [ 0, %A ], [ %m, %B ]
  %m = add i32 %n, 2
  %c = icmp eq i32 %m, 1
  br i1 %c, label %C, label %B
C:
  ret i32 %n
}
"""
    begun, spent = 0, 0.0

    def timed(once: Any) -> Any:
        def run(*given: Any, **named: Any) -> Any:
            nonlocal begun, spent
            begun, before = begun + 1, time.monotonic()
            try:
                return once(*given, **named)
            finally:
                spent += time.monotonic() - before

        return run

    monkeypatch.setattr(Machine, "run", timed(Machine.run))
    monkeypatch.setattr(LockstepExecutor, "run", timed(LockstepExecutor.run))
    words = "--timeout", "0.3", "--max-steps", "1000000000", "--arg", "%x=1", "-o", tmp_path / "page.html"
    before = time.process_time()
    convcheck("explore", ll(tmp_path, text), *words)
    assert begun >= 9
    assert spent < 0.3 + 1
    # Native code passes through more blocks in this time than a page could ever hold.
    assert time.process_time() - before < 5
