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

# Seconds. A lost box: its lease, then two questions a second apart, connecting and loading; 20 more if the store was
# away or elected meanwhile, as often as it did, and 7 until a planner that was killed has a successor.
USUAL_LEASE = 10  # where the policy says nothing of it
FAILOVER = 8
SETTLING = 20
SUCCESSION = 7
PAUSE = 3       # that needs no reason
HANDOVER = 2 + PERIOD
RETURN = 8      # of a box that was killed, hung or cut off: until it has read what it is to serve
ELECTION = 6    # of the store, and until a box has found a member that answers
AWAKE = 1       # the frame that was under way when a box was stopped
MEDIAN = 3      # after the lease: of the pauses after a box was killed, if nothing else failed
RELEASE = 6     # an exclusive camera that is moved: its box stops it and says so, another one loads its engine
STOPPED = ["kill box", "hang box"]
CUT = ["cut box off", "part box from all", "mute box"]
NO_EXCUSE = ["drain", "slow", "lossy"]  # every camera is served, by one box, all the while
PLANNED = ["drain", "order", "improvement", "unserved"]  # causes of moves that no fault makes necessary
MOST_ARRIVING = 2  # moves to one box at a time
LEAST_IN_FLIGHT = 4
MOVES_PER_HOUR = 0.01  # for improvement, of all cameras


class Judge:
    """In seconds since 1970, `faults`: (begin, end, kind, whom); `elections`: when the store's term had risen.
    `assigned`: by camera the boxes that it was assigned to, in order; `planned`: moves (camera, box, box); `lease`: of
    the boxes, as the policy has it."""

    def __init__(self, records, faults, elections, assigned, planned, cameras, lease, began, until):
        self.records = records.read()
        self.all_faults = faults
        self.faults = [fault for fault in faults if fault[2].split()[0] not in NO_EXCUSE]
        self.terms = elections
        self.assigned = assigned
        self.planned = collections.Counter(planned)
        self.cameras = cameras
        self.takes = lease + FAILOVER
        self.median = lease + MEDIAN
        self.lease = lease
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
        """How often the store elected. Each time no box is lost for a while."""
        return min(sum(begin - SETTLING - ELECTION <= at <= end for at in self.terms), 2)

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
        fenced = self.of(box, CUT, begin - self.lease - 2, end) if exclusive else []
        others = [fault for each in self.given_to(camera, box, begin, end)
                  for fault in self.of(each, STOPPED + CUT, begin - self.takes, end)]
        if not stopped and not fenced and not others:
            move = (camera, box, self.next_box(camera, end))
            if not exclusive or not self.planned[move]:
                return None
            self.planned[move] -= 1  # it excuses one pause
            takes = RELEASE + (SUCCESSION if self.any("planner", begin - SUCCESSION, end) else 0)
            takes += ELECTION if self.any("member", begin - ELECTION, end) else 0
            return "exclusive camera that was moved", takes
        elections = self.elections(begin, end)
        planners = self.any("planner", begin - SUCCESSION, end)
        takes = self.takes + SETTLING * elections + (PAUSE if elections else 0)
        takes += SUCCESSION if planners else 0
        takes += self.lease if exclusive else 0  # its whole length once more
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
        if len(alone) >= 5 and statistics.median(alone) > self.median:
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
        rows = [["faults", "kills", "hangs", "cuts", "slow", "lossy", "drains"]]
        for name, word in (("of boxes", "box"), ("of planners", "planner"), ("of members of the store", "member")):
            kinds = [fault[2].split()[0] for fault in self.all_faults if word in fault[2]]
            counts = [kinds.count(kind) for kind in ("kill", "hang", "slow", "lossy", "drain")]
            rows.append([name, *map(str, [*counts[:2], len(kinds) - sum(counts), *counts[2:]])])
        show_table(rows)
        rows = [["seconds", "cases", "median", "worst", "allowed"]]
        for what, cases in sorted(self.measured.items()):
            seconds, allowed = [case[0] for case in cases], max(case[1] for case in cases)
            name = what if "twice" in what else f"pause: {what}"
            limit = "" if what.endswith("away") else f"{allowed:.1f}"
            if what == "kill box":
                limit = f"{self.median:.1f}/{limit}"
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


