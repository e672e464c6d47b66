"""accelerator_report.py SACCADE: `saccade bench accelerator` gives a whole report, with or without a card, and
nothing fails in it. No figure of time is judged."""
import json
import subprocess
import sys

saccade = sys.argv[1]


def expect(holds, what):
    if not holds:
        sys.exit("accelerator_report.py: " + what)


done = subprocess.run([saccade, "bench", "accelerator", "--seconds", "0.5", "--json"], capture_output=True, text=True)
expect(done.returncode == 0, f"exit {done.returncode}: {done.stderr}")
report = json.loads(done.stdout)
expect(report["provenance"]["command"].startswith("saccade bench accelerator"), "another command")
names = [part["engines"] for part in report["parts"]]
expect(names == (["fake"] if report["missing"] else ["fake", "cuda"]), f"parts {names}, missing {report['missing']}")
for part in report["parts"]:
    expect(part["failed_inferences"] == 0 and part["failed_loads"] == 0, f"failures: {part}")
    expect(part["loads_beside"] > 0 and part["quiet_p50_ms"] <= part["quiet_p99_ms"], f"figures: {part}")
expect(report["parts"][0]["load_p50_ms"] >= 300, "a load of the fake one takes its 300 ms")
expect(report["hand_over"]["own_thread_us"] > 0, "no hand-over")
if report["missing"]:
    text = subprocess.run([saccade, "bench", "accelerator", "--seconds", "0.2"], capture_output=True, text=True)
    expect("no card was measured" in text.stdout, "it does not say that no card was measured")
expect(subprocess.run([saccade, "bench", "accelerator", "--seconds", "0"], capture_output=True).returncode == 2, "--seconds 0")
