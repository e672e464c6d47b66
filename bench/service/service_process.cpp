#include "bench/service/service_process.hpp"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <utility>

namespace saccade::bench {
namespace {

constexpr Duration kDocumentPatience = std::chrono::seconds(10);
constexpr int kTries = 50;  // while it is crowded
constexpr std::chrono::milliseconds kBetweenTries(20);

}  // namespace

Result<std::unique_ptr<ServiceProcess>> ServiceProcess::start(const std::filesystem::path& config) {
  const std::string program = own_saccade();
  auto started = WatchedProcess::start({program, "run", config.string(), "--json"});
  if (!started) return started.errors();
  std::unique_ptr<ServiceProcess> service(new ServiceProcess(std::move(started).value()));
  WatchedProcess& process = *service->process_;
  const auto serving = process.line_with("event=serving");
  const auto ready = serving ? process.line_with("event=transition_end") : std::nullopt;
  if (!ready) return Error{program, "did not begin to serve: " + process.said(), "build the target saccade"};
  const std::size_t colon = serving->rfind(':');
  service->port_ = static_cast<std::uint16_t>(std::atoi(serving->c_str() + colon + 1));
  process.read_on();
  return service;
}

Result<HttpAnswer> ServiceProcess::ask(std::string_view method, std::string_view target,
                                       std::string_view body) const {
  std::optional<HttpAnswer> answer;
  for (int i = 0; i < kTries && (!answer || answer->status == 503) && runs(); ++i) {
    if (i > 0) std::this_thread::sleep_for(kBetweenTries);
    Connection connection(port_);
    connection.send(plain_request(method, target, body));
    answer = connection.answer(kDocumentPatience);
  }
  if (!answer) return Error{std::string(target), "the service does not answer", ""};
  return *std::move(answer);
}

Result<nlohmann::json> ServiceProcess::document(std::string_view target) const {
  const Result<HttpAnswer> answer = ask("GET", target);
  if (!answer) return answer.errors();
  nlohmann::json json = nlohmann::json::parse(answer.value().body, nullptr, false);
  if (answer.value().status != 200 || json.is_discarded()) {
    return Error{std::string(target), "no document came: " + answer.value().body, ""};
  }
  return json;
}

std::optional<Bytes> ServiceProcess::resident_memory() const {
  std::ifstream file("/proc/" + std::to_string(process_->id()) + "/status");
  constexpr double kKibibyte = 1024.0;
  for (std::string key; file >> key;) {
    double value = 0.0;
    if (key == "VmRSS:" && file >> value) return Bytes(value * kKibibyte);
    std::getline(file, key);
  }
  return std::nullopt;
}

Result<nlohmann::json> ServiceProcess::stop() {
  const Result<std::string> written = process_->stop();
  if (!written) return written.errors();
  nlohmann::json summary = nlohmann::json::parse(written.value(), nullptr, false);
  if (summary.is_discarded()) return Error{"saccade run", "wrote no summary: " + written.value(), ""};
  return summary;
}

}  // namespace saccade::bench
