"""The shipped alert rules and the Grafana dashboard, held against promtool and against what is exported.

Usage: monitoring_check.py PROJECT. Exit 77 where promtool is not installed (Debian: prometheus).

The rules have tests of their own, which promtool runs. A dashboard has no checker, so its queries are
made rules for the length of this check; Grafana's variables are put in. Every metric that either names
must be one that the service exports (service/api/metrics.cpp), or a planner of a fleet (service/fleet/fleet_picture.cpp).
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

project = pathlib.Path(sys.argv[1])
monitoring = project / "examples" / "monitoring"
if shutil.which("promtool") is None:
    print("promtool is not installed; nothing was checked")
    sys.exit(77)


def promtool(*arguments):
    done = subprocess.run(["promtool", *map(str, arguments)], cwd=monitoring, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"promtool {' '.join(map(str, arguments))}:\n{done.stdout}{done.stderr}")


promtool("check", "config", "prometheus.yml")
promtool("test", "rules", "saccade-alerts-test.yml")
promtool("check", "rules", "saccade-fleet-alerts.yml")
promtool("test", "rules", "saccade-fleet-alerts-test.yml")

dashboard = json.loads((monitoring / "grafana-dashboard.json").read_text())
queries = [t["expr"] for panel in dashboard["panels"] for t in panel.get("targets", [])]
assert len(queries) > 10, "the dashboard asks for next to nothing"
with tempfile.TemporaryDirectory() as folder:
    rules = {"groups": [{"name": "dashboard", "rules": [
        {"record": f"panel:{number}", "expr": query.replace("$__rate_interval", "1m").replace("$instance", "box").replace("$task", ".*")}
        for number, query in enumerate(queries)]}]}
    path = pathlib.Path(folder) / "dashboard.yml"
    path.write_text(json.dumps(rules))  # JSON is YAML
    promtool("check", "rules", path)

source = (project / "service/api/metrics.cpp").read_text()
exported = {"saccade_" + name for name in re.findall(r'(?:counter|gauge|histogram)\("([a-z_]+)"', source)}
assert len(exported) > 10, "metrics.cpp is not written as this check expects"
source = (project / "service/fleet/fleet_picture.cpp").read_text()
of_fleet = {"saccade_fleet_" + name for name in re.findall(r'(?:family|gauge|histogram|put_states)\((?:text, )?"([a-z_]+)"', source)}
assert len(of_fleet) > 10, "fleet_picture.cpp is not written as this check expects"
exported |= of_fleet
variables = [v["query"] for v in dashboard["templating"]["list"]]
used = set(re.findall(r"\bsaccade_[a-z_]+", (monitoring / "saccade-alerts.yml").read_text() + (monitoring / "saccade-fleet-alerts.yml").read_text() + " ".join(queries + variables)))
used = {re.sub(r"_(bucket|count|sum)$", "", name) for name in used}
unknown = sorted(used - exported)
if unknown:
    sys.exit("asked for but not exported: " + ", ".join(unknown))
print(f"{len(queries)} queries of the dashboard and the alert rules are good; {len(used)} metrics, all exported")
