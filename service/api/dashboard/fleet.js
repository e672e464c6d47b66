// The page of a fleet: looks at its planner every two seconds and shows what it says. Loaded last.
"use strict";

const kLook = 2000;  // milliseconds between two looks
const kMostRows = 500;  // of cameras, and
const kMostMoves = 20;  // of moves that are shown

const fleetNow = { status: null, boxes: [], cameras: [], moves: [] };

function boxClass(box) {
  if (box.health === "lost") return "bad";
  return box.health !== "alive" || box.state !== "active" ? "warn" : "";
}

function cameraClass(status) {
  if (status === "idle") return "dim";
  return status === "serving" ? "good" : status === "starting" ? "warn" : "bad";
}

// "3 min" since a moment in seconds since 1970.
function ago(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const past = Math.max(0, Date.now() / 1000 - seconds);
  if (past < 90) return `${Math.round(past)} s`;
  if (past < 5400) return `${Math.round(past / 60)} min`;
  return past < 129600 ? `${Math.round(past / 3600)} h` : `${Math.round(past / 86400)} d`;
}

function showFleetHeader(status) {
  write($("fleet"), status.fleet);
  const cameras = Object.entries(status.cameras).reduce((sum, [name, count]) => sum + (name === "idle" ? 0 : count), 0);
  const serving = status.cameras.serving || 0;
  const lost = status.boxes.lost || 0;
  if (status.brake) {
    write($("verdict"), "Many boxes are lost at once: nothing is moved for them until `saccade fleet release`", "bad");
  } else if (serving === cameras && lost === 0) {
    write($("verdict"), `All ${cameras} cameras are served`, "good");
  } else {
    write($("verdict"), `${serving} of ${cameras} cameras are served${lost ? `, ${lost} ${lost === 1 ? "box is" : "boxes are"} lost` : ""}`,
      serving === cameras ? "warn" : "bad");
  }
  const store = status.store.connected ? "" : `; the store is away: ${status.store.fault}`;
  write($("connection"), `planner ${status.planner} ${status.leads ? "leads" : "stands by"}${store}`, store ? "bad" : "");
}

