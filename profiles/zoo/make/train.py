"""Trains one network of the zoo, in one size or in all, and saves checkpoints.

    /usr/bin/python3 train.py --network resnext-vehicles --images DIR --checkpoints DIR [--size ID]

The first part of a run sees the images at 48 x 48, which costs half and teaches nearly as much.
Every number that decides the result is in the table of families or in the constants below.
"""

import argparse
import platform
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from families import FAMILIES
from images import Images

BATCH = 32
SMALL_SIDE = 48
SMALL_SHARE = 0.65  # of the steps at SMALL_SIDE
WEIGHT_DECAY = 0.02
LABEL_SMOOTHING = 0.05


def accuracy(network, images):
    network.eval()
    hits = 0
    with torch.no_grad():
        for pixels, labels in images.batches(100):
            hits += int((network(pixels).argmax(1) == labels).sum())
    return hits / len(images)


def order_of(count, steps, seed):
    """Image indices for every step: shuffled passes, cut where the last step ends."""
    shuffler = np.random.default_rng(seed)
    passes = -(-steps * BATCH // count)
    order = np.concatenate([shuffler.permutation(count) for _ in range(passes)])
    return [np.sort(order[step * BATCH:(step + 1) * BATCH]) for step in range(steps)]


def cycle(title, network, train_images, epochs, learning_rate, seed):
    """One rise and fall of the learning rate over `epochs` passes; a fresh optimiser."""
    steps = int(epochs * len(train_images) / BATCH)
    decayed = [p for p in network.parameters() if p.ndim > 1]
    others = [p for p in network.parameters() if p.ndim <= 1]
    optimiser = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": WEIGHT_DECAY}, {"params": others, "weight_decay": 0}],
        lr=learning_rate,
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, learning_rate, total_steps=steps, pct_start=0.2
    )
    network.train()
    running = 0.0
    for step, index in enumerate(order_of(len(train_images), steps, seed)):
        pixels, labels = train_images.batch(index)
        if step < SMALL_SHARE * steps:
            pixels = functional.interpolate(pixels, size=SMALL_SIDE, mode="area")
        loss = functional.cross_entropy(
            network(pixels), labels, label_smoothing=LABEL_SMOOTHING
        )
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        schedule.step()
        running += loss.item()
        if (step + 1) % 200 == 0:
            print(f"{title} step {step + 1}/{steps} loss {running / 200:.3f} "
                  f"cpu {time.process_time():.0f} s", flush=True)
            running = 0.0


def train(name, size, train_images, held_out, earlier=None):
    """Both cycles, or only the refinement of an earlier checkpoint."""
    family = FAMILIES[name]
    network = family.network(size, len(train_images.names))
    network = network.to(memory_format=torch.channels_last)
    title = f"{name} {size.id}"
    started = time.process_time()
    if earlier:
        network.load_state_dict(earlier["state"])
        started -= earlier["record"]["training_cpu_seconds"]
    else:
        cycle(title, network, train_images, size.epochs, size.learning_rate, family.seed)
    if size.refinement:
        cycle(f"{title} refinement", network, train_images, size.refinement,
              size.learning_rate / 2, family.seed + 1)
    seconds = time.process_time() - started
    held_out_accuracy = accuracy(network, held_out)
    print(f"{name} {size.id} held-out accuracy {held_out_accuracy:.4f} after {seconds:.0f} s",
          flush=True)
    record = {
        "size": size.id,
        "width": size.width,
        "depth": size.depth,
        "parameters": sum(p.numel() for p in network.parameters()),
        "seed": family.seed,
        "epochs": size.epochs,
        "refinement_epochs": size.refinement,
        "learning_rate": size.learning_rate,
        "training_images": len(train_images),
        "training_cpu_seconds": round(seconds, 1),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "held_out_images": len(held_out),
        "held_out_accuracy_torch": held_out_accuracy,
    }
    return {"record": record, "labels": train_images.names, "state": network.state_dict()}


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--network", required=True, choices=sorted(FAMILIES))
    options.add_argument("--size", help="a size id; all sizes when omitted")
    options.add_argument("--images", required=True, help="folder written by `saccade images`")
    options.add_argument("--checkpoints", required=True, help="folder for the trained weights")
    options.add_argument("--refine", action="store_true",
                         help="only the refinement, of the checkpoint already in the folder")
    chosen = options.parse_args()
    torch.set_num_threads(1)
    family = FAMILIES[chosen.network]
    sizes = [size for size in family.sizes if chosen.size in (None, size.id)]
    if not sizes:
        options.error(f"no such size; known: {', '.join(size.id for size in family.sizes)}")
    train_images = Images(chosen.images, family.data_set, "train")
    held_out = Images(chosen.images, family.data_set, "held_out")
    folder = Path(chosen.checkpoints)
    folder.mkdir(parents=True, exist_ok=True)
    for size in sizes:
        path = folder / f"{chosen.network}-{size.id}.pt"
        earlier = torch.load(path) if chosen.refine else None
        torch.save(train(chosen.network, size, train_images, held_out, earlier), path)


if __name__ == "__main__":
    main()
