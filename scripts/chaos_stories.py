"""What scripts/fleet-chaos tells besides random faults: the store, the planners and the store's leaders away; and
changes of the configuration while leaders are killed.
"""
import time
import urllib.error

import local_fleet
import local_network
from chaos_judge import (SETTLING, check_acknowledged, check_history, check_moves, check_refused, count_frames, history,
                         show_table)
from local_fleet import NETWORKS

KILL_EVERY = 8  # s
DEAD = 2.5      # s, until one that was killed is started again


def cameras_of(count, exclusive=True):
    documents = []
    for n in range(count):
        network, pictures = list(NETWORKS.items())[n % 2]
        documents.append({"id": f"camera-{n + 1:02}", "network": network, "fps": local_fleet.FPS,
                          "exclusive": exclusive and n % 6 == 0,
                          "source": {"type": "synthetic", "data_set": pictures, "seed": n}})
    return documents


def begin(fleet, cameras):
    fleet.start_store()
    fleet.start_planners()
    fleet.start_boxes()
    fleet.apply({"cameras": cameras, "policy": {"brake_share": 1, **fleet.policy}})  # it would hold this, and rightly
    fleet.wait("all cameras are served", fleet.all_served, 40)


class StoreAway:
    def __init__(self, fleet):
        self.fleet = fleet
        self.breaches = []
        self.rows = [["without", "seconds", "frames", "lost", "moved", "longest pause"]]

    def step(self, what, act, settle):
        fleet = self.fleet
        before = {name: (camera["box"], camera["epoch"]) for name, camera in fleet.cameras().items()}
        began = time.time()
        act()
        fleet.wait(f"{what}: all boxes live and all cameras are served in the end",
                   lambda: fleet.all_alive() and fleet.all_served(), 60)
        self.sleep(settle)
        until = time.time() - 2
        after = fleet.cameras()
        moved = [name for name in before if (after[name]["box"], after[name]["epoch"]) != before[name]]
        frames = lost = 0
        pause = 0.0
        records = fleet.records.read()
        for camera, (box, _) in before.items():
            found = count_frames(records, camera, began, until)
            frames += found.frames
            lost += found.lost
            moved += [camera] if found.boxes != {box} else []
            pause = max(pause, records.longest_pause(camera, began, until))
        self.rows.append([what, f"{until - began:.0f}", str(frames), str(lost), str(len(set(moved))), f"{pause:.1f} s"])
        print(f"fleet-chaos: {what}: {frames} frames, {lost} lost, {len(set(moved))} cameras moved", flush=True)
        if lost or moved:
            self.breaches.append(f"{what}: {lost} frames lost, moved: {', '.join(sorted(set(moved)))}")

    def sleep(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.fleet.check_processes()
            time.sleep(min(1.0, max(end - time.monotonic(), 0.0)))

    def without_planners(self, seconds):
        for name in self.fleet.planners:
            self.fleet.kill(name)
        self.sleep(seconds)
        for name in self.fleet.planners:
            self.fleet.start(name)

    def without_store(self, seconds):
        """Its members are cut off, or killed where they cannot be."""
        fleet = self.fleet
        cuts = isinstance(fleet.network, local_network.Namespaces)
        away, back = (fleet.network.cut, fleet.network.heal) if cuts else (fleet.kill, fleet.start)
        for name in fleet.members:
            away(name)
        self.sleep(seconds / 3)
        self.without_planners(seconds / 3)
        self.sleep(seconds / 3)
        for name in fleet.members:
            back(name)

    def kill_leaders(self, times, apart):
        fleet = self.fleet
        for _ in range(times):
            since = time.monotonic()
            fleet.wait("a member leads the store", lambda: fleet.store_leader() is not None, 20)
            leader = fleet.store_leader()
            fleet.kill(leader)
            self.sleep(apart / 3)
            fleet.start(leader)
            self.sleep(apart - (time.monotonic() - since))


def store_away(fleet, short):
    """What was found. No camera is exclusive: one would be stopped when its box's lease may have ended."""
    begin(fleet, cameras_of(fleet.count, exclusive=False))
    away, alone, kills, apart = (60, 15, 2, 15) if short else (300, 60, 6, 30)
    story = StoreAway(fleet)
    story.sleep(5)
    calm = SETTLING + 8  # in which a box would be lost that is taken for one
    try:
        story.step(f"store for {away} s, planners for {away // 3} s of it", lambda: story.without_store(away), calm)
        story.step(f"planners for {alone} s", lambda: story.without_planners(alone), 5)
        story.step(f"the store's leader, killed {kills} times, every {apart} s",
                   lambda: story.kill_leaders(kills, apart), calm)
    finally:
        show_table(story.rows)
    check_history(history(fleet), story.breaches)
    return story.breaches


class Writes:
    """Changes, one after the other and each different, through both planners in turn, while the store's leader and the
    planner that leads are killed in turn."""

    def __init__(self, fleet, count):
        self.fleet = fleet
        self.count = count
        self.acknowledged = []  # (revision, key, document)
        self.refused = []       # (key, document): that nothing was changed was said
        self.unknown = 0
        self.kills = []
        self.dead = None
        self.next_kill = 0.0

    def write(self, number):
        """Whether it was acknowledged."""
        fleet = self.fleet
        planner = fleet.planners[number % 2]
        box = fleet.names[number // 2 % len(fleet.names)]
        if planner not in fleet.processes:
            return False
        document = {"labels": {"write": f"w{number}"}}
        try:
            with fleet.network.inside(planner):
                done = local_fleet.get(f"http://{fleet.network.address(planner)}/v1/fleet/boxes/{box}", document, 10,
                                       "PUT")
            self.acknowledged.append((done["revision"], f"box/{box}", document))
            return True
        except urllib.error.HTTPError as failure:
            text = failure.read().decode(errors="replace")
            if "nothing was changed" in text:
                self.refused.append((f"box/{box}", document))
            else:
                self.unknown += 1
            time.sleep(0.05)
        except (OSError, ValueError):
            self.unknown += 1
            time.sleep(0.05)
        return False

    def kill_and_start(self):
        fleet, now = self.fleet, time.monotonic()
        if self.dead is not None and now >= self.next_kill - KILL_EVERY + DEAD:
            fleet.start(self.dead)
            self.dead = None
        if now < self.next_kill:
            return
        leader = fleet.leader() if len(self.kills) % 2 else fleet.store_leader()
        if leader is None:
            return
        fleet.kill(leader)
        self.kills.append(leader)
        self.dead = leader
        self.next_kill = time.monotonic() + KILL_EVERY

    def run(self):
        number = 0
        self.next_kill = time.monotonic() + KILL_EVERY / 2
        longest = time.monotonic() + 60 + self.count / 10
        while len(self.acknowledged) < self.count and time.monotonic() < longest:
            self.kill_and_start()
            self.fleet.check_processes()
            number += 1
            self.write(number)
            if number % 500 == 0:
                print(f"fleet-chaos: {len(self.acknowledged)} acknowledged, {len(self.kills)} leaders killed",
                      flush=True)
        if self.dead is not None:
            self.fleet.start(self.dead)


def writes(fleet, count):
    """What was found."""
    begin(fleet, cameras_of(fleet.count))
    before = {name: (camera["box"], camera["epoch"]) for name, camera in fleet.cameras().items()}
    began = time.time()
    story = Writes(fleet, count)
    story.run()
    fleet.wait("all boxes live and all cameras are served in the end",
               lambda: fleet.all_alive() and fleet.all_served(), 60)
    breaches = []
    if len(story.acknowledged) < count:
        breaches.append(f"only {len(story.acknowledged)} of {count} changes were acknowledged")
    written = history(fleet)
    check_history(written, breaches)
    check_acknowledged(written, story.acknowledged, breaches)
    check_refused(written, story.refused, breaches)
    check_moves(written, len(before), time.time() - began, breaches)
    after = fleet.cameras()
    moved = sorted(name for name in before if (after[name]["box"], after[name]["epoch"]) != before[name])
    if moved:
        breaches.append(f"moved: {', '.join(moved)}")
    members = sum(name in fleet.members for name in story.kills)
    show_table([["acknowledged", "refused", "unknown", "store leaders killed", "planners killed", "lost", "seconds"],
                [str(len(story.acknowledged)), str(len(story.refused)), str(story.unknown), str(members),
                 str(len(story.kills) - members), str(sum(breach.startswith("lost") for breach in breaches)),
                 f"{time.time() - began:.0f}"]])
    return breaches
