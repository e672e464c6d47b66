// One receiver over time: what is posted, what its answers mean, and the account of the results.
#include "results/webhook/webhook_session.hpp"

#include <gtest/gtest.h>

#include <random>

#include "results/webhook/cloud_events.hpp"
#include "results/webhook/signature.hpp"
#include "tests/results/deliveries.hpp"

namespace saccade::results {
namespace {

using deliveries::numbered;
using deliveries::unexplained;
using std::chrono::seconds;

TimePoint moment(double s) { return TimePoint(to_duration(Seconds(s))); }

WebhookSession session_of(std::size_t queue, std::size_t batch, double uniform = 0.0) {
  return {"hub.lan", {queue, batch, seconds(300), {}}, [uniform] { return uniform; }};
}

std::vector<std::int64_t> frames_of(const std::vector<WebhookSession::Item>& batch) {
  std::vector<std::int64_t> frames;
  for (const WebhookSession::Item& item : batch) frames.push_back(item->frame);
  return frames;
}

TEST(WebhookSession, PostsTheOldestFirstAndOneRequestAtATime) {
  WebhookSession session = session_of(10, 2);
  EXPECT_FALSE(session.is_due(moment(0)));
  EXPECT_FALSE(session.alarm());
  for (int frame = 1; frame <= 3; ++frame) session.take(numbered(frame));
  ASSERT_TRUE(session.is_due(moment(0)));
  EXPECT_EQ(frames_of(session.begin(moment(0))), (std::vector<std::int64_t>{1, 2}));
  EXPECT_FALSE(session.is_due(moment(9)));
  EXPECT_FALSE(session.alarm());
  session.answered({.status = 202}, moment(1));
  EXPECT_EQ(session.account().sent, 2);
  EXPECT_EQ(frames_of(session.begin(moment(1))), (std::vector<std::int64_t>{3}));
  session.answered({.status = 200}, moment(1));
  EXPECT_TRUE(session.is_settled());
  EXPECT_EQ(session.account().fault, "");
}

TEST(WebhookSession, WhatIsTriedAgainStaysWhatItWas) {
  WebhookSession session = session_of(2, 2);
  session.take(numbered(1));
  (void)session.begin(moment(0));
  for (int frame = 2; frame <= 9; ++frame) session.take(numbered(frame));
  session.answered({.status = 500}, moment(0));
  EXPECT_EQ(session.account().fault, "hub.lan answers 500");
  EXPECT_FALSE(session.account().connected);
  EXPECT_EQ(session.account().dropped, 6);
  EXPECT_EQ(session.account().waiting, 3);  // one in hand, two in the queue
  EXPECT_FALSE(session.is_due(moment(0.999)));
  ASSERT_TRUE(session.is_due(moment(1)));
  EXPECT_EQ(frames_of(session.begin(moment(1))), (std::vector<std::int64_t>{1}));
  session.answered({.status = 200}, moment(1));
  EXPECT_EQ(frames_of(session.begin(moment(1))), (std::vector<std::int64_t>{8, 9}));
  EXPECT_EQ(session.account().fault, "");
  EXPECT_TRUE(session.account().connected);
}

TEST(WebhookSession, WaitsLongerEachTimeAndNotShorterThanItIsAskedTo) {
  WebhookSession session = session_of(10, 1, 1.0);
  session.take(numbered(1));
  double now = 0.0;
  for (const double pause : {2.0, 4.0, 8.0, 16.0, 30.0, 30.0}) {
    (void)session.begin(moment(now));
    session.answered({.status = 0, .words = "connection refused"}, moment(now));
    EXPECT_EQ(session.account().fault, "no answer from hub.lan: connection refused");
    EXPECT_EQ(session.alarm(), moment(now + pause));
    now += pause;
  }
  (void)session.begin(moment(now));
  session.answered({.status = 429, .retry_after = seconds(70)}, moment(now));
  EXPECT_EQ(session.alarm(), moment(now + 70));
  (void)session.begin(moment(now + 70));
  session.answered({.status = 200}, moment(now + 70));
  session.take(numbered(2));
  (void)session.begin(moment(now + 70));
  session.answered({.status = 503}, moment(now + 70));
  EXPECT_EQ(session.alarm(), moment(now + 72)) << "a success begins anew";
}

TEST(WebhookSession, WhatIsTriedForTooLongHasFailedAndTheReceiverIsStillSpared) {
  WebhookSession session = session_of(10, 5);
  session.take(numbered(1));
  (void)session.begin(moment(0));
  session.answered({.status = 503, .retry_after = seconds(1000)}, moment(299));
  session.take(numbered(2));
  EXPECT_EQ(session.alarm(), moment(300));
  session.pass(moment(300));
  EXPECT_EQ(session.account().failed, 1);
  EXPECT_EQ(session.account().waiting, 1);
  EXPECT_FALSE(session.is_due(moment(598)));
  ASSERT_TRUE(session.is_due(moment(599)));
  EXPECT_EQ(frames_of(session.begin(moment(599))), (std::vector<std::int64_t>{2}));
}

TEST(WebhookSession, WhatIsRefusedHasFailedAtOnce) {
  WebhookSession session = session_of(10, 1);
  const std::pair<int, const char*> refusals[] = {
      {400, "hub.lan answers 400: results are refused"},
      {401, "hub.lan answers 401: results are refused (correct the token in `token_file`)"},
      {301,
       "hub.lan answers 301: results are refused (redirects are not followed: write the final address)"}};
  std::int64_t failed = 0;
  for (const auto& [status, fault] : refusals) {
    const auto now = static_cast<double>(100 * failed);
    session.take(numbered(1));
    (void)session.begin(moment(now));
    session.answered({.status = status}, moment(now));
    EXPECT_EQ(session.account().fault, fault);
    EXPECT_EQ(session.account().failed, ++failed);
    EXPECT_FALSE(session.is_failing());
  }
}

// One that refuses everything, as with a wrong token, is asked ever less often, not for every result.
TEST(WebhookSession, AReceiverThatRefusesIsSparedUntilItTakesSomething) {
  WebhookSession session = session_of(4, 1, 1.0);
  int requests = 0;
  for (double now = 0.0; now < 60.0; now += 0.005) {  // 200 results a second
    session.take(numbered(1));
    if (!session.is_due(moment(now))) continue;
    (void)session.begin(moment(now));
    session.answered({.status = 401}, moment(now));
    ++requests;
  }
  EXPECT_EQ(requests, 5) << "after 0, 2, 6, 14 and 30 s";
  EXPECT_EQ(session.account().failed, requests);
  EXPECT_EQ(unexplained(session.account()), 0);
  ASSERT_TRUE(session.alarm());
  const TimePoint next = *session.alarm();
  session.take(numbered(2));
  (void)session.begin(next);
  session.answered({.status = 200}, next);
  EXPECT_TRUE(session.is_due(next)) << "at once again";
}

// From the end of the inference to the answer, of what was sent alone.
TEST(WebhookSession, KeepsHowLongResultsTook) {
  WebhookSession session = session_of(10, 2);
  for (const int ended : {1, 3}) {
    Result result = *numbered(ended);
    result.ended = seconds(ended);
    session.take(std::make_shared<const Result>(result));
  }
  (void)session.begin(moment(0));
  session.answered({.status = 500, .at = seconds(4)}, moment(0));
  EXPECT_EQ(session.account().delivered.count(), 0);
  (void)session.begin(moment(9));
  session.answered({.status = 200, .at = seconds(4)}, moment(9));
  EXPECT_EQ(session.account().delivered.count(), 2);
  EXPECT_EQ(session.account().delivered.sum(), seconds(4));
  EXPECT_EQ(session.account().delivered.up_to(9), 1) << "within a second";
}

TEST(WebhookSession, AHundredThousandResultsAndNoneUnaccounted) {
  std::mt19937 dice(7);
  WebhookSession session("hub.lan", {16, 4, seconds(30), {}},
                         [&] { return static_cast<double>(dice() % 1000) / 1000.0; });
  const int statuses[] = {200, 204, 200, 400, 429, 500, 0, 302};
  double now = 0.0;
  bool under_way = false;
  for (int frame = 0; frame < 100'000; ++frame) {
    now += static_cast<double>(dice() % 100) / 100.0;
    session.take(numbered(frame));
    session.pass(moment(now));
    if (under_way && dice() % 2 == 0) {
      session.answered({statuses[dice() % 8], "", seconds(dice() % 40)}, moment(now));
      under_way = false;
    }
    if (session.is_due(moment(now))) {
      ASSERT_LE(session.begin(moment(now)).size(), 4U);
      under_way = true;
    }
    ASSERT_EQ(unexplained(session.account()), 0);
    ASSERT_LE(session.account().waiting, 20);
  }
  EXPECT_GT(session.account().sent, 0);
  EXPECT_GT(session.account().failed, 0);
  EXPECT_GT(session.account().dropped, 0);
  session.give_up();
  EXPECT_EQ(session.account().waiting, 0);
  EXPECT_EQ(unexplained(session.account()), 0);
}

// RFC 4231, test case 2.
TEST(Signatures, AreThoseOfTheStandard) {
  EXPECT_EQ(signature_header("Jefe", "what do ya want for nothing?"),
            "X-Hub-Signature-256: sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(CloudEvents, NameEachResultOnce) {
  Result result = *numbered(18231);
  const EventSource source{"yard-box", "ab12"};
  const HttpMessage one = single_event(result, source);
  EXPECT_EQ(one.headers, (std::vector<std::string>{
                             "Content-Type: application/json", "ce-specversion: 1.0",
                             "ce-id: yard-box-ab12-gate-18231", "ce-source: /saccade/yard-box/task/gate",
                             "ce-type: saccade.result.v1", "ce-time: 1970-01-01T00:00:00.000Z"}));
  EXPECT_TRUE(one.body.starts_with(R"({"format":"saccade-result/1","node":"yard-box","task":"gate")"))
      << one.body;
  EXPECT_NE(random_boot(), random_boot());
}

}  // namespace
}  // namespace saccade::results
