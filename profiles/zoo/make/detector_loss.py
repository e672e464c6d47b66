"""What the detector is trained by: task-aligned assignment (Feng et al. 2021, TOOD), generalised IoU
(Rezatofighi et al. 2019) and weighted binary cross-entropy (Zhang et al. 2021, varifocal).
"""

import torch
from torch.nn import functional

from detector import boxes_and_logits

CELLS_PER_BOX = 10
SCORE_POWER = 0.5
OVERLAP_POWER = 6.0
NEGATIVE_WEIGHT = 0.75
NEGATIVE_POWER = 2.0
BOX_WEIGHT = 2.0
LEAST = 1e-9


def overlaps(first, second):
    """IoU and generalised IoU of boxes that broadcast; left, top, right, bottom."""
    inner = (torch.minimum(first[..., 2:], second[..., 2:])
             - torch.maximum(first[..., :2], second[..., :2])).clamp(min=0).prod(-1)
    outer = (torch.maximum(first[..., 2:], second[..., 2:])
             - torch.minimum(first[..., :2], second[..., :2])).prod(-1)
    union = ((first[..., 2:] - first[..., :2]).prod(-1)
             + (second[..., 2:] - second[..., :2]).prod(-1) - inner)
    iou = inner / union.clamp(min=LEAST)
    return iou, iou - (outer - union) / outer.clamp(min=LEAST)


def assign(boxes, scores, centres, truth, labels):
    """Which cell answers for which box: index of the box per cell [B, N] (-1: none), and the score
    it is to give [B, N].

    Cells whose centres are inside a box compete for it by score^0.5 * IoU^6, the ten best win; a box
    without a centre inside gets the nearest cell. A cell that wins several takes the best overlap.
    """
    count = truth.shape[1]
    real = labels >= 0
    iou, _ = overlaps(boxes.unsqueeze(1), truth.unsqueeze(2))  # [B, M, N]
    of_label = scores.gather(2, labels.clamp(min=0).unsqueeze(1).expand(-1, scores.shape[1], -1))
    metric = of_label.transpose(1, 2).pow(SCORE_POWER) * iou.pow(OVERLAP_POWER)
    offset = torch.cat([centres - truth[..., None, :2], truth[..., None, 2:] - centres], -1)
    inside = offset.amin(-1) > 0
    middle = (truth[..., :2] + truth[..., 2:]) / 2
    distance = (middle.unsqueeze(2) - centres).square().sum(-1)
    nearest = functional.one_hot(distance.argmin(-1), len(centres)).bool()
    allowed = (inside | (nearest & ~inside.any(-1, keepdim=True))) & real.unsqueeze(-1)
    metric = torch.where(allowed, metric + LEAST, torch.zeros_like(metric))
    best = metric.topk(min(CELLS_PER_BOX, metric.shape[-1]), -1)
    chosen = torch.zeros_like(metric).scatter_(-1, best.indices, (best.values > 0).float())
    overlap = torch.where(chosen > 0, iou + LEAST, torch.zeros_like(iou))
    value, owner = overlap.max(1)
    owner = torch.where(value > 0, owner, torch.full_like(owner, -1))
    kept = functional.one_hot(owner.clamp(min=0), count).transpose(1, 2) * (owner >= 0).unsqueeze(1)
    metric = metric * kept
    scale = (iou * kept).amax(-1, keepdim=True) / metric.amax(-1, keepdim=True).clamp(min=LEAST)
    return owner, (metric * scale).amax(1)


def loss_of(maps, truth, labels):
    """The loss of a batch, and its parts as numbers."""
    boxes, logits, centres, _ = boxes_and_logits(maps)
    scores = logits.sigmoid()
    with torch.no_grad():
        owner, target = assign(boxes, scores, centres, truth, labels)
    won = owner >= 0
    total = target.sum().clamp(min=1.0)
    index = owner.clamp(min=0)
    wanted = functional.one_hot(labels.gather(1, index).clamp(min=0), logits.shape[-1])
    wanted = wanted * (target * won).unsqueeze(-1)
    weight = torch.where(wanted > 0, wanted,
                         NEGATIVE_WEIGHT * scores.detach().pow(NEGATIVE_POWER))
    classes = functional.binary_cross_entropy_with_logits(
        logits, wanted, weight, reduction="sum") / total
    true_boxes = truth.gather(1, index.unsqueeze(-1).expand(-1, -1, 4))
    _, generalised = overlaps(boxes[won], true_boxes[won])
    sides = ((1.0 - generalised) * target[won]).sum() / total
    return classes + BOX_WEIGHT * sides, (float(classes), float(sides))
