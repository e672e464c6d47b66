#!/usr/bin/python3
"""fleet_overhead_report.py SACCADE: `saccade bench fleet --overhead --quick` gives a whole report, from real processes on
an etcd. No figure is judged, but that they were taken. Skipped where there is no etcd.
"""
import json, os, pathlib, subprocess, sys, tempfile

from publishing import docs_arguments

saccade = sys.argv[1]


def expect(holds, what):
    if not holds:
        sys.exit("fleet_overhead_report.py: " + what)


if not os.access("/usr/bin/etcd", os.X_OK):
    print("skipped: needs /usr/bin/etcd (scripts/setup --test)")
    sys.exit(77)
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    docs = folder / "figures.md"
    docs.write_text("before\n<!-- saccade bench fleet: begin -->\nkept\n<!-- saccade bench fleet: end -->\n"
                    "<!-- saccade bench fleet --overhead: begin -->\nold\n<!-- saccade bench fleet --overhead: end -->\n")
    published = docs_arguments(saccade, docs)
    done = subprocess.run([saccade, "bench", "fleet", "--overhead", "--quick", "--json", "--out", str(folder / "out"),
                           *published], capture_output=True, text=True)
    expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
    report = json.loads(done.stdout)
    for key in ("commit", "compiler", "flags", "machine", "cores", "date", "command", "first_seed"):
        expect(key in report["provenance"], f"no {key}")
    (pair,) = report["agents"]
    for cost in pair.values():
        expect(cost["cpu"] >= 0 and 1e6 < cost["anonymous_bytes"] <= cost["resident_bytes"], str(pair))
    (planner,) = report["planners"]
    expect((report["cameras"], report["boxes"]) == (200, 10), str(report))
    expect(planner["seconds"] > 0 and planner["cpu_seconds"] > 0, str(planner))
    after = planner["after"]
    expect(1e6 < after["anonymous_bytes"] <= after["resident_bytes"] <= planner["peak_bytes"], str(planner))
    expect([each["what"] for each in report["checks"]] == ["agent: processor time, % of a core",
                                                           "agent: resident memory, MB"], str(report["checks"]))
    expect(json.loads((folder / "out/overhead.json").read_text()) == report, "overhead.json is another report")
    if published:
        written = docs.read_text()
        expect("\nold\n" not in written and "kept" in written, "the documentation was not written: " + written)
    for wrong, words in ((["--quick"], "is for --overhead"), (["--overhead", "500"], "takes no instance"),
                         (["--overhead", "--losses", "3"], "is not for --overhead")):
        refused = subprocess.run([saccade, "bench", "fleet", *wrong], capture_output=True, text=True)
        expect(refused.returncode == 2 and words in refused.stderr, refused.stderr)
