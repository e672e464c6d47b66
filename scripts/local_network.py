"""How the processes of a fleet on this machine (scripts/local_fleet.py) reach each other. Two ways, of one interface:
Loopback: all on 127.0.0.1, boxes and planners reach the store through relays that can be cut.
Namespaces: each in a network namespace of its own, as on a machine of its own, with two links to two bridges: `store`,
which members of the store, planners and boxes share, and `api`, over which planners ask boxes whether they live. A link
that is cut is taken down at the bridge: it loses its carrier, what is sent is lost, nothing is refused. Links can also
be slow, or lose some packets.
"""
import asyncio
import contextlib
import ctypes
import os
import pathlib
import shutil
import socket
import subprocess
import threading

CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 0x00020000, 0x10000000, 0x40000000
MS_REC, MS_PRIVATE = 0x4000, 0x40000
# Of networks that are reserved for documentation: they are nobody's, and leave the machine no more than loopback does.
NETWORKS = {"store": "192.0.2.", "api": "198.51.100."}
NOWHERE = "02:00:00:00:00:01"  # an address on the link that no machine has
RANDOM_NUMBER = 0xFFFFF000 + 56  # what a packet filter loads from there is drawn: SKF_AD_OFF + SKF_AD_RANDOM
PASS, DROP = 0, 2  # TC_ACT_OK, TC_ACT_SHOT


class Unavailable(Exception):
    """This machine does not have, or does not allow, what is needed."""


KEPT_PORTS = []  # sockets, whose names go with this process


def free_ports(count):
    """Ports of loopback at which nobody listens and that nobody gets before this process ends: the kernel takes those of
    connections from 32768 on, and other processes that ask so, or as the tests do (free_port.hpp), get others."""
    ports = []
    for port in (20000 + (os.getpid() * 37 + step) % 10000 for step in range(10000)):
        if len(ports) == count:
            break
        name = socket.socket(socket.AF_UNIX)
        try:
            name.bind(f"\0saccade-test-port-{port}")
            with socket.socket() as server:
                server.bind(("127.0.0.1", port))
        except OSError:
            name.close()
            continue
        KEPT_PORTS.append(name)
        ports.append(port)
    if len(ports) < count:
        raise Unavailable("all ports from 20000 to 29999 are taken")
    return ports


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


class Loopback:
    """A member of the store cannot be cut off here, but only from a client."""

    def __init__(self, members, planners, boxes):
        self.relays = Relays()
        names = [*members, *planners, *boxes]
        ports = free_ports(len(members) + len(names))
        self.members = members
        self.peers = dict(zip(members, ports))
        self.ports = dict(zip(names, ports[len(members):]))

    def inside(self, name):
        """A context in which sockets are opened, and processes are started, where `name` is."""
        return contextlib.nullcontext()

    def client(self, member):
        return f"http://127.0.0.1:{self.ports[member]}"

    def peer(self, member):
        return f"http://127.0.0.1:{self.peers[member]}"

    def address(self, name):
        """Of the API of a planner or a box, for use inside."""
        return f"127.0.0.1:{self.ports[name]}"

    def store_of(self, who):
        """The configuration's `store`."""
        ports = [self.relays.add(f"store of {who}", self.ports[member]) for member in self.members]
        return {"endpoints": [f"http://127.0.0.1:{port}" for port in ports]}

    def health_of(self, box):
        """What the configuration's `api` and `fleet` have of the address at which planners ask."""
        port = self.relays.add(f"API of {box}", self.ports[box])
        return {}, {"livez": f"http://127.0.0.1:{port}/livez"}

    def cut(self, who, api=False):
        """From the store; with `api` from all."""
        self.relays.cut(f"store of {who}")
        if api and f"API of {who}" in self.relays.whole:
            self.relays.cut(f"API of {who}")

    def heal(self, who):
        self.relays.heal(f"store of {who}")
        if f"API of {who}" in self.relays.whole:
            self.relays.heal(f"API of {who}")

    def stop(self):
        self.relays.stop()


def isolate():
    """Moves this process, and what it starts from now on, into a network namespace and a mount namespace of its own; a
    user who is not root also into a user namespace, as whose root. Whatever is made there ends with the last process in
    it, however that ends: nothing has to be tidied up. To be called by the only thread, once."""
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.geteuid(), os.getegid()

    def demand(result):
        if result != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    try:
        if user != 0 or libc.unshare(CLONE_NEWNET | CLONE_NEWNS) != 0:
            demand(libc.unshare(CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWUSER))
            for file, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
                pathlib.Path(f"/proc/self/{file}").write_text(text, encoding="ascii")
        demand(libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None))
        demand(libc.mount(b"tmpfs", b"/run", b"tmpfs", 0, None))  # where ip keeps the names of namespaces
    except OSError as failure:
        raise Unavailable(f"no network namespaces can be created here: {failure}") from failure


