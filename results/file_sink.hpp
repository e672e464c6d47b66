// Results in a file, one record per line (record.hpp), with rotation (line_file.hpp). While the file cannot
// be written, for example because the disk is full, results are dropped, the account states the reason, and
// writing is retried about once a second. Presence changes are part of the records. The destructor writes
// what is still queued.
// Threads: as Sink says; a thread of its own writes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/clock.hpp"
#include "results/bounded_queue.hpp"
#include "results/line_file.hpp"
#include "results/settings.hpp"
#include "results/sink.hpp"

namespace saccade::results {

class FileSink final : public Sink {
 public:
  FileSink(const FileSettings& settings, std::string node);
  ~FileSink() override;

  void take(const std::shared_ptr<const Result>& result) override { queue_.put(result); }
  void take(const PresenceChange&) override {}
  void tell(const TaskState&) override {}
  void task_is_there(const std::string&) override {}
  void task_is_gone(const std::string&) override {}
  [[nodiscard]] SinkAccount account() const override { return queue_.account(); }

 private:
  void write();
  void write(const Result& result);
  void note(const Status& status);

  const std::string node_;
  const Duration sync_;
  const SteadyClock clock_;
  LineFile file_;
  std::optional<TimePoint> sync_at_;    // absent: everything is synchronised
  std::optional<TimePoint> try_again_;  // absent: the file can be written
  BoundedQueue queue_;
  std::thread thread_;
};

}  // namespace saccade::results
