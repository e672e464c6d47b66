#!/usr/bin/python3
"""service_report.py SACCADE: `saccade bench service --quick` gives a whole report. No speed is judged; that nothing hostile
was accepted, nothing crashed and every generation is accounted for is."""
import csv, json, pathlib, subprocess, sys, tempfile

from publishing import docs_arguments

saccade = sys.argv[1]


def run(*args):
    return subprocess.run([saccade, "bench", "service", *args], capture_output=True, text=True)


def expect(holds, what):
    if not holds:
        sys.exit("service_report.py: " + what)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    docs = folder / "figures.md"
    docs.write_text("before\n<!-- saccade bench service: begin -->\nold\n<!-- saccade bench service: end -->\nafter\n")
    published = docs_arguments(saccade, docs)
    done = run("--quick", "--json", "--out", str(folder / "out"), *published)
    if done.returncode == 69:
        print(done.stderr)
        sys.exit(77)  # no engine library
    expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
    report = json.loads(done.stdout)
    for key in ("commit", "compiler", "flags", "machine", "cores", "date", "command", "first_seed"):
        expect(key in report["provenance"], f"no {key}")

    attack = report["attack"]
    requests = attack["requests"]
    expect(attack["crashes"] == 0 and not attack["configuration_changed"], "the attack came through")
    expect(requests["accepted"] == requests["malformed"] == requests["hung"] == 0, f"not all refused: {requests}")
    expect(requests["sent"] >= 1900 and len(attack["kinds"]) == 16, "hostile requests are missing")
    expect(requests["sent"] == sum(kind["sent"] for kind in attack["kinds"].values()), "kinds do not add up")
    expect(attack["good_asked"] > 0, "nobody asked properly")
    patches = report["patches"]
    expect(patches["sent"] == patches["accepted"] > 0 and patches["in_order"], f"generations are missing: {patches}")
    expect(patches["plan_generation"] >= patches["last_generation"], "the last change has no plan")
    expect(patches["scrapes"] > 0 and patches["scrapes_off"] == 0, "a scrape does not add up")
    expect(report["status"]["requests"] == 600 and report["status"]["failed"] == 0, f"status: {report['status']}")
    infer = report["infer"]
    expect(infer["tasks"] == 64 and infer["requests"] == 1920 and infer["failed"] == infer["others_failed"] == 0, f"infer: {infer}")
    expect(infer["answer_less_latency"]["p50_seconds"] <= infer["answer"]["p50_seconds"], f"infer: {infer}")
    expect(all(check["measured"] is not None for check in report["checks"]), "a check has no figure")
    expect(not any("stall" in check["what"] for check in report["checks"]), "a check leaves something out")
    for part in ("attack", "patches", "status", "infer"):
        expect(set(report[part]["outside"]) == {"frames", "held_seconds", "steal_seconds"}, f"{part}: no outside")

    expect(json.loads((folder / "out/service.json").read_text()) == report, "service.json is not what was printed")
    lines = (folder / "out/service.csv").read_text().splitlines()
    table = list(csv.reader(line for line in lines if not line.startswith("#")))
    expect(len(table) == 17 and len({len(row) for row in table}) == 1, "service.csv is no table")
    expect(not published or "old\n" not in docs.read_text() and "| bad patch |" in docs.read_text(), "the markers were not filled")

    expect(run("--scenarios", str(folder)).returncode == 78, "a folder without the scenario passed")
    expect(run("atack").returncode == 2, "a misspelt experiment passed")
    for file in ("service.json", "infer.json"):
        scenario = json.loads(pathlib.Path("bench/scenarios", file).read_text())
        for task in scenario["tasks"]:
            task["profiles"] = str(pathlib.Path("bench/scenarios", task["profiles"]).resolve())
        if file == "service.json":
            scenario["engine"] = {"backend": "onnxruntime", "library": "nowhere"}
        (folder / file).write_text(json.dumps(scenario))
    lost = run("status", "--quick", "--scenarios", str(folder))
    expect(lost.returncode == 69 and str(folder / "nowhere") in lost.stderr, f"a library that is not there served: {lost.stderr}")
