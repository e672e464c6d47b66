// The plainest client there is: bytes over a socket, so that a test can send what no library would.
// Waits are for the other side to answer or close; none is a sleep.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "service/api/access.hpp"

namespace saccade::test {

struct HttpReply {
  int status = 0;                              // 0: the connection was closed without an answer
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

class HttpClient {
 public:
  explicit HttpClient(const config::ListenAddress& address);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // What the other side does not want any more is not sent.
  void send(const std::string& bytes);
  void send_no_more();
  [[nodiscard]] HttpReply reply(bool has_body = true);
  [[nodiscard]] std::string line();  // without its end; empty at the end of the stream, too
  [[nodiscard]] bool closed();       // waits until something comes or the other side closes

  // A whole request with the headers that are needed.
  HttpReply ask(const std::string& method, const std::string& target, const std::string& body = {},
                const std::string& headers = {});

 private:
  [[nodiscard]] bool receive();  // more bytes

  int socket_ = -1;
  std::string received_;
};

}  // namespace saccade::test
