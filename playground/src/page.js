// The page: an editor and a launch, and beside them what convcheck says of the program, while it is typed.
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, drawSelection, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { tags } from "@lezer/highlight";
import { Asker } from "./asking.js";
import { llvm } from "./llvm.js";
import * as permalink from "./permalink.js";
import { joined, quoted, split } from "./words.js";

const at = id => document.getElementById(id);
const QUICK = 120; // milliseconds without a key stroke before anything is asked
const SECONDS = 10; // of one answer, unless the launch says otherwise
const WHOLE = 30; // of all pictures, while the first one is looked at
const STEPS = 1000000;
const PATIENCE = 3; // seconds to choose what to launch a program with, where it does not say

// -- the editor ---------------------------------------------------------------------------------------------------------

const marks = StateEffect.define();
const marked = StateField.define({
  create: () => Decoration.none,
  update(value, change) {
    value = value.map(change.changes);
    for (const effect of change.effects) if (effect.is(marks)) value = effect.value;
    return value;
  },
  provide: field => EditorView.decorations.from(field),
});

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
  { tag: [tags.keyword, tags.definitionKeyword], color: "var(--word)", fontWeight: "600" },
  { tag: tags.typeName, color: "var(--type)" },
  { tag: [tags.number, tags.atom, tags.string], color: "var(--constant)" },
  { tag: tags.special(tags.name), color: "var(--control)", fontWeight: "600" },
  { tag: tags.labelName, color: "var(--ink)", fontWeight: "700" },
]);

const dressing = EditorView.theme({
  "&": { height: "100%" },
  ".cm-scroller": { overflow: "auto", fontFamily: "ui-monospace, monospace" },
  ".cm-gutters": { backgroundColor: "var(--soft)", color: "var(--faint)", borderRight: "1px solid var(--line)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--selected)", color: "var(--ink)" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selected) !important" },
  ".cm-tooltip": { backgroundColor: "var(--paper)", color: "var(--ink)", border: "1px solid var(--line)" },
  ".cm-diagnostic": { whiteSpace: "pre-wrap" },
});

const view = new EditorView({
  parent: at("editor"),
  state: EditorState.create({
    doc: "",
    extensions: [
      lineNumbers(), history(), drawSelection(), bracketMatching(), highlightActiveLineGutter(), highlightSelectionMatches(),
      lintGutter(), llvm, syntaxHighlighting(colours), dressing, marked,
      EditorView.contentAttributes.of({ "aria-label": "LLVM IR", tabindex: "0" }),
      // Tab leaves the editor, so that the keyboard alone is enough.
      keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap]),
      EditorView.updateListener.of(update => { if (update.docChanged) changed(); }),
      EditorView.domEventHandlers({
        click(event, editor) {
          const place = editor.posAtCoords(event), line = place === null ? 0 : editor.state.doc.lineAt(place).number;
          const site = data.sites.findIndex(s => s.line === line);
          if (site >= 0 && !stale) pickSite(site);
        },
      }),
    ],
  }),
});

const program = () => view.state.doc.toString();
let shelves = [], exampleText = null; // the examples, and the text of the one that the menu names
let stale = true, here = null, pickedLines = [], witnessLines = [];

function decorate() {
  const doc = view.state.doc, ranges = [];
  const add = (line, name) => { if (line >= 1 && line <= doc.lines) ranges.push(Decoration.line({ class: name }).range(doc.line(line).from)); };
  if (here && !stale) for (let n = here[0]; n <= here[1]; n++) add(n, "here");
  if (!stale) for (const n of pickedLines) add(n, "picked");
  for (const n of witnessLines) add(n, "witness");
  view.dispatch({ effects: marks.of(Decoration.set(ranges, true)) });
}

host = {
  mark(where) { here = where; decorate(); },
  picked(lines) { pickedLines = lines; decorate(); },
  words: inFields,
  block(block) {
    if (recording !== null) { record(block.name); return; }
    if (block.lines) view.dispatch({ effects: EditorView.scrollIntoView(view.state.doc.line(block.lines[0]).from, { y: "start", yMargin: 20 }) });
  },
};

