"""What must hold for a fleet of real processes whatever fails (scripts/fleet-chaos): judged from the boxes' records of
the frames they processed, and from the store's whole history.
"""
import base64
import collections
import json
import socket
import statistics
import urllib.parse

from local_fleet import PERIOD

# Seconds. A lost box: its lease of 10, two questions a second apart, connecting and loading; 20 more if the store was
# away or elected meanwhile, as often as it did, and 7 until a planner that was killed has a successor.
FAILOVER = 18
SETTLING = 20
SUCCESSION = 7
PAUSE = 3       # that needs no reason
HANDOVER = 2 + PERIOD
RETURN = 8      # of a box that was killed, hung or cut off: until it has read what it is to serve
ELECTION = 6    # of the store, and until a box has found a member that answers
AWAKE = 1       # the frame that was under way when a box was stopped
MEDIAN = 13     # of the pauses after a box was killed, if nothing else failed
STOPPED = ["kill box", "hang box"]
CUT = ["cut box off", "part box from all", "mute box"]


class Judge:
    """In seconds since 1970, `faults`: (begin, end, kind, whom); `elections`: when the store's term had risen.
    `assigned`: by camera the boxes that it was assigned to, in order."""

    def __init__(self, records, faults, elections, assigned, cameras, began, until):
        self.records = records.read()
        self.faults = faults
        self.terms = elections
        self.assigned = assigned
        self.cameras = cameras
        self.began, self.until = began, until
        self.breaches = []  # whatever the speed of this machine
        self.late = []      # or, perhaps, because of it
        self.measured = collections.defaultdict(list)  # by what it is: (seconds, allowed)
        self.unserved()
        self.twice()

    def of(self, box, kinds, begin, end, after=0.0):
        """Faults of the box that were under way between begin and end, or until `after` before that."""
        return [fault for fault in self.faults
                if fault[3] == box and fault[2] in kinds and fault[0] <= end and fault[1] + after >= begin]

    def any(self, word, begin, end, after=0.0):
        return any(word in fault[2] and fault[0] <= end and fault[1] + after >= begin for fault in self.faults)

    def last_box(self, camera, at):
        latest = [(max(time for time in times if time <= at), box)
                  for box, times in self.records.frames[camera].items() if times and times[0] <= at]
        return max(latest)[1] if latest else None

    def elections(self, begin, end):
        """How often the store elected, or was away for some: a planner whose member does not answer may take it for
        that. Each time no box is lost for a while."""
        away = any(fault[2] in ("cut member off", "hang member") and begin - SETTLING - ELECTION <= fault[0] <= end
                   for fault in self.faults)
        elected = sum(begin - SETTLING - ELECTION <= at <= end for at in self.terms)
        return min(max(elected, int(away)), 2)

    def next_box(self, camera, at):
        first = [(min(time for time in times if time >= at), box)
                 for box, times in self.records.frames[camera].items() if times and times[-1] >= at]
        return min(first)[1] if first else None

    def given_to(self, camera, box, begin, end):
        """Boxes that the camera was assigned to after this one, up to the one that served it then."""
        other, assigned = self.next_box(camera, end), self.assigned.get(camera, [])
        found = set()
        for i, each in enumerate(assigned):
            if each == box and other in assigned[i + 1:]:
                found.update(assigned[i + 1:assigned.index(other, i + 1) + 1])
        return found - {box}

    def failover(self, camera, exclusive, box, begin, end):
        """What for, and how long it may take, to serve the camera elsewhere, or again; None: there is no reason. A box
        that it is given to may fail as well."""
        stopped = self.of(box, STOPPED, begin - PAUSE, end)
        fenced = self.of(box, CUT, begin - 12, end) if exclusive else []
        others = [fault for each in self.given_to(camera, box, begin, end)
                  for fault in self.of(each, STOPPED + CUT, begin - FAILOVER, end)]
        if not stopped and not fenced and not others:
            # Its leases are revoked early by etcd 3.4 when a leader returns that hung: exclusive cameras are released.
            back = any(fault[2] == "hang member" and begin - RETURN <= fault[1] <= end for fault in self.faults)
            return ("exclusive camera, a member that hung is back", RETURN) if exclusive and back else None
        elections = self.elections(begin, end)
        planners = self.any("planner", begin - SUCCESSION, end)
        takes = FAILOVER + SETTLING * elections + (PAUSE if elections else 0)
        takes += SUCCESSION if planners else 0
        takes += 10 if exclusive else 0  # the lease's whole length once more
        what = stopped[0][2] if stopped else "box cut off" if fenced else "moved"
        what += ", exclusive camera" if exclusive else ""
        what += ", the other box failed" if others else ""
        what += ", the store elected" if elections else ", a planner failed" if planners else ""
        latest = max([begin] + [fault[0] for fault in others])
        return what, max(latest - begin, 0.0) + takes

    def unserved(self):
        for camera, document in self.cameras.items():
            for begin, end in self.records.pauses(camera, self.began, self.until, least=1.5 * PERIOD):
                box = self.last_box(camera, begin)
                reason = self.failover(camera, document["exclusive"], box, begin, end) if end - begin > PAUSE else None
                what, allowed = reason or ("any other", PAUSE)
                self.measured[what].append((end - begin, allowed))
                if end - begin > allowed:
                    self.late.append(f"unserved: {camera} of {box} for {end - begin:.1f} s, from "
                                     f"{begin - self.began:.1f} s on, allowed {allowed:.0f}")
        alone = [seconds for seconds, _ in self.measured.get("kill box", [])]
        if len(alone) >= 5 and statistics.median(alone) > MEDIAN:
            self.late.append(f"unserved: {statistics.median(alone):.1f} s in the median after kill -9 of a box")

    def twice(self):
        for camera, document in self.cameras.items():
            for begin, end, one, other in self.records.twice(camera, self.began, self.until):
                back = RETURN + (ELECTION if self.any("member", end - RETURN, end) else 0)
                excused = [self.of(box, STOPPED + CUT, end, end, back) for box in (one, other)]  # it is over by then
                breach = (f"twice: {camera} on {one} and {other} for {end - begin:.1f} s, from "
                          f"{begin - self.began:.1f} s on")
                if document["exclusive"]:
                    hung = [self.of(box, ["hang box"], begin, end, AWAKE) for box in (one, other)]
                    allowed = AWAKE if any(hung) else 0
                    if end - begin > allowed:
                        self.breaches.append(breach)
                    what = "one of them was hung" if any(hung) else "for no reason"
                    self.measured[f"exclusive camera served twice, {what}"].append((end - begin, allowed))
                elif any(excused):
                    self.measured["served twice while a box was away"].append((end - begin, end - begin))
                else:
                    self.measured["served twice by a handover"].append((end - begin, HANDOVER))
                    if end - begin > HANDOVER:
                        self.late.append(breach)

    def show(self):
        rows = [["faults", "kills", "hangs", "cuts"]]
        for name, word in (("of boxes", "box"), ("of planners", "planner"), ("of members of the store", "member")):
            kinds = [fault[2].split()[0] for fault in self.faults if word in fault[2]]
            kills, hangs = kinds.count("kill"), kinds.count("hang")
            rows.append([name, str(kills), str(hangs), str(len(kinds) - kills - hangs)])
        show_table(rows)
        rows = [["seconds", "cases", "median", "worst", "allowed"]]
        for what, cases in sorted(self.measured.items()):
            seconds, allowed = [case[0] for case in cases], max(case[1] for case in cases)
            name = what if "twice" in what else f"pause: {what}"
            limit = "" if what.endswith("away") else f"{allowed:.1f}"
            if what == "kill box":
                limit = f"{MEDIAN:.1f}/{limit}"
            rows.append([name, str(len(cases)), f"{statistics.median(seconds):.1f}", f"{max(seconds):.1f}", limit])
        show_table(rows)


