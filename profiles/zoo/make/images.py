"""Reads the raw images that `saccade images` writes."""

import json
from pathlib import Path

import numpy as np
import torch


class Images:
    """One split of a data set: `pixels` uint8 [N, 64, 64, 3] RGB, `labels` int64 [N], `names`."""

    def __init__(self, folder, data_set, split):
        stem = f"{data_set}-{split}"
        meta = json.loads((Path(folder) / f"{stem}.json").read_text())
        shape = (meta["count"], meta["height"], meta["width"], meta["channels"])
        self.pixels = np.memmap(Path(folder) / f"{stem}.u8", np.uint8, "r", shape=shape)
        labels = np.fromfile(Path(folder) / f"{stem}.labels.u8", np.uint8)
        self.labels = torch.from_numpy(labels.astype(np.int64))
        self.names = meta["labels"]
        if len(labels) != meta["count"]:
            raise SystemExit(f"{stem}: {len(labels)} labels for {meta['count']} images")

    def __len__(self):
        return len(self.labels)

    def batch(self, index):
        """Float NCHW in [0, 1] (channels last in memory) and labels, for an index array or slice."""
        pixels = torch.from_numpy(np.array(self.pixels[index]))
        return pixels.permute(0, 3, 1, 2).float().div_(255.0), self.labels[index]

    def batches(self, size):
        for start in range(0, len(self), size):
            yield self.batch(slice(start, min(start + size, len(self))))
