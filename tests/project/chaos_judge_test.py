"""What scripts/fleet-chaos judges by, on records and histories made up here: what may be passes, what may not does not.
"""
import datetime
import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import chaos_judge
from local_fleet import Records

BEGAN, UNTIL = 1_000_000.0, 1_000_100.0
PLAIN = {"camera": {"exclusive": False}}
EXCLUSIVE = {"camera": {"exclusive": True}}


def frames(begin, end):
    """Two a second, in seconds since BEGAN."""
    return [begin + n / 2 for n in range(round((end - begin) * 2))]


def records_of(**boxes):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="saccade-test-"))
    for box, served in boxes.items():
        lines = []
        for at in served:
            taken = datetime.datetime.fromtimestamp(BEGAN + at - 0.1, datetime.timezone.utc)
            lines.append(json.dumps({"task": "camera", "age_seconds": 0.1,
                                     "captured_at": taken.isoformat().replace("+00:00", "Z")}) + "\n")
        (folder / f"{box}.jsonl").write_text("".join(lines))
    records = Records(folder, list(boxes)).read()
    for each in folder.iterdir():
        each.unlink()
    folder.rmdir()
    return records


def judge(cameras, faults=(), elections=(), assigned=(), planned=(), lease=10, **boxes):
    since = [(BEGAN + begin, BEGAN + end, kind, whom) for begin, end, kind, whom in faults]
    return chaos_judge.Judge(records_of(**boxes), since, [BEGAN + at for at in elections],
                             {"camera": list(assigned)}, [("camera", *move) for move in planned], cameras, lease,
                             BEGAN, UNTIL)


