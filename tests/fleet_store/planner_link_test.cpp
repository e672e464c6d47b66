// A planner on a simulated store: what it writes counts only while it leads.
#include "fleet_store/planner_link.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "fleet_store/simulated_store.hpp"
#include "tests/fleet/fleets.hpp"

namespace saccade::fleet_store {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class FleetPlannerLink : public testing::Test {
 protected:
  FleetPlannerLink() {
    test::FleetShape shape;
    shape.boxes = 3;
    shape.cameras = 6;
    shape.load = 0.4;
    problem_ = test::RandomFleet(3, shape).next();
    PlannerLinkSettings settings;
    settings.fleet = "t";
    settings.planner = "p";
    link_.emplace(settings, [this](const std::map<std::string, Entry>& entries) {
      ++reads_;
      read_ = entries;
      Configured configured{problem_, {}};
      for (const fleet::Camera& camera : problem_.cameras)
        configured.tasks[camera.task.id] = camera.task.id == large_ ? std::string(kMostBytes, 'x') : "task";
      return std::optional(configured);
    });
  }
  void put(const std::string& key, const std::string& value) {
    operator_.submit(++number_, request::Commit{{}, {{key, value}}, {}});
  }
  // One step of 10 ms. True: it sent a plan, for which `before` was called first.
  template <class Before>
  bool step(const Before& before) {
    now_ += milliseconds(10);
    store_.run_until(now_);
    for (const Event& event : line_.take()) link_->on(event, now_);
    link_->step(now_);
    bool planned = false;
    for (Numbered& each : link_->take_requests()) {
      const auto* commit = std::get_if<request::Commit>(&each.request);
      for (const Put& put : commit != nullptr ? commit->puts : std::vector<Put>{}) {
        planned = planned || put.key == keys_.plan();
      }
      if (planned) before();
      if (planned && refuses_) {
        link_->on({each.number, 1, answer::Failed{answer::Outcome::refused, "no space"}}, now_);
        continue;
      }
      line_.submit(each.number, std::move(each.request));
    }
    return planned;
  }
  // How many plans it sent in 20 s.
  int plans_of_a_while() {
    int plans = 0;
    for (int i = 0; i < 2'000; ++i) plans += step([] {}) ? 1 : 0;
    return plans;
  }
  void lead_with_boxes() {
    for (int i = 0; i < 300; ++i) (void)step([] {});
    ASSERT_TRUE(link_->leading());
    for (const fleet::Box& box : problem_.boxes) put(keys_.alive(box.id.str()), "here");
    put(keys_.camera("x"), "{}");
  }
  // Whether a box is asked within some steps.
  bool is_probed(const fleet::BoxId& box, int steps) {
    (void)link_->take_probes();
    for (int i = 0; i < steps; ++i) {
      (void)step([] {});
      for (const fleet::BoxId& each : link_->take_probes()) {
        if (each == box) return true;
      }
    }
    return false;
  }
  // Its lease ends, and it does not answer. At once: as fast as two probes, a second apart, can be.
  void lose_at_once(const fleet::BoxId& box) {
    operator_.submit(++number_, request::Commit{{}, {}, {keys_.alive(box.str())}});
    ASSERT_TRUE(is_probed(box, 10));
    link_->probed(box, false, now_);
    ASSERT_TRUE(is_probed(box, 105));
    link_->probed(box, false, now_);
    for (int i = 0; i < 20; ++i) (void)step([] {});
  }
  // The first camera may be on the first box alone, and no document has room for it; the others may not.
  void one_too_large() {
    const fleet::BoxId full = problem_.boxes.front().id;
    for (fleet::Camera& camera : problem_.cameras) camera.where.avoid = {full};
    problem_.cameras.front().where.avoid.clear();
    problem_.cameras.front().where.boxes = {full};
    large_ = problem_.cameras.front().task.id;
  }
  // Cameras on a box: served there, or on their way to it.
  [[nodiscard]] std::size_t serving(std::size_t box, fleet::Role role = fleet::Role::serve) const {
    const auto found = link_->view().assigned.find(problem_.boxes.at(box).id);
    if (found == link_->view().assigned.end()) return 0;
    const auto& cameras = found->second.document.cameras;
    return static_cast<std::size_t>(
        std::count_if(cameras.begin(), cameras.end(), [&](const auto& each) { return each.role == role; }));
  }
  [[nodiscard]] std::size_t assigned() const {
    return fleet::whereabouts(link_->view().assigned).cameras.size();
  }
  [[nodiscard]] bool has_assignments() const {
    const auto& entries = store_.history().entries();
    const auto found = entries.lower_bound(keys_.assign(""));
    return found != entries.end() && found->first.starts_with(keys_.assign(""));
  }

  Keys keys_{"t"};
  SimulatedStore store_{[] { return milliseconds(2); }};
  SimulatedStore::Client& line_ = store_.open();
  SimulatedStore::Client& operator_ = store_.open();
  fleet::Problem problem_;
  std::optional<PlannerLink> link_;
  TimePoint now_{};
  std::uint64_t number_ = 0;
  TaskId large_{"none"};  // a camera with a task that no document has room for
  bool refuses_ = false;  // plans
  int reads_ = 0;
  std::map<std::string, Entry> read_;  // the last time
};

// An operator who applies a file of 10,000 cameras changes 10,000 keys.
TEST_F(FleetPlannerLink, TheConfigurationIsNotReadAtEveryChangeOfABurst) {
  for (int i = 0; i < 300; ++i) (void)step([] {});
  put(keys_.camera("first"), "{}");
  for (int i = 0; i < 4; ++i) (void)step([] {});
  EXPECT_TRUE(read_.contains(keys_.camera("first")));  // at once
  const int before = reads_;
  for (int i = 0; i < 100; ++i) {  // a second of it
    put(keys_.camera("camera-" + std::to_string(i)), "{}");
    (void)step([] {});
  }
  EXPECT_LE(reads_, before + 11);
  EXPECT_GE(reads_, before + 5);
  ASSERT_TRUE(link_->next());
  EXPECT_LE(*link_->next(), now_ + milliseconds(100));
  EXPECT_FALSE(read_.contains(keys_.camera("camera-98")));
  link_->read_configured(now_);  // whoever asks for it does not wait
  EXPECT_TRUE(read_.contains(keys_.camera("camera-98")));
  for (int i = 0; i < 20; ++i) (void)step([] {});
  EXPECT_TRUE(read_.contains(keys_.camera("camera-99")));
  const int after = reads_;
  for (int i = 0; i < 100; ++i) (void)step([] {});
  EXPECT_EQ(reads_, after);
}

// It decides while it holds the key, and the write arrives when it does not any more.
TEST_F(FleetPlannerLink, AWriteOfALeaderWhoseKeyIsGoneIsNotDone) {
  for (int i = 0; i < 300; ++i) (void)step([] {});
  ASSERT_TRUE(link_->leading());
  for (const fleet::Box& box : problem_.boxes) put(keys_.alive(box.id.str()), "here");
  put(keys_.camera("x"), "{}");
  bool planned = false;
  const auto lose_the_key = [&] { store_.revoke(store_.history().leases().at(0)); };
  for (int i = 0; i < 2'000 && !planned; ++i) planned = step(lose_the_key);
  ASSERT_TRUE(planned);
  store_.run_until(now_ + milliseconds(9));
  EXPECT_FALSE(has_assignments());
  for (int i = 0; i < 1'000; ++i) (void)step([] {});  // it leads again, and decides anew
  EXPECT_TRUE(link_->leading());
  EXPECT_TRUE(has_assignments());
}

TEST_F(FleetPlannerLink, ADocumentThatIsTooLargeKeepsNoOtherFromBeingWritten) {
  large_ = problem_.cameras.front().task.id;
  lead_with_boxes();
  EXPECT_LE(plans_of_a_while(), 20);
  ASSERT_EQ(link_->complaints().size(), 1U);
  const std::string where = link_->complaints().front().where;
  EXPECT_TRUE(where.starts_with("assign/")) << where;
  const auto& entries = store_.history().entries();
  for (const fleet::Box& box : problem_.boxes) {
    const bool fits = where != "assign/" + box.id.str();
    EXPECT_EQ(entries.contains(keys_.assign(box.id.str())), fits) << box.id.str();
  }
  EXPECT_LT(assigned(), problem_.cameras.size());
  large_ = TaskId("none");  // its operator has shortened it
  put(keys_.camera("y"), "{}");
  EXPECT_LE(plans_of_a_while(), 20);
  EXPECT_TRUE(link_->complaints().empty());
  EXPECT_EQ(assigned(), problem_.cameras.size());
}

TEST_F(FleetPlannerLink, ADocumentThatIsTooLargeDelaysNothingOfOtherBoxes) {
  one_too_large();
  lead_with_boxes();
  (void)plans_of_a_while();
  ASSERT_EQ(link_->complaints().size(), 1U);
  const std::size_t on_lost = serving(1);
  ASSERT_GT(on_lost, 0U);
  ASSERT_EQ(on_lost + serving(2), problem_.cameras.size() - 1);
  ASSERT_NO_FATAL_FAILURE(lose_at_once(problem_.boxes[1].id));
  EXPECT_EQ(serving(1), 0U);
  EXPECT_EQ(serving(2), problem_.cameras.size() - 1);
  EXPECT_LE(plans_of_a_while(), 3);
  EXPECT_EQ(link_->planner()->figures().failovers, static_cast<std::int64_t>(on_lost));
  EXPECT_EQ(link_->complaints().size(), 1U);
  ASSERT_TRUE(link_->next());
  EXPECT_GT(*link_->next(), now_);  // whoever waits for it does not go round and round
}

TEST_F(FleetPlannerLink, ADocumentThatIsTooLargeKeepsNoBoxFromBeingEmptied) {
  one_too_large();
  lead_with_boxes();
  (void)plans_of_a_while();
  ASSERT_EQ(link_->complaints().size(), 1U);
  ASSERT_GT(serving(1), 0U);
  problem_.boxes[1].state = fleet::BoxState::draining;
  put(keys_.box(problem_.boxes[1].id.str()), "{}");
  for (int i = 0; i < 300; ++i) (void)step([] {});
  EXPECT_GT(serving(2, fleet::Role::take_over), 0U);
}

TEST_F(FleetPlannerLink, AFailoverThatIsWrittenAgainIsCountedOnce) {
  lead_with_boxes();
  (void)plans_of_a_while();
  const std::size_t on_lost = serving(1);
  ASSERT_GT(on_lost, 0U);
  refuses_ = true;
  ASSERT_NO_FATAL_FAILURE(lose_at_once(problem_.boxes[1].id));
  (void)plans_of_a_while();
  EXPECT_EQ(link_->planner()->figures().failovers, static_cast<std::int64_t>(on_lost));
}

TEST_F(FleetPlannerLink, AStoreThatRefusesWhatIsWrittenIsNotAskedAgainAtOnce) {
  refuses_ = true;
  lead_with_boxes();
  EXPECT_LE(plans_of_a_while(), 20);
  ASSERT_EQ(link_->complaints().size(), 1U);
  EXPECT_NE(link_->complaints().front().what.find("no space"), std::string::npos);
  ASSERT_TRUE(link_->next());
  refuses_ = false;
  (void)plans_of_a_while();
  EXPECT_TRUE(link_->complaints().empty());
  EXPECT_EQ(assigned(), problem_.cameras.size());
}

}  // namespace
}  // namespace saccade::fleet_store
