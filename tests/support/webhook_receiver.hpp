// An HTTP server of the test's own that results are posted to (webhook_receiver.py). It ends with its object.
// Threads: one. Waiting: for lines that it writes, never for time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/child_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::test {

class WebhookReceiver {
 public:
  // `certificate`, `key`: files; empty: without TLS. Not yet started.
  explicit WebhookReceiver(std::string certificate = "", std::string key = "");

  void start();  // returns when it listens
  void kill();
  void signal(int number) const { process_->signal(number); }
  // What happens to each request from now on: "200", "429 2", "hang", "drip", "close".
  void answer(const std::string& behaviour);

  struct Request {
    std::vector<std::string> ids;
    std::string answer;
    std::string token;  // "-": none
    std::string type;
    std::string has_signature;  // "-": none; "yes": of the key `tiger`; "no": another
  };
  // Waits for the next one; `answer` is empty: it ended.
  [[nodiscard]] Request next();

  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
  std::uint16_t port_;
  std::string certificate_;
  std::string key_;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace saccade::test