class Unserved(unittest.TestCase):
    def test_without_a_reason(self):
        self.assertEqual(judge(PLAIN, a=frames(0, 100)).late, [])
        self.assertEqual(len(judge(PLAIN, a=frames(0, 50) + frames(55, 100)).late), 1)

    def test_after_a_fault_for_as_long_as_the_failover_takes(self):
        killed = [(20, 40, "kill box", "a")]
        self.assertEqual(judge(PLAIN, killed, a=frames(0, 20), b=frames(33, 100)).late, [])
        self.assertEqual(len(judge(PLAIN, killed, a=frames(0, 20), b=frames(39, 100)).late), 1)
        self.assertEqual(len(judge(PLAIN, killed, a=frames(0, 50), b=frames(63, 100)).late), 1)  # long over

    def test_a_failover_takes_as_long_as_the_policys_lease(self):
        killed = [(20, 40, "kill box", "a")]
        for lease, back in ((3, 30), (10, 37), (30, 57)):
            self.assertEqual(judge(PLAIN, killed, lease=lease, a=frames(0, 20), b=frames(back, 100)).late, [])
            late = judge(PLAIN, killed, lease=lease, a=frames(0, 20), b=frames(back + 2, 100)).late
            self.assertEqual(len(late), 1, lease)
            self.assertIn(f"allowed {lease + 8}", late[0])

    def test_an_exclusive_camera_waits_for_its_box_and_for_the_whole_lease_again(self):
        cut = [(20, 80, "cut box off", "a")]
        for lease, stops, back in ((3, 21, 34), (10, 28, 55), (30, 48, None)):
            boxes = {"a": frames(0, stops), "b": frames(back, 100) if back else []}
            self.assertEqual(judge(EXCLUSIVE, cut, lease=lease, **boxes).late, [], lease)
        self.assertEqual(len(judge(EXCLUSIVE, cut, lease=3, a=frames(0, 21), b=frames(37, 100)).late), 1)
        long_ago = [(20, 21, "cut box off", "a")]
        self.assertEqual(judge(EXCLUSIVE, long_ago, lease=30, a=frames(0, 48), b=frames(60, 100)).late, [])
        self.assertEqual(len(judge(EXCLUSIVE, long_ago, lease=3, a=frames(0, 48), b=frames(60, 100)).late), 1)

    def test_the_median_is_of_the_lease_too(self):
        killed = [(10 * n, 10 * n + 1, "kill box", "a") for n in range(1, 7)]
        served = [at for at in frames(0, 100) if not any(0 < at - 10 * n < 7.5 for n in range(1, 7))]
        self.assertEqual(judge(PLAIN, killed, lease=10, a=served).late, [])
        late = judge(PLAIN, killed, lease=3, a=served).late
        self.assertEqual(len(late), 1)
        self.assertIn("in the median", late[0])

    def test_longer_where_the_store_elected(self):
        killed = [(20, 40, "kill box", "a")]
        boxes = {"a": frames(0, 20), "b": frames(59, 100)}
        self.assertEqual(judge(PLAIN, killed, [24], **boxes).late, [])
        self.assertEqual(len(judge(PLAIN, killed, **boxes).late), 1)
        self.assertEqual(len(judge(PLAIN, killed, [70], **boxes).late), 1)
        later = {"a": frames(0, 20), "b": frames(75, 100)}
        self.assertEqual(len(judge(PLAIN, killed, [24], **later).late), 1)
        self.assertEqual(judge(PLAIN, killed, [24, 40], **later).late, [])
        hung = (22, 40, "hang member", "etcd-1")  # a follower
        self.assertEqual(len(judge(PLAIN, [*killed, hung], **boxes).late), 1)

    def test_longer_where_it_was_given_to_a_box_that_failed_as_well(self):
        killed, hung = (20, 40, "kill box", "a"), (30, 50, "hang box", "b")
        boxes = {"a": frames(0, 20), "c": frames(43, 100)}
        self.assertEqual(judge(PLAIN, [killed, hung], assigned="abc", **boxes).late, [])
        self.assertEqual(len(judge(PLAIN, [killed, hung], assigned="bac", **boxes).late), 1)
        self.assertEqual(len(judge(PLAIN, [killed], assigned="abc", **boxes).late), 1)
        much_later = {"a": frames(0, 20), "c": frames(50, 100)}
        self.assertEqual(len(judge(PLAIN, [killed, hung], assigned="abc", **much_later).late), 1)

    def test_a_member_that_hung_is_no_reason(self):
        hung = [(20, 48, "hang member", "etcd-3")]
        boxes = {"a": frames(0, 48) + frames(53, 100)}
        self.assertEqual(len(judge(EXCLUSIVE, hung, **boxes).late), 1)
        self.assertEqual(len(judge(PLAIN, hung, **boxes).late), 1)

    def test_an_exclusive_camera_that_moves_is_released_first(self):
        drained = [(45, 70, "drain box", "a")]
        boxes = {"a": frames(0, 50), "b": frames(55, 100)}
        self.assertEqual(judge(EXCLUSIVE, drained, planned=["ab"], **boxes).late, [])
        self.assertEqual(len(judge(EXCLUSIVE, drained, planned=["ba"], **boxes).late), 1)
        self.assertEqual(len(judge(PLAIN, drained, planned=["ab"], **boxes).late), 1)
        later = {"a": frames(0, 50), "b": frames(57, 100)}
        self.assertEqual(len(judge(EXCLUSIVE, drained, planned=["ab"], **later).late), 1)
        self.assertEqual(judge(EXCLUSIVE, [(48, 60, "kill planner", "planner-1")], planned=["ab"], **later).late, [])

    def test_drains_slow_links_and_lost_packets_are_no_reason(self):
        for kind in ("drain box", "slow box", "lossy box"):
            mild = [(20, 40, kind, "a")]
            self.assertEqual(len(judge(PLAIN, mild, a=frames(0, 25) + frames(30, 100)).late), 1)
            self.assertEqual(len(judge(PLAIN, mild, a=frames(0, 50), b=frames(25, 100)).late), 1)
        killed = (20, 40, "kill box", "a")
        slow = [(15, 40, "slow planner", "planner-1"), (15, 40, "lossy member", "etcd-1")]
        self.assertEqual(len(judge(PLAIN, [killed, *slow], a=frames(0, 20), b=frames(41, 100)).late), 1)

    def test_a_box_that_is_cut_off_serves_on(self):
        cut = [(20, 60, "cut box off", "a")]
        self.assertEqual(len(judge(PLAIN, cut, a=frames(0, 40) + frames(50, 100)).late), 1)
        self.assertEqual(judge(EXCLUSIVE, cut, a=frames(0, 28), b=frames(50, 100)).late, [])


