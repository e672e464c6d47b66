// What every camera sees: the newest pictures and what the networks found in them. Results come as a stream,
// pictures twice in three seconds; boxes are drawn over the picture of their own frame. dashboard.js calls
// showSight() and starts the two loops.
"use strict";

const kKept = 150;          // records of a task, for pictures that come later than they
const kPicturePause = 600;  // milliseconds between two pictures
const kOld = 5;             // seconds from which the age of a picture is worth a word
const kWords = 0.5;         // score from which a box has words
const kChips = 8;           // labels that are named, the most frequent ones
const sights = new Map();   // task -> {records: frame -> record, newest: record, shown: frame of the picture}
let drawing = false;        // is due with the next frame of the screen

function sightOf(task) {
  if (!sights.has(task)) sights.set(task, { records: new Map(), newest: null, shown: null });
  return sights.get(task);
}

// --- what comes -----------------------------------------------------------------------------------

function heard(record) {
  if (record.format !== "saccade-result/1") return;  // how many were lost
  const sight = sightOf(record.task);
  sight.records.set(record.frame, record);
  if (sight.records.size > kKept) sight.records.delete(sight.records.keys().next().value);
  sight.newest = record;
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => { drawing = false; drawSights(); });
}

async function followResults() {
  for (;;) {
    if (await tokenIsMissing()) continue;
    try {
      const answer = await call("GET", "v1/results?format=ndjson");
      for (const sight of sights.values()) sight.records.clear();  // a service that began again counts anew
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        const lines = (rest + value).split("\n");
        rest = lines.pop();
        for (const line of lines) if (line) heard(JSON.parse(line));
      }
    } catch { /* no token yet, too many streams, or the service is gone, which look() tells */ }
    await pause(kAgain);
  }
}

// Fetched, not by <img src>, which could not send the token, and decoded before it takes the place of another.
async function fetchPicture(card) {
  const answer = await call("GET", `v1/tasks/${encodeURIComponent(card.dataset.task)}/snapshot?boxes=false`);
  const frame = Number(answer.headers.get("Saccade-Frame"));
  const sight = sightOf(card.dataset.task);
  if (answer.status !== 200 || frame === sight.shown) return;
  const picture = new Image();
  picture.alt = `what ${card.dataset.task} sees`;
  picture.src = URL.createObjectURL(await answer.blob());
  await picture.decode();
  const former = card.querySelector("img");
  former.replaceWith(picture);
  if (former.src) URL.revokeObjectURL(former.src);
  card.querySelector(".no-picture").hidden = true;
  sight.shown = frame;
  drawBoxes(card, sight);
}

async function followPictures() {
  for (;;) {
    if (await tokenIsMissing()) continue;
    const cards = document.hidden ? [] : [...document.querySelectorAll(".sight")];
    await Promise.all(cards.map((card) => fetchPicture(card).catch(() => { /* look() tells */ })));
    await pause(kPicturePause);
  }
}

// --- what is drawn --------------------------------------------------------------------------------

function cardOf(task) {
  const found = document.querySelector(`.sight[data-task="${CSS.escape(task)}"]`);
  if (found) return found;
  const card = $("sight").content.firstElementChild.cloneNode(true);
  card.dataset.task = task;
  card.querySelector("h3").textContent = task;
  $("sights").append(card);
  return card;
}

function showSight(status) {
  for (const card of [...document.querySelectorAll(".sight")]) {
    if (status.tasks.some((t) => t.id === card.dataset.task)) continue;
    sights.delete(card.dataset.task);
    card.remove();
  }
  for (const task of status.tasks) {
    const card = cardOf(task.id);
    const lost = task.source_connected === false;
    card.classList.toggle("trouble", lost);
    showCamera(card, task, status.rules.filter((rule) => rule.task === task.id && rule.active));
    write(card.querySelector(".serving"), lost ? "no pictures now" : task.variant || "off", lost ? "serving bad" : "serving dim");
  }
}

// What the camera costs, and which rules are in force for the task.
function showCamera(card, task, rules) {
  const load = captureLoad(task.id), shown = achieved(task.id);
  const words = [`${number(shown)} of ${number(task.demanded_fps)} frames/s`];
  if (load) {
    words.push(`decoding ${percent(load.share)} of a CPU, ${number(load.decoded)} of ${number(load.decoded + load.skipped)} pictures/s`);
    if (load.age !== null && load.age > kOld) words.push(`last picture ${number(load.age, 0)} s ago`);
  }
  write(card.querySelector(".camera"), words.join(" · "), "camera dim");
  write(card.querySelector(".in-force"), rules.map((rule) => `rule ${rule.id}: ${changesOf(rule.id)}`).join("; "), "in-force");
}

function drawSights() {
  for (const [task, sight] of sights) {
    const card = document.querySelector(`.sight[data-task="${CSS.escape(task)}"]`);
    if (!card) continue;
    if (sight.newest) drawPresence(card.querySelector(".presence"), sight.newest);
    drawBoxes(card, sight);
  }
}

// The labels that are present, each in the colour of its boxes.
function drawPresence(list, record) {
  const all = Object.entries(record.presence).sort((a, b) => b[1] - a[1]);
  const present = all.slice(0, kChips);
  const words = present.map(([label, count]) => count > 1 ? `${count} × ${label}` : label);
  const told = words.length ? `${words.join(", ")} of ${all.length}` : "nothing present";
  if (list.dataset.told === told) return;
  list.dataset.told = told;
  const more = all.length - present.length;
  list.replaceChildren(...(present.length ? present.map(([label], i) => {
    const chip = element("li", {}, words[i]);
    chip.style.borderColor = colourOf(label);
    return chip;
  }) : [element("li", { class: "dim" }, told)]), ...(more > 0 ? [element("li", { class: "dim" }, `and ${more} more`)] : []));
}

// Of the frame that the picture shows: none while its record is not here.
function drawBoxes(card, sight) {
  const overlay = card.querySelector("svg");
  const record = sight.records.get(sight.shown);
  const drawn = record ? String(record.frame) : "";
  if (overlay.dataset.drawn === drawn) return;
  overlay.dataset.drawn = drawn;
  if (!record || !record.size) return overlay.replaceChildren();
  const [width, height] = record.size;
  overlay.setAttribute("viewBox", `0 0 ${width} ${height}`);
  overlay.parentElement.style.aspectRatio = Math.min(16 / 9, Math.max(4 / 3, width / height));
  const size = Math.max(width, height) / 26;
  const marks = [...(record.objects || record.regions)].reverse().flatMap((object) => {
    const [x, y, w, h] = object.box, colour = colourOf(object.label);
    const words = `${object.label} ${Math.round(100 * object.score)} %`;
    const wide = 0.64 * size * words.length + 0.4 * size;
    const left = Math.max(0, Math.min(x, width - wide));
    const inside = h >= 6 * size || y < 1.3 * size;  // else it would cover what is small
    const top = inside ? y : y - 1.3 * size;
    const box = svg("rect", { class: "box", x, y, width: w, height: h, stroke: colour });
    if (object.score < kWords) return [box];
    return [box,
      svg("rect", { x: left, y: top, width: wide, height: 1.3 * size, fill: colour }),
      svg("text", { x: left + 0.2 * size, y: top + size, "font-size": size }, words)];
  });
  overlay.replaceChildren(...marks);
}
