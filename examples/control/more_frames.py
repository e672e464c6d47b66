#!/usr/bin/env python3
"""More frames of one camera while something happens there; afterwards what it had before.

    more_frames.py TASK FPS SECONDS [--url http://127.0.0.1:8080] [--token-file FILE]

An edge controller in few lines, with nothing but Python's own library: it asks what would happen before it
changes anything, takes the highest rate that costs no other camera a frame, waits until that rate is in
force, and gives it back at the end, whatever happens in between.
"""

import argparse
import json
import math
import signal
import sys
import time
import urllib.error
import urllib.parse
import urllib.request


class Service:
    def __init__(self, url, token):
        self.url, self.token = url.rstrip("/"), token

    def ask(self, method, path, body=None):
        """The answer's JSON; ends the program with the service's own words when it refuses."""
        request = urllib.request.Request(self.url + path, method=method)
        if self.token:
            request.add_header("Authorization", "Bearer " + self.token)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refused:
            problem = json.load(refused)
            if refused.code == 409:  # a dry run that no plan fits
                return problem
            told = [f"{e['pointer']}: {e['detail']}" for e in problem.get("errors", [])] or [problem.get("detail", problem["title"])]
            sys.exit(f"{method} {path}: " + "; ".join(told))
        except urllib.error.URLError as gone:
            sys.exit(f"{self.url} does not answer: {gone.reason}")


def fits(service, task, fps):
    """True when every camera gets what it demands with this one at `fps`."""
    plan = service.ask("POST", "/v1/plan/dry-run", {"tasks": {task: {"fps": fps}}})
    return plan.get("status") in ("optimal", "feasible")


def most_that_fits(service, task, now, wanted):
    if fits(service, task, wanted):
        return wanted
    low, high = now, wanted  # halving: `low` is what runs, `high` does not fit
    while high - low > 0.5:
        middle = (low + high) / 2
        low, high = (middle, high) if fits(service, task, middle) else (low, middle)
    return math.floor(low * 10) / 10


def set_rate(service, task, fps):
    path = "/v1/tasks/" + urllib.parse.quote(task, safe="")
    generation = service.ask("PATCH", path, {"fps": fps})["generation"]
    while True:  # a change is accepted at once and in force when its engines are loaded
        status = service.ask("GET", "/v1/status")
        if status["settled"] and status["generation"] >= generation:
            return next(t for t in status["tasks"] if t["id"] == task)
        time.sleep(0.05)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task")
    parser.add_argument("fps", type=float)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--url", default="http://127.0.0.1:8080")
    parser.add_argument("--token-file")
    options = parser.parse_args()
    token = open(options.token_file).read().strip() if options.token_file else None
    service = Service(options.url, token)

    signal.signal(signal.SIGTERM, lambda *_: sys.exit("asked to end"))  # through `finally`
    before = service.ask("GET", "/v1/tasks/" + urllib.parse.quote(options.task, safe=""))["demanded_fps"]
    rate = most_that_fits(service, options.task, before, options.fps)
    try:
        runs = set_rate(service, options.task, rate)
        print(f"{options.task}: {runs['granted_fps']:g} frames/s with {runs['variant']}, for {options.seconds:g} s")
        time.sleep(options.seconds)
    finally:
        runs = set_rate(service, options.task, before)
        print(f"{options.task}: {runs['granted_fps']:g} frames/s with {runs['variant']} again")


if __name__ == "__main__":
    main()
