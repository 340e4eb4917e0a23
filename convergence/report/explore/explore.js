"use strict";
// The explorer: what convcheck found, shown; everything shown is derived here. `show(found)` shows an answer in place
// of the one before. The page of `convcheck explore` shows one that it carries; the playground shows every answer of its
// worker. Where the source stands is the page's: `host` marks lines in it.
//
// A *view* is one execution: a legal alignment, one under another model, or what a machine did. `groups` mode has a
// column per class of block visits, `masks` mode a column per slot. Only the cells that can be seen are in the document,
// so that very long executions stay usable.

let data = { source: [], sites: [], views: [], notes: [], cfg: null };
const at = id => document.getElementById(id);
const SVG = document.querySelector("#cfg svg").namespaceURI;
const WIDE = 66, TALL = 40, SIDE = 92, MARGIN = 3, COLOURS = 6;

const state = { view: 0, other: -1, mode: "groups", step: 0, thread: 0, picked: null, before: null };

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function drawn(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// -- what a view says, in a form that can be asked quickly --------------------------------------------------------

let colourOf = new Map();

function prepare(view) {
  view.groupOf = new Map();
  view.groups.forEach((group, index) => {
    group.index = index;
    group.said = group.members.map(m => m.join("#")).join(" ");
    for (const [thread, nth] of group.members) view.groupOf.set(`${group.site}/${thread}/${nth}`, group);
  });
  let numbered = 0;
  view.number = new Map();
  for (const group of [...view.groups].sort((a, b) => a.column - b.column || a.index - b.index))
    if (!data.sites[group.site].control) {
      view.number.set(group.index, ++numbered);
      // The same group has the same colour in every view.
      const name = `${group.site}: ${group.said}`;
      if (!colourOf.has(name)) colourOf.set(name, colourOf.size % COLOURS);
      group.colour = colourOf.get(name);
    }
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

const modeOf = view => state.mode === "masks" && view.slots ? "masks" : "groups";
const columns = view => modeOf(view) === "masks" ? view.slots.length : view.columns.length;

function instancesAt(view, thread, column) {
  if (modeOf(view) === "masks") {
    const slot = view.slots[column], lane = slot ? slot.lanes.indexOf(thread) : -1;
    if (lane < 0 || !(slot.mask >> BigInt(lane) & 1n)) return null;
    return slot.instances.has(thread) ? [slot.instances.get(thread)] : [];
  }
  const found = view.cells[thread] && view.cells[thread].get(column);
  return found === undefined ? null : found;
}

const groupAt = (view, thread, [site, nth]) => view.groupOf.get(`${site}/${thread}/${nth}`);

function differs(view, other, thread, column) {
  if (!other) return false;
  const here = instancesAt(view, thread, column);
  return here !== null && here.some(instance => {
    const mine = groupAt(view, thread, instance), its = groupAt(other, thread, instance);
    return mine && !data.sites[mine.site].control && (!its || its.said !== mine.said);
  });
}

function label(view, column) {
  return modeOf(view) === "masks" ? view.slots[column].block : view.columns[column].block;
}

function span(view, column) {
  const where = modeOf(view) === "masks" ? view.slots[column] : view.columns[column];
  return where ? where.lines : null;
}

// Of many threads, those next to one another that do the same in the same groups are one row, until it is opened.
const FEW = 12, opened = new Set();

function rowsOf(view, open = opened) {
  const alone = thread => ({ from: thread, to: thread });
  if (view.threads <= FEW) return Array.from({ length: view.threads }, (_, thread) => alone(thread));
  const mode = modeOf(view);
  view.signatures ||= {};
  const signatures = view.signatures[mode] ||= Array.from({ length: view.threads }, (_, thread) => {
    const parts = [];
    for (let column = 0; column < columns(view); column++) {
      const there = instancesAt(view, thread, column);
      if (there !== null) parts.push(column, ...there.map(i => { const group = groupAt(view, thread, i); return `g${group ? group.index : thread}`; }));
    }
    return parts.join();
  });
  const rows = [];
  for (let from = 0; from < view.threads;) {
    let to = from;
    while (to + 1 < view.threads && signatures[to + 1] === signatures[from]) to++;
    if (to - from < 2 || open.has(`${view.name}/${from}`))
      for (let thread = from; thread <= to; thread++) rows.push({ ...alone(thread), fold: to - from >= 2 && thread === from ? from : null });
    else rows.push({ from, to });
    from = to + 1;
  }
  return rows;
}

// -- drawing ----------------------------------------------------------------------------------------------------

class Grid {
  constructor(view, other, role) {
    this.view = view; this.other = other;
    this.box = element("div", { class: "grid", role: "group", tabindex: "-1", "aria-label": `${role}: ${view.name}, scrolls` });
    this.inner = element("div", { role: "grid", "aria-label": `${role}: ${view.name}`,
      "aria-rowcount": rowsOf(view).length, "aria-colcount": columns(view) });
    this.rows = rowsOf(view);
    this.inner.style.cssText = `position:relative;width:${SIDE + WIDE * columns(view)}px;height:${TALL * this.rows.length + 6}px`;
    this.box.append(this.inner);
    this.outer = element("div", { class: "picture" }, element("h2", {}, view.name), this.box);
    if (columns(view) > 30) { // a long alignment has an overview: where it differs, and where the window is
      this.overview = element("canvas", { class: "overview", "aria-hidden": "true", height: "14", width: "800" });
      this.overview.addEventListener("click", event => go(Math.floor(event.offsetX / this.overview.clientWidth * columns(view))));
      this.outer.append(this.overview);
    }
    this.box.addEventListener("scroll", () => this.draw());
    this.box.addEventListener("keydown", event => key(event, this));
  }
  draw(focus = false) {
    const { view, box } = this, here = document.activeElement && box.contains(document.activeElement);
    const first = Math.max(0, Math.floor((box.scrollLeft - SIDE) / WIDE) - MARGIN);
    const last = Math.min(columns(view) - 1, Math.ceil((box.scrollLeft + (box.clientWidth || 900)) / WIDE) + MARGIN);
    const top = Math.max(0, Math.floor(box.scrollTop / TALL) - MARGIN);
    const bottom = Math.min(this.rows.length - 1, Math.ceil((box.scrollTop + (box.clientHeight || 500)) / TALL) + MARGIN);
    const parts = [];
    const now = element("div", { class: "colnow", role: "presentation" });
    now.style.cssText = `left:${SIDE + WIDE * state.step}px;top:0;width:${WIDE}px;height:${TALL * this.rows.length}px`;
    let focused = null;
    for (let number = top; number <= bottom; number++) {
      const { from, to, fold } = this.rows[number], word = view.slots ? "Lane" : "Thread";
      const row = element("div", { role: "row", "aria-rowindex": number + 1 });
      const name = element("span", { class: "rowname", role: "rowheader" });
      if (to > from || (fold ?? null) !== null) { // a group of threads opens, and closes again
        const button = element("button", { type: "button", class: "fold", "aria-expanded": String(to === from) }, to > from ? `▸ ${from}–${to}` : `▾ ${from}`);
        button.addEventListener("click", () => {
          const id = `${view.name}/${from}`;
          if (to > from) opened.add(id); else opened.delete(id);
          build();
        });
        name.append(button);
      } else name.append(`${word} ${from}`);
      name.style.cssText = `left:${box.scrollLeft}px;top:${TALL * number}px`;
      row.append(name);
      for (let column = first; column <= last; column++) {
        const made = this.cell(from, to, number, column);
        if (!made) continue;
        if (from <= state.thread && state.thread <= to && column === state.step) focused = made;
        row.append(made);
      }
      parts.push(row);
    }
    this.inner.replaceChildren(...parts);
    this.inner.prepend(now);
    box.tabIndex = focused ? -1 : 0; // nothing stands where the step and thread are: the grid itself takes the focus
    if ((focus || here) && focused) focused.focus({ preventScroll: true });
    if (this.overview) this.survey();
  }
  survey() {
    const { view, overview, box } = this, all = columns(view), paint = overview.getContext("2d");
    const style = getComputedStyle(document.documentElement), wide = overview.width / all;
    paint.clearRect(0, 0, overview.width, 14);
    for (let column = 0; column < all; column++) {
      let there = 0, other = false;
      for (let thread = 0; thread < Math.min(view.threads, 64); thread++) {
        if (instancesAt(view, thread, column) !== null) there++;
        other = other || differs(view, this.other, thread, column);
      }
      paint.fillStyle = style.getPropertyValue(other ? "--mark" : "--g0");
      paint.fillRect(column * wide, 14 - 12 * there / Math.min(view.threads, 64), Math.max(wide, 1), 14);
    }
    paint.strokeStyle = style.getPropertyValue("--focus");
    paint.strokeRect(Math.max(0, (box.scrollLeft - SIDE) / WIDE) * wide, .5, Math.min(overview.width - 1, box.clientWidth / WIDE * wide), 13);
  }
  cell(thread, to, number, column) {
    const { view, other } = this, instances = instancesAt(view, thread, column);
    const chosen = column === state.step && thread <= state.thread && state.thread <= to;
    if (instances === null && !chosen) return null;
    const groups = (instances || []).map(i => groupAt(view, thread, i)).filter(Boolean);
    const talking = groups.filter(g => !data.sites[g.site].control);
    const sign = talking.map(g => `#${view.number.get(g.index)}`).join(" ") || (groups.length ? "·" : "");
    const changed = differs(view, other, thread, column);
    const block = instances === null ? "-" : label(view, column);
    const classes = ["cell", chosen ? "now" : "", changed ? "differs" : "", instances === null ? "absent" : "",
      talking.length ? `g${talking[0].colour}` : ""];
    // What is seen comes first, so that people who speak to their browser can name it.
    const told = [`${instances === null ? "-" : block}${sign || changed ? ` ${sign}${changed ? " ≠" : ""}` : ""}: thread${to > thread ? `s ${thread} to ${to}` : ` ${thread}`}, step ${column + 1}`,
      ...(instances === null ? ["absent"] : []), ...talking.map(g => `group ${view.number.get(g.index)} of ${data.sites[g.site].operation}`),
      ...(changed ? ["differs from the other picture"] : [])].join(", ");
    const made = element("div", { class: classes.join(" "), role: "gridcell", "aria-colindex": column + 1, "aria-label": told,
      title: told, tabindex: chosen ? 0 : -1, "data-thread": thread, "data-column": column });
    made.append(block);
    if (sign || changed) made.append(" ", element("small", {}, sign + (changed ? " ≠" : "")));
    made.style.cssText = `left:${SIDE + WIDE * column + 2}px;top:${TALL * number + 2}px;width:${WIDE - 4}px;height:${TALL - 4}px`;
    made.addEventListener("click", () => { go(column, thread); pick(view, thread, column); });
    return made;
  }
  rowOf(thread) { return Math.max(0, this.rows.findIndex(row => row.from <= thread && thread <= row.to)); }
  next(thread, by) { return (this.rows[this.rowOf(thread) + by] || this.rows[this.rowOf(thread)]).from; }
  show() {
    const left = SIDE + WIDE * state.step, above = TALL * this.rowOf(state.thread), { box } = this;
    if (left < box.scrollLeft + SIDE || left + WIDE > box.scrollLeft + box.clientWidth)
      box.scrollLeft = Math.max(0, left - box.clientWidth / 2);
    if (above < box.scrollTop || above + TALL > box.scrollTop + box.clientHeight)
      box.scrollTop = Math.max(0, above - box.clientHeight / 2);
  }
}

let grids = [];
const shown = () => [data.views[state.view], ...(state.other >= 0 ? [data.views[state.other]] : [])].filter(Boolean);
const steps = () => Math.max(1, ...shown().map(columns));

function build() {
  const [view, other] = shown();
  at("controls").hidden = !view;
  if (!view) {
    for (const id of ["grids", "details", "cfg", "gallery", "summary", "legend", "place"]) at(id).replaceChildren();
    at("models").hidden = true;
    grids = []; // their views' data are gone: a window that changes its size draws nothing
    laneDots = [];
    if (data.cfg) flow(); // of what breaks a rule, with its witness
    return;
  }
  grids = [new Grid(view, other, "shown")];
  if (other) grids.push(new Grid(other, view, "beside"));
  at("grids").replaceChildren(...grids.map(g => g.outer));
  at("mode").disabled = !shown().some(v => v.slots);
  at("next-difference").hidden = !other;
  at("summary").replaceChildren(...worded(shown().map(v => `${v.name}: ${v.summary}`).join(" · ")), ...(other ? [` · ${told(view, other)}`] : []));
  at("legend").textContent = "A column: visits that are together; - absent; #1 a group that communicates, · a control intrinsic" +
    (other ? "; ≠ a group that the other picture has not." : ".");
  at("step").max = steps() - 1;
  at("view").value = state.view;
  at("other").value = state.other;
  flow();
  gallery();
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
  const [view] = shown();
  if (!view) return;
  state.step = Math.max(0, Math.min(steps() - 1, step));
  state.thread = thread;
  at("step").value = state.step;
  const there = [];
  for (let t = 0; t < view.threads; t++)
    if (state.step < columns(view) && instancesAt(view, t, state.step) !== null) there.push(t);
  const words = state.step < columns(view)
    ? `step ${state.step + 1} of ${columns(view)}: ${there.length ? label(view, state.step) : "nobody"}, ${ranges(there)}`
    : `after the end`;
  at("place").textContent = words;
  at("step").setAttribute("aria-valuetext", words);
  grids.forEach((g, n) => { g.show(); g.draw(focus && n === 0); });
  lanes(view);
  const where = state.step < columns(view) ? span(view, state.step) : null;
  host.mark(where, ranges(there));
  tell(view, thread, instancesAt(view, thread, state.step) || []);
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

// -- all views side by side, each with the first place where it differs from the one that is shown ---------------------

const PREVIEW = { threads: 8, columns: 24, room: 26 };

function gallery() {
  const [view] = shown();
  at("models").hidden = data.views.length < 2;
  at("gallery").replaceChildren(...data.views.map((one, index) => {
    const other = one === view ? null : view, mode = state.mode;
    state.mode = "groups";
    const all = columns(one), rows = [];
    let first = null;
    for (let column = 0; column < all && first === null; column++)
      for (let thread = 0; thread < one.threads && first === null; thread++)
        if (differs(one, other, thread, column)) first = [thread, column];
    let from = 0; // what does not fit is left out before the first difference, as far as that is needed
    if (first)
      for (let column = first[1], room = PREVIEW.room; column >= 0 && room > 0; column--) {
        room -= one.columns[column].block.length + 1;
        from = column;
      }
    const alike = rowsOf(one, new Set()), listed = alike.slice(0, PREVIEW.threads);
    const differing = first ? alike.findIndex(row => row.from <= first[0] && first[0] <= row.to) : 0;
    if (differing >= listed.length) listed[listed.length - 1] = alike[differing]; // the first difference is in the preview
    const wide = Math.max(...listed.map(row => row.to > row.from ? `${row.from}–${row.to}`.length : 0));
    for (const { from: thread, to } of listed) {
      const row = element("span", { class: "small" });
      if (wide) row.append(`${to > thread ? `${thread}–${to}` : thread}`.padEnd(wide + 2));
      if (from) row.append("… ");
      for (let column = from; column < Math.min(all, from + PREVIEW.columns); column++) {
        const there = instancesAt(one, thread, column) !== null, width = (one.columns[column].block || "").length;
        const word = (there ? one.columns[column].block : "-").padEnd(width) + " ";
        row.append(first && thread <= first[0] && first[0] <= to && first[1] === column ? element("mark", {}, word.trimEnd()) : word.trimEnd(), " ".repeat(word.length - word.trimEnd().length));
      }
      rows.push(row);
    }
    const unlisted = one.threads - listed.reduce((count, row) => count + row.to - row.from + 1, 0);
    if (unlisted) rows.push(element("span", { class: "small" }, `… ${unlisted} more threads`));
    state.mode = mode;
    const difference = !other ? "shown above" : first ? told(one, other) : columns(one) === columns(other) ? "the same groups" : told(one, other);
    const button = element("button", { type: "button", "aria-pressed": String(index === state.view || index === state.other) },
      element("b", {}, one.name), ...rows, element("span", { class: "said" }, `${worded(one.summary).map(piece => piece.textContent ?? piece).join("")} · ${difference}`));
    button.addEventListener("click", () => {
      state.other = index === state.view || index === state.other ? -1 : index;
      build();
      at("gallery").children[index].firstChild.focus();
    });
    return element("li", {}, button);
  }));
}

// -- control flow: the blocks in a row, their edges beside them, and the lanes where they are ------------------------------

const ROW = 44, BOX = 84, LEFT = 50;
let laneDots = [];
const dots = view => view.threads <= 8 ? { radius: 6.5, apart: 15, row: 8, named: true } : { radius: 3.5, apart: 8.5, row: 16, named: false };

function flow() {
  const cfg = data.cfg;
  if (!cfg || cfg.blocks.length > 400) { at("cfg").replaceChildren(); laneDots = []; return; }
  const [view] = shown(), reach = cfg.blocks.flatMap((b, n) => b.to.map(to => Math.abs(to - n)));
  const far = Math.max(1, ...reach), arc = span => 10 + Math.min(span, 6) * 6 + (span > 6 ? 12 * span / far : 0);
  const threads = view ? view.threads : 0, size = dots({ threads }), right = LEFT + BOX + 8 + Math.min(threads, size.row) * size.apart;
  const { kind, blocks: passed } = data.witness || { blocks: [] };
  const steps = new Set(kind === "region" ? [] : passed.map((name, n) => `${passed[n - 1]}\n${name}`).slice(1));
  if (kind === "closed-path") steps.add(`${passed.at(-1)}\n${passed[0]}`);
  const told = passed.length ? `; witness, a ${kind}: ${passed.join(" to ")}` : "";
  const high = ROW * cfg.blocks.length + 10, wide = right + 4;
  const svg = drawn("svg", { viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, role: "img",
    "aria-label": `Control flow of @${cfg.function}: ${cfg.blocks.map(b => `${b.name} to ${b.to.map(n => cfg.blocks[n].name).join(", ") || "the end"}`).join("; ")}${told}` });
  const middle = n => 6 + ROW * n + 15;
  cfg.blocks.forEach((block, n) => {
    for (const to of block.to) {
      const witness = steps.has(`${block.name}\n${cfg.blocks[to].name}`) ? " witness" : "";
      if (to === n + 1) {
        svg.append(drawn("path", { class: witness, d: `M${LEFT + BOX / 2} ${middle(n) + 15} V${middle(to) - 19}` }),
          drawn("path", { class: "tip", d: `M${LEFT + BOX / 2 - 4} ${middle(to) - 21} h8 l-4 6 z` }));
        continue;
      }
      const bend = arc(Math.max(1, Math.abs(to - n))), x = LEFT;
      svg.append(drawn("path", { class: (to <= n ? "back" : "") + witness, d: `M${x} ${middle(n) + 5} C${x - bend} ${middle(n) + 5} ${x - bend} ${middle(to) - 5} ${x - 6} ${middle(to) - 5}` }),
        drawn("path", { class: "tip", d: `M${x - 7} ${middle(to) - 9} v8 l6 -4 z` }));
    }
  });
  cfg.blocks.forEach((block, n) => {
    const name = block.name.length > 11 ? block.name.slice(0, 10) + "…" : block.name;
    const group = drawn("g", { "data-block": n }, drawn("rect", { class: passed.includes(block.name) ? "block witness" : "block", x: LEFT, y: middle(n) - 15, width: BOX, height: 30, rx: 6 }),
      drawn("text", { x: LEFT + BOX / 2, y: middle(n) + 5, "text-anchor": "middle" }, name), drawn("title", {}, block.name));
    group.addEventListener("click", () => host.block(block));
    svg.append(group);
  });
  laneDots = [];
  for (let thread = 0; thread < threads && thread < 64; thread++) {
    const dot = drawn("circle", { class: "lane", r: size.radius, fill: `var(--g${thread % COLOURS})`, cx: 0, cy: 0 }), number = drawn("text", { class: "number", x: 0, y: 0 }, thread);
    laneDots.push([dot, number]);
    const group = drawn("g", { class: "travels" }, dot);
    if (size.named) group.append(number);
    svg.append(group);
  }
  at("cfg").replaceChildren(svg);
}

// Where each thread is at this step: at the block of its last visit; it waits there if the column is another's.
function lanes(view) {
  if (!data.cfg || !laneDots.length) return;
  const place = new Map(data.cfg.blocks.map((block, n) => [block.name, n]));
  const count = new Map();
  const busy = new Set(), size = dots(view);
  laneDots.forEach(([dot, number], thread) => {
    let column = Math.min(state.step, columns(view) - 1);
    while (column >= 0 && (instancesAt(view, thread, column) === null || !place.has(label(view, column)))) column--;
    const hidden = column < 0;
    dot.parentNode.style.display = hidden ? "none" : "";
    if (hidden) return;
    const block = place.get(label(view, column)), nth = count.get(block) || 0;
    count.set(block, nth + 1);
    const { row, apart, radius } = size, x = LEFT + BOX + 8 + radius + (nth % row) * apart;
    const y = (radius > 5 ? 21 : 11) + ROW * block + Math.floor(nth / row) * apart;
    dot.parentNode.style.transform = `translate(${x}px, ${y}px)`;
    number.setAttribute("y", 3);
    const waits = column !== state.step;
    dot.classList.toggle("waits", waits);
    if (!waits) busy.add(block);
  });
  void at("cfg").getBoundingClientRect(); // so that a dot travels from its first place on, and not to it
  for (const [dot] of laneDots) if (dot.parentNode.style.transform) dot.parentNode.classList.add("placed");
  for (const group of at("cfg").querySelectorAll("[data-block]"))
    group.firstChild.classList.toggle("now", busy.has(+group.dataset.block));
}

// -- the source as a list of lines, where the page has one ---------------------------------------------------------------

let host = { mark() {}, picked() {}, block() {} };
const worded = text => host.words ? host.words(text) : [text]; // a page may have other words for options, and links in them

function listed() {
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
  return {
    mark(where, words) {
      for (const line of marked) { line.classList.remove("now"); line.querySelectorAll(".chip").forEach(c => c.remove()); }
      marked = [];
      if (!where) return;
      for (let n = where[0]; n <= where[1]; n++) { lines[n - 1].classList.add("now"); marked.push(lines[n - 1]); }
      lines[where[0] - 1].append(element("span", { class: "chip" }, words));
      const box = at("source"), top = lines[where[0] - 1].offsetTop - box.offsetTop;
      if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 60) box.scrollTop = Math.max(0, top - 60);
    },
    picked(found) {
      lines.forEach(line => line.classList.remove("picked"));
      for (const n of found) lines[n - 1].classList.add("picked");
    },
    block(block) { if (block.lines) lines[block.lines[0] - 1].scrollIntoView({ block: "nearest" }); },
    begin() { // not at the file's comments
      const first = data.cfg && data.cfg.line ? lines[data.cfg.line - 1] : null;
      if (first) at("source").scrollTop = Math.max(0, first.offsetTop - at("source").offsetTop - 8);
    },
  };
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
  const instances = instancesAt(view, thread, column) || [];
  const talking = instances.filter(([site]) => !data.sites[site].control);
  const chosen = talking[0] || instances[0];
  state.before = state.picked && state.picked.view === view ? state.picked : null;
  state.picked = chosen ? { view, thread, instance: chosen } : null;
  tell(view, thread, instances);
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

// Who is in a group: those with the same count together.
function members(group) {
  const counts = new Map();
  for (const [thread, nth] of group.members) counts.set(nth, [...(counts.get(nth) || []), thread]);
  return [...counts].map(([nth, threads]) => `${ranges(threads)} #${nth}`).join(", ");
}
const said = (thread, [site, nth]) => `${data.sites[site].operation}, thread ${thread} #${nth}`;

// Why two cells that were picked one after the other are together, or not.
function between(view, one, other) {
  const mine = groupAt(view, one.thread, one.instance), its = groupAt(view, other.thread, other.instance);
  if (one.instance[0] !== other.instance[0]) return "not together: instances of different operations are never converged";
  if (!mine || !its) return "not together: one of them communicates with nobody";
  if (mine === its) return one.thread === other.thread ? "the same instance" : "together: they are in one group";
  if (one.thread === other.thread) return "not together: a thread's own instances are never converged with one another";
  return `not together: ${why(view, mine, its)}`;
}

function tell(view, thread, instances) {
  const parts = [], lines = [];
  const { picked, before } = state;
  if (picked && before && picked.view === view && before.view === view && picked.thread === thread &&
      instances.some(([s, n]) => s === picked.instance[0] && n === picked.instance[1]) &&
      !(before.thread === picked.thread && before.instance.join() === picked.instance.join()))
    parts.push(element("p", { id: "between" }, `${said(before.thread, before.instance)} and ${said(picked.thread, picked.instance)}: ${between(view, before, picked)}`));
  for (const [site, nth] of instances) {
    const about = data.sites[site], group = view.groupOf.get(`${site}/${thread}/${nth}`);
    if (about.line) lines.push(about.line);
    const list = element("dl", {});
    const say = (name, text) => list.append(element("dt", {}, name), element("dd", {}, text));
    if (group) {
      say(view.number.has(group.index) ? `group ${view.number.get(group.index)}` : "group", members(group));
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
  if (!instances.length) parts.push(element("p", {}, `thread ${thread}: no convergent operation at this step`));
  host.picked(lines);
  at("details").replaceChildren(...parts);
}

// -- controls ---------------------------------------------------------------------------------------------------

function key(event, grid) {
  const moves = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 };
  if (event.key in moves) go(state.step + moves[event.key], state.thread, true);
  else if (event.key === "Home") go(0, state.thread, true);
  else if (event.key === "End") go(steps() - 1, state.thread, true);
  else if (event.key === "ArrowUp") go(state.step, grid.next(state.thread, -1), true);
  else if (event.key === "ArrowDown") go(state.step, grid.next(state.thread, 1), true);
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

let playing = 0;
function play(on = !playing) {
  clearInterval(playing);
  playing = on ? setInterval(() => { if (state.step >= steps() - 1) play(false); else go(state.step + 1); }, 600) : 0;
  at("play").setAttribute("aria-pressed", String(Boolean(playing)));
  at("play").setAttribute("aria-label", playing ? "pause" : "play");
  at("play").textContent = playing ? "❚❚" : "▶▶";
}

function show(found) {
  const names = shown().map(v => v.name);
  data = found;
  colourOf = new Map();
  data.views.forEach(prepare);
  const option = (text, value) => element("option", { value }, text);
  at("view").replaceChildren(...data.views.map((v, n) => option(v.name, n)));
  at("other").replaceChildren(option("nothing", -1), ...data.views.map((v, n) => option(v.name, n)));
  const kept = name => data.views.findIndex(v => v.name === name);
  state.view = Math.max(0, kept(names[0]));
  state.other = names.length > 1 ? kept(names[1]) : -1;
  state.picked = state.before = null;
  at("notes").replaceChildren(...data.notes.map(note => element("li", {}, ...worded(note))));
  if (at("lines")) host = listed();
  build();
  if (host.begin) host.begin();
}

at("controls").addEventListener("submit", e => e.preventDefault());
at("view").addEventListener("change", e => { state.view = +e.target.value; build(); });
at("other").addEventListener("change", e => { state.other = +e.target.value; build(); });
at("mode").addEventListener("change", e => { state.mode = e.target.value; state.step = 0; build(); });
at("step").addEventListener("input", e => go(+e.target.value));
at("back").addEventListener("click", () => go(state.step - 1));
at("on").addEventListener("click", () => go(state.step + 1));
at("play").addEventListener("click", () => { if (state.step >= steps() - 1) go(0); play(); });
at("next-difference").addEventListener("click", nextDifference);
addEventListener("resize", () => grids.forEach(g => g.draw()));
if (at("data")) show(JSON.parse(at("data").textContent));
