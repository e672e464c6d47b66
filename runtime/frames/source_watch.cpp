#include "runtime/frames/source_watch.hpp"

#include <algorithm>
#include <utility>

namespace saccade::runtime {
namespace {

constexpr Duration kMemory = std::chrono::seconds(60);
constexpr int kPeriods = 3;

}  // namespace

void SourceWatch::begin(TimePoint now) {
  heard_ = now;
  silent_looks_ = 0;
  lost_ = false;
}

void SourceWatch::end() {
  heard_.reset();
  lost_ = false;
}

bool SourceWatch::heard(TimePoint now) {
  if (!heard_) return false;
  const Duration pause = now - *heard_;
  if (pause >= longest_pause_ || now >= forget_at_) {
    longest_pause_ = pause;
    forget_at_ = now + kMemory;
  }
  heard_ = now;
  silent_looks_ = 0;
  return std::exchange(lost_, false);
}

bool SourceWatch::look(TimePoint now, Duration period) {
  if (!heard_ || lost_) return false;
  const Duration patience = std::max(std::clamp(2 * longest_pause_, kLeastPatience, kMostPatience),
                                     kPeriods * std::min(period, kMemory));
  silent_looks_ = now - *heard_ < patience ? 0 : silent_looks_ + 1;
  lost_ = silent_looks_ >= kLooks;
  return lost_;
}

}  // namespace saccade::runtime
