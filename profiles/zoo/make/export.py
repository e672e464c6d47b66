"""Turns the checkpoints of a network into its fp32, fp16 and int8 ONNX files and training.json.

    /usr/bin/python3 export.py --network resnext-vehicles --images DIR --checkpoints DIR --out DIR

Writes OUT/<network>/<size id>-<precision>.onnx for every size, and OUT/<network>/training.json.
With --size only the files and the record of that size are made; what is there of the others stays.
With --evaluate every file is also run on the held-out images in torch, which takes minutes; the
profiler measures the official accuracies.
"""

import argparse
import hashlib
import json
from pathlib import Path

import onnx
import torch

from families import FAMILIES
from graph_tools import accuracy, export, half_storage
from images import Images
from quantise import quantise


def variants(network, calibration):
    full = export(network)
    return {"fp32": full, "fp16": half_storage(full), "int8": quantise(full, calibration)}


def export_size(name, size, chosen, calibration, folder):
    """Writes the files of one size; returns its labels and its record for training.json."""
    checkpoint = torch.load(Path(chosen.checkpoints) / f"{name}-{size.id}.pt")
    network = FAMILIES[name].network(size, len(checkpoint["labels"]))
    network.load_state_dict(checkpoint["state"])
    record = dict(checkpoint["record"], variants=[])
    for precision, model in variants(network, calibration).items():
        path = folder / f"{size.id}-{precision}.onnx"
        onnx.save(model, str(path))
        content = path.read_bytes()
        record["variants"].append({
            "id": path.stem,
            "precision": precision,
            "model": path.name,
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        })
        print(f"{name} {path.stem} {len(content)} bytes", flush=True)
        if chosen.evaluate:
            held_out = Images(chosen.images, FAMILIES[name].data_set, "held_out")
            print(f"accuracy {accuracy(model, held_out):.4f}", flush=True)
    return checkpoint["labels"], record


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--network", required=True, choices=sorted(FAMILIES))
    options.add_argument("--size", help="a size id; all sizes when omitted")
    options.add_argument("--images", required=True, help="folder written by `saccade images`")
    options.add_argument("--checkpoints", required=True, help="folder written by train.py")
    options.add_argument("--out", required=True, help="profiles/zoo")
    options.add_argument("--evaluate", action="store_true")
    chosen = options.parse_args()
    torch.set_num_threads(1)
    family = FAMILIES[chosen.network]
    sizes = [size for size in family.sizes if chosen.size in (None, size.id)]
    if not sizes:
        options.error(f"no such size; known: {', '.join(size.id for size in family.sizes)}")
    calibration = Images(chosen.images, family.data_set, "calibration")
    folder = Path(chosen.out) / chosen.network
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "training.json"
    records = {}
    if chosen.size and path.exists():
        records = {record["size"]: record for record in json.loads(path.read_text())["sizes"]}
    for size in sizes:
        labels, records[size.id] = export_size(chosen.network, size, chosen, calibration, folder)
    summary = {
        "format": "saccade-training/1",
        "network": chosen.network,
        "data_set": family.data_set,
        "labels": labels,
        "calibration_images": len(calibration),
        "licence": "Apache-2.0",
        "sizes": [records[size.id] for size in family.sizes if size.id in records],
    }
    path.write_text(json.dumps(summary, indent=2) + "\n")


if __name__ == "__main__":
    main()
