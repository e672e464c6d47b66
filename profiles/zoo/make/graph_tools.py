"""ONNX graphs for the zoo: export, canonical form, half-precision storage, and evaluation in torch.

The canonical form is what OpenCV 4.6 can read and the quantiser expects: no Constant or Identity
nodes, every initializer used under one name, tensors named after the node that makes them.
"""

import io

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch.nn import functional

OPSET = 13
SIDE = 64
PRODUCER = "saccade zoo"
WEIGHTS = ("input", "weight", "bias")  # what the inputs of a convolution or linear layer are called
PARAMETERS = {"Resize": ("input", "region", "scales", "sizes")}


def export(network):
    """The network as a canonical fp32 model; BatchNorm is folded into the convolutions."""
    return exported(network, torch.zeros(1, 3, SIDE, SIDE), "input", ["logits"],
                    {"input": {0: "batch"}, "logits": {0: "batch"}})


def exported(network, example, input_name, output_names, dynamic_axes):
    network = network.to(memory_format=torch.contiguous_format).eval()
    for parameter in network.parameters():
        parameter.requires_grad_(False)
    buffer = io.BytesIO()
    torch.onnx.export(
        network, example, buffer, opset_version=OPSET, input_names=[input_name],
        output_names=output_names, dynamic_axes=dynamic_axes,
    )
    return canonical(onnx.load_from_string(buffer.getvalue()))


