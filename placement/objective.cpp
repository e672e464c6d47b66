#include "placement/objective.hpp"

namespace saccade::placement {
namespace {

double value_by(const Aim& aim, double period, double latency, double energy) {
  if (aim.deadline && latency > aim.deadline->value()) return kImpossible;
  switch (aim.objective) {
    case Objective::throughput:
      return period;
    case Objective::latency:
      return latency;
    case Objective::energy:
      return energy;
  }
  return kImpossible;
}

}  // namespace

const char* to_string(Objective objective) {
  switch (objective) {
    case Objective::throughput:
      return "throughput";
    case Objective::latency:
      return "latency";
    case Objective::energy:
      return "energy";
  }
  return "";
}

double value_of(const Aim& aim, const Totals& totals) {
  return value_by(aim, totals.period(), totals.latency, totals.energy);
}

double value_of(const Aim& aim, const Evaluation& evaluation) {
  return value_by(aim, evaluation.period.value(), evaluation.latency.value(),
                  evaluation.energy ? evaluation.energy->value() : kImpossible);
}

}  // namespace saccade::placement
