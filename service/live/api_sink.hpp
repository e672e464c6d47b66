// Results for HTTP clients: into the feed that readers follow, and to the pictures being viewed. Nothing
// blocks here: readers are told what they miss (api/result_feed.hpp).
// Threads: as Sink says.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "results/sink.hpp"
#include "service/api/result_feed.hpp"
#include "service/live/snapshots.hpp"

namespace saccade::service {

class ApiSink final : public results::Sink {
 public:
  // `clock` must outlive this; it is the clock of the workers' offers.
  ApiSink(std::shared_ptr<ResultFeed> feed, std::shared_ptr<Snapshots> snapshots, const Clock& clock)
      : feed_(std::move(feed)), snapshots_(std::move(snapshots)), clock_(clock) {}

  void take(const std::shared_ptr<const results::Result>& result) override {
    snapshots_->join(result, clock_.now());
    feed_->publish(result);
    ++taken_;
  }
  void take(const results::PresenceChange&) override {}  // part of the records
  void tell(const results::TaskState&) override {}       // part of the status
  void task_is_there(const std::string&) override {}
  void task_is_gone(const std::string& task) override {
    feed_->forget(task);
    snapshots_->forget(task);
  }
  [[nodiscard]] results::SinkAccount account() const override {
    const std::int64_t taken = taken_;
    return {.taken = taken, .sent = taken, .connected = true, .fault = ""};
  }

 private:
  const std::shared_ptr<ResultFeed> feed_;
  const std::shared_ptr<Snapshots> snapshots_;
  const Clock& clock_;
  std::atomic<std::int64_t> taken_{0};
};

}  // namespace saccade::service
