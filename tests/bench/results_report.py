#!/usr/bin/python3
"""results_report.py SACCADE: `saccade bench results` in short (20 s for each outage) gives a whole report. No speed is
judged; that every result is accounted for and every sink got some is."""
import csv, json, os, pathlib, subprocess, sys, tempfile

from publishing import docs_arguments

saccade = sys.argv[1]
SECONDS, PAIRS = 5, 2  # with and without the sink: 20 s for each outage


def run(*args):
    return subprocess.run([saccade, "bench", "results", *args], capture_output=True, text=True)


def expect(holds, what):
    if not holds:
        sys.exit("results_report.py: " + what)


if not (os.path.exists("/usr/sbin/mosquitto") and os.path.exists("/usr/bin/mosquitto_sub")):
    print("no mosquitto or no mosquitto_sub (scripts/setup --test)")
    sys.exit(77)
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    docs = folder / "figures.md"
    docs.write_text("before\n<!-- saccade bench results: begin -->\nold\n<!-- saccade bench results: end -->\nafter\n")
    published = docs_arguments(saccade, docs)
    done = run("--seconds", str(SECONDS), "--pairs", str(PAIRS), "--json", "--out", str(folder / "out"), *published)
    if done.returncode == 69:
        print(done.stderr)
        sys.exit(77)  # no engine library
    expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
    report = json.loads(done.stdout)
    for key in ("commit", "compiler", "flags", "machine", "cores", "date", "command", "first_seed"):
        expect(key in report["provenance"], f"no {key}")

    sinks = {(each["sink"], each["per_second"]): each for each in report["hand_over"]}
    expect(list(sinks) == [(sink, rate) for rate in (200, 3)
                           for sink in ("none, after a sleep", "none", "file", "mqtt", "webhook", "socket")],
           f"sinks: {list(sinks)}")
    for (sink, rate), figures in sinks.items():
        expect(figures["results"] == SECONDS * rate and figures["unaccounted"] == 0, f"{sink}: {figures}")
        expect(0 < figures["p50_us"] <= figures["p99_us"] <= figures["max_us"], f"{sink}: {figures}")
        expect(sink.startswith("none") or figures["sent"] > 0, f"{sink} got nothing")
    rules = report["rules"]
    expect([each["per_second"] for each in rules["hand_over"]] == [200, 3], f"rules: {rules}")
    for figures in rules["hand_over"]:
        expect(figures["results"] == SECONDS * figures["per_second"], f"rules: {figures}")
        expect(0 < figures["p50_us"] <= figures["p99_us"] <= figures["max_us"], f"rules: {figures}")
    expect([(each["width"], each["height"]) for each in rules["motion_samples"]] == [(640, 360), (1920, 1080)], f"motion: {rules}")
    expect(all(0 < each["median_ms"] <= each["p99_ms"] <= each["max_ms"] for each in rules["motion_samples"]), f"motion: {rules}")
    subscriber = {each["outage"]: each for each in report["subscriber"]}
    expect(list(subscriber) == ["none", "killed", "stopped"], f"subscriber: {subscriber}")
    stays, killed = subscriber["none"], subscriber["killed"]
    expect(stays["results"] > 0 and 0 < stays["age_p99_ms"] <= stays["arrival_p99_ms"], f"subscriber: {stays}")
    expect(killed["connected_again"] and killed["presence_states"] > 0 and killed["states_seconds"] >= 0, f"subscriber: {killed}")
    outages = {each["outage"]: each for each in report["outages"]}
    expect(list(outages) == ["killed", "stopped", "absent", "refusing", "hangs", "fails", "drips", "full"], f"outages: {list(outages)}")
    for outage, figures in outages.items():
        expect(len(figures["pairs"]) == PAIRS and figures["scrapes"] > 0, f"{outage}: {figures}")
        expect(figures["scrapes_off"] == 0, f"{outage}: results do not add up")
        for pair in figures["pairs"]:
            for stretch in pair.values():
                expect(stretch["processed"] > 0 and stretch["age_p99_ms"] > 0, f"{outage}: {stretch}")
                expect(0 < stretch["memory_bytes"] <= stretch["memory_peak_bytes"], f"{outage}: {stretch}")
    expect(all(check["measured"] is not None for check in report["checks"]), "a check has no figure")

    expect(json.loads((folder / "out/results.json").read_text()) == report, "results.json is not what was printed")
    lines = (folder / "out/results.csv").read_text().splitlines()
    table = list(csv.reader(line for line in lines if not line.startswith("#")))
    expect(len(table) == 1 + 2 * PAIRS * len(outages) and len({len(row) for row in table}) == 1, "results.csv is no table")
    expect(not published or "old\n" not in docs.read_text() and "| killed |" in docs.read_text(), "the markers were not filled")

    expect(run("--scenarios", str(folder)).returncode == 78, "a folder without the scenario passed")
    expect(run("outage").returncode == 2, "a misspelt experiment passed")

    # The library of the configuration, next to it: one that is not there, and for the service, whose configuration
    # is a copy elsewhere, the very one.
    scenario = json.loads(pathlib.Path("bench/scenarios/results.json").read_text())
    for task in scenario["tasks"]:
        task["profiles"] = str(pathlib.Path("bench/scenarios", task["profiles"]).resolve())
    scenario["engine"] = {"backend": "onnxruntime", "library": "nowhere"}
    (folder / "results.json").write_text(json.dumps(scenario))
    lost = run("rules", "--seconds", "1", "--scenarios", str(folder))
    expect(lost.returncode == 69 and str(folder / "nowhere") in lost.stderr, f"a library that is not there served: {lost.stderr}")
    library = pathlib.Path(".deps/onnxruntime/lib").resolve()
    if library.exists():
        (folder / "nowhere").symlink_to(library)
        found = run("outages", "--outage", "full", "--seconds", "1", "--pairs", "1", "--scenarios", str(folder))
        expect(found.returncode == 0, f"the library next to the configuration was not found: {found.stderr}")
    expect(run("--seconds", "0").returncode == 2, "no time passed")
    expect(run("outages", "--outage", "gone").returncode == 2, "a misspelt outage passed")