class Twice(unittest.TestCase):
    def test_a_handover_is_short(self):
        self.assertEqual(judge(PLAIN, a=frames(0, 50), b=frames(48, 100)).late, [])
        self.assertEqual(len(judge(PLAIN, a=frames(0, 50), b=frames(45, 100)).late), 1)

    def test_while_one_is_cut_off_and_until_it_has_heard_of_it(self):
        parted = [(20, 60, "part box from all", "a")]
        self.assertEqual(judge(PLAIN, parted, a=frames(0, 65), b=frames(33, 100)).late, [])
        self.assertEqual(len(judge(PLAIN, parted, a=frames(0, 70), b=frames(33, 100)).late), 1)

    def test_an_exclusive_camera_never(self):
        parted = [(20, 60, "part box from all", "a")]
        self.assertEqual(len(judge(EXCLUSIVE, parted, a=frames(0, 34), b=frames(33, 100)).breaches), 1)
        self.assertEqual(len(judge(EXCLUSIVE, a=frames(0, 50), b=frames(49, 100)).breaches), 1)
        self.assertEqual(judge(EXCLUSIVE, parted, a=frames(0, 28), b=frames(33, 100)).breaches, [])


class Frames(unittest.TestCase):
    def count(self, **boxes):
        return chaos_judge.count_frames(records_of(**boxes), "camera", BEGAN - 0.01, UNTIL)

    def test_what_is_missing_was_lost(self):
        self.assertEqual(self.count(a=frames(0, 100)), (200, 0, {"a"}))
        self.assertEqual(self.count(a=frames(0, 50) + frames(52, 100)), (196, 3, {"a"}))  # but for one
        self.assertEqual(self.count(a=frames(0, 50), b=frames(50, 100)), (200, 0, {"a", "b"}))
        self.assertEqual(self.count(), (0, 199, set()))


class History(unittest.TestCase):
    def breaches(self, *documents):
        found = []
        written = [(n + 1, key, json.dumps(document)) for n, (key, document) in enumerate(documents)]
        chaos_judge.check_history(written, found)
        return found

    def test_terms_numbers_and_epochs_rise(self):
        def plan(term, number, epoch):
            return "plan", {"term": term, "number": number, "last_epoch": epoch}
        self.assertEqual(self.breaches(plan(1, 1, 1), plan(1, 2, 1), plan(2, 3, 4)), [])
        self.assertEqual(len(self.breaches(plan(2, 1, 1), plan(1, 2, 1))), 1)
        self.assertEqual(len(self.breaches(plan(1, 2, 5), plan(1, 1, 4))), 2)

    def test_an_epoch_is_of_one_camera_on_one_box(self):
        def assign(box, *cameras):
            return f"assign/{box}", {"term": 1, "cameras": [{"id": name, "epoch": epoch} for name, epoch in cameras]}
        both = assign("a", ("x", 1), ("y", 2))
        self.assertEqual(self.breaches(assign("a", ("x", 1)), both, assign("b", ("x", 3))), [])
        self.assertEqual(len(self.breaches(assign("a", ("x", 1)), assign("b", ("x", 1)))), 1)

    def test_the_boxes_of_a_camera_are_in_the_order_of_its_epochs(self):
        def assign(revision, box, *epochs):
            return revision, f"assign/{box}", json.dumps({"cameras": [{"id": "x", "epoch": epoch} for epoch in epochs]})
        written = [assign(1, "a", 1), assign(2, "b", 2), assign(3, "a"), assign(4, "b", 2), assign(5, "a", 3)]
        self.assertEqual(chaos_judge.assigned_boxes(written), {"x": ["a", "b", "a"]})

    def test_the_lease_is_that_of_the_policy_in_force(self):
        def lease(*policies):
            written = [(n + 1, "policy", None if each is None else json.dumps(each)) for n, each in enumerate(policies)]
            return chaos_judge.lease_in_force([(0, "box/a", "{}"), *written])
        self.assertEqual(lease(), 10)
        self.assertEqual(lease({"brake_share": 1}), 10)
        self.assertEqual(lease({"lease_seconds": 30}, {"lease_seconds": 3}), 3)
        self.assertEqual(lease({"lease_seconds": 3}, None), 10)

    def test_what_was_acknowledged_is_there(self):
        def most(number):
            return {"max_cameras": number}
        written = [(7, "box/a", '{"max_cameras": 101}'), (9, "box/a", '{"max_cameras": 102, "state": "active"}')]
        for acknowledged, lost in (([(7, "box/a", most(101)), (9, "box/a", most(102))], 0),
                                   ([(8, "box/a", most(103))], 1), ([(9, "box/a", most(101))], 1),
                                   ([(9, "box/a", {"state": "active"})], 0)):
            found = []
            chaos_judge.check_acknowledged(written, acknowledged, found)
            self.assertEqual(len(found), lost)

    def test_what_was_refused_is_not(self):
        written = [(7, "box/a", '{"labels": {"write": "w1"}}'), (8, "box/a", None)]
        for number, made in ((1, 1), (2, 0)):
            found = []
            chaos_judge.check_refused(written, [("box/a", {"labels": {"write": f"w{number}"}})], found)
            self.assertEqual(len(found), made)


