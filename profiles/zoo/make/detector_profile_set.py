"""Writes the draft of the detector's profile set: its ONNX files times the sizes of their input.

    /usr/bin/python3 detector_profile_set.py --zoo profiles/zoo

`saccade profile ZOO/yard-detector.json` completes it. Names, hashes and labels are those of
detector-training.json. Without torch.
"""

import argparse
import json
from pathlib import Path

NETWORK = "yard-detector"
SIZES = (96, 128, 160, 192, 224)
INTERFACE = {
    "task": "detect",
    "metric": "map",
    "input": {"name": "images", "width": 224, "height": 224, "color": "rgb", "scale": 1 / 255,
              "resize": "letterbox", "pad": [114, 114, 114], "filter": "linear"},
    "decoder": {"type": "yolo", "outputs": ["output0"], "layout": "anchors_last", "box": "cxcywh",
                "unit": "input_pixels", "score_threshold": 0.25, "iou_threshold": 0.6},
}


def variants(training):
    for size in training["sizes"]:
        for side in SIZES:
            for file in size["variants"]:
                name, precision = file["id"].rsplit("-", 1)
                variant = {"id": f"{name}-{side}-{precision}", "precision": precision, "width": size["width"],
                           "model": f"{NETWORK}/{file['model']}", "sha256": file["sha256"]}
                if side != INTERFACE["input"]["width"]:
                    variant["input"] = {"width": side, "height": side}
                yield variant


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--zoo", type=Path, required=True)
    zoo = options.parse_args().zoo
    training = json.loads((zoo / NETWORK / "detector-training.json").read_text())
    draft = {
        "format": "saccade-profiles/2",
        "network": NETWORK,
        "device": {"name": "not measured", "processors": ["cpu"]},
        "interface": INTERFACE,
        "labels": training["labels"],
        "variants": list(variants(training)),
    }
    (zoo / f"{NETWORK}.json").write_text(json.dumps(draft, indent=1) + "\n")


if __name__ == "__main__":
    main()
