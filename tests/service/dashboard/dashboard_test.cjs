// The dashboard in a headless browser, before a real service: it loads, follows a change that somebody
// else made, tries one out, applies one, keeps what was refused, and works by keyboard alone. Along the
// way it shows what every camera sees, with boxes, and where results go. It takes pictures (desktop and phone; calm, overloaded, infeasible; light and dark).
//
// node dashboard_test.cjs SACCADE PLAYWRIGHT [PICTURES]; exit 77: no browser here.
// Waits for what is to be seen, never for a time.
"use strict";
const fs = require("fs");
const os = require("os");
const path = require("path");
const assert = require("assert");
const { findBrowser, project, serve } = require("./support.cjs");

const [program, playwright, pictures] = process.argv.slice(2);
const launch = findBrowser(playwright);
const profiles = path.join(project, "profiles/zoo");

// Real engines: simulated ones take no time, which the service would soon plan with.
const configuration = {
  version: 1,
  processors: [{ name: "cpu", guard_seconds: 0.9 }],
  limits: { memory_bytes: 120000000 },
  tasks: [["gate", "mobilenet_v2-glyphs", "glyphs"], ["road", "resnext-vehicles", "vehicles"], ["parking", "pnasnet-parking", "parking"], ["signs", "densenet-signs", "signs"], ["belt", "googlenet-defects", "defects"]].map(([id, network, data_set], i) => ({
    id, profiles: path.join(profiles, `${network}.json`), fps: 8, min_accuracy: i < 2 ? 0.8 : 0,
    regions: { grid: [2, 2] }, source: { type: "synthetic", data_set, seed: i + 1 },
  })),
  results: [{ id: "log", type: "file", path: "results.jsonl" }, { id: "people", type: "file", path: "people.jsonl", tasks: ["yard"], when: "change" }],
  // Changes no rate: the test knows those.
  rules: [{ id: "people", task: "belt", when: { presence: { task: "yard", labels: ["person", "car", "van", "truck"] } }, hold_seconds: 600, set: { weight: 2 } }],
  api: { listen: "127.0.0.1:0" },
};
configuration.tasks.unshift({
  id: "yard", profiles: path.join(profiles, "yard-detector.json"), fps: 8, source: { type: "synthetic", data_set: "yard", seed: 9 },
});

// By the status of a plan that serves, what the page says of it.
const verdicts = {
  optimal: "Every task gets what it demands, at the best this device can do.", feasible: "Every task gets what it demands.",
  degraded: "The demand does not fit: some tasks get less than they demand.",
};

