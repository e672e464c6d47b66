// Results to readers of this machine: a Unix stream socket at which everyone who connects reads one record
// per line from then on (record.hpp). A reader that is too slow loses results and reads how many in a line of
// its own, {"format":"saccade-lost/1","lost":17}; it holds up neither the service nor another reader. While
// the path cannot be listened at, results are dropped, the account says why, and it is tried again once a
// second. Changes of presence stand in the records. Order: as for every Sink; the destructor gives readers
// what waits, for at most kEndSeconds; what is left has failed. Threads: as Sink says.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "results/bell.hpp"
#include "results/sink.hpp"
#include "results/socket/listening_socket.hpp"
#include "results/socket/reader_ring.hpp"
#include "results/socket_settings.hpp"

namespace saccade::results {

class SocketSink final : public Sink {
 public:
  static constexpr double kEndSeconds = 1.0;

  SocketSink(const SocketSettings& settings, std::string node);
  ~SocketSink() override;
  SocketSink(const SocketSink&) = delete;
  SocketSink& operator=(const SocketSink&) = delete;

  void take(const std::shared_ptr<const Result>& result) override;
  void take(const PresenceChange&) override {}
  void tell(const TaskState&) override {}
  void task_is_there(const std::string&) override {}
  void task_is_gone(const std::string&) override {}
  [[nodiscard]] SinkAccount account() const override;

 private:
  struct Out {                                    // of one reader
    std::string notice = {};                      // of what it lost
    std::shared_ptr<ReaderRing::Line> line = {};  // whose text is being sent
    std::size_t at = 0;                           // bytes sent, of both
    bool waits = false;                           // until it takes more
    bool silent = false;                          // it said that it will say nothing more
  };

  void run();
  void listen();
  void wait();
  void welcome();
  void serve(int reader, Out& out);  // until it takes no more
  [[nodiscard]] bool fill(int reader, Out& out);
  void part_with(int reader);
  [[nodiscard]] bool is_over();

  const std::string node_;
  const SteadyClock clock_;
  const Bell bell_;
  ListeningSocket door_;                 // the thread's alone
  std::optional<TimePoint> try_again_;   // the thread's alone; absent: it listens
  std::optional<TimePoint> full_until_;  // the thread's alone: no descriptor for another reader
  std::map<int, Out> readers_;           // the thread's alone, by descriptor
  std::vector<int> leaving_;             // the thread's alone
  mutable Mutex mutex_;                  // never held while anything is sent
  ReaderRing ring_ SACCADE_GUARDED_BY(mutex_);
  std::optional<TimePoint> end_by_ SACCADE_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace saccade::results
