// What a person does with the page, in a real browser: node browser.mjs URL chromium|firefox PROGRAM FRAGMENT; what came
// of it, as JSON.
import fs from "node:fs";
import { chromium, firefox } from "../../playground/node_modules/playwright-core/index.mjs";

const [url, kind, program, given, folder] = process.argv.slice(2); // the page, the browser, a link's fragment that Python wrote, and the page's folder
// Any Firefox is driven by WebDriver BiDi; of it a page may write to the clipboard without being asked for.
const browser = kind === "firefox" ? await firefox.launch({ channel: "moz-firefox", executablePath: program }) :
  await chromium.launch({ executablePath: program, args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
const context = await browser.newContext({ viewport: { width: 1300, height: 900 },
  permissions: kind === "chromium" ? ["clipboard-read", "clipboard-write"] : [] });
context.setDefaultTimeout(90000); // both browsers at once, each with two Pythons, take their time on a busy machine
const page = await context.newPage();
const told = { errors: [], elsewhere: [] };
page.on("pageerror", error => told.errors.push(String(error)));
page.on("console", message => { if (message.type() === "error") told.errors.push(message.text()); });
page.on("request", request => { if (!/^(blob|data):/.test(request.url()) && new URL(request.url()).origin !== new URL(url).origin) told.elsewhere.push(request.url()); });

const text = id => page.textContent(`#${id}`);
const views = () => page.evaluate(() => data.views.map(v => [v.name, v.rows.map(row => row.map(cell => v.columns[cell[0]].block).join(" "))]));
const until = what => page.waitForFunction(what);
const whole = () => until("!document.getElementById('explorer').classList.contains('stale') && data.views.length > 1");
const replace = (old, to) => page.evaluate(([old, to]) => {
  const editor = document.querySelector(".cm-content").cmTile?.view || document.querySelector(".cm-content").cmView.view;
  const at = editor.state.doc.toString().indexOf(old);
  editor.dispatch({ changes: { from: at, to: at + old.length, insert: to } });
}, [old, to]);

try {
  await page.goto(url);
  await until("document.body.dataset.first");
  told.early = await page.evaluate(() => document.body.dataset.state); // the build has prepared it: Python still starts
  await whole();
  told.natural = await views();
  told.prepared = Object.values(await page.evaluate(async () => (await fetch("prepared.json")).json()));
  await until("document.body.dataset.state === 'ready'");
  told.cells = await page.locator("#grids .cell").count();
  told.lanes = await page.locator("#cfg .lane").count();
  told.answer = await text("text");

  await page.evaluate(fs.readFileSync(new URL("../../playground/node_modules/axe-core/axe.min.js", import.meta.url), "utf8"));
  told.axe = await page.evaluate(async () => (await axe.run()).violations.map(v => `${v.impact} ${v.id}: ${v.nodes[0].html.slice(0, 120)}`));

  // Two cells, one after the other: why not together.
  await page.click('.cell[data-thread="0"][data-column="1"]');
  await page.click('.cell[data-thread="1"][data-column="3"]');
  told.between = await text("between");

  // A launch by the form, a program by typing.
  await page.fill("#launch-arg-x", "2,3");
  await until("document.getElementById('text').textContent.includes(': 5')");
  told.launched = await text("text");
  await page.click(".cm-content");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\n; typed by hand");
  await until("!document.getElementById('explorer').classList.contains('stale')");
  await until("data.source.at(-1) === '; typed by hand'");
  told.typed = await page.evaluate(() => data.source.at(-1));

  // The link, there and back.
  await page.click('[data-copy="link"]');
  await until("document.querySelector('[data-copy=link]').dataset.copied");
  told.link = await page.getAttribute('[data-copy="link"]', "data-copied");
  await page.click('[data-copy="command"]');
  await until("document.querySelector('[data-copy=command]').dataset.copied");
  told.command = await page.getAttribute('[data-copy="command"]', "data-copied");
  await page.click('[data-copy="svg"]');
  await until("document.querySelector('[data-copy=svg]').dataset.copied");
  told.svg = (await page.getAttribute('[data-copy="svg"]', "data-copied")).slice(0, 40);

  // Errors: underlined, and said.
  await replace("add i32 %shifted", "ad i32 %shifted");
  await until("!document.getElementById('problem').hidden");
  told.fault = await text("problem");
  told.underlined = await page.locator(".cm-lintRange-error").count();
  told.kept = await page.locator("#grids .cell").count();
  await replace("ad i32 %shifted", "add i32 %shifted");
  await until("document.getElementById('problem').hidden && !document.getElementById('explorer').classList.contains('stale')");

  // A path recorded by clicking blocks.
  await page.evaluate(() => { document.getElementById("paths").open = true; });
  await page.click('[aria-label="record the path of thread 0 by clicking blocks"]');
  for (const block of [0, 1, 2, 1, 2, 3]) await page.click(`#cfg [data-block="${block}"]`);
  await page.click('[aria-label="record the path of thread 0 by clicking blocks"]');
  told.recorded = await page.inputValue("#launch-path-0");
  await until("document.getElementById('text').textContent.startsWith('Thread 0: A B C B C D')");
  told.together = await text("text");

  // Colours by choice.
  await page.click("#theme");
  await page.click("#theme");
  told.dark = await page.evaluate(() => [document.documentElement.dataset.theme, getComputedStyle(document.body).backgroundColor]);

  // Every example of a shelf can be chosen; one is, and a broken one says its rule.
  told.shelves = await page.$$eval("#examples optgroup", groups => groups.map(g => g.label));
  await page.selectOption("#examples", "rules/S-NEST.bad.ll");
  await until("document.getElementById('problem').textContent.includes('S-NEST')");
  told.broken = await text("problem");
  await page.evaluate(() => { dispatchEvent(new Event("resize")); }); // with no picture to draw
  await page.evaluate(() => history.back());
  await until("data.source.at(-1) === '; typed by hand'");
  told.before = await page.evaluate(() => data.source.at(-1));
  told.pathBefore = await page.inputValue("#launch-path-0"); // recorded just before another example was chosen

  // A program that says nothing of its launch: the page fills the form. A field that is emptied is said to be missing by
  // its name, and the page chooses again when it is asked to.
  await page.selectOption("#examples", "transforms/hoist-add.ll");
  await until("data.views.length > 1 && data.cfg.function === 'src'");
  told.chosen = [await text("chosen"), await page.inputValue("#launch-function"), await page.inputValue("#launch-threads"), (await views())[0][1]];
  await page.fill("#launch-arg-delta", "");
  await until("!document.getElementById('problem').hidden");
  told.missing = await text("problem");
  await page.click("#problem .field");
  told.led = await page.evaluate(() => document.activeElement.id);
  await page.click("#problem button:not(.field)");
  await until("document.getElementById('problem').hidden && document.getElementById('launch-arg-delta').value");
  await page.selectOption("#examples", "rules/S-CYCLE-USE.bad.ll");
  await until("document.querySelector('#cfg .block.witness')");
  told.witness = [await page.locator("#cfg path.witness").count(), await page.textContent("#cfg .block.witness + text"), await page.textContent(".cm-line.witness")];

  // A run without end can be stopped, and the page goes on.
  await page.selectOption("#examples", "alignments/natural.ll");
  await until("document.getElementById('problem').hidden && data.views.length > 1");
  await page.hover("#more summary"); // the form changes while a finger is down on it
  await page.mouse.down();
  await replace("%x=1,10", "%x=1,11");
  await until("document.getElementById('launch-arg-x').value === '1,11'");
  await page.mouse.up();
  told.opened = await page.evaluate(() => document.getElementById("more").open);
  await page.evaluate(() => {
    const editor = document.querySelector(".cm-content").cmTile?.view || document.querySelector(".cm-content").cmView.view;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: "; CONVCHECK: --threads 2\ndefine void @f() {\nA:\n  br label %B\nB:\n  " +
      "%i = phi i64 [ 0, %A ], [ %j, %B ]\n  %j = add i64 %i, 1\n  %c = icmp slt i64 %j, 99999999999\n  br i1 %c, label %B, label %C\nC:\n  ret void\n}\n" } });
  });
  await page.fill("#launch-timeout", "500");
  await page.fill("#launch-steps", "999999999");
  await until("!document.getElementById('stop').disabled");
  await page.waitForTimeout(1000);
  told.filled = [await page.inputValue("#launch-timeout"), await page.inputValue("#launch-steps"), await page.inputValue("#launch-threads")];
  told.alive = await page.evaluate(() => 6 * 7);
  await page.click("#stop");
  told.stopped = await text("state");
  await page.fill("#launch-steps", ""); // over WebDriver BiDi a number is filled in behind the one that is there
  await page.fill("#launch-steps", "1000");
  await until("document.querySelector('#summary').textContent.includes('1000 in ')");
  told.bound = await text("summary");
  await page.click("#summary .field");
  told.bounded = await page.evaluate(() => document.activeElement.id);
  await page.goto(told.link);
  await page.reload();
  await until("document.body.dataset.first");
  await whole();
  told.back = await page.evaluate(() => data.source.at(-1));
  told.backLaunch = await page.inputValue("#launch-arg-x");
  told.backAnswer = await page.waitForFunction("document.getElementById('text').textContent").then(() => text("text"));

  await page.goto(url.split("#")[0] + given);
  await page.reload();
  await until("document.body.dataset.first");
  told.given = await page.evaluate(() => data.source[0]);
  told.givenThreads = await page.inputValue("#launch-threads");

  // A damaged link; a phone; the keyboard; names for who does not see.
  await page.goto(url.split("#")[0] + "#1=nonsense");
  await page.reload();
  await until("!document.getElementById('problem').hidden");
  told.damaged = await text("problem");
  await page.goto(url.split("#")[0]);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.reload();
  await whole();
  told.narrow = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  await page.focus('.cell[tabindex="0"]');
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  told.focused = await page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  told.unnamed = await page.$$eval("button, select, input", all => all.filter(e => !e.labels?.length && !e.getAttribute("aria-label") && !e.textContent.trim()).map(e => e.outerHTML.slice(0, 80)));

  // Opened as a file, which no browser runs: what is to be done is said.
  const alone = await context.newPage();
  await alone.goto(`file://${folder}/index.html`);
  told.file = await alone.textContent("#problem");
} catch (error) {
  told.failed = String(error.stack || error);
  told.state = await page.evaluate(() => [document.getElementById("state").textContent, document.getElementById("problem").textContent]).catch(String);
}
await browser.close();
console.log(JSON.stringify(told));
