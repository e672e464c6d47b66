// Where a search that needs no profile gets its figures: something that runs a placement and reports what it
// saw. A profile can answer in its stead (ProfileMeasure).
// Threads: one. Errors: none here; a measure that fails reports kImpossible.
#pragma once

#include <cstdint>
#include <vector>

#include "placement/evaluate.hpp"

namespace saccade::placement {

struct Measured {
  double period = kImpossible;  // seconds between two frames of a full pipeline
  std::vector<double> load;     // busy seconds per frame, by processor
};

class Measure {
 public:
  virtual ~Measure() = default;
  [[nodiscard]] virtual Measured measure(const Placement& placement) = 0;
};

// The answer of evaluate(); an illegal placement is impossible.
class ProfileMeasure : public Measure {
 public:
  explicit ProfileMeasure(const Costs& costs) : costs_(costs) {}
  [[nodiscard]] Measured measure(const Placement& placement) override;
  [[nodiscard]] std::int64_t calls() const { return calls_; }

 private:
  const Costs& costs_;
  std::int64_t calls_ = 0;
};

}  // namespace saccade::placement
