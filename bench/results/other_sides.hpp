// The other sides of sinks, for `saccade bench results`: a mosquitto in a process of its own, an HTTP
// receiver and a socket's reader as threads, on ports and in a folder of this run. All end with their
// objects. Threads: one at a time, but for what runs inside. Errors: Result, with what to install.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "bench/bench_folder.hpp"

namespace saccade::bench {

[[nodiscard]] std::uint16_t port_that_is_free();  // of 127.0.0.1

class BenchBroker {
 public:
  // `lets_in`: else it refuses everybody. `cpus`: where it may run. Not yet started.
  BenchBroker(std::filesystem::path folder, bool lets_in, std::vector<int> cpus);
  ~BenchBroker();
  BenchBroker(const BenchBroker&) = delete;
  BenchBroker& operator=(const BenchBroker&) = delete;

  [[nodiscard]] Status start();  // returns when it listens
  void kill();
  void signal(int number) const;
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  const std::filesystem::path folder_;
  const bool lets_in_;
  const std::vector<int> cpus_;
  const std::uint16_t port_;
  pid_t id_ = -1;
};

// takes: answers 204 to every request. hangs: never answers. fails: answers 500. drips: begins an answer of
// which a byte comes each second.
enum class Manner { takes, hangs, fails, drips };

// On one connection at a time.
class BenchReceiver {
 public:
  explicit BenchReceiver(std::vector<int> cpus, Manner manner = Manner::takes);
  ~BenchReceiver();
  BenchReceiver(const BenchReceiver&) = delete;
  BenchReceiver& operator=(const BenchReceiver&) = delete;
  [[nodiscard]] std::string url() const;

 private:
  void serve(int connection);
  // False: the client went away.
  [[nodiscard]] bool answer(int connection);
  const Manner manner_;
  std::uint16_t port_ = 0;  // before the other, which sets it
  int door_ = -1;
  std::atomic<bool> end_{false};
  std::thread thread_;
};

// Reads all that comes at a socket, from when somebody listens on.
class BenchReader {
 public:
  BenchReader(const std::filesystem::path& socket, std::vector<int> cpus);
  ~BenchReader();
  BenchReader(const BenchReader&) = delete;
  BenchReader& operator=(const BenchReader&) = delete;

 private:
  std::atomic<bool> end_{false};
  std::thread thread_;
};

}  // namespace saccade::bench