function underlined(found) {
  const doc = view.state.doc;
  const place = (line, column) => { const l = doc.line(Math.max(1, Math.min(line, doc.lines))); return Math.min(l.from + Math.max(0, column - 1), l.to); };
  view.dispatch(setDiagnostics(view.state, found.map(one => {
    const from = place(one.line, one.column);
    let to = one.end_line ? place(one.end_line, one.end_column) : doc.lineAt(from).to;
    if (to <= from) to = Math.min(from + 1, doc.length);
    const witness = one.witness ? `\n${one.witness.kind}: ${one.witness.blocks.join(" → ")}` : "";
    const labels = one.labels.map(l => `\nline ${l.line}: ${l.message}`).join("");
    return { from, to, severity: one.severity === "error" ? "error" : "warning",
      message: `${one.rule ? `[${one.rule}] ` : ""}${one.message}${witness}${labels}${one.help ? `\nhelp: ${one.help}` : ""}` };
  })));
}

// -- the launch: a form, and the words that it stands for -----------------------------------------------------------------

// What the form has fields for; other words of a link stay in the field for more.
const FIELDS = { "--function": "function", "--threads": "threads", "--subgroup-size": "subgroup", "--uncontrolled": "uncontrolled",
  "--timeout": "timeout", "--max-steps": "steps" };
let launch = emptied(), facts = { functions: [], launch: [] }, fileWords = null, recording = null;

// `chosen` are the fields that the page filled, as nobody said how the program is launched; `byHand`: somebody does now.
function emptied() { return { function: "", threads: "", subgroup: "", uncontrolled: "", timeout: "", steps: "", args: {}, paths: [], more: "", chosen: new Set(), byHand: false }; }

