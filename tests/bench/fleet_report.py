#!/usr/bin/python3
"""fleet_report.py SACCADE: `saccade bench fleet small` gives a whole report. No speed is judged; that bounds hold is."""
import json, pathlib, subprocess, sys, tempfile

from publishing import docs_arguments

saccade = sys.argv[1]


def expect(holds, what):
    if not holds:
        sys.exit("fleet_report.py: " + what)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    docs = folder / "figures.md"
    docs.write_text("before\n<!-- saccade bench fleet: begin -->\nold\n<!-- saccade bench fleet: end -->\nafter\n")
    published = docs_arguments(saccade, docs)
    done = subprocess.run([saccade, "bench", "fleet", "small", "--solvers", "1", "--json", "--out", str(folder / "out"),
                           *published], capture_output=True, text=True)
    expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
    report = json.loads(done.stdout)
    for key in ("commit", "compiler", "flags", "machine", "cores", "date", "command", "first_seed"):
        expect(key in report["provenance"], f"no {key}")
    (figures,) = report["instances"]
    expect(figures["cameras"] == 200 and figures["boxes"] == 10, str(figures))
    expect(0 < figures["value"] <= figures["improved"] + 1e-9 <= figures["bound"] + 2e-9, f"values: {figures}")
    expect(figures["wrong"] == [] and figures["losses_played"] == 10, str(figures))
    expect(figures["certified"] <= figures["boxes_serving"], str(figures))
    ways = {each["way"]: each for each in figures["naive"]}
    expect(list(ways) == ["even count", "hash", "least loaded"], f"ways: {list(ways)}")
    for way, its in ways.items():
        expect(its["off"] > 0 or its["lowered"] > 0 or its["value"] <= figures["bound"] + 1e-9, f"{way}: {its}")
    expect([each["fleet"] for each in report["solvers"]] == ["60 x 4", "120 x 8", "300 x 10"], "fleets for solvers")
    for whole in report["solvers"]:
        own, *others = whole["answers"]
        expect(own["solver"] == "this" and own["found"] and len(others) >= 3, f"solvers: {whole}")
        for each in whole["answers"]:
            served = each["found"] and each["off"] == 0
            expect(not served or each["value"] <= whole["bound"] + 1e-6, f"{each} above the bound: {whole}")
    expect(json.loads((folder / "out/fleet.json").read_text()) == report, "fleet.json is another report")
    if published:
        expect("\nold\n" not in docs.read_text(), "the documentation was not written")
    refused = subprocess.run([saccade, "bench", "fleet", "smal"], capture_output=True, text=True)
    expect(refused.returncode == 2 and "no instance" in refused.stderr, refused.stderr)
