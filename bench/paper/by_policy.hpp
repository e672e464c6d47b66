// One value for every policy, indexed by the policy.
// Threads: plain value.
#pragma once

#include <array>

#include "scheduler/policy.hpp"

namespace saccade::bench {

template <class T>
class ByPolicy {
 public:
  [[nodiscard]] T& operator[](scheduler::PolicyKind kind) { return values_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] const T& operator[](scheduler::PolicyKind kind) const {
    return values_[static_cast<std::size_t>(kind)];
  }

 private:
  std::array<T, scheduler::kPolicyKinds.size()> values_{};
};

// All policies but transprecision, in order.
inline constexpr std::array kHeuristics = {scheduler::PolicyKind::fair_fps, scheduler::PolicyKind::fair_time,
                                           scheduler::PolicyKind::greedy};
static_assert(kHeuristics.size() + 1 == scheduler::kPolicyKinds.size());

}  // namespace saccade::bench
