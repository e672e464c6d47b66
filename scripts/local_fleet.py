"""A fleet of real processes on this machine, for scripts/fleet-demo and scripts/fleet-chaos: etcd, planners and boxes
with simulated engines, on loopback. Boxes and planners reach the store through relays, so that each can be cut off from
it by itself; planners ask a box whether it lives through one as well. Every box writes a line per processed frame: what
was served, when, and by which box is read from there, and not from what a planner believes.
"""
import asyncio
import bisect
import collections
import ctypes
import datetime
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
NETWORKS = {"mobilenet_v2-glyphs": "glyphs", "densenet-signs": "signs"}  # and the pictures for each
FPS = 2  # of a camera
PERIOD = 1 / FPS


class Failed(Exception):
    pass


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def get(url, body=None, timeout=2):
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data=data), timeout=timeout) as answer:
        return json.load(answer)


def dies_with_its_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Relays(threading.Thread):
    """TCP relays on loopback. One that is cut answers nothing, as a cable that was pulled: connections hang, and are
    gone once it is healed."""

    def __init__(self):
        super().__init__(daemon=True)
        self.loop = asyncio.new_event_loop()
        self.whole = {}  # by name: an event, set unless cut
        self.start()

    def run(self):
        self.loop.set_exception_handler(lambda loop, context: None)  # of connections that break
        self.loop.run_forever()

    def add(self, name, target):
        """The port that leads to the port `target`. Relays of the same name are cut together."""
        return asyncio.run_coroutine_threadsafe(self._serve(name, target), self.loop).result()

    def cut(self, name):
        self.loop.call_soon_threadsafe(self.whole[name].clear)

    def heal(self, name):
        self.loop.call_soon_threadsafe(self.whole[name].set)

    def stop(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.join(timeout=2)

    async def _serve(self, name, target):
        if name not in self.whole:
            self.whole[name] = asyncio.Event()
            self.whole[name].set()
        whole = self.whole[name]

        async def pump(reader, writer):
            while True:
                data = await reader.read(65536)
                if not whole.is_set():
                    await whole.wait()
                    return  # what was sent meanwhile is lost, and so is the connection
                if not data:
                    return
                writer.write(data)
                await writer.drain()

        async def connected(reader, writer):
            ends = [writer]
            try:
                await whole.wait()
                target_reader, target_writer = await asyncio.open_connection("127.0.0.1", target)
                ends.append(target_writer)
                pumps = [asyncio.ensure_future(pump(reader, target_writer)),
                         asyncio.ensure_future(pump(target_reader, writer))]
                await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
                for each in pumps:
                    each.cancel()
            except OSError:
                pass
            finally:
                for end in ends:
                    end.close()

        server = await asyncio.start_server(connected, "127.0.0.1", 0)
        return server.sockets[0].getsockname()[1]


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
    def __init__(self, saccade, name, boxes, cameras):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="saccade-fleet-"))
        self.saccade = saccade
        self.name = name
        self.names = boxes
        self.count = cameras
        self.processes = {}
        self.commands = {}
        self.relays = Relays()
        ports = free_ports(6 + 2 + len(boxes))
        self.etcd = {f"etcd-{n + 1}": port for n, port in enumerate(ports[:3])}
        self.peers = {f"etcd-{n + 1}": port for n, port in enumerate(ports[3:6])}
        self.planners = {f"planner-{n + 1}": f"127.0.0.1:{port}" for n, port in enumerate(ports[6:8])}
        self.boxes = dict(zip(boxes, (f"127.0.0.1:{port}" for port in ports[8:])))
        self.records = Records(self.folder, boxes)
        self.last = {}
        self.restarts = 0

    @staticmethod
    def site(box):
        return box.split("-")[0]

    # ---- processes

    def start(self, name, command=None):
        command = self.commands.setdefault(name, command)
        log = open(self.folder / f"{name}.log", "ab")
        environment = dict(os.environ, ETCD_UNSUPPORTED_ARCH="arm64")
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
        self.relays.stop()
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

    def store_of(self, who):
        """Endpoints that are cut with cut("store of WHO")."""
        ports = [self.relays.add(f"store of {who}", port) for port in self.etcd.values()]
        return {"endpoints": [f"http://127.0.0.1:{port}" for port in ports]}

    def start_store(self):
        cluster = ",".join(f"{name}=http://127.0.0.1:{port}" for name, port in self.peers.items())
        for name, port in self.etcd.items():
            client, peer = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{self.peers[name]}"
            self.start(name, [
                "etcd", "--name", name, "--logger", "zap", "--log-level", "warn", "--data-dir",
                str(self.folder / name), "--initial-cluster", cluster, "--listen-client-urls", client,
                "--advertise-client-urls", client, "--listen-peer-urls", peer,
                "--initial-advertise-peer-urls", peer])
        self.wait("the store answers", lambda: self.store_leader() is not None, 30)

    def start_planners(self):
        for name, address in self.planners.items():
            path = self.folder / f"{name}.json"
            path.write_text(json.dumps({"version": 1, "node": name, "api": {"listen": address},
                                        "fleet": {"name": self.name, "store": self.store_of(name)}}))
            self.start(name, [self.saccade, "fleet", "run", str(path)])
        self.wait("a planner leads", lambda: self.leader() is not None, 30)

    def start_boxes(self):
        profiles = self.folder / "profiles"
        profiles.mkdir()
        for network in NETWORKS:
            shutil.copy(ROOT / f"profiles/zoo/{network}.json", profiles)
            (profiles / network).symlink_to(ROOT / f"profiles/zoo/{network}")  # its models
        for name, address in self.boxes.items():
            livez = self.relays.add(f"API of {name}", int(address.split(":")[1]))
            path = self.folder / f"{name}.json"
            path.write_text(json.dumps({
                "version": 1, "node": name, "processors": [{"name": "cpu"}], "engine": {"backend": "simulated"},
                "tasks": [], "api": {"listen": address},
                "runtime": {"state_dir": str(self.folder / f"{name}.state")},
                "results": [{"id": "served", "type": "file", "path": str(self.folder / f"{name}.jsonl"),
                             "queue": 4096}],
                "fleet": {"name": self.name, "box": name, "labels": {"site": self.site(name)},
                          "profiles": str(profiles), "livez": f"http://127.0.0.1:{livez}/livez",
                          "store": self.store_of(name)}}))
            self.start(name, [self.saccade, "run", str(path), "--log-level", "warning"])
        self.wait("all boxes live", self.all_alive, 40)

    def apply(self, document):
        path = self.folder / "applied.json"
        path.write_text(json.dumps(document))
        self.ask_planner("apply", str(path))

    # ---- what planners and the store say

    def ask_planner(self, *arguments):
        said = "no planner runs"
        for name, address in self.planners.items():
            if name not in self.processes:
                continue
            done = subprocess.run([self.saccade, "fleet", *arguments, "--url", f"http://{address}"],
                                  capture_output=True, text=True)
            if done.returncode == 0:
                return done.stdout
            said = f"{done.stdout}{done.stderr}"
        raise Failed(f"saccade fleet {' '.join(arguments)}: {said}")

    def document(self, which):
        for name, address in self.planners.items():
            if name not in self.processes:
                continue
            try:
                return get(f"http://{address}/v1/fleet/{which}")
            except (OSError, ValueError):
                continue
        return None

    def cameras(self):
        shown = self.document("cameras")
        if shown is not None:
            self.last = {camera["id"]: camera for camera in shown["cameras"]}
        return self.last

    def health(self):
        """Of every box, as the planner that leads has it."""
        leader = self.leader()
        try:
            shown = get(f"http://{self.planners[leader]}/v1/fleet/boxes") if leader else {"boxes": []}
        except (OSError, ValueError):
            return {}
        return {box["id"]: box["health"] for box in shown["boxes"]}

    def all_alive(self):
        health = self.health()
        return len(health) == len(self.names) and set(health.values()) == {"alive"}

    def all_served(self):
        cameras = self.cameras()
        return len(cameras) == self.count and all(camera["status"] == "serving" and camera["moves_to"] is None
                                                  for camera in cameras.values())

    def leader(self):
        for name, address in self.planners.items():
            if name not in self.processes:
                continue
            try:
                if get(f"http://{address}/v1/fleet/status")["leads"]:
                    return name
            except (OSError, ValueError):
                pass
        return None

    def store_leader(self):
        """The member that leads, as the living ones have it; None while they elect."""
        members, leader = {}, None
        for name, port in self.etcd.items():
            if name not in self.processes:
                continue
            try:
                status = get(f"http://127.0.0.1:{port}/v3/maintenance/status", {})
            except (OSError, ValueError):
                return None
            members[status["header"]["member_id"]] = name
            leader = status.get("leader")
        return members.get(leader)