Counted = collections.namedtuple("Counted", "frames lost boxes")


def count_frames(records, camera, began, until):
    """Lost: what a camera's rate makes more than there were, but for one at the ends."""
    served = [(at, box) for box, times in records.frames[camera].items() for at in times if began <= at <= until]
    return Counted(len(served), max(int((until - began) / PERIOD) - 1 - len(served), 0), {box for _, box in served})


def show_table(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    print()
    for row in rows:
        first, *others = [cell.ljust(width) if i == 0 else cell.rjust(width)
                          for i, (cell, width) in enumerate(zip(row, widths))]
        print("  ".join([first, *others]).rstrip())


def history(fleet):
    """All that was ever written below the fleet's root, in order: (revision, key, text; None: deleted)."""
    root = f"/saccade/v1/{fleet.name}/"
    member = next(name for name in fleet.members if name in fleet.processes)

    def encoded(text):
        return base64.b64encode(text.encode()).decode()

    end = encoded(root[:-1] + "0")
    asked = {"key": encoded(root), "range_end": end, "limit": "1"}
    newest = int(fleet.ask_member(member, "/v3/kv/range", asked, 10)["header"]["revision"])
    request = json.dumps({"create_request": {"key": encoded(root), "range_end": end, "start_revision": "1"}}).encode()
    address = urllib.parse.urlsplit(fleet.network.client(member))
    with fleet.network.inside(member):
        connection = socket.create_connection((address.hostname, address.port), timeout=5)
    written = []
    with connection:
        connection.sendall(b"POST /v3/watch HTTP/1.0\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
                           % (len(request), request))
        lines = connection.makefile("rb")
        try:
            for line in lines:
                if not line.startswith(b"{"):
                    continue
                for event in json.loads(line)["result"].get("events", []):
                    pair = event["kv"]
                    text = base64.b64decode(pair.get("value", "")).decode() if event.get("type") != "DELETE" else None
                    key = base64.b64decode(pair["key"]).decode()[len(root):]
                    written.append((int(pair["mod_revision"]), key, text))
                if written and written[-1][0] >= newest:
                    break
        except TimeoutError:
            pass  # the newest revision was of a lease: there is no more
    return written


def assigned_boxes(written):
    """By camera, the boxes that it was assigned to, in order."""
    epochs = collections.defaultdict(dict)
    for _, key, text in written:
        kind, _, box = key.partition("/")
        for camera in json.loads(text)["cameras"] if kind == "assign" and text is not None else []:
            epochs[camera["id"]][camera["epoch"]] = box
    return {camera: [boxes[epoch] for epoch in sorted(boxes)] for camera, boxes in epochs.items()}


def check_history(written, breaches):
    """Terms, numbers and epochs, of all that planners wrote."""
    highest = {}
    box_of = {}

    def rises(what, value, revision):
        if value < highest.get(what, value):
            breaches.append(f"revision: {what} falls from {highest[what]} to {value} at revision {revision}")
        highest[what] = max(value, highest.get(what, value))

    for revision, key, text in written:
        kind, _, box = key.partition("/")
        if text is None or kind not in ("plan", "assign", "state"):
            continue
        document = json.loads(text)
        if kind == "plan":
            rises("the plan's term", document["term"], revision)
            rises("the plan's number", document["number"], revision)
            rises("the last epoch", document["last_epoch"], revision)
        elif kind == "assign":
            rises(f"the term of {box}", document["term"], revision)
            for camera in document["cameras"]:
                if box_of.setdefault(camera["epoch"], (camera["id"], box)) != (camera["id"], box):
                    breaches.append(f"revision: epoch {camera['epoch']} is used twice")
        else:
            rises(f"what {box} has applied", document["applied"], revision)


def check_acknowledged(written, acknowledged, breaches):
    """Every change that a planner acknowledged, (revision, key, `max_cameras`), is in the store's history, by which the
    later one of two is in force."""
    texts = {(revision, key): text for revision, key, text in written}
    for revision, key, most in acknowledged:
        text = texts.get((revision, key))
        if text is None or json.loads(text).get("max_cameras") != most:
            breaches.append(f"lost: the change of {key} that was acknowledged as revision {revision}")
