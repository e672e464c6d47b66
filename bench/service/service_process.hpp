// `saccade run` as it is, in a process of its own: what is attacked and measured shares nothing with who
// attacks and measures.
// Order: start() returns when every task is served; stop() once, or the destructor kills.
// Threads: const members any, until stop(). Errors: Result, with what the service said.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/quantity.hpp"
#include "base/result.hpp"
#include "bench/service/connection.hpp"
#include "bench/watched_process.hpp"

namespace saccade::bench {

class ServiceProcess {
 public:
  // `config` listens on a port of 127.0.0.1 that is free.
  [[nodiscard]] static Result<std::unique_ptr<ServiceProcess>> start(const std::filesystem::path& config);
  [[nodiscard]] std::uint16_t port() const { return port_; }
  // On a connection of its own; tries again while the service is crowded.
  [[nodiscard]] Result<HttpAnswer> ask(std::string_view method, std::string_view target,
                                       std::string_view body = {}) const;
  [[nodiscard]] Result<nlohmann::json> document(std::string_view target) const;

  [[nodiscard]] pid_t id() const { return process_->id(); }
  [[nodiscard]] bool runs() const { return process_->runs(); }
  [[nodiscard]] std::optional<Bytes> resident_memory() const;

  // Ends it: the summary of the run. An error when it had ended before, or not in good order.
  [[nodiscard]] Result<nlohmann::json> stop();

 private:
  explicit ServiceProcess(std::unique_ptr<WatchedProcess> process) : process_(std::move(process)) {}

  std::unique_ptr<WatchedProcess> process_;
  std::uint16_t port_ = 0;
};

}  // namespace saccade::bench
