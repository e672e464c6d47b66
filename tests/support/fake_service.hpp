// A service with one task, "gate", and nothing behind it: answers what it is told to and notes what
// it was asked.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/service/service_model.hpp"

namespace saccade::test {

class FakeService final : public runtime::ServiceModel {
 public:
  [[nodiscard]] runtime::Readiness readiness() const override {
    return {ready, {{"plan", ready, "generation 1"}, {"sources", true, ""}}};
  }
  [[nodiscard]] std::string document(runtime::Document which) const override {
    return "{\"document\":" + std::to_string(static_cast<int>(which)) + "}";
  }
  [[nodiscard]] std::optional<std::string> task(const std::string& id) const override {
    if (id != "gate") return std::nullopt;
    return R"({"id":"gate"})";
  }
  [[nodiscard]] std::optional<runtime::NetworkFacts> network(const std::string& id) const override {
    if (id != "gate") return std::nullopt;
    runtime::NetworkFacts facts;
    facts.platform = "saccade";
    facts.versions = {"small", "big"};
    facts.inputs = {{"input", "FP32", {2, 3, 4, 4}}};
    facts.ready = ready;
    facts.pushed = pushed;
    facts.task = 5;
    facts.input = {.width = 4, .height = 4, .channels = 3};
    facts.regions = runtime::Grid{2, 1};
    facts.region_count = 2;
    facts.labels = {"even", "odd"};
    facts.processors = {"cpu"};
    return facts;
  }
  // Frames that are accepted wait in `waiting` until a test answers them.
  [[nodiscard]] runtime::PushVerdict push(runtime::TaskIndex task, runtime::PushedFrame frame,
                                          runtime::AnswerFrame answer) override {
    const std::lock_guard lock(mutex);
    if (verdict == runtime::PushVerdict::accepted)
      waiting.push_back({task, std::move(frame), std::move(answer)});
    pushes_changed.notify_all();
    return verdict;
  }
  void wait_for_frames(std::size_t count) {
    std::unique_lock lock(mutex);
    pushes_changed.wait(lock, [&] { return waiting.size() >= count; });
  }
  [[nodiscard]] std::optional<runtime::Thumbnail> thumbnail(const std::string& id) override {
    if (id != "gate") return std::nullopt;
    return picture;
  }
  [[nodiscard]] runtime::MetricsSnapshot metrics() const override { return scrape; }
  [[nodiscard]] runtime::Versioned configuration() const override { return {"{}", "\"v1\""}; }
  [[nodiscard]] runtime::ChangeOutcome change(const runtime::Change& change) override {
    changes.push_back(change);
    if (change.only_if && *change.only_if != "\"v1\"") return {runtime::ChangeOutcome::Kind::stale};
    return outcome;
  }
  [[nodiscard]] runtime::DryRun dry_run(const std::string& patch) override {
    dry_runs.push_back(patch);
    return dry;
  }

  struct Waits {
    runtime::TaskIndex task = 0;
    runtime::PushedFrame frame;
    runtime::AnswerFrame answer;
  };
  bool ready = true;
  bool pushed = true;
  runtime::PushVerdict verdict = runtime::PushVerdict::accepted;
  std::mutex mutex;  // guards the frames: they come on the server's second thread
  std::condition_variable pushes_changed;
  std::vector<Waits> waiting;
  runtime::Thumbnail picture;
  runtime::MetricsSnapshot scrape;
  runtime::ChangeOutcome outcome = {runtime::ChangeOutcome::Kind::accepted, 7, "\"v2\""};
  runtime::DryRun dry = {runtime::DryRun::Kind::feasible, R"({"status":"optimal"})"};
  std::vector<runtime::Change> changes;
  std::vector<std::string> dry_runs;
};

}  // namespace saccade::test
