// `saccade run` as it is, in a process of its own: what is attacked and measured shares nothing with who
// attacks and measures.
// Order: start() returns when every task is served; stop() once, or the destructor kills.
// Threads: const members any, until stop(). Errors: Result, with what the service said.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "base/quantity.hpp"
#include "base/result.hpp"
#include "bench/service/connection.hpp"

namespace saccade::bench {

class ServiceProcess {
 public:
  // `config` listens on a port of 127.0.0.1 that is free.
  [[nodiscard]] static Result<std::unique_ptr<ServiceProcess>> start(const std::filesystem::path& config);
  ~ServiceProcess();
  ServiceProcess(const ServiceProcess&) = delete;
  ServiceProcess& operator=(const ServiceProcess&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  // On a connection of its own; tries again while the service is crowded.
  [[nodiscard]] Result<HttpAnswer> ask(std::string_view method, std::string_view target,
                                       std::string_view body = {}) const;
  [[nodiscard]] Result<nlohmann::json> document(std::string_view target) const;

  [[nodiscard]] bool runs() const;
  [[nodiscard]] std::optional<Bytes> resident_memory() const;

  // Ends it: the summary of the run. An error when it had ended before, or not in good order.
  [[nodiscard]] Result<nlohmann::json> stop();

 private:
  ServiceProcess(pid_t id, int out, int errors) : id_(id), out_(out), errors_(errors) {}
  // Waits for a line of the log; absent: it ended without.
  [[nodiscard]] std::optional<std::string> line_with(std::string_view part);
  void read_on();  // so that no pipe fills up

  pid_t id_;
  int out_;
  int errors_;
  std::string said_;
  std::string summary_;
  std::uint16_t port_ = 0;
  std::thread out_reader_;
  std::thread errors_reader_;
};

}  // namespace saccade::bench
