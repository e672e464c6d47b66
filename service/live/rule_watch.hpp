// What workers update for rules: for each presence condition, whether it is met. A worker evaluates its
// result where it is, so that nothing is copied, and wakes no thread unless a presence begins. Allocation:
// none per result of a detector, once a task's labels are known. Threads: any. Its lock is held to evaluate
// one result, to exchange the rules or to note what was seen, never during a wait.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "profiles/profile_set.hpp"
#include "rules/engine.hpp"
#include "runtime/run/result_listener.hpp"
#include "vision/decode/objects.hpp"

namespace saccade::service {

class RuleWatch {
 public:
  // `clock` must outlive this.
  explicit RuleWatch(const Clock& clock) : clock_(clock) {}

  // By a worker. True: a presence begins, so that the engine's step is due.
  [[nodiscard]] bool see(const runtime::SeenFrame& frame);

  // --- the owner of the engine
  // Gives the engine other rules, and watches for what these watch for; no result is lost or counted twice.
  std::vector<rules::Turn> set_rules(rules::Engine& engine, std::vector<rules::Rule> rules);
  // What results have shown until the returned time: the engine steps to that, not to a later one, by which a
  // result may have prolonged a presence. `engine` is the one of the last set_rules().
  [[nodiscard]] TimePoint note_in(rules::Engine& engine) const;

 private:
  struct Watcher {
    rules::Engine::Watcher of;
    std::vector<std::uint8_t> counts;  // by label: whether it is watched for
  };
  struct Task {
    std::shared_ptr<const profiles::ProfileSet> profiles;  // whose labels `counts` have; null: not known yet
    std::vector<Watcher> watchers;
  };
  void note_all(rules::Engine& engine) const SACCADE_REQUIRES(mutex_);
  static void learn_labels(Task& task, const std::shared_ptr<const profiles::ProfileSet>& profiles);
  [[nodiscard]] static bool shown(const Watcher& watcher, const vision::Objects& objects);

  const Clock& clock_;
  mutable Mutex mutex_;
  std::map<std::string, Task> tasks_ SACCADE_GUARDED_BY(mutex_);  // only those with watchers
  vision::Objects classified_ SACCADE_GUARDED_BY(mutex_);
};

}  // namespace saccade::service
