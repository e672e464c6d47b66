#include "tests/support/webhook_receiver.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "tests/support/free_port.hpp"

namespace saccade::test {

WebhookReceiver::WebhookReceiver(std::string certificate, std::string key)
    : port_(free_port()), certificate_(std::move(certificate)), key_(std::move(key)) {
  answer("204");
}

void WebhookReceiver::answer(const std::string& behaviour) {
  const std::string file = folder_ / "behaviour";
  std::ofstream(file + ".new") << behaviour;
  std::filesystem::rename(file + ".new", file);
}

void WebhookReceiver::start() {
  std::vector<std::string> command;
  command.emplace_back("/usr/bin/python3");
  command.emplace_back(SACCADE_SOURCE_DIR "/tests/support/webhook_receiver.py");
  command.push_back(std::to_string(port_));
  command.push_back(folder_ / "behaviour");
  if (!certificate_.empty()) {
    command.push_back(certificate_);
    command.push_back(key_);
  }
  process_ = std::make_unique<ChildProcess>(command, folder_ / "receiver.out");
  process_->must_say("listening");
}

void WebhookReceiver::kill() {
  process_->signal(SIGKILL);
  process_->wait();
  process_.reset();
}

WebhookReceiver::Request WebhookReceiver::next() {
  Request request;
  const std::optional<std::string> line = process_->line_with("POST ");
  if (!line) return request;
  std::istringstream words(*line);
  std::string post;
  std::string ids;
  words >> post >> ids >> request.answer >> request.token >> request.type >> request.has_signature;
  std::istringstream list(ids);
  for (std::string id; std::getline(list, id, ',');) request.ids.push_back(id);
  return request;
}

std::string WebhookReceiver::url() const {
  return std::string(certificate_.empty() ? "http" : "https") + "://127.0.0.1:" + std::to_string(port_) +
         "/saccade";
}

}  // namespace saccade::test
