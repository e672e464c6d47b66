"""accelerator_report.py SACCADE: `saccade bench accelerator` gives a whole report, with or without a card, and
nothing fails in it; what its time limit leaves out is said. No figure of time is judged."""
import json
import subprocess
import sys

saccade = sys.argv[1]


def expect(holds, what):
    if not holds:
        sys.exit("accelerator_report.py: " + what)


def run(*more):
    return subprocess.run([saccade, "bench", "accelerator", *more], capture_output=True, text=True)


done = run("--seconds", "0.5", "--limit", "60", "--json")
expect(done.returncode == 0, f"exit {done.returncode}: {done.stderr}")
report = json.loads(done.stdout)
expect(report["provenance"]["command"].startswith("saccade bench accelerator"), "another command")
expect(len(report["devices"]) == 1, "one device")
device = report["devices"][0]
card = not report["missing"]
expect(device["device"] == ("cuda" if card else "fake"), f"device {device['device']}, missing {report['missing']}")
expect(len(device["beside_loads"]) == 4 or card, f"beside loads: {device['beside_loads']}")
for part in device["beside_loads"]:
    expect(part["failed_inferences"] == 0 and part["failed_loads"] == 0, f"failures: {part}")
    expect(part["loads_beside"] > 0 and part["quiet_p50_ms"] <= part["quiet_p99_ms"], f"figures: {part}")
expect(report["hand_over"]["own_thread_us"] > 0, "no hand-over")
if not card:
    expect(device["beside_loads"][0]["load_p50_ms"] >= 300, "a load of the fake one takes its 300 ms")
    expect(device["left_out"] == 0, "left out")
    expect(device["refused"] == [], f"refused: {device['refused']}")
    rows = {row["engine"]: row for row in device["networks"]}
    expect(set(rows) == {"graph", "plain"} and len(device["networks"]) == 2, f"networks: {device['networks']}")
    for row in rows.values():
        expect(row["device_mb"] == 77 and row["device_peak_mb"] == 77, f"an engine and its workspace: {row}")
        expect(row["left_mb"] is not None and row["load_ms"] >= 300, f"row: {row}")
        expect(row["joules_per_image"] is None and row["watts"] is None, "nothing measured the fake one's energy")
    expect(device["pair_inferences_per_second"]["first_alone"] > 0, "no pair")
    text = run("--seconds", "0.2", "--limit", "0")
    expect("no card was measured" in text.stdout, "it does not say that no card was measured")
    expect("7 measurements left out after 0.00 s" in text.stdout, f"what was left out: {text.stdout}")
for wrong in (["--seconds", "0"], ["--limit", "-1"], ["--device", "64"]):
    expect(run(*wrong).returncode == 2, f"{wrong} was taken")
