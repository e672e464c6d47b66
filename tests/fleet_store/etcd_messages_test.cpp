// The words of etcd's gateway: what is sent, and that no answer, however broken, is taken for more than it
// says.
#include "fleet_store/etcd_messages.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <variant>
#include <vector>

namespace saccade::fleet_store {
namespace {

using answer::Outcome;

const request::Commit kCommit{{{"k", Compare::What::created, 0}}, {{"k", "v", 7}}, {"d"}};

Outcome outcome_of(const Request& request, int status, const std::string& body) {
  const EtcdReading reading = read_answer(request, status, body);
  const auto* failed = std::get_if<answer::Failed>(&reading.answer);
  EXPECT_NE(failed, nullptr) << body;
  return failed == nullptr ? Outcome::refused : failed->outcome;
}

TEST(EtcdMessages, CallsAreWhatTheGatewayReads) {
  const EtcdCall commit = call_of(kCommit);
  EXPECT_EQ(commit.path, "/v3/kv/txn");
  EXPECT_EQ(commit.body,
            R"({"compare":[{"key":"aw==","result":"EQUAL","target":"CREATE","create_revision":"0"}],)"
            R"("success":[{"request_put":{"key":"aw==","value":"dg==","lease":"7"}},)"
            R"({"request_delete_range":{"key":"ZA=="}}]})");
  EXPECT_EQ(call_of(request::List{"/a/", true}).body, R"({"key":"L2Ev","range_end":"L2Ew"})");
  EXPECT_EQ(call_of(request::List{"/a", false}).body, R"({"key":"L2E="})");
  EXPECT_EQ(call_of(request::List{"\xff", true}).body, R"({"key":"/w==","range_end":"AA=="})");
  EXPECT_EQ(call_of(request::Watch{"/a/", true, 9}).body,
            R"({"create_request":{"key":"L2Ev","range_end":"L2Ew","start_revision":"9"}})");
  EXPECT_EQ(call_of(request::Grant{std::chrono::milliseconds(9500)}).body, R"({"TTL":"10"})");
}

TEST(EtcdMessages, AbsentMembersAreZero) {
  const EtcdReading failed =
      read_answer(kCommit, 200, R"({"header":{"revision":"5","raft_term":"3"},"responses":[]})");
  EXPECT_EQ(std::get<answer::Committed>(failed.answer).done, false);
  EXPECT_EQ(failed.term, 3);
  const EtcdReading list = read_answer(
      request::List{"/"}, 200,
      R"({"header":{"revision":"5","raft_term":"3"},"kvs":[{"key":"aw==","create_revision":"2","mod_revision":"4"}]})");
  EXPECT_EQ(std::get<answer::Listed>(list.answer).entries, (std::vector<Entry>{{"k", "", 2, 4}}));
  const EtcdReading kept =
      read_answer(request::Keep{7}, 200, "{\"result\":{\"header\":{\"raft_term\":\"3\"},\"ID\":\"7\"}}\n");
  EXPECT_FALSE(std::get<answer::Kept>(kept.answer).alive);
}

TEST(EtcdMessages, FailuresAreToldByTheirCode) {
  const std::string old = R"({"error":"x","message":"x","code":)";
  EXPECT_EQ(outcome_of(kCommit, 503, old + "14}"), Outcome::unknown);
  EXPECT_EQ(outcome_of(request::List{"k"}, 503, R"({"code":14,"message":"x"})"), Outcome::unavailable);
  EXPECT_EQ(outcome_of(kCommit, 403, R"({"code":7,"message":"x"})"), Outcome::refused);
  EXPECT_EQ(outcome_of(kCommit, 404, "404 page not found\n"), Outcome::unknown);
  EXPECT_EQ(outcome_of(kCommit, 200, "<html>"), Outcome::unknown);
  EXPECT_EQ(outcome_of(request::Keep{7}, 200, R"({"error":{"grpc_code":14,"message":"x"}})"),
            Outcome::unavailable);
  EXPECT_TRUE(read_answer(kCommit, 401, old + "16}").token_refused);
  EXPECT_FALSE(std::get<answer::Committed>(read_answer(kCommit, 404, old + "5}").answer).done);
  // Less than all keys would look like deletions; a payment of another lease is none of this one.
  EXPECT_EQ(outcome_of(request::List{"k"}, 200, R"({"header":{"revision":"5"},"more":true})"),
            Outcome::unavailable);
  EXPECT_EQ(outcome_of(request::Keep{7}, 200, R"({"result":{"ID":"8","TTL":"10"}})"), Outcome::unavailable);
}

TEST(EtcdMessages, LinesOfAWatch) {
  const EtcdWatchLine created = read_watch_line(R"({"result":{"header":{"raft_term":"2"},"created":true}})");
  EXPECT_FALSE(created.watched || created.ended);
  const EtcdWatchLine line =
      read_watch_line(R"({"result":{"header":{"revision":"99"},"events":[)"
                      R"({"kv":{"key":"aw==","create_revision":"2","mod_revision":"4","value":"dg=="}},)"
                      R"({"type":"DELETE","kv":{"key":"bA==","mod_revision":"5"}}]}})");
  ASSERT_TRUE(line.watched);
  EXPECT_EQ(line.watched->revision, 5);  // not what the store has reached
  ASSERT_EQ(line.watched->changes.size(), 2U);
  EXPECT_EQ(line.watched->changes[0].value, "v");
  EXPECT_EQ(line.watched->changes[1].value, std::nullopt);
  const EtcdWatchLine compacted =
      read_watch_line(R"({"result":{"header":{},"created":true,"canceled":true,"compact_revision":"8"}})");
  ASSERT_TRUE(compacted.ended);
  EXPECT_EQ(compacted.ended->compacted, 8);
  for (const char* text : {R"({"error":{"grpc_code":14}})", R"({"result":{"canceled":true}})", "{}", "", "[]",
                           R"({"result":{"events":[{"kv":{"key":"!"}}]}})",
                           R"({"result":{"events":[{"kv":{"key":"aw=="}}]}})"}) {
    EXPECT_TRUE(read_watch_line(text).ended) << text;
  }
}

TEST(EtcdMessages, Versions) {
  const auto fault = [](const std::string& version) {
    return version_fault(200, R"({"etcdserver":")" + version + R"(","etcdcluster":"3.4.0"})");
  };
  for (const char* good : {"3.4.20", "3.4.23", "3.5.5", "3.5.16", "3.6.0", "4.0.0", "3.6.0-rc.1"}) {
    EXPECT_EQ(fault(good), "") << good;
  }
  for (const char* bad : {"3.4.19", "3.3.27", "2.3.8", "3.5.0", "3.5.4", "", "3", "x.y.z", "3.-5.9"}) {
    EXPECT_NE(fault(bad), "") << bad;
  }
  EXPECT_NE(version_fault(404, R"({"etcdserver":"3.5.16"})"), "");
}

TEST(EtcdMessages, Tokens) {
  EXPECT_EQ(read_token(200, R"({"header":{},"token":"abc.9"})").token, "abc.9");
  EXPECT_TRUE(read_token(400, R"({"code":9,"message":"authentication is not enabled"})").is_open);
  EXPECT_FALSE(read_token(400, R"({"code":3})").fault.empty());
  for (const char* bad : {"", "{}", R"({"token":7})", R"({"token":"a\r\nHost: b"})"}) {
    EXPECT_FALSE(read_token(200, bad).fault.empty()) << bad;
  }
}

// Good answers cut off anywhere, and with any byte changed: read or refused, but never done or alive unless
// they still say so in full.
TEST(EtcdMessages, BrokenAnswersAreNoSuccess) {
  const std::vector<std::pair<Request, std::string>> answers = {
      {kCommit, R"({"header":{"revision":"5","raft_term":"3"},"succeeded":true})"},
      {request::List{"/"},
       R"({"header":{"revision":"5"},"kvs":[{"key":"aw==","create_revision":"2","mod_revision":"4"}]})"},
      {request::Grant{std::chrono::seconds(10)}, R"({"header":{"revision":"5"},"ID":"77","TTL":"10"})"},
      {request::Keep{7}, R"({"result":{"header":{},"ID":"7","TTL":"10"}})"},
      {request::Revoke{7}, R"({"header":{"revision":"5"}})"},
      {request::Compact{7}, R"({"header":{"revision":"5"}})"}};
  std::mt19937 random(1);
  for (const auto& [request, text] : answers) {
    ASSERT_FALSE(std::holds_alternative<answer::Failed>(read_answer(request, 200, text).answer)) << text;
    for (std::size_t length = 0; length < text.size(); ++length) {
      EXPECT_TRUE(
          std::holds_alternative<answer::Failed>(read_answer(request, 200, text.substr(0, length)).answer))
          << text.substr(0, length);
      EXPECT_TRUE(read_watch_line(text.substr(0, length)).ended);
    }
    for (int i = 0; i < 2000; ++i) {
      std::string broken = text;
      broken[random() % broken.size()] = static_cast<char>(random());
      broken.insert(random() % broken.size(), 1, static_cast<char>(random()));
      (void)read_answer(request, static_cast<int>(random() % 700), broken);
      (void)read_watch_line(broken);
      (void)read_token(200, broken);
      (void)version_fault(200, broken);
    }
  }
  EXPECT_EQ(outcome_of(request::List{"/"}, 200, std::string(100'000, '[')), Outcome::unavailable);
}

}  // namespace
}  // namespace saccade::fleet_store
