// Where readers of this machine find results: a sink of type "socket", as the configuration says.
// Threads: plain values.
#pragma once

#include <cstddef>
#include <filesystem>

namespace saccade::results {

struct SocketSettings {
  std::filesystem::path path = {};
  unsigned mode = 0660;     // permissions of the socket's file
  int readers = 8;          // connected at a time, at most
  std::size_t queue = 256;  // results that a reader may be behind
  bool operator==(const SocketSettings&) const = default;
};

}  // namespace saccade::results
