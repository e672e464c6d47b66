"""Reads the raw scenes and their boxes that `saccade images` writes."""

import json
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

MOST_BOXES = 7


class Scenes:
    """One split of a data set of scenes.

    `pixels` uint8 [N, H, W, 3] RGB; `boxes` float [N, MOST_BOXES, 4] as left, top, right, bottom in
    pixels; `labels` int64 [N, MOST_BOXES], -1 where there is no box; `names` of the labels.
    """

    def __init__(self, folder, data_set, split):
        stem = f"{data_set}-{split}"
        coco = json.loads((Path(folder) / f"{stem}.coco.json").read_text())
        first = coco["images"][0]
        count = len(coco["images"])
        shape = (count, first["height"], first["width"], 3)
        self.pixels = np.memmap(Path(folder) / first["file_name"], np.uint8, "r", shape=shape)
        self.names = [category["name"] for category in coco["categories"]]
        self.boxes = torch.zeros(count, MOST_BOXES, 4)
        self.labels = torch.full((count, MOST_BOXES), -1, dtype=torch.int64)
        used = [0] * count
        for annotation in coco["annotations"]:
            image = annotation["image_id"]
            left, top, width, height = annotation["bbox"]
            self.boxes[image, used[image]] = torch.tensor(
                [left, top, left + width, top + height], dtype=torch.float32)
            self.labels[image, used[image]] = annotation["category_id"] - 1
            used[image] += 1

    def __len__(self):
        return len(self.labels)

    def batch(self, index, side=None, filter="linear"):
        """Float NCHW in [0, 1], boxes in its pixels, and labels, for an index array or slice."""
        pixels = torch.from_numpy(np.array(self.pixels[index])).permute(0, 3, 1, 2).float()
        boxes, labels = self.boxes[index], self.labels[index]
        before = pixels.shape[-1]
        if side and side != before:
            pixels = resized(pixels, side, filter)
            boxes = boxes * (side / before)
        return pixels.div_(255.0), boxes, labels


def resized(pixels, side, filter):
    """As OpenCV's INTER_LINEAR or INTER_AREA does it, rounded to whole grey levels."""
    if filter == "area":
        pixels = functional.interpolate(pixels, size=(side, side), mode="area")
    else:
        pixels = functional.interpolate(pixels, size=(side, side), mode="bilinear",
                                        align_corners=False)
    return pixels.round_()
