// What is present in one task's view, without flicker. The presence of a label begins once `frames`
// consecutive results have an object of it with at least `min_score`, and ends once `hold` has passed without
// one. Counts follow the same rule, number by number: the count reaches n once `frames` consecutive results
// show n objects, and falls below n once `hold` has passed without a result that shows n.
// Pure: time is an argument and never steps back. Threads: plain value.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "results/result.hpp"

namespace saccade::results {

struct PresenceRule {
  std::size_t frames = 2;  // consecutive results, at least 1
  Duration hold = std::chrono::seconds(5);
  double min_score = 0.0;
  bool operator==(const PresenceRule&) const = default;
};

class Presence {
 public:
  struct Change {
    std::string label;
    int count = 0;  // 0: no longer present
    bool operator==(const Change&) const = default;
  };

  explicit Presence(const PresenceRule& rule);

  // One result of the task; objects of all labels. Returns what changed because of it or of the time, by
  // label.
  std::vector<Change> see(const std::vector<SeenObject>& objects, TimePoint now);
  // Ends the presence that has expired by now without a result.
  std::vector<Change> pass(TimePoint now);
  // When pass() is next due, unless results arrive before; absent: never.
  [[nodiscard]] std::optional<TimePoint> next_end() const;
  // Ends all presence: the task was removed.
  std::vector<Change> end();

  [[nodiscard]] std::map<std::string, int> counts() const;  // only labels that are present
  [[nodiscard]] bool any() const;                           // whether any label is present

 private:
  struct Label {
    std::vector<int> last;           // counts of the last results, at most `frames`
    std::vector<TimePoint> reached;  // entry n - 1: when n were seen last; as long as the count
  };
  void rise(Label& label, int seen, TimePoint now) const;
  void fall(Label& label, TimePoint now) const;

  PresenceRule rule_;
  std::map<std::string, Label> labels_;  // present, or seen in one of the last results
};

}  // namespace saccade::results
