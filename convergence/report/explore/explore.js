"use strict";
// The explorer: one page, no network. `data` is what convcheck found; everything shown is derived from it here.
//
// A *view* is one execution: a legal alignment or what a machine did. `groups` mode has a column per class of block
// visits, `masks` mode a column per slot. Only the cells that can be seen are in the document, so that very long
// executions stay usable.

const data = JSON.parse(document.getElementById("data").textContent);
const at = id => document.getElementById(id);
const WIDE = 74, TALL = 38, SIDE = 92, MARGIN = 3;

const state = { view: 0, other: -1, mode: "groups", step: 0, thread: 0, picked: null };

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// -- what a view says, in a form that can be asked quickly --------------------------------------------------------

function letters(n) {
  let word = "";
  for (n += 1; n > 0; n = Math.floor((n - 1) / 26)) word = String.fromCharCode(65 + (n - 1) % 26) + word;
  return word;
}

function prepare(view) {
  view.groupOf = new Map();
  view.groups.forEach((group, index) => {
    group.index = index;
    group.said = group.members.map(m => m.join("#")).join(" ");
    for (const [thread, nth] of group.members) view.groupOf.set(`${group.site}/${thread}/${nth}`, group);
  });
  let lettered = 0;
  view.letter = new Map();
  for (const group of [...view.groups].sort((a, b) => a.column - b.column || a.index - b.index))
    if (!data.sites[group.site].control) view.letter.set(group.index, letters(lettered++));
  view.cells = view.rows.map(row => {
    const found = new Map();
    for (const [column, ...instances] of row) found.set(column, instances);
    return found;
  });
  if (view.slots) {
    const count = new Map(), place = new Map();
    data.sites.forEach((site, index) => place.set(`${site.function}/${site.at}`, index));
    view.slots.forEach(slot => {
      slot.mask = BigInt(slot.mask);
      slot.instances = new Map();
      const site = place.get(`${slot.function}/${slot.at}`);
      if (site === undefined) return;
      slot.lanes.forEach((thread, lane) => {
        if (!(slot.mask >> BigInt(lane) & 1n)) return;
        const name = `${site}/${thread}`, nth = (count.get(name) || 0) + 1;
        count.set(name, nth);
        slot.instances.set(thread, [site, nth]);
      });
    });
  }
}
data.views.forEach(prepare);

const modeOf = view => state.mode === "masks" && view.slots ? "masks" : "groups";
const columns = view => modeOf(view) === "masks" ? view.slots.length : view.columns.length;

function instancesAt(view, thread, column) {
  if (modeOf(view) === "masks") {
    const slot = view.slots[column], lane = slot ? slot.lanes.indexOf(thread) : -1;
    if (lane < 0 || !(slot.mask >> BigInt(lane) & 1n)) return null;
    return slot.instances.has(thread) ? [slot.instances.get(thread)] : [];
  }
  const found = view.cells[thread].get(column);
  return found === undefined ? null : found;
}

const groupAt = (view, thread, [site, nth]) => view.groupOf.get(`${site}/${thread}/${nth}`);

function differs(view, other, thread, column) {
  if (!other) return false;
  const here = instancesAt(view, thread, column);
  return here !== null && here.some(instance => {
    const mine = groupAt(view, thread, instance), its = groupAt(other, thread, instance);
    return mine && (!its || its.said !== mine.said);
  });
}

function label(view, column) {
  return modeOf(view) === "masks" ? view.slots[column].block : view.columns[column].block;
}

function span(view, column) {
  const where = modeOf(view) === "masks" ? view.slots[column] : view.columns[column];
  return where ? where.lines : null;
}

// -- drawing ----------------------------------------------------------------------------------------------------

