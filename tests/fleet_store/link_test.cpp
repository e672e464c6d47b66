// Sessions and documents: what a box or a planner sees of the store, whatever happens to the line.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fleet_store/box_link.hpp"
#include "fleet_store/documents.hpp"
#include "fleet_store/simulated_store.hpp"

namespace saccade::fleet_store {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(FleetDocuments, AreReadAsTheyWereWritten) {
  const fleet::AssignDocument assign{
      5,
      2,
      {{TaskId("a"), 7, fleet::Role::take_over, true, "{\"fps\": 5}"}, {TaskId("b"), 8, {}, false, ""}}};
  EXPECT_EQ(read_assign(to_text(assign)).value(), assign);
  fleet::AssignDocument leased = assign;
  leased.lease = seconds(3);
  leased.longest_lease = seconds(600);
  EXPECT_EQ(read_assign(to_text(leased)).value(), leased);
  EXPECT_EQ(read_saved(saved_text({leased, 11})).value().document, leased);
  fleet::AssignDocument standing_by = assign;
  standing_by.standby = {{TaskId("c"), "{}"}, {TaskId("d"), ""}};
  EXPECT_EQ(read_assign(to_text(standing_by)).value(), standing_by);
  EXPECT_EQ(read_saved(saved_text({standing_by, 11})).value().document, standing_by);
  EXPECT_EQ(lease_of_session(session_text("a", 1, seconds(3))), seconds(3));
  for (const char* other :
       {R"({"format":1,"name":"a","session":1})", "here", R"({"format":1,"lease":"5"})"}) {
    EXPECT_EQ(lease_of_session(other), fleet::kUsualLease) << other;
  }
  const fleet::StateDocument state{
      9, {{TaskId("a"), 7, fleet::CameraStatus::failed, "memory"}, {TaskId("b"), 8, {}, ""}}};
  EXPECT_EQ(read_state(to_text(state)).value(), state);
  fleet::StateDocument ready = state;
  ready.standby = {TaskId("c"), TaskId("d")};
  EXPECT_EQ(read_state(to_text(ready)).value(), ready);
  const fleet::PlanDocument plan{
      3, 4, 5, 6, {{TaskId("a"), fleet::BoxId("b")}, {TaskId("c"), fleet::BoxId("b"), fleet::Cause::drain}}};
  EXPECT_EQ(read_plan(to_text(plan)).value(), plan);
  const auto saved = read_saved(saved_text({assign, 11})).value();
  EXPECT_EQ(saved.document, assign);
  EXPECT_EQ(saved.revision, 11);
}

TEST(FleetDocuments, OtherFormatsAndOtherKindsAreRefusedAndUnknownMembersAreNot) {
  EXPECT_TRUE(read_assign(R"({"format":1,"term":1,"plan":1,"cameras":[],"later":{"x":1}})").ok());
  for (const char* text :
       {"", "{", "[]", "{}", R"({"format":2,"term":1,"plan":1,"cameras":[]})",
        R"({"format":1,"term":1,"plan":1})", R"({"format":1,"term":"1","plan":1,"cameras":[]})",
        R"({"format":1,"term":1,"plan":1,"cameras":[],"lease":2})",
        R"({"format":1,"term":1,"plan":1,"cameras":[],"standby":{}})",
        R"({"format":1,"term":1,"plan":1,"cameras":[],"standby":[{"id":"a"}]})",
        R"({"format":1,"term":1,"plan":1,"cameras":[],"longest_lease":601})",
        R"({"format":1,"term":1,"plan":1,"cameras":[],"lease":"10"})",
        R"({"format":1,"term":1.5,"plan":1,"cameras":[]})", R"({"format":1,"term":1,"plan":1,"cameras":[3]})",
        R"({"format":1,"term":1,"plan":1,"cameras":[{"id":"a","epoch":1,"role":"dance","task":""}]})"}) {
    EXPECT_FALSE(read_assign(text).ok()) << text;
  }
}

TEST(FleetDocuments, KeysSayWhatTheyAreOf) {
  const Keys keys("city");
  EXPECT_EQ(keys.assign("north-07"), "/saccade/v1/city/assign/north-07");
  EXPECT_EQ(keys.parts(keys.assign("north-07")).kind, "assign");
  EXPECT_EQ(keys.parts(keys.assign("north-07")).id, "north-07");
  EXPECT_EQ(keys.parts(keys.plan()).kind, "plan");
  EXPECT_EQ(keys.parts("/saccade/v1/other/plan").kind, "");
}

// Of two members that do not answer, one after the other, the lease survives.
TEST(FleetSession, APaymentThatIsNotAnsweredIsSentAgainAtOnce) {
  SessionSettings settings;
  settings.key = "k";
  settings.value = [](Duration) { return std::string("v"); };
  settings.follow = "f";
  Session session(settings, 1);
  TimePoint now = TimePoint{} + seconds(100);
  const auto sent = [&] {  // the number of the only request about the lease
    std::vector<std::uint64_t> numbers;
    for (const Numbered& each : session.take()) {
      const bool mirror = std::holds_alternative<request::List>(each.request) ||
                          std::holds_alternative<request::Watch>(each.request);
      if (!mirror) numbers.push_back(each.number);
    }
    return numbers.size() == 1 ? numbers[0] : 0;
  };
  session.step(now);
  (void)session.on({sent(), 1, answer::Granted{7, seconds(10)}}, now);
  (void)session.on({sent(), 1, answer::Committed{true, 1}}, now);
  (void)session.on({sent(), 1, answer::Kept{true}}, now);
  const TimePoint until = session.lasts_until();
  now += pay_every(seconds(10));
  session.step(now);
  for (int member = 0; member < 2; ++member) {
    const std::uint64_t payment = sent();
    ASSERT_NE(payment, 0U);
    now += kRequestTime;
    (void)session.on({payment, 0, answer::Failed{}}, now);
  }
  EXPECT_LT(now, until - kLeaseMargin);  // in time for exclusive cameras
  (void)session.on({sent(), 1, answer::Kept{true}}, now);
  EXPECT_EQ(session.lasts_until(), now + seconds(10));

  now += pay_every(seconds(10));
  session.step(now);
  (void)session.on({sent(), 0, answer::Failed{}}, now);  // refused at once
  EXPECT_EQ(sent(), 0U);
  EXPECT_GT(session.next(), now);
}

// A box on a simulated store, and a second client that writes what a planner would.
class FleetBoxLink : public testing::Test {
 protected:
  void start(std::int64_t session, const std::optional<std::string>& saved = {}) {
    BoxLinkSettings settings;
    settings.fleet = "t";
    settings.box = "b";
    settings.session = session;
    settings.first_request = static_cast<std::uint64_t>(session) * 1'000'000;
    link_.emplace(settings);
    EXPECT_TRUE(link_->boot(saved, now_));
  }
  void pass(Duration time) {
    for (const TimePoint end = now_ + time; now_ < end; now_ += milliseconds(10)) {
      store_.run_until(now_);
      for (const Event& event : line_.take()) link_->on(event, now_);
      link_->step(now_);
      for (Numbered& each : link_->take_requests()) line_.submit(each.number, std::move(each.request));
      for (const BoxOrder& order : link_->take_orders()) {
        if (const auto* save = std::get_if<SaveText>(&order)) disk_ = save->text;
        if (const auto* begun = std::get_if<fleet::agent::Start>(&order))
          log_ += "+" + begun->camera.id.str();
        if (const auto* stop = std::get_if<fleet::agent::Stop>(&order)) log_ += "-" + stop->id.str();
      }
    }
  }
  void assign(const std::string& text) {
    planner_.submit(++number_, request::Commit{{}, {{Keys("t").assign("b"), text}}, {}});
  }
  static std::string assignment(fleet::Term term, const std::vector<std::string>& cameras,
                                Duration lease = fleet::kUsualLease, Duration longest = fleet::kUsualLease) {
    fleet::AssignDocument document{term, 1, {}, lease, std::max(lease, longest)};
    for (const std::string& id : cameras) {
      document.cameras.push_back({TaskId(id), 1, fleet::Role::serve, id == "x", ""});
    }
    return to_text(document);
  }
  // From now on without the store: how long its key is there.
  [[nodiscard]] Duration lease_left() {
    line_.cut(true);
    const TimePoint since = now_;
    while (alive() && now_ < since + seconds(700)) pass(milliseconds(100));
    return now_ - since;
  }
  [[nodiscard]] const Entry& key() const { return store_.history().entries().at(Keys("t").alive("b")); }
  [[nodiscard]] bool alive() const { return store_.history().entries().contains(Keys("t").alive("b")); }

