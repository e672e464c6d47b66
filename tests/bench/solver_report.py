#!/usr/bin/python3
"""solver_report.py SACCADE: `saccade bench solver --quick` gives a whole report. No figure is judged."""
import csv, json, pathlib, shutil, subprocess, sys, tempfile

from publishing import docs_arguments

saccade = sys.argv[1]


def run(program, *args):
    return subprocess.run([program, *args], capture_output=True, text=True)


def expect(holds, what):
    if not holds:
        sys.exit("solver_report.py: " + what)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    docs = folder / "figures.md"
    docs.write_text("before\n<!-- saccade bench solver: begin -->\nold\n<!-- saccade bench solver: end -->\nafter\n")
    published = docs_arguments(saccade, docs)
    done = run(saccade, "bench", "solver", "--quick", "--json", "--out", str(folder / "out"), *published)
    expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
    report = json.loads(done.stdout)
    expect(report["bench"] == "solver" and report["complaints"] == [], f"complaints: {report['complaints']}")
    for key in ("commit", "compiler", "flags", "machine", "cores", "date", "command", "first_seed"):
        expect(report["provenance"].get(key) not in (None, ""), f"no {key} in the provenance")
    expect(report["solver_versions"]["glpk"], "GLPK has no version")
    expect(len(report["cases"]) >= 20, "cases are missing")
    for case in report["cases"]:
        ours = case["solvers"][0]
        expect(ours["name"] == "saccade" and ours["n"] == report["seeds"], f"{case['case']}: seeds are missing")
        for key in ("median_seconds", "p99_seconds", "worst_seconds", "worst_cpu_seconds", "median_gap", "worst_gap",
                    "proven_share", "culprit_share", "wrong", "times_saccade"):
            expect(key in ours, f"{case['case']}: no {key}")
        expect(ours["wrong"] == 0, f"{case['case']}: a wrong answer")
        expect((case["met"] is None) == (case["checks"] == []), f"{case['case']}: judged without a check")
    written = json.loads((folder / "out/solver.json").read_text())
    expect(written == report, "solver.json is not what was printed")
    for file in ("solver.csv", "solver-runs.csv"):
        lines = (folder / "out" / file).read_text().splitlines()
        expect(lines[0] == "# commit: " + report["provenance"]["commit"], f"{file} does not begin with the commit")
        table = list(csv.reader(line for line in lines if not line.startswith("#")))
        expect(len(table) > len(report["cases"]) and len({len(row) for row in table}) == 1, f"{file} is no table")
    expect((folder / "out/solver-standard.gp").exists(), "no chart was written")
    text = docs.read_text()
    expect(text.startswith("before\n") and text.endswith("after\n"), "the markers were lost")
    expect(not published or "\nold\n" not in text, "the markers were not filled")
    expect(not published or all(f"| {case['case']} |" in text for case in report["cases"]), "cases are missing in the tables")

    expect(run(saccade, "bench", "solver", "--quick", "--only", "standart-5").returncode == 2, "a misspelt case passed")
    expect(run(saccade, "bench", "solver", "--seeds", "none").returncode == 2, "--seeds none passed")
    expect("solver" in run(saccade, "bench").stderr, "`saccade bench` does not list the benches")
    alone = run(shutil.copy(saccade, folder / "saccade"), "bench", "solver")
    expect(alone.returncode == 69 and "saccade-bench" in alone.stderr, "alone it does not say what is missing")
