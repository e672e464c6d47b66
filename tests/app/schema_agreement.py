"""Holds the readers and the JSON Schemas against each other: whatever a reader accepts, its schema
accepts too (so whatever a schema refuses, the reader refuses). Over the corpora of tests/app and
tests/profiles, every shipped example, and seeded changes of the good files.

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
        return 1 if disagreements or accepted < 100 or refused_by_both < 300 else 0


sys.exit(main())
