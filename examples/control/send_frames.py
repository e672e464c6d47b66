#!/usr/bin/env python3
"""Sends pictures to a task whose source is `push`, and prints what its network makes of them.

    send_frames.py TASK PICTURE... [--fps RATE] [--url http://127.0.0.1:8080] [--token-file FILE]

JPEG or PNG, one after the other, at most RATE a second. When the service is busy (429), or the frame came
above the granted rate (503 with Retry-After), it waits as long as it is told and sends the same one again;
any other refusal is told and ends the program. Nothing is needed but Python's own library.
"""

import argparse
import json
import mimetypes
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

ATTEMPTS = 10


def send(url, token, picture):
    """The answer to one picture."""
    kind = mimetypes.guess_type(picture)[0]
    if kind not in ("image/jpeg", "image/png"):
        sys.exit(f"{picture}: neither .jpg nor .png")
    with open(picture, "rb") as file:
        request = urllib.request.Request(url, data=file.read(), headers={"Content-Type": kind})
    if token:
        request.add_header("Authorization", "Bearer " + token)
    for _ in range(ATTEMPTS):
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refused:
            wait = refused.headers.get("Retry-After")
            problem = json.load(refused)
            if wait is None:
                told = [": ".join([e["pointer"], e["detail"]]) + (f" ({e['hint']})" if e.get("hint") else "")
                        for e in problem.get("errors", [])]
                sys.exit(f"{picture}: " + "; ".join([problem["detail"], *told]))
            print(f"{picture}: {problem['detail']}; again in {wait} s", file=sys.stderr)
            time.sleep(float(wait))
        except OSError as gone:  # not there, gone in the middle, or too slow
            sys.exit(f"{url} does not answer: {getattr(gone, 'reason', gone)}")
    sys.exit(f"{picture}: refused {ATTEMPTS} times")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task")
    parser.add_argument("picture", nargs="+")
    parser.add_argument("--fps", type=float, default=10.0)
    parser.add_argument("--url", default="http://127.0.0.1:8080")
    parser.add_argument("--token-file")
    options = parser.parse_args()
    if options.fps <= 0:
        parser.error("--fps is above 0")
    token = open(options.token_file).read().strip() if options.token_file else None
    url = options.url.rstrip("/") + "/v2/models/" + urllib.parse.quote(options.task, safe="") + "/infer"
    due = time.monotonic()
    for picture in options.picture:
        time.sleep(max(0.0, due - time.monotonic()))
        due = max(due, time.monotonic()) + 1.0 / options.fps
        answer = send(url, token, picture)
        labels = next(output["data"] for output in answer["outputs"] if output["name"] == "label")
        took = answer["parameters"]["latency_seconds"] * 1e3
        print(f"{picture}: {', '.join(labels)} ({answer['model_version']}, {took:.1f} ms)")


if __name__ == "__main__":
    main()
