// What a change of the configuration would do to a fleet: what is served now, what would be, and which
// cameras would move. Nothing is changed. Both problems have where every camera is (`serving`). Threads:
// function without state; the same problems and limits give the same preview.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fleet/forecast.hpp"

namespace saccade::fleet {

struct Preview {
  struct Moved {
    TaskId camera;
    std::optional<BoxId> from;  // absent: it is on none
    std::optional<BoxId> to;    // absent: it would be off
    std::string why;            // it would be off
  };
  Forecast before;           // with every camera where it is
  Forecast after;            // as the next plan would have it
  std::vector<Moved> moved;  // by camera
};

[[nodiscard]] Preview preview(const Problem& before, const Problem& after, const PlanLimits& limits);

}  // namespace saccade::fleet
