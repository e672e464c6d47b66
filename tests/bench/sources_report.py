#!/usr/bin/python3
"""sources_report.py SACCADE: `saccade bench sources --quick` gives a whole report. No figure is judged."""
import json, pathlib, subprocess, sys, tempfile

from publishing import docs_arguments

saccade = sys.argv[1]


def expect(holds, what):
    if not holds:
        sys.exit("sources_report.py: " + what)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    docs = folder / "figures.md"
    docs.write_text("before\n<!-- saccade bench sources: begin -->\nold\n<!-- saccade bench sources: end -->\nafter\n")
    published = docs_arguments(saccade, docs)
    command = [saccade, "bench", "sources", "--quick", "--json", "--out", str(folder / "out"), *published]
    done = subprocess.run(command, capture_output=True, text=True)
    expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
    report = json.loads(done.stdout)
    expect(report == json.loads((folder / "out/sources.json").read_text()), "the file is another report")
    expect([(each["rate"], each["transport"], each["cpus"]) for each in report["first_picture"]] ==
           [(rate, way, cpus) for rate in (15, 5, 1) for way in ("tcp", "udp") for cpus in (2, 16)], "first pictures")
    expect(all(time > 0 for each in report["first_picture"] for time in each["seconds"]), "a time that is none")
    expect([each["decode"] for each in report["decoding"]] == ["all", "needed", "key"], "decoding")
    expect(all(each["cpu_share"] > 0 for each in report["decoding"]), "decoding for nothing")
    expect(0 < report["age_seconds"]["median"] <= report["age_seconds"]["oldest"], "ages")
    expect(len(report["away"]) == 6 and all(each["seen_seconds"] for each in report["away"]), "a camera's end was not seen")
    expect(all(each["back_seconds"] for each in report["away"]), "a camera did not come back")
    others = report["others"]
    expect(others["demanded"] > 0 and len(others["back"]) == 5, "the service with a camera that is lost")
    expect(all(each["seconds"] for each in others["back"]), "a camera did not come back to the service")
    expect((report["reconnections"]["opened"], report["reconnections"]["refused"]) == (10, 10), "reconnections")
    many = report["many_cameras"]
    expect((many["cameras"], many["dead"], len(many["first_frame_seconds"])) == (16, 4, 12), "a living camera was not served")
    text = docs.read_text()
    expect(not published or ("| 15 pictures/s |" in text and "\nold\n" not in text),
           "the page was not written")
    expect(text.startswith("before\n") and text.endswith("after\n"), "the page lost what was around")
