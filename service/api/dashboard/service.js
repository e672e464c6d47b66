// The service's API: requests, and what it says when it refuses one.
"use strict";

const kAgain = 2000;  // milliseconds until something that failed is tried again

class Refused extends Error {
  constructor(status, problem) {
    super(problem.title || `the service answered ${status}`);
    this.status = status;
    this.errors = problem.errors || [];
    this.detail = problem.detail;
  }
  lines() {
    const told = this.errors.map((e) => (e.pointer && e.pointer !== "#" ? `${e.pointer}: ` : "") + e.detail);
    return told.length ? told : [this.detail || this.message];
  }
}

async function call(method, path, body, headers = {}) {
  const token = sessionStorage.getItem("token");
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const answer = await fetch(path, { method, headers, cache: "no-store", body: body === undefined ? undefined : JSON.stringify(body) });
  if (answer.status !== 429) $("token").hidden = answer.status !== 401;  // 429: too many wrong ones, ask on
  if (!answer.ok && !(path === "v1/plan/dry-run" && answer.status === 409)) {
    let problem = {};
    try { problem = await answer.json(); } catch { /* no body to tell more */ }
    throw new Refused(answer.status, problem);
  }
  return answer;
}
const get = async (path) => (await call("GET", path)).json();

// Then nothing is asked for: failed attempts are slowed down for the whole address.
async function tokenIsMissing() {
  if ($("token").hidden) return false;
  await pause(kAgain);
  return true;
}
