// The other sides of a planner and of an agent, for `saccade bench fleet --overhead`: an etcd of its own, one
// member; a client of it that waits for answers; and a modelled fleet whose boxes are played: what each says
// of itself is in the store, and what it is assigned it confirms as served. Threads: one. Errors: Result,
// with what to install.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "bench/results/other_sides.hpp"
#include "bench/watched_process.hpp"
#include "fleet/problem.hpp"
#include "fleet_store/documents.hpp"
#include "fleet_store/etcd_store.hpp"

namespace saccade::bench {

inline constexpr const char* kPlayedFleet = "bench";  // its name

[[nodiscard]] bool has_etcd();  // on this machine

class BenchEtcd {
 public:
  [[nodiscard]] Status start();  // returns when it answers
  [[nodiscard]] const std::string& url() const { return url_; }

 private:
  BenchFolder folder_;
  std::string url_;
  std::unique_ptr<WatchedProcess> process_;
};

class StoreClient {
 public:
  explicit StoreClient(const std::string& url);
  // What it answers; an error if that is a failure.
  [[nodiscard]] Result<fleet_store::Answer> ask(fleet_store::Request request);
  // The answers come by take().
  void submit(fleet_store::Request request) { store_.submit(++number_, std::move(request)); }
  // What has arrived of those that were submitted; waits for as long.
  [[nodiscard]] std::vector<fleet_store::Answer> take(Duration most);

 private:
  void wait(Duration most);

  Mutex mutex_;
  Condition awake_;
  bool news_ SACCADE_GUARDED_BY(mutex_) = false;
  std::uint64_t number_ = 0;
  std::vector<fleet_store::Answer> kept_;
  fleet_store::EtcdStore store_;  // the first to go: it wakes
};

class PlayedFleet {
 public:
  PlayedFleet(StoreClient& store, const fleet::Problem& problem) : store_(store), problem_(problem) {}

  [[nodiscard]] Status write();                // boxes, all alive, and cameras; once, before follow()
  [[nodiscard]] Status follow(Duration most);  // confirms what has been assigned since
  [[nodiscard]] std::size_t served() const;    // cameras, by now

 private:
  [[nodiscard]] Status put(std::vector<fleet_store::Put> puts);
  [[nodiscard]] Status confirm(const std::string& key, const std::string& text, std::int64_t revision);

  StoreClient& store_;
  const fleet::Problem& problem_;
  fleet_store::Keys keys_{kPlayedFleet};
  std::map<std::string, std::set<std::string>> served_;  // cameras by box
  std::vector<fleet_store::Put> states_;                 // to be written
};

}  // namespace saccade::bench
