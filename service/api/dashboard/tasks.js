// The verdict, the budgets, and a tile for each task.
"use strict";

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
    const stages = task.stages ? ` on ${task.stages.join(" → ")}` : "";
    write(part("variant"), (task.variant ? `runs ${task.variant}${stages}` : "off") + label, "variant" + (task.variant ? "" : " bad"));
    write(part("demanded"), `${number(task.demanded_fps)}/s`, "demanded");
    write(part("granted"), `${number(task.granted_fps)}/s`, "granted" + (task.granted_fps < 0.99 * task.demanded_fps ? " warn" : ""));
    write(part("achieved"), rate === null ? "–" : `${number(rate)}/s`, "achieved" + (rate !== null && rate < 0.9 * leastGranted(task) ? " bad" : ""));
    write(part("accuracy"), accuracyOf(task), "accuracy" + (below ? " bad" : ""));
    write(part("floor"), task.min_accuracy ? percent(task.min_accuracy) : "none", "floor");
    const drops = Object.entries(task.dropped).filter(([, count]) => count > 0).map(([reason, count]) => `${count} ${reason.replace("_", " ")}`);
    const rejected = task.rejected > 0 ? `; ${task.rejected} rejected` : "";
    write(part("drops"), (drops.length ? `dropped: ${drops.join(", ")}` : "no frame dropped") + rejected, "drops dim");
    tile.classList.toggle("trouble", task.source_connected === false || !task.variant && task.demanded_fps > 0 || below);
  }
}

// "55.0 % mAP, live 52.1 %": both in the metric of the profile set.
function accuracyOf(task) {
  const name = { top1: "", map: " mAP", map50: " mAP50" }[task.metric] ?? ` ${task.metric}`;
  const live = { map: task.live_map, map50: task.live_map50 }[task.metric];
  return percent(task.accuracy) + name + (typeof live === "number" ? `, live ${percent(live)}` : "");
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
