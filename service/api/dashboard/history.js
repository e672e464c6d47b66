// What the service said last, and what is remembered of it: rates over the last seconds, and the last minutes'
// variants, plans, switches and drops.
"use strict";

const kWindow = 600;    // seconds of the timeline
const kRateWindow = 5;  // seconds over which a rate is taken

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
    processors: status.processors.map((p) => ({ name: p.id + emulated(p), budget_share: p.time_budget, used_share: busyShare(status, p) })),
    memory: status.memory,
    energy: { power_watts: plan ? orNull((plan.fallback || plan).totals.energy_joules_per_second) : null, limit_watts: orNull(limits.energy_joules_per_second) },
    switches: status.last_switches || [],
    sinks: status.results || [],
    rules: status.rules || [],
  };
}

function emulated(processor) {
  return processor.emulated_slowdown ? ` (emulated ${processor.emulated_slowdown} times slower)` : "";
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

// What reading and decoding a task's camera costs: share of a CPU, and pictures a second; null: no camera, or not
// known yet.
function captureLoad(id) {
  const first = past[0], last = past[past.length - 1];
  const from = first && first.tasks.get(id), to = last && last.tasks.get(id);
  if (!from || !to || !from.capture || !to.capture || last.at - first.at < 1) return null;
  const per_second = (key) => (to.capture[key] - from.capture[key]) / (last.at - first.at);
  return { share: per_second("processor_seconds"), decoded: per_second("decoded"), skipped: per_second("skipped"), age: to.capture.last_frame_age_seconds };
}

// Over the seconds that an achieved rate is taken of, so that a change alone raises no alarm.
function leastGranted(task) {
  return Math.min(...past.map((moment) => (moment.tasks.get(task.id) || task).granted_fps));
}
