"""Reads the raw scenes and their boxes that `saccade images` writes."""

import json
from pathlib import Path

import cv2
import numpy as np
import torch

MOST_BOXES = 7
FILTERS = {"linear": cv2.INTER_LINEAR, "area": cv2.INTER_AREA}

cv2.setNumThreads(1)


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
        pictures = np.array(self.pixels[index])
        boxes, labels = self.boxes[index], self.labels[index]
        before = pictures.shape[1]
        if side and side != before:
            pictures = np.stack([cv2.resize(each, (side, side), interpolation=FILTERS[filter]) for each in pictures])
            boxes = boxes * (side / before)
        return torch.from_numpy(pictures).permute(0, 3, 1, 2).float().div_(255.0), boxes, labels
