// The dashboard in a headless browser, before a real service that serves a network in stages: the tile says
// on which processors, in order.
//
// node stages_page_test.cjs SACCADE PLAYWRIGHT; exit 77: no browser here.
// Waits for what is to be seen, never for a time.
"use strict";
const fs = require("fs");
const os = require("os");
const path = require("path");
const assert = require("assert");
const { findBrowser, project, serve } = require("./support.cjs");

const [program, playwright] = process.argv.slice(2);
const launch = findBrowser(playwright);

// At this rate the network fits on neither processor whole, but in stages on both.
function configuration() {
  const profiles = path.join(project, "examples/pipeline/resnext-vehicles.json");
  const set = JSON.parse(fs.readFileSync(profiles, "utf8"));
  const rate = (variant) => 1 / Math.max(...Object.values(variant.frame_time_seconds));
  const best = (variants) => Math.max(...variants.map(rate));
  const whole = best(set.variants.filter((variant) => !variant.stages)), staged = best(set.variants.filter((variant) => variant.stages));
  const fps = 0.8 * staged;
  assert(fps > 0.86 * whole, "no rate needs stages");
  return {
    version: 1,
    processors: [{ name: "fast", guard_seconds: 0.14 }, { name: "slow", guard_seconds: 0.14 }],
    tasks: [{ id: "gate", profiles, fps, min_fps: fps, source: { type: "push" } }],
    api: { listen: "127.0.0.1:0" },
  };
}

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "saccade-stages-page-"));
  const service = serve(program, folder, configuration());
  let browser;
  try {
    const base = await service.address;
    browser = await launch();
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const trouble = [];
    page.on("pageerror", (error) => trouble.push(`script: ${error.message}`));
    await page.goto(base + "/");
    await page.locator('.tile[data-task="gate"] .variant', { hasText: /runs \S+-p\d+ on (fast → slow|slow → fast)/ }).waitFor({ timeout: 60000 });
    assert.deepEqual(trouble, []);
  } finally {
    service.child.kill("SIGKILL");
    if (browser) await browser.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
  console.log("the dashboard shows the processors of a network's stages");
}

main().catch((error) => { console.error(error); process.exit(1); });
