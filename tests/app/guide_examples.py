"""Runs the guide docs/own-network.md: every `saccade` line in its order, in a folder with the networks, labels and
pictures that it names. A line that is added to the guide is run, too.

    guide_examples.py SACCADE      exit 0: they all work, 1: one does not (its line is named)

What counts as working: exit code 0, or the one that the comment behind the command names. The configuration is the
guide's own. A `saccade` that cannot measure on data of the user (`profile --data`) is told, and the set is completed by
hand, as the guide says for declared accuracies.
"""
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

from detector_files import write_data, write_models

SACCADE = str(pathlib.Path(sys.argv[1]).resolve())
ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs/own-network.md"
PATIENCE = 120


def png(file, shade, seed, side=80):
    """A gray picture with some texture."""
    rows = bytearray()
    for y in range(side):
        rows.append(0)
        for x in range(side):
            value = max(0, min(255, shade + (x * 7 + y * 13 + seed * 29) % 41 - 20))
            rows += bytes([value] * 3)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    file.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)) +
                     chunk(b"IDAT", zlib.compress(bytes(rows))) + chunk(b"IEND", b""))


def prepare(folder):
    for size in (32, 64):
        shutil.copy(ROOT / f"tests/vision/model/models/daylight-{size}.onnx", folder)
    (folder / "labels.txt").write_text("dark\nbright\n")
    (folder / "preprocessor_config.json").write_text(json.dumps(
        {"do_rescale": True, "rescale_factor": 1 / 255, "do_normalize": False, "resample": 2}))
    for name, shade in (("dark", 50), ("bright", 200)):
        (folder / "pictures" / name).mkdir(parents=True)
        for number in range(20):
            png(folder / "pictures" / name / f"{number:02}.png", shade + number, number)
    write_models(folder, {"yolo-n-128": ("w0.50-fp32", 128), "yolo-s-192": ("w0.75-int8", 192)})
    scenes = folder / "scenes"
    scenes.mkdir()
    write_data(scenes, 12, lambda *args: subprocess.run([SACCADE, *map(str, args)], check=True, capture_output=True))
    (scenes / "yolo").rename(folder / "dataset")


def configuration(text):
    """The first block that is an object with a version."""
    for block in re.findall(r"(?:^    .*\n)+", text, re.M):
        content = "".join(line[4:] + "\n" for line in block.splitlines())
        if content.startswith("{"):
            assert json.loads(content)["version"] == 1
            return content
    raise AssertionError("the guide has no configuration")


def complete_by_hand(file):
    """What `saccade profile --data` would measure."""
    profile = json.loads(file.read_text())
    profile["provenance"]["accuracy_source"] = "declared"
    for variant, accuracy, seconds in zip(profile["variants"], (0.9, 1.0), (0.0005, 0.001)):
        variant["accuracy"] = accuracy
        variant["frame_time_seconds"] = {"cpu": seconds}
        variant["memory_bytes"] = 2e6
        variant["load_time_seconds"] = 0.01
        variant["load_peak_bytes"] = 3e6
    file.write_text(json.dumps(profile, indent=1))


def main():
    text = GUIDE.read_text()
    commands = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)
                if re.match(r"    saccade [a-z]+ ", line)]
    assert len(commands) >= 8, "the guide's commands were not found"
    measures = "--data" in subprocess.run([SACCADE, "profile", "--help"], capture_output=True, text=True).stdout
    wrong = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        prepare(folder)
        (folder / "cameras.json").write_text(configuration(text))
        for number, command in commands:
            if command.startswith("saccade profile") and not measures:
                print(f"MISSING own-network.md:{number}: {command}: this program has no `profile --data`")
                complete_by_hand(folder / "daylight.json")
                continue
            plain, _, comment = command.partition("#")
            expected = int(re.search(r"exit code (\d+)", comment)[1]) if comment else 0
            done = subprocess.run(["bash", "-c", plain.replace("saccade", f"'{SACCADE}'", 1)], cwd=folder, text=True,
                                  capture_output=True, timeout=PATIENCE)
            good = done.returncode == expected
            print(f"{'ok  ' if good else 'FAIL'} own-network.md:{number}: {command}")
            if not good:
                wrong += 1
                print(f"exit code {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        served = subprocess.run([SACCADE, "run", "cameras.json", "--duration", "2s", "--json"], cwd=folder, text=True,
                                capture_output=True, timeout=PATIENCE)
        processed = [task["processed"] for task in json.loads(served.stdout)["tasks"]] if served.returncode == 0 else []
        print("processed:", processed)
        if not processed or min(processed) == 0:
            print(served.stdout[-3000:] + served.stderr[-3000:])
            wrong += 1
    return 1 if wrong else 0


sys.exit(main())
