// What is kept up is what is computed directly from the view.
#include "fleet/control/bearings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fleet/model.hpp"
#include "tests/fleet/fleets.hpp"

namespace saccade::fleet {
namespace {

using Dump = std::map<std::string, std::vector<std::tuple<std::string, std::int64_t, Cause>>>;

Dump dump(const Whereabouts& where) {
  Dump all;
  for (const auto& [id, camera] : where.cameras) {
    for (const auto& at : {camera.serve, camera.take_over}) {
      all[id.str()].emplace_back(at ? at->box.str() : "", at ? at->epoch : 0,
                                 at ? at->cause : Cause::unknown);
    }
  }
  return all;
}

class FleetBearings : public testing::Test {
 protected:
  FleetBearings() {
    test::FleetShape shape;
    shape.boxes = 6;
    shape.cameras = 24;
    view_.problem = test::RandomFleet(2, shape).next();
    for (std::size_t i = 0; i < view_.problem.cameras.size(); i += 6) {
      view_.problem.cameras[i].where.standby = true;
    }
    configured_ = view_.problem.cameras;
    for (const Camera& camera : configured_) ids_.push_back(camera.task.id);
    for (const Box& box : view_.problem.boxes) boxes_.push_back(box.id);
    boxes_.emplace_back("stranger");
    view_.problem_version = 1;
  }

  std::size_t below(std::size_t count) { return random_() % count; }

  // `same`: written together with the one before, and so with its revision.
  void change_document(bool same) {
    Held<AssignDocument>& held = view_.assigned[boxes_[below(boxes_.size())]];
    if (same && held.revision == revision_) return;
    if (!same) ++revision_;
    held.revision = revision_;
    const std::vector<AssignedCamera> before = held.document.cameras;
    for (const AssignedCamera& camera : before) may_change_.insert(camera.id);
    std::vector<AssignedCamera>& cameras = held.document.cameras;
    const TaskId id = ids_[below(ids_.size())];
    std::erase_if(cameras, [&](const AssignedCamera& each) { return each.id == id || below(8) == 0; });
    if (below(4) > 0) {
      const Role role = below(3) == 0 ? Role::take_over : Role::serve;
      cameras.push_back({id, ++epoch_, role, false, "task", below(2) == 0 ? Cause::placed : Cause::drain});
      if (below(4) == 0) cameras.push_back({id, ++epoch_, role, false, "task", Cause::placed});  // twice
    }
    if (!cameras.empty() && below(4) == 0) cameras[below(cameras.size())].task += '+';
    for (const AssignedCamera& camera : cameras) may_change_.insert(camera.id);
    const std::vector<AssignedCamera> after = cameras;
    for (const auto& [these, those] : {std::pair(&before, &after), std::pair(&after, &before)}) {
      for (const AssignedCamera& camera : *these) {
        if (std::find(those->begin(), those->end(), camera) == those->end()) changed_.insert(camera.id);
      }
    }
    held.document.standby.clear();
    if (below(6) == 0) held.document.standby.push_back({ids_[below(ids_.size())], "task"});
    if (below(6) == 0) held.document.standby.push_back({ids_.front(), below(2) == 0 ? "task" : "other"});
    held.document.longest_lease = below(3) == 0 ? 2 * kUsualLease : kUsualLease;
  }

  void change() {
    switch (below(12)) {
      case 0: {
        const auto gone = view_.assigned.find(boxes_[below(boxes_.size())]);
        if (gone == view_.assigned.end()) return;
        for (const AssignedCamera& camera : gone->second.document.cameras) changed_.insert(camera.id);
        view_.assigned.erase(gone);
        return;
      }
      case 1:  // cameras come and go, and are not demanded for a while
        view_.problem.cameras.clear();
        for (const Camera& camera : configured_) {
          if (below(5) == 0) continue;
          view_.problem.cameras.push_back(camera);
          if (below(5) == 0) view_.problem.cameras.back().task.demand = Fps(0.0);
        }
        view_.problem.policy.lease = Seconds(below(3) == 0 ? 20.0 : 10.0);
        ++view_.problem_version;
        changed_.insert(ids_.begin(), ids_.end());
        return;
      case 2:
        view_.plan.revision = ++revision_;
        view_.plan.document.released = {{ids_[below(ids_.size())], boxes_.front()}};
        plan_changed_ = true;
        return;
      default:
        change_document(false);
        if (below(2) == 0) change_document(true);
    }
  }

