// Results to readers on this machine: a Unix stream socket on which every client receives one record per line
// from its connection on (record.hpp). A reader that is too slow loses results and receives their number in a
// line of its own, {"format":"saccade-lost/1","lost":17}; it delays neither the service nor other readers.
// While the path cannot be bound, results are dropped, the account states the reason, and binding is retried
// once a second. Presence changes are part of the records. Order: as for every Sink; the destructor sends
// what waits, for at most kEndSeconds; the rest has failed. Threads: as Sink says.
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
  struct Out {                                    // output to one reader
    std::string notice = {};                      // about the results it lost
    std::shared_ptr<ReaderRing::Line> line = {};  // whose text is being sent
    std::size_t at = 0;                           // bytes sent, of notice and line together
    bool waits = false;                           // until the socket accepts more
    bool silent = false;                          // the reader has shut down its sending side
  };

  void run();
  void listen();
  void wait();
  void welcome();
  void serve(int reader, Out& out);  // until the socket accepts no more
  [[nodiscard]] bool fill(int reader, Out& out);
  void part_with(int reader);
  [[nodiscard]] bool is_over();

  const std::string node_;
  const SteadyClock clock_;
  const Bell bell_;
  ListeningSocket door_;                 // used by the thread only
  std::optional<TimePoint> try_again_;   // used by the thread only; absent: it listens
  std::optional<TimePoint> full_until_;  // used by the thread only; out of descriptors until then
  std::map<int, Out> readers_;           // used by the thread only, by descriptor
  std::vector<int> leaving_;             // used by the thread only
  mutable Mutex mutex_;                  // never held while sending
  ReaderRing ring_ SACCADE_GUARDED_BY(mutex_);
  std::optional<TimePoint> end_by_ SACCADE_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace saccade::results
