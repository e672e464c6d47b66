"""A fleet of real processes on this machine, for scripts/fleet-demo and scripts/fleet-chaos: etcd, planners and boxes
with simulated engines, on loopback or each in a network namespace (local_network.py), so that each can be cut off from
the others. Every box writes a line per processed frame: what was served, when, and by which box is read from there, and
not from what a planner believes.
"""
import bisect
import collections
import ctypes
import datetime
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

from local_network import Loopback

ROOT = pathlib.Path(__file__).resolve().parent.parent
NETWORKS = {"mobilenet_v2-glyphs": "glyphs", "densenet-signs": "signs"}  # and the pictures for each
FPS = 2  # of a camera
PERIOD = 1 / FPS
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # whatever proxy this machine uses


class Failed(Exception):
    pass


def get(url, body=None, timeout=2, method=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    if method in ("PUT", "PATCH", "DELETE"):
        headers["If-Match"] = "*"  # whichever the document is
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    with DIRECT.open(request, timeout=timeout) as answer:
        return json.load(answer)


def dies_with_its_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Records:
    """What boxes processed, from the lines that they wrote: times since 1970 at which an inference ended."""

    def __init__(self, folder, boxes):
        self.folder = folder
        self.names = boxes
        self.frames = collections.defaultdict(lambda: collections.defaultdict(list))  # by camera, by box
        self.read_to = collections.Counter()

    def read(self):
        for box in self.names:
            path = self.folder / f"{box}.jsonl"
            if not path.exists():
                continue
            with open(path, "rb") as file:
                file.seek(self.read_to[box])
                for line in file:
                    if not line.endswith(b"\n"):
                        break  # is being written
                    self.read_to[box] += len(line)
                    try:
                        record = json.loads(line)
                    except ValueError:
                        continue  # broken off by kill -9
                    taken = datetime.datetime.fromisoformat(record["captured_at"].replace("Z", "+00:00"))
                    at = taken.timestamp() + record["age_seconds"]
                    bisect.insort(self.frames[record["task"]][box], at)
        return self

    def pauses(self, camera, since, until, least=0.0):
        """(begin, end) of times without a frame of the camera on any box, longer than `least`, of which a part lies
        between the two."""
        times = sorted(at for box in self.frames[camera].values() for at in box)
        first = max(bisect.bisect_right(times, since) - 1, 0)
        times = [at for at in times[first:] if at <= until]
        ends = ([] if first or (times and times[0] <= since) else [since]) + times + [until]
        return [(a, b) for a, b in zip(ends, ends[1:]) if b - a > least]

    def longest_pause(self, camera, since, until):
        return max((b - a for a, b in self.pauses(camera, since, until)), default=until - since)

    def spans(self, camera, box, apart=3 * PERIOD):
        """(begin, end) of times at which a box served a camera without interruption."""
        spans = []
        for at in self.frames[camera][box]:
            if spans and at - spans[-1][1] <= apart:
                spans[-1][1] = at
            else:
                spans.append([at, at])
        return spans

    def twice(self, camera, since, until):
        """(begin, end, box, box) of times at which two boxes served a camera."""
        found = []
        boxes = sorted(self.frames[camera])
        for i, one in enumerate(boxes):
            for other in boxes[i + 1:]:
                for a, b in self.spans(camera, one):
                    for c, d in self.spans(camera, other):
                        begin, end = max(a, c, since), min(b, d, until)
                        if end > begin:
                            found.append((begin, end, one, other))
        return found


class LocalFleet:
    def __init__(self, saccade, name, boxes, cameras, network=Loopback, etcd="etcd"):
        self.members = ["etcd-1", "etcd-2", "etcd-3"]
        self.planners = ["planner-1", "planner-2"]
        self.network = network(self.members, self.planners, boxes)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="saccade-fleet-"))
        self.saccade = saccade
        self.name = name
        self.names = boxes
        self.count = cameras
        self.processes = {}
        self.commands = {}
        self.etcd = etcd
        self.records = Records(self.folder, boxes)
        self.last = {}
        self.restarts = 0
        self.policy = {}  # what it is to say besides

    @staticmethod
    def site(box):
        return box.split("-")[0]

    # ---- processes

    def start(self, name, command=None):
        command = self.commands.setdefault(name, command)
        log = open(self.folder / f"{name}.log", "ab")
        environment = dict(os.environ, ETCD_UNSUPPORTED_ARCH="arm64")
        with self.network.inside(name):
            self.processes[name] = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                                    env=environment, preexec_fn=dies_with_its_parent)
        log.close()

    def kill(self, name):
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def send(self, name, what):
        self.processes[name].send_signal(what)

    def close(self, keep=False):
        """Ends all processes and removes the folder, whatever has happened."""
        for process in self.processes.values():
            process.send_signal(signal.SIGCONT)
            process.terminate()
        end = time.monotonic() + 6
        for process in self.processes.values():
            try:
                process.wait(timeout=max(0.1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.network.stop()
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)

    def show_logs(self, lines=8):
        for path in sorted(self.folder.glob("*.log")):
            tail = path.read_text(errors="replace").splitlines()[-lines:]
            if tail:
                print(f"---- {path.name}", *tail, sep="\n", file=sys.stderr)

    def check_processes(self):
        """A box whose former process still holds its key ends with exit code 69, and is started again as systemd does
        (`restarts`: how often that may happen)."""
        for name, process in list(self.processes.items()):
            if process.poll() is None:
                continue
            if process.returncode != 69 or self.restarts == 0:
                raise Failed(f"{name} has ended with exit code {process.returncode}")
            self.restarts -= 1
            self.start(name)

    def wait(self, what, condition, longest):
        end = time.monotonic() + longest
        while time.monotonic() < end:
            self.check_processes()
            if condition():
                return
            time.sleep(0.2)
        raise Failed(f"{what}: not within {longest} s")

    # ---- configurations

    def start_store(self):
        cluster = ",".join(f"{name}={self.network.peer(name)}" for name in self.members)
        for name in self.members:
            client, peer = self.network.client(name), self.network.peer(name)
            self.start(name, [
                self.etcd, "--name", name, "--logger", "zap", "--log-level", "warn", "--data-dir",
                str(self.folder / name), "--initial-cluster", cluster, "--listen-client-urls", client,
                "--advertise-client-urls", client, "--listen-peer-urls", peer,
                "--initial-advertise-peer-urls", peer])
        self.wait("the store answers", lambda: self.store_leader() is not None, 30)

    def start_planners(self):
        for name in self.planners:
            path = self.folder / f"{name}.json"
            path.write_text(json.dumps({"version": 1, "node": name, "api": {"listen": self.network.address(name)},
                                        "fleet": {"name": self.name, "store": self.network.store_of(name)}}))
            self.start(name, [self.saccade, "fleet", "run", str(path)])
        self.wait("a planner leads", lambda: self.leader() is not None, 30)

    def start_boxes(self):
        profiles = self.folder / "profiles"
        profiles.mkdir()
        for network in NETWORKS:
            shutil.copy(ROOT / f"profiles/zoo/{network}.json", profiles)
            (profiles / network).symlink_to(ROOT / f"profiles/zoo/{network}")  # its models
        for name in self.names:
            health, livez = self.network.health_of(name)
            path = self.folder / f"{name}.json"
            path.write_text(json.dumps({
                "version": 1, "node": name, "processors": [{"name": "cpu"}], "engine": {"backend": "simulated"},
                "tasks": [], "api": {"listen": self.network.address(name), **health},
                "runtime": {"state_dir": str(self.folder / f"{name}.state")},
                "results": [{"id": "served", "type": "file", "path": str(self.folder / f"{name}.jsonl"),
                             "queue": 4096}],
                "fleet": {"name": self.name, "box": name, "labels": {"site": self.site(name)},
                          "profiles": str(profiles), **livez, "store": self.network.store_of(name)}}))
            self.start(name, [self.saccade, "run", str(path), "--log-level", "warning"])
        self.wait("all boxes live", self.all_alive, 40)

    def apply(self, document):
        path = self.folder / "applied.json"
        path.write_text(json.dumps(document))
        self.ask_planner("apply", str(path))

    # ---- what planners and the store say

    def ask(self, name, path, body=None, timeout=2, method=None):
        """The document that the API of a planner or a box has; absent if there is none to be had."""
        try:
            with self.network.inside(name):
                return get(f"http://{self.network.address(name)}{path}", body, timeout, method)
        except (OSError, ValueError):
            return None

    def ask_planner(self, *arguments):
        said = "no planner runs"
        for name in self.planners:
            if name not in self.processes:
                continue
            with self.network.inside(name):
                done = subprocess.run([self.saccade, "fleet", *arguments, "--url",
                                       f"http://{self.network.address(name)}"], capture_output=True, text=True)
            if done.returncode == 0:
                return done.stdout
            said = f"{done.stdout}{done.stderr}"
        raise Failed(f"saccade fleet {' '.join(arguments)}: {said}")

    def of_a_planner(self, which):
        """A document of the first planner that has it."""
        shown = (self.ask(name, f"/v1/fleet/{which}") for name in self.planners if name in self.processes)
        return next((each for each in shown if each is not None), None)

    def cameras(self):
        shown = self.of_a_planner("cameras")
        if shown is not None:
            self.last = {camera["id"]: camera for camera in shown["cameras"]}
        return self.last

    def health(self):
        """Of every box, as the planner that leads has it."""
        leader = self.leader()
        shown = self.ask(leader, "/v1/fleet/boxes") if leader else None
        return {box["id"]: box["health"] for box in shown["boxes"]} if shown else {}

    def all_alive(self):
        health = self.health()
        return len(health) == len(self.names) and set(health.values()) == {"alive"}

    def all_served(self):
        cameras = self.cameras()
        return len(cameras) == self.count and all(camera["status"] == "serving" and camera["moves_to"] is None
                                                  for camera in cameras.values())

    def leader(self):
        for name in self.planners:
            shown = self.ask(name, "/v1/fleet/status") if name in self.processes else None
            if shown and shown["leads"]:
                return name
        return None

    def ask_member(self, name, path, body=None, timeout=2):
        with self.network.inside(name):
            return get(f"{self.network.client(name)}{path}", body, timeout)

    def store_leader(self):
        """The member that leads, as the living ones have it; None while they elect."""
        members, leader = {}, None
        for name in self.members:
            if name not in self.processes:
                continue
            try:
                status = self.ask_member(name, "/v3/maintenance/status", {})
            except (OSError, ValueError):
                return None
            members[status["header"]["member_id"]] = name
            leader = status.get("leader")
        return members.get(leader)
