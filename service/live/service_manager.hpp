// Notifications to the service manager (systemd, Type=notify): that the service is ready, that it is alive
// (its watchdog), and that it is stopping. Without a service manager every call does nothing.
//
// Call alive() from the main loop, at least once per interval(): if the main loop hangs, the notifications
// stop, and the manager restarts the service.
// Threads: any. Errors: none; the service continues if the manager does not listen.
#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"

namespace saccade::service {

class ServiceManager {
 public:
  ServiceManager();

  [[nodiscard]] bool listens() const { return listens_; }
  // Half of the manager's watchdog time; absent: the watchdog is off.
  [[nodiscard]] std::optional<Duration> interval() const { return interval_; }

  void ready(const std::string& status) const;  // serving; `status`: one line for `systemctl status`
  void alive(const std::string& status) const;
  void stopping() const;

 private:
  bool listens_;
  std::optional<Duration> interval_;
};

}  // namespace saccade::service
