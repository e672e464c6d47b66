// Deferred responses: the sessions that wait for one, the thread on which requests are parsed and pictures
// decoded, the one on which long texts are made, and the way back to the server's thread. A waiting session
// delays only its own client. The code that answers never touches a session, because session and server may
// have ended by then.
//
// Call order: begin() as often as wanted; stop_work(), then refuse_all() on the server's thread, and drop()
// once that has ended.
// Threads: begin() and refuse_all() on the server's, two of its own for the work, restricted to `cpus` and
// nicer than the server's; answers from any. Errors: an answer that comes too late is discarded.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "service/api/message.hpp"

namespace saccade::service {

class HttpSession;

inline constexpr std::size_t kMostSaid = 200;  // of an exception, in the log: it may contain client data

class LateAnswers {
 public:
  LateAnswers(boost::asio::io_context& context, const std::vector<int>& cpus);
  ~LateAnswers();
  LateAnswers(const LateAnswers&) = delete;
  LateAnswers& operator=(const LateAnswers&) = delete;

  // `what`: the request, for the log. `worker` and `later` as in Response.
  void begin(std::shared_ptr<HttpSession> session, bool keep_alive, const std::string& what,
             Response::Worker worker, std::function<void(const Response::Deliver&)> later);

  void stop_work();  // waits for what is in progress; the rest is cancelled
  void refuse_all(const Response& of_frames);
  void drop() { waiting_.clear(); }

 private:
  struct Waiting {
    std::shared_ptr<HttpSession> session;
    bool keep_alive = false;
    Response::Worker worker = Response::Worker::frames;
  };
  struct Mailbox {  // outlives the server while an answer is pending
    Mutex mutex;
    LateAnswers* owner SACCADE_GUARDED_BY(mutex) = nullptr;  // null: the server has ended
  };
  void deliver(std::uint64_t number, const std::function<Response()>& make);

  boost::asio::io_context& context_;
  const std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::map<std::uint64_t, Waiting> waiting_;
  std::uint64_t last_ = 0;
  boost::asio::thread_pool frames_{1};
  boost::asio::thread_pool texts_{1};
};

}  // namespace saccade::service
