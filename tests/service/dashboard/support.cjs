// What the pages' tests share: the browser, and a service that is started for a test.
"use strict";
const { spawn } = require("child_process");
const fs = require("fs");
const path = require("path");

const project = path.resolve(__dirname, "../../..");

// A function that starts the browser. Where there is none, the program ends with 77.
function findBrowser(playwright) {
  const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((p) => fs.existsSync(p));
  if (!executablePath || !fs.existsSync(path.join(playwright, "package.json"))) {
    console.log("no Chromium or no playwright-core (scripts/setup --full); nothing was tested");
    process.exit(77);
  }
  const { chromium } = require(path.resolve(playwright));
  return () => chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

// Starts the service. `address` resolves once it has said it, `ended` to its exit code or signal.
function serve(program, folder, configuration) {
  const file = path.join(folder, "config.json");
  fs.writeFileSync(file, JSON.stringify(configuration));
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
  return { child, address, ended: new Promise((resolve) => child.on("exit", (code, signal) => resolve(code === null ? signal : code))) };
}

module.exports = { findBrowser, project, serve };
