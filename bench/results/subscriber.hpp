// A subscriber to a broker, in a process of its own (mosquitto_sub), whose lines are read as they come: the
// time of a message is when its line was read. Ends with its object.
// Threads: members any. Errors: Result, with what to install.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"

namespace saccade::bench {

class BenchSubscriber {
 public:
  struct Message {  // other than a result
    std::string topic;
    std::string payload;
    bool retained = false;  // it was at the broker before the subscription
    Duration at{0};         // since the machine booted, as of all times here
  };
  struct Arrival {  // of a result
    Duration captured{0};
    Duration age{0};  // at the end of its inference
    Duration at{0};
  };

  // Returns once it has subscribed to everything below `prefix`. `cpus`: where the process may run.
  [[nodiscard]] static Result<std::unique_ptr<BenchSubscriber>> start(std::uint16_t port,
                                                                      const std::string& prefix,
                                                                      const std::vector<int>& cpus);
  ~BenchSubscriber();
  BenchSubscriber(const BenchSubscriber&) = delete;
  BenchSubscriber& operator=(const BenchSubscriber&) = delete;

  // So far, in the order of their arrival.
  [[nodiscard]] std::vector<Message> messages() const;
  [[nodiscard]] std::vector<Arrival> arrivals() const;

 private:
  BenchSubscriber(pid_t id, int out);
  void read_on();
  void take(std::string_view line, Duration at);
  [[nodiscard]] bool has_subscribed();

  const pid_t id_;
  const int out_;
  mutable Mutex mutex_;
  bool subscribed_ SACCADE_GUARDED_BY(mutex_) = false;
  Condition changed_;
  std::vector<Message> messages_ SACCADE_GUARDED_BY(mutex_);
  std::vector<Arrival> arrivals_ SACCADE_GUARDED_BY(mutex_);
  std::thread reader_;
};

}  // namespace saccade::bench
