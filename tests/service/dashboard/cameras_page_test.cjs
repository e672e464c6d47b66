// The dashboard in a headless browser, before a real service with real RTSP cameras: what decoding costs, a
// camera that is not there, one that goes and comes back, and a sink whose disk is full. It takes pictures.
//
// node cameras_page_test.cjs SACCADE PLAYWRIGHT [PICTURES]; exit 77: no browser or no RTSP server here.
// Waits for what is to be seen, never for a time.
"use strict";
const { spawn, spawnSync } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");
const assert = require("assert");
const { findBrowser, project, serve } = require("./support.cjs");

const [program, playwright, pictures] = process.argv.slice(2);
const launch = findBrowser(playwright);

// Resolves to its port, or to null where there is no RTSP server.
function startCamera(scenes, port = 0) {
  const child = spawn("/usr/bin/python3", [path.join(project, "tests/support/rtsp_camera.py"), "--pictures", scenes, "15", "640", "360", String(port)], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  const ready = new Promise((resolve) => {
    child.stderr.on("data", (chunk) => {
      said += chunk;
      const found = said.match(/port (\d+)\./);
      if (found) resolve(Number(found[1]));
    });
    child.on("exit", () => resolve(null));
  });
  return { child, ready };
}

function configuration(port) {
  const task = (id, url) => ({ id, profiles: path.join(project, "profiles/zoo/yard-detector.json"), fps: 5, source: { type: "stream", url } });
  return {
    version: 1,
    processors: [{ name: "cpu" }],
    tasks: [task("gate", `rtsp://127.0.0.1:${port}/cam`), task("dock", "rtsp://127.0.0.1:1/cam")],
    results: [{ id: "log", type: "file", path: "results.jsonl" }, { id: "full", type: "file", path: "/dev/full" }],
    api: { listen: "127.0.0.1:0" },
  };
}

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "saccade-cameras-page-"));
  const started = [];
  let browser;
  try {
    const made = spawnSync(program, ["images", "--data-set", "yard", "--split", "live", "--count", "30", "--png", "--size", "640x360", "--out", folder]);
    assert.equal(made.status, 0, String(made.stderr));
    const scenes = path.join(folder, "yard-live/%06d.png");
    let camera = startCamera(scenes);
    started.push(camera.child);
    const port = await camera.ready;
    if (port === null) {
      console.log("no RTSP server (scripts/setup --test); nothing was tested");
      process.exitCode = 77;
      return;
    }
    const service = serve(program, folder, configuration(port));
    started.push(service.child);
    const base = await service.address;
    browser = await launch();
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const trouble = [];
    page.on("pageerror", (error) => trouble.push(`script: ${error.message}`));
    const sees = (selector, words) => page.locator(selector, { hasText: words }).first().waitFor({ timeout: 60000 });
    const picture = async (name) => { if (pictures) await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true }); };
    const sight = (id) => `.sight[data-task="${id}"]`;
    await page.goto(base + "/");

    // A camera that serves, and what it costs.
    await page.locator(`${sight("gate")} img[src]`).waitFor({ timeout: 60000 });
    await page.locator(`${sight("gate")} svg .box`).first().waitFor({ state: "attached", timeout: 60000 });
    await sees(`${sight("gate")} .camera`, /of 5 frames\/s · decoding [\d.]+ % of a CPU, [\d.]+ of [\d.]+ pictures\/s/);
    assert.equal(await page.locator(`${sight("gate")}.trouble`).count(), 0);
    // One that is not there.
    await sees(`${sight("dock")}.trouble .serving.bad`, "no pictures now");
    // A sink whose disk is full, beside one that writes.
    await sees("#sinks tbody tr:nth-child(1)", /log \(file\)connected/);
    await sees("#sinks tbody tr:nth-child(2) td.bad", "No space left on device");
    await sees("#sinks tbody tr:nth-child(2) td.warn", /[1-9]/);
    await picture("cameras-desktop");

    // It goes, and comes back.
    camera.child.kill("SIGKILL");
    await sees(`${sight("gate")}.trouble .serving.bad`, "no pictures now");
    await sees(`${sight("gate")} .camera`, /last picture \d+ s ago/);
    await picture("cameras-lost");
    camera = startCamera(scenes, port);
    started.push(camera.child);
    assert.equal(await camera.ready, port);
    await page.locator(`${sight("gate")}:not(.trouble)`).waitFor({ timeout: 60000 });
    await sees(`${sight("gate")} .camera`, /decoding/);

    await page.setViewportSize({ width: 390, height: 844 });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert(width <= 390, `the page is ${width} pixels wide on a screen of 390`);
    await picture("cameras-phone");
    assert.deepEqual(trouble, []);
  } finally {
    for (const child of started) child.kill("SIGKILL");
    if (browser) await browser.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
  if (!process.exitCode) console.log("the dashboard shows what decoding costs, lost cameras and a sink that fails");
}

main().catch((error) => { console.error(error); process.exit(1); });
