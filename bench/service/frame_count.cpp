#include "bench/service/frame_count.hpp"

namespace saccade::bench {

WatchedFrames between(const Look& from, const Look& to) {
  WatchedFrames frames{to.frames.since(from.frames), std::nullopt};
  if (from.steal && to.steal) frames.steal = *to.steal - *from.steal;
  return frames;
}

}  // namespace saccade::bench
