// The page of a fleet in a headless browser, with the program's own files before answers that are made here:
// those of a large fleet in all its states. It shows boxes, cameras, plan and moves, follows changes, finds a
// camera, fits a phone, and says when the planner is gone. That a planner serves these files and answers is
// tested elsewhere. It takes pictures.
//
// node fleet_page_test.cjs PLAYWRIGHT [PICTURES]; exit 77: no browser here.
// Waits for what is to be seen, never for a time.
"use strict";
const assert = require("assert");
const fs = require("fs");
const http = require("http");
const path = require("path");
const { findBrowser } = require("./support.cjs");

const [playwright, pictures] = process.argv.slice(2);
const launch = findBrowser(playwright);
const files = path.resolve(__dirname, "../../../service/api/dashboard");
const types = { ".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8" };
const kBoxes = 500, kCameras = 2000;

function madeFleet() {
  const boxes = [], cameras = [];
  for (let i = 0; i < kBoxes; ++i) {
    boxes.push({ id: `box-${i}`, state: "active", health: "alive", held: false, labels: { site: i % 2 ? "north" : "south" }, cameras: 4, serving: 4,
      networks: ["yard-detector"], load: { time: (i % 100) / 100, memory: 0.2, energy: 0 }, survives: true });
  }
  for (let i = 0; i < kCameras; ++i) {
    cameras.push({ id: `camera-${i}`, network: "yard-detector", box: `box-${i % kBoxes}`, epoch: i, status: "serving", reason: null, moves_to: null, exclusive: false,
      since: Date.now() / 1000 - 7200, expected: { variant: "small-int8", fps: 12.5, relative_accuracy: 0.934 }, pinned_to: null });
  }
  const status = { fleet: "city", planner: "planner-1", leads: true, store: { connected: true, fault: "", term: 3 }, brake: false,
    boxes: { alive: kBoxes }, cameras: { serving: kCameras, idle: 3 }, complaints: [],
    plan: { number: 7, value: 1868.2, bound: 1869.1, relative_accuracy: 0.934, boxes_that_serve: kBoxes, boxes_survived: kBoxes } };
  return { status, boxes: { boxes }, cameras: { cameras }, moves: { moves: [] } };
}

