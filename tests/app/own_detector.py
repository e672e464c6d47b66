"""A detector of the user, from its files to boxes, with the program alone: four ONNX files as Ultralytics' exporter
leaves them (open sides, the size in the metadata), a folder of labelled pictures, and a camera.

    own_detector.py SACCADE      exit 0: all of it works, 77: no engine library

The network is the zoo's detector under other names; nothing of its profile set is used.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from detector_files import HEIGHT, WIDTH, write_data, write_models

SACCADE = str(pathlib.Path(sys.argv[1]).resolve())
FILES = {"yolo-s-96": ("w0.50-fp32", 96), "yolo-s-128-int8": ("w0.50-int8", 128), "yolo-m-160-fp16": ("w0.75-fp16", 160),
         "yolo-l-192": ("w1.00-fp32", 192)}
SMALL, LARGE = "yolo-s-96", "yolo-l-192"
SCENES = 16
PATIENCE = 240
OK, FAILED, CONFIG = 0, 1, 78
folder = pathlib.Path()


def expect(holds, what):
    if not holds:
        sys.exit(f"own_detector.py: {what}")


def saccade(*args, code=OK):
    done = subprocess.run([SACCADE, *map(str, args)], cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode == 69:
        print(done.stderr)
        sys.exit(77)
    expect(done.returncode == code, f"{args}: exit code {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done


def read(name):
    return json.loads((folder / name).read_text())


def adopt():
    done = saccade("adopt", *(f"{name}.onnx" for name in FILES), "--out", "yard.json", "--json")
    report = json.loads(done.stdout)
    expect(report["open"] == [], f"adopt asks for what the files say: {report['open']}")
    draft = read("yard.json")
    expect([each["id"] for each in draft["variants"]] == list(FILES), "the files are the variants, by their names")
    sides = [each.get("input", draft["interface"]["input"]).get("width", draft["interface"]["input"]["width"])
             for each in draft["variants"]]
    expect(sides == [side for _, side in FILES.values()], f"sizes {sides}")
    expect([each["precision"] for each in draft["variants"]] == ["fp32", "int8", "fp16", "fp32"], "precisions")
    expect(draft["interface"]["task"] == "detect" and draft["interface"]["input"]["resize"] == "letterbox", "interface")
    expect(len(draft["labels"]) == 6, "labels are in the metadata")
    expect("draft" in saccade("check", "yard.json").stdout + saccade("check", "yard.json").stderr, "a draft is called one")


def accuracies(name):
    return {each["id"]: each["accuracy"] for each in read(name)["variants"]}


def profile(coco):
    saccade("profile", "yard.json", "--quick", "--data", "yard-held_out.coco.json")
    measured = read("yard.json")
    expect(measured["provenance"]["accuracy_source"] == "measured", "the source of the accuracies")
    expect(f"{SCENES} pictures" in measured["provenance"]["accuracy_data"], measured["provenance"]["accuracy_data"])
    for variant in measured["variants"]:
        low, high = variant["accuracy_interval"]
        expect(0 < low <= variant["accuracy"] <= high < 1, f"{variant['id']}: {low}, {variant['accuracy']}, {high}")
        expect(set(variant["frame_time_parts_seconds"]) == {"prepare", "infer", "decode"}, "parts of the frame time")
    of_coco = accuracies("yard.json")
    expect(of_coco[LARGE] > of_coco[SMALL], f"the large one is not the better one: {of_coco}")
    for data in (["yolo/images/val"], ["boxes/yard.csv", "--images", "yard-held_out"]):
        saccade("profile", "yard.json", "--quick", "--only", f"{SMALL},{LARGE}", "--out", "other.json", "--data", *data)
        for variant, accuracy in accuracies("other.json").items():
            expect(abs(accuracy - of_coco[variant]) < 1e-9, f"{variant} on {data[0]}: {accuracy}, not {of_coco[variant]}")
    expect("draft" not in saccade("check", "yard.json").stdout, "a measured set is no draft")


def refuse_mistakes():
    text = (folder / "boxes/yard.csv").read_text().splitlines()
    text[1] = text[1].replace(text[1].split(",")[1], "persn")
    text[2] = "missing" + text[2]
    (folder / "boxes/wrong.csv").write_text("\n".join(text) + "\n")
    before = (folder / "yard.json").read_bytes()
    done = saccade("profile", "yard.json", "--quick", "--data", "boxes/wrong.csv", "--images", "yard-held_out", code=CONFIG)
    expect("wrong.csv:2" in done.stderr and "did you mean `person`?" in done.stderr, done.stderr)
    expect("wrong.csv:3" in done.stderr, "all mistakes at once: " + done.stderr)
    expect((folder / "yard.json").read_bytes() == before, "the set was written")


def teach():
    done = saccade("profile", "yard.json", "--quick", "--only", f"{SMALL},{LARGE}", "--out", "taught.json", "--data",
                   "yard-held_out", "--teacher", LARGE)
    expect("against a teacher" in done.stdout, "the table does not name the teacher")
    taught = accuracies("taught.json")
    expect(read("taught.json")["provenance"]["accuracy_source"] == "teacher", "the source is the teacher")
    expect(taught[LARGE] == 1 and 0 < taught[SMALL] < 1, f"{taught}")
    # What a teacher says is not compared with what was measured.
    for source in ([], ["--teacher", LARGE]):
        set_file = "taught.json" if not source else "yard.json"
        data = ["--data", "yard-held_out.coco.json"] if not source else ["--data", "yard-held_out"]
        refused = saccade("profile", set_file, "--verify", "--only", f"{SMALL},{LARGE}", *data, *source, code=CONFIG)
        expect("teacher" in refused.stderr, refused.stderr)


def configure(pictures):
    task = {"fps": 5, "source": {"type": "images", "path": str(pictures)}}
    config = {"version": 1, "processors": [{"name": "cpu"}],
              "results": [{"id": "log", "type": "file", "path": str(folder / "boxes.jsonl")}],
              "tasks": [{**task, "id": "gate", "profiles": "yard.json"}]}
    (folder / "cameras.json").write_text(json.dumps(config, indent=1))
    config["tasks"].append({**task, "id": "yard", "profiles": "taught.json"})
    (folder / "mixed.json").write_text(json.dumps(config, indent=1))
    mixed = saccade("check", "mixed.json")
    expect("different sources" in mixed.stdout + mixed.stderr, "accuracies of two sources are mixed in silence")
    saccade("check", "cameras.json")
    plan = json.loads(saccade("plan", "cameras.json", "--json").stdout)
    expect(plan["tasks"][0]["granted_fps"] == 5, f"plan: {plan['tasks']}")
    return plan["tasks"][0]["variant"]


def overlap(a, b):
    """IoU of two boxes: left, top, width, height."""
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    both = max(width, 0) * max(height, 0)
    return both / (a[2] * a[3] + b[2] * b[3] - both)


def serve(coco, names):
    """One picture, that with the most objects, as a camera shows it: boxes lie where objects of their labels are."""
    def objects(image):
        return sum(each["image_id"] == image["id"] for each in coco["annotations"])

    image = max(coco["images"], key=objects)
    pictures = folder / "camera"
    pictures.mkdir()
    shutil.copy(folder / image["file_name"], pictures)
    variant = configure(pictures)
    saccade("run", "cameras.json", "--duration", "2s", "--json")
    records = [json.loads(line) for line in (folder / "boxes.jsonl").read_text().splitlines()]
    expect(records, "no frame was processed")
    truths = [(names[each["category_id"]], each["bbox"]) for each in coco["annotations"] if each["image_id"] == image["id"]]
    for record in records:
        expect(record["variant"] == variant and record["size"] == [WIDTH, HEIGHT], f"{record}")
        found = [each for each in record["objects"] for label, box in truths
                 if each["label"] == label and overlap(each["box"], box) >= 0.5]
        expect(found, f"{record['objects']}, not {truths}")


with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    write_models(folder, FILES)
    coco, names = write_data(folder, SCENES, saccade)
    adopt()
    profile(coco)
    refuse_mistakes()
    teach()
    serve(coco, names)
