// Results and states to an MQTT broker (docs/results-delivery.md): the session's decisions carried out on a
// thread of its own. Nothing that is handed over waits for the broker, its name server or the disk.
//
// Order: construct, then as for every Sink. The destructor ends in an orderly way: it waits at most
// kEndSeconds for what is still to be sent, tells `stopped` and disconnects.
// Threads: the functions of Sink from the hub's thread; account(), tell() and take_snapshot() from
// any. `record` and `labels` are called on the thread inside and on the hub's, in this order, and must not
// call back.
#pragma once

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
  std::function<std::vector<std::string>(const std::string& task)> labels;  // that are told as presence
  // Changes what a task demands as a merge patch says, and returns the answer; called on the thread inside,
  // and may wait for the change. Used where the settings allow control.
  std::function<std::string(const std::string& task, const std::string& patch)> control = {};
  MqttRetry retry = {};
};

class MqttSink final : public Sink {
 public:
  static constexpr double kEndSeconds = 2.0;

  // A client id that the settings leave out is `saccade-NODE-ID`, a prefix `saccade/NODE`.
  MqttSink(MqttSettings settings, MqttContext context);
  ~MqttSink() override;
  MqttSink(const MqttSink&) = delete;
  MqttSink& operator=(const MqttSink&) = delete;

  void take(const std::shared_ptr<const Result>& result) override;
  void take(const PresenceChange& change) override;
  void tell(const TaskState& state) override;
  // A picture that is kept at the broker: `draw` makes the JPEG, on the sink's own thread; of several for one
  // task that were not drawn yet, the newest counts.
  void take_snapshot(const std::string& task, std::function<std::string()> draw);
  void task_is_there(const std::string& task) override;
  void task_is_gone(const std::string& task) override;
  [[nodiscard]] SinkAccount account() const override;

 private:
  class Worker;
  std::shared_ptr<Worker> worker_;  // outlives the sink where a name server holds its thread up
  std::thread thread_;
};

}  // namespace saccade::results
