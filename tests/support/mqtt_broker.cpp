#include "tests/support/mqtt_broker.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/support/free_port.hpp"

namespace saccade::test {
namespace {

constexpr const char* kBrokerProgram = "/usr/sbin/mosquitto";
constexpr const char* kListenerProgram = "/usr/bin/mosquitto_sub";
constexpr const char* kPublisherProgram = "/usr/bin/mosquitto_pub";

}  // namespace

MqttBroker::MqttBroker(std::vector<std::string> lines) : lines_(std::move(lines)), port_(free_port()) {}

void MqttBroker::start() {
  const std::string configuration = folder_ / "mosquitto.conf";
  std::ofstream file(configuration);
  file << "listener " << port_ << " 127.0.0.1\npersistence false\nlog_dest stderr\n";
  for (const char* type : {"error", "warning", "notice", "information"}) file << "log_type " << type << '\n';
  // As root it would become a user who cannot read the folder.
  if (geteuid() == 0) file << "user root\n";
  for (const std::string& line : lines_) file << line << '\n';
  file.close();
  process_ = std::make_unique<ChildProcess>(std::vector<std::string>{kBrokerProgram, "-c", configuration},
                                            folder_ / "broker.out");
  process_->must_say(" running");
}

void MqttBroker::kill() {
  process_->signal(SIGKILL);
  process_->wait();
  process_.reset();
}

MqttListener::MqttListener(const MqttBroker& broker, const std::string& filter,
                           const std::vector<std::string>& options) {
  // On one line each, without a line's end in the payload; the debug lines, which
  // it would keep in its buffer, tell when it listens.
  std::string command = std::string("exec stdbuf -oL ") + kListenerProgram + " -d -h 127.0.0.1 -p " +
                        std::to_string(broker.port()) + " -q 1 -W " + std::to_string(kPatience) + " -t '" +
                        filter + "' -F '=%r %t %p'";
  for (const std::string& option : options) command += " '" + option + "'";
  command += " >&2";
  process_ = std::make_unique<ChildProcess>(std::vector<std::string>{"/bin/sh", "-c", command},
                                            folder_ / "listener.out");
  process_->must_say("Subscribed");
}

std::optional<MqttListener::Message> MqttListener::next() {
  for (;;) {
    const std::optional<std::string> line = process_->line_with("=");
    if (!line) return std::nullopt;
    if (!line->starts_with("=0 ") && !line->starts_with("=1 ")) continue;
    const std::size_t end = line->find(' ', 3);
    Message message{line->substr(3, end - 3), line->substr(end + 1), (*line)[1] == '1'};
    newest_[message.topic] = message.payload;
    return message;
  }
}

bool MqttListener::sees(const std::map<std::string, std::string>& wanted) {
  const auto is_there = [&] {
    for (const auto& [topic, payload] : wanted) {
      const auto found = newest_.find(topic);
      if (found == newest_.end() || found->second != payload) return false;
    }
    return true;
  };
  while (!is_there()) {
    if (!next()) return false;
  }
  return true;
}

bool mqtt_publish(const MqttBroker& broker, const std::string& topic, const std::string& payload,
                  bool retained) {
  std::vector<std::string> command = {kPublisherProgram,
                                      "-h",
                                      "127.0.0.1",
                                      "-p",
                                      std::to_string(broker.port()),
                                      "-q",
                                      "1",
                                      "-t",
                                      topic,
                                      "-m",
                                      payload};
  if (retained) command.emplace_back("-r");
  const TemporaryFolder folder;
  ChildProcess process(command, folder / "out");
  return process.wait() == 0;
}

}  // namespace saccade::test
