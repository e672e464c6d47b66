#!/usr/bin/python3
"""Makes the graphs of tests/vision/model/models: one per family, each with the ports, shapes, types and metadata
of a real export and next to no weights (every output is the mean of the input, spread over the output's shape).
ONNX Runtime loads and runs them. Needs Debian's python3-onnx; the files are committed, so that the tests need
neither.

    tests/vision/model/make_models.py            (from anywhere)
"""
import pathlib

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

FOLDER = pathlib.Path(__file__).parent / "models"
FLOAT, UINT8, INT64 = TensorProto.FLOAT, TensorProto.UINT8, TensorProto.INT64
COCO = ("person bicycle car motorcycle airplane bus train truck boat|traffic light|fire hydrant|stop sign|parking meter|"
        "bench bird cat dog horse sheep cow elephant bear zebra giraffe backpack umbrella handbag tie suitcase frisbee "
        "skis snowboard|sports ball|kite|baseball bat|baseball glove|skateboard surfboard|tennis racket|bottle|"
        "wine glass|cup fork knife spoon bowl banana apple sandwich orange broccoli carrot|hot dog|pizza donut cake "
        "chair couch|potted plant|bed|dining table|toilet tv laptop mouse remote keyboard|cell phone|microwave oven "
        "toaster sink refrigerator book clock vase scissors|teddy bear|hair drier|toothbrush")


def coco_names():
    names = []
    for part in COCO.split("|"):
        whole = part in ("traffic light", "fire hydrant", "stop sign", "parking meter", "sports ball", "baseball bat",
                         "baseball glove", "tennis racket", "wine glass", "hot dog", "potted plant", "dining table",
                         "cell phone", "teddy bear", "hair drier")
        names += [part] if whole else part.split()
    assert len(names) == 80, len(names)
    return names


def model(name, inputs, outputs, metadata=None, last=(), producer="pytorch", listed_weights=False):
    """inputs, outputs: (name, type, shape); `last`: kinds of nodes between the mean and each output."""
    nodes = [helper.make_node("Cast", [inputs[0][0]], ["real"], to=FLOAT),
             helper.make_node("ReduceMean", ["real"], ["mean"], keepdims=0)]
    weights = []
    for port, kind, shape in outputs:
        numbers = [side if isinstance(side, int) else 1 for side in shape]
        weights.append(numpy_helper.from_array(numpy.array(numbers, dtype=numpy.int64), port + "_shape"))
        nodes.append(helper.make_node("Expand", ["mean", port + "_shape"], [port + "_0"]))
        at = port + "_0"
        for step, op in enumerate(last):
            nodes.append(helper.make_node(op, [at], [f"{port}_{step + 1}"]))
            at = f"{port}_{step + 1}"
        nodes.append(helper.make_node("Cast", [at], [port], to=kind) if kind != FLOAT else
                     helper.make_node("Identity", [at], [port]))
    ports = [helper.make_tensor_value_info(*port) for port in inputs]
    if listed_weights:
        ports += [helper.make_tensor_value_info(w.name, INT64, list(w.dims)) for w in weights]
    graph = helper.make_graph(nodes, name, ports, [helper.make_tensor_value_info(*port) for port in outputs], weights)
    made = helper.make_model(graph, producer_name=producer, producer_version="2.1.0",
                             opset_imports=[helper.make_opsetid("", 12)])
    made.ir_version = 7
    if metadata:
        helper.set_model_props(made, {key: str(value) for key, value in metadata.items()})
    onnx.checker.check_model(made)
    onnx.save(made, FOLDER / f"{name}.onnx")


def daylight(size):
    """A classifier that works: is the picture dark or bright? Logits from the mean of the pixels, 0 ... 1."""
    weights = [numpy_helper.from_array(numpy.array([[-8, 8]], dtype=numpy.float32), "slope"),
               numpy_helper.from_array(numpy.array([4, -4], dtype=numpy.float32), "threshold"),
               numpy_helper.from_array(numpy.array([1, 1], dtype=numpy.int64), "row")]
    nodes = [helper.make_node("AveragePool", ["pixels"], ["smooth"], kernel_shape=[4, 4], strides=[4, 4]),
             helper.make_node("ReduceMean", ["smooth"], ["mean"], keepdims=0),
             helper.make_node("Reshape", ["mean", "row"], ["brightness"]),
             helper.make_node("MatMul", ["brightness", "slope"], ["slopes"]),
             helper.make_node("Add", ["slopes", "threshold"], ["logits"])]
    graph = helper.make_graph(nodes, "daylight", [helper.make_tensor_value_info("pixels", FLOAT, [1, 3, size, size])],
                              [helper.make_tensor_value_info("logits", FLOAT, [1, 2])], weights)
    made = helper.make_model(graph, producer_name="pytorch", producer_version="2.1.0",
                             opset_imports=[helper.make_opsetid("", 12)])
    made.ir_version = 7
    onnx.checker.check_model(made)
    onnx.save(made, FOLDER / f"daylight-{size}.onnx")


