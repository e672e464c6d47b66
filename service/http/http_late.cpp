#include "service/http/http_late.hpp"

#include <spdlog/spdlog.h>
#include <boost/asio/post.hpp>
#include <exception>
#include <utility>

#include "base/logfmt.hpp"
#include "runtime/machine/thread_settings.hpp"
#include "service/api/problem.hpp"
#include "service/http/http_session.hpp"

namespace saccade::service {

namespace asio = boost::asio;

namespace {

// The server's thread gives short answers at once; long documents give way to it, pictures to both.
constexpr int kTextsNicer = 1, kFramesNicer = 3;

void be_a_worker(asio::thread_pool& pool, const char* name, int nicer, const std::vector<int>& cpus) {
  asio::post(pool, [name, nicer, cpus] {
    runtime::name_thread(name);
    runtime::pin_to(cpus);
    runtime::set_nice(runtime::thread_id(), runtime::niceness() + nicer);
  });
}

}  // namespace

LateAnswers::LateAnswers(asio::io_context& context, const std::vector<int>& cpus) : context_(context) {
  mailbox_->owner = this;
  be_a_worker(frames_, "saccade-frames", kFramesNicer, cpus);
  be_a_worker(texts_, "saccade-texts", kTextsNicer, cpus);
}

LateAnswers::~LateAnswers() { stop_work(); }

void LateAnswers::begin(std::shared_ptr<HttpSession> session, bool keep_alive, const std::string& what,
                        Response::Worker worker, std::function<void(const Response::Deliver&)> later) {
  const std::uint64_t number = ++last_;
  waiting_[number] = {std::move(session), keep_alive, worker};
  const Response::Deliver deliver = [mailbox = mailbox_, number](std::function<Response()> make) {
    const Lock lock(mailbox->mutex);
    if (mailbox->owner == nullptr) return;
    LateAnswers* owner = mailbox->owner;  // is there as long as its context runs
    asio::post(owner->context_, [owner, number, make = std::move(make)] { owner->deliver(number, make); });
  };
  asio::thread_pool& workers = worker == Response::Worker::texts ? texts_ : frames_;
  asio::post(workers, [later = std::move(later), deliver, what] {
    try {
      later(deliver);
    } catch (const std::exception& failure) {
      spdlog::error("event=api_failure task=- detail={}",
                    log_quoted(what + ": " + std::string(failure.what()).substr(0, kMostSaid)));
      deliver([] { return problem(500, "the service failed at this request; its log tells more"); });
    }
  });
}

void LateAnswers::deliver(std::uint64_t number, const std::function<Response()>& make) {
  const auto waiting = waiting_.extract(number);
  if (!waiting) return;  // it has been answered
  waiting.mapped().session->answer_late(make, waiting.mapped().keep_alive);
}

void LateAnswers::stop_work() {
  for (asio::thread_pool* workers : {&frames_, &texts_}) workers->stop();
  for (asio::thread_pool* workers : {&frames_, &texts_}) workers->join();
  const Lock lock(mailbox_->mutex);
  mailbox_->owner = nullptr;
}

void LateAnswers::refuse_all(const Response& of_frames) {
  const Response of_texts = problem(503, "the service is stopping");
  for (const auto& [number, waiting] : std::exchange(waiting_, {})) {
    const Response& response = waiting.worker == Response::Worker::texts ? of_texts : of_frames;
    waiting.session->answer_late([&response] { return response; }, false);
  }
}

}  // namespace saccade::service
