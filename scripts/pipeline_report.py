#!/usr/bin/env python3
"""What became of a run of examples/pipeline.json: per camera the rate that the plan expected beside the one that
was measured, from one change of the timeline to the next; what was emulated, and which cuts moved.

    pipeline_report.py SUMMARY.json EVENTS.jsonl     of `saccade run --json --events EVENTS.jsonl`
"""
import json
import sys


def row(*cells):
    print("  " + "".join(str(cell).ljust(width) for cell, width in zip(cells, (16, 10, 14, 14, 12))).rstrip())


def rates(segment):
    seconds = segment["to_seconds"] - segment["from_seconds"]
    print(f"{segment['from_seconds']:g} s to {segment['to_seconds']:g} s")
    row("camera", "demanded", "planned fps", "measured fps", "not served")
    for task in segment["tasks"]:
        planned, served = task["granted"], task["processed"]
        row(task["id"], task["demanded"], f"{planned / seconds:.2f}", f"{served / seconds:.2f}", planned - served)


def main():
    summary = json.load(open(sys.argv[1]))
    events = [json.loads(line) for line in open(sys.argv[2])]
    for segment in summary["segments"]:
        rates(segment)
    print()
    for event in events:
        detail = event.get("detail", "")
        if event["event"] == "fault" or event["event"] == "plan" and "guard" in detail:
            print(f"{event['at_ns'] / 1e9:6.2f} s  {detail}")
    switches = summary["switches"]
    for switch in switches:
        print(f"{switch['at_seconds']:6.2f} s  {switch['task']}: {switch['from']} -> {switch['to']}"
              f" ({switch['frames_lost']} frames lost to it)")
    print(f"{len(switches)} switches")
    for name, processor in summary["processor"].items():
        emulated = processor.get("emulated_slowdown")
        print(f"processor {name}{f', emulated {emulated:g} times slower,' if emulated else ''}"
              f" busy {100 * processor['busy_share']:.1f} %, measured {processor['correction']:.2f} times the profile,"
              f" guard {1000 * processor['guard_seconds']:.0f} ms")


main()