def ultralytics(task, size, names, **more):
    return {"description": f"Ultralytics model {task}", "author": "Ultralytics", "date": "2026-01-01", "version": "8.3.0",
            "license": "AGPL-3.0", "stride": 32, "task": task, "batch": 1, "imgsz": [size, size],
            "names": dict(enumerate(names)), **more}


def images(size, channels=3, name="images", batch=1):
    return [(name, FLOAT, [batch, channels, size, size])]


def main():
    FOLDER.mkdir(exist_ok=True)
    coco = coco_names()
    args = {"args": {"batch": 1, "half": False, "nms": False, "simplify": True}, "channels": 3}
    model("yolo11n", images(320), [("output0", FLOAT, [1, 84, 2100])], ultralytics("detect", 320, coco, **args))
    model("yolo11n-open", [("images", FLOAT, ["batch", 3, "height", "width"])],
          [("output0", FLOAT, ["batch", 84, "anchors"])], ultralytics("detect", 640, coco, **args))
    model("yolo11n-seg", images(320), [("output0", FLOAT, [1, 116, 2100]), ("output1", FLOAT, [1, 32, 80, 80])],
          ultralytics("segment", 320, coco))
    model("yolo11n-pose", images(320), [("output0", FLOAT, [1, 56, 2100])],
          ultralytics("pose", 320, ["person"], kpt_shape=[17, 3]))
    model("yolo11n-obb", images(320), [("output0", FLOAT, [1, 20, 2100])],
          ultralytics("obb", 320, [f"thing {i}" for i in range(15)]))
    model("yolo11n-cls", images(224), [("output0", FLOAT, [1, 10])],
          ultralytics("classify", 224, [f"n{i:08}" for i in range(10)]), last=("Softmax",))
    model("yolov10n", images(640), [("output0", FLOAT, [1, 300, 6])], ultralytics("detect", 640, coco, end2end=True))
    model("yolov5s", images(640), [("output0", FLOAT, [1, 25200, 85])], {"stride": 32, "names": dict(enumerate(coco))})
    model("yolox", images(416), [("output", FLOAT, [1, 3549, 85])], last=("Sigmoid",))
    model("yolox-decoded", images(416), [("output", FLOAT, [1, 3549, 85])], last=("Exp",))
    model("nanodet-plus", images(320, name="data"), [("output", FLOAT, [1, 2125, 112])])
    model("ssd-tensorflow", [("input_tensor", UINT8, [1, "height", "width", 3])],
          [("detection_boxes", FLOAT, [1, 100, 4]), ("detection_classes", FLOAT, [1, 100]),
           ("detection_scores", FLOAT, [1, 100]), ("num_detections", FLOAT, [1])], producer="tf2onnx")
    model("rtdetr-deploy", images(640, batch="N") + [("orig_target_sizes", INT64, ["N", 2])],
          [("labels", INT64, ["N", 300]), ("boxes", FLOAT, ["N", 300, 4]), ("scores", FLOAT, ["N", 300])])
    model("rtdetr-raw", images(640, name="pixel_values"),
          [("logits", FLOAT, [1, 300, 80]), ("pred_boxes", FLOAT, [1, 300, 4])])
    model("detr", images(800, name="pixel_values"), [("logits", FLOAT, [1, 100, 92]), ("pred_boxes", FLOAT, [1, 100, 4])])
    model("rfdetr", images(560, name="input"), [("dets", FLOAT, [1, 300, 4]), ("labels", FLOAT, [1, 300, 91])])
    model("yolo-nas", images(320, name="input"), [("boxes", FLOAT, [1, 2100, 4]), ("scores", FLOAT, [1, 2100, 80])])
    model("resnet", [("input", FLOAT, ["batch", 3, 224, 224])], [("logits", FLOAT, ["batch", 1000])], listed_weights=True)
    model("mobilenet-tf", [("input", FLOAT, ["batch", 224, 224, 3])], [("probabilities", FLOAT, ["batch", 1001])],
          last=("Softmax",), producer="tf2onnx")
    model("blazeface", [("input", FLOAT, [1, 128, 128, 3])],
          [("regressors", FLOAT, [1, 896, 16]), ("classificators", FLOAT, [1, 896, 1])])
    daylight(32)
    daylight(64)
    model("text-detector", [("x", FLOAT, ["batch", 3, "height", "width"])], [("map", FLOAT, ["batch", 1, "height", "width"])])
    model("text-reader", [("x", FLOAT, [1, 3, 48, 320])], [("softmax", FLOAT, [1, 40, 97])], last=("Softmax",))


if __name__ == "__main__":
    main()
