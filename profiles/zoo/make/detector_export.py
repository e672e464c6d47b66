"""Turns the checkpoints of the detector into its fp32, fp16 and int8 ONNX files and detector-training.json.

    /usr/bin/python3 detector_export.py --images DIR --checkpoints DIR --out profiles/zoo
    /usr/bin/python3 detector_export.py --images DIR --quantise-again --out profiles/zoo

The second line makes the int8 files anew from the fp32 files that are there. Writes OUT/yard-detector/<width>-<precision>.onnx for every width that is trained, and detector-training.json.
Batch, height and width are open; 32 must divide the last two. `images` [batch, 3, height, width], RGB
in [0, 1] -> `output0` [batch, 4 + labels, cells]: centre x and y, width and height in pixels of the
input, and a probability per label, as YOLOv8 lays them out. int8: QuantizeLinear/DequantizeLinear
pairs around the convolutions; the last ones, and all that makes boxes of what they give, stay float.
"""

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from detector import SIDES, STRIDES, Detector
from detector_train import DATA_SET, EPOCHS, size_id
from graph_tools import exported, half_storage, model_of
from quantise import quantise
from scenes import Scenes

NAME = "yard-detector"
CALIBRATION_SIZES = (96, 128, 160, 192, 224)


class Calibration:
    """Scenes for the quantiser, its batches in turn in the sizes that the network will see."""

    def __init__(self, scenes):
        self.scenes = scenes

    def batch(self, index, side=160):
        pixels, _, labels = self.scenes.batch(index, side)
        return pixels, labels

    def batches(self, size):
        for at, start in enumerate(range(0, len(self.scenes), size)):
            yield self.batch(slice(start, min(start + size, len(self.scenes))),
                             CALIBRATION_SIZES[at % len(CALIBRATION_SIZES)])


def maps_of(network):
    """The network up to its last convolutions, as a canonical fp32 model with a map per level."""
    names = [f"map{stride}" for stride in STRIDES]
    axes = {"images": {0: "batch", 2: "height", 3: "width"}}
    for stride, name in zip(STRIDES, names):
        axes[name] = {0: "batch", 2: f"rows{stride}", 3: f"columns{stride}"}
    return exported(network, torch.zeros(1, 3, 64, 64), "images", names, axes)


class _Head:
    """Adds nodes that make boxes and probabilities of the maps."""

    def __init__(self):
        self.nodes = []
        self.initializers = []

    def constant(self, name, values, kind):
        if all(item.name != name for item in self.initializers):
            self.initializers.append(numpy_helper.from_array(np.array(values, kind), name))
        return name

    def add(self, operator, inputs, name, outputs=None, **attributes):
        self.nodes.append(helper.make_node(operator, inputs, outputs or [name], name, **attributes))
        return name

    def cells(self, stride):
        """Names of the centres [1, 2, n] and strides [1, 1, n] of a level's cells.

        They follow from the map's shape alone, so that engines that know the sizes compute them once.
        """
        at = f"cells{stride}"
        spatial = self.constant("cells.spatial", [0, 0, 1, 1], np.int64)
        single = self.constant("cells.single", [1, 1, 0, 0], np.int64)
        shape = self.add("Shape", [f"map{stride}"], f"{at}.shape")
        masked = self.add("Mul", [shape, spatial], f"{at}.masked")
        plane = self.add("Add", [masked, single], f"{at}.plane")
        value = helper.make_tensor("value", TensorProto.FLOAT, [1], [float(stride)])
        steps = self.add("ConstantOfShape", [plane], f"{at}.steps", value=value)
        across = self.add("CumSum", [steps, self.constant("cells.x", 3, np.int64)], f"{at}.x")
        down = self.add("CumSum", [steps, self.constant("cells.y", 2, np.int64)], f"{at}.y")
        corners = self.add("Concat", [across, down], f"{at}.corners", axis=1)
        middle = self.constant(f"{at}.half", stride / 2, np.float32)
        centres = self.add("Sub", [corners, middle], f"{at}.centres")
        two = self.constant("cells.two", [1, 2, -1], np.int64)
        one = self.constant("cells.one", [1, 1, -1], np.int64)
        return (self.add("Reshape", [centres, two], f"{at}.points"),
                self.add("Reshape", [steps, one], f"{at}.strides"))

    def build(self, labels):
        rows = self.constant("rows", [0, SIDES + labels, -1], np.int64)
        flat = [self.add("Reshape", [f"map{stride}", rows], f"flat{stride}") for stride in STRIDES]
        points, strides = zip(*(self.cells(stride) for stride in STRIDES))
        every = self.add("Concat", flat, "cells.all", axis=2)
        centres = self.add("Concat", list(points), "centres", axis=2)
        scales = self.add("Concat", list(strides), "scales", axis=2)
        parts = self.constant("parts", [SIDES, labels], np.int64)
        self.add("Split", [every, parts], "split", ["logs", "logits"], axis=1)
        distances = self.add("Mul", [self.add("Exp", ["logs"], "exponents"), scales], "distances")
        pairs = self.constant("pairs", [2, 2], np.int64)
        self.add("Split", [distances, pairs], "sides", ["before", "after"], axis=1)
        size = self.add("Add", ["before", "after"], "size")
        lean = self.add("Sub", ["after", "before"], "lean")
        half = self.add("Mul", [lean, self.constant("half", 0.5, np.float32)], "lean.half")
        centre = self.add("Add", [centres, half], "centre")
        scores = self.add("Sigmoid", ["logits"], "scores")
        self.add("Concat", [centre, size, scores], "output0", axis=1)


