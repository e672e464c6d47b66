// A program that reads lines from a Unix socket, as far as it is asked to. Threads: one.
#pragma once

#include <optional>
#include <string>

namespace saccade::test {

class SocketReader {
 public:
  // Tries for a minute until somebody listens.
  explicit SocketReader(const std::string& path);
  ~SocketReader() { close(); }
  SocketReader(const SocketReader&) = delete;
  SocketReader& operator=(const SocketReader&) = delete;

  [[nodiscard]] bool is_connected() const { return file_ >= 0; }
  // Waits for a line at most a minute; nothing: the other side closed the connection.
  [[nodiscard]] std::optional<std::string> line();
  // Whether a line comes within the time, or the connection's end.
  [[nodiscard]] bool has_more(int milliseconds) const;
  // It will only read from now on.
  void say_no_more() const;
  void close();

 private:
  int file_ = -1;
  std::string unread_;
};

}  // namespace saccade::test
