// One connection to an MQTT broker, from the first packet until it is lost; each attempt uses a new one, so
// that the library keeps no state of an earlier attempt. No call blocks except the name look-up in open(). If
// the program dies, the broker publishes `offline` on its behalf (last will).
//
// Call order: open(); then poll socket() and call serve(); publish() and subscribe() after `connected`.
// Threads: one at a time. Errors: events, or values with the message of the broker, of TLS or of the system.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "results/mqtt_settings.hpp"

namespace saccade::results {

struct MqttEvent {
  enum class Kind { connected, refused, lost, acknowledged, rejected, message, not_subscribed };
  Kind kind = Kind::lost;
  std::int64_t ticket = 0;   // acknowledged, rejected
  std::string words;         // refused, rejected, lost, not_subscribed; of a message: its payload
  std::string topic;         // message; not_subscribed: the filter
  bool credentials = false;  // refused: because of the credentials
  bool was_kept = false;     // message: it was retained at the broker
};

class MqttConnection {
 public:
  // Of the addresses that the broker's name has, an attempt uses the first one; `ipv4`: the first of IPv4.
  enum class Addresses { any, ipv4 };
  [[nodiscard]] static saccade::Result<std::unique_ptr<MqttConnection>> open(const MqttSettings& settings,
                                                                             const std::string& will_topic,
                                                                             Addresses addresses);
  ~MqttConnection();  // closes the socket without a DISCONNECT
  MqttConnection(const MqttConnection&) = delete;
  MqttConnection& operator=(const MqttConnection&) = delete;

  // For poll(); -1: the connection is lost.
  [[nodiscard]] int socket() const;
  [[nodiscard]] bool wants_to_write() const;
  // Call at least once a second even without socket activity: it sends keep-alive pings.
  void serve(bool readable, bool writable);
  // Events since the last call; they come from serve(), publish() and subscribe().
  [[nodiscard]] std::vector<MqttEvent> take_events();
  [[nodiscard]] bool has_events() const;

  void publish(std::int64_t ticket, const std::string& topic, const std::string& payload, int qos,
               bool retained);
  void subscribe(const std::string& filter);
  // Orderly disconnect: no last will.
  void disconnect();

 private:
  struct Inside;
  explicit MqttConnection(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace saccade::results
