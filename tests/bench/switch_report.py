#!/usr/bin/python3
"""switch_report.py SACCADE: `saccade bench switch --quick` gives a whole report. No figure is judged."""
import csv, json, pathlib, subprocess, sys, tempfile

from publishing import docs_arguments

saccade = sys.argv[1]


def run(*args):
    return subprocess.run([saccade, "bench", "switch", *args], capture_output=True, text=True)


def expect(holds, what):
    if not holds:
        sys.exit("switch_report.py: " + what)


def keys(thing, *names):
    for name in names:
        expect(name in thing, f"no {name} in {list(thing)}")


MARKERS = "\n".join(f"<!-- saccade bench switch{more}: begin -->\nold{more}\n<!-- saccade bench switch{more}: end -->"
                    for more in ("", " --sweep", " --long"))

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    docs = folder / "figures.md"
    docs.write_text(f"before\n{MARKERS}\nafter\n")
    published = docs_arguments(saccade, docs)
    done = run("--quick", "--json", "--out", str(folder / "out"), *published)
    if done.returncode == 69:
        print(done.stderr)
        sys.exit(77)  # no engine library
    expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
    report = json.loads(done.stdout)
    keys(report["provenance"], "commit", "compiler", "flags", "machine", "cores", "date", "command", "first_seed")
    expect([way["way"] for way in report["ways"]] == ["loads on the same core", "loads on another core", "naive"],
           "ways are missing")
    for way in report["ways"]:
        keys(way, "seconds", "frames", "switches", "both_fit", "lost", "inference_p99_seconds", "latency_p99_seconds",
             "busy_share", "outside", "memory_growth_bytes")
        keys(way["lost"], "kept", "kept_by_switch", "kept_outside", "both_fit", "not_both_fit", "outside", "reasons")
        expect(way["frames"] > 0 and len(way["gaps"]) == 5, f"{way['way']}: frames are missing")
    loads = report["loads_on_the_same_core"]
    keys(loads, "loads", "inference_p99_ratio", "latency_p99_ratio", "outside")
    expect(all(check["asked"] is not None for check in report["checks"]), "a check asks for nothing")
    expect(json.loads((folder / "out/switch.json").read_text()) == report, "switch.json is not what was printed")
    lines = (folder / "out/switch.csv").read_text().splitlines()
    expect(lines[0] == "# commit: " + report["provenance"]["commit"], "switch.csv does not begin with the commit")
    table = list(csv.reader(line for line in lines if not line.startswith("#")))
    expect(len(table) == 16 and len({len(row) for row in table}) == 1, "switch.csv is no table")
    text = docs.read_text()
    expect(not published or "old\n" not in text and "old --long" in text and "| naive |" in text, "the wrong markers were filled")

    done = run("--sweep", "--quick", "--json", "--out", str(folder / "out"), *published)
    expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
    sweep = json.loads(done.stdout)
    guards = ("0.45", "0.35", "0.20", "0.10", "0.05", "auto")
    expect([way["way"] for way in sweep["ways"]] == [f"guard {guard}{naive}" for guard in guards for naive in ("", ", naive")],
           f"guards are missing: {[way['way'] for way in sweep['ways']]}")
    budgets = [way["time_budget"] for way in sweep["ways"] if "naive" not in way["way"]]
    expect(all(abs(budget - (1 - guard)) < 1e-9 for budget, guard in zip(budgets, (0.45, 0.35, 0.2, 0.1, 0.05))),
           f"the guards are not those that were asked for: {budgets}")
    # How often the product switched in the time it has depends on the machine: on a busy one a guard may see no
    # switch at all. The naive way follows its plans.
    expect(all(way["frames"] > 0 for way in sweep["ways"]), "frames are missing")
    expect(any(way["switches"] > 0 for way in sweep["ways"] if "naive" in way["way"]), "the naive way never switched")
    expect(any(way["switches"] > 0 for way in sweep["ways"] if "naive" not in way["way"]), "the product never switched")
    expect(json.loads((folder / "out/switch-sweep.json").read_text()) == sweep, "switch-sweep.json is not what was printed")
    expect(not published or "old --sweep\n" not in docs.read_text(), "the sweep's markers were not filled")
    expect(run("--sweep", "--long").returncode == 2, "two kinds at once passed")

    done = run("--long", "--quick", "--json", *published)
    expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
    long_run = json.loads(done.stdout)["long_run"]
    keys(long_run, "achieved_rate", "achieved_rate_without_outside", "lost_outside", "overhead_share", "stalls")
    expect(long_run["simulated_achieved_rate"] == 1.0, "the simulation loses frames")
    expect(not published or "old --long" not in docs.read_text() and "| simulated |" in docs.read_text(), "the markers were not filled")

    expect(run("--scenarios", str(folder)).returncode == 78, "a folder without scenarios passed")
    expect(run("--quik").returncode == 2, "a misspelt option passed")
