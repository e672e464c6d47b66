// Words, numbers and elements that all parts of the page share. Loaded first.
"use strict";

const $ = (id) => document.getElementById(id);
const kColours = ["#0b62c4", "#c4530b", "#1a7f37", "#8a3ffc", "#b8004e", "#00797a", "#7a5c00", "#5a6470"];

const number = (value, digits = 1) => value === null || value === undefined ? "–" : Number(value).toFixed(digits).replace(/\.0+$/, "");
const percent = (value) => value === null || value === undefined ? "–" : `${(100 * value).toFixed(1)} %`;
const megabytes = (bytes) => bytes === null || bytes === undefined ? "–" : `${(bytes / 1e6).toFixed(1)} MB`;

// How the keys of the configuration are called here, and their values.
const kNames = {
  fps: "frames/s", min_fps: "least frames/s", min_accuracy: "accuracy floor", min_relative_accuracy: "relative accuracy floor",
  max_frame_time_seconds: "longest frame time", max_latency_seconds: "longest latency", weight: "weight", priority: "priority", objective: "objective",
  memory_bytes: "memory limit", energy_joules_per_second: "energy limit", peak_power_watts: "peak power limit",
};
function valueWords(key, value) {
  if (value === null) return "none";
  return key === "memory_bytes" ? megabytes(value) : typeof value === "string" ? value.replace("_", " ") : number(value, 3);
}

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

function row(cells, attributes = {}) {
  return element("tr", attributes, ...cells.map((cell) => (cell instanceof Node ? cell : element("td", {}, cell))));
}

// A table whose first row names the columns.
function table(columns, rows) {
  return element("table", {}, element("thead", {}, element("tr", {}, ...columns.map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, ...rows));
}

function hash(text) {
  let value = 7;
  for (const letter of text) value = (value * 31 + letter.codePointAt(0)) >>> 0;
  return value;
}
const colourOf = (label) => kColours[hash(label) % kColours.length];
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
