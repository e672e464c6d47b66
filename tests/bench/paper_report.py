#!/usr/bin/python3
"""paper_report.py SACCADE CONFIG: the quick experiments of `saccade bench paper`, and `saccade bench policies`, leave
whole files. No figure is judged."""
import csv, json, pathlib, subprocess, sys, tempfile

from publishing import docs_arguments

saccade, config = sys.argv[1:3]


def run(*args):
    return subprocess.run([saccade, "bench", *args], capture_output=True, text=True)


def expect(holds, what):
    if not holds:
        sys.exit("paper_report.py: " + what)


def table(path):
    lines = path.read_text().splitlines()
    expect(lines[0].startswith("# commit: "), f"{path.name} does not begin with the commit")
    rows = list(csv.reader(line for line in lines if not line.startswith("#")))
    expect(len(rows) > 1 and len({len(row) for row in rows}) == 1, f"{path.name} is no table")
    return rows


with tempfile.TemporaryDirectory() as name:
    out = pathlib.Path(name)
    done = run("paper", "table1", "fig4", "--out", str(out), "--threads", "2")
    expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
    for experiment in ("fig4", "table1"):
        report = json.loads((out / f"paper-{experiment}.json").read_text())
        expect(report["experiment"] == experiment and report["tables"] and not report["breaches"], "no report")
        for key in ("commit", "compiler", "machine", "date", "command", "first_seed"):
            expect(report["provenance"].get(key) not in (None, ""), f"no {key} in the provenance")
    expect(len(table(out / "paper-table1-table.csv")) == 11, "table I has not two precisions of five networks")
    expect("modelled" in table(out / "paper-fig4-energy-table.csv")[1], "modelled energy is not labelled")
    expect("modelled" in (out / "paper-fig4-energy-energy.gp").read_text(), "the chart does not say modelled")
    for path in (out / "profiles").iterdir():
        expect(json.loads(path.read_text())["provenance"]["energy_source"] == "modelled", f"{path.name}: not labelled")
    expect(len(list((out / "profiles").iterdir())) == 5, "the modelled profile sets are not all there")

    page = out / "page.md"
    page.write_text("<!-- policies: begin -->\n<!-- policies: end -->\n")
    done = run("policies", config, "--duration", "11", "--out", str(out), "--json", *docs_arguments(saccade, page))
    expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
    expect(json.loads(done.stdout) == json.loads((out / "policies.json").read_text()), "policies.json differs")
    expect("times the time budget at full demand" in page.read_text() or not docs_arguments(saccade, page), "the page does not say how full it is")
    policies = [row[1] for row in table(out / "policies-table.csv")[1:]]
    expect(policies == ["transprecision", "fair_fps", "fair_time", "greedy"], f"policies are {policies}")

    expect(run("paper", "fig22").returncode == 2, "a misspelt experiment passed")
    expect(run("paper", "table1", "--docs", str(out / "x.md")).returncode == 2, "a report of a part passed")
    expect(run("paper", "--readme", str(out / "x.md")).returncode == 2, "a headline without a report passed")
    expect(run("policies", str(out / "none.json")).returncode == 78, "a missing configuration passed")
