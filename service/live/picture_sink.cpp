#include "service/live/picture_sink.hpp"

#include <optional>
#include <utility>

namespace saccade::service {

PictureSink::PictureSink(std::shared_ptr<Snapshots> pictures, std::shared_ptr<const Clock> clock,
                         Publish publish)
    : pictures_(std::move(pictures)), clock_(std::move(clock)), publish_(std::move(publish)) {}

void PictureSink::take(const results::PresenceChange& change) {
  std::set<std::string>& labels = present_[change.task];
  if (change.count == 0) {
    labels.erase(change.label);
  } else if (labels.insert(change.label).second) {
    wanted_.insert(change.task);
    (void)pictures_->look(change.task, clock_->now());
  }
}

void PictureSink::take(const std::shared_ptr<const results::Result>& result) {
  if (!wanted_.contains(result->task)) return;
  const TimePoint now = clock_->now();
  pictures_->join(result, now);
  std::optional<Snapshots::Taken> taken = pictures_->look(result->task, now);
  if (!taken) return;
  wanted_.erase(result->task);
  pictures_->forget(result->task);
  publish_(result->task, [taken = *std::move(taken)] { return drawn_of(taken, true); });
}

void PictureSink::task_is_gone(const std::string& task) {
  present_.erase(task);
  wanted_.erase(task);
  pictures_->forget(task);
}

}  // namespace saccade::service