  // Computed directly from the view.
  struct Seen {
    Whereabouts where;
    std::set<std::size_t> homeless;
    std::set<TaskId> taken_over;
    std::set<BoxId> strangers;
    std::set<BoxId> other_lease;
    bool standbys = false;
    std::map<TaskId, std::vector<BoxId>> holders;
  };
  [[nodiscard]] Seen seen() const {
    Seen seen;
    seen.where = whereabouts(view_.assigned);
    const std::vector<Camera>& cameras = view_.problem.cameras;
    for (std::size_t i = 0; i < cameras.size(); ++i) {
      const bool nowhere = !seen.where.cameras.contains(cameras[i].task.id);
      if (cameras[i].task.active() && nowhere) seen.homeless.insert(i);
      seen.standbys = seen.standbys || cameras[i].where.standby;
    }
    const Duration lease = to_duration(view_.problem.policy.lease);
    for (const auto& [box, held] : view_.assigned) {
      if (box == boxes_.back()) seen.strangers.insert(box);
      if (held.document.lease != lease || held.document.longest_lease != lease) seen.other_lease.insert(box);
      seen.standbys = seen.standbys || !held.document.standby.empty();
      for (const AssignedCamera& camera : held.document.cameras) {
        if (camera.role == Role::take_over) seen.taken_over.insert(camera.id);
        std::vector<BoxId>& holders = seen.holders[camera.id];
        if (holders.empty() || holders.back() != box) holders.push_back(box);
      }
    }
    return seen;
  }

  // What decides, by camera, which boxes are to stand by for it; where it is only if it is to be kept ready.
  using Orders = std::map<std::string, std::string>;  // by box
  using Ready = std::map<TaskId, std::pair<Dump, Orders>>;
  [[nodiscard]] Ready ready() const {
    Ready ready;
    const Whereabouts where = whereabouts(view_.assigned);
    for (const Camera& camera : view_.problem.cameras) {
      const auto at = where.cameras.find(camera.task.id);
      if (!camera.where.standby || at == where.cameras.end()) continue;
      Whereabouts alone;
      alone.cameras.insert(*at);
      ready[camera.task.id].first = dump(alone);
    }
    for (const auto& [box, held] : view_.assigned) {
      for (const StandbyCamera& each : held.document.standby)
        ready[each.id].second[box.str()] += each.task + ';';
    }
    return ready;
  }
  [[nodiscard]] std::vector<BoxId> standing_by(const TaskId& id) const {
    std::vector<BoxId> boxes;
    for (const auto& [box, held] : view_.assigned) {
      const std::vector<StandbyCamera>& all = held.document.standby;
      if (std::any_of(all.begin(), all.end(), [&](const auto& each) { return each.id == id; }))
        boxes.push_back(box);
    }
    return boxes;
  }

  [[nodiscard]] std::size_t place_of(const TaskId& id) const {
    const std::vector<Camera>& cameras = view_.problem.cameras;
    for (std::size_t i = 0; i < cameras.size(); ++i) {
      if (cameras[i].task.id == id) return i;
    }
    return kNone;
  }

