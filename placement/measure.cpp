#include "placement/measure.hpp"

namespace saccade::placement {

Measured ProfileMeasure::measure(const Placement& placement) {
  ++calls_;
  if (!complaints(costs_, placement).empty())
    return {kImpossible, std::vector<double>(costs_.processors(), 0.0)};
  const Evaluation evaluation = evaluate(costs_, placement);
  Measured measured{evaluation.period.value(), {}};
  for (const Seconds load : evaluation.load) measured.load.push_back(load.value());
  return measured;
}

}  // namespace saccade::placement
