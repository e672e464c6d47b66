// How far a search over nodes may go: a limit of work, and a stop predicate that is asked every now and then.
// Threads: pure but for the predicate.
#pragma once

#include <cstdint>
#include <functional>

#include "ilp/choice_result.hpp"

namespace saccade::ilp {

struct SearchOutcome {
  Limit limit = Limit::none;  // none: everything within the budget was visited
  std::int64_t nodes = 0;
};

class WorkMeter {
 public:
  // `stop` must outlive the meter.
  WorkMeter(const std::function<bool()>& stop, std::int64_t max_nodes) : stop_(stop), max_nodes_(max_nodes) {}

  // One more node; false: the search ends, and the outcome says why.
  bool may_go_on() {
    if (outcome_.nodes >= max_nodes_) {
      outcome_.limit = Limit::work;
    } else if (outcome_.nodes % kNodesPerPoll == 0 && stop_ && stop_()) {
      outcome_.limit = Limit::stop;
    } else {
      ++outcome_.nodes;
    }
    return outcome_.limit == Limit::none;
  }
  [[nodiscard]] const SearchOutcome& outcome() const { return outcome_; }

 private:
  static constexpr std::int64_t kNodesPerPoll = 2048;

  const std::function<bool()>& stop_;
  const std::int64_t max_nodes_;
  SearchOutcome outcome_;
};

}  // namespace saccade::ilp
