"""Post-training quantisation to int8 with QuantizeLinear/DequantizeLinear pairs.

Activations are uint8 with one scale per tensor; weights are int8 with one scale per output channel,
symmetric, in the reduced range -64 .. 63: the u8 x s8 kernels of CPUs without VNNI add two products
in 16 bits, which overflow with full-range weights. Biases are int32 in the product of both scales.
Ranges of activations minimise the squared error on the calibration images.
"""

import numpy as np
import torch
from onnx import helper, numpy_helper

from graph_tools import model_of, run, weights_of

WEIGHT_LIMIT = 63
ACTIVATION_STEPS = 255
SAMPLES_PER_BATCH = 4000
CORRECTION_IMAGES = 256
SHRINKS = np.linspace(1.0, 0.4, 31)


def quantise(model, calibration, last_in_float=False):
    """`last_in_float`: the layers that give the graph's outputs keep float weights."""
    ranges = activation_ranges(model, calibration)
    quantised = _Quantiser(model, ranges, last_in_float).build()
    correct_biases(model, quantised, calibration)
    return quantised


def activation_ranges(model, calibration, batch=64):
    """Name -> (low, high) for every tensor the graph passes on; the input spans 0 .. 1."""
    samples = {}
    extremes = {}
    picker = torch.Generator().manual_seed(1)

    def keep(name, tensor):
        flat = tensor.flatten()
        chosen = torch.randint(len(flat), (SAMPLES_PER_BATCH,), generator=picker)
        samples.setdefault(name, []).append(flat[chosen])
        low, high = extremes.get(name, (0.0, 0.0))
        extremes[name] = (min(low, float(flat.min())), max(high, float(flat.max())))

    with torch.no_grad():
        for pixels, _ in calibration.batches(batch):
            run(model, pixels, keep)
    ranges = {name: best_range(torch.cat(parts).numpy(), *extremes[name])
              for name, parts in samples.items()}
    ranges[model.graph.input[0].name] = (0.0, 1.0)
    return ranges


def best_range(values, low, high):
    """The shrunken (low, high) whose quantisation error on `values` is the least."""
    best, least = (low, high), np.inf
    for shrink in SHRINKS:
        scale, zero = scale_and_zero(low * shrink, high * shrink)
        steps = np.clip(np.round(values / scale) + zero, 0, ACTIVATION_STEPS)
        error = float(np.square((steps - zero) * scale - values).sum())
        if error < least:
            best, least = (low * shrink, high * shrink), error
    return best


def scale_and_zero(low, high):
    low, high = min(low, 0.0), max(high, 0.0)
    scale = np.float32(max((high - low) / ACTIVATION_STEPS, 1e-8))
    return scale, np.uint8(np.clip(round(-low / float(scale)), 0, ACTIVATION_STEPS))


def aligned(model, ranges):
    """The ranges, made one where a node only moves or picks bytes: then it needs no arithmetic.

    What a Concat joins takes the range of the whole, through chains of them; what a MaxPool, a
    Flatten or a nearest Resize passes on keeps the range it came with.
    """
    ranges = dict(ranges)
    for node in reversed(model.graph.node):
        if node.op_type == "Concat":
            for name in node.input:
                ranges[name] = ranges[node.output[0]]
    for node in model.graph.node:
        if node.op_type in ("Flatten", "MaxPool", "Resize"):
            ranges[node.output[0]] = ranges[node.input[0]]
    return ranges


def correct_biases(model, quantised, calibration):
    """Shifts every bias so that its layer's outputs keep their mean over the calibration images.

    One walk through the quantised graph: each layer sees the corrected layers before it.
    """
    pixels, _ = calibration.batch(slice(0, CORRECTION_IMAGES))
    initializers = {tensor.name: tensor for tensor in quantised.graph.initializer}
    layers = {node.output[0]: node.input[2] for node in quantised.graph.node
              if node.op_type in ("Conv", "Gemm") and f"{node.input[2]}.steps" in initializers}
    means = {}

    def mean_of(tensor):
        return tensor.mean([axis for axis in range(tensor.ndim) if axis != 1])

    def record(name, tensor):
        if name in layers:
            means[name] = mean_of(tensor)

    def correct(name, tensor):
        if name not in layers:
            return None
        steps = initializers[f"{layers[name]}.steps"]
        scale = numpy_helper.to_array(initializers[f"{layers[name]}.scale"])
        change = torch.round((mean_of(tensor) - means[name]) / torch.from_numpy(scale.copy()))
        values = numpy_helper.to_array(steps) - change.numpy().astype(np.int32)
        steps.CopyFrom(numpy_helper.from_array(values.astype(np.int32), steps.name))
        shift = change * torch.from_numpy(scale.copy())
        return tensor - shift.reshape([-1 if axis == 1 else 1 for axis in range(tensor.ndim)])

    with torch.no_grad():
        run(model, pixels, record)
        run(quantised, pixels, correct)


