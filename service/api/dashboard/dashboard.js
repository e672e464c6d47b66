// The dashboard: reads the service's API once a second and draws what it says. What is changed by hand
// is gathered in a draft, can be tried out by a dry run, and is sent only by "Apply".
"use strict";

const $ = (id) => document.getElementById(id);
const kWindow = 600;        // seconds of the timeline
const kPoll = 1000;         // milliseconds between two looks
const kRateWindow = 5;      // seconds over which an achieved rate is taken
const kColours = ["#0b62c4", "#c4530b", "#1a7f37", "#8a3ffc", "#b8004e", "#00797a", "#7a5c00", "#5a6470"];

// --- words and numbers ----------------------------------------------------------------------------

const number = (value, digits = 1) => value === null || value === undefined ? "–" : Number(value).toFixed(digits).replace(/\.0+$/, "");
const percent = (value) => value === null || value === undefined ? "–" : `${(100 * value).toFixed(1)} %`;
const megabytes = (bytes) => bytes === null || bytes === undefined ? "–" : `${(bytes / 1e6).toFixed(1)} MB`;

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function svg(tag, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// Only what changed is written: a reader's selection and a screen reader's place stay.
function write(node, text, cls = "") {
  if (node.textContent !== text) node.textContent = text;
  if (node.className !== cls && node.dataset.fixed === undefined) node.className = cls;
}

// --- the service ----------------------------------------------------------------------------------

class Refused extends Error {
  constructor(status, problem) {
    super(problem.title || `the service answered ${status}`);
    this.status = status;
    this.errors = problem.errors || [];
    this.detail = problem.detail;
  }
  lines() {
    const told = this.errors.map((e) => (e.pointer && e.pointer !== "#" ? `${e.pointer}: ` : "") + e.detail);
    return told.length ? told : [this.detail || this.message];
  }
}

async function call(method, path, body, headers = {}) {
  const token = sessionStorage.getItem("token");
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const answer = await fetch(path, { method, headers, cache: "no-store", body: body === undefined ? undefined : JSON.stringify(body) });
  if (answer.status !== 429) $("token").hidden = answer.status !== 401;  // 429: too many wrong ones, ask on
  if (!answer.ok && !(path === "v1/plan/dry-run" && answer.status === 409)) {
    let problem = {};
    try { problem = await answer.json(); } catch { /* no body to tell more */ }
    throw new Refused(answer.status, problem);
  }
  return answer;
}
const get = async (path) => (await call("GET", path)).json();

// --- what is shown --------------------------------------------------------------------------------

let now = null;               // the newest status
let config = null;            // the wanted configuration
let configGeneration = -1;
const past = [];              // {at, processed: {task: count}, dropped: {task: {reason: count}}}
const lanes = new Map();      // task -> [{from, to, variant}]
const labels = new Map();      // task -> what its network gave for the latest frame
const marks = [];             // {at, task, what, text}
let lastSwitch = -1;          // of those that are in `marks`
let plan = null;              // the newest plan, whole

// What the page needs of the service's documents, under the names it uses.
function read(status, plan) {
  const limits = (config && config.limits) || {};
  const orNull = (value) => value === undefined ? null : value;
  return {
    at_seconds: status.at_seconds,
    generation: status.generation,
    plan: status.plan && plan && { ...plan, status: status.plan.status },
    tasks: status.tasks.map((t) => ({ ...t, ...t.frames, min_accuracy: t.accuracy_floor })),
    busy: new Map(status.processors.map((p) => [p.id, p.busy_seconds])),
    processors: status.processors.map((p) => ({ name: p.id, budget_share: p.time_budget, used_share: busyShare(status, p) })),
    memory: status.memory,
    energy: { power_watts: plan ? orNull((plan.fallback || plan).totals.energy_joules_per_second) : null, limit_watts: orNull(limits.energy_joules_per_second) },
    switches: status.last_switches || [],
    sinks: status.results || [],
  };
}

function busyShare(status, processor) {
  const first = past[0];
  if (!first || !first.busy.has(processor.id) || status.at_seconds - first.at < 1) return null;
  return (processor.busy_seconds - first.busy.get(processor.id)) / (status.at_seconds - first.at);
}

// What happened before the page was opened: the plans that were made, and which variants they chose.
function recall(history) {
  for (const plan of history) {
    marks.push({ at: plan.at_seconds, task: null, what: "plan", text: `plan ${plan.generation}: ${plan.status}` });
    for (const task of (plan.fallback || plan).tasks) {
      const lane = lanes.get(task.id) || [];
      const last = lane[lane.length - 1];
      if (last) last.to = plan.at_seconds;
      if (!last || last.variant !== task.variant) lane.push({ from: plan.at_seconds, to: plan.at_seconds, variant: task.variant });
      lanes.set(task.id, lane);
    }
  }
}

function remember(status) {
  const at = status.at_seconds;
  if (past.length && at < past[past.length - 1].at) {  // the service started again
    configGeneration = -1; plan = null; labels.clear();
    past.length = 0; lanes.clear(); marks.length = 0; lastSwitch = -1;
  }
  const before = past[past.length - 1];
  past.push({ at, generation: status.generation, busy: status.busy, tasks: new Map(status.tasks.map((t) => [t.id, t])) });
  while (past.length > 2 && past[0].at < at - kRateWindow) past.shift();
  for (const task of status.tasks) {
    const lane = lanes.get(task.id) || [];
    const last = lane[lane.length - 1];
    if (last && last.variant === task.variant) last.to = at;
    else {
      if (last) last.to = at;
      lane.push({ from: at, to: at, variant: task.variant });
    }
    while (lane.length && lane[0].to < at - kWindow) lane.shift();
    lanes.set(task.id, lane);
    const old = before && before.tasks.get(task.id);
    if (!old) continue;
    for (const [reason, count] of Object.entries(task.dropped)) {
      const more = count - (old.dropped[reason] || 0);
      if (more > 0 && reason !== "over_quota" && reason !== "inactive") {
        marks.push({ at, task: task.id, what: "drop", text: `${more} dropped: ${reason.replace("_", " ")}` });
      }
    }
  }
  for (const id of [...lanes.keys()]) if (!status.tasks.some((t) => t.id === id) && lanes.get(id).every((s) => s.to < at - kWindow)) lanes.delete(id);
  if (before && before.generation !== status.generation && status.plan) {
    marks.push({ at, task: null, what: "plan", text: `plan ${status.generation}: ${status.plan.status}` });
  }
  for (const each of status.switches) {
    if (each.at_seconds <= lastSwitch || each.from === each.to) continue;
    lastSwitch = each.at_seconds;
    const lost = each.frames_lost ? `, ${each.frames_lost} frames lost` : "";
    marks.push({ at: each.at_seconds, task: each.task, what: "switch", text: `${each.from || "off"} → ${each.to || "off"}${lost}` });
  }
  marks.sort((a, b) => a.at - b.at);
  while (marks.length && marks[0].at < at - kWindow) marks.shift();
}

function achieved(id) {
  const first = past[0], last = past[past.length - 1];
  const from = first && first.tasks.get(id), to = last && last.tasks.get(id);
  if (!from || !to || last.at - first.at < 1) return null;
  return (to.processed - from.processed) / (last.at - first.at);
}

// Over the seconds that an achieved rate is taken of, so that a change alone raises no alarm.
function leastGranted(task) {
  return Math.min(...past.map((moment) => (moment.tasks.get(task.id) || task).granted_fps));
}

// --- header and budgets ---------------------------------------------------------------------------

const kVerdicts = {
  optimal: ["Every task gets what it demands, at the best this device can do.", "good"],
  feasible: ["Every task gets what it demands.", "good"],
  degraded: ["The demand does not fit: some tasks get less than they demand.", "warn"],
  infeasible: ["Floors and limits conflict: no plan keeps them all.", "bad"],
  unknown: ["No plan was found in time.", "bad"],
};

function showHeader(status) {
  const plan = status.plan;
  const [words, cls] = plan ? kVerdicts[plan.status] || [plan.status, ""] : ["No plan yet: the first engines are loading.", ""];
  const gone = status.tasks.filter((t) => t.source_connected === false).map((t) => t.id);
  write($("verdict"), words + (gone.length ? ` No pictures from ${gone.join(", ")}.` : ""), gone.length ? "bad" : cls);
  write($("connection"), `generation ${status.generation}, up ${uptime(status.at_seconds)}`);
}

function uptime(seconds) {
  const s = Math.floor(seconds), d = Math.floor(s / 86400), h = Math.floor(s / 3600) % 24, m = Math.floor(s / 60) % 60;
  return d ? `${d} d ${h} h` : h ? `${h} h ${m} min` : m ? `${m} min ${s % 60} s` : `${s} s`;
}

function showBudgets(status) {
  const bars = [];
  for (const p of status.processors) bars.push([`Time of ${p.name}`, p.used_share, p.budget_share, percent]);
  bars.push(["Memory of engines", status.memory.used_bytes, status.memory.limit_bytes, megabytes]);
  if (status.energy.power_watts !== null || status.energy.limit_watts !== null) {
    bars.push(["Energy per second, as planned", status.energy.power_watts, status.energy.limit_watts, (w) => w === null ? "–" : `${number(w, 2)} W`]);
  }
  const box = $("budgets");
  while (box.children.length > bars.length) box.lastChild.remove();
  bars.forEach(([name, used, limit, words], i) => {
    let bar = box.children[i];
    if (!bar) {
      bar = element("div", { class: "budget" }, element("span", { id: `budget-${i}` }), element("span"), element("progress", { "aria-labelledby": `budget-${i}` }));
      box.append(bar);
    }
    write(bar.children[0], name);
    write(bar.children[1], limit === null ? `${words(used)}, no limit` : `${words(used)} of ${words(limit)}`);
    bar.children[2].max = limit === null ? Math.max(used || 0, 1e-9) : limit;
    bar.children[2].value = limit === null ? 0 : Math.min(used || 0, limit);
    bar.classList.toggle("full", limit !== null && used > limit);
  });
  write($("binding"), bindingWords(status.plan));
}

const resourceWords = (resource) => resource.replace(/^time:(.*)/, "the time of $1").replace(/_/g, " ");

function bindingWords(plan) {
  if (!plan) return "";
  const names = (plan.binding || []).map((b) => resourceWords(b.resource));
  const fits = plan.status === "optimal" || plan.status === "feasible";
  const held = names.length ? `Held back by ${names.join(" and ")}.` : fits ? "Nothing holds the plan back." : "";
  const why = fits ? [] : (plan.relaxations || []).slice(0, 3).map((r) => `What would help: ${resourceWords(r.resource)}: ${r.what}${r.proven ? "" : " (not proven)"}.`);
  return [held, ...why].join(" ");
}

// --- tasks ----------------------------------------------------------------------------------------

function tileOf(id) {
  const found = document.querySelector(`.tile[data-task="${CSS.escape(id)}"]`);
  if (found) return found;
  const tile = $("tile").content.firstElementChild.cloneNode(true);
  tile.dataset.task = id;
  tile.querySelector("h3").textContent = id;
  const picture = tile.querySelector("img");
  picture.alt = `latest frame of ${id}`;
  picture.onload = () => { picture.hidden = false; tile.querySelector(".no-picture").hidden = true; };
  tile.querySelector(".fields").append(
    field(`frames/s`, ["tasks", id, "fps"], { min: 0, step: "any" }),
    field(`accuracy floor`, ["tasks", id, "min_accuracy"], { min: 0, max: 1, step: 0.01 }));
  $("tasks").append(tile);
  return tile;
}

function showTasks(status) {
  for (const tile of [...document.querySelectorAll(".tile")]) {
    if (!status.tasks.some((t) => t.id === tile.dataset.task)) tile.remove();
  }
  for (const task of status.tasks) {
    const tile = tileOf(task.id);
    const part = (name) => tile.querySelector(`.${name}`);
    const rate = achieved(task.id);
    const below = task.accuracy !== null && task.min_accuracy !== null && task.accuracy < task.min_accuracy;
    const label = sight(labels.get(task.id) || []);
    write(part("variant"), (task.variant ? `runs ${task.variant}` : "off") + label, "variant" + (task.variant ? "" : " bad"));
    write(part("demanded"), `${number(task.demanded_fps)}/s`, "demanded");
    write(part("granted"), `${number(task.granted_fps)}/s`, "granted" + (task.granted_fps < 0.99 * task.demanded_fps ? " warn" : ""));
    write(part("achieved"), rate === null ? "–" : `${number(rate)}/s`, "achieved" + (rate !== null && rate < 0.9 * leastGranted(task) ? " bad" : ""));
    const live = typeof task.live_map50 === "number" ? ` (live mAP50 ${percent(task.live_map50)})` : "";
    write(part("accuracy"), percent(task.accuracy) + live, "accuracy" + (below ? " bad" : ""));
    write(part("floor"), task.min_accuracy ? percent(task.min_accuracy) : "none", "floor");
    const drops = Object.entries(task.dropped).filter(([, count]) => count > 0).map(([reason, count]) => `${count} ${reason.replace("_", " ")}`);
    const rejected = task.rejected > 0 ? `; ${task.rejected} rejected` : "";
    write(part("drops"), (drops.length ? `dropped: ${drops.join(", ")}` : "no frame dropped") + rejected, "drops dim");
    tile.classList.toggle("trouble", task.source_connected === false || !task.variant && task.demanded_fps > 0 || below);
  }
}

// "sees A, 3 × B": the labels of all regions, or of the objects of a detector, the most frequent first.
function sight(answers) {
  const counts = new Map();
  for (const answer of answers) counts.set(answer, (counts.get(answer) || 0) + 1);
  const words = [...counts].sort((a, b) => b[1] - a[1]).map(([label, count]) => count > 1 ? `${count} × ${label}` : label);
  return words.length ? `, sees ${words.slice(0, 4).join(", ")}${words.length > 4 ? ", …" : ""}` : "";
}

// Fetched one by one, not by <img src>, which could not send the token.
async function showPictures() {
  if (document.hidden || !now) return;
  for (const tile of document.querySelectorAll(".tile")) {
    const picture = tile.querySelector("img");
    try {
      const answer = await call("GET", `v1/tasks/${encodeURIComponent(tile.dataset.task)}/thumbnail`);
      labels.set(tile.dataset.task, JSON.parse(answer.headers.get("Saccade-Labels") || "[]"));
      if (answer.status !== 200) continue;
      const before = picture.src;
      picture.src = URL.createObjectURL(await answer.blob());
      if (before) URL.revokeObjectURL(before);
    } catch { /* no frame yet, or the service is gone, which look() tells */ }
  }
}

// --- settings and the draft -----------------------------------------------------------------------

const draft = new Map();  // path joined by "/" -> {path, value}

function wanted(path) {
  let at = config;
  for (const key of path) {
    if (at === null || at === undefined) return null;
    at = Array.isArray(at) ? at.find((task) => task.id === key) : at[key];
  }
  return at === undefined ? null : at;
}

function field(label, path, attributes, scale = 1) {
  const input = element("input", { type: "number", inputmode: "decimal", ...attributes });
  input.dataset.path = JSON.stringify(path);
  input.dataset.scale = scale;
  input.addEventListener("change", () => edit(input, input.value === "" ? null : Number(input.value) * scale));
  return element("label", {}, `${label} `, input);
}

function edit(input, value) {
  const path = JSON.parse(input.dataset.path);
  const key = path.join("/");
  if (input.validity && !input.validity.valid) { input.reportValidity(); return; }
  if (value === wanted(path)) draft.delete(key);
  else draft.set(key, { path, value });
  showDraft();
}

function showSettings() {
  const box = $("settings");
  if (!box.children.length) {
    const select = element("select", {}, ...["max_accuracy", "min_energy", "min_memory"].map((o) => element("option", { value: o }, { max_accuracy: "most accuracy", min_energy: "least energy", min_memory: "least memory" }[o])));
    select.dataset.path = JSON.stringify(["objective"]);
    select.addEventListener("change", () => edit(select, select.value));
    box.append(element("label", {}, "objective ", select),
      field("memory limit, MB", ["limits", "memory_bytes"], { min: 0, step: "any", placeholder: "none" }, 1e6),
      field("energy limit, W", ["limits", "energy_joules_per_second"], { min: 0, step: "any", placeholder: "none" }),
      field("peak power limit, W", ["limits", "peak_power_watts"], { min: 0, step: "any", placeholder: "none" }));
  }
  for (const input of document.querySelectorAll("[data-path]")) {
    const path = JSON.parse(input.dataset.path);
    const changed = draft.has(path.join("/"));
    input.classList.toggle("changed", changed);
    if (changed || input === document.activeElement) continue;
    const value = wanted(path);
    const shown = path[0] === "objective" ? value || "max_accuracy" : value === null ? "" : String(value / Number(input.dataset.scale || 1));
    if (input.value !== shown) input.value = shown;
  }
}

const kNames = { fps: "frames/s", min_accuracy: "accuracy floor", memory_bytes: "memory limit", energy_joules_per_second: "energy limit", peak_power_watts: "peak power limit", objective: "objective" };
function valueWords(key, value) {
  if (value === null) return "none";
  return key === "memory_bytes" ? megabytes(value) : typeof value === "string" ? value.replace("_", " ") : number(value, 3);
}

function showDraft() {
  $("draft").hidden = draft.size === 0;
  $("draft-list").replaceChildren(...[...draft.values()].map(({ path, value }) => {
    const key = path[path.length - 1];
    return element("li", {}, `${path.length === 3 ? `${path[1]}: ` : ""}${kNames[key]} ${valueWords(key, wanted(path))} → ${valueWords(key, value)}`);
  }));
  $("outcome").replaceChildren();
  showSettings();
}

function patchOf(changes) {
  const patch = {};
  for (const { path, value } of changes) {
    let at = patch;
    for (const key of path.slice(0, -1)) at = at[key] = at[key] || {};
    at[path[path.length - 1]] = value;
  }
  return patch;
}

function tell(lines, cls) {
  $("outcome").replaceChildren(...lines.map((line) => element("p", { class: cls }, line)));
}

async function preview() {
  try {
    const answer = await call("POST", "v1/plan/dry-run", patchOf(draft.values()));
    const body = await answer.json();
    const plan = answer.status === 409 ? body.plan || {} : body;  // 409: a plan that cannot keep all floors
    const rows = ((plan.fallback || plan).tasks || []).map((task) => {
      const runs = now.tasks.find((t) => t.id === task.id) || {};
      const same = runs.variant === task.variant && runs.granted_fps === task.granted_fps;
      return element("tr", same ? { class: "dim" } : {}, element("th", { scope: "row" }, task.id),
        element("td", {}, runs.variant === task.variant ? task.variant || "off" : `${runs.variant || "off"} → ${task.variant || "off"}`),
        element("td", { class: "number" }, `${number(runs.granted_fps)} → ${number(task.granted_fps)} of ${number(task.demanded_fps)}/s`),
        element("td", { class: "number" }, `${percent(runs.accuracy)} → ${percent(task.accuracy)}`));
    });
    const [words, cls] = kVerdicts[plan.status] || [body.detail || "", "bad"];
    tell([`What if: ${words} ${bindingWords(plan)}`], cls);
    if (rows.length) {
      $("outcome").append(element("table", {}, element("thead", {}, element("tr", {}, ...["task", "variant", "granted", "accuracy"].map((h) => element("th", { scope: "col" }, h)))), element("tbody", {}, ...rows)));
    }
  } catch (error) { tell(error instanceof Refused ? error.lines() : ["The service does not answer."], "bad"); }
}

// One request for all of it, as it was previewed: everything is accepted, or nothing.
async function apply() {
  let told = [];
  let cls = "good";
  try {
    const answer = await (await call("PATCH", "v1/config", patchOf(draft.values()))).json();
    draft.clear();
    told = [`Accepted as generation ${answer.generation}.`];
  } catch (error) {
    cls = "bad";
    told = error instanceof Refused ? error.lines() : ["The service does not answer."];
  }
  configGeneration = -1;
  await look();
  const left = draft.size > 0;
  showDraft();
  if (left) tell(told, cls);
}

// --- timeline -------------------------------------------------------------------------------------

function showTimeline(status) {
  const ids = [...lanes.keys()], left = 130, width = 1000, lane = 26, top = 18, height = top + lane * ids.length + 24;
  // A service that has just begun fills the picture with its first minute.
  const end = status.at_seconds, span = Math.min(kWindow, Math.max(60, end));
  const x = (at) => left + (width - left - 8) * (1 - (end - at) / span);
  const ago = (seconds) => seconds === 0 ? "now" : seconds < 120 ? `${Math.round(seconds)} s ago` : `${number(seconds / 60)} min ago`;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Which variant served each task, plans and drops, in the last ten minutes" });
  for (let part = 0; part <= 5; ++part) {
    const at = end - span * part / 5;
    picture.append(svg("line", { class: "axis", x1: x(at), x2: x(at), y1: top - 4, y2: height - 20 }),
      svg("text", { x: x(at), y: height - 6, "text-anchor": part === 0 ? "end" : "middle" }, ago(end - at)));
  }
  ids.forEach((id, row) => {
    const y = top + lane * row;
    picture.append(svg("text", { x: 0, y: y + 15 }, id.length > 18 ? `${id.slice(0, 17)}…` : id));
    const names = [...new Set(lanes.get(id).map((s) => s.variant))];
    for (const s of lanes.get(id)) {
      if (!s.variant) continue;
      const from = x(Math.max(s.from, end - span)), to = Math.max(x(s.to), from + 1);
      const bar = svg("rect", { x: from, y: y + 2, width: to - from, height: 16, rx: 2, fill: kColours[hash(s.variant) % kColours.length], "fill-opacity": names.length > 1 ? 0.85 : 0.55 });
      bar.append(svg("title", {}, `${id}: ${s.variant}`));
      picture.append(bar);
      if (to - from > 7 * s.variant.length) {
        const words = svg("text", { x: from + 4, y: y + 14 }, s.variant);
        words.style.fill = "#fff";
        picture.append(words);
      }
    }
  });
  for (const mark of marks.filter((m) => m.at >= end - span)) {
    if (mark.what === "plan") picture.append(svg("line", { class: "plan", x1: x(mark.at), x2: x(mark.at), y1: top - 4, y2: height - 20 }));
    if (mark.what === "drop") {
      const y = top + lane * ids.indexOf(mark.task) + 20;
      const dot = svg("path", { class: "drop", d: `M${x(mark.at)} ${y}l3 5h-6z` });
      dot.append(svg("title", {}, `${mark.task}: ${mark.text}`));
      picture.append(dot);
    }
  }
  const first = !$("timeline").children.length;
  $("timeline").replaceChildren(picture, element("p", { class: "dim" }, "Bars: the variant that serves. Dotted lines: plans. Triangles: dropped frames. Drops as seen since this page was opened."));
  if (first) $("timeline").scrollLeft = $("timeline").scrollWidth;  // where now is, on a narrow screen
  const rows = marks.slice(-100).reverse().map((mark) => element("tr", {}, element("td", { class: "number" }, `${Math.round(end - mark.at)} s ago`), element("td", {}, mark.task || "all"), element("td", {}, mark.text)));
  if ($("log").parentElement.open) {
    $("log").replaceChildren(element("table", {}, element("thead", {}, element("tr", {}, ...["when", "task", "what"].map((h) => element("th", { scope: "col" }, h)))), element("tbody", {}, ...rows)));
  }
}

function hash(text) {
  let value = 7;
  for (const letter of text) value = (value * 31 + letter.codePointAt(0)) >>> 0;
  return value;
}

// --- the loop -------------------------------------------------------------------------------------

async function look() {
  try {
    const answer = await get("v1/status");
    if (configGeneration !== answer.generation) {
      config = await get("v1/config?in_force=1");
      configGeneration = answer.generation;
    }
    const planned = answer.plan && answer.plan.generation;
    if (planned !== null && (!plan || plan.generation !== planned)) plan = await get("v1/plan");
    if (!now) recall((await get("v1/plan/history")).plans);
    const status = read(answer, plan);
    remember(status);
    now = status;
    showHeader(status);
    showSight(status);
    showSinks(status.sinks);
    showBudgets(status);
    showTasks(status);
    showSettings();
    showTimeline(status);
  } catch (error) {
    const words = error instanceof Refused ? error.lines().join(" ") : "The service does not answer; what is shown is old.";
    write($("connection"), words, "bad");
  }
}

$("preview").addEventListener("click", preview);
$("apply").addEventListener("click", apply);
$("discard").addEventListener("click", () => { draft.clear(); showDraft(); });
$("token").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", new FormData($("token")).get("token"));
  look();
});

async function run() {
  await look();
  await showPictures();
  setTimeout(run, document.hidden ? 5 * kPoll : kPoll);
}
run();
followResults();
followPictures();
