"""Holds the readers and the JSON Schemas against each other: whatever a reader accepts, its schema
accepts too (so whatever a schema refuses, the reader refuses). Over the corpora of tests/app and
tests/profiles, every shipped example, and seeded changes of the good files; of the shipped fleet also its
cameras, boxes and policy, each as a document of its own.

    schema_agreement.py SACCADE      exit 0: they agree, 1: they do not, 77: python3-jsonschema is missing
"""
import copy
import json
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: the Debian package python3-jsonschema is not installed")
    sys.exit(77)

SACCADE = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parents[2]
CHANGES_PER_FILE = 150
CHANGES_OF_THE_FLEET = 400
ODD_VALUES = [None, True, False, 0, 1, -1, 0.5, 1.5, 2, 1000, 1e9, "", "x", "cpu", "a b", "time", "exact",
              [], {}, [1], [0, 0, 1, 1], {"grid": [2, 2]}, {"x": 1}]


def schema(name):
    text = subprocess.run([SACCADE, "schema", name], check=True, capture_output=True, text=True).stdout
    loaded = json.loads(text)
    jsonschema.Draft7Validator.check_schema(loaded)
    return jsonschema.Draft7Validator(loaded)


def places(value, found):
    """Every (container, key) of a document."""
    if isinstance(value, dict):
        entries = list(value.items())
    elif isinstance(value, list):
        entries = list(enumerate(value))
    else:
        entries = []
    for key, child in entries:
        found.append((value, key))
        places(child, found)
    return found


def changed(document, rng):
    document = copy.deepcopy(document)
    for _ in range(rng.randint(1, 2)):
        container, key = rng.choice(places(document, []))
        action = rng.randrange(4)
        if action == 0:
            del container[key]
        elif action == 1 and isinstance(container[key], (int, float)):
            container[key] = container[key] * rng.choice([-1, 0, 0.5, 2, 100])
        elif action == 2 and isinstance(container, dict):
            container[rng.choice(["extra", "loop", "weight", "cpus", "seed"])] = copy.deepcopy(rng.choice(ODD_VALUES))
        else:
            container[key] = copy.deepcopy(rng.choice(ODD_VALUES))
    return document


def documents(folder):
    return sorted(p for p in folder.glob("*.json") if p.name != "expected.json")


def load(path):
    """The document, or None when Python cannot read it either; the readers refuse such files anyway."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        return None


def documents_of(fleet):
    """Cameras, boxes and policy as a planner's API takes them, with and without what is optional there."""
    found = [("policy", fleet.get("policy", {}))]
    found += [("camera", camera) for camera in fleet["cameras"]]
    found += [("box", {key: value for key, value in box.items() if key != "kind"}) for box in fleet["boxes"]]
    found += [(name, {"format": 1, **{key: value for key, value in document.items() if key != "id"}})
              for name, document in found]
    return found


def check_fleets(rng):
    """Disagreements about the shipped fleet and changes of it."""
    schemas = {name: schema(name) for name in ("fleet", "camera", "box", "policy")}
    for name, wrong in (("camera", {"network": "x", "fps": 1, "extra": 1}), ("camera", {"fps": 1}),
                        ("camera", {"network": "x", "fps": 1, "format": 2}), ("box", {"kind": "post"}),
                        ("box", {"state": "off"}), ("policy", {"lease_seconds": 2})):
        assert not schemas[name].is_valid(wrong), f"schema {name} accepts {wrong}"
    shipped = json.loads((ROOT / "examples/fleet.json").read_text())
    for kind in shipped["kinds"].values():
        kind["profiles"] = [str((ROOT / "examples" / path).resolve()) for path in kind["profiles"]]
    fleets = [shipped] + [changed(shipped, rng) for _ in range(CHANGES_OF_THE_FLEET)]
    with tempfile.TemporaryDirectory() as temporary:
        paths = [pathlib.Path(temporary) / f"{number}.json" for number in range(len(fleets))]
        for path, fleet in zip(paths, fleets):
            path.write_text(json.dumps(fleet))
        output = subprocess.run([SACCADE, "fleet", "check", *map(str, paths)], capture_output=True, text=True).stdout
    good = {line.split(": ok, ")[0] for line in output.splitlines()}
    disagreements = accepted = refused_by_both = 0
    for path, fleet in zip(paths, fleets):
        errors = [("fleet", error) for error in schemas["fleet"].iter_errors(fleet)]
        if str(path) not in good:
            refused_by_both += bool(errors)
            continue
        accepted += 1
        for name, document in documents_of(fleet):
            errors += [(name, error) for error in schemas[name].iter_errors(document)]
        for name, error in errors:
            disagreements += 1
            print(f"the reader accepts, the schema {name} refuses /{'/'.join(map(str, error.path))}: {error.message}")
    print(f"{len(fleets)} fleets, {accepted} accepted by both, {refused_by_both} refused by both, "
          f"{disagreements} disagreements")
    assert str(paths[0]) in good, "the shipped fleet is refused"
    return disagreements + (accepted < 20) + (refused_by_both < 100)


def main():
    schemas = {"config": schema("config"), "profile": schema("profile")}
    app, profiles = ROOT / "tests/config/corpus", ROOT / "tests/profiles/corpus"
    rng = random.Random(20261120)
    with tempfile.TemporaryDirectory(dir=app) as temporary:
        # Beside the corpus, so that relative paths lead to the same files.
        files = documents(app / "bad") + documents(app / "good") + documents(ROOT / "examples")
        files += documents(profiles / "bad") + documents(profiles / "good") + documents(profiles / "drafts")
        for original in documents(app / "good") + documents(profiles / "good") + documents(profiles / "drafts"):
            for number in range(CHANGES_PER_FILE):
                path = pathlib.Path(temporary) / f"{original.stem}-{number}.json"
                path.write_text(json.dumps(changed(json.loads(original.read_text()), rng)))
                files.append(path)
        output = subprocess.run([SACCADE, "check", "--json", *map(str, files)], capture_output=True, text=True).stdout
        verdicts = json.loads(output)["files"]
        assert len(verdicts) == len(files)
        disagreements = accepted = refused_by_both = 0
        for path, verdict in zip(files, verdicts):
            document = load(path)
            if document is None:
                if verdict["ok"]:
                    print(f"{path}: the reader accepts what is no JSON")
                    disagreements += 1
                continue
            kind = "profile" if isinstance(document, dict) and "format" in document else "config"
            errors = list(schemas[kind].iter_errors(document))
            accepted += verdict["ok"]
            refused_by_both += bool(errors) and not verdict["ok"]
            if verdict["ok"] and errors:
                disagreements += 1
                error = errors[0]
                print(f"{path.name}: the reader accepts, the schema refuses "
                      f"/{'/'.join(map(str, error.path))}: {error.message}\n  {json.dumps(document)}")
        print(f"{len(files)} files, {accepted} accepted by both, {refused_by_both} refused by both, "
              f"{disagreements} disagreements")
        # A corpus that only ever went one way would prove nothing.
        enough = accepted >= 100 and refused_by_both >= 300
        return 1 if check_fleets(rng) or disagreements or not enough else 0


sys.exit(main())