class _Quantiser:
    def __init__(self, model, ranges, last_in_float):
        self.model = model
        self.last_in_float = last_in_float
        self.ranges = aligned(model, ranges)
        self.weights = weights_of(model)
        self.nodes = []
        self.initializers = []
        self.results = {item.name for item in model.graph.output}  # stay float
        self.parameters = {}  # activation name -> (scale, zero)
        readers = {}
        for node in model.graph.node:
            for name in node.input:
                readers.setdefault(name, []).append(node)
        # A tensor that only a ReLU reads is never stored: the pair follows the ReLU.
        self.unstored = {name for name, nodes in readers.items()
                         if [node.op_type for node in nodes] == ["Relu"]}

    def build(self):
        entry = self.model.graph.input[0].name
        self.store(entry, entry, *scale_and_zero(*self.ranges[entry]))
        for node in self.model.graph.node:
            self.place(node)
        return model_of(self.nodes, self.initializers, self.model.graph.input,
                        self.model.graph.output)

    def place(self, node):
        copy = helper.make_node(node.op_type, [], list(node.output), node.name)
        copy.attribute.extend(node.attribute)
        copy.input.extend(self.weight_inputs(node) if node.op_type in ("Conv", "Gemm")
                          else [self.read(name) for name in node.input])
        self.nodes.append(copy)
        output = node.output[0]
        if output in self.results or output in self.unstored:
            return
        self.store(output, output, *scale_and_zero(*self.ranges[output]))

    def read(self, name):
        if name in self.weights:  # an operator's setting
            return self.constant(name, self.weights[name])
        return name if not name or name in self.unstored else f"{name}.real"

    def constant(self, name, values):
        self.initializers.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def store(self, name, source, scale, zero):
        """Adds source -> QuantizeLinear -> DequantizeLinear -> `name`.real."""
        self.parameters[name] = (scale, zero)
        pair = [self.constant(f"{name}.scale", scale), self.constant(f"{name}.zero", zero)]
        self.nodes.append(helper.make_node(
            "QuantizeLinear", [source, *pair], [f"{name}.steps"], f"{name}.quantize"))
        self.nodes.append(helper.make_node(
            "DequantizeLinear", [f"{name}.steps", *pair], [f"{name}.real"], f"{name}.dequantize"))

    def weight_inputs(self, node):
        source, weight_name, bias_name = node.input
        weight = self.weights[weight_name]
        if self.last_in_float and node.output[0] in self.results:
            return [self.read(source), self.constant(weight_name, weight),
                    self.constant(bias_name, self.weights[bias_name])]
        largest = np.abs(weight).reshape(len(weight), -1).max(1)
        scale = np.maximum(largest / WEIGHT_LIMIT, 1e-8).astype(np.float32)
        shape = (-1,) + (1,) * (weight.ndim - 1)
        steps = np.clip(np.round(weight / scale.reshape(shape)), -WEIGHT_LIMIT - 1, WEIGHT_LIMIT)
        bias_scale = scale * self.parameters[source][0]
        bias_steps = np.round(self.weights[bias_name] / bias_scale)
        return [self.read(source),
                self.dequantized(weight_name, steps.astype(np.int8), scale, np.int8),
                self.dequantized(bias_name, bias_steps.astype(np.int32), bias_scale, np.int32)]

    def dequantized(self, name, steps, scale, kind):
        inputs = [self.constant(f"{name}.steps", steps), self.constant(f"{name}.scale", scale),
                  self.constant(f"{name}.zero", np.zeros(len(scale), kind))]
        self.nodes.append(helper.make_node(
            "DequantizeLinear", inputs, [name], f"{name}.dequantize", axis=0))
        return name