def canonical(model):
    graph = model.graph
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    alias = {}
    nodes = []
    for node in graph.node:
        inputs = [alias.get(name, name) for name in node.input]
        if node.op_type == "Constant":
            values[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
        elif node.op_type == "Identity":
            alias[node.output[0]] = inputs[0]
        else:
            copy = helper.make_node(node.op_type, inputs, list(node.output))
            copy.attribute.extend(node.attribute)
            nodes.append(copy)

    names = {item.name: item.name for item in (*graph.input, *graph.output)}
    names[""] = ""  # an optional input that is left out
    initializers = []
    counts = {}
    for node in nodes:
        kind = node.op_type.lower()
        counts[kind] = counts.get(kind, 0) + 1
        node.name = f"{kind}_{counts[kind]}"
        for at, name in enumerate(node.input):
            if name in values:  # one private copy per use
                own = f"{node.name}.{PARAMETERS.get(node.op_type, WEIGHTS)[at]}"
                initializers.append(numpy_helper.from_array(values[name], own))
                node.input[at] = own
            else:
                node.input[at] = names[name]
        for at, name in enumerate(node.output):
            node.output[at] = names.setdefault(name, node.name)
    return model_of(nodes, initializers, graph.input, graph.output)


def model_of(nodes, initializers, inputs, outputs):
    graph = helper.make_graph(nodes, "network", list(inputs), list(outputs), initializers)
    model = helper.make_model(
        graph, producer_name=PRODUCER, opset_imports=[helper.make_opsetid("", OPSET)]
    )
    model.ir_version = 7
    onnx.checker.check_model(model, full_check=True)
    return model


def weights_of(model):
    return {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}


def half_storage(model):
    """The same network with its weights stored as fp16 and cast to fp32 when it is loaded."""
    casts = []
    initializers = []
    for name, values in weights_of(model).items():
        if not name.endswith(WEIGHTS[1:]):  # an operator's setting, such as a scale
            initializers.append(numpy_helper.from_array(values, name))
            continue
        initializers.append(numpy_helper.from_array(values.astype(np.float16), f"{name}.half"))
        casts.append(helper.make_node(
            "Cast", [f"{name}.half"], [name], f"{name}.cast", to=TensorProto.FLOAT))
    return model_of(casts + list(model.graph.node), initializers, model.graph.input,
                    model.graph.output)


def run(model, images, keep=None):
    """Evaluates the graph on a batch with torch.

    `keep(name, tensor)` sees every node's output and may return another tensor to go on with.
    Returns the graph's output, or a list of them where it has several.
    """
    known = {name: torch.from_numpy(values.copy()) for name, values in weights_of(model).items()}
    known[model.graph.input[0].name] = images
    known[""] = None
    for node in model.graph.node:
        inputs = [known[name] for name in node.input]
        options = {item.name: helper.get_attribute_value(item) for item in node.attribute}
        result = OPERATORS[node.op_type](inputs, options)
        if isinstance(result, tuple):  # of a Split
            known.update(zip(node.output, result))
            continue
        changed = keep(node.output[0], result) if keep else None
        known[node.output[0]] = result if changed is None else changed
    outputs = [known[item.name] for item in model.graph.output]
    return outputs[0] if len(outputs) == 1 else outputs


def accuracy(model, images, batch=100):
    hits = 0
    with torch.no_grad():
        for pixels, labels in images.batches(batch):
            hits += int((run(model, pixels).argmax(1) == labels).sum())
    return hits / len(images)


def _convolve(inputs, options):
    before, after = options["pads"][:2], options["pads"][2:]
    if before != after:
        raise ValueError("padding differs between the sides")
    bias = inputs[2] if len(inputs) > 2 else None
    return functional.conv2d(inputs[0], inputs[1], bias, options["strides"], before,
                             options.get("dilations", [1, 1]), options.get("group", 1))


def _pool(inputs, options, pool):
    before, after = options["pads"][:2], options["pads"][2:]
    if before != after or options.get("ceil_mode") or options.get("count_include_pad"):
        raise ValueError("a kind of pooling that no network of the zoo uses")
    return pool(inputs[0], options["kernel_shape"], options["strides"], before)


def _gemm(inputs, options):
    if not options.get("transB") or options.get("transA"):
        raise ValueError("only x times the transposed weights is used")
    return functional.linear(inputs[0], inputs[1], inputs[2])


def _along(vector, tensor, axis):
    """A scale or zero point shaped to multiply `tensor` along `axis`."""
    shape = [-1 if at == axis else 1 for at in range(tensor.ndim)]
    return vector.float() if vector.ndim == 0 else vector.float().reshape(shape)


def _quantize(inputs, options):
    tensor, scale, zero = inputs
    limits = torch.iinfo(zero.dtype)
    axis = options.get("axis", 1)
    steps = torch.round(tensor / _along(scale, tensor, axis)) + _along(zero, tensor, axis)
    return steps.clamp(limits.min, limits.max).to(zero.dtype)


def _dequantize(inputs, options):
    tensor, scale = inputs[0].float(), inputs[1]
    axis = options.get("axis", 1)
    if len(inputs) > 2:
        tensor = tensor - _along(inputs[2], tensor, axis)
    return tensor * _along(scale, tensor, axis)


def _resize(inputs, options):
    if options["mode"] != b"nearest" or options["nearest_mode"] != b"floor":
        raise ValueError("a kind of resizing that no network of the zoo uses")
    rows, columns = (int(scale) for scale in inputs[2][2:])
    return inputs[0].repeat_interleave(rows, 2).repeat_interleave(columns, 3)


def _reshape(inputs, options):
    shape = [inputs[0].shape[at] if size == 0 else size for at, size in enumerate(inputs[1].tolist())]
    return inputs[0].reshape(shape)


def _filled(inputs, options):
    value = numpy_helper.to_array(options["value"])
    return torch.full(inputs[0].tolist(), value.item(), dtype=torch.from_numpy(value.copy()).dtype)


OPERATORS = {
    "Add": lambda inputs, options: inputs[0] + inputs[1],
    "AveragePool": lambda inputs, options: _pool(inputs, options, functional.avg_pool2d),
    "Cast": lambda inputs, options: inputs[0].float(),
    "Concat": lambda inputs, options: torch.cat(inputs, options["axis"]),
    "ConstantOfShape": _filled,
    "Conv": _convolve,
    "CumSum": lambda inputs, options: inputs[0].cumsum(int(inputs[1])),
    "DequantizeLinear": _dequantize,
    "Exp": lambda inputs, options: inputs[0].exp(),
    "Flatten": lambda inputs, options: inputs[0].flatten(1),
    "Gemm": _gemm,
    "GlobalAveragePool": lambda inputs, options: inputs[0].mean((2, 3), keepdim=True),
    "MaxPool": lambda inputs, options: _pool(inputs, options, functional.max_pool2d),
    "Mul": lambda inputs, options: inputs[0] * inputs[1],
    "QuantizeLinear": _quantize,
    "Relu": lambda inputs, options: inputs[0].relu(),
    "Reshape": _reshape,
    "Resize": _resize,
    "Shape": lambda inputs, options: torch.tensor(inputs[0].shape),
    "Sigmoid": lambda inputs, options: inputs[0].sigmoid(),
    "Split": lambda inputs, options: inputs[0].split(inputs[1].tolist(), options["axis"]),
    "Sub": lambda inputs, options: inputs[0] - inputs[1],
}