def lease_in_force(written):
    """Of the boxes, by the last policy that was written: no story changes it while boxes are judged by it."""
    policies = [text for _, key, text in written if key == "policy"]
    last = policies[-1] if policies else None
    return json.loads(last or "{}").get("lease_seconds", USUAL_LEASE)


def assigned_boxes(written):
    """By camera, the boxes that it was assigned to, in order."""
    epochs = collections.defaultdict(dict)
    for _, key, text in written:
        kind, _, box = key.partition("/")
        for camera in json.loads(text)["cameras"] if kind == "assign" and text is not None else []:
            epochs[camera["id"]][camera["epoch"]] = box
    return {camera: [boxes[epoch] for epoch in sorted(boxes)] for camera, boxes in epochs.items()}


def planned_moves(written):
    """(camera, from box, to box) of all that no fault made necessary."""
    epochs = collections.defaultdict(dict)
    for _, key, text in written:
        kind, _, box = key.partition("/")
        for camera in json.loads(text)["cameras"] if kind == "assign" and text is not None else []:
            epochs[camera["id"]][camera["epoch"]] = (box, camera.get("cause"))
    found = []
    for camera, places in epochs.items():
        order = [places[epoch] for epoch in sorted(places)]
        found.extend((camera, before[0], after[0]) for before, after in zip(order, order[1:]) if after[1] in PLANNED)
    return found


def check_moves(written, cameras, seconds, breaches):
    """Moves for improvement, against the policy's budget; and moves that were under way at a time, which go to a box
    that serves next to the one before. `cameras`: how many there are."""
    improved = set()
    arriving = {}
    most = max(LEAST_IN_FLIGHT, int(0.01 * cameras))
    last = max((revision for revision, _, _ in written), default=0)
    following = [revision for revision, _, _ in written[1:]] + [last + 1]
    for (revision, key, text), then in zip(written, following):
        kind, _, box = key.partition("/")
        if kind == "assign" and text is not None:
            listed = json.loads(text)["cameras"]
            improved.update(camera["epoch"] for camera in listed if camera.get("cause") == "improvement")
            arriving[box] = sum(camera["role"] == "take_over" for camera in listed)
        if then == revision:
            continue  # the same transaction
        if max(arriving.values(), default=0) > MOST_ARRIVING or sum(arriving.values()) > most:
            breaches.append(f"moves: {sum(arriving.values())} under way at revision {revision}: {arriving}")
    allowed = int(max(1.0, MOVES_PER_HOUR * cameras) * (1 + seconds / 3600))  # what was saved in an hour before, too
    if len(improved) > allowed:
        breaches.append(f"moves: {len(improved)} for improvement, allowed {allowed}")


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
    """Every change that a planner acknowledged, (revision, key, what was changed), is in the store's history, by which
    the later one of two is in force."""
    texts = {(revision, key): text for revision, key, text in written}
    for revision, key, change in acknowledged:
        if not has_change(texts.get((revision, key)), change):
            breaches.append(f"lost: the change of {key} that was acknowledged as revision {revision}")


def has_change(text, change):
    document = {} if text is None else json.loads(text)
    return all(document.get(member) == value for member, value in change.items())


def check_refused(written, refused, breaches):
    """What was refused with the words that nothing was changed, (key, what was to be changed), each different, is
    nowhere in the store's history."""
    texts = collections.defaultdict(list)
    for _, key, text in written:
        texts[key].append(text)
    for key, change in refused:
        if any(has_change(text, change) for text in texts[key]):
            breaches.append(f"refused: the change of {key} to {change} was made all the same")
