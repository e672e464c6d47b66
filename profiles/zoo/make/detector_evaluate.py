"""Measures the ONNX files of the detector on held-out scenes, in torch, for every input size.

    /usr/bin/python3 detector_evaluate.py --images DIR --models profiles/zoo/yard-detector \
        --json profiles/zoo/make/detector-held-out.json
    /usr/bin/python3 detector_evaluate.py --json profiles/zoo/make/detector-held-out.json

Prints mAP50 and mAP as COCO defines them: IoU 0.50 to 0.95 by 0.05, interpolated precision
at 101 recalls, the mean over the labels, at most 100 boxes per scene. Candidates from score 0.01,
suppression per label above IoU 0.6. The graphs are evaluated node by node by graph_tools.run; the
figures that a plan uses are measured by `saccade profile`. The figures go into the JSON file, in the
place of earlier ones of the same model, size, filter and number of scenes. The second line prints what
is in it as a table for a page.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
import torch

from detector_train import DATA_SET, SIZES
from graph_tools import run
from scenes import Scenes

SCORE = 0.01
SUPPRESSION = 0.6
MOST_BOXES = 100
THRESHOLDS = np.linspace(0.5, 0.95, 10)
RECALLS = np.linspace(0.0, 1.0, 101)
BATCH = 25


def iou(first, second):
    """[A, B] of boxes as left, top, right, bottom."""
    inner = (np.minimum(first[:, None, 2:], second[None, :, 2:])
             - np.maximum(first[:, None, :2], second[None, :, :2])).clip(0).prod(-1)
    areas = [(boxes[:, 2:] - boxes[:, :2]).prod(-1) for boxes in (first, second)]
    return inner / np.maximum(areas[0][:, None] + areas[1][None] - inner, 1e-9)


def detections(output):
    """Boxes, labels and scores of one scene, best first; `output` is [4 + labels, cells]."""
    labels, cells = np.nonzero(output[4:] >= SCORE)
    scores = output[4 + labels, cells]
    order = np.argsort(-scores, kind="stable")[:1000]
    labels, cells, scores = labels[order], cells[order], scores[order]
    centre, size = output[:2, cells].T, output[2:4, cells].T
    boxes = np.concatenate([centre - size / 2, centre + size / 2], 1)
    # Moved apart by label, so that boxes of different labels never overlap.
    apart = boxes + (labels * 10000.0)[:, None]
    left = np.ones(len(boxes), bool)
    kept = []
    for at in range(len(boxes)):
        if not left[at]:
            continue
        kept.append(at)
        if len(kept) == MOST_BOXES:
            break
        rest = np.nonzero(left[at + 1:])[0] + at + 1
        left[rest] = iou(apart[at:at + 1], apart[rest])[0] <= SUPPRESSION
    return boxes[kept], labels[kept], scores[kept]


def matched(boxes, truth):
    """[thresholds, boxes]: does each box, best first, find a true box that no better one took?"""
    hits = np.zeros((len(THRESHOLDS), len(boxes)), bool)
    if not len(boxes) or not len(truth):
        return hits
    overlap = iou(boxes, truth)
    for row, threshold in enumerate(THRESHOLDS):
        taken = np.zeros(len(truth), bool)
        for at in range(len(boxes)):
            free = np.where(taken, -1.0, overlap[at])
            best = free.argmax()
            if free[best] >= threshold:
                taken[best] = hits[row, at] = True
    return hits


def average_precision(hits, scores, count):
    """Of one label at one threshold."""
    order = np.argsort(-scores, kind="stable")
    true = hits[order].cumsum()
    precision = true / np.arange(1, len(true) + 1)
    precision = np.maximum.accumulate(precision[::-1])[::-1]
    at = np.searchsorted(true / count, RECALLS, side="left")
    return np.where(at < len(precision), precision[np.minimum(at, len(precision) - 1)], 0.0).mean() \
        if len(precision) else 0.0


def mean_average_precision(found, truth, labels):
    """mAP50, mAP and AP per label; `found` and `truth` have an entry per scene."""
    table = np.zeros((labels, len(THRESHOLDS)))
    for label in range(labels):
        hits, scores, count = [], [], 0
        for (boxes, kinds, values), (true_boxes, true_kinds) in zip(found, truth):
            mine, real = kinds == label, true_kinds == label
            hits.append(matched(boxes[mine], true_boxes[real]))
            scores.append(values[mine])
            count += int(real.sum())
        hits, scores = np.concatenate(hits, 1), np.concatenate(scores)
        table[label] = [average_precision(row, scores, count) for row in hits]
    return table[:, 0].mean(), table.mean(), table.mean(1)


def evaluate(model, scenes, count, side, filter):
    found, truth = [], []
    with torch.no_grad():
        for start in range(0, count, BATCH):
            pixels, boxes, labels = scenes.batch(slice(start, min(start + BATCH, count)), side, filter)
            found += [detections(output) for output in run(model, pixels).numpy()]
            truth += [(b[k >= 0].numpy(), k[k >= 0].numpy()) for b, k in zip(boxes, labels)]
    return mean_average_precision(found, truth, len(scenes.names))


def key_of(entry):
    return entry["model"], entry["side"], entry["filter"], entry["scenes"]


def kept_figures(path):
    return json.loads(path.read_text()) if path and path.exists() else []


def table(figures):
    """Rows are models, columns sizes; one table per filter and number of scenes."""
    lines = []
    for filter, scenes in sorted({(f["filter"], f["scenes"]) for f in figures}):
        mine = {(f["model"], f["side"]): f for f in figures
                if (f["filter"], f["scenes"]) == (filter, scenes)}
        sides = sorted({side for _, side in mine})
        lines += ["", f"{scenes} held-out scenes of 224 pixels, filter {filter}; mAP50 / mAP in %:", "",
                  "| model | " + " | ".join(str(side) for side in sides) + " |",
                  "|---|" + "--:|" * len(sides)]
        for model in sorted({name for name, _ in mine}):
            cells = [mine.get((model, side)) for side in sides]
            lines.append(f"| {model} | " + " | ".join(
                f"{100 * c['map50']:.1f} / {100 * c['map']:.1f}" if c else "–" for c in cells) + " |")
    return "\n".join(lines)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--images", help="folder written by `saccade images`")
    options.add_argument("--models", help="folder with the ONNX files")
    options.add_argument("--only", default="", help="files whose names have this part")
    options.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    options.add_argument("--filter", choices=["linear", "area"], default="linear")
    options.add_argument("--count", type=int, default=1000, help="held-out scenes")
    options.add_argument("--json", type=Path, help="the file of figures")
    chosen = options.parse_args()
    if not chosen.images or not chosen.models:
        if not chosen.json:
            options.error("--images and --models are needed, or --json alone")
        print(table(kept_figures(chosen.json)))
        return
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    scenes = Scenes(chosen.images, DATA_SET, "held_out")
    count = min(chosen.count, len(scenes))
    for path in sorted(Path(chosen.models).glob("*.onnx")):
        if chosen.only not in path.name:
            continue
        model = onnx.load(str(path))
        for side in chosen.sizes:
            at_half, over_all, by_label = evaluate(model, scenes, count, side, chosen.filter)
            print(f"{path.stem} {side} {at_half:.4f} / {over_all:.4f}  "
                  + " ".join(f"{name} {value:.3f}" for name, value in zip(scenes.names, by_label)),
                  flush=True)
            entry = {"model": path.stem, "side": side, "filter": chosen.filter, "scenes": count,
                     "map50": round(at_half, 4), "map": round(over_all, 4)}
            if chosen.json:
                figures = [f for f in kept_figures(chosen.json) if key_of(f) != key_of(entry)]
                figures = sorted(figures + [entry], key=key_of)
                rows = ",\n".join("  " + json.dumps(f) for f in figures)
                chosen.json.write_text(f"[\n{rows}\n]\n")


if __name__ == "__main__":
    main()
