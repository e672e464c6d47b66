// What tests of sinks share: results in a few words, and waiting for what a sink's thread does.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "results/sink.hpp"

namespace saccade::results::deliveries {

inline std::shared_ptr<const Result> numbered(std::int64_t frame, const std::string& task = "gate") {
  Result result;
  result.task = task;
  result.frame = frame;
  return std::make_shared<const Result>(result);
}

inline std::int64_t unexplained(const SinkAccount& account) {
  return account.taken - (account.sent + account.dropped + account.failed + account.waiting);
}

// False: it never came.
inline bool until(const Sink& sink, const std::function<bool(const SinkAccount&)>& wanted) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (;;) {
    const SinkAccount account = sink.account();
    EXPECT_EQ(unexplained(account), 0);
    if (wanted(account)) return true;
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
}

}  // namespace saccade::results::deliveries