class Namespaces:
    """isolate() was called before. Used by one thread: inside() moves the thread that calls it."""

    def __init__(self, members, planners, boxes):
        self.tool = shutil.which("ip", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin:/bin")
        if self.tool is None:
            raise Unavailable("needs ip of the package iproute2 (scripts/setup --test)")
        self.traffic = shutil.which("tc", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin:/bin")
        self.impaired = {}  # by name: which queueing discipline its links have
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.members = members
        self.numbers = {name: n + 1 for n, name in enumerate([*members, *planners, *boxes])}
        if len(self.numbers) > 250:
            raise Unavailable("at most 250 processes have a network namespace")
        self.home = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        try:
            for net in NETWORKS:
                self.ip("", f"link add {net} type bridge forward_delay 0", f"link set {net} up")
            self.places = {name: self.join(name, [net for net in NETWORKS if net == "store" or name not in members])
                           for name in self.numbers}
        except OSError as failure:
            raise Unavailable(f"no links between network namespaces can be made here: {failure}") from failure

    def ip(self, where, *commands):
        """Runs commands of ip in the namespace `where`, or in that of the bridges."""
        done = subprocess.run([self.tool, *(["-n", where] if where else []), "-batch", "-"], text=True,
                              input="".join(f"{command}\n" for command in commands), capture_output=True)
        if done.returncode != 0:
            raise OSError(f"ip {'; '.join(commands)}: {done.stderr.strip()}")

    def join(self, name, nets):
        self.ip("", f"netns add {name}")
        for net in nets:
            self.ip("", f"link add {self.link(net, name)} type veth peer name {net} netns {name}",
                    f"link set {self.link(net, name)} master {net} up")
        self.ip(name, "link set lo up", *[f"addr add {self.on(net, name)}/24 dev {net}" for net in nets],
                *[f"link set {net} up" for net in nets])
        return os.open(f"/run/netns/{name}", os.O_RDONLY | os.O_CLOEXEC)

    def link(self, net, name):
        return f"{net}{self.numbers[name]}"

    def on(self, net, name):
        return f"{NETWORKS[net]}{self.numbers[name]}"

    def enter(self, place):
        if self.libc.setns(place, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    @contextlib.contextmanager
    def inside(self, name):
        self.enter(self.places[name])
        try:
            yield
        finally:
            self.enter(self.home)

    def client(self, member):
        return f"http://{self.on('store', member)}:2379"

    def peer(self, member):
        return f"http://{self.on('store', member)}:2380"

    def address(self, name):
        return "127.0.0.1:8080"

    def store_of(self, who):
        return {"endpoints": [self.client(member) for member in self.members], "insecure": True}

    def health_of(self, box):
        return {"health": f"{self.on('api', box)}:8081"}, {}

    def cut(self, who, api=False):
        nets = ["store", "api"] if api else ["store"]
        self.ip("", *[f"link set {self.link(net, who)} down" for net in nets])

    def mute(self, who):
        """What it sends to the store is lost, not what the store sends to it."""
        self.ip(who, *[f"neigh replace {self.on('store', member)} lladdr {NOWHERE} dev store nud permanent"
                       for member in self.members])

    def unmute(self, who):
        self.ip(who, *[f"neigh del {self.on('store', member)} dev store" for member in self.members])

    def heal(self, who):
        self.ip("", *[f"link set {self.link(net, who)} up" for net in self.nets(who)])

    def nets(self, who):
        return ["store"] if who in self.members else ["store", "api"]

    def tc(self, who, *arguments):
        """Runs a command of tc for both ends of each of its links, and so for both ways."""
        for net in self.nets(who):
            for where, device in ((["-n", who], net), ([], self.link(net, who))):
                command = [self.traffic, *where, *[device if word == "DEVICE" else word for word in arguments]]
                done = subprocess.run(command, text=True, capture_output=True)
                if done.returncode != 0:
                    raise OSError(f"{' '.join(command)}: {done.stderr.strip()}")

    def slow(self, who, kilobits):
        """Its links carry so much a second, each way. What would have to wait for more than half a second is lost."""
        self.tc(who, "qdisc", "add", "dev", "DEVICE", "root", "tbf", "rate", f"{kilobits}kbit", "burst", "8kb",
                "latency", "500ms")
        self.impaired[who] = "root"

    def lose(self, who, share):
        """Its links lose this share of all packets, each way: by a filter that draws a number per packet."""
        self.tc(who, "qdisc", "add", "dev", "DEVICE", "clsact")
        self.impaired[who] = "clsact"
        most = int(share * 2**32)
        program = f"4,32 0 0 {RANDOM_NUMBER},37 0 1 {most},6 0 0 {PASS},6 0 0 {DROP}"
        self.tc(who, "filter", "add", "dev", "DEVICE", "egress", "bpf", "da", "bytecode", program)

    def repair(self, who):
        self.tc(who, "qdisc", "del", "dev", "DEVICE", self.impaired.pop(who))

    def can_impair(self):
        """Whether links can be slow and lose packets here; not netem, which many kernels lack."""
        if self.traffic is None:
            return False
        who = self.members[0]
        try:
            for impair, how in ((self.slow, 1000), (self.lose, 0.1)):
                impair(who, how)
                self.repair(who)
        except OSError:
            if who in self.impaired:
                self.repair(who)
            return False
        return True

    def stop(self):
        for place in [self.home, *self.places.values()]:
            os.close(place)