function showFleetPlan(status) {
  const plan = status.plan;
  const facts = [["number", number(plan.number, 0)], ["boxes", Object.entries(status.boxes).map(([name, count]) => `${count} ${name}`).join(", ") || "none"]];
  if (plan.value !== undefined) {
    facts.push(["value", number(plan.value, 3)], ["no plan exceeds", number(plan.bound, 3)]);
    facts.push(["gap", percent(Math.abs(plan.bound - plan.value) / Math.max(Math.abs(plan.value), 1e-9))]);
  }
  if (plan.relative_accuracy !== undefined) {
    facts.push(["expected relative accuracy", percent(plan.relative_accuracy)]);
    facts.push(["N-1", plan.boxes_survived === plan.boxes_that_serve ? "the loss of any one box costs no demand"
      : `the loss of ${plan.boxes_that_serve - plan.boxes_survived} of ${plan.boxes_that_serve} boxes might cost demand`]);
  } else if (!status.leads) {
    facts.push(["value and bound", "ask the planner that leads"]);
  }
  $("plan").replaceChildren(...facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
  $("complaints").replaceChildren(...status.complaints.map((one) => element("li", {}, `${one.key}: ${one.detail}`)));
}

function showBox(tile, box) {
  tile.className = `box ${boxClass(box)}`;
  write(tile.querySelector("h3"), box.id);
  const state = box.state === "active" ? box.health : `${box.health}, ${box.state}`;
  write(tile.querySelector(".health"), state + (box.held ? ", held by the brake" : ""), `health ${boxClass(box) || "good"}`);
  const standby = box.standby ? `, ${box.ready} of ${box.standby} kept ready for others` : "";
  write(tile.querySelector(".of"), `${box.serving} of ${box.cameras} cameras served${standby}`, "of");
  write(tile.querySelector(".labels"), Object.entries(box.labels).map(([name, value]) => `${name} ${value}`).join(", "), "labels dim");
  const load = tile.querySelector(".load");
  load.hidden = !box.load;
  if (box.load) {
    load.querySelector("progress").value = Math.min(1, box.load.time);
    write(load.querySelector("span"), percent(box.load.time));
  }
  const survives = box.survives === null ? "" : box.survives ? "its loss costs no demand" : "its loss might cost demand";
  write(tile.querySelector(".survives"), survives, `survives ${box.survives === false ? "warn" : "dim"}`);
}

function showBoxes(boxes) {
  const known = new Map([...$("boxes").children].map((tile) => [tile.dataset.box, tile]));
  boxes.forEach((box, i) => {
    let tile = known.get(box.id);
    known.delete(box.id);
    if (!tile) {
      tile = $("box").content.firstElementChild.cloneNode(true);
      tile.dataset.box = box.id;
    }
    if ($("boxes").children[i] !== tile) $("boxes").insertBefore(tile, $("boxes").children[i] || null);
    showBox(tile, box);
  });
  for (const tile of known.values()) tile.remove();
}

// The box that keeps an engine ready for it.
function standbyOf(camera) {
  if (!camera.standby) return "";
  return ` (${camera.standby.ready ? "ready on" : "not ready yet on"} ${camera.standby.box})`;
}

function cameraRow(camera) {
  const expected = camera.expected;
  const where = camera.moves_to ? `${camera.box} → ${camera.moves_to}` : camera.box || "–";
  return row([
    camera.id, camera.network, where + (camera.pinned_to ? ` (pinned to ${camera.pinned_to})` : "") + standbyOf(camera),
    element("td", { class: cameraClass(camera.status) }, camera.status + (camera.reason ? `: ${camera.reason}` : "")),
    expected ? expected.variant : "–", element("td", { class: "number" }, expected ? `${number(expected.fps)}/s` : "–"),
    element("td", { class: "number" }, expected ? percent(expected.relative_accuracy) : "–"), ago(camera.since),
  ], { "data-camera": camera.id });
}

// Those that are not served come first.
function showCameras() {
  const words = $("filter").value.trim().toLowerCase();
  const found = fleetNow.cameras.filter((camera) =>
    [camera.id, camera.box, camera.network, camera.status].some((text) => text && text.toLowerCase().includes(words)));
  const order = (camera) => (camera.status === "serving" || camera.status === "idle" ? 1 : 0);
  found.sort((a, b) => order(a) - order(b));
  const shown = found.slice(0, kMostRows);
  write($("shown"), shown.length < found.length ? `${shown.length} of ${found.length} cameras; those that are not served come first`
    : `${found.length} ${found.length === 1 ? "camera" : "cameras"}`, "dim");
  $("cameras").replaceChildren(table(["camera", "network", "box", "status", "expected variant", "rate", "relative accuracy", "there since"],
    shown.map(cameraRow)));
}

function showMoves(moves) {
  const latest = moves.slice(-kMostMoves).reverse();
  $("moves").replaceChildren(latest.length === 0 ? element("p", { class: "dim" }, "none since this planner was started")
    : table(["ago", "camera", "from", "to", "why", "result"], latest.map((move) =>
      row([ago(move.at), move.camera, move.from || "–", move.to || "–", move.reason.replace("_", " "), move.result]))));
}

async function lookAtFleet() {
  try {
    const [status, boxes, cameras, moves] = await Promise.all(["status", "boxes", "cameras", "moves"].map((part) => get(`v1/fleet/${part}`)));
    Object.assign(fleetNow, { status, boxes: boxes.boxes, cameras: cameras.cameras, moves: moves.moves });
    showFleetHeader(status);
    showFleetPlan(status);
    showBoxes(fleetNow.boxes);
    showCameras();
    showMoves(fleetNow.moves);
  } catch (error) {
    const words = error instanceof Refused ? error.lines().join(" ") : "The planner does not answer; what is shown is old.";
    write($("connection"), words, "bad");
  }
}

$("filter").addEventListener("input", showCameras);
$("token").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", new FormData($("token")).get("token"));
  lookAtFleet();
});

async function runFleet() {
  if (!(await tokenIsMissing())) await lookAtFleet();
  setTimeout(runFleet, document.hidden ? 5 * kLook : kLook);
}
runFleet();
