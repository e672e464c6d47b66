#!/usr/bin/python3
"""placement_report.py SACCADE: `saccade bench placement --quick` gives a whole report. No figure of time is judged."""
import json, os, pathlib, subprocess, sys, tempfile

from publishing import docs_arguments

saccade = sys.argv[1]


def expect(holds, what):
    if not holds:
        sys.exit("placement_report.py: " + what)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    docs = folder / "figures.md"
    docs.write_text("before\n<!-- saccade bench placement: begin -->\nold\n<!-- saccade bench placement: end -->\nafter\n")
    published = docs_arguments(saccade, docs)
    command = [saccade, "bench", "placement", "--quick", "--measured", "--json", "--out", str(folder / "out"), *published]
    done = subprocess.run(command, capture_output=True, text=True)
    expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
    report = json.loads(done.stdout)
    expect(report == json.loads((folder / "out/placement.json").read_text()), "the file is another report")
    tables = {each["name"]: each for each in report["tables"]}
    for each in tables.values():
        expect(each["rows"] and all(len(row) == len(each["titles"]) for row in each["rows"]), each["name"])
    networks = tables["strategies on the shipped networks"]["rows"]
    expect(len(networks) >= 26, "networks of the zoo are missing")
    # No strategy is better than the bound, and one processor alone is no better than the best.
    expect(all(float(cell) >= 0 for row in networks for cell in row[3:8] if cell != "-"), "better than the bound")
    expect(all(float(row[2]) >= float(row[8]) for row in networks), "one processor alone is better than the best")
    rows = {row[0]: row for row in tables["paper 002, 17 groups"]["rows"]}
    expect(all(float(cell) == 100 for cell in rows["exact (E3)"][1::2]), "exact missed a target")
    batches = tables["paper 002, batches"]["rows"]
    expect({row[1] for row in batches} == {"1", "2", "4"}, "a batch is missing")
    expect(all(row[8].startswith("0 of ") for row in batches if row[0] == "17"), "coarse groups are dearer than the GPU")
    expect(all(row[9] == "4.00" and row[10] == "0" for row in batches), "exact is dearer, or misses a target")
    governors = tables["paper 001, governors"]["rows"]
    expect([row[0] for row in governors[::5]] == [f"governor-{n}" for n in range(1, 5)], "a governor setting is missing")
    expect(all(float(row[4]) <= 1 for row in governors), "a slower clock is faster")
    # Five rows belong together: one stream, batch, the GPU's streams, balanced by profile, the heuristic.
    methods = tables["paper 003, five methods"]["rows"]
    for one, batch, gpu, balanced, heuristic in zip(*(iter(methods),) * 5):
        rates = [float(row[4]) for row in (one, batch, gpu, balanced, heuristic)]
        expect(rates[0] == 1 and rates[4] == max(rates) and rates[3] >= rates[2], f"five methods: {rates}")
    # Cut networks answer as whole ones; the table is missing where ONNX Runtime is, and that is said.
    cuts = tables.get("cuts", {"rows": []})["rows"]
    expect(cuts or "cut networks were not run" in done.stderr, "cut networks are missing")
    expect(all(float(row[4]) <= 10 and row[5] == ("" if row[0] == "yard-detector" else "0") and int(row[2]) > 3 for row in cuts), f"cut networks differ: {cuts}")
    # Pipelines are served, and every frame of theirs; how fast is not judged.
    served = tables.get("expected and measured", {"rows": []})["rows"]
    able = cuts and len(os.sched_getaffinity(0)) > 1
    expect(served or not able and "pipelines were not served" in done.stderr, f"no pipelines: {done.stderr}")
    if served:
        expect(sum(row[1].startswith("all on ") for row in served) == 2, f"served: {served}")
        expect(len(served) == 8 and all(float(row[2]) > 0 and float(row[3]) > 0 and row[7] == "0" for row in served), f"served: {served}")
        expect(len({row[1] for row in served}) == 8, f"a schedule twice: {served}")
        emulated = tables["emulated pipelines"]["rows"]
        expect(emulated and all(float(row[3]) > 0 and float(row[6]) > 0 for row in emulated), f"emulated: {emulated}")
        expect(len(tables["asked of the measured"]["rows"]) == 6, "what is asked is missing")
    text = docs.read_text()
    expect(not published or "\nold\n" not in text, "the page was not written")
    expect(text.startswith("before\n") and text.endswith("after\n"), "the page lost what was around")