  FleetView view_;
  std::vector<Camera> configured_;
  std::vector<TaskId> ids_;
  std::vector<BoxId> boxes_;
  std::mt19937_64 random_{11};
  std::int64_t revision_ = 0;
  std::int64_t epoch_ = 0;
  std::set<TaskId> changed_;     // since the last look
  std::set<TaskId> may_change_;  // these, and cameras of the same assignments
  bool plan_changed_ = false;
};

TEST_F(FleetBearings, WhatIsKeptUpIsWhatThereIs) {
  Bearings kept;
  int with_strangers = 0;
  for (int step = 0; step < 3000; ++step) {
    SCOPED_TRACE(step);
    change();
    kept.follow(view_);
    if (std::exchange(plan_changed_, false)) changed_.insert(view_.plan.document.released.front().camera);
    const Seen now = seen();
    ASSERT_EQ(dump(kept.where()), dump(now.where));
    EXPECT_EQ(kept.homeless(), now.homeless);
    EXPECT_EQ(kept.taken_over(), now.taken_over);
    EXPECT_EQ(kept.strangers(), now.strangers);
    EXPECT_EQ(kept.other_lease(), now.other_lease);
    EXPECT_EQ(kept.standbys(), now.standbys);
    with_strangers += kept.strangers().empty() ? 0 : 1;
    for (const TaskId& id : ids_) {
      const auto holders = now.holders.find(id);
      EXPECT_EQ(kept.holders(id), holders == now.holders.end() ? std::vector<BoxId>{} : holders->second);
      EXPECT_EQ(kept.at(id) != nullptr, holders != now.holders.end());
      const bool suspect = changed_.contains(id) && holders != now.holders.end();
      EXPECT_TRUE(!suspect || kept.suspects.contains(id)) << id.str();
      EXPECT_EQ(kept.camera(id), place_of(id));
    }
    for (const TaskId& id : kept.suspects) {
      EXPECT_TRUE(changed_.contains(id) || may_change_.contains(id)) << id.str();
    }
    for (std::size_t i = 0; i < view_.problem.boxes.size(); ++i) {
      EXPECT_EQ(kept.box(view_.problem.boxes[i].id), i);
    }
    EXPECT_EQ(kept.box(boxes_.back()), kNone);
    kept.suspects.clear();
    changed_.clear();
    may_change_.clear();
  }
  EXPECT_GT(with_strangers, 100);
}

TEST_F(FleetBearings, WhoStandsByIsInQuestionAfterWhatDecidesItAndNothingElse) {
  Bearings kept;
  kept.follow(view_);
  int all = 0;
  int questions = 0;
  int others = 0;
  for (int step = 0; step < 3000; ++step) {
    SCOPED_TRACE(step);
    kept.standbys_by.emplace();
    kept.standbys_in_question.clear();
    const Ready before = ready();
    const std::map<BoxId, Held<AssignDocument>> assigned = view_.assigned;
    const std::uint64_t version = view_.problem_version;
    const auto revisions = view_.assigned.size() + static_cast<std::size_t>(revision_);
    change();
    kept.follow(view_);
    EXPECT_EQ(kept.standbys_by.has_value(), version == view_.problem_version);
    for (const TaskId& id : ids_) EXPECT_EQ(kept.standing_by(id), standing_by(id)) << id.str();
    if (version != view_.problem_version) {
      ++all;
      continue;
    }
    const Ready now = ready();
    std::set<TaskId> differ;
    for (const TaskId& id : ids_) {
      const auto of = [&](const Ready& ready) {
        const auto found = ready.find(id);
        return found == ready.end() ? Ready::mapped_type() : found->second;
      };
      if (of(before) != of(now)) differ.insert(id);
    }
    for (const TaskId& id : differ) EXPECT_TRUE(kept.standbys_in_question.contains(id)) << id.str();
    std::set<TaskId> may = differ;  // and all of a box of which some have changed
    for (const BoxId& box : boxes_) {
      const auto of = [&](const std::map<BoxId, Held<AssignDocument>>& documents) {
        const auto found = documents.find(box);
        return found == documents.end() ? std::vector<StandbyCamera>() : found->second.document.standby;
      };
      if (of(assigned) == of(view_.assigned)) continue;
      for (const StandbyCamera& each : of(assigned)) may.insert(each.id);
      for (const StandbyCamera& each : of(view_.assigned)) may.insert(each.id);
    }
    for (const TaskId& id : kept.standbys_in_question) EXPECT_TRUE(may.contains(id)) << id.str();
    questions += differ.empty() ? 0 : 1;
    const auto then = view_.assigned.size() + static_cast<std::size_t>(revision_);
    others += differ.empty() && revisions != then ? 1 : 0;
  }
  EXPECT_GT(all, 100);
  EXPECT_GT(questions, 300);
  EXPECT_GT(others, 300);
}

TEST_F(FleetBearings, CamerasThatAreToBeKeptReadyOrAreComeIntoQuestionTogetherOrByBox) {
  view_.assigned[boxes_[1]].document.standby = {{ids_[1], "task"}};
  view_.assigned[boxes_[1]].document.cameras = {{ids_[6], 1, Role::serve, false, "task"},
                                                {ids_[7], 2, Role::serve, false, "task"}};
  view_.assigned[boxes_[1]].revision = 1;
  Bearings bearings;
  bearings.follow(view_);
  bearings.standbys_in_question.clear();
  bearings.question_standbys();
  std::set<TaskId> expected{ids_[1]};
  for (std::size_t i = 0; i < ids_.size(); i += 6) expected.insert(ids_[i]);
  EXPECT_EQ(bearings.standbys_in_question, expected);
  bearings.standbys_in_question.clear();
  bearings.question_standbys(boxes_[0]);
  EXPECT_TRUE(bearings.standbys_in_question.empty());
  bearings.question_standbys(boxes_[1]);
  EXPECT_EQ(bearings.standbys_in_question, (std::set<TaskId>{ids_[1], ids_[6]}));
}

TEST_F(FleetBearings, CamerasOfAChangedAssignmentAreSuspectUntilFoundInOrder) {
  AssignDocument& first = view_.assigned[boxes_[0]].document;
  first.cameras = {{ids_[0], 1, Role::serve, false, "task"}};
  view_.assigned[boxes_[0]].revision = 1;
  view_.assigned[boxes_[1]] = {{}, 1};
  view_.assigned[boxes_[1]].document.cameras = {{ids_[1], 2, Role::serve, false, "task"}};
  Bearings bearings;
  bearings.follow(view_);
  EXPECT_EQ(bearings.suspects, (std::set<TaskId>{ids_[0], ids_[1]}));
  bearings.suspects.clear();
  const std::uint64_t version = bearings.version();
  bearings.follow(view_);
  EXPECT_TRUE(bearings.suspects.empty());
  EXPECT_EQ(bearings.version(), version);
  // A second box for it: what the first says of it is no longer right.
  view_.assigned[boxes_[1]].document.cameras.push_back({ids_[0], 3, Role::serve, false, "task"});
  view_.assigned[boxes_[1]].revision = 2;
  bearings.follow(view_);
  EXPECT_TRUE(bearings.suspects.contains(ids_[0]));
  EXPECT_GT(bearings.version(), version);
  bearings.suspects.clear();
  // A write that was cut: the release is in the plan, and the camera is on its box all the same.
  view_.plan.revision = 3;
  view_.plan.document.released = {{ids_[1], boxes_[1]}};
  bearings.follow(view_);
  EXPECT_EQ(bearings.suspects, std::set<TaskId>{ids_[1]});
  bearings.suspects.clear();
  ++view_.problem_version;
  bearings.follow(view_);
  EXPECT_EQ(bearings.suspects, (std::set<TaskId>{ids_[0], ids_[1]}));
}

}  // namespace
}  // namespace saccade::fleet
