// A mosquitto of the test's own, on a free port, and one that listens to it. Both end with their objects.
// Threads: one. Waiting: for lines that the programs write, never for time; a listener says that nothing more
// comes after kPatience.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/child_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::test {

class MqttBroker {
 public:
  // `lines`: of its configuration, besides listener and access. Not yet started.
  explicit MqttBroker(std::vector<std::string> lines = {"allow_anonymous true"});

  void start();  // returns when it listens
  void kill();   // hard: it forgets what it kept
  // Waits for a line of its log; false: it ended.
  bool says(const std::string& part) { return process_->line_with(part).has_value(); }
  void signal(int number) const { process_->signal(number); }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }

 private:
  std::vector<std::string> lines_;
  std::uint16_t port_;
  TemporaryFolder folder_;
  std::unique_ptr<ChildProcess> process_;
};

class MqttListener {
 public:
  static constexpr int kPatience = 240;  // s

  // `options`: more of them for mosquitto_sub.
  MqttListener(const MqttBroker& broker, const std::string& filter,
               const std::vector<std::string>& options = {});

  struct Message {
    std::string topic;
    std::string payload;
    bool kept = false;  // the broker had it before
  };
  // The next one; nothing: none came.
  [[nodiscard]] std::optional<Message> next();
  // Waits until the newest message of every topic is the one of `wanted`; false: it never was.
  bool sees(const std::map<std::string, std::string>& wanted);
  [[nodiscard]] const std::map<std::string, std::string>& newest() const { return newest_; }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<ChildProcess> process_;
  std::map<std::string, std::string> newest_;
};

// Publishes one message and returns when the broker has it.
bool mqtt_publish(const MqttBroker& broker, const std::string& topic, const std::string& payload,
                  bool retained = false);

}  // namespace saccade::test