  SimulatedStore store_{[] { return milliseconds(2); }};
  SimulatedStore::Client& line_ = store_.open();
  SimulatedStore::Client& planner_ = store_.open();
  std::optional<BoxLink> link_;
  std::optional<std::string> disk_;
  std::string log_;
  TimePoint now_{};
  std::uint64_t number_ = 0;
};

TEST_F(FleetBoxLink, FollowsItsAssignmentAndReportsIt) {
  start(1);
  pass(seconds(1));
  EXPECT_TRUE(alive());
  EXPECT_TRUE(link_->attached());
  assign(assignment(1, {"a", "x"}));
  pass(seconds(3));
  EXPECT_EQ(log_, "+a+x");
  const auto& entries = store_.history().entries();
  const auto state = read_state(entries.at(Keys("t").state("b")).value);
  ASSERT_TRUE(state);
  EXPECT_EQ(state.value().applied, entries.at(Keys("t").assign("b")).changed);
  EXPECT_EQ(state.value().cameras.size(), 2U);
}

TEST_F(FleetBoxLink, ServesOnWithoutTheStoreAndCatchesUp) {
  start(1);
  assign(assignment(1, {"a", "x"}));
  pass(seconds(3));
  line_.cut(true);
  pass(seconds(600));
  EXPECT_EQ(log_, "+a+x-x");  // only the exclusive camera ended, by itself
  EXPECT_FALSE(alive());
  assign(assignment(1, {"a", "c", "x"}));
  store_.compact();
  line_.cut(false);
  pass(seconds(15));
  EXPECT_EQ(log_, "+a+x-x+c+x");
  EXPECT_TRUE(alive());
}

TEST_F(FleetBoxLink, ItsLeaseIsAsLongAsTheAssignmentSaysAndNothingStopsForThat) {
  for (const int lease : {3, 60, 600, 10}) {
    const std::int64_t session = lease;
    log_.clear();
    line_.cut(false);
    line_.forget();
    assign(assignment(1, {"a", "x"}));
    start(session);
    pass(seconds(3));
    ASSERT_EQ(log_, "+a+x");
    const std::int64_t created = key().created;
    assign(assignment(1, {"a", "x"}, seconds(lease)));
    pass(seconds(3));
    EXPECT_EQ(key().created, created);  // its claim is the same one
    EXPECT_EQ(lease_of_session(key().value), seconds(lease));
    EXPECT_EQ(read_state(store_.history().entries().at(Keys("t").state("b")).value).value().applied,
              store_.history().entries().at(Keys("t").assign("b")).changed);
    pass(3 * seconds(lease) + seconds(15));
    EXPECT_EQ(key().created, created);
    EXPECT_EQ(store_.history().leases().size(), 1U);
    EXPECT_EQ(log_, "+a+x");
    const Duration left = lease_left();
    EXPECT_GT(left, seconds(lease) * 0.6);
    EXPECT_LE(left, seconds(lease) + milliseconds(200));
    EXPECT_EQ(log_, "+a+x-x");
  }
}

TEST_F(FleetBoxLink, AfterARebootItsLeaseIsThatOfTheSavedAssignment) {
  start(1);
  assign(assignment(1, {"a"}, seconds(30)));
  pass(seconds(5));
  ASSERT_TRUE(disk_);
  for (const std::int64_t lease : store_.history().leases()) store_.revoke(lease);
  line_.forget();
  start(2, disk_);
  EXPECT_EQ(link_->longest_lease(), seconds(30));
  pass(seconds(1));
  EXPECT_EQ(lease_of_session(key().value), seconds(30));
}

// The key may be on either lease, now or later: the exclusive camera ends before the shorter one does, and
// another claim is made.
TEST_F(FleetBoxLink, AMoveToAnotherLeaseWhoseOutcomeIsUnknownHoldsNoExclusiveCamera) {
  for (const bool late : {false, true}) {
    start(late ? 2 : 1);
    assign(assignment(1, {"a", "x"}, seconds(60)));
    pass(seconds(70));
    log_.clear();
    assign(assignment(1, {"a", "x"}, seconds(3), seconds(60)));
    while (!link_->session().changing()) pass(milliseconds(10));
    line_.lose_next_outcome(late);
    pass(seconds(1) + milliseconds(500));
    EXPECT_EQ(log_, "-x");
    pass(seconds(20));
    EXPECT_EQ(log_, "-x+x");
    EXPECT_EQ(lease_of_session(key().value), seconds(3));
    line_.forget();
  }
}

// No planner waits for longer than that: for the box it counts at once, also before its key has been moved.
TEST_F(FleetBoxLink, AnExclusiveCameraIsServedByNoLongerLeaseThanTheAssignmentAllows) {
  start(1);
  fleet::AssignDocument document{1, 1, {{TaskId("x"), 1, fleet::Role::serve, true, ""}}, seconds(60)};
  document.longest_lease = seconds(60);
  assign(to_text(document));
  pass(seconds(70));
  ASSERT_EQ(log_, "+x");
  document.longest_lease = seconds(10);
  assign(to_text(document));
  pass(seconds(1));
  line_.cut(true);
  pass(seconds(10));
  EXPECT_EQ(log_.substr(log_.size() - 2), "-x");
}

TEST_F(FleetBoxLink, BadDocumentsAndDeletedOnesChangeNothing) {
  start(1);
  assign(assignment(3, {"a"}));
  pass(seconds(3));
  for (const std::string& text : {std::string("{"), std::string(""), assignment(2, {}), std::string("[]")}) {
    assign(text);
    pass(seconds(1));
  }
  planner_.submit(++number_, request::Commit{{}, {}, {Keys("t").assign("b")}});
  pass(seconds(1));
  EXPECT_EQ(log_, "+a");
  EXPECT_EQ(link_->refused(), 4);
  assign(assignment(3, {}));
  pass(seconds(1));
  EXPECT_EQ(log_, "+a-a");
}

TEST_F(FleetBoxLink, ALateWriteBringsNoOldStateBack) {
  start(1);
  assign(assignment(1, {"a"}));
  pass(seconds(3));
  line_.lose_next_outcome(true);
  link_->report(TaskId("a"), 1, fleet::CameraStatus::failed, "memory", now_);
  pass(seconds(1));
  link_->report(TaskId("a"), 1, fleet::CameraStatus::serving, "", now_);  // not running: nothing
  assign(assignment(1, {"a", "b"}));
  pass(seconds(10));
  const auto state = read_state(store_.history().entries().at(Keys("t").state("b")).value);
  ASSERT_TRUE(state);
  EXPECT_EQ(state.value().cameras.size(), 2U);
}

TEST_F(FleetBoxLink, NoExclusiveCameraIsServedByAnAssignmentThatIsNotTheStores) {
  start(1);
  assign(assignment(2, {"x"}));
  pass(seconds(3));
  EXPECT_EQ(log_, "+x");
  assign("{");  // what it says cannot be read: it may be that x is elsewhere
  pass(seconds(20));
  EXPECT_EQ(log_, "+x-x");
  assign(assignment(2, {"x"}));
  pass(seconds(3));
  EXPECT_EQ(log_, "+x-x+x");
}

TEST_F(FleetBoxLink, KnowsWhenTheStoreAnsweredItLast) {
  start(1);
  EXPECT_FALSE(link_->session().reached());
  pass(seconds(30));
  const std::optional<TimePoint> reached = link_->session().reached();
  ASSERT_TRUE(reached);
  EXPECT_LE(now_ - *reached, pay_every(fleet::kUsualLease) + milliseconds(20));
  assign(assignment(1, {"a"}));
  pass(milliseconds(100));
  EXPECT_EQ(log_, "+a");
  line_.cut(true);
  pass(seconds(6));
  EXPECT_GE(now_ - *link_->session().reached(), seconds(6));
}

TEST_F(FleetBoxLink, AfterARestartOfTheStoreItsOwnOldLeaseDoesNotKeepItOut) {
  start(1);
  assign(assignment(1, {"a", "x"}));
  pass(seconds(3));
  store_.lose_majority();
  pass(seconds(30));  // the lease is over, as far as the box knows
  EXPECT_FALSE(link_->attached());
  store_.restore_majority(true);  // and has its whole time again, as far as the store does
  pass(seconds(5));
  EXPECT_TRUE(link_->attached());
  EXPECT_EQ(store_.history().leases().size(), 1U);
  EXPECT_EQ(log_, "+a+x-x+x");
}

TEST_F(FleetBoxLink, ABoxThatIsRestartedGetsItsKeyOnceTheOldLeaseHasEnded) {
  start(1);
  assign(assignment(1, {"a"}));
  pass(seconds(3));
  const std::int64_t created = store_.history().entries().at(Keys("t").alive("b")).created;
  log_.clear();
  line_.forget();
  start(2, disk_);
  pass(seconds(1));
  EXPECT_EQ(log_, "+a");
  EXPECT_FALSE(link_->attached());
  pass(seconds(14));
  EXPECT_TRUE(link_->attached());
  EXPECT_GT(store_.history().entries().at(Keys("t").alive("b")).created, created);
  EXPECT_EQ(log_, "+a");
}

}  // namespace
}  // namespace saccade::fleet_store
