// A sink of type "mqtt", which publishes to a broker, as configured. The password is read from a file.
// Threads: plain values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace saccade::results {

struct MqttSettings {
  std::string id;
  std::string host;
  int port = 1883;
  bool tls = false;
  std::string version = "3.1.1";              // or "5"
  std::string client_id;                      // never empty after reading
  std::string username;                       // empty: none
  std::string password_file;                  // a path; empty: none
  std::string ca_file;                        // a path, PEM; empty: the system's trust store
  std::string prefix;                         // of topics; never empty after reading
  int qos = 0;                                // 0 or 1
  std::optional<std::string> home_assistant;  // discovery prefix; absent: no discovery
  bool snapshots = false;                     // a picture when the presence of a label begins
  bool control = false;                       // clients may change the demand of tasks through the broker
  std::size_t queue = 256;                    // results that may wait
  bool operator==(const MqttSettings&) const = default;
};

}  // namespace saccade::results
