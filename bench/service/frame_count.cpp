#include "bench/service/frame_count.hpp"

#include <algorithm>

namespace saccade::bench {
namespace {

constexpr std::chrono::seconds kAfterStall(1);

}  // namespace

WatchedFrames watched_frames(std::span<const Look> looks, std::vector<Stall> stalls) {
  WatchedFrames frames;
  frames.all = looks.back().frames.since(looks.front().frames);
  for (std::size_t i = 1; i < looks.size(); ++i) {
    const Look &from = looks[i - 1], &to = looks[i];
    const bool touched = std::any_of(stalls.begin(), stalls.end(), [&](const Stall& stall) {
      return stall.from <= to.at && stall.to + kAfterStall >= from.at;
    });
    if (touched) {
      frames.left_out += to_seconds(to.at - from.at);
    } else {
      frames.outside.add(to.frames.since(from.frames));
    }
  }
  std::sort(stalls.begin(), stalls.end(), [](const Stall& a, const Stall& b) { return a.from < b.from; });
  TimePoint over{};  // of the stalls counted so far: what both probes saw is one
  for (const Stall& stall : stalls) {
    if (stall.to < looks.front().at) continue;
    if (frames.stalls == 0 || stall.from > over) ++frames.stalls;
    over = std::max(over, stall.to);
  }
  return frames;
}

}  // namespace saccade::bench
