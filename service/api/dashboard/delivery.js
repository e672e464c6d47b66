// Rules that change the demand, and where results go.
"use strict";

// --- rules ----------------------------------------------------------------------------------------

// "frames/s 15, accuracy floor 0.45": what the configuration says that the rule sets.
function changesOf(id) {
  const rule = ((config && config.rules) || []).find((each) => each.id === id);
  return rule ? Object.entries(rule.set).map(([key, value]) => `${kNames[key] || key} ${valueWords(key, value)}`).join(", ") : "";
}

function ruleState(rule, at) {
  if (rule.refused) return [`refused: ${rule.refused}`, "bad"];
  const since = rule.since_seconds === null ? "" : ` for ${uptime(Math.max(0, at - rule.since_seconds))}`;
  if (rule.frozen) return [`turns too often: kept ${rule.active ? "in force" : "off"}`, "warn"];
  return rule.active ? [`in force${since}`, "good"] : [`off${since}`, "dim"];
}

function showRules(status) {
  $("rules-part").hidden = status.rules.length === 0;
  const rows = status.rules.map((rule) => {
    const [words, cls] = ruleState(rule, status.at_seconds);
    return row([element("th", { scope: "row" }, rule.id), rule.task, element("td", { class: cls }, words), changesOf(rule.id), rule.reason || "–"]);
  });
  put($("rules"), ["rule", "task", "state", "what it sets", "why"], rows);
}

// --- sinks ----------------------------------------------------------------------------------------

function showSinks(sinks) {
  $("sinks-part").hidden = sinks.length === 0;
  const counts = ["sent", "dropped", "failed", "waiting", "filtered"];
  const rows = sinks.map((sink) => row([
    element("th", { scope: "row" }, `${sink.id} (${sink.type})`),
    element("td", { class: sink.connected ? "good" : "bad" }, sink.connected ? "connected" : sink.fault || "not connected"),
    ...counts.map((key) => element("td", { class: (key === "dropped" || key === "failed") && sink[key] > 0 ? "number warn" : "number" }, String(sink[key]))),
  ]));
  put($("sinks"), ["sink", "state", ...counts], rows);
}

// Only when it changed: a reader's selection stays.
function put(box, columns, rows) {
  const told = rows.map((each) => each.textContent).join("\n");
  if (box.dataset.told === told) return;
  box.dataset.told = told;
  box.replaceChildren(table(columns, rows));
}
