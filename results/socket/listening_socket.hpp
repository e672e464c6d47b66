// A Unix stream socket that listens at a path. A stale socket file, on which no process listens, is removed;
// if a process does listen, the file is left alone and an error returned. The destructor removes its own file
// unless it has been replaced. Threads: one at a time. Errors: with the path and what to do.
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "base/result.hpp"
#include "results/socket_settings.hpp"

namespace saccade::results {

class ListeningSocket {
 public:
  explicit ListeningSocket(const SocketSettings& settings) : path_(settings.path), mode_(settings.mode) {}
  ~ListeningSocket() { close(); }
  ListeningSocket(const ListeningSocket&) = delete;
  ListeningSocket& operator=(const ListeningSocket&) = delete;

  [[nodiscard]] Status open();
  void close();
  [[nodiscard]] bool is_open() const { return file_ >= 0; }
  [[nodiscard]] int file() const { return file_; }  // for poll()
  [[nodiscard]] int accept() const;                 // non-blocking; -1: no connection pending

 private:
  [[nodiscard]] Error failure(const std::string& what, const std::string& hint) const;
  [[nodiscard]] Status make_room() const;

  const std::filesystem::path path_;
  const unsigned mode_;
  int file_ = -1;
  dev_t device_ = 0;  // of the file it created
  ino_t inode_ = 0;
};

}  // namespace saccade::results
