// The simulation's event queue, ordered by (integer nanoseconds, sequence number): entries of the same
// instant come out in the order in which they were pushed.
// Threads: plain value. No allocation once warm.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/check.hpp"
#include "base/clock.hpp"

namespace saccade::runtime {

enum class Happening : std::uint32_t {
  tick,             // index: task, key: version of its schedule
  frames_pushed,    // a client sends frames; index and key as above
  frame_ends,       // index: processor
  processor_free,   // index: processor that has capacity again
  news,             // the oldest pending event for the controller
  plan_ready,       //
  job_ends,         // index: loader, key: engine
  load_overdue,     // key: engine
  controller_tick,  // key: version
  look_around,      // drift and silent sources are polled
  state,            // the timeline's next state
  weather,          // the fault source's next turn; key: version
  calm_check,       // key: 0 = ten seconds after the last fault, 1 = ten seconds later
  change_wanted,    // the wanted state changes, so that the run ends during a load
};

struct QueueEntry {
  TimePoint at{};
  std::uint64_t sequence = 0;
  Happening what = Happening::tick;
  std::uint32_t index = 0;
  std::uint64_t key = 0;
};

class EventQueue {
 public:
  void push(TimePoint at, Happening what, std::size_t index = 0, std::uint64_t key = 0) {
    heap_.push_back({at, ++sequence_, what, static_cast<std::uint32_t>(index), key});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  [[nodiscard]] TimePoint next_at() const { return heap_.front().at; }
  QueueEntry pop() {
    SACCADE_CHECK(!heap_.empty());
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const QueueEntry entry = heap_.back();
    heap_.pop_back();
    return entry;
  }

 private:
  static bool later(const QueueEntry& a, const QueueEntry& b) {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }
  std::vector<QueueEntry> heap_;
  std::uint64_t sequence_ = 0;
};

}  // namespace saccade::runtime
