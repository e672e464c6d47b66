// One connection to an MQTT broker, from the first packet until it is lost; a new one is made for each
// attempt, so that nothing of an earlier one is left in the library. It never waits, but for the look-up of
// the broker's name in open(). When the program dies, the broker says `offline` in the program's name (last
// will).
//
// Call order: open(); then poll socket() and call serve(); publish() and subscribe() after `connected`.
// Threads: one at a time. Errors: events, or values with the words of the broker, of TLS or of the system.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "results/mqtt_settings.hpp"

namespace saccade::results {

struct MqttEvent {
  enum class Kind { connected, refused, lost, acknowledged, rejected, message };
  Kind kind = Kind::lost;
  std::int64_t ticket = 0;   // acknowledged, rejected
  std::string words;         // refused, rejected, lost; of a message: its payload
  std::string topic;         // message
  bool credentials = false;  // refused: because of them
  bool was_kept = false;     // message: the broker had it before it was asked for
};

class MqttConnection {
 public:
  [[nodiscard]] static saccade::Result<std::unique_ptr<MqttConnection>> open(const MqttSettings& settings,
                                                                             const std::string& will_topic);
  ~MqttConnection();  // cuts it
  MqttConnection(const MqttConnection&) = delete;
  MqttConnection& operator=(const MqttConnection&) = delete;

  // To be polled; -1: it is lost.
  [[nodiscard]] int socket() const;
  [[nodiscard]] bool wants_to_write() const;
  // Also without either, once a second: the broker is asked whether it is there.
  void serve(bool readable, bool writable);
  // What has happened since it was last asked.
  [[nodiscard]] std::vector<MqttEvent> take_events();

  void publish(std::int64_t ticket, const std::string& topic, const std::string& payload, int qos,
               bool retained);
  void subscribe(const std::string& filter);
  // An orderly end: no last will.
  void disconnect();

 private:
  struct Inside;
  explicit MqttConnection(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace saccade::results
