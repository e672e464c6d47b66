"""The network families of the zoo as torch modules, small relatives of the published ones.

Every network reads float32 RGB in [0, 1], NCHW, 64 x 64, and uses only Conv, BatchNorm (folded at
export), ReLU, Add, Concat, max, average and global average pooling, and one linear layer. `width`
multiplies channels and `depth` multiplies the blocks of every stage.
"""

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


class DenseLayer(nn.Module):
    """DenseNet (Huang et al. 2017): 1x1, 3x3, and the result beside the input.

    The paper puts BatchNorm and ReLU before each convolution. Here they follow it, so that BatchNorm
    folds into the convolution.
    """

    def __init__(self, inputs, growth):
        super().__init__()
        self.layer = nn.Sequential(conv(inputs, 2 * growth, 1), conv(2 * growth, growth, 3))

    def forward(self, x):
        return torch.cat([x, self.layer(x)], 1)


def densenet(width, depth, classes):
    growth = channels(32, width)
    current = growth
    body = [conv(3, current, 3, 2), nn.MaxPool2d(2)]
    layers = [2, 4, 4]  # per dense block; a transition halves channels and side after each but the last
    for block, base in enumerate(layers):
        for _ in range(repeats(base, depth)):
            body.append(DenseLayer(current, growth))
            current += growth
        if block + 1 < len(layers):
            outputs = channels(current, 0.5)
            body += [conv(current, outputs, 1), nn.AvgPool2d(2, count_include_pad=False)]
            current = outputs
    features = channels(256, width)
    body.append(conv(current, features, 1))
    return Network(body, features, classes)


class Inception(nn.Module):
    """GoogLeNet (Szegedy et al. 2015): 1x1, 3x3, 5x5 and pooled branches side by side."""

    def __init__(self, inputs, outputs):
        super().__init__()
        # Shares of the output channels: 1/4, 1/2, 1/8, 1/8.
        part = outputs // 8
        self.one = conv(inputs, 2 * part, 1)
        self.three = nn.Sequential(conv(inputs, 2 * part, 1), conv(2 * part, 4 * part, 3))
        self.five = nn.Sequential(conv(inputs, part, 1), conv(part, part, 5))
        self.pooled = nn.Sequential(nn.MaxPool2d(3, 1, 1), conv(inputs, part, 1))

    def forward(self, x):
        return torch.cat([self.one(x), self.three(x), self.five(x), self.pooled(x)], 1)


def googlenet(width, depth, classes):
    current = channels(24, width)
    body = [conv(3, current, 3, 2)]
    for base, blocks in [(96, 2), (176, 3), (256, 2)]:  # channels, blocks of a stage
        body.append(nn.MaxPool2d(2))
        for _ in range(repeats(blocks, depth)):
            outputs = channels(base, width, 32)
            body.append(Inception(current, outputs))
            current = outputs
    return Network(body, current, classes)


def separable(width, stride):
    return nn.Sequential(
        conv(width, width, 3, stride, groups=width, relu=False), conv(width, width, 1)
    )


class Cell(nn.Module):
    """A cell in the manner of PNASNet-5 (Liu et al. 2018): sums of pairs of operations on the last
    two cells' outputs, side by side.

    The paper's separable 5x5 and 7x7 convolutions are 3x3 here: int8 kernels for large depthwise
    windows are slow.
    """

    def __init__(self, before, inputs, width, stride, before_stride):
        super().__init__()
        self.before = conv(before, width, 1, before_stride)
        self.inputs = conv(inputs, width, 1)
        self.left = separable(width, stride)
        self.cross_left = separable(width, stride)
        self.cross_right = separable(width, stride)
        self.right = separable(width, stride)
        self.second = separable(width, 1)
        self.pool = nn.MaxPool2d(3, stride, 1)

    def forward(self, before, x):
        before = self.before(before)
        x = self.inputs(x)
        left = self.left(before) + self.pool(before)
        cross = self.cross_left(before) + self.cross_right(x)
        right = self.right(x) + self.pool(x)
        return torch.cat([left, cross, right, self.second(right) + cross], 1)


class Cells(nn.Module):
    """Cells in a row, each with the outputs of the two before it."""

    def __init__(self, features, stages):
        super().__init__()
        self.cells = nn.ModuleList()
        before = current = features
        before_stride = 1
        for width, count in stages:
            for at in range(count):
                stride = 2 if at == 0 else 1
                self.cells.append(Cell(before, current, width, stride, before_stride))
                before, current, before_stride = current, 4 * width, stride
        self.features = current

    def forward(self, x):
        before = x
        for cell in self.cells:
            before, x = x, cell(before, x)
        return x


def pnasnet(width, depth, classes):
    stem = channels(24, width)
    # filters, cells of a stage; the first cell halves the side
    stages = [(channels(base, width), repeats(cells, depth)) for base, cells in
              [(32, 2), (48, 2), (64, 2)]]
    cells = Cells(stem, stages)
    return Network([conv(3, stem, 3, 2), cells], cells.features, classes)
