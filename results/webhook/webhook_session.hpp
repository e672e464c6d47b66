// One receiver over time, without sockets: which results are posted together, what its response means for
// them, and when to retry. One request at a time; at most `queue` results wait, then the oldest is dropped.
//   2xx                   sent
//   429, 5xx, no response retried after a back-off, not before Retry-After; the results fail `retry` after
//   the
//                         first attempt
//   any other             failed; the next request waits for the same back-off, so that a receiver that
//                         refuses everything does not get a request for every result
// A batch that is retried is unchanged, so that a receiver can recognise duplicates by their ids. Time and
// randomness are arguments. Threads: one at a time. Errors: the last one in account().fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "results/back_off.hpp"
#include "results/sink.hpp"

namespace saccade::results {

struct WebhookRule {
  std::size_t queue = 256;
  std::size_t batch = 1;
  Duration retry = std::chrono::seconds(300);
  BackOffRule back_off = {};
};

struct HttpAnswer {
  int status = 0;           // 0: no response
  std::string words = {};   // the reason if there was none
  Duration retry_after{0};  // requested by the receiver
  Duration at{0};           // when it arrived, by the clock of Result::ended
};

class WebhookSession {
 public:
  using Item = std::shared_ptr<const Result>;

  // `receiver`: its name in faults. `uniform`: a number in [0, 1).
  WebhookSession(std::string receiver, WebhookRule rule, std::function<double()> uniform);

  void take(Item result);
  void pass(TimePoint now);  // fails what has been retried for too long
  [[nodiscard]] bool is_due(TimePoint now) const;
  // When something becomes due or fails, unless results arrive; nothing: never, or a request is in progress.
  [[nodiscard]] std::optional<TimePoint> alarm() const;
  // What to post now, if is_due(); followed by answered().
  [[nodiscard]] const std::vector<Item>& begin(TimePoint now);
  void answered(const HttpAnswer& answer, TimePoint now);

  [[nodiscard]] bool is_settled() const { return queue_.empty() && batch_.empty(); }
  // The batch has to be posted again.
  [[nodiscard]] bool is_failing() const { return !under_way_ && !batch_.empty(); }
  void give_up();  // fails all waiting results
  [[nodiscard]] SinkAccount account() const { return account_; }

 private:
  void settle_batch(std::int64_t SinkAccount::*outcome);
  void set_sent(Duration at);

  const std::string receiver_;
  const WebhookRule rule_;
  const std::function<double()> uniform_;
  BackOff back_off_;
  std::deque<Item> queue_;
  std::vector<Item> batch_;  // in hand: posted, or to be posted again
  bool under_way_ = false;
  TimePoint next_{};     // earliest next attempt
  TimePoint give_up_{};  // when the batch in hand fails
  SinkAccount account_;
};

}  // namespace saccade::results
