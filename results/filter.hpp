// Which results a sink gets. An object passes if it has one of the labels and at least the score; a result
// passes by its task, by what happens in it, and at a limited rate. If a result shows a presence change but
// exceeds the rate, the task's next result passes instead.
// Pure: time is an argument. Threads: plain values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "results/result.hpp"

namespace saccade::results {

enum class When {
  every,    // every result
  objects,  // at least one object passes
  change,   // presence or a count changed
};
[[nodiscard]] const char* to_string(When when);

struct ObjectFilter {
  std::vector<std::string> labels = {};  // empty: all
  double min_score = 0.0;
  [[nodiscard]] bool wants_label(const std::string& label) const;
  [[nodiscard]] bool passes(const SeenObject& object) const;
  [[nodiscard]] bool leaves_out_any() const { return !labels.empty() || min_score > 0.0; }
  bool operator==(const ObjectFilter&) const = default;
};

struct FilterRule {
  std::vector<std::string> tasks = {};  // ids; empty: all
  ObjectFilter objects = {};
  When when = When::every;
  std::optional<double> max_per_second = {};  // per task; absent: unlimited
  [[nodiscard]] bool wants_task(const std::string& task) const;
  bool operator==(const FilterRule&) const = default;
};

class Filter {
 public:
  explicit Filter(FilterRule rule) : rule_(std::move(rule)) {}

  [[nodiscard]] const FilterRule& rule() const { return rule_; }
  [[nodiscard]] bool wants_task(const std::string& task) const;
  [[nodiscard]] bool passes(const SeenObject& object) const { return rule_.objects.passes(object); }
  // Something changed in the task's view, whether or not a result will show it.
  void changed(const std::string& task);
  // Whether a result of a selected task passes; `objects`: the number of its objects that pass. Called once
  // per result.
  [[nodiscard]] bool passes(const std::string& task, std::size_t objects, TimePoint now);
  void forget(const std::string& task) { tasks_.erase(task); }

 private:
  struct State {
    bool changed = false;  // since the last result that passed
    std::optional<TimePoint> next;
  };
  FilterRule rule_;
  std::map<std::string, State> tasks_;
};

}  // namespace saccade::results
