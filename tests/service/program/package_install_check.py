"""Installs a Debian package on this machine, starts it, upgrades, removes and purges it.

    package_install_check.py FILE.deb      exit 0: as it should be; else says what is not

Changes this machine: for a root that is thrown away (scripts/other-release). There is no systemd in it, so the
service is started by the command line of its unit.
"""
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

CONFIG = pathlib.Path("/etc/saccade/saccade.json")
UNIT = "saccade.service"
PATIENCE = 60  # seconds


def said(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"})
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def installed_version():
    done = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", "saccade"], capture_output=True,
                          text=True)
    status, _, version = done.stdout.partition(" ")
    return version if status == "installed" else None


def upgraded(package, folder):
    """The same package under a higher version."""
    root = folder / "next"
    said("dpkg-deb", "-R", package, root)
    control = root / "DEBIAN/control"
    control.write_text(re.sub(r"^(Version: .*)$", r"\1+next", control.read_text(), flags=re.M))
    said("dpkg-deb", "-b", "--root-owner-group", root, folder / "next.deb")
    return folder / "next.deb"


def serve_once():
    """Starts the service as its unit does, waits until it is ready, and ends it; returns what it was ready with."""
    unit = next(path for path in (pathlib.Path("/usr/lib/systemd/system") / UNIT, pathlib.Path("/lib/systemd/system") / UNIT)
                if path.exists())
    line = re.search(r"^ExecStart=(.*)$", unit.read_text(), re.M)[1].replace("%S", "/var/lib")
    address = json.loads(CONFIG.read_text())["api"]["listen"]
    process = subprocess.Popen(line.split(), stderr=subprocess.PIPE, text=True)
    try:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                connection = http.client.HTTPConnection(address, timeout=5)
                connection.request("GET", "/readyz")
                if connection.getresponse().status == 200:
                    break
            except OSError:
                pass
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < end, "never ready"
            time.sleep(0.1)
        connection = http.client.HTTPConnection(address, timeout=5)
        connection.request("GET", "/v1/config")
        return json.loads(connection.getresponse().read())
    finally:
        process.send_signal(signal.SIGTERM)
        _, words = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, words


def main():
    package = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as temporary:
        said("apt-get", "install", "-y", "-q", "--no-install-recommends", package)
        first = installed_version()
        assert first, "not installed"
        assert said("saccade", "version"), "says nothing"
        said("saccade", "check", CONFIG)
        pathlib.Path("/var/lib/saccade").mkdir(exist_ok=True)
        serve_once()
        changed = CONFIG.read_text().replace('"fps": 10', '"fps": 7')
        assert changed != CONFIG.read_text()
        CONFIG.write_text(changed)
        said("apt-get", "install", "-y", "-q", "--no-install-recommends", upgraded(package, pathlib.Path(temporary)))
        assert installed_version() == first + "+next", installed_version()
        assert CONFIG.read_text() == changed, "the upgrade replaced a configuration that was changed"
        assert serve_once()["tasks"][0]["fps"] == 7
        said("apt-get", "remove", "-y", "-q", "saccade")
        assert installed_version() is None and not pathlib.Path("/usr/bin/saccade").exists()
        assert CONFIG.exists(), "removing took the configuration along"
        said("apt-get", "purge", "-y", "-q", "saccade")
        left = [path for path in ("/etc/saccade", "/var/lib/saccade", "/usr/share/saccade") if pathlib.Path(path).exists()]
        assert not left, f"left behind: {left}"
    print(f"{package.name}: installed, started, upgraded, started again, removed, purged")


main()
