#include "runtime/real/inference_watch.hpp"

#include <algorithm>

namespace saccade::runtime {

void InferenceWatch::begins(TimePoint now, Duration profiled) {
  begun_ = now;
  limit_ = std::max(least_, kFrameTimes * profiled);
  looks_ = 0;
  stopped_.reset();
}

InferenceWatch::Due InferenceWatch::look(TimePoint now) {
  if (!begun_ || now - *begun_ < limit_) return Due::nothing;
  if (++looks_ < kLooks) return Due::nothing;
  if (!stopped_) {
    stopped_ = now;
    return Due::stop;
  }
  return now - *stopped_ < kGrace ? Due::nothing : Due::leave_behind;
}

}  // namespace saccade::runtime
