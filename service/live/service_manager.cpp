#include "service/live/service_manager.hpp"

#include <systemd/sd-daemon.h>

#include <cstdlib>

namespace saccade::service {

ServiceManager::ServiceManager() : listens_(std::getenv("NOTIFY_SOCKET") != nullptr) {
  std::uint64_t microseconds = 0;
  if (sd_watchdog_enabled(0, &microseconds) > 0) {
    interval_ = std::chrono::microseconds(microseconds) / 2;
  }
}

void ServiceManager::ready(const std::string& status) const {
  sd_notify(0, ("READY=1\nSTATUS=" + status).c_str());
}

void ServiceManager::alive(const std::string& status) const {
  sd_notify(0, ("WATCHDOG=1\nSTATUS=" + status).c_str());
}

void ServiceManager::stopping() const { sd_notify(0, "STOPPING=1\nSTATUS=finishing frames in flight"); }

}  // namespace saccade::service
