// The latest results of a run for clients that follow them: one bounded ring for all, never delayed by
// readers. A reader has a filter by task and its own position in the ring; a reader that is too slow misses
// what the ring has dropped meanwhile and is told how many results of its tasks. The latest result of each
// task is kept as well. Results are formatted as text by their readers.
// Call order: construct; readers come and go; the feed outlives them. Threads: any; the mutex is held to copy
// pointers, never during disk or network I/O. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "results/result.hpp"

namespace saccade::service {

class ResultFeed {
 public:
  using Item = std::shared_ptr<const results::Result>;
  static constexpr std::size_t kCapacity = 256;

  // `node`: the name of the machine or service, for records.
  explicit ResultFeed(std::string node = {}, std::size_t capacity = kCapacity);
  ResultFeed(const ResultFeed&) = delete;
  ResultFeed& operator=(const ResultFeed&) = delete;

  [[nodiscard]] const std::string& node() const { return node_; }
  void publish(const Item& result);
  void forget(const std::string& task);                      // removed: discards its latest result
  [[nodiscard]] Item newest(const std::string& task) const;  // null: none yet

  struct Counts {
    std::int64_t readers = 0;  // current number of readers
    std::int64_t read = 0;     // results, by all readers so far
    std::int64_t lost = 0;     // by slow readers
  };
  [[nodiscard]] Counts counts() const;

  struct Entry {
    std::uint64_t number = 0;  // from 1, without gaps
    Item result;
  };
  struct Batch {
    std::uint64_t lost = 0;  // of the reader's tasks, before the first entry here
    std::vector<Entry> entries;
  };
  struct Wanted {
    std::set<std::string> tasks = {};         // ids; empty: all
    std::optional<std::uint64_t> after = {};  // absent: only results from now on
  };

  class Reader {
   public:
    // `wake`: called when there is something to read, once until it is read, on the publisher's thread; must
    // neither block nor call the feed. Not called after the destructor has returned. A number from the
    // future, from an earlier run of the service, counts as 0. What lies between `after` and the ring is
    // lost; since its tasks are not known, all of it counts.
    Reader(ResultFeed& feed, Wanted wanted, std::function<void()> wake);
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    [[nodiscard]] Batch read(std::size_t most);

   private:
    ResultFeed& feed_;
  };

 private:
  struct Place {  // of a reader
    std::set<std::string> tasks;
    std::function<void()> wake;
    std::uint64_t last = 0;       // last entry delivered to it, or skipped
    std::uint64_t accounted = 0;  // of its tasks' results: read, lost, or older than its start
    bool woken = false;
  };
  static bool wants(const Place& place, const std::string& task) {
    return place.tasks.empty() || place.tasks.contains(task);
  }
  [[nodiscard]] std::uint64_t published(const Place& place) const SACCADE_REQUIRES(mutex_);
  [[nodiscard]] std::uint64_t waiting(const Place& place) const SACCADE_REQUIRES(mutex_);

  const std::string node_;
  const std::size_t capacity_;
  mutable Mutex mutex_;
  std::deque<Entry> entries_ SACCADE_GUARDED_BY(mutex_);
  std::uint64_t newest_ SACCADE_GUARDED_BY(mutex_) = 0;                        // number
  std::map<std::string, std::uint64_t> published_ SACCADE_GUARDED_BY(mutex_);  // by task, ever
  std::map<std::string, Item> newest_of_ SACCADE_GUARDED_BY(mutex_);           // by task
  std::map<const Reader*, Place> places_ SACCADE_GUARDED_BY(mutex_);
  Counts counts_ SACCADE_GUARDED_BY(mutex_);
};

}  // namespace saccade::service