class Grid {
  constructor(view, other, role) {
    this.view = view; this.other = other;
    this.box = element("div", { class: "grid", role: "grid", "aria-label": `${role}: ${view.name}`,
      "aria-rowcount": view.threads, "aria-colcount": columns(view) });
    this.title = element("h2", {}, view.name);
    this.inner = element("div", {});
    this.box.append(this.title, this.inner);
    this.inner.style.cssText = `position:relative;width:${SIDE + WIDE * columns(view)}px;height:${TALL * view.threads + 6}px`;
    this.box.addEventListener("scroll", () => this.draw());
    this.box.addEventListener("keydown", event => key(event, this));
  }
  draw(focus = false) {
    const { view, box } = this, here = document.activeElement && box.contains(document.activeElement);
    const first = Math.max(0, Math.floor((box.scrollLeft - SIDE) / WIDE) - MARGIN);
    const last = Math.min(columns(view) - 1, Math.ceil((box.scrollLeft + (box.clientWidth || 900)) / WIDE) + MARGIN);
    const top = Math.max(0, Math.floor(box.scrollTop / TALL) - MARGIN);
    const bottom = Math.min(view.threads - 1, Math.ceil((box.scrollTop + (box.clientHeight || 500)) / TALL) + MARGIN);
    const parts = [];
    const now = element("div", { class: "colnow" });
    now.style.cssText = `left:${SIDE + WIDE * state.step}px;top:0;width:${WIDE}px;height:${TALL * view.threads}px`;
    parts.push(now);
    let focused = null;
    for (let thread = top; thread <= bottom; thread++) {
      const row = element("div", { role: "row", "aria-rowindex": thread + 1 });
      const name = element("span", { class: "rowname", role: "rowheader" }, (view.slots ? "Lane " : "Thread ") + thread);
      name.style.cssText = `left:${box.scrollLeft}px;top:${TALL * thread}px`;
      for (let column = first; column <= last; column++) {
        const made = this.cell(thread, column);
        if (!made) continue;
        if (thread === state.thread && column === state.step) focused = made;
        row.append(made);
      }
      row.append(name);
      parts.push(row);
    }
    this.inner.replaceChildren(...parts);
    if (!focused) this.fallback(top, first);
    if ((focus || here) && focused) focused.focus({ preventScroll: true });
  }
  fallback() {
    // Nothing stands where the step and thread are: the grid itself takes the focus.
    this.box.tabIndex = 0;
  }
  cell(thread, column) {
    const { view, other } = this, instances = instancesAt(view, thread, column);
    const current = column === state.step;
    if (instances === null && !(current && thread === state.thread)) return null;
    const groups = (instances || []).map(i => groupAt(view, thread, i)).filter(Boolean);
    const talking = groups.filter(g => !data.sites[g.site].control);
    const sign = talking.map(g => view.letter.get(g.index)).join("") || (groups.length ? "*" : "");
    const changed = differs(view, other, thread, column);
    const block = instances === null ? "-" : label(view, column);
    const classes = ["cell", current ? "now" : "", changed ? "differs" : "", talking.length ? `g${talking[0].index % 6}` : ""];
    const told = `thread ${thread}, step ${column + 1}: ` + (instances === null ? "absent" : `block ${block}`) +
      (talking.length ? `, ${talking.map(g => `group ${view.letter.get(g.index)} ${data.sites[g.site].operation}`).join(", ")}` : "") +
      (changed ? ", differs from the other picture" : "");
    const made = element("div", { class: classes.join(" "), role: "gridcell", "aria-colindex": column + 1, "aria-label": told,
      title: told, tabindex: current && thread === state.thread ? 0 : -1, "data-thread": thread, "data-column": column });
    if (sign || changed) made.append(element("small", {}, sign + (changed ? " ≠" : "")));
    made.append(block);
    made.style.cssText = `left:${SIDE + WIDE * column + 2}px;top:${TALL * thread + 2}px;width:${WIDE - 4}px;height:${TALL - 4}px`;
    made.addEventListener("click", () => { go(column, thread); pick(view, thread, column); });
    return made;
  }
  show() {
    const left = SIDE + WIDE * state.step, above = TALL * state.thread, { box } = this;
    if (left < box.scrollLeft + SIDE || left + WIDE > box.scrollLeft + box.clientWidth)
      box.scrollLeft = Math.max(0, left - box.clientWidth / 2);
    if (above < box.scrollTop || above + TALL > box.scrollTop + box.clientHeight)
      box.scrollTop = Math.max(0, above - box.clientHeight / 2);
  }
}

let grids = [];
const shown = () => [data.views[state.view], ...(state.other >= 0 ? [data.views[state.other]] : [])];
const steps = () => Math.max(1, ...shown().map(columns));

