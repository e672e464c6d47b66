// How a box of a fleet stands to its store, for status, metrics and readiness; and where tasks went. Threads:
// plain value.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace saccade::service {

struct FleetFacts {
  bool connected = false;                // it holds its lease and follows its assignment
  std::optional<double> assignment_age;  // s since that was last known to be the store's
  std::optional<double> store_age;       // s since the store last answered a request of the box
  std::size_t cameras = 0;               // that it serves for the fleet
  std::string fault;                     // of the store; empty: connected, or nothing is known
  std::string note;                      // the saved assignment: that it is damaged, or cannot be written
};

// A task that the box had until lately, and another box of its fleet serves.
struct MovedTask {
  std::string box;
  std::string api;  // of that box: "http://10.0.0.7:8080"; empty: not known
};

}  // namespace saccade::service