// What a pointer's field holds is a buffer, but for the address of a variable and the like; a file's bytes are not here.
const isBuffer = text => !/^\s*(@|null|poison|undef|<|\[|\{)/.test(text);
const isPointer = name => facts.functions.some(f => f.parameters.some(p => p.name === name && p.type.startsWith("ptr")));

function ofField(text) {
  const [name, ...rest] = text.split("=");
  return name.startsWith("%") && isPointer(name.slice(1)) && isBuffer(rest.join("="));
}

function readWords(words, keepMore) {
  const made = emptied(), more = [];
  for (let n = 0; n < words.length; n++) {
    let [flag, value] = [words[n], undefined];
    const equals = flag.startsWith("--") ? flag.indexOf("=") : -1;
    if (equals > 0) [flag, value] = [flag.slice(0, equals), flag.slice(equals + 1)];
    const next = () => value ?? words[++n] ?? "";
    if (flag in FIELDS) made[FIELDS[flag]] = next();
    else if (flag === "--arg") { const [name, ...rest] = next().split("="); made.args[name.replace(/^%/, "")] = rest.join("="); }
    else if (flag === "--buffer" && ofField(value ?? words[n + 1] ?? "")) { const [name, ...rest] = next().split("="); made.args[name.slice(1)] = rest.join("="); }
    else if (flag === "--path") made.paths.push(next());
    else more.push(words[n]);
  }
  if (keepMore) made.more = joined(more);
  return made;
}

// The words of the launch as the form has it.
function words() {
  const made = [];
  for (const [flag, field] of Object.entries(FIELDS)) if (String(launch[field]).trim()) made.push(flag, String(launch[field]).trim());
  for (const [name, value] of Object.entries(launch.args)) if (value.trim()) made.push(isPointer(name) && isBuffer(value) ? "--buffer" : "--arg", `%${name}=${value.trim()}`);
  for (const path of launch.paths) if (path.trim()) made.push("--path", path.trim());
  return [...made, ...split(launch.more)];
}

function node(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) key.startsWith("on") ? made.addEventListener(key.slice(2), value) : value === null || made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function field(name, label, control) {
  control.id = `launch-${name}`;
  return [node("label", { for: control.id }, label), control];
}

// The fields that somebody filled since the program last changed: its own words, read a moment later, leave them alone.
const typed = new Set();
function kept(made, was) {
  for (const name of typed) {
    if (name.startsWith("arg-")) made.args[name.slice(4)] = was.args[name.slice(4)] ?? "";
    else if (name.startsWith("path-")) made.paths = was.paths;
    else if (name === "words") made.more = was.more;
    else made[name] = was[name];
  }
  made.byHand = typed.size > 0;
  return made;
}

// Somebody fills the form: the page chooses no more, unless it is asked to.
function byHand(id) {
  typed.add(id.replace(/^launch-/, ""));
  launch.byHand = true;
  launch.chosen.delete(id.replace(/^launch-/, ""));
  toldChosen();
}

// A control of the form: `value` is what the launch has for it, now and whenever `show` is called.
function control(made, value) {
  made.show = () => { if (made.value !== value()) made.value = value(); };
  return made;
}

const input = (value, set, attributes = {}) => control(node("input", { type: "text", spellcheck: "false", autocomplete: "off", ...attributes,
  oninput: event => { byHand(event.target.id); set(event.target.value); asked(); } }), value);

const chosen = (value, set, options) => control(node("select", { onchange: event => { typed.add(event.target.id.replace(/^launch-/, "")); set(event.target.value); asked(); } },
  ...options.map(([v, text]) => node("option", { value: v }, text))), value);

const launchedFunction = () => facts.functions.find(f => f.name === launch.function.replace(/^@/, "")) || facts.functions[facts.functions.length > 1 && data.cfg ? facts.functions.findIndex(f => f.name === data.cfg.function) : 0] || facts.functions[0];

// Parts of the form, by what they are for, each made once: one that is exchanged while a finger is down on it loses the click.
const parts = new Map();

function part(key, make) {
  if (!parts.has(key)) parts.set(key, make());
  return parts.get(key);
}

// The nodes as the children of a parent, which is left alone where they are that already; and each shows what the launch has.
function hold(parent, nodes) {
  const focused = document.activeElement;
  if (nodes.length !== parent.childNodes.length || nodes.some((one, n) => one !== parent.childNodes[n])) parent.replaceChildren(...nodes);
  for (const one of parent.querySelectorAll("*")) if (one.show) one.show();
  if (focused !== document.activeElement && parent.contains(focused)) focused.focus();
}

function argument(p) {
  const held = () => launch.args[p.name] ?? "";
  const text = input(held, v => { launch.args[p.name] = v; if (slider) slider.show(); }, { placeholder: p.type.startsWith("ptr") ? "what is there: i32[64], f32[4]:1,2,3,4, or @g" : `${p.type}: one value, or one per thread: 3,5` });
  const slider = p.bits === null ? null : node("input", { type: "range", min: "0", max: p.bits === 1 ? "1" : "16", value: "0", "aria-label": `%${p.name} of all threads`,
    oninput: event => { byHand(text.id); launch.args[p.name] = text.value = event.target.value; asked(); } });
  if (slider) slider.show = () => { const value = Number(held()); if (held().trim() && Number.isInteger(value)) { slider.max = String(Math.max(Number(slider.max), value)); slider.value = String(value); } };
  const [label] = field(`arg-${p.name}`, `%${p.name}`, text);
  return [label, slider ? node("span", { class: "pair" }, text, slider) : text];
}

function drawForm() {
  const all = [];
  if (facts.functions.length > 1) {
    const names = facts.functions.map(f => f.name);
    all.push(...part(`function ${JSON.stringify(names)}`, () => field("function", "Function", chosen(() => launch.function.replace(/^@/, ""),
      v => { forget(); launch.function = v; launch.chosen.delete("function"); drawForm(); }, [["", "(the file says)"], ...names.map(name => [name, `@${name}`])]))));
  }
  all.push(...part("threads", () => field("threads", "Threads", input(() => launch.threads, v => { launch.threads = v; drawPaths(); }, { type: "number", min: "1", placeholder: "1" }))));
  const entry = launchedFunction();
  for (const p of entry ? entry.parameters : []) all.push(...part(`argument ${p.type} ${p.name}`, () => argument(p)));
  all.push(part("paths", () => node("details", { class: "wide", id: "paths" }, node("summary", { id: "path-count" }), node("div", { id: "path-rows" }))));
  all.push(part("more", () => node("details", { class: "wide", id: "more" }, node("summary", {}, "Bounds and more"), node("div", {},
    ...field("timeout", "Seconds (--timeout)", input(() => launch.timeout, v => { launch.timeout = v; }, { type: "number", min: "0", placeholder: `${SECONDS}, all pictures ${WHOLE}` })), node("span"),
    ...field("steps", "Steps (--max-steps)", input(() => launch.steps, v => { launch.steps = v; }, { type: "number", min: "0", placeholder: String(STEPS) })), node("span"),
    ...field("subgroup", "Subgroup size", input(() => launch.subgroup, v => { launch.subgroup = v; }, { type: "number", min: "1" })), node("span"),
    ...field("uncontrolled", "Uncontrolled", chosen(() => launch.uncontrolled, v => { launch.uncontrolled = v; }, [["", "(the file says, else maximal)"], ["maximal", "maximal"], ["any", "any"], ["none", "none"]])), node("span"),
    ...field("words", "Other words", input(() => launch.more, v => { launch.more = v; }, { placeholder: "--buffer %p=i32[64]" })), node("span")))));
  all.push(part("chosen", () => node("p", { id: "chosen", role: "status" })));
  hold(at("launch"), all);
  drawPaths();
  toldChosen();
}

const labels = { function: "Function", threads: "Threads", timeout: "Seconds", "max-steps": "Steps", "subgroup-size": "Subgroup size", uncontrolled: "Uncontrolled", path: "Paths" };
const fieldIds = { timeout: "timeout", "max-steps": "steps", "subgroup-size": "subgroup", path: "path-0" };

function toldChosen() {
  const names = [...launch.chosen].map(name => labels[name] || name.replace(/^arg-/, "%"));
  if (at("chosen")) at("chosen").textContent = names.length ? `Chosen by the page, as the program does not say: ${names.join(", ")}` : "";
}

// What the page chose goes, where what it chose it for has changed.
function forget() {
  for (const name of launch.chosen) {
    if (name.startsWith("arg-")) delete launch.args[name.slice(4)];
    else launch[name] = "";
  }
  launch.chosen.clear();
  launch.byHand = false;
}

// Fills the fields that a launch needs and nobody filled; whether there were any.
async function propose(text, given) {
  const made = await quick.ask({ ask: "propose", program: text, command: ["program.ll", "--timeout", String(PATIENCE), ...given] });
  if (!made) return false;
  const chosen = [];
  if (made.function) { launch.function = made.function; chosen.push("function"); }
  if (made.threads) { launch.threads = String(made.threads); chosen.push("threads"); }
  for (const [name, value] of Object.entries({ ...made.arguments, ...made.buffers })) { launch.args[name] = value; chosen.push(`arg-${name}`); }
  for (const name of chosen) launch.chosen.add(name);
  if (chosen.length) { drawForm(); remember(); }
  return chosen.length > 0;
}

function pathOf(thread) {
  const text = input(() => launch.paths[thread] ?? "", v => { while (launch.paths.length < thread) launch.paths.push(""); launch.paths[thread] = v; countPaths(); }, { placeholder: "A B B C" });
  const button = node("button", { type: "button", "aria-label": `record the path of thread ${thread} by clicking blocks`,
    onclick: () => { recording = recording === thread ? null : thread; if (recording !== null) { while (launch.paths.length <= thread) launch.paths.push(""); launch.paths[thread] = ""; } drawPaths(); } });
  button.show = () => { button.setAttribute("aria-pressed", String(recording === thread)); button.textContent = recording === thread ? "■" : "●"; };
  return [...field(`path-${thread}`, `Thread ${thread}`, text), button];
}

function drawPaths() {
  const count = Math.max(launch.paths.length, Math.min(Number(launch.threads) || 1, 32));
  const rows = [part("hint", () => node("span", { class: "hint" }, "Type block names, or press ● and click blocks of the control flow. Without paths, branches follow values."))];
  for (let thread = 0; thread < count; thread++) rows.push(...part(`path ${thread}`, () => pathOf(thread)));
  hold(at("path-rows"), rows);
  countPaths();
}

function countPaths() {
  const held = launch.paths.filter(path => path.trim()).length;
  at("path-count").textContent = `Paths: which blocks each thread takes${held ? ` (${held === 1 ? "1 is" : `${held} are`} given, and ${held === 1 ? "decides" : "decide"} the branches)` : ""}`;
}

function record(block) {
  byHand(`path-${recording}`);
  launch.paths[recording] = `${launch.paths[recording]} ${quoted(block)}`.trim();
  drawPaths();
  asked();
}

// -- asking ---------------------------------------------------------------------------------------------------------------

const states = { quick: "starts", whole: "" };
let whole = null, answers = { first: null, text: "" };

function tell(which, state) {
  states[which] = state;
  const died = Object.values(states).find(s => s.startsWith("died"));
  at("state").textContent = died ? `Python ended: ${died.slice(6)}` : states.quick === "starts" ? "Python starts …" : Object.values(states).includes("busy") || (states.whole === "starts" && whole?.running) ? "thinking …" : note;
  at("stop").disabled = !Object.values(states).includes("busy");
  document.body.dataset.state = died ? "died" : states.quick === "starts" ? "starts" : Object.values(states).includes("busy") ? "busy" : "ready";
}

const COUNTS = ["--threads", "--path", "--grid", "--workgroup"]; // what says how many threads there are
let note = "", prepared = {};
const quick = new Asker(state => { tell("quick", state); if (state === "ready") wholeAsker(); });
const wholeAsker = () => whole ||= new Asker(state => tell("whole", state));
// The answer to a question: as the build prepared it, or by Python.
const by = (asker, question) => { const known = prepared[JSON.stringify(question)]; return known ? Promise.resolve({ ...JSON.parse(known), prepared: true }) : asker().ask(question); };

let timer = 0, round = 0;
function changed() { typed.clear(); if (program() !== exampleText) at("examples").value = ""; stale = true; at("explorer").classList.add("stale"); decorate(); asked(); }
function asked() { clearTimeout(timer); timer = setTimeout(answer, QUICK); remember(); }

function bounds(given, seconds = SECONDS) {
  return [...(given.includes("--timeout") ? [] : ["--timeout", String(seconds)]), ...(given.includes("--max-steps") ? [] : ["--max-steps", String(STEPS)])];
}

// A text in pieces: an option in it that has a field is a link to that field, with the value that the text has for it.
const OPTION = /--(timeout|max-steps|subgroup-size|uncontrolled|threads|function|path)\b(?: (\d[\d.e+]*|maximal\b|any\b|none\b))?/g;
function inFields(text) {
  const pieces = [];
  let from = 0;
  for (const match of text.matchAll(OPTION)) {
    pieces.push(text.slice(from, match.index), ...(match[2] ? [`${match[2]} in `] : []), fieldNamed({ name: match[1], key: "", value: "" }));
    from = match.index + match[0].length;
  }
  return [...pieces, text.slice(from)].filter(piece => piece !== "");
}

// What went wrong: a text, or pieces of one, of which some are fields of the form.
function problem(said) {
  const pieces = Array.isArray(said) ? said : [said || ""], missing = pieces.some(piece => piece.name);
  at("problem").hidden = !pieces.join("");
  at("problem").replaceChildren(...pieces.flatMap(piece => piece.name === undefined ? inFields(piece) : [fieldNamed(piece)]));
  if (missing && launch.byHand) {
    const button = node("button", { type: "button", onclick: () => { launch.byHand = false; asked(); } }, "Choose for me");
    at("problem").append("\n", button);
  }
}

// The form's word for an option, which leads to its field.
function fieldNamed({ name, key, value }) {
  const bare = key.replace(/^%/, ""), own = (name === "arg" || name === "buffer") && at(`launch-arg-${bare}`);
  const id = own ? own.id : `launch-${fieldIds[name] ?? name}`;
  const field = at(id) || at("launch-words");
  const words = at(id) ? (own ? `the field ${key}` : `the field ${labels[name] ?? name}`) : `--${name} ${key}${value ? `${key ? "=" : ""}${value}` : ""} among other words`;
  return node("button", { type: "button", class: "field", onclick: () => { for (let box = field; box; box = box.parentElement) if (box.open === false) box.open = true; field.focus(); } }, words);
}

// What breaks a rule: its places and its witness in the text, and in the control flow.
function showBroken(text, errors) {
  const one = errors.find(d => d.witness && d.witness.kind !== "region") || errors.find(d => d.witness) || errors[0];
  const f = one && facts.functions.find(g => `@${g.name}` === one.function);
  if (!f) return;
  const numbers = new Map(f.blocks.map((b, n) => [b.name, n]));
  const last = n => { for (let m = n + 1; m < f.blocks.length; m++) if (f.blocks[m].line) return f.blocks[m].line - 1; return f.blocks[n].line; };
  const blocks = f.blocks.map((b, n) => ({ name: b.name, to: b.to.map(t => numbers.get(t)), lines: b.line ? [b.line, last(n)] : null }));
  show({ source: text.split("\n"), sites: [], views: [], notes: [], cfg: { function: f.name, line: f.blocks[0].line, blocks }, witness: one.witness });
  stale = false;
  here = null;
  pickedLines = [];
  at("explorer").classList.remove("stale");
  witnessLines = one.witness ? one.witness.blocks.map(name => numbers.get(name)).filter(n => n !== undefined && f.blocks[n].line).map(n => f.blocks[n].line) : [];
  decorate();
}

async function answer() {
  const mine = ++round, text = program(), began = performance.now();
  const current = () => mine === round;
  if (!text.trim()) { problem("Type a program, or choose an example."); underlined([]); return; }
  try {
    const found = await by(() => quick, { ask: "check", program: text });
    if (!found || !current()) return;
    underlined(found.diagnostics);
    if (found.functions) {
      const same = JSON.stringify(found.functions.map(f => [f.name, f.parameters])) === JSON.stringify(facts.functions.map(f => [f.name, f.parameters]));
      facts = found;
      const own = JSON.stringify(found.launch);
      if (own !== fileWords) { // the file's own words, as they are now, fill the form
        if (fileWords !== null || !linked) launch = kept(readWords(found.launch, false), launch);
        fileWords = own;
        drawForm();
      } else if (!same) { // of another function: what has no field any more is nobody's wish
        if (!launch.byHand) forget();
        const names = new Set(found.functions.flatMap(f => f.parameters.map(p => p.name)));
        for (const name of Object.keys(launch.args)) if (!names.has(name)) delete launch.args[name];
        drawForm();
      }
    }
    const errors = found.diagnostics.filter(d => d.severity === "error");
    if (witnessLines.length) { witnessLines = []; decorate(); }
    if (!found.functions) { problem(errors.map(d => `line ${d.line}, column ${d.column}: ${d.message}`).join("\n")); note = "this is not LLVM IR"; tell("quick", states.quick); return; }
    let given;
    try { given = words(); } catch (error) { problem(`the launch: ${error.message}`); return; }
    const drawn = ["explore", "program.ll", "--format", "json"];
    const pictured = () => [...drawn, "--first", ...given, ...bounds(given)];
    const open = !errors.length && !launch.byHand && ![...given, ...found.launch].some(word => COUNTS.includes(word.split("=")[0]));
    if (open && await propose(text, given)) given = words();
    if (!current()) return;
    let first = await by(() => quick, { ask: "call", program: text, command: pictured() });
    if (!first || !current()) return;
    if (first.fault && !launch.byHand && await propose(text, given)) {
      if (!current()) return;
      given = words();
      first = await by(() => quick, { ask: "call", program: text, command: pictured() });
      if (!first || !current()) return;
    }
    const refused = first.out && JSON.parse(first.out).command !== "explore"; // a rule is broken: the rules' answer
    if (refused) {
      const excerpt = await quick.ask({ ask: "call", program: text, command: ["verify", "program.ll"] });
      if (!excerpt || !current()) return;
      problem("");
      at("problem").hidden = false;
      at("problem").append(...excerpt.out.trimEnd().split("\n").map(line => // lines of the program and their marks stay below one another
        node("span", { class: /^ +(\d+ )?(\||\.\.\.)/.test(line) ? "line excerpt" : "line" }, line)));
      answers.text = at("text").textContent = excerpt.out;
      note = "a static rule is broken: nothing was run";
      showBroken(text, errors);
      tell("quick", states.quick);
      return;
    }
    if (!first.out) { problem(first.fault || first.err || `no answer (exit code ${first.code})`); note = "nothing was run"; tell("quick", states.quick); return; }
    take(first, began, false);
    at("shown").dataset.round = String(mine);
    if (errors.length) problem(first.err);
    document.body.dataset.first = String(Math.round(performance.now() - began));
    const textual = await by(() => quick, { ask: "call", program: text, command: ["run", "program.ll", ...given, ...bounds(given)] });
    if (!textual || !current()) return;
    at("text").textContent = textual.out + textual.err;
    answers.text = textual.out + textual.err;
    const all = await by(wholeAsker, { ask: "call", program: text, command: [...drawn, ...given, ...bounds(given, WHOLE)] });
    if (!current()) return;
    if (!all) { note = "stopped: the first execution is shown"; tell("whole", states.whole); return; }
    if (all.out) { take(all, began, true); document.body.dataset.whole = String(mine); }
    else problem(all.fault || all.err);
  } catch (error) {
    if (current()) problem(`${error.message || error}\nPython was started again; the program is still here.`);
  }
}

function take(given, began, complete) {
  stale = false;
  at("explorer").classList.remove("stale");
  const found = JSON.parse(given.out);
  // All pictures follow the first: till then the page stays as tall as it was, or it would jump under whoever scrolled down.
  at("explorer").style.minHeight = complete ? "" : `${at("explorer").offsetHeight}px`;
  const spent = given.prepared ? ", made when this page was built" : ` in ${((performance.now() - began) / 1000).toFixed(2)} s`;
  note = (complete ? `${found.views.length} picture${found.views.length === 1 ? "" : "s"}` : "the first picture") + spent +
    (given.code === 3 ? "; a bound was hit (see the notes)" : "");
  problem(given.code === 0 || found.views.length ? given.err : given.err || "no execution is legal");
  show(found);
  if (found.views.length) at("launch-threads").placeholder = String(found.views[0].threads);
  tell("quick", states.quick);
}

at("stop").addEventListener("click", () => {
  round++;
  quick.halt();
  if (whole) whole.halt();
  note = "stopped";
  tell("quick", states.quick);
});

// -- links, copies, examples, colours -------------------------------------------------------------------------------------

let linked = false, remembering = 0, addresses = 0;

function remember() {
  clearTimeout(remembering);
  remembering = setTimeout(remembered, 400);
}

// The address becomes that of the program and the launch that are shown now; one that is overtaken by a newer is not written.
async function remembered() {
  clearTimeout(remembering);
  remembering = 0;
  const own = ++addresses;
  let given;
  try { given = joined(words()); } catch { return; }
  const fragment = await permalink.written(program(), given);
  if (own !== addresses) return;
  mine = fragment;
  if (location.hash !== fragment) history_(fragment);
}
let mine = "";
const history_ = fragment => window.history.replaceState(null, "", fragment);

async function fromLink() {
  addresses++;
  const found = await permalink.read(location.hash);
  if (found === null) return false;
  if (found instanceof Error) { problem(found.message); return true; }
  linked = true;
  fileWords = null;
  try { launch = readWords(split(found.launch), true); } catch { launch = emptied(); }
  if (!found.launch.trim()) linked = false;
  place(found.program);
  return true;
}

function place(text) {
  witnessLines = [];
  at("explorer").style.minHeight = "";
  show({ source: [], sites: [], views: [], notes: [], cfg: null }); // a picture of another program would mislead
  state.step = state.thread = 0;
  at("text").textContent = "";
  problem("");
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, effects: EditorView.scrollIntoView(0) });
}

