"""What happens to a fleet of real processes in scripts/fleet-chaos: drawn from a seed, and done."""
import random
import signal
import time

from local_fleet import Failed

KINDS = ["kill box", "hang box", "cut box off", "part box from all", "drain box", "kill planner", "cut planner off",
         "kill member"]
IN_NAMESPACES = KINDS + ["mute box", "hang planner", "part planner from all", "hang member", "cut member off"]
IMPAIRED = ["slow box", "lossy box", "slow planner", "lossy planner", "lossy member"]
SLOW = {"box": 256, "planner": 2000}  # kbit/s, each way; a planner reads the whole fleet every minute
LOSSY = 0.1                           # of all packets, each way
WRITE_EVERY = 2                       # s


class Plan:
    """Faults: (begin, end, kind, whom), in seconds; at most two boxes, one planner and one member at a time."""

    def __init__(self, seed, boxes, duration, apart, all_kinds):
        dice = random.Random(seed)
        self.faults = []
        at = 2.0
        kinds = []
        while at < duration - 4:
            kinds = kinds or dice.sample(all_kinds, len(all_kinds))  # every kind before one is repeated
            kind = kinds.pop()
            end = min(duration, at + dice.uniform(3, 28))
            victims = {"box": boxes, "pla": ["planner-1", "planner-2"], "mem": ["etcd-1", "etcd-2", "etcd-3"]}
            which = "box" if "box" in kind else "pla" if "planner" in kind else "mem"
            rest = 6 if which == "mem" else 2  # one that was killed is back by then
            under_way = [fault for fault in self.faults if fault[1] + rest > at and fault[3] in victims[which]]
            free = [name for name in victims[which] if name not in [fault[3] for fault in under_way]]
            if len(under_way) < (2 if which == "box" else 1):
                self.faults.append((at, end, kind, dice.choice(free)))
            at += dice.uniform(apart / 2, apart * 1.5)


class Chaos:
    def __init__(self, fleet, plan):
        self.fleet = fleet
        self.plan = plan
        self.under_way = []  # of the plan's faults
        self.done = []  # (begin, end, kind, whom), since 1970
        self.acknowledged = []  # changes of the configuration: (revision, key, what was changed)
        self.changes = 0
        self.next_change = 0.0
        self.term = 0  # of the store
        self.elections = []  # when it was seen to have risen, since 1970

    def ways(self, kind):
        """How a fault of the kind begins, and how it ends; both for a name."""
        fleet, network, word = self.fleet, self.fleet.network, kind.split()[0]
        if word == "kill":
            return fleet.kill, fleet.start
        if word == "hang":
            return lambda whom: fleet.send(whom, signal.SIGSTOP), lambda whom: fleet.send(whom, signal.SIGCONT)
        if word == "drain":
            return lambda whom: self.put_in_state(whom, "draining"), lambda whom: self.put_in_state(whom, "active")
        if word == "mute":
            return network.mute, network.unmute
        if word == "slow":
            return lambda whom: network.slow(whom, SLOW[kind.split()[1]]), network.repair
        if word == "lossy":
            return lambda whom: network.lose(whom, LOSSY), network.repair
        return lambda whom: network.cut(whom, api="from all" in kind), network.heal

    def patch_box(self, planner, box, change):
        """Whether it was acknowledged."""
        if planner not in self.fleet.processes:
            return False
        done = self.fleet.ask(planner, f"/v1/fleet/boxes/{box}", change, method="PATCH")
        if done is not None:
            self.acknowledged.append((done["revision"], f"box/{box}", change))
        return done is not None

    def put_in_state(self, box, state):
        """By whichever planner takes it: one may fail, or the store elect."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            if any(self.patch_box(planner, box, {"state": state}) for planner in self.fleet.planners):
                return
            time.sleep(0.3)
        raise Failed(f"no planner took that {box} is {state}")

    def change_something(self):
        """That moves nothing: how many cameras a box may have, of which none has nearly so many."""
        self.changes += 1
        planner = self.fleet.planners[self.changes % 2]
        box = self.fleet.names[self.changes % len(self.fleet.names)]
        self.patch_box(planner, box, {"max_cameras": 100 + self.changes})

    def pass_time(self, until):
        while (left := until - time.monotonic()) > 0:
            if left > 2.5 and time.monotonic() >= self.next_change:  # it takes 2 s at most
                self.change_something()
                self.next_change = time.monotonic() + WRITE_EVERY
            else:
                self.look_at_the_store()
                time.sleep(max(0.0, min(until - time.monotonic(), 0.5)))

    def look_at_the_store(self):
        faulty = {whom for _, _, _, whom in self.under_way}
        member = next(name for name in self.fleet.members if name not in faulty)
        try:
            status = self.fleet.ask_member(member, "/v3/maintenance/status", {}, 0.5)
        except (OSError, ValueError):
            return
        term = int(status["header"]["raft_term"])
        if term > self.term > 0:
            self.elections.append(time.time())
        self.term = max(term, self.term)

    def run(self):
        began = time.monotonic()
        steps = sorted([(begin, True, i) for i, (begin, _, _, _) in enumerate(self.plan.faults)] +
                       [(end, False, i) for i, (_, end, _, _) in enumerate(self.plan.faults)])
        since = {}
        for at, begins, i in steps:
            self.pass_time(began + at)
            self.fleet.check_processes()
            _, _, kind, whom = self.plan.faults[i]
            if begins:
                since[i] = time.time()
                self.under_way.append(self.plan.faults[i])
                self.ways(kind)[0](whom)
                print(f"fleet-chaos: {at:5.1f} s  {kind} {whom}", flush=True)
            else:
                self.ways(kind)[1](whom)
                self.under_way.remove(self.plan.faults[i])
                self.done.append((since[i], time.time(), kind, whom))
