#include "runtime/real/pushed_frame.hpp"

#include <utility>

#include "runtime/real/serving.hpp"
#include "runtime/sources/thumbnail.hpp"

namespace saccade::runtime {

PushVerdict push_frame(Serving& serving, TaskNumber task, PushedFrame frame, AnswerFrame answer,
                       TimePoint now) {
  LatestFrame* const latest = serving.latest(task);
  if (latest == nullptr) return PushVerdict::not_pushed;
  if (frame.frame.captured_at.monotonic.count() == 0) frame.frame.captured_at = captured_now();
  PicturePtr picture;
  std::vector<float> numbers;
  if (latest->wants_frame(now)) {
    picture = frame.frame.input.empty() ? frame.frame.picture : nullptr;
    numbers = frame.frame.input;
  }
  const PushVerdict verdict = serving.push(task, frame.frame, std::move(answer));
  if (verdict == PushVerdict::accepted && picture) latest->show(thumbnail(*picture), now);
  if (verdict == PushVerdict::accepted && !numbers.empty())
    latest->show(thumbnail(numbers, frame.shape, frame.regions), now);
  return verdict;
}

}  // namespace saccade::runtime
