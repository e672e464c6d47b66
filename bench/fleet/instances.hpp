// Synthetic fleets of any size, by seed: four classes of boxes with speeds 1, 3, 6 and 20 (40, 30, 20, 10 %
// of them), twelve networks with 12 to 19 variants each, limits on time, energy and memory. The cameras'
// demand belongs to their number alone: 10,000 cameras at their best variants are 10,000 seconds of work a
// second on boxes of speed 1, so fewer boxes are a tighter fleet. All of it is modelled; nothing was measured
// on devices. Threads: plain functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fleet/problem.hpp"

namespace saccade::bench {

enum class Sites {
  anywhere,
  sites,  // boxes and cameras in sites of ten boxes' size or so; a camera stays in its own
  mixed,  // 70 % of the cameras in their site, 20 % in its region of ten sites, 10 % anywhere
};

struct FleetSize {
  std::size_t cameras = 10'000;
  std::size_t boxes = 500;
  Sites sites = Sites::anywhere;
  std::size_t site_count = 50;
};

[[nodiscard]] fleet::Problem make_fleet(const FleetSize& size, std::uint64_t seed);

// A tenth of the demands, drawn by seed, multiplied by 0.5 to 1.5.
void change_demands(fleet::Problem& problem, std::uint64_t seed);

}  // namespace saccade::bench
