"""Trains the detector of the zoo in one width or in all, on one thread, and saves checkpoints.

    /usr/bin/python3 detector_train.py --images DIR --checkpoints DIR [--width 0.50]

One training serves all input sizes: every step draws one. A training that was interrupted resumes at
its last checkpoint and gives the same weights as one that was not.
"""

import argparse
import os
import platform
import time
from pathlib import Path

import numpy as np
import torch

from detector import Detector
from detector_loss import loss_of
from scenes import Scenes

DATA_SET = "yard"
# width -> passes over the training scenes
EPOCHS = {0.50: 14.0, 0.75: 14.0, 1.00: 19.0}
SIZES = (96, 128, 160, 192, 224)
# The first part of a training sees small inputs, which cost less and teach nearly as much.
EARLY_SHARE = 0.6
EARLY_SIZE_SHARES = (0.20, 0.40, 0.40, 0.0, 0.0)
SIZE_SHARES = (0.15, 0.15, 0.20, 0.30, 0.20)
BATCH = 16
LEARNING_RATE = 5e-3
WEIGHT_DECAY = 0.02
RISE = 0.1  # share of the steps during which the learning rate rises
SEED = 16
STEPS_PER_CHECKPOINT = 200


def size_id(width):
    return f"w{width:.2f}"


def plan(count, steps):
    """For every step: scenes, input size, filter, mirrored or not."""
    random = np.random.default_rng(SEED)
    passes = -(-steps * BATCH // count)
    order = np.concatenate([random.permutation(count) for _ in range(passes)])
    early = int(EARLY_SHARE * steps)
    sizes = np.concatenate([random.choice(SIZES, early, p=EARLY_SIZE_SHARES),
                            random.choice(SIZES, steps - early, p=SIZE_SHARES)])
    filters = random.choice(["linear", "area"], steps)
    mirrored = random.random(steps) < 0.5
    return [(np.sort(order[step * BATCH:(step + 1) * BATCH]), int(sizes[step]), filters[step],
             mirrored[step]) for step in range(steps)]


def mirror(pixels, boxes):
    side = pixels.shape[-1]
    boxes = torch.stack([side - boxes[..., 2], boxes[..., 1], side - boxes[..., 0], boxes[..., 3]], -1)
    return pixels.flip(-1), boxes


def save(path, content):
    """Whole or not at all."""
    half = path.with_suffix(".half")
    torch.save(content, half)
    os.replace(half, path)


def train(width, scenes, path):
    torch.manual_seed(SEED)
    network = Detector(width, len(scenes.names)).to(memory_format=torch.channels_last)
    steps = int(EPOCHS[width] * len(scenes) / BATCH)
    decayed = [p for p in network.parameters() if p.ndim > 1]
    others = [p for p in network.parameters() if p.ndim <= 1]
    optimiser = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": WEIGHT_DECAY}, {"params": others, "weight_decay": 0}],
        lr=LEARNING_RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, LEARNING_RATE, total_steps=steps, pct_start=RISE)
    first, spent = 0, 0.0
    if path.exists():
        earlier = torch.load(path)
        if (earlier["record"]["epochs"], earlier["record"]["training_images"]) != (EPOCHS[width], len(scenes)):
            raise SystemExit(f"{path} is of a training of other scenes or passes: remove it to train anew")
        if earlier["step"] == steps:
            print(f"{path} is complete", flush=True)
            return
        network.load_state_dict(earlier["state"])
        optimiser.load_state_dict(earlier["optimiser"])
        schedule.load_state_dict(earlier["schedule"])
        first, spent = earlier["step"], earlier["record"]["training_cpu_seconds"]
    started = time.process_time() - spent

    def checkpoint(step):
        save(path, {
            "record": {
                "size": size_id(width),
                "width": width,
                "parameters": sum(p.numel() for p in network.parameters()),
                "seed": SEED,
                "epochs": EPOCHS[width],
                "learning_rate": LEARNING_RATE,
                "training_images": len(scenes),
                "training_cpu_seconds": round(time.process_time() - started, 1),
                "python": platform.python_version(),
                "torch": torch.__version__,
            },
            "labels": scenes.names, "step": step, "state": network.state_dict(),
            "optimiser": optimiser.state_dict(), "schedule": schedule.state_dict(),
        })

    network.train()
    sums = np.zeros(2)
    todo = plan(len(scenes), steps)
    for step in range(first, steps):
        index, side, filter, mirrored = todo[step]
        pixels, boxes, labels = scenes.batch(index, side, filter)
        if mirrored:
            pixels, boxes = mirror(pixels, boxes)
        pixels = pixels.contiguous(memory_format=torch.channels_last)
        # Convolutions in bfloat16: two thirds of the time where the processor has instructions for it.
        with torch.cpu.amp.autocast(dtype=torch.bfloat16):
            maps = network(pixels)
        loss, parts = loss_of(maps, boxes, labels)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 10.0)
        optimiser.step()
        schedule.step()
        sums += parts
        if (step + 1) % 50 == 0:
            print(f"{size_id(width)} step {step + 1}/{steps} classes {sums[0] / 50:.3f} "
                  f"boxes {sums[1] / 50:.3f} cpu {time.process_time() - started:.0f} s", flush=True)
            sums[:] = 0
        if (step + 1) % STEPS_PER_CHECKPOINT == 0 or step + 1 == steps:
            checkpoint(step + 1)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--images", required=True, help="folder written by `saccade images`")
    options.add_argument("--checkpoints", required=True, help="folder for the trained weights")
    options.add_argument("--width", type=float, choices=sorted(EPOCHS), help="all widths when omitted")
    chosen = options.parse_args()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    scenes = Scenes(chosen.images, DATA_SET, "train")
    folder = Path(chosen.checkpoints)
    folder.mkdir(parents=True, exist_ok=True)
    for width in sorted(EPOCHS):
        if chosen.width in (None, width):
            train(width, scenes, folder / f"yard-detector-{size_id(width)}.pt")


if __name__ == "__main__":
    main()
