// How results reach a broker: a sink of type "mqtt", as the configuration says. The password itself stands in
// a file. Threads: plain values.
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
  std::string client_id;                      // never empty once it was read
  std::string username;                       // empty: none
  std::string password_file;                  // a path; empty: none
  std::string ca_file;                        // a path, PEM; empty: those that the system trusts
  std::string prefix;                         // of topics; never empty once it was read
  int qos = 0;                                // 0 or 1
  std::optional<std::string> home_assistant;  // the prefix of its discovery; absent: not told
  bool snapshots = false;                     // a picture when something begins to be present
  bool control = false;                       // what tasks demand may be changed through the broker
  std::size_t queue = 256;                    // results that may wait
  bool operator==(const MqttSettings&) const = default;
};

}  // namespace saccade::results
