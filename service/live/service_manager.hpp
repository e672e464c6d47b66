// What the service manager (systemd, Type=notify) is told: that the service is ready, that it is still
// alive (its watchdog), and that it is going down. Without a service manager every call does nothing.
//
// alive() is to be called from the main loop, at least once per interval(): then a main loop that
// hangs is a missing sign of life, and the manager restarts the service.
// Threads: any. Errors: none; a manager that does not listen is no reason to stop serving.
#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"

namespace saccade::service {

class ServiceManager {
 public:
  ServiceManager();

  [[nodiscard]] bool listens() const { return listens_; }
  // Half of the time after which the manager misses a sign of life; absent: it expects none.
  [[nodiscard]] std::optional<Duration> interval() const { return interval_; }

  void ready(const std::string& status) const;  // serving; `status`: one line for `systemctl status`
  void alive(const std::string& status) const;
  void stopping() const;

 private:
  bool listens_;
  std::optional<Duration> interval_;
};

}  // namespace saccade::service
