// One TCP connection to a service on this machine, as an attacker or an honest client uses it: bytes go
// out, answers come in and are held to the form of HTTP/1.1. What no library would send can be sent.
// Threads: one at a time. Errors: values; a connection that cannot be made has nothing to read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace saccade::bench {

struct HttpAnswer {
  int status = 0;
  std::map<std::string, std::string> headers = {};  // names in lower case
  std::string body = {};
};

enum class Reading { answer, incomplete, malformed };
// Takes the first answer from `bytes`; bodies by their Content-Length. Malformed: no service may say that.
[[nodiscard]] Reading take_answer(std::string& bytes, HttpAnswer& answer);

class Connection {
 public:
  explicit Connection(std::uint16_t port);  // of 127.0.0.1
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] bool is_open() const { return socket_ >= 0; }
  // False: the other side does not want any more.
  bool send(std::string_view bytes);
  void send_no_more();
  // Closes such that the other side sees a broken connection.
  void abandon();

  // The next answer; nothing: closed, malformed, or `patience` is over.
  [[nodiscard]] std::optional<HttpAnswer> answer(Duration patience);
  // Every byte until the other side closes; nothing: it did not within `patience`.
  [[nodiscard]] std::optional<std::string> rest(Duration patience);
  // Without waiting; false: closed.
  bool receive_what_is_there();
  [[nodiscard]] const std::string& received() const { return received_; }

 private:
  [[nodiscard]] bool receive(int flags);

  int socket_ = -1;
  std::string received_;
};

// A request with the headers that are needed; `body` is JSON, empty: none.
[[nodiscard]] std::string plain_request(std::string_view method, std::string_view target,
                                        std::string_view body = {});

}  // namespace saccade::bench
