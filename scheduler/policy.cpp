#include "scheduler/policy.hpp"

#include "scheduler/heuristics.hpp"
#include "scheduler/transprecision.hpp"

namespace saccade::scheduler {

const char* to_string(PolicyKind kind) {
  switch (kind) {
    case PolicyKind::transprecision:
      return "transprecision";
    case PolicyKind::fair_fps:
      return "fair_fps";
    case PolicyKind::fair_time:
      return "fair_time";
    case PolicyKind::greedy:
      return "greedy";
  }
  return "";
}

std::optional<PolicyKind> policy_from(const std::string& name) {
  for (const PolicyKind kind : kPolicyKinds) {
    if (name == to_string(kind)) return kind;
  }
  return std::nullopt;
}

std::unique_ptr<Policy> make_policy(PolicyKind kind, const ilp::ChoiceSolver& solver) {
  if (kind == PolicyKind::transprecision) return std::make_unique<Transprecision>(solver);
  return make_heuristic(kind);
}

}  // namespace saccade::scheduler
