// A policy is a pure function: the same snapshot gives the same plan. It reads no clock, logs nothing and
// keeps no state. The deadline is passed in as a stop predicate; a plan that had to end early shows this in
// status, bound and gap.
// Threads: decide() is const and may be called from several threads at once.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "scheduler/plan.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::ilp {
class ChoiceSolver;
}

namespace saccade::scheduler {

struct DecideLimits {
  std::function<bool()> stop;  // polled; true = end now; empty = never
  std::int64_t max_nodes = std::numeric_limits<std::int64_t>::max();
  double gap =
      1e-6;  // relative; beyond 20 tasks a plan need not be proven closer than this; reported in the plan
};

class Policy {
 public:
  virtual ~Policy() = default;
  [[nodiscard]] virtual const char* name() const = 0;
  [[nodiscard]] virtual Plan decide(const Snapshot& snapshot, const DecideLimits& limits) const = 0;
};

enum class PolicyKind { transprecision, fair_fps, fair_time, greedy };
inline constexpr std::array kPolicyKinds = {PolicyKind::transprecision, PolicyKind::fair_fps,
                                            PolicyKind::fair_time, PolicyKind::greedy};
[[nodiscard]] const char* to_string(PolicyKind kind);
[[nodiscard]] std::optional<PolicyKind> policy_from(const std::string& name);

// `solver` is used by transprecision only and must outlive the policy.
[[nodiscard]] std::unique_ptr<Policy> make_policy(PolicyKind kind, const ilp::ChoiceSolver& solver);

}  // namespace saccade::scheduler
