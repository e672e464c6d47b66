"""The networks of the zoo: a table of families, and the modules they are built from.

Every network reads float32 RGB in [0, 1], NCHW, 64 x 64, and uses only Conv, BatchNorm (folded at
export), ReLU, Add, global average pooling and one linear layer. Sizes are ordered from small to
large; `width` multiplies channels and `depth` multiplies the blocks of every stage.
"""

from dataclasses import dataclass
from typing import Callable

import torch
from torch import nn


def channels(base, width, divisor=8):
    """`base` channels times `width`, rounded to a multiple that vector units like."""
    return max(divisor, int(base * width / divisor + 0.5) * divisor)


def repeats(base, depth):
    return max(1, int(base * depth + 0.5))


def conv(inputs, outputs, kernel, stride=1, groups=1, relu=True):
    layers = [
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
    ]
    return nn.Sequential(*layers, nn.ReLU(inplace=True)) if relu else nn.Sequential(*layers)


class Network(nn.Module):
    """A body, then global average pooling and a linear classifier."""

    def __init__(self, body, features, classes):
        super().__init__()
        self.body = nn.Sequential(*body)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Linear(features, classes)

    def forward(self, images):
        return self.classifier(self.pool(self.body(images)).flatten(1))


class InvertedResidual(nn.Module):
    """MobileNetV2 (Sandler et al. 2018): expand, depthwise, linear projection."""

    def __init__(self, inputs, outputs, stride, expansion):
        super().__init__()
        hidden = inputs * expansion
        expand = [conv(inputs, hidden, 1)] if expansion > 1 else []
        self.block = nn.Sequential(
            *expand,
            conv(hidden, hidden, 3, stride, groups=hidden),
            conv(hidden, outputs, 1, relu=False),
        )
        self.add = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.block(x) if self.add else self.block(x)


def mobilenet_v2(width, depth, classes):
    # expansion, channels, blocks, stride of the first block
    stages = [(1, 16, 1, 1), (4, 32, 2, 2), (4, 48, 4, 1), (5, 80, 4, 2), (5, 112, 2, 1)]
    current = channels(16, width, 4)
    body = [conv(3, current, 3, 2)]
    for expansion, base, blocks, stride in stages:
        for block in range(repeats(blocks, depth)):
            outputs = channels(base, width, 4)
            body.append(InvertedResidual(current, outputs, stride if block == 0 else 1, expansion))
            current = outputs
    features = channels(256, width)
    body.append(conv(current, features, 1))
    return Network(body, features, classes)


class AggregatedBottleneck(nn.Module):
    """ResNeXt (Xie et al. 2017): 1x1, grouped 3x3, 1x1, around a shortcut."""

    def __init__(self, inputs, outputs, stride, group_width):
        super().__init__()
        inner = outputs // 2
        self.block = nn.Sequential(
            conv(inputs, inner, 1),
            conv(inner, inner, 3, stride, groups=inner // group_width),
            conv(inner, outputs, 1, relu=False),
        )
        same = stride == 1 and inputs == outputs
        self.shortcut = nn.Identity() if same else conv(inputs, outputs, 1, stride, relu=False)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.relu(self.shortcut(x) + self.block(x))


def resnext(width, depth, classes):
    # channels, blocks, stride of the first block; groups are 8 channels wide
    stages = [(80, 3, 2), (160, 4, 2), (256, 2, 2)]
    current = channels(24, width)
    body = [conv(3, current, 3, 2)]
    for base, blocks, stride in stages:
        for block in range(repeats(blocks, depth)):
            outputs = channels(base, width, 16)
            body.append(AggregatedBottleneck(current, outputs, stride if block == 0 else 1, 8))
            current = outputs
    return Network(body, current, classes)


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
    "mobilenet_v2-glyphs": Family(
        data_set="glyphs",
        build=mobilenet_v2,
        sizes=(
            Size(0.25, 0.50, 2),
            Size(0.40, 0.50, 2),
            Size(0.70, 0.75, 1, refinement=1.0),
            Size(1.00, 1.00, 1.3, refinement=0.9),
        ),
        seed=11,
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
