// What is changed by hand: gathered in a draft, tried out by a dry run, and sent only by "Apply".
"use strict";

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
      $("outcome").append(table(["task", "variant", "granted", "accuracy"], rows));
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
