#!/usr/bin/python3
"""Prints a line for every result. Needs Debian's python3-paho-mqtt.

    results.py BROKER [PORT [PREFIX]]     PREFIX: saccade/NODE, or saccade/+ for all machines
"""
import json
import sys

import paho.mqtt.subscribe


def show(_client, _userdata, message):
    result = json.loads(message.payload)
    seen = ", ".join(f"{each['label']} {each['score']:.2f}" for each in result.get("objects", result.get("regions"))) or "nothing"
    print(f"{result['captured_at']} {result['task']} {result['frame']}: {seen}", flush=True)


if len(sys.argv) < 2:
    sys.exit(__doc__)
broker, port, prefix = sys.argv[1:] + ["1883", "saccade/+"][len(sys.argv) - 2:]
paho.mqtt.subscribe.callback(show, f"{prefix}/task/+/result", qos=1, hostname=broker, port=int(port))
