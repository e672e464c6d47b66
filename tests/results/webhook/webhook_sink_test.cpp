// Results posted to a real HTTP server that answers, hangs, refuses, goes and comes back.
#include "results/webhook/webhook_sink.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <set>

#include "tests/results/deliveries.hpp"
#include "tests/support/certificate.hpp"
#include "tests/support/webhook_receiver.hpp"

namespace saccade::results {
namespace {

using deliveries::numbered;
using deliveries::until;
using test::WebhookReceiver;

constexpr BackOffRule kSoon{std::chrono::milliseconds(5), std::chrono::milliseconds(20)};
const EventSource kSource{"yard-box", "ab12"};

std::string id_of(std::int64_t frame) { return "yard-box-ab12-gate-" + std::to_string(frame); }

TEST(WebhookSink, EveryResultArrivesOnceAndInOrder) {
  for (const int batch : {1, 8}) {
    WebhookReceiver receiver;
    receiver.start();
    WebhookSink sink({.url = receiver.url(), .timeout = Seconds(60.0), .batch = batch}, kSource, kSoon);
    for (int frame = 1; frame <= 100; ++frame) sink.take(numbered(frame));
    EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return account.sent == 100; }));
    EXPECT_TRUE(sink.account().connected);
    std::int64_t frame = 0;
    while (frame < 100) {
      const WebhookReceiver::Request request = receiver.next();
      ASSERT_FALSE(request.ids.empty());
      EXPECT_LE(request.ids.size(), static_cast<std::size_t>(batch));
      EXPECT_EQ(request.token, "-");
      EXPECT_EQ(request.type, batch == 1 ? "application/json" : "application/cloudevents-batch+json");
      for (const std::string& id : request.ids) EXPECT_EQ(id, id_of(++frame));
    }
  }
}

TEST(WebhookSink, AReceiverThatIsKilledGetsWhatWaitedWhenItIsBack) {
  WebhookReceiver receiver;
  receiver.start();
  WebhookSink sink({.url = receiver.url(), .queue = 16}, kSource, kSoon);
  for (int round = 0; round < 2; ++round) {
    receiver.kill();
    for (int frame = 1; frame <= 50; ++frame) sink.take(numbered(100 * round + frame));
    EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return !account.fault.empty(); }));
    EXPECT_NE(sink.account().fault.find("no answer from 127.0.0.1:"), std::string::npos);
    EXPECT_FALSE(sink.account().connected);
    EXPECT_GE(sink.account().waiting, 16);
    receiver.start();
    std::string last;
    while (last != id_of(100 * round + 50)) {
      const WebhookReceiver::Request request = receiver.next();
      ASSERT_FALSE(request.ids.empty());
      last = request.ids.back();
    }
    EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return account.waiting == 0; }));
    EXPECT_EQ(sink.account().fault, "");
    EXPECT_EQ(sink.account().failed, 0);
  }
}

// The next attempt has a time, although nothing waited when that was set.
TEST(WebhookSink, WhatComesAfterOneThatWasGivenUpIsPostedWithoutAnotherResult) {
  WebhookReceiver receiver;
  receiver.start();
  receiver.kill();
  WebhookSink sink({.url = receiver.url(), .retry = Seconds(0.0)}, kSource,
                   {std::chrono::seconds(1), std::chrono::seconds(1)});
  sink.take(numbered(1));
  EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return account.failed == 1; }));
  receiver.start();
  sink.take(numbered(2));
  EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return account.sent == 1; }));
  EXPECT_EQ(receiver.next().ids.at(0), id_of(2));
}

TEST(WebhookSink, WhatIsAnswered500OrNotAtAllIsPostedAgain) {
  for (const char* const trouble : {"500", "429", "close"}) {
    WebhookReceiver receiver;
    receiver.answer(trouble);
    receiver.start();
    WebhookSink sink({.url = receiver.url()}, kSource, kSoon);
    sink.take(numbered(1));
    for (int attempt = 0; attempt < 3; ++attempt) EXPECT_EQ(receiver.next().ids.at(0), id_of(1)) << trouble;
    EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return !account.fault.empty(); }));
    receiver.answer("200");
    EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return account.sent == 1; })) << trouble;
  }
}

// By the header of a real answer. Without it the next attempt would come within 20 ms.
TEST(WebhookSink, OneThatNamesATimeIsAskedAgainWhenItHasPassed) {
  for (const char* const answer : {"429 2", "503 2"}) {
    WebhookReceiver receiver;
    receiver.answer(answer);
    receiver.start();
    WebhookSink sink({.url = receiver.url()}, kSource, kSoon);
    const auto began = std::chrono::steady_clock::now();
    sink.take(numbered(1));
    EXPECT_EQ(receiver.next().ids.at(0), id_of(1));
    EXPECT_EQ(receiver.next().ids.at(0), id_of(1));
    EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::seconds(2)) << answer;
    receiver.answer("200");
    EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return account.sent == 1; })) << answer;
  }
}

TEST(WebhookSink, WhatIsRefusedHasFailed) {
  WebhookReceiver receiver;
  receiver.answer("400");
  receiver.start();
  WebhookSink sink({.url = receiver.url()}, kSource, kSoon);
  sink.take(numbered(1));
  EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return account.failed == 1; }));
  EXPECT_NE(sink.account().fault.find("answers 400: results are refused"), std::string::npos);
  receiver.answer("302");
  sink.take(numbered(2));
  EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return account.failed == 2; }));
  receiver.answer("200");
  sink.take(numbered(3));
  EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return account.sent == 1; }));
  EXPECT_EQ(sink.account().fault, "");
}