function build() {
  const [view, other] = shown();
  grids = [new Grid(view, other, "shown")];
  if (other) grids.push(new Grid(other, view, "beside"));
  at("grids").replaceChildren(...grids.map(g => g.box));
  at("mode").disabled = !shown().some(v => v.slots);
  at("next-difference").hidden = !other;
  at("summary").textContent = shown().map(v => `${v.name}: ${v.summary}`).join(" · ") + (other ? ` · ${told(view, other)}` : "");
  at("step").max = steps() - 1;
  go(Math.min(state.step, steps() - 1), Math.min(state.thread, view.threads - 1));
}

function told(view, other) {
  let count = 0;
  for (const [name, group] of view.groupOf) {
    const its = other.groupOf.get(name);
    if (!data.sites[group.site].control && (!its || its.said !== group.said)) count++;
  }
  for (const [name, group] of other.groupOf)
    if (!data.sites[group.site].control && !view.groupOf.has(name)) count++;
  return count ? `${count} instances in different groups` : "the same groups";
}

function go(step, thread = state.thread, focus = false) {
  state.step = Math.max(0, Math.min(steps() - 1, step));
  state.thread = thread;
  at("step").value = state.step;
  const [view] = shown();
  const there = [];
  for (let t = 0; t < view.threads; t++)
    if (state.step < columns(view) && instancesAt(view, t, state.step) !== null) there.push(t);
  const words = state.step < columns(view)
    ? `step ${state.step + 1} of ${columns(view)}: ${there.length ? label(view, state.step) : "nobody"}, ${ranges(there)}`
    : `after the end`;
  at("place").textContent = words;
  at("step").setAttribute("aria-valuetext", words);
  grids.forEach((g, n) => { g.show(); g.draw(focus && n === 0); });
  mark(view, there);
}

function ranges(threads) {
  if (!threads.length) return "no thread";
  const parts = [];
  let start = threads[0], end = start;
  for (const t of [...threads.slice(1), NaN]) {
    if (t === end + 1) { end = t; continue; }
    parts.push(start === end ? `${start}` : `${start}-${end}`);
    start = end = t;
  }
  return (threads.length === 1 ? "thread " : "threads ") + parts.join(", ");
}

// -- source -----------------------------------------------------------------------------------------------------

const lines = data.source.map(text => element("li", {}, text || " "));
at("lines").replaceChildren(...lines);
const sitesOn = new Map();
data.sites.forEach((site, index) => {
  if (!site.line) return;
  if (!sitesOn.has(site.line)) {
    sitesOn.set(site.line, []);
    const line = lines[site.line - 1];
    line.classList.add("site");
    line.tabIndex = 0;
    line.addEventListener("click", () => pickSite(sitesOn.get(site.line)[0]));
    line.addEventListener("keydown", e => { if (e.key === "Enter") pickSite(sitesOn.get(site.line)[0]); });
  }
  sitesOn.get(site.line).push(index);
});

let marked = [];
function mark(view, threads) {
  for (const line of marked) { line.classList.remove("now"); line.querySelectorAll(".chip").forEach(c => c.remove()); }
  marked = [];
  const where = state.step < columns(view) ? span(view, state.step) : null;
  if (!where) return;
  for (let n = where[0]; n <= where[1]; n++) { lines[n - 1].classList.add("now"); marked.push(lines[n - 1]); }
  lines[where[0] - 1].append(element("span", { class: "chip" }, ranges(threads)));
  const box = at("source"), top = lines[where[0] - 1].offsetTop - box.offsetTop;
  if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 40) box.scrollTop = Math.max(0, top - box.clientHeight / 3);
}

function pickSite(site) {
  const [view] = shown();
  const here = view.groups.find(g => g.site === site && g.column === state.step) || view.groups.find(g => g.site === site);
  if (!here) { at("details").replaceChildren(element("p", {}, `${data.sites[site].operation}: no thread executed it`)); return; }
  const [thread, nth] = here.members[0];
  for (let column = 0; column < columns(view); column++) {
    const found = instancesAt(view, thread, column);
    if (found && found.some(([s, n]) => s === site && n === nth)) { go(column, thread); break; }
  }
  tell(view, thread, [[site, nth]]);
}

// -- an operation: its group, its key, and why others are not in it ---------------------------------------------------

function pick(view, thread, column) {
  tell(view, thread, instancesAt(view, thread, column) || []);
}

