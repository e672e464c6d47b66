// The simulated store passes what every store must, and its faults are what they say.
#include "fleet_store/simulated_store.hpp"

#include <gtest/gtest.h>

#include "tests/conformance/store_suite.hpp"

namespace saccade::fleet_store {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class SimulatedConformance : public test::StoreConformance {
 public:
  Store& client(std::size_t index) override { return simulated(index); }
  SimulatedStore::Client& simulated(std::size_t index) { return index == 0 ? first_ : second_; }
  void pass(Duration time) override { store_.run_until(now_ += time); }
  SimulatedStore& store() { return store_; }

 private:
  SimulatedStore store_{[] { return milliseconds(2); }};
  SimulatedStore::Client& first_ = store_.open();
  SimulatedStore::Client& second_ = store_.open();
  TimePoint now_{};
};

class SimulatedStoreConforms : public testing::TestWithParam<test::StoreCase> {};
TEST_P(SimulatedStoreConforms, Case) {
  SimulatedConformance store;
  GetParam().run(store);
}
INSTANTIATE_TEST_SUITE_P(Cases, SimulatedStoreConforms, testing::ValuesIn(test::store_cases()),
                         [](const auto& tested) { return std::string(tested.param.name); });

answer::Outcome outcome_of(const Answer& answer) {
  const auto* failed = std::get_if<answer::Failed>(&answer);
  EXPECT_NE(failed, nullptr);
  return failed == nullptr ? answer::Outcome::refused : failed->outcome;
}

request::Commit set(const std::string& value) { return {{}, {{"/t/a", value}}, {}}; }

TEST(SimulatedStoreFaults, ACutClientKnowsNothingOfItsWrites) {
  SimulatedConformance store;
  store.put("/t/a", "1");
  const std::uint64_t watch = store.watch(0, "/t/a", false, 1);
  EXPECT_EQ(store.changes(0, watch, 1).size(), 1U);
  store.simulated(0).cut(true);
  EXPECT_EQ(outcome_of(store.ask(0, set("2"))), answer::Outcome::unknown);
  EXPECT_EQ(outcome_of(store.ask(0, request::List{"/t/a"})), answer::Outcome::unavailable);
  EXPECT_EQ(store.list("/t/a").at(0).value, "1");
  EXPECT_TRUE(std::holds_alternative<answer::WatchEnded>(store.answer_to(0, watch, seconds(5))));
  store.simulated(0).cut(false);
  EXPECT_TRUE(store.get<answer::Committed>(0, set("3")).done);
}

TEST(SimulatedStoreFaults, AnUnknownWriteMayBeDoneNowOrLater) {
  SimulatedConformance store;
  store.put("/t/a", "1");
  store.simulated(0).lose_next_outcome(false);
  EXPECT_EQ(outcome_of(store.ask(0, set("2"))), answer::Outcome::unknown);
  EXPECT_EQ(store.list("/t/a").at(0).value, "2");
  store.simulated(0).lose_next_outcome(true);
  EXPECT_EQ(outcome_of(store.ask(0, set("3"))), answer::Outcome::unknown);
  EXPECT_EQ(store.list("/t/a").at(0).value, "2");
  store.pass(seconds(3));
  EXPECT_EQ(store.list("/t/a").at(0).value, "3");
}

TEST(SimulatedStoreFaults, WithoutAMajorityNothingIsDoneAndWatchesEnd) {
  SimulatedConformance store;
  const auto lease = store.get<answer::Granted>(0, request::Grant{seconds(3)});
  store.put("/t/leased", "", lease.lease);
  const std::uint64_t watch = store.watch(1, "/t/", true, 1);
  EXPECT_EQ(store.changes(1, watch, 1).size(), 1U);
  const std::int64_t term = store.store().term();
  store.store().lose_majority();
  EXPECT_EQ(outcome_of(store.ask(0, set("1"))), answer::Outcome::unknown);
  EXPECT_EQ(outcome_of(store.ask(0, request::Keep{lease.lease})), answer::Outcome::unavailable);
  EXPECT_TRUE(std::holds_alternative<answer::WatchEnded>(store.answer_to(1, watch, seconds(5))));
  store.pass(seconds(10));
  store.store().restore_majority(true);
  EXPECT_GT(store.store().term(), term);
  EXPECT_EQ(store.list("/t/leased").size(), 1U);  // no lease ends while nobody could pay
  store.store().lose_majority();
  store.pass(seconds(10));
  store.store().restore_majority(false);
  EXPECT_TRUE(store.list("/t/").empty());
}

TEST(SimulatedStoreFaults, ASlowLineIsLateAndRepeatsAreRepeats) {
  SimulatedConformance store;
  store.simulated(1).slow(seconds(3));
  EXPECT_EQ(outcome_of(store.ask(1, request::List{"/t/"})), answer::Outcome::unavailable);
  store.simulated(1).slow(milliseconds(500));
  EXPECT_TRUE(store.list("/t/").empty());
  store.simulated(1).slow({});
  const std::uint64_t watch = store.watch(1, "/t/", true, 1);
  store.pass(milliseconds(100));
  store.simulated(1).repeat_next_watched();
  store.put("/t/a", "1");
  EXPECT_EQ(store.changes(1, watch, 2).size(), 2U);
}

}  // namespace
}  // namespace saccade::fleet_store
