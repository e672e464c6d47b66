#include "ilp/choice_result.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace saccade::ilp {

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::optimal:
      return "optimal";
    case Verdict::feasible:
      return "feasible";
    case Verdict::infeasible:
      return "infeasible";
    case Verdict::unknown:
      return "unknown";
  }
  check_failed("a verdict of the enumeration", __FILE__, __LINE__);
}

const char* to_string(Limit limit) {
  switch (limit) {
    case Limit::none:
      return "none";
    case Limit::stop:
      return "stop";
    case Limit::work:
      return "work";
    case Limit::numerical:
      return "numerical";
  }
  check_failed("a limit of the enumeration", __FILE__, __LINE__);
}

std::optional<double> ChoiceResult::gap() const {
  const bool has_picks = verdict == Verdict::optimal || verdict == Verdict::feasible;
  if (!has_picks || !bound) return std::nullopt;
  const double value = evaluation.levels.front();
  return std::abs(value - *bound) / std::max(std::abs(value), kTolerance);
}

}  // namespace saccade::ilp
