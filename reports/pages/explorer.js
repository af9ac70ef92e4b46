"use strict";
// A run of a schedule to look into: hover or move with the arrow keys, and what belongs together lights up.
const SVG = "http://www.w3.org/2000/svg";
function make(name, attributes, parent, text) {
  const node = document.createElementNS(SVG, name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  if (parent) parent.append(node);
  return node;
}
function element(name, properties, parent) {
  const node = Object.assign(document.createElement(name), properties);
  if (parent) parent.append(node);
  return node;
}
const RANK = 0, START = 1, END = 2, KIND = 3, STAGE = 4, MICRO = 5, PIPE = 6, READ = 7, USED = 8, MAKES = 9, STATE = 10;
const WORDS = { F: "forward", B: "backward", I: "input gradient", W: "weight gradient", U: "update", SEND_F: "send activations",
  RECV_F: "receive activations", SEND_B: "send gradients", RECV_B: "receive gradients", REDUCE: "all-reduce", BARRIER: "barrier" };
const ROW = 30, TRACK = 16, LEFT = 100;
let patterns = 0;

function hatches(svg) {
  // Kinds differ by hatching and by letter, not by colour alone.
  const id = "h" + patterns++, defs = make("defs", {}, svg);
  const lines = { B: "M0,6 L6,0", I: "M3,0 L3,6", W: "M0,6 L6,0 M0,0 L6,6" };
  for (const kind in lines) {
    const pattern = make("pattern", { id: id + kind, width: 6, height: 6, patternUnits: "userSpaceOnUse" }, defs);
    make("path", { d: lines[kind], stroke: "#fff", "stroke-width": 1, opacity: 0.75 }, pattern);
  }
  return id;
}

function sentence(data, at) {
  const a = data.actions[at], unit = data.unit;
  const name = a[STAGE] + a[KIND] + a[MICRO], said = [];
  said.push(`${name}: ${WORDS[a[KIND]] || a[KIND]} of microbatch ${a[MICRO]} at stage ${a[STAGE]}, rank ${a[RANK]}` +
    (a[PIPE] ? `, pipeline ${a[PIPE]}` : "") + `; ${unit} ${a[START]}` + (a[END] > a[START] + 1 ? ` to ${a[END] - 1}` : ""));
  if (a[STATE] === "begun") said.push("It has begun and never ends.");
  if (a[STATE] === "never") said.push("It never begins.");
  if (a[READ] !== null && a[KIND] === "F") said.push(`Reads version ${a[READ]} of the weights.`);
  if (a[USED] !== null) said.push(`Uses version ${a[USED]}; its forward read version ${a[READ]}` +
    (a[USED] === a[READ] ? " (stashed)." : ": not the same."));
  if (a[MAKES] !== null) {
    const read = a[READ];
    said.push(`Its update makes version ${a[MAKES]}` + (read === null ? "." : `: local staleness ${a[MAKES] - 1 - read}.`));
  }
  const before = data.edges.filter(e => e[1] === at), after = data.edges.filter(e => e[0] === at);
  const names = (edges, end) => edges.map(e => { const b = data.actions[e[end]];
    return b[STAGE] + b[KIND] + b[MICRO] + (e[2] === "message" ? ` (message, rank ${b[RANK]})` : ""); }).join(", ");
  if (before.length) said.push("Waits for " + names(before, 0) + ".");
  if (after.length) said.push("Needed by " + names(after, 1) + ".");
  return said.join("\n");
}

function explore(root, data) {
  root.classList.add("explorer");
  element("h3", { textContent: data.title }, root);
  if (data.note) element("p", { textContent: data.note }, root);
  const controls = element("div", { className: "controls" }, root);
  const slider = (words, low, high, value) => {
    const label = element("label", { textContent: words }, controls);
    return element("input", { type: "range", min: low, max: high, value: value, ariaLabel: words }, label);
  };
  const zoom = slider("zoom", 6, 64, 26), until = slider(`up to ${data.unit}`, 0, data.length, data.length);
  const shown = element("output", {}, controls);
  const back = element("button", { type: "button", textContent: "◀ step" }, controls);
  const next = element("button", { type: "button", textContent: "step ▶" }, controls);
  const scroll = element("div", { className: "scroll" }, root);
  const info = element("p", { className: "info", ariaLive: "polite", textContent: "Hover over an action, or press Tab and the arrow keys." }, root);
  const byRank = Array.from({ length: data.ranks }, () => []);
  data.actions.forEach((a, at) => byRank[a[RANK]].push(at));
  byRank.forEach(list => list.sort((x, y) => data.actions[x][START] - data.actions[y][START] || x - y));
  const spans = data.actions.map(a => a[END] - a[START]).filter(d => d > 0).sort((x, y) => x - y);
  const common = spans[spans.length >> 1] || 1;  // what gets the width that zoom says
  until.step = common;
  let bars = [], arrows = null, now = null, scale = 26, chosen = -1;

  function track(svg, top, words, steps, highest) {
    make("text", { x: 2, y: top + 12, class: "soft" }, svg, words);
    let path = "", value = 0;
    const y = v => top + TRACK - 2 - (TRACK - 5) * v / Math.max(highest, 1);
    for (const [time, v] of steps) {
      path += path ? `H${LEFT + time * scale}V${y(v)}` : `M${LEFT + time * scale},${y(v)}`;
      make("text", { x: LEFT + time * scale + 2, y: top + 9, class: "soft", "font-size": 9 }, svg, v);
      value = v;
    }
    make("path", { d: path + `H${LEFT + data.length * scale}`, class: "step" }, svg);
  }

  function draw() {
    scale = Number(zoom.value) / common;
    const tracks = [...data.tracks.versions.map(t => [`version, stage ${t.stage}`, t]), ...data.tracks.held.map(t => [`held, rank ${t.rank}`, t])];
    const height = data.ranks * ROW + 22 + tracks.length * TRACK, width = LEFT + data.length * scale + 12;
    scroll.textContent = "";
    const svg = make("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": data.title }, scroll);
    const hatch = hatches(svg), every = common * Math.max(1, Math.ceil(26 / Number(zoom.value)));
    for (let t = 0; t <= data.length; t += every) {
      make("line", { x1: LEFT + t * scale, x2: LEFT + t * scale, y1: 0, y2: data.ranks * ROW, class: "grid" }, svg);
      make("text", { x: LEFT + t * scale + 2, y: data.ranks * ROW + 12, class: "soft", "font-size": 9 }, svg, t);
    }
    make("text", { x: 2, y: data.ranks * ROW + 12, class: "soft" }, svg, data.unit);
    bars = data.actions.map((a, at) => {
      const message = !"FBIWU".includes(a[KIND]), thin = a[END] === a[START];
      const x = LEFT + a[START] * scale, w = thin ? 4 : (a[END] - a[START]) * scale, y = a[RANK] * ROW + 3;
      const g = make("g", { class: `bar ${message ? "M" : a[KIND]} ${a[STATE]}`, tabindex: at === byRank[0][0] ? 0 : -1, role: "img",
        "aria-label": sentence(data, at), "data-at": at }, svg);
      make("rect", { x, y, width: Math.max(w - 1, 2), height: ROW - 6 }, g);
      if ("BIW".includes(a[KIND])) make("rect", { x, y, width: Math.max(w - 1, 2), height: ROW - 6, style: `fill:url(#${hatch + a[KIND]})`, class: "hatch" }, g);
      const label = message ? a[KIND][0] + a[KIND].slice(-1) + a[MICRO] : a[KIND] + a[MICRO];
      if (w >= 7 * label.length) make("text", { x: x + w / 2, y: y + 16, "text-anchor": "middle" }, g, label);
      g.addEventListener("pointerenter", () => choose(at));
      g.addEventListener("focus", () => choose(at));
      g.addEventListener("click", () => g.focus());
      g.addEventListener("keydown", event => move(event, at));
      return g;
    });
    for (let r = 0; r < data.ranks; r++) make("text", { x: 2, y: r * ROW + 19 }, svg, `rank ${r}`);
    tracks.forEach(([words, t], line) => track(svg, data.ranks * ROW + 20 + line * TRACK, words, t.steps, Math.max(...t.steps.map(s => s[1]))));
    arrows = make("g", {}, svg);
    now = make("line", { class: "now", y1: 0, y2: height }, svg);
    cut();
    if (chosen >= 0) choose(chosen);
  }

  function cut() {
    const t = Number(until.value);
    shown.textContent = `${t} of ${data.length}`;
    bars.forEach((g, at) => g.classList.toggle("later", data.actions[at][START] >= t));
    now.setAttribute("x1", LEFT + t * scale);
    now.setAttribute("x2", LEFT + t * scale);
  }

  function choose(at) {
    chosen = at;
    const near = new Set([at]), a = data.actions[at];
    arrows.textContent = "";
    for (const [from, to, kind] of data.edges) {
      if (from !== at && to !== at) continue;
      near.add(from).add(to);
      const b = data.actions[from], c = data.actions[to];
      if (kind === "message") make("path", { class: "arrow", d: `M${LEFT + b[END] * scale},${b[RANK] * ROW + 15} L${LEFT + c[START] * scale},${c[RANK] * ROW + 15}` }, arrows);
    }
    // The forward whose version this uses, and the update that made that version.
    data.actions.forEach((b, i) => {
      if (b[STAGE] !== a[STAGE] || b[PIPE] !== a[PIPE]) return;
      if (b[MICRO] === a[MICRO] && "FBIW".includes(b[KIND])) near.add(i);
      if (a[READ] !== null && b[MAKES] === a[READ] && b[RANK] === a[RANK]) near.add(i);
    });
    bars.forEach((g, i) => {
      g.classList.toggle("near", near.has(i) && i !== at);
      g.classList.toggle("chosen", i === at);
      g.classList.toggle("faded", !near.has(i));
    });
    info.textContent = sentence(data, at);
  }

  function move(event, at) {
    const list = byRank[data.actions[at][RANK]], place = list.indexOf(at);
    let goal;
    if (event.key === "ArrowRight") goal = list[place + 1];
    else if (event.key === "ArrowLeft") goal = list[place - 1];
    else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      const other = byRank[data.actions[at][RANK] + (event.key === "ArrowUp" ? -1 : 1)] || [];
      const start = data.actions[at][START];
      goal = other.find(i => data.actions[i][END] > start) ?? other[other.length - 1];
    } else return;
    event.preventDefault();
    if (goal !== undefined) { bars[goal].focus(); bars[goal].scrollIntoView({ block: "nearest", inline: "nearest" }); }
  }

  zoom.addEventListener("input", draw);
  until.addEventListener("input", cut);
  back.addEventListener("click", () => { until.value = Number(until.value) - common; cut(); });
  next.addEventListener("click", () => { until.value = Number(until.value) >= data.length ? 0 : Number(until.value) + common; cut(); });
  draw();
}

