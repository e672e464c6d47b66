#!/usr/bin/python3
"""detectors_report.py SACCADE: `saccade bench detectors --quick` gives a whole report. No figure is judged."""
import json, pathlib, subprocess, sys, tempfile

from publishing import docs_arguments

saccade = sys.argv[1]


def run(*args):
    return subprocess.run([saccade, "bench", "detectors", *args], capture_output=True, text=True)


def expect(holds, what):
    if not holds:
        sys.exit("detectors_report.py: " + what)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    docs = folder / "figures.md"
    docs.write_text("before\n<!-- saccade bench detectors: begin -->\nold\n<!-- saccade bench detectors: end -->\nafter\n")
    published = docs_arguments(saccade, docs)
    done = run("--quick", "--json", "--backend", "onnxruntime", "--out", str(folder / "out"), *published)
    if done.returncode == 69:
        print(done.stderr)
        sys.exit(77)  # no engine library
    expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
    report = json.loads(done.stdout)
    expect(report == json.loads((folder / "out/detectors.json").read_text()), "the file is another report")
    expect(len(report["variants"]) == 45, f"{len(report['variants'])} variants")
    for variant in report["variants"]:
        parts = sum(variant[part + "_seconds"] for part in ("prepare", "infer", "decode"))
        expect(abs(parts / variant["frame_time_seconds"] - 1) < 1e-3, f"the parts of {variant['id']} are not its time")
        low, high = variant["interval"]
        expect(0 <= low <= variant["map"] <= high <= 1 and variant["map"] <= variant["map50"], variant["id"])
        expect((variant["by_teacher"] is None) == (variant["id"] == report["teacher"]), "teacher")
    expect(all(time > 0 for time in report["decoder_milliseconds"].values()), "decoders")
    expect(all(time > 0 for time in report["evaluation_seconds"].values()), "evaluator")
    for variant in report["variants"]:
        live = variant["live"]
        low, high = live["expected"]
        expect(0 <= low <= high <= 1 and 0 <= live["accuracy"] <= 1, variant["id"])
        expect(0 <= live["live_map"] <= live["live_map50"] <= 1, variant["id"])
        expect(live["as_expected"] == (low <= live["accuracy"] <= high), variant["id"])
    expect([served["cameras"] for served in report["served"]] == [1, 4], "cameras")
    for served in report["served"]:
        expect(served["fps"] > 0, "no camera was served")
        for plan in ("whole_frame_times", "inference_alone"):
            expect(0 < served[plan]["achieved_of_granted"] <= 1, plan)
            expect(0 < served[plan]["delivered_accuracy"] <= 1, plan)
    expect([check["asked"] for check in report["checks"]] == [0.4, 3.0, 2.0, 0.9, 95, 99.5, 99.5], "checks")
    text = docs.read_text()
    expect(not published or ("| w1.00-224-fp32 |" in text and "\nold\n" not in text), "the page was not written")
    expect(text.startswith("before\n") and text.endswith("after\n"), "the page lost what was around")
    table = run("--quick", "--backend", "onnxruntime", "profiles/zoo/mobilenet_v2-glyphs.json")
    expect(table.returncode == 78 and "no detector" in table.stderr, "a classifier was taken")
