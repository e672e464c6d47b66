// Results and states to an MQTT broker (docs/results-delivery.md): executes the session's decisions on a
// thread of its own. No hand-over waits for the broker, its name server or the disk.
//
// Order: construct, then as for every Sink. The destructor shuts down in order: it waits at most kEndSeconds
// for unsent messages, publishes `stopped` and disconnects.
// Threads: the functions of Sink from the hub's thread; account(), tell() and take_snapshot() from any.
// `record` and `labels` are called on the sink's thread and on the hub's thread respectively, and must not
// call back.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "results/mqtt/mqtt_session.hpp"
#include "results/mqtt/task_topics.hpp"
#include "results/mqtt_settings.hpp"
#include "results/sink.hpp"

namespace saccade::results {

struct MqttContext {
  std::string node;                                                         // this machine's name
  std::string version;                                                      // of the program
  std::function<std::string(const Result&)> record;                         // the payload of a result
  std::function<std::vector<std::string>(const std::string& task)> labels;  // whose presence is published
  // Applies a merge patch to a task's demand and returns the response; called on the sink's thread, and may
  // block until the change is made. Used only if the settings allow control.
  std::function<std::string(const std::string& task, const std::string& patch)> control = {};
  MqttRetry retry = {};
  Duration grace = TaskTopics::kGrace;  // of states at the broker that are of no known task
  // How long the thread sleeps at most while nothing happens on a connection; it wakes to send pings.
  Duration between_looks = std::chrono::seconds(1);
};

class MqttSink final : public Sink {
 public:
  static constexpr double kEndSeconds = 2.0;

  // If the settings omit them, the client id is `saccade-NODE-ID` and the prefix `saccade/NODE`.
  MqttSink(MqttSettings settings, MqttContext context);
  ~MqttSink() override;
  MqttSink(const MqttSink&) = delete;
  MqttSink& operator=(const MqttSink&) = delete;

  void take(const std::shared_ptr<const Result>& result) override;
  void take(const PresenceChange& change) override;
  void tell(const TaskState& state) override;
  // A retained picture: `draw` makes the JPEG on the sink's thread; if several for one task are pending, only
  // the newest is drawn.
  void take_snapshot(const std::string& task, std::function<std::string()> draw);
  void task_is_there(const std::string& task) override;
  void task_is_gone(const std::string& task) override;
  [[nodiscard]] SinkAccount account() const override;

 private:
  class Worker;
  std::shared_ptr<Worker> worker_;  // outlives the sink if its thread is blocked in a name look-up
  std::thread thread_;
};

}  // namespace saccade::results