async function send(base, method, where, body) {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const answer = await fetch(base + where, { method, headers: { "Content-Type": type }, body: JSON.stringify(body) });
  assert.equal(answer.status, 202, `${method} ${where}: ${answer.status} ${await answer.clone().text()}`);
}

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "saccade-dashboard-"));
  const service = serve(program, folder, configuration);
  const base = await service.address;
  const browser = await launch().catch((error) => {
    service.child.kill("SIGKILL");
    throw error;
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const trouble = [];
  page.on("pageerror", (error) => trouble.push(`script: ${error.message}`));
  page.on("console", (message) => { if (message.type() === "error" && !/409|422/.test(message.text() + message.location().url)) trouble.push(`console: ${message.text()}`); });
  page.on("request", (request) => { if (!request.url().startsWith(base) && !/^(data:|blob:)/.test(request.url())) trouble.push(`asks elsewhere: ${request.url()}`); });
  const sees = (selector, words) => page.locator(selector, { hasText: words }).first().waitFor({ timeout: 60000 });
  const tile = (id) => `.tile[data-task="${id}"]`;
  const picture = async (name, options = {}) => { if (pictures) await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true, ...options }); };
  // The same on a phone, where nothing is wider than the screen; then the desktop again.
  const phonePicture = async (name) => {
    const desktop = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 844 });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert(width <= 390, `${name}: the page is ${width} pixels wide on a screen of 390`);
    await picture(name);
    await page.setViewportSize(desktop);
  };
  const configured = async () => (await fetch(`${base}/v1/config`)).json();
  const status = async () => (await fetch(`${base}/v1/status`)).json();
  // What depends on the machine's speed is what the API says of it, which may change between two looks.
  const agrees = async (shown, expected) => {
    const end = Date.now() + 60000;
    for (let seen, said; seen === undefined || seen !== said; ) {
      assert(Date.now() < end, `the page says "${seen}", the API "${said}"`);
      [seen, said] = [await shown(), await expected()];
    }
  };
  try {
    // It loads, and every task has its tile.
    await page.goto(base + "/");
    for (const task of configuration.tasks) await sees(`${tile(task.id)} .demanded`, "8/s");
    await sees("#verdict", /Every task gets what it demands|The demand does not fit/);
    await agrees(() => page.locator("#verdict").textContent(), async () => verdicts[(await status()).plan.status]);
    await sees(`${tile("gate")} .achieved`, "/s");
    await page.locator(".tile img:not([hidden])").nth(configuration.tasks.length - 1).waitFor({ timeout: 60000 });
    await sees(`${tile("gate")} .variant`, /runs .+, sees .+/);
    await sees("#budgets", /Time of cpu.*% of .*%/s);
    await sees("#budgets", /Memory of engines.* of 120/s);
    await page.locator("#timeline svg rect").nth(configuration.tasks.length - 1).waitFor({ timeout: 60000 });

    // What the cameras see: a picture each, boxes of the picture's own frame, and what is present.
    const sight = (id) => `.sight[data-task="${id}"]`;
    for (const task of configuration.tasks) {
      await page.locator(`${sight(task.id)} img[src]`).waitFor({ timeout: 60000 });
      await page.locator(`${sight(task.id)} svg .box`).first().waitFor({ state: "attached", timeout: 60000 });
      await sees(`${sight(task.id)} .presence li`, /./);
    }
    await sees(`${sight("gate")} svg text`, /\d+ %/);
    await sees(`${sight("yard")} .presence li`, /person|cyclist|car|van|truck|dog/);
    // A box lies on the picture: both have the same place, and boxes are in the frame.
    const places = await page.locator(sight("yard")).evaluate((card) => {
      const [picture, overlay] = ["img", "svg"].map((tag) => card.querySelector(tag).getBoundingClientRect());
      const size = card.querySelector("svg").viewBox.baseVal, image = card.querySelector("img");
      const boxes = [...card.querySelectorAll(".box")].map((b) => ["x", "y", "width", "height"].map((k) => Number(b.getAttribute(k))));
      return { same: picture.x === overlay.x && picture.y === overlay.y && picture.width === overlay.width && picture.height === overlay.height,
        ratio: (image.naturalWidth / image.naturalHeight) / (size.width / size.height),
        inside: boxes.every(([x, y, w, h]) => x >= 0 && y >= 0 && x + w <= size.width + 0.2 && y + h <= size.height + 0.2) };
    });
    assert(places.same && places.inside && Math.abs(places.ratio - 1) < 0.02, JSON.stringify(places));
    // Rules with what they set, and what a camera costs and delivers.
    await sees("#rules tbody tr", /people.*belt.*in force for \d+ s.*weight 2/);
    await sees(`${sight("belt")} .in-force`, "rule people: weight 2");
    await sees(`${sight("gate")} .camera`, /of 8 frames\/s/);
    await sees("#sinks", /log \(file\)connected\d+0000/);
    await sees("#sinks tbody tr:nth-child(2)", "people (file)");
    await picture("desktop-cameras", { fullPage: false });
    await picture("desktop-calm");
    await phonePicture("phone-calm");

    // It follows a change that it did not make.
    await send(base, "PATCH", "/v1/tasks/road", { fps: 12 });
    await sees(`${tile("road")} .demanded`, "12/s");
    assert.equal(await page.locator(`${tile("road")} input`).first().inputValue(), "12");
    await page.locator("#timeline svg line.plan").first().waitFor({ state: "attached", timeout: 60000 });

    // It tries a change out, which changes nothing, and applies it.
    await page.locator(`${tile("gate")} input`).first().fill("4");
    await page.locator(`${tile("gate")} input`).first().press("Tab");
    await sees("#draft-list", "gate: frames/s 8 → 4");
    let outcome = null;
    await agrees(async () => {
      const [answer] = await Promise.all([page.waitForResponse(/\/v1\/plan\/dry-run$/, { timeout: 60000 }), page.click("#preview")]);
      outcome = await answer.json();
      return page.locator("#outcome tr", { hasText: "gate" }).locator(".number").first().textContent({ timeout: 60000 });
    }, async () => {
      const [runs, would] = [await status(), outcome].map((plan) => plan.tasks.find((task) => task.id === "gate").granted_fps);
      return `${Number(runs.toFixed(1))} → ${Number(would.toFixed(1))} of 4/s`;
    });
    assert.equal((await configured()).tasks.find((t) => t.id === "gate").fps, 8);
    await picture("desktop-what-if");
    await page.click("#apply");
    await sees(`${tile("gate")} .demanded`, "4/s");
    await page.waitForSelector("#draft", { state: "hidden" });
    assert.equal((await configured()).tasks.find((t) => t.id === "gate").fps, 4);

    // A floor and a limit, applied together.
    await page.locator(`${tile("gate")} input`).nth(1).fill("0.85");
    await page.locator(`${tile("gate")} input`).nth(1).press("Tab");
    await page.locator("#settings input").first().fill("100");
    await page.locator("#settings input").first().press("Tab");
    const writes = [];
    page.on("request", (request) => { if (request.method() !== "GET") writes.push(`${request.method()} ${new URL(request.url()).pathname}`); });
    await page.click("#apply");
    await sees(`${tile("gate")} .floor`, "85");
    await sees("#budgets", /Memory of engines.* of 100/s);
    assert.deepEqual(writes, ["PATCH /v1/config"]);  // all or nothing, as it was previewed
    assert.equal((await configured()).limits.memory_bytes, 100e6);

    // What is refused stays in the draft, with what is wrong with it.
    await page.evaluate(() => { for (const input of document.querySelectorAll(".fields input")) input.removeAttribute("min"); });
    await page.locator("#settings input").first().fill("-5");
    await page.locator("#settings input").first().press("Tab");
    await page.click("#apply");
    await page.waitForSelector("#outcome .bad");
    assert(await page.isVisible("#draft"));
    await page.click("#discard");

    // By keyboard alone: the objective, then Apply.
    await page.locator("#settings select").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await sees("#draft-list", "objective");
    await page.locator("#apply").focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector("#draft", { state: "hidden" });
    assert.equal((await configured()).objective, "min_memory");
    await send(base, "PUT", "/v1/objective", "max_accuracy");

    // Too much for the device.
    for (const task of configuration.tasks) await send(base, "PATCH", `/v1/tasks/${task.id}`, { fps: 300 });
    await sees("#verdict", "does not fit");
    await sees("#binding", "the time of cpu");
    await sees(".tile .drops", /dropped: .*\d+ over quota/);  // a loaded machine drops stale ones as well
    await picture("desktop-overloaded");
    await picture("dashboard", { clip: { x: 0, y: 0, width: 1280, height: 1250 } });
    await phonePicture("phone-overloaded");
    await page.emulateMedia({ colorScheme: "dark" });
    await picture("desktop-overloaded-dark");

    // Floors that no plan can keep: first as a question, which changes nothing.
    await page.locator("#settings input").first().fill("1");
    await page.locator("#settings input").first().press("Tab");
    await page.click("#preview");
    await sees("#outcome", "Floors and limits conflict");
    await page.click("#discard");
    for (const task of configuration.tasks) await send(base, "PATCH", `/v1/tasks/${task.id}`, { min_fps: 300, min_accuracy: 0.9 });
    await sees("#verdict", "conflict");
    await page.emulateMedia({ colorScheme: "light" });
    await picture("desktop-infeasible");

    await phonePicture("phone-infeasible");
    assert.deepEqual(trouble, []);

    // When the service is gone it says so.
    service.child.kill("SIGTERM");
    assert.equal(await service.ended, 0);
    await sees("#connection", "does not answer");
  } finally {
    service.child.kill("SIGKILL");
    await browser.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
  console.log("the dashboard loads, follows changes, tries them out, applies them and says what was refused");
}

main().catch((error) => { console.error(error); process.exit(1); });
