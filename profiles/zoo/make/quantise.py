"""Post-training quantisation to int8 with QuantizeLinear/DequantizeLinear pairs.

Activations are uint8 with one scale per tensor; weights are int8 with one scale per output channel,
symmetric, in the reduced range -64 .. 63: the u8 x s8 kernels of CPUs without VNNI add two products
in 16 bits, which overflow with full-range weights. Biases are int32 in the product of both scales.
Ranges of activations minimise the squared error on the calibration images.

With `compensate` channels share their ranges first (cross-layer equalisation: Nagel et al. 2019), and what rounding
a weight changes is made up for by the weights that are rounded after it (OPTQ: Frantar et al. 2023).
"""

import numpy as np
import torch
from onnx import helper, numpy_helper
from torch.nn import functional

from graph_tools import model_of, run, weights_of

WEIGHT_LIMIT = 63
ACTIVATION_STEPS = 255
SAMPLES_PER_BATCH = 4000
CORRECTION_IMAGES = 256
DAMPING = 0.01  # of the mean of a layer's input power
MOST_SCALING = 8.0  # of a channel
SHRINKS = np.linspace(1.0, 0.4, 31)


def quantise(model, calibration, last_in_float=False, compensate=False):
    """`last_in_float`: the layers that give the graph's outputs keep float weights."""
    if compensate:
        model = equalised(model)
    ranges = activation_ranges(model, calibration)
    powers = input_powers(model, calibration) if compensate else {}
    quantised = _Quantiser(model, ranges, last_in_float, powers).build()
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


def equalised(model):
    """The same function with the weights before and after every channel of one size.

    A channel that a convolution makes, a ReLU passes on and convolutions alone read may be scaled by any
    positive number if what reads it is scaled back.
    """
    weights = {name: values.copy() for name, values in weights_of(model).items()}
    readers = {}
    for node in model.graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    for node in model.graph.node:
        relus = readers.get(node.output[0], [])
        if node.op_type != "Conv" or [each.op_type for each in relus] != ["Relu"]:
            continue
        after = readers.get(relus[0].output[0], [])
        if not after or any(each.op_type != "Conv" or _groups(each) != 1 for each in (node, *after)):
            continue
        weight, bias = (weights[name] for name in node.input[1:])
        made = np.abs(weight).reshape(len(weight), -1).max(1)
        read = np.max([np.abs(weights[each.input[1]]).max((0, 2, 3)) for each in after], axis=0)
        alive = (made > 0) & (read > 0)
        factor = np.where(alive, np.sqrt(np.where(alive, read, 1) / np.where(alive, made, 1)), 1)
        factor = np.clip(factor, 1 / MOST_SCALING, MOST_SCALING).astype(np.float32)
        weight *= factor.reshape(-1, 1, 1, 1)
        bias *= factor
        for each in after:
            weights[each.input[1]] /= factor.reshape(1, -1, 1, 1)
    initializers = [numpy_helper.from_array(values, name) for name, values in weights.items()]
    return model_of(list(model.graph.node), initializers, model.graph.input, model.graph.output)


def _groups(node):
    return next((item.i for item in node.attribute if item.name == "group"), 1)


def input_powers(model, calibration, batch=64):
    """Weight name -> mean of x x' over the inputs x of a convolution's products, [I k k, I k k]."""
    layers = {}
    for node in model.graph.node:
        if node.op_type == "Conv":
            layers.setdefault(node.input[0], []).append(node)
    shapes = {name: values.shape for name, values in weights_of(model).items()}
    sums, counts = {}, {}

    def keep(name, tensor):
        for node in layers.get(name, ()):
            if _groups(node) != 1:
                continue
            options = {item.name: helper.get_attribute_value(item) for item in node.attribute}
            weight = node.input[1]
            columns = functional.unfold(tensor, shapes[weight][2:], padding=tuple(options["pads"][:2]),
                                        stride=tuple(options["strides"]))
            columns = columns.transpose(0, 1).flatten(1)
            sums[weight] = sums.get(weight, 0) + (columns @ columns.T).double()
            counts[weight] = counts.get(weight, 0) + columns.shape[1]

    with torch.no_grad():
        for pixels, _ in calibration.batches(batch):
            keep(model.graph.input[0].name, pixels)
            run(model, pixels, keep)
    return {weight: (total / counts[weight]).numpy() for weight, total in sums.items()}


def compensated(weight, scale, power):
    """Steps of a weight [O, ...]: one column after the other is rounded, and the later ones take over its error."""
    rest = weight.reshape(len(weight), -1).astype(np.float64)
    damped = power + DAMPING * np.trace(power) / len(power) * np.eye(len(power))
    # Columns of much power first: their errors cost most, and all the others can make up for them.
    order = np.argsort(-np.diag(damped))
    rest = rest[:, order]
    upper = np.linalg.cholesky(np.linalg.inv(damped[np.ix_(order, order)])).T
    steps = np.empty_like(rest)
    for column in range(rest.shape[1]):
        steps[:, column] = np.clip(np.round(rest[:, column] / scale), -WEIGHT_LIMIT - 1, WEIGHT_LIMIT)
        error = (rest[:, column] - steps[:, column] * scale) / upper[column, column]
        rest[:, column + 1:] -= np.outer(error, upper[column, column + 1:])
    return steps[:, np.argsort(order)].reshape(weight.shape)


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
    def __init__(self, model, ranges, last_in_float, powers):
        self.model = model
        self.powers = powers
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
        if weight_name in self.powers:
            steps = compensated(weight, scale, self.powers[weight_name])
        else:
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
