// The dashboard: looks at the service once a second and shows what it says. Loaded last.
"use strict";

const kPoll = 1000;  // milliseconds between two looks

async function look() {
  try {
    const answer = await get("v1/status");
    if (configGeneration !== answer.generation) {
      config = await get("v1/config?in_force=1");
      configGeneration = answer.generation;
    }
    const planned = answer.plan && answer.plan.generation;
    if (planned !== null && (!plan || plan.generation !== planned)) plan = await get("v1/plan");
    if (!now) recall((await get("v1/plan/history")).plans);
    const status = read(answer, plan);
    remember(status);
    now = status;
    showHeader(status);
    showSight(status);
    showRules(status);
    showSinks(status.sinks);
    showBudgets(status);
    showTasks(status);
    showSettings();
    showTimeline(status);
  } catch (error) {
    const words = error instanceof Refused ? error.lines().join(" ") : "The service does not answer; what is shown is old.";
    write($("connection"), words, "bad");
  }
}

$("preview").addEventListener("click", preview);
$("apply").addEventListener("click", apply);
$("discard").addEventListener("click", () => { draft.clear(); showDraft(); });
$("token").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", new FormData($("token")).get("token"));
  look();
});

async function run() {
  await look();
  await showPictures();
  setTimeout(run, document.hidden ? 5 * kPoll : kPoll);
}
run();
followResults();
followPictures();
