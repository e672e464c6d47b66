"""The networks of the zoo: which family learns which data set, in which sizes and how long.

Sizes are ordered from small to large. `width` multiplies channels and `depth` the blocks of every
stage of the family in networks.py.
"""

from dataclasses import dataclass
from typing import Callable

import torch
from torch import nn

from networks import densenet, googlenet, mobilenet_v2, pnasnet, resnext


@dataclass(frozen=True)
class Size:
    width: float
    depth: float
    epochs: float  # passes over the training images
    refinement: float = 0.0  # further passes, a second cycle at half the learning rate
    learning_rate: float = 3e-3

    @property
    def id(self):
        return f"w{self.width:.2f}-d{self.depth:.2f}"


@dataclass(frozen=True)
class Family:
    data_set: str
    build: Callable[[float, float, int], nn.Module]
    sizes: tuple
    seed: int

    def network(self, size, classes):
        torch.manual_seed(self.seed)
        return self.build(size.width, size.depth, classes)


FAMILIES = {
    "densenet-signs": Family(
        data_set="signs",
        build=densenet,
        sizes=(
            Size(0.25, 0.50, 2),
            Size(0.50, 0.50, 2),
            Size(0.50, 1.00, 2),
            Size(0.75, 1.00, 2),
            Size(1.00, 1.00, 2),
        ),
        seed=13,
    ),
    "googlenet-defects": Family(
        data_set="defects",
        build=googlenet,
        sizes=(
            Size(0.25, 0.50, 1.2),
            Size(0.35, 0.50, 2),
            Size(0.50, 0.50, 2),
            Size(0.75, 0.50, 2),
            Size(0.50, 1.00, 2),
            Size(0.75, 1.00, 2),
            Size(1.00, 1.00, 2),
        ),
        seed=14,
    ),
    "mobilenet_v2-glyphs": Family(
        data_set="glyphs",
        build=mobilenet_v2,
        sizes=(
            Size(0.25, 0.50, 2),
            Size(0.40, 0.50, 2),
            Size(0.55, 0.50, 1.6),
            Size(0.70, 0.75, 1, refinement=1.0),
            Size(1.00, 1.00, 1.3, refinement=0.9),
        ),
        seed=11,
    ),
    "pnasnet-parking": Family(
        data_set="parking",
        build=pnasnet,
        sizes=(
            Size(0.25, 0.50, 2),
            Size(0.50, 0.50, 1.5),
            Size(0.50, 1.00, 1.5),
            Size(0.75, 1.00, 2),
            Size(1.00, 1.00, 2),
        ),
        seed=15,
    ),
    "resnext-vehicles": Family(
        data_set="vehicles",
        build=resnext,
        sizes=(
            Size(0.25, 0.33, 2),
            Size(0.40, 0.50, 2),
            Size(0.70, 0.75, 2),
            Size(1.00, 1.00, 2),
        ),
        seed=12,
    ),
}
