"""What a user has of a detector: ONNX files as Ultralytics' exporter leaves them (open sides, the size in the metadata),
and the same labelled pictures as COCO JSON, YOLO folders and CSV. The network is the zoo's, the pictures are its scenes.
"""
import json
import pathlib
import shutil

MODELS = pathlib.Path(__file__).resolve().parents[2] / "profiles/zoo/yard-detector"
WIDTH, HEIGHT = 320, 240  # of the pictures


def with_metadata(model, key, value):
    """The model file with one more entry of `metadata_props`: fields of protobuf may be appended."""
    def field(tag, content):
        assert len(content) < 128
        return bytes([tag, len(content)]) + content

    entry = field(0x0A, key.encode()) + field(0x12, value.encode())
    return model.read_bytes() + field(0x72, entry)


def write_models(folder, files):
    """`files`: by their names, without ending, the zoo's file and the size that the metadata says."""
    for name, (model, side) in files.items():
        (folder / f"{name}.onnx").write_bytes(with_metadata(MODELS / f"{model}.onnx", "imgsz", f"[{side}, {side}]"))


def write_data(folder, scenes, saccade):
    """`saccade(*arguments)` runs the program. yard-held_out.coco.json with its pictures; yolo/ with the part `val`;
    boxes/yard.csv, away from the pictures."""
    saccade("images", "--data-set", "yard", "--split", "held_out", "--count", scenes, "--png", "--size", f"{WIDTH}x{HEIGHT}",
            "--out", folder)
    coco = json.loads((folder / "yard-held_out.coco.json").read_text())
    names = {each["id"]: each["name"] for each in coco["categories"]}
    numbers = {name: number for number, name in enumerate(names.values())}
    rows = ["file,label,x,y,width,height"]
    for kind in ("images", "labels"):
        (folder / "yolo" / kind / "val").mkdir(parents=True)
    (folder / "yolo/data.yaml").write_text("names: [" + ", ".join(names.values()) + "]\n")
    for image in coco["images"]:
        file = pathlib.Path(image["file_name"])
        shutil.copy(folder / file, folder / "yolo/images/val" / file.name)
        lines = []
        for box in (each for each in coco["annotations"] if each["image_id"] == image["id"]):
            x, y, width, height = box["bbox"]
            label = names[box["category_id"]]
            rows.append(f"{file.name},{label},{x},{y},{width},{height}")
            lines.append(f"{numbers[label]} {(x + width / 2) / WIDTH!r} {(y + height / 2) / HEIGHT!r} "
                         f"{width / WIDTH!r} {height / HEIGHT!r}")
        (folder / "yolo/labels/val" / f"{file.stem}.txt").write_text("\n".join(lines) + "\n")
    (folder / "boxes").mkdir()
    (folder / "boxes/yard.csv").write_text("\n".join(rows) + "\n")
    return coco, names
