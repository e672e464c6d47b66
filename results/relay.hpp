// From the workers to the sinks: the ring that workers hand over to, the hub, and the thread that drives it.
// For each sink the accounting of all results that workers produced is complete at every instant:
//   produced = filtered + sent + dropped + failed + waiting.
// Results overwritten in the ring count as dropped, those in it as waiting.
// Call order: construct with the sinks; run() once for the thread, or step() without; end(), after which
// there are no sinks and no accounts, and whatever is put is lost. Threads: put(), set_tasks(), tell() and
// accounts() from any, put() also after end(), by an abandoned worker; step() only without run().
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "results/delivery_account.hpp"
#include "results/hand_over.hpp"
#include "results/hub.hpp"
#include "results/sink.hpp"

namespace saccade::results {

class Relay {
 public:
  static constexpr std::size_t kPlaces = 256;
  // Polling interval: no worker has to wake the thread, which would take a system call and so cost more than
  // the hand-over itself. After kLinger without a result it polls less often.
  static constexpr Duration kBetweenLooks = std::chrono::milliseconds(2);
  static constexpr Duration kBetweenIdleLooks = std::chrono::milliseconds(10);
  static constexpr Duration kLinger = std::chrono::milliseconds(250);

  struct Channel {
    std::string id;
    std::string type;
    FilterRule filter;
    std::unique_ptr<Sink> sink;
    PresenceRule presence = {};
  };
  // `clock` must outlive this.
  Relay(std::vector<std::string> processors, std::vector<Channel> channels, const Clock& clock,
        std::size_t places = kPlaces);
  ~Relay() { end(); }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  void run();
  // Hands over what waits, and returns when the sinks have ended; on the thread that called run().
  void end();

  // --- workers
  // As HandOver::put().
  template <class Fill>
  void put(const Fill& fill) {
    ring_.put(fill);
  }

  // --- the owner
  void set_tasks(const std::set<std::string>& tasks);
  // To the sinks that select the task.
  void tell(const TaskState& state);
  // Hands over everything in the ring and the presence that has ended by now. False: nothing waited.
  bool step(TimePoint now);
  [[nodiscard]] std::vector<DeliveryAccount> accounts() const;

 private:
  void relay();
  [[nodiscard]] bool pause(Duration time);  // false: end() was called

  const Clock& clock_;
  HandOver ring_;

  // Held while one result is handed over, never during disk or network I/O.
  mutable Mutex hub_mutex_;
  std::vector<Channel> channels_ SACCADE_GUARDED_BY(hub_mutex_);
  Hub hub_ SACCADE_GUARDED_BY(hub_mutex_);  // of these
  Sighting sighting_ SACCADE_GUARDED_BY(hub_mutex_);

  Mutex end_mutex_;
  Condition ended_;
  bool ending_ SACCADE_GUARDED_BY(end_mutex_) = false;
  std::thread thread_;
};

}  // namespace saccade::results