function chain(view, key) {
  const links = [];
  for (; key >= 0; key = view.keys[key][1]) links.unshift(key);
  return links;
}

function why(view, one, other) {
  if (one.key < 0 || other.key < 0) return "no key is known here";
  const ones = chain(view, one.key), others = chain(view, other.key);
  for (let n = 0; n < Math.min(ones.length, others.length); n++)
    if (ones[n] !== others[n]) return `${view.keys[ones[n]][0]} here, ${view.keys[others[n]][0]} there (${view.keys[ones[n]][2]})`;
  return ones.length === others.length ? "their keys are the same" : "one is nested deeper (D-EQ)";
}

const members = group => group.members.map(([t, n]) => `thread ${t} #${n}`).join(", ");

function tell(view, thread, instances) {
  const parts = [];
  lines.forEach(line => line.classList.remove("picked"));
  for (const [site, nth] of instances) {
    const about = data.sites[site], group = view.groupOf.get(`${site}/${thread}/${nth}`);
    if (about.line) lines[about.line - 1].classList.add("picked");
    const list = element("dl", {});
    const say = (name, text) => list.append(element("dt", {}, name), element("dd", {}, text));
    if (group) {
      say("group", members(group) + (view.letter.has(group.index) ? `, ${view.letter.get(group.index)}` : ""));
      if (group.results) say("results", group.results);
      if (group.key >= 0) say("key", chain(view, group.key).map(k => view.keys[k][0]).join(" › "));
      for (const other of view.groups) {
        if (other.site !== site || other === group) continue;
        const near = other.members.filter(([t, n]) => !group.members.some(([m]) => m === t) && n === nth);
        if (near.length) say(`not ${ranges(near.map(([t]) => t))}`, why(view, group, other));
      }
      const beside = shown()[view === shown()[0] ? 1 : 0], its = beside && beside.groupOf.get(`${site}/${thread}/${nth}`);
      if (beside && (!its || its.said !== group.said))
        say(`in ${beside.name}`, its ? members(its) : "not executed by this thread");
    }
    parts.push(element("h3", {}, `${about.operation}${about.callee && !about.operation.startsWith(about.callee) ? ` (${about.callee})` : ""}, thread ${thread} #${nth}`), list);
  }
  if (!parts.length) parts.push(element("p", {}, `thread ${thread}: no convergent operation at this step`));
  at("details").replaceChildren(...parts);
}

// -- controls ---------------------------------------------------------------------------------------------------

function key(event, grid) {
  const moves = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 };
  if (event.key in moves) go(state.step + moves[event.key], state.thread, true);
  else if (event.key === "Home") go(0, state.thread, true);
  else if (event.key === "End") go(steps() - 1, state.thread, true);
  else if (event.key === "ArrowUp") go(state.step, Math.max(0, state.thread - 1), true);
  else if (event.key === "ArrowDown") go(state.step, Math.min(grid.view.threads - 1, state.thread + 1), true);
  else if (event.key === "Enter" || event.key === " ") pick(grid.view, state.thread, state.step);
  else return;
  event.preventDefault();
}

function nextDifference() {
  const [view, other] = shown(), all = steps();
  for (let n = 1; n <= all; n++) {
    const column = (state.step + n) % all;
    for (let thread = 0; thread < view.threads; thread++)
      if (column < columns(view) && differs(view, other, thread, column)) { go(column, thread); pick(view, thread, column); return; }
  }
  at("details").replaceChildren(element("p", {}, "no differences"));
}

const option = (text, value) => element("option", { value }, text);
at("view").append(...data.views.map((v, n) => option(v.name, n)));
at("other").append(option("nothing", -1), ...data.views.map((v, n) => option(v.name, n)));
at("view").addEventListener("change", e => { state.view = +e.target.value; build(); });
at("other").addEventListener("change", e => { state.other = +e.target.value; build(); });
at("mode").addEventListener("change", e => { state.mode = e.target.value; state.step = 0; build(); });
at("step").addEventListener("input", e => go(+e.target.value));
at("back").addEventListener("click", () => go(state.step - 1));
at("on").addEventListener("click", () => go(state.step + 1));
at("next-difference").addEventListener("click", nextDifference);
addEventListener("resize", () => grids.forEach(g => g.draw()));
at("notes").append(...data.notes.map(note => element("li", {}, note)));
build();
