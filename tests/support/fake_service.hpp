// A service with one task, "gate", and nothing behind it: answers what it is told to and notes what
// it was asked.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "service/api/infer_outputs.hpp"
#include "service/api/service_model.hpp"

namespace saccade::test {

class FakeService final : public service::ServiceModel {
 public:
  [[nodiscard]] service::Readiness readiness() const override {
    return {ready, ready ? "" : reason, {{"plan", ready, "generation 1"}, {"sources", true, ""}}};
  }
  [[nodiscard]] std::string document(service::Document which) const override {
    return "{\"document\":" + std::to_string(static_cast<int>(which)) + "}";
  }
  // While `hold_texts`, whoever makes the text of a long document waits.
  [[nodiscard]] std::function<std::string()> gather(service::Document which) const override {
    return [this, text = document(which)] {
      std::unique_lock lock(mutex);
      ++texts_begun;
      changed.notify_all();
      changed.wait(lock, [&] { return !hold_texts; });
      return text;
    };
  }
  void wait_for_texts(int count) const {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return texts_begun >= count; });
  }
  void hold(bool texts) {
    const std::lock_guard lock(mutex);
    hold_texts = texts;
    changed.notify_all();
  }
  [[nodiscard]] bool has_task(const std::string& id) const override {
    return id == "gate" || (!another.empty() && id == another);
  }
  [[nodiscard]] std::optional<std::string> task(const std::string& id) const override {
    if (!has_task(id)) return std::nullopt;
    return R"({"id":"gate"})";
  }
  [[nodiscard]] std::optional<service::NetworkFacts> network(const std::string& id) const override {
    if (id != "gate") return std::nullopt;
    service::NetworkFacts facts;
    facts.platform = "saccade";
    facts.versions = {"small", "big"};
    facts.inputs = {{"input", "FP32", {2, 3, 4, 4}}};
    facts.kind = kind;
    facts.outputs = kind == profiles::NetworkTask::tensor
                        ? tensors
                        : service::declared_outputs(kind, 2, static_cast<std::int64_t>(label_names.size()));
    if (ready) facts.serving = serving;
    facts.pushed = pushed;
    facts.task = 5;
    facts.input = {.width = 4, .height = 4, .channels = 3};
    facts.takes = takes;
    facts.regions = runtime::Grid{2, 1};
    facts.region_count = 2;
    facts.labels = label_names;
    facts.processors = {"cpu"};
    return facts;
  }
  [[nodiscard]] std::vector<std::string> labels(const std::set<std::string>&) const override {
    return {"car", "person"};
  }
  // Frames that are accepted wait in `waiting` until a test answers them.
  [[nodiscard]] runtime::PushVerdict push(runtime::TaskIndex task, runtime::PushedFrame frame,
                                          runtime::AnswerFrame answer) override {
    const std::lock_guard lock(mutex);
    if (verdict == runtime::PushVerdict::accepted)
      waiting.push_back({task, std::move(frame), std::move(answer)});
    changed.notify_all();
    return verdict;
  }
  void wait_for_frames(std::size_t count) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return waiting.size() >= count; });
  }
  [[nodiscard]] std::optional<service::Thumbnail> thumbnail(const std::string& id) override {
    if (id != "gate") return std::nullopt;
    return picture;
  }
  [[nodiscard]] std::optional<service::Snapshot> snapshot(const std::string& id) override {
    if (id != "gate") return std::nullopt;
    return shown;
  }
  [[nodiscard]] service::ResultFeed& results() override { return feed; }
  [[nodiscard]] service::MetricsSnapshot metrics() const override { return scrape; }
  [[nodiscard]] service::Versioned configuration() const override { return {document_text, "\"v1\""}; }
  [[nodiscard]] std::string configuration_in_force() const override { return in_force_text; }
  [[nodiscard]] service::ChangeOutcome change(const service::Change& change) override {
    changes.push_back(change);
    if (change.only_if && *change.only_if != "\"v1\"") return {service::ChangeOutcome::Kind::stale};
    return outcome;
  }
  [[nodiscard]] service::DryRun dry_run(const std::string& patch) override {
    dry_runs.push_back(patch);
    return dry;
  }

  [[nodiscard]] std::optional<service::MovedTask> moved(const std::string& id) const override {
    return id == moved_task ? moved_to : std::nullopt;
  }

  struct Waits {
    runtime::TaskIndex task = 0;
    runtime::PushedFrame frame;
    runtime::AnswerFrame answer;
  };
  runtime::NetworkInputs takes =
      runtime::inputs_of(profiles::InputShape{.width = 4, .height = 4, .channels = 3});
  profiles::NetworkTask kind = profiles::NetworkTask::classify;
  std::vector<std::string> label_names = {"even", "odd"};
  std::vector<service::NetworkTensor> tensors;  // of a network whose outputs are handed on
  std::string serving = "big";                  // while ready
  std::string document_text = "{}";
  std::string in_force_text = R"({"in_force": true})";
  bool ready = true;
  std::string reason;  // why not
  bool pushed = true;
  runtime::PushVerdict verdict = runtime::PushVerdict::accepted;
  mutable std::mutex mutex;  // guards frames and texts: the server has threads of their own for them
  mutable std::condition_variable changed;
  mutable int texts_begun = 0;
  bool hold_texts = false;
  std::vector<Waits> waiting;
  service::Thumbnail picture;
  std::string another;  // a second task, that only exists
  std::string moved_task;
  std::optional<service::MovedTask> moved_to;
  service::Snapshot shown;
  service::ResultFeed feed{"yard-box", 4};
  service::MetricsSnapshot scrape = [] {
    service::MetricsSnapshot none;
    none.status.wanted = std::make_shared<const scheduler::Snapshot>();
    return none;
  }();
  service::ChangeOutcome outcome = {service::ChangeOutcome::Kind::accepted, 7, "\"v2\""};
  service::DryRun dry = {service::DryRun::Kind::feasible, R"({"status":"optimal"})"};
  std::vector<service::Change> changes;
  std::vector<std::string> dry_runs;
};

}  // namespace saccade::test
