#include "results/file_sink.hpp"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "results/record.hpp"

namespace saccade::results {
namespace {
constexpr Duration kPauseAfterFailure = std::chrono::seconds(1);
}  // namespace

FileSink::FileSink(const FileSettings& settings, std::string node)
    : node_(std::move(node)),
      sync_(to_duration(settings.sync)),
      file_(settings.path, settings.rotate_bytes, settings.keep),
      queue_(settings.queue) {
  thread_ = std::thread([this] {
    ::pthread_setname_np(::pthread_self(), "saccade-file");
    write();
  });
}

FileSink::~FileSink() {
  queue_.close();
  thread_.join();
}

void FileSink::note(const Status& status) {
  if (status) {
    try_again_.reset();
    queue_.set_state(true, "");
    return;
  }
  try_again_ = clock_.now() + kPauseAfterFailure;
  queue_.set_state(false, to_string(status.errors().front()));
}

void FileSink::write(const Result& result) {
  if (try_again_ && clock_.now() < *try_again_) return queue_.dropped();
  Status written = file_.append(record_of(result, node_));
  note(written);
  if (!written) return queue_.dropped();
  queue_.sent(result, monotonic_now());
  if (!sync_at_) sync_at_ = clock_.now() + sync_;
}

void FileSink::write() {
  note(file_.open());
  while (!queue_.closed()) {
    std::optional<TimePoint> wake = sync_at_;
    if (try_again_) wake = wake ? std::min(*wake, *try_again_) : *try_again_;
    const std::optional<Duration> patience =
        wake ? std::optional(std::max(*wake - clock_.now(), Duration(0))) : std::nullopt;
    if (const BoundedQueue::Item result = queue_.take(patience)) write(*result);
    const TimePoint now = clock_.now();
    if (sync_at_ && now >= *sync_at_) {
      sync_at_.reset();
      if (const Status synced = file_.sync(); !synced) note(synced);
    }
    if (try_again_ && now >= *try_again_) {
      try_again_.reset();  // with the next result; whether it can be opened shows without one
      if (!file_.is_open()) note(file_.open());
    }
  }
  if (sync_at_) (void)file_.sync();
}

}  // namespace saccade::results