TEST(WebhookSink, OneThatHangsOrDripsIsGivenUpAfterTheTimeOfAnAttempt) {
  for (const char* const trouble : {"hang", "drip"}) {
    WebhookReceiver receiver;
    receiver.answer(trouble);
    receiver.start();
    WebhookSink sink({.url = receiver.url(), .timeout = Seconds(2.0)}, kSource, kSoon);
    sink.take(numbered(1));
    EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return !account.fault.empty(); })) << trouble;
    EXPECT_EQ(receiver.next().ids.at(0), id_of(1));
    receiver.answer("200");
    EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return account.sent == 1; })) << trouble;
  }
}

// The end does not wait for what hangs: an attempt may take a minute, the test's program is ended earlier.
TEST(WebhookSink, TheEndIsNotHeldUpByAReceiverThatHangs) {
  WebhookReceiver receiver;
  receiver.answer("hang");
  receiver.start();
  const auto began = std::chrono::steady_clock::now();
  {
    WebhookSink sink({.url = receiver.url(), .timeout = Seconds(60.0)}, kSource, kSoon);
    for (int frame = 1; frame <= 10; ++frame) sink.take(numbered(frame));
    EXPECT_EQ(receiver.next().ids.at(0), id_of(1));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(30));
}

TEST(WebhookSink, WhatWaitsIsPostedAtTheEnd) {
  WebhookReceiver receiver;
  receiver.start();
  {
    WebhookSink sink({.url = receiver.url(), .batch = 64}, kSource, kSoon);
    for (int frame = 1; frame <= 50; ++frame) sink.take(numbered(frame));
  }
  std::set<std::string> seen;
  while (seen.size() < 50) {
    const WebhookReceiver::Request request = receiver.next();
    ASSERT_FALSE(request.ids.empty());
    seen.insert(request.ids.begin(), request.ids.end());
  }
}

TEST(WebhookSink, TheTokenIsReadForEveryAttemptAndToldToTheReceiverAlone) {
  WebhookReceiver receiver;
  receiver.start();
  const std::string token = receiver.folder() / "token";
  WebhookSink sink({.url = receiver.url(), .token_file = token}, kSource, kSoon);
  sink.take(numbered(1));
  EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return !account.fault.empty(); }));
  EXPECT_NE(sink.account().fault.find(token), std::string::npos) << sink.account().fault;
  std::ofstream(token) << "two words\n";
  EXPECT_TRUE(until(sink, [](const SinkAccount& account) {
    return account.fault.find("is no token") != std::string::npos;
  }));
  EXPECT_EQ(sink.account().fault.find("two words"), std::string::npos);
  receiver.answer("401");
  std::ofstream(token + ".new") << "tiger-7\nmore\n";
  std::filesystem::rename(token + ".new", token);
  EXPECT_EQ(receiver.next().token, "Bearer_tiger-7");
  EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return account.failed == 1; }));
  EXPECT_EQ(sink.account().fault.find("tiger"), std::string::npos);
}

TEST(WebhookSink, ARequestIsSignedWithTheKeyInTheFile) {
  for (const int batch : {1, 8}) {
    WebhookReceiver receiver;
    receiver.start();
    const std::string key = receiver.folder() / "key";
    WebhookSink sink({.url = receiver.url(), .hmac_file = key, .batch = batch}, kSource, kSoon);
    sink.take(numbered(1));
    EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return !account.fault.empty(); }));
    EXPECT_NE(sink.account().fault.find(key), std::string::npos) << "the file is not there";
    std::ofstream(key + ".new") << "\n";
    std::filesystem::rename(key + ".new", key);
    EXPECT_TRUE(until(sink, [](const SinkAccount& account) {
      return account.fault.find("its first line is empty") != std::string::npos;
    }));
    std::ofstream(key + ".new") << "tiger\n";
    std::filesystem::rename(key + ".new", key);
    EXPECT_EQ(receiver.next().has_signature, "yes");
    std::ofstream(key + ".new") << "lion\n";
    std::filesystem::rename(key + ".new", key);
    sink.take(numbered(2));
    EXPECT_EQ(receiver.next().has_signature, "no") << "it is read for every attempt";
  }
}

TEST(WebhookSink, TheReceiversCertificateIsChecked) {
  const test::TemporaryFolder folder;
  const std::string certificate = folder / "certificate.pem";
  const std::string other = folder / "other.pem";
  ASSERT_TRUE(test::write_certificate(certificate, folder / "key.pem", "IP:127.0.0.1"));
  ASSERT_TRUE(test::write_certificate(other, folder / "other.key", "IP:127.0.0.1"));
  WebhookReceiver receiver(certificate, folder / "key.pem");
  receiver.start();
  {
    WebhookSink sink({.url = receiver.url(), .ca_file = other}, kSource, kSoon);
    sink.take(numbered(1));
    EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return !account.fault.empty(); }));
    EXPECT_NE(sink.account().fault.find("certificate"), std::string::npos) << sink.account().fault;
    EXPECT_EQ(sink.account().sent, 0);
  }
  WebhookSink sink({.url = receiver.url(), .ca_file = certificate}, kSource, kSoon);
  sink.take(numbered(2));
  EXPECT_TRUE(until(sink, [](const SinkAccount& account) { return account.sent == 1; }));
}

}  // namespace
}  // namespace saccade::results
