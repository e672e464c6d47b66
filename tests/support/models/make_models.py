#!/usr/bin/python3
"""Makes the tiny ONNX models that the engine tests load, and what they must answer.

Run by hand (python3-onnx, python3-numpy); its outputs are committed beside it.
  tiny-gap   3x8x8 -> conv 4, ReLU, global average, Gemm 5
  tiny-flat  3x8x8 -> conv 4, ReLU, Flatten, Gemm 5       (so that the image size matters)
  tiny-fp16  tiny-gap with its weights stored as fp16 and cast back
  tiny-int8  tiny-gap with quantise-dequantise pairs around the convolution
  tiny-alien tiny-gap with an operator that no runtime knows in place of its ReLU
The input of image k is input[i] = ((37 i + 11 k) mod 101) / 101; <model>.logits.txt holds the logits of
images 0..3, computed here with NumPy, one image per line.
"""
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
random = np.random.default_rng(20261120)
conv_w = random.normal(0, 0.3, (4, 3, 3, 3)).astype(np.float32)
conv_b = random.normal(0, 0.1, 4).astype(np.float32)
gap_w = random.normal(0, 1, (5, 4)).astype(np.float32)
flat_w = random.normal(0, 0.2, (5, 64)).astype(np.float32)
gemm_b = random.normal(0, 0.1, 5).astype(np.float32)


def images():
    i = np.arange(3 * 8 * 8)
    return np.stack([((37 * i + 11 * k) % 101 / 101.0).reshape(3, 8, 8) for k in range(4)]).astype(np.float64)


def conv(x):  # 3x3, stride 2, padding 1, ReLU
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    out = np.zeros((len(x), 4, 4, 4))
    for row in range(4):
        for column in range(4):
            patch = padded[:, :, 2 * row:2 * row + 3, 2 * column:2 * column + 3]
            out[:, :, row, column] = np.tensordot(patch, conv_w, ([1, 2, 3], [1, 2, 3])) + conv_b
    return np.maximum(out, 0)


def save(name, nodes, weights, domains=()):
    graph = helper.make_graph(
        nodes, name,
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["batch", 3, 8, 8])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 5])],
        [numpy_helper.from_array(value, key) for key, value in weights.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13), *(helper.make_opsetid(d, 1) for d in domains)],
                              producer_name="saccade")
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, HERE / f"{name}.onnx")


def save_logits(name, logits):
    lines = [" ".join(f"{value:.7f}" for value in row) for row in logits]
    (HERE / f"{name}.logits.txt").write_text("\n".join(lines) + "\n")


def conv_node(x, w, b):
    return helper.make_node("Conv", [x, w, b], ["c"], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])


def head(x):
    return [helper.make_node("Relu", [x], ["r"]),
            helper.make_node("GlobalAveragePool", ["r"], ["p"]),
            helper.make_node("Flatten", ["p"], ["f"], axis=1),
            helper.make_node("Gemm", ["f", "gw", "gb"], ["logits"], transB=1)]


weights = {"cw": conv_w, "cb": conv_b, "gw": gap_w, "gb": gemm_b}
save("tiny-gap", [conv_node("input", "cw", "cb"), *head("c")], weights)
save_logits("tiny-gap", conv(images()).mean((2, 3)) @ gap_w.T + gemm_b)

save("tiny-flat",
     [conv_node("input", "cw", "cb"), helper.make_node("Relu", ["c"], ["r"]),
      helper.make_node("Flatten", ["r"], ["f"], axis=1),
      helper.make_node("Gemm", ["f", "gw", "gb"], ["logits"], transB=1)],
     weights | {"gw": flat_w})
save_logits("tiny-flat", conv(images()).reshape(4, 64) @ flat_w.T + gemm_b)

save("tiny-fp16",
     [helper.make_node("Cast", ["cw16"], ["cw"], to=TensorProto.FLOAT), conv_node("input", "cw", "cb"),
      *head("c")],
     {"cw16": conv_w.astype(np.float16), "cb": conv_b, "gw": gap_w, "gb": gemm_b})

scale = (np.abs(conv_w).max((1, 2, 3)) / 63).astype(np.float32)
save("tiny-int8",
     [helper.make_node("QuantizeLinear", ["input", "is", "iz"], ["iq"]),
      helper.make_node("DequantizeLinear", ["iq", "is", "iz"], ["id"]),
      helper.make_node("DequantizeLinear", ["cq", "cs", "cz"], ["cw"], axis=0),
      conv_node("id", "cw", "cb"), *head("c")],
     {"is": np.float32(1 / 255), "iz": np.uint8(0),
      "cq": np.round(conv_w / scale[:, None, None, None]).astype(np.int8), "cs": scale,
      "cz": np.zeros(4, np.int8), "cb": conv_b, "gw": gap_w, "gb": gemm_b})

save("tiny-alien",
     [conv_node("input", "cw", "cb"), helper.make_node("Sparkle", ["c"], ["s"], domain="org.example"),
      *head("s")],
     weights, ["org.example"])
