#include "results/webhook/webhook_sink.hpp"

#include <pthread.h>

#include <algorithm>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "results/bell.hpp"
#include "results/delivery_times.hpp"
#include "results/secret_file.hpp"
#include "results/webhook/http_client.hpp"
#include "results/webhook/signature.hpp"
#include "results/webhook/webhook_session.hpp"

namespace saccade::results {
namespace {

// "https://hub.lan/saccade?key=secret" is called hub.lan.
std::string receiver_of(const std::string& url) {
  const std::size_t mark = url.find("://");
  const std::size_t begin = mark == std::string::npos ? 0 : mark + 3;
  return url.substr(begin, url.find_first_of("/?#", begin) - begin);
}

std::function<double()> webhook_random() {
  return [engine = std::mt19937_64(std::random_device{}())]() mutable {
    return std::uniform_real_distribution<double>(0.0, 1.0)(engine);
  };
}

bool fits_a_header(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

}  // namespace

class WebhookSink::Worker {
 public:
  Worker(WebhookSettings settings, EventSource source, BackOffRule back_off)
      : settings_(std::move(settings)),
        source_(std::move(source)),
        client_(settings_.url, settings_.ca_file),
        session_(receiver_of(settings_.url),
                 {settings_.queue, static_cast<std::size_t>(std::max(1, settings_.batch)),
                  to_duration(settings_.retry), back_off},
                 webhook_random()) {}

  void run();
  bool end();  // false: it did not end in time

  void take(const std::shared_ptr<const Result>& result) {
    {
      const Lock lock(mutex_);
      session_.take(result);
    }
    changed_.notify_one();
  }
  [[nodiscard]] SinkAccount account() const {
    const Lock lock(mutex_);
    return session_.account();
  }

 private:
  using Batch = std::vector<std::shared_ptr<const Result>>;
  void deliver();
  [[nodiscard]] HttpAnswer post(const Batch& batch);
  [[nodiscard]] std::string sign(HttpMessage& message) const;
  [[nodiscard]] bool is_over() const SACCADE_REQUIRES(mutex_);
  void wait() SACCADE_REQUIRES(mutex_);

  const WebhookSettings settings_;
  const EventSource source_;
  const SteadyClock clock_;
  HttpClient client_;  // of the thread alone, but for stop()

  mutable Mutex mutex_;  // never held while anything outside is waited for
  Condition changed_;
  Condition ended_;
  WebhookSession session_ SACCADE_GUARDED_BY(mutex_);
  std::optional<TimePoint> end_by_ SACCADE_GUARDED_BY(mutex_);
  bool has_ended_ SACCADE_GUARDED_BY(mutex_) = false;
};

void WebhookSink::Worker::run() {
  pthread_setname_np(pthread_self(), "saccade-webhook");
  block_broken_pipes();
  deliver();
  const Lock lock(mutex_);
  session_.give_up();
  has_ended_ = true;
  ended_.notify_all();
}

void WebhookSink::Worker::deliver() {
  for (;;) {
    Batch batch;
    {
      const Lock lock(mutex_);
      session_.pass(clock_.now());
      if (is_over()) return;
      if (session_.is_due(clock_.now())) {
        batch = session_.begin(clock_.now());
      } else {
        wait();
      }
    }
    if (batch.empty()) continue;
    HttpAnswer answer = post(batch);
    answer.at = monotonic_now();
    const Lock lock(mutex_);
    session_.answered(answer, clock_.now());
  }
}

bool WebhookSink::Worker::is_over() const {
  if (!end_by_) return false;
  return session_.is_settled() || session_.is_failing() || clock_.now() >= *end_by_;
}

void WebhookSink::Worker::wait() {
  const std::int64_t known = session_.account().taken;
  const bool ending = end_by_.has_value();
  const std::optional<TimePoint> alarm = session_.alarm();
  const auto news = [&]() SACCADE_REQUIRES(mutex_) {
    // What comes while an attempt is waited for changes nothing; what comes while nothing waits has an alarm.
    return end_by_.has_value() != ending ||
           (session_.account().taken != known && (!alarm || session_.is_due(clock_.now())));
  };
  if (!alarm) {
    changed_.wait(mutex_, news);
  } else {
    changed_.wait_for(mutex_, std::max(*alarm - clock_.now(), Duration(0)), news);
  }
}

HttpAnswer WebhookSink::Worker::post(const Batch& batch) {
  HttpMessage message =
      settings_.batch > 1 ? batch_of_events(batch, source_) : single_event(*batch.front(), source_);
  if (std::string trouble = sign(message); !trouble.empty()) return {0, std::move(trouble), {}};
  return client_.post(message, to_duration(settings_.timeout));
}

// Token and key, read for every attempt. What is wrong with their files; empty: nothing.
std::string WebhookSink::Worker::sign(HttpMessage& message) const {
  if (!settings_.token_file.empty()) {
    const saccade::Result<std::string> token = secret_in(settings_.token_file);
    if (!token) return token.errors().front().what;
    if (!fits_a_header(token.value())) {
      return settings_.token_file +
             ": its first line is no token (write one word of letters, digits and marks)";
    }
    message.headers.push_back("Authorization: Bearer " + token.value());
  }
  if (!settings_.hmac_file.empty()) {
    const saccade::Result<std::string> key = secret_in(settings_.hmac_file);
    if (!key) return key.errors().front().what;
    if (key.value().empty()) return settings_.hmac_file + ": its first line is empty (write a key)";
    message.headers.push_back(signature_header(key.value(), message.body));
  }
  return {};
}

bool WebhookSink::Worker::end() {
  const Duration time = to_duration(Seconds(kEndSeconds));
  const auto over = [&]() SACCADE_REQUIRES(mutex_) { return has_ended_; };
  const Lock lock(mutex_);
  end_by_ = clock_.now() + time;
  changed_.notify_one();
  if (ended_.wait_for(mutex_, time, over)) return true;
  client_.stop();
  return ended_.wait_for(mutex_, std::chrono::seconds(1), over);
}

WebhookSink::WebhookSink(WebhookSettings settings, EventSource source, BackOffRule back_off)
    : worker_(std::make_shared<Worker>(std::move(settings), std::move(source), back_off)),
      thread_([worker = worker_] { worker->run(); }) {}

WebhookSink::~WebhookSink() {
  if (worker_->end()) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

void WebhookSink::take(const std::shared_ptr<const Result>& result) { worker_->take(result); }
SinkAccount WebhookSink::account() const { return worker_->account(); }

}  // namespace saccade::results
