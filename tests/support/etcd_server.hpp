// An etcd of the test's own: one member on free ports of this machine, in a folder that goes with it. Its
// processes end with the object. Threads: one. Waiting: for lines that the program writes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/child_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::test {

// Why there is none on this machine; empty: there is.
[[nodiscard]] std::string no_etcd();

class EtcdServer {
 public:
  // `options`: further ones. With "--cert-file" among them it speaks TLS.
  explicit EtcdServer(std::vector<std::string> options = {});

  void start();  // returns when it answers
  void kill();   // hard
  void signal(int number) const { process_->signal(number); }
  // Runs etcdctl on it; what it writes on standard output, absent if it fails.
  [[nodiscard]] std::optional<std::string> control(std::vector<std::string> arguments) const;

  [[nodiscard]] std::string url() const;
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }

 private:
  std::vector<std::string> options_;
  bool tls_ = false;
  std::uint16_t port_;
  std::uint16_t peer_port_;
  TemporaryFolder folder_;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace saccade::test
