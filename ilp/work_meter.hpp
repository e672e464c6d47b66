// How far a search may go: a node limit, and a stop predicate that is polled every so many nodes.
// Threads: pure but for the predicate.
#pragma once

#include <cstdint>
#include <functional>

#include "ilp/choice_result.hpp"

namespace saccade::ilp {

struct WorkLimit {
  const std::function<bool()>& stop;  // empty = never; has to outlive every search under this limit
  std::int64_t max_nodes;
};

struct SearchOutcome {
  Limit limit = Limit::none;  // none: the search was exhaustive
  std::int64_t nodes = 0;
};

// Of searches whose node costs a whole evaluation.
inline constexpr std::int64_t kNodesPerPoll = 1024;

class WorkMeter {
 public:
  explicit WorkMeter(const WorkLimit& limit, std::int64_t nodes_per_poll = 2048)
      : limit_(limit), nodes_per_poll_(nodes_per_poll) {}

  // Counts one more node. False: a limit is reached, the search has to end, and outcome() says which.
  bool may_continue() {
    if (outcome_.nodes >= limit_.max_nodes) {
      outcome_.limit = Limit::work;
    } else if (outcome_.nodes == next_poll_ && stop_requested()) {
      outcome_.limit = Limit::stop;
    } else {
      ++outcome_.nodes;
    }
    return outcome_.limit == Limit::none;
  }
  [[nodiscard]] const SearchOutcome& outcome() const { return outcome_; }

 private:
  bool stop_requested() {
    next_poll_ += nodes_per_poll_;
    return limit_.stop && limit_.stop();
  }

  const WorkLimit limit_;
  const std::int64_t nodes_per_poll_;
  std::int64_t next_poll_ = 0;  // cheaper in the inner loops of a search than a division
  SearchOutcome outcome_;
};

}  // namespace saccade::ilp