async function copied(what) {
  const given = words(), link = location.href.split("#")[0] + await permalink.written(program(), joined(given));
  const command = `convcheck run program.ll${given.length ? " " + joined(given) : ""}`;
  switch (what) {
    case "link": return link;
    case "command": return command;
    case "markdown": return `\`\`\`llvm\n${program().trimEnd()}\n\`\`\`\n\n\`\`\`console\n$ ${command}\n${answers.text.trimEnd()}\n\`\`\`\n\n[See and change it](${link})\n`;
    default: {
      const made = await quick.ask({ ask: "call", program: program(), command: ["run", "program.ll", "--format", "svg", ...given, ...bounds(given)] });
      if (!made || !made.out) throw new Error(made ? made.err : "there is no picture yet");
      return made.out;
    }
  }
}

async function save(svg) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  await image.decode();
  const canvas = node("canvas", { width: String(image.width * 2), height: String(image.height * 2) }), paint = canvas.getContext("2d");
  paint.fillStyle = "#fff";
  paint.fillRect(0, 0, canvas.width, canvas.height);
  paint.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise(done => canvas.toBlob(done, "image/png"));
  const a = node("a", { href: URL.createObjectURL(blob), download: "convcheck.png" });
  a.click();
}

for (const button of document.querySelectorAll("[data-copy]"))
  button.addEventListener("click", async () => {
    const what = button.dataset.copy, was = button.textContent;
    try {
      const text = await copied(what);
      if (what === "png") await save(text);
      else await navigator.clipboard.writeText(text);
      button.dataset.copied = what === "png" ? "png" : text;
      button.textContent = what === "png" ? "Saved" : "Copied";
    } catch (error) { problem(`Not copied: ${error.message || error}`); return; }
    setTimeout(() => { button.textContent = was; }, 1200);
  });

