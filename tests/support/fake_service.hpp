// A service with one task, "gate", and nothing behind it: answers what it is told to and notes what
// it was asked.
#pragma once

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
    return runtime::NetworkFacts{"saccade", {"big"}, {{"input", "FP32", {1, 3, 4, 4}}}, {}, ready};
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

  bool ready = true;
  runtime::Thumbnail picture;
  runtime::MetricsSnapshot scrape;
  runtime::ChangeOutcome outcome = {runtime::ChangeOutcome::Kind::accepted, 7, "\"v2\""};
  runtime::DryRun dry = {runtime::DryRun::Kind::feasible, R"({"status":"optimal"})"};
  std::vector<runtime::Change> changes;
  std::vector<std::string> dry_runs;
};

}  // namespace saccade::test
