"""Runs the programs of examples/control against a service and looks at what they have done there.

    control_examples.py SACCADE      exit 0: all as described, 1: not, 77: no curl
"""
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from running import PATIENCE, ROOT, Service, clip, configuration, with_push_task

SACCADE = str(pathlib.Path(sys.argv[1]).resolve())
CONTROL = ROOT / "examples/control"
USUAL_FPS = 20  # of the configuration
MOST_FPS = 40  # of `gate`, by energy: what time allows is measured, and differs from machine to machine
JOULES_PER_FRAME = 0.01


def limited_by_energy(config, folder):
    """The same with variants that take energy, and a limit that leaves `gate` MOST_FPS."""
    profiles = json.loads(pathlib.Path(config["tasks"][0]["profiles"]).read_text())
    profiles["provenance"]["energy_source"] = "modelled"
    for variant in profiles["variants"]:
        variant["energy_joules_per_frame"] = JOULES_PER_FRAME
    file = pathlib.Path(folder) / "profiles.json"
    file.write_text(json.dumps(profiles))
    others = sum(task["fps"] for task in config["tasks"] if task["id"] != "gate")
    return {**config, "tasks": [{**task, "profiles": str(file)} for task in config["tasks"]],
            "limits": {"energy_joules_per_second": JOULES_PER_FRAME * (MOST_FPS + others)}}


def run(*command, code=0):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == code, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def wanted_fps(service):
    return service.get("/v1/config")["tasks"][0]["fps"]


def more_frames(service):
    program = [sys.executable, "-u", CONTROL / "more_frames.py"]
    url = ["--url", service.address]
    before = service.get("/v1/status")["generation"]
    said = run(*program, "gate", 30, 0, *url)
    assert "gate: 30 frames/s with " in said and f"gate: {USUAL_FPS} frames/s with " in said, said
    assert service.get("/v1/status")["generation"] == before + 2, "one change there and one back"
    assert wanted_fps(service) == USUAL_FPS
    # More than fits: the most that does is taken, and no task loses a frame for it.
    said = run(*program, "gate", 10000, 0, *url)
    rate = float(said.split("gate: ")[1].split(" ")[0])
    assert USUAL_FPS < rate <= MOST_FPS, said
    # Ended in the middle it gives back what it took.
    with subprocess.Popen([str(word) for word in [*program, "gate", 30, 3600, *url]], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as running:
        assert "30 frames/s" in running.stdout.readline()
        assert wanted_fps(service) == 30
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=PATIENCE)
    assert wanted_fps(service) == USUAL_FPS
    # What the service refuses is told in its own words.
    assert "there is no task" in run(*program, "gone", 30, 0, *url, code=1)
    assert "does not answer" in run(*program, "gate", 30, 0, "--url", "http://127.0.0.1:1", code=1)


def night(service):
    for turn, objective in (("on", "min_memory"), ("off", "max_accuracy")):
        said = run("sh", CONTROL / "night.sh", turn, service.address.rstrip("/"))
        assert "generation" in said, said
        assert service.get("/v1/config")["objective"] == objective
    run("sh", CONTROL / "night.sh", "perhaps", service.address, code=2)


def send_frames(service):
    program = [sys.executable, CONTROL / "send_frames.py"]
    picture = ROOT / "docs/images/zoo-glyphs.png"
    url = ["--url", service.address]
    said = run(*program, "door", picture, picture, *url)
    assert said.count("zoo-glyphs.png: ") == 2 and " ms)" in said, said
    done = next(task for task in service.get("/v1/status")["tasks"] if task["id"] == "door")
    assert done["frames"]["processed"] == 2, done
    assert "push" in run(*program, "gate", picture, *url, code=1)
    assert "neither .jpg nor .png" in run(*program, "door", __file__, *url, code=1)


def main():
    if shutil.which("curl") is None:
        print("skipped: curl is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder, \
            Service(SACCADE, folder, limited_by_energy(with_push_task(configuration(clip())), folder)) as service:
        service.serving()
        more_frames(service)
        night(service)
        send_frames(service)
        assert service.end() == 0, service.printed()
    print("examples/control does what it says")
    return 0


sys.exit(main())
