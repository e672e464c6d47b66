"""Reads the raw scenes and their boxes that `saccade images` writes."""

import json
from pathlib import Path

import cv2
import numpy as np
import torch

MOST_BOXES = 7
cv2.setNumThreads(1)  # as torch in every script here: one process, one core


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
        pixels, boxes, labels = self.pixels[index], self.boxes[index], self.labels[index]
        before = pixels.shape[1]
        if side and side != before:
            pixels = resized(pixels, side, filter)
            boxes = boxes * (side / before)
        pixels = torch.from_numpy(np.array(pixels)).permute(0, 3, 1, 2).float()
        return pixels.div_(255.0), boxes, labels


def resized(pixels, side, filter):
    """As the engine's preparer does it."""
    how = cv2.INTER_AREA if filter == "area" else cv2.INTER_LINEAR
    return np.stack([cv2.resize(picture, (side, side), interpolation=how) for picture in pixels])