async function main() {
  const fleet = madeFleet();
  const server = http.createServer((request, response) => {
    const part = request.url.startsWith("/v1/fleet/") ? fleet[request.url.slice("/v1/fleet/".length)] : undefined;
    const file = path.join(files, request.url === "/" ? "fleet.html" : path.basename(request.url));
    const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
    if (part) {
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(part));
    } else if (fs.existsSync(file)) {
      response.writeHead(200, { "Content-Type": types[path.extname(file)], "Content-Security-Policy": policy }).end(fs.readFileSync(file));
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${server.address().port}`;
  const browser = await launch();
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const trouble = [];
  page.on("pageerror", (error) => trouble.push(`script: ${error.message}`));
  page.on("console", (message) => { if (message.type() === "error") trouble.push(`console: ${message.text()}`); });
  page.on("request", (request) => { if (!request.url().startsWith(base) && !/^(data:|blob:)/.test(request.url())) trouble.push(`asks elsewhere: ${request.url()}`); });
  const sees = (selector, words) => page.locator(selector, { hasText: words }).first().waitFor({ timeout: 60000 });
  const picture = async (name) => { if (pictures) await page.screenshot({ path: path.join(pictures, `${name}.png`) }); };
  try {
    // A calm fleet.
    await page.goto(base + "/");
    await sees("#verdict", `All ${kCameras} cameras are served`);
    await sees("#connection", "planner planner-1 leads");
    await sees("h1", "Saccade fleet city");
    await sees("#plan", /value1868\.2.*1869\.1.*gap0 %|value1868\.2.*1869\.1.*gap0\.0 %/s);
    await sees("#plan", "the loss of any one box costs no demand");
    assert.equal(await page.locator(".box").count(), kBoxes);
    await sees('.box[data-box="box-50"]', /alive.*4 of 4 cameras served.*site south.*50\.0 %.*its loss costs no demand/s);
    assert.equal(await page.locator("#cameras tbody tr").count(), 500);
    await sees("#shown", `500 of ${kCameras} cameras`);
    await sees('#cameras tr[data-camera="camera-7"]', /yard-detector.*box-7.*serving.*small-int8.*12\.5\/s.*93\.4 %.*2 h/s);
    await sees("#moves", "none since this planner was started");
    await picture("fleet-calm");

    // It finds a camera.
    await page.fill("#filter", "camera-1999");
    await sees("#shown", "1 camera");
    assert.equal(await page.locator("#cameras tbody tr").count(), 1);
    await page.fill("#filter", "");

    // Trouble: a box is lost, another drains, a loss is not survived any more, a document cannot be read.
    Object.assign(fleet.boxes.boxes[3], { health: "lost", serving: 0, load: null, survives: null });
    Object.assign(fleet.boxes.boxes[4], { state: "draining", survives: false });
    Object.assign(fleet.cameras.cameras[1503], { status: "lost", expected: null });
    Object.assign(fleet.cameras.cameras[1504], { moves_to: "box-9", pinned_to: "box-9", standby: { box: "box-12", ready: true } });
    Object.assign(fleet.boxes.boxes[12], { standby: 3, ready: 2 });
    fleet.moves.moves.push({ at: Date.now() / 1000 - 30, camera: "camera-3", from: "box-3", to: "box-8", reason: "lost_box", result: "done" });
    Object.assign(fleet.status, { boxes: { alive: kBoxes - 1, lost: 1 }, cameras: { serving: kCameras - 1, lost: 1 }, complaints: [{ key: "camera/x", detail: "cannot be read <b>" }] });
    fleet.status.plan.boxes_survived = kBoxes - 2;
    await sees("#verdict", `${kCameras - 1} of ${kCameras} cameras are served, 1 box is lost`);
    await sees('.box.bad[data-box="box-3"]', "lost");
    await sees('.box.warn[data-box="box-4"]', /alive, draining.*its loss might cost demand/s);
    await sees("#cameras tbody tr:first-child", /camera-1503.*lost/s);
    await sees("#moves tbody tr", /camera-3box-3box-8lost boxdone/);
    await sees("#plan", `the loss of 2 of ${kBoxes} boxes might cost demand`);
    await sees("#complaints li", "camera/x: cannot be read <b>");
    await page.fill("#filter", "camera-1504");
    await sees("#cameras tbody tr", "box-4 → box-9 (pinned to box-9) (ready on box-12)");
    await sees('.box[data-box="box-12"]', "4 of 4 cameras served, 2 of 3 kept ready for others");
    await picture("fleet-trouble");
    await page.setViewportSize({ width: 390, height: 844 });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert(width <= 390, `the page is ${width} pixels wide on a screen of 390`);
    await picture("fleet-phone");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1280, height: 900 });
    await picture("fleet-dark");

    // The brake; a planner that stands by; boxes that leave the fleet.
    fleet.status.brake = true;
    fleet.status.leads = false;
    fleet.status.plan = { number: 7 };
    fleet.boxes.boxes.length = 2;
    await sees("#verdict", "Many boxes are lost at once");
    await sees("#connection", "stands by");
    await sees("#plan", "ask the planner that leads");
    assert.equal(await page.locator(".box").count(), 2);
    assert.deepEqual(trouble, []);

    // When the planner is gone it says so.
    server.closeAllConnections();
    server.close();
    await sees("#connection", "does not answer");
  } finally {
    await browser.close();
    server.close();
  }
  console.log("the page of a fleet shows it, follows it, finds a camera and says when the planner is gone");
}

main().catch((error) => { console.error(error); process.exit(1); });
