// A sink of type "socket", which serves results to readers on this machine, as configured.
// Threads: plain values.
#pragma once

#include <cstddef>
#include <filesystem>

namespace saccade::results {

struct SocketSettings {
  std::filesystem::path path = {};
  unsigned mode = 0660;     // permissions of the socket's file
  int readers = 8;          // maximum number of concurrent readers
  std::size_t queue = 256;  // results that a reader may lag behind
  bool operator==(const SocketSettings&) const = default;
};

}  // namespace saccade::results