const themes = ["", "light", "dark"], themeWords = ["as the system has them", "light", "dark"];
function theme(to) {
  if (themes[to]) document.documentElement.dataset.theme = themes[to];
  else delete document.documentElement.dataset.theme;
  at("theme").setAttribute("aria-label", `colours: ${themeWords[to]}`);
  at("theme").title = `colours: ${themeWords[to]}`;
  try { localStorage.setItem("convcheck-theme", themes[to]); } catch { /* a page from disk may have no storage */ }
}
at("theme").addEventListener("click", () => theme((themes.indexOf(document.documentElement.dataset.theme || "") + 1) % 3));
try { theme(Math.max(0, themes.indexOf(localStorage.getItem("convcheck-theme") || ""))); } catch { theme(0); }

async function examples() {
  shelves = await (await fetch("examples.json")).json();
  at("examples").append(...shelves.map(shelf => {
    const group = node("optgroup", { label: shelf.name });
    group.append(...shelf.examples.map(one => node("option", { value: `${shelf.name}/${one.name}` }, one.name)));
    return group;
  }));
}

function example(name) {
  const [shelf, file] = [name.slice(0, name.indexOf("/")), name.slice(name.indexOf("/") + 1)];
  const one = shelves.find(s => s.name === shelf)?.examples.find(e => e.name === file);
  if (!one) return;
  linked = false;
  fileWords = null;
  launch = emptied();
  exampleText = one.text;
  place(one.text);
}
at("examples").addEventListener("change", async event => {
  const name = event.target.value;
  if (!name) return;
  if (remembering) await remembered(); // the last change, or Back would lead to what was there before it
  const own = ++addresses;
  example(name);
  clearTimeout(remembering);
  const fragment = await permalink.written(program(), "");
  if (own !== addresses) return;
  mine = fragment;
  window.history.pushState(null, "", mine); // Back leads to what was there before
  remember();
});

addEventListener("hashchange", () => { if (location.hash !== mine) fromLink(); });

drawForm();
const listed = Promise.all([examples(), fetch("prepared.json").then(found => found.json()).then(found => { prepared = found; }, () => {})]);
if (!await fromLink()) {
  await listed;
  at("examples").value = "alignments/natural.ll";
  example("alignments/natural.ll");
}
