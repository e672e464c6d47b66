// A Unix stream socket that listens at a path. The file of an earlier program, at which nobody listens any
// more, is removed; one at which somebody does is left alone and is an error. Ending it removes its own file,
// unless another one lies there by now. Threads: one at a time. Errors: with the path and what to do.
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
  [[nodiscard]] int file() const { return file_; }  // to be polled
  [[nodiscard]] int accept() const;                 // does not block; -1: nobody

 private:
  [[nodiscard]] Error failure(const std::string& what, const std::string& hint) const;
  [[nodiscard]] Status make_room() const;

  const std::filesystem::path path_;
  const unsigned mode_;
  int file_ = -1;
  dev_t device_ = 0;  // of the file that it made
  ino_t inode_ = 0;
};

}  // namespace saccade::results