function heatmap(root, data) {
  root.classList.add("explorer");
  element("h3", { textContent: `Steady delays of ${data.family}, ${data.linearization} linearization` }, root);
  const controls = element("div", { className: "controls" }, root), sizes = Object.keys(data.by_ranks);
  const label = element("label", { textContent: "ranks p" }, controls);
  const slider = element("input", { type: "range", min: 0, max: sizes.length - 1, value: Math.min(2, sizes.length - 1), ariaLabel: "ranks p" }, label);
  const shown = element("output", {}, controls), scroll = element("div", { className: "scroll" }, root);
  function draw() {
    const p = sizes[slider.value], rows = data.by_ranks[p], flat = rows.flat(), top = Math.max(...flat, 1);
    const mean = flat.reduce((a, b) => a + b, 0) / flat.length;
    shown.textContent = `p = ${p}: max ${Math.max(...flat)}, mean ${Number(mean.toFixed(3))}`;
    scroll.textContent = "";
    const cell = 34, svg = make("svg", { width: 70 + cell * rows.length, height: 40 + cell * rows.length, role: "img", "aria-label": shown.textContent }, scroll);
    make("text", { x: 70, y: 12 }, svg, "block j");
    make("text", { x: 2, y: 34 }, svg, "stage i");
    rows.forEach((row, i) => {
      make("text", { x: 40, y: 52 + cell * i }, svg, i);
      make("text", { x: 84 + cell * i, y: 26 }, svg, i);
      row.forEach((value, j) => {
        make("rect", { x: 70 + cell * j, y: 30 + cell * i, width: cell - 1, height: cell - 1, style: `fill:var(--f);fill-opacity:${0.08 + 0.75 * value / top}`, stroke: "none" }, svg);
        make("text", { x: 70 + cell * j + cell / 2, y: 52 + cell * i, "text-anchor": "middle" }, svg, value);
      });
    });
  }
  slider.addEventListener("input", draw);
  draw();
}
