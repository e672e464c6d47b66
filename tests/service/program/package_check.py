"""Tries a Debian package out without installing it: it is unpacked into a folder, and run from there.

    package_check.py FILE.deb      exit 0: as it should be; else says what is not

The unit is looked at where there is a systemd-analyze, the manual pages where there is a groff.
"""
import gzip
import json
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from running import Service

MOST_EXPOSURE = 3.0  # of systemd-analyze security: 0 is safest, 10 nothing at all
EXPECTED = ["usr/bin/saccade", "etc/saccade/saccade.json", "usr/share/saccade/schema/config.schema.json",
            "usr/share/saccade/examples/cameras.json", "usr/share/saccade/examples/control/more_frames.py",
            "usr/share/saccade/examples/monitoring/saccade-alerts.yml", "usr/share/saccade/examples/monitoring/saccade-fleet-alerts.yml", "usr/share/saccade/profiles/zoo/mobilenet_v2-glyphs.json",
            "usr/share/doc/saccade/copyright", "usr/share/doc/saccade/changelog.gz", "usr/share/doc/saccade/README.md", "usr/share/man/man1/saccade.1.gz"]
PLACES = ("usr/bin/", "usr/lib/saccade/", "usr/share/saccade/", "usr/share/doc/saccade/", "usr/share/man/man1/",
          "etc/saccade/", "lib/systemd/system/", "usr/lib/systemd/system/")


def said(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def check_files(package, root):
    paths = {str(path.relative_to(root)): path for path in root.rglob("*") if not path.is_dir()}
    missing = [name for name in EXPECTED if name not in paths]
    assert not missing, f"not in the package: {missing}"
    astray = [name for name in paths if not name.startswith(PLACES)]
    assert not astray, f"where nothing of the package belongs: {astray}"
    for path in root.rglob("*"):
        assert path.is_symlink() or not path.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH), f"{path}: anybody may write"
    assert paths["usr/bin/saccade"].stat().st_mode & stat.S_IXOTH, "the program cannot be run"
    assert "not stripped" not in said("file", paths["usr/bin/saccade"])
    control = said("dpkg-deb", "-f", package)
    assert re.search(r"^Depends: .*libc6", control, re.M), control
    listed = said("dpkg-deb", "-I", package, "conffiles").split()
    assert listed == ["/etc/saccade/saccade.json"], f"an upgrade would replace what was changed: {listed}"
    return len(paths)


def check_unit(root, folder):
    unit = next(root.glob("**/saccade.service"))
    if shutil.which("systemd-analyze") is None:
        return "unit not checked (no systemd-analyze)"
    here = folder / "saccade.service"
    here.write_text(unit.read_text().replace("/usr/bin/saccade", str(root / "usr/bin/saccade")))
    words = said("systemd-analyze", "verify", "--man=no", here)
    assert "saccade.service" not in words, words
    words = said("systemd-analyze", "security", "--offline=true", f"--threshold={int(MOST_EXPOSURE * 10)}", unit)
    return "unit: " + re.search(r"exposure level .*: ([0-9.]+)", words)[1]


def check_manual(root, verbs):
    pages = {path.name: gzip.decompress(path.read_bytes()).decode() for path in (root / "usr/share/man/man1").iterdir()}
    expected = {"saccade.1.gz", *(f"saccade-{verb}.1.gz" for verb in verbs)}
    assert set(pages) == expected, f"manual pages: {sorted(set(pages) ^ expected)}"
    missing = [verb for verb in verbs if not re.search(rf"^{verb}\b", pages["saccade.1.gz"], re.M)]
    assert not missing, f"saccade(1) does not name {missing}"
    if shutil.which("groff") is None:
        return f"{len(pages)} manual pages, not rendered (no groff)"
    for name, page in pages.items():
        done = subprocess.run(["groff", "-man", "-ww", "-Tutf8"], input=page.encode(), capture_output=True)
        assert done.returncode == 0 and not done.stderr, f"{name}: {done.stderr.decode()}"
        text = re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout.decode())
        assert text.startswith(name.removesuffix(".1.gz").upper() + "(1)"), f"{name} calls itself {text[:40]!r}"
        for section in ("NAME", "SYNOPSIS", "DESCRIPTION"):
            assert section in text, f"{name} has no {section}"
    return f"{len(pages)} manual pages"


def check_program(root, folder):
    """The packaged configuration, served from the folder: paths and port are those of the folder, no more."""
    saccade = root / "usr/bin/saccade"
    for example in (root / "usr/share/saccade/examples").glob("*.json"):
        said(saccade, *(("fleet", "check") if example.name == "fleet.json" else ("check",)), example)
    text = (root / "etc/saccade/saccade.json").read_text().replace("/usr/share", str(root / "usr/share"))
    config = json.loads(text)
    config["api"]["listen"] = "127.0.0.1:0"
    with Service(str(saccade), folder / "run", config, ["--state-dir", str(folder / "state")]) as service:
        service.serving()
        assert service.ask("GET", "/readyz?verbose")[0] == 200
        while service.get("/v1/status")["tasks"][0]["frames"]["processed"] == 0:
            pass
        bundled = list((root / "usr/lib").glob("saccade/libonnxruntime*"))
        maps = pathlib.Path(f"/proc/{service.process.pid}/maps").read_text()
        used = set(re.findall(r"/\S*libonnxruntime\S*", maps))
        assert not bundled or used == {str(bundled[0])}, f"runs on {used}, not on the library of the package"
        assert service.end() == 0, service.printed()
    assert (folder / "state/state.json").exists()


def main():
    package = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        root = folder / "root"
        said("dpkg-deb", "-x", package, root)
        files = check_files(package, root)
        help_text = said(root / "usr/bin/saccade", "--help")
        verbs = re.findall(r"^  ([a-z]+)  ", help_text.partition("Verbs")[2].partition("\n\n")[0], re.M)
        assert len(verbs) > 10, help_text
        manual = check_manual(root, verbs)
        unit = check_unit(root, folder)
        check_program(root, folder)
        print(f"{package.name}: {files} files, {manual}, {unit}; serves its own configuration")


main()