def with_boxes(model, names):
    """The model with its maps turned into `output0`, and with what readers of such files look for."""
    head = _Head()
    head.build(len(names))
    output = helper.make_tensor_value_info("output0", TensorProto.FLOAT,
                                           ["batch", SIDES + len(names), "cells"])
    whole = model_of(list(model.graph.node) + head.nodes,
                     list(model.graph.initializer) + head.initializers, model.graph.input, [output])
    helper.set_model_props(whole, {
        "description": "Saccade's yard detector", "author": "Saccade", "license": "Apache-2.0",
        "task": "detect", "stride": str(max(STRIDES)), "names": str(dict(enumerate(names))),
    })
    return whole


def quantised(maps, calibration):
    return quantise(maps, calibration, last_in_float=True, compensate=True)


def variants(network, names, calibration):
    maps = maps_of(network)
    made = {"fp32": maps, "fp16": half_storage(maps), "int8": quantised(maps, calibration)}
    return {precision: with_boxes(model, names) for precision, model in made.items()}


def maps_within(model):
    """The model that `with_boxes` was given."""
    outputs = [f"map{stride}" for stride in STRIDES]
    makers = {name: node for node in model.graph.node for name in node.output}
    needed, todo = set(), list(outputs)
    while todo:
        name = todo.pop()
        if name not in needed:
            needed.add(name)
            todo.extend(makers[name].input if name in makers else [])
    nodes = [node for node in model.graph.node if node.output[0] in needed]
    channels = {node.output[0]: node.input[2] for node in nodes if node.op_type == "Conv"}
    initializers = [tensor for tensor in model.graph.initializer if tensor.name in needed]
    sizes = {tensor.name: tensor.dims[0] for tensor in initializers if tensor.dims}
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", sizes[channels[name]], None, None])
             for name in outputs]
    return model_of(nodes, initializers, model.graph.input, infos)


def saved(model, width, precision, folder):
    out = folder / f"{size_id(width)}-{precision}.onnx"
    onnx.save(model, str(out))
    content = out.read_bytes()
    print(f"{NAME} {out.stem} {len(content)} bytes", flush=True)
    return {
        "id": out.stem,
        "precision": precision,
        "model": out.name,
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def export_width(width, path, calibration, folder):
    checkpoint = torch.load(path)
    names = checkpoint["labels"]
    network = Detector(width, len(names))
    network.load_state_dict(checkpoint["state"])
    made = [saved(model, width, precision, folder)
            for precision, model in variants(network, names, calibration).items()]
    return names, dict(checkpoint["record"], variants=made)


def quantise_again(record, names, calibration, folder):
    whole = onnx.load(str(folder / f"{record['size']}-fp32.onnx"))
    model = with_boxes(quantised(maps_within(whole), calibration), names)
    made = saved(model, record["width"], "int8", folder)
    return dict(record, variants=[made if each["precision"] == "int8" else each for each in record["variants"]])


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--images", required=True, help="folder written by `saccade images`")
    options.add_argument("--checkpoints", help="folder written by detector_train.py")
    options.add_argument("--quantise-again", action="store_true", help="the int8 files alone, from the fp32 files")
    options.add_argument("--out", required=True, help="profiles/zoo")
    options.add_argument("--width", type=float, choices=sorted(EPOCHS), help="all trained when omitted")
    chosen = options.parse_args()
    if chosen.quantise_again == bool(chosen.checkpoints):
        options.error("either --checkpoints or --quantise-again")
    torch.set_num_threads(1)
    scenes = Scenes(chosen.images, DATA_SET, "calibration")
    folder = Path(chosen.out) / NAME
    folder.mkdir(parents=True, exist_ok=True)
    summary_path = folder / "detector-training.json"
    records, names = {}, scenes.names
    if summary_path.exists():
        records = {r["size"]: r for r in json.loads(summary_path.read_text())["sizes"]}
    if chosen.quantise_again:
        records = {size: quantise_again(r, names, Calibration(scenes), folder)
                   if chosen.width in (None, r["width"]) else r for size, r in records.items()}
    for width in sorted(EPOCHS) if chosen.checkpoints else ():
        path = Path(chosen.checkpoints) / f"{NAME}-{size_id(width)}.pt"
        if chosen.width in (None, width) and path.exists():
            names, records[size_id(width)] = export_width(width, path, Calibration(scenes), folder)
    summary = {
        "format": "saccade-training/1",
        "network": NAME,
        "data_set": DATA_SET,
        "labels": names,
        "calibration_images": len(scenes),
        "licence": "Apache-2.0",
        "sizes": [records[size_id(width)] for width in sorted(EPOCHS) if size_id(width) in records],
    }
    summary_path.write_text(json.dumps(summary, indent=2) + "\n")


if __name__ == "__main__":
    main()
