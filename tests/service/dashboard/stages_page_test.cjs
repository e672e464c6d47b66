// The dashboard in a headless browser, before a real service that serves a network in stages: the tile says
// on which processors, in order.
//
// node stages_page_test.cjs SACCADE PLAYWRIGHT; exit 77: no browser here.
// Waits for what is to be seen, never for a time.
"use strict";
const { spawn } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");
const assert = require("assert");

const [program, playwright] = process.argv.slice(2);
const browserPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((p) => fs.existsSync(p));
if (!browserPath || !fs.existsSync(path.join(playwright, "package.json"))) {
  console.log("no Chromium or no playwright-core (scripts/setup --full); nothing was tested");
  process.exit(77);
}
const { chromium } = require(path.resolve(playwright));
const project = path.resolve(__dirname, "../../..");

// At this rate the network fits on neither processor whole, but in stages on both.
function serve(folder) {
  const file = path.join(folder, "config.json");
  const profiles = path.join(project, "examples/pipeline/resnext-vehicles.json");
  const set = JSON.parse(fs.readFileSync(profiles, "utf8"));
  const rate = (variant) => 1 / Math.max(...Object.values(variant.frame_time_seconds));
  const best = (variants) => Math.max(...variants.map(rate));
  const whole = best(set.variants.filter((variant) => !variant.stages)), staged = best(set.variants.filter((variant) => variant.stages));
  const fps = 0.8 * staged;
  assert(fps > 0.86 * whole, "no rate needs stages");
  fs.writeFileSync(file, JSON.stringify({
    version: 1,
    processors: [{ name: "fast", guard_seconds: 0.14 }, { name: "slow", guard_seconds: 0.14 }],
    tasks: [{ id: "gate", profiles, fps, min_fps: fps, source: { type: "push" } }],
    api: { listen: "127.0.0.1:0" },
  }));
  const child = spawn(program, ["run", file], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  const address = new Promise((resolve, reject) => {
    child.stderr.on("data", (chunk) => {
      said += chunk;
      const found = said.match(/http:\/\/127\.0\.0\.1:\d+/);
      if (found) resolve(found[0]);
    });
    child.on("exit", (code) => reject(new Error(`the service ended with ${code}:\n${said}`)));
  });
  return { child, address };
}

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "saccade-stages-page-"));
  const service = serve(folder);
  let browser;
  try {
    const base = await service.address;
    browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
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
