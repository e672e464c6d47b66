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


def export(network):
    """The network as a canonical fp32 model; BatchNorm is folded into the convolutions."""
    network = network.to(memory_format=torch.contiguous_format).eval()
    for parameter in network.parameters():
        parameter.requires_grad_(False)
    buffer = io.BytesIO()
    torch.onnx.export(
        network, torch.zeros(1, 3, SIDE, SIDE), buffer, opset_version=OPSET,
        input_names=["input"], output_names=["logits"],
        dynamic_axes={"input": {0: "batch"}, "logits": {0: "batch"}},
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

    names = {"input": "input", nodes[-1].output[0]: "logits"}
    initializers = []
    counts = {}
    for node in nodes:
        kind = node.op_type.lower()
        counts[kind] = counts.get(kind, 0) + 1
        node.name = f"{kind}_{counts[kind]}"
        for at, name in enumerate(node.input):
            if name in values:  # one private copy per use
                own = f"{node.name}.{('input', 'weight', 'bias')[at]}"
                initializers.append(numpy_helper.from_array(values[name], own))
                node.input[at] = own
            else:
                node.input[at] = names[name]
        for at, name in enumerate(node.output):
            node.output[at] = names.setdefault(name, node.name)
    return model_of(nodes, initializers, graph.output[0].type.tensor_type.shape.dim[1].dim_value)


def model_of(nodes, initializers, classes):
    graph = helper.make_graph(
        nodes, "network",
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["batch", 3, SIDE, SIDE])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", classes])],
        initializers,
    )
    model = helper.make_model(
        graph, producer_name=PRODUCER, opset_imports=[helper.make_opsetid("", OPSET)]
    )
    model.ir_version = 7
    onnx.checker.check_model(model, full_check=True)
    return model


def classes_of(model):
    return model.graph.output[0].type.tensor_type.shape.dim[1].dim_value


def weights_of(model):
    return {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}


def half_storage(model):
    """The same network with its weights stored as fp16 and cast to fp32 when it is loaded."""
    casts = []
    initializers = []
    for name, values in weights_of(model).items():
        initializers.append(numpy_helper.from_array(values.astype(np.float16), f"{name}.half"))
        casts.append(helper.make_node(
            "Cast", [f"{name}.half"], [name], f"{name}.cast", to=TensorProto.FLOAT))
    return model_of(casts + list(model.graph.node), initializers, classes_of(model))


def run(model, images, keep=None):
    """Evaluates the graph on a batch with torch.

    `keep(name, tensor)` sees every node's output and may return another tensor to go on with.
    """
    known = {name: torch.from_numpy(values.copy()) for name, values in weights_of(model).items()}
    known["input"] = images
    for node in model.graph.node:
        inputs = [known[name] for name in node.input]
        options = {item.name: helper.get_attribute_value(item) for item in node.attribute}
        result = OPERATORS[node.op_type](inputs, options)
        changed = keep(node.output[0], result) if keep else None
        known[node.output[0]] = result if changed is None else changed
    return known["logits"]


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


OPERATORS = {
    "Add": lambda inputs, options: inputs[0] + inputs[1],
    "AveragePool": lambda inputs, options: _pool(inputs, options, functional.avg_pool2d),
    "Cast": lambda inputs, options: inputs[0].float(),
    "Concat": lambda inputs, options: torch.cat(inputs, options["axis"]),
    "Conv": _convolve,
    "DequantizeLinear": _dequantize,
    "Flatten": lambda inputs, options: inputs[0].flatten(1),
    "Gemm": _gemm,
    "GlobalAveragePool": lambda inputs, options: inputs[0].mean((2, 3), keepdim=True),
    "MaxPool": lambda inputs, options: _pool(inputs, options, functional.max_pool2d),
    "QuantizeLinear": _quantize,
    "Relu": lambda inputs, options: inputs[0].relu(),
}