class Moves(unittest.TestCase):
    @staticmethod
    def assign(revision, box, *cameras):
        listed = [{"id": name, "epoch": epoch, "role": role, "cause": cause} for name, epoch, role, cause in cameras]
        return revision, f"assign/{box}", json.dumps({"cameras": listed})

    def breaches(self, *written, cameras=60, seconds=600):
        found = []
        chaos_judge.check_moves(list(written), cameras, seconds, found)
        return found

    def test_for_improvement_are_within_the_budget(self):
        moved = [self.assign(n, "a", ("x", n, "serve", "improvement")) for n in (1, 2, 3)]
        self.assertEqual(self.breaches(moved[0], moved[0]), [])
        self.assertEqual(len(self.breaches(*moved[:2])), 1)
        self.assertEqual(self.breaches(*moved[:2], seconds=3600), [])
        self.assertEqual(self.breaches(*moved, cameras=300), [])
        drained = [self.assign(n, "a", ("x", n, "serve", "drain")) for n in (1, 2, 3)]
        self.assertEqual(self.breaches(*drained), [])

    def test_few_are_under_way_at_a_time(self):
        def two(revision, box, epoch):
            taken_over = [(name, epoch + n, "take_over", "drain") for n, name in enumerate("xy")]
            return self.assign(revision, box, *taken_over)
        self.assertEqual(self.breaches(two(1, "a", 1), two(1, "b", 3)), [])
        self.assertEqual(len(self.breaches(two(1, "a", 1), two(1, "b", 3), two(1, "c", 5))), 1)
        self.assertEqual(self.breaches(two(1, "a", 1), two(1, "b", 3), two(1, "c", 5), cameras=600), [])
        one_after_the_other = [two(1, "a", 1), two(1, "b", 3), two(2, "c", 5), self.assign(2, "a")]
        self.assertEqual(self.breaches(*one_after_the_other), [])
        three = [(name, epoch, "take_over", "drain") for epoch, name in enumerate("xyz")]
        self.assertEqual(len(self.breaches(self.assign(1, "a", *three))), 1)

    def test_that_no_fault_makes_necessary_are_known(self):
        written = [self.assign(1, "a", ("x", 1, "serve", "placed")),
                   self.assign(2, "b", ("x", 2, "take_over", "drain")),
                   self.assign(3, "c", ("x", 3, "serve", "lost_box"))]
        self.assertEqual(chaos_judge.planned_moves(written), [("x", "a", "b")])


if __name__ == "__main__":
    unittest.main()
