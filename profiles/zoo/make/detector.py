"""The detector of the zoo as a torch module: a small residual network with a top-down path.

Reads float32 RGB in [0, 1], NCHW, any height and width that 32 divides. For every cell of three
levels (strides 8, 16, 32) it gives the distances from the cell's centre to the four sides of a box,
as logarithms in strides, and one logit per label. Only Conv, BatchNorm (folded at export), ReLU, Add
and nearest Resize. `width` multiplies channels.
"""

import torch
from torch import nn
from torch.nn import functional

from networks import channels, conv

STRIDES = (8, 16, 32)
SIDES = 4  # left, top, right, bottom
MOST_LOG_DISTANCE = 4.0  # exp(4) strides: beyond any picture of the zoo; keeps exp finite in training


class Projection(nn.Module):
    """A 1x1 convolution with a stride, and BatchNorm.

    oneDNN 2.6, which Debian's torch uses, corrupts memory in the gradient of such a convolution on
    processors with AVX-512. In training the cells that the stride passes over are dropped first: the
    same function, without the stride.
    """

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.stride = stride
        self.conv = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x):
        if not self.training:
            return self.norm(self.conv(x))
        x = x[:, :, ::self.stride, ::self.stride].contiguous(memory_format=torch.channels_last)
        return self.norm(functional.conv2d(x, self.conv.weight))


class Residual(nn.Module):
    """ResNet's basic block (He et al. 2016)."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.block = nn.Sequential(
            conv(inputs, outputs, 3, stride),
            conv(outputs, outputs, 3, relu=False),
        )
        same = stride == 1 and inputs == outputs
        self.shortcut = nn.Identity() if same else Projection(inputs, outputs, stride)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.relu(self.shortcut(x) + self.block(x))


class Detector(nn.Module):
    """`forward` gives the maps of the levels, [B, 4 + labels, H / stride, W / stride]."""

    STAGES = ((32, 1), (64, 2), (96, 2), (128, 1))  # channels, blocks; the first block halves the side
    NECK = 64

    def __init__(self, width, labels):
        super().__init__()
        current = channels(16, width)
        self.stem = conv(3, current, 3, 2)
        self.stages = nn.ModuleList()
        features = []
        for base, blocks in self.STAGES:
            outputs = channels(base, width)
            parts = [Residual(current if block == 0 else outputs, outputs, 2 if block == 0 else 1)
                     for block in range(blocks)]
            self.stages.append(nn.Sequential(*parts))
            current = outputs
            features.append(outputs)
        neck = channels(self.NECK, width)
        self.lateral = nn.ModuleList(conv(f, neck, 1, relu=False) for f in features[1:])
        self.smooth = nn.ModuleList(conv(neck, neck, 3) for _ in STRIDES)
        self.predict = nn.ModuleList(nn.Conv2d(neck, SIDES + labels, 1) for _ in STRIDES)
        for layer in self.predict:  # boxes of four strides, and few of them
            nn.init.normal_(layer.weight, std=0.01)
            with torch.no_grad():
                layer.bias[:SIDES] = 0.7
                layer.bias[SIDES:] = -4.6

    def forward(self, images):
        x = self.stem(images)
        features = []
        for stage in self.stages:
            x = stage(x)
            features.append(x)
        merged = None
        maps = []
        for lateral, smooth, predict, feature in reversed(
                list(zip(self.lateral, self.smooth, self.predict, features[1:]))):
            level = lateral(feature)
            if merged is not None:
                level = level + functional.interpolate(merged, scale_factor=2.0, mode="nearest")
            merged = level
            smoothed = smooth(level)
            if self.training:  # in bfloat16 up to here; logarithms of distances need their digits
                smoothed = smoothed.float()
            with torch.cpu.amp.autocast(enabled=False):
                maps.append(predict(smoothed))
        return maps[::-1]


def cells(maps):
    """Centres [N, 2] and strides [N, 1] of the cells of all levels, in pixels of the input."""
    centres, strides = [], []
    for level, stride in zip(maps, STRIDES):
        rows, columns = level.shape[2:]
        y, x = torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")
        centres.append((torch.stack([x, y], -1).reshape(-1, 2).float() + 0.5) * stride)
        strides.append(torch.full((rows * columns, 1), float(stride)))
    return torch.cat(centres), torch.cat(strides)


def boxes_and_logits(maps):
    """Boxes [B, N, 4] as left, top, right, bottom in pixels, logits [B, N, labels], centres, strides."""
    centres, strides = cells(maps)
    flat = torch.cat([level.flatten(2) for level in maps], 2).transpose(1, 2)
    distances = flat[..., :SIDES].clamp(max=MOST_LOG_DISTANCE).exp() * strides
    boxes = torch.cat([centres - distances[..., :2], centres + distances[..., 2:]], -1)
    return boxes, flat[..., SIDES:], centres, strides
