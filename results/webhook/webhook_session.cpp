#include "results/webhook/webhook_session.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace saccade::results {
namespace {

constexpr int kTooManyRequests = 429;

bool is_good(int status) { return status >= 200 && status < 300; }
bool is_for_later(int status) { return status == 0 || status == kTooManyRequests || status >= 500; }

std::string fault_of(const std::string& receiver, const HttpAnswer& answer) {
  if (answer.status == 0) return "no answer from " + receiver + ": " + answer.words;
  std::string fault = receiver + " answers " + std::to_string(answer.status);
  if (is_for_later(answer.status)) return fault;
  fault += ": results are refused";
  if (answer.status >= 300 && answer.status < 400)
    return fault + " (redirects are not followed: write the final address)";
  if (answer.status == 401 || answer.status == 403) fault += " (correct the token in `token_file`)";
  return fault;
}

}  // namespace

WebhookSession::WebhookSession(std::string receiver, WebhookRule rule, std::function<double()> uniform)
    : receiver_(std::move(receiver)), rule_(rule), uniform_(std::move(uniform)), back_off_(rule.back_off) {
  account_.connected = true;  // until something else is known
}

void WebhookSession::take(Item result) {
  ++account_.taken;
  ++account_.waiting;
  queue_.push_back(std::move(result));
  if (queue_.size() <= std::max<std::size_t>(1, rule_.queue)) return;
  queue_.pop_front();
  --account_.waiting;
  ++account_.dropped;
}

void WebhookSession::settle_batch(std::int64_t SinkAccount::*outcome) {
  const auto count = static_cast<std::int64_t>(batch_.size());
  account_.*outcome += count;
  account_.waiting -= count;
  batch_.clear();
}

void WebhookSession::pass(TimePoint now) {
  if (!under_way_ && !batch_.empty() && now >= give_up_) settle_batch(&SinkAccount::failed);
}

bool WebhookSession::is_due(TimePoint now) const { return !under_way_ && !is_settled() && now >= next_; }

std::optional<TimePoint> WebhookSession::alarm() const {
  if (under_way_ || is_settled()) return std::nullopt;
  return batch_.empty() ? next_ : std::min(next_, give_up_);
}

const std::vector<WebhookSession::Item>& WebhookSession::begin(TimePoint now) {
  SACCADE_CHECK(is_due(now));
  if (batch_.empty()) {
    const std::size_t count = std::min(queue_.size(), std::max<std::size_t>(1, rule_.batch));
    for (std::size_t i = 0; i < count; ++i) {
      batch_.push_back(std::move(queue_.front()));
      queue_.pop_front();
    }
    give_up_ = now + rule_.retry;
  }
  under_way_ = true;
  return batch_;
}

void WebhookSession::answered(const HttpAnswer& answer, TimePoint now) {
  SACCADE_CHECK(under_way_);
  under_way_ = false;
  account_.connected = is_good(answer.status);
  account_.fault = account_.connected ? "" : fault_of(receiver_, answer);
  if (account_.connected) {
    next_ = now;
    back_off_.reset();
    set_sent(answer.at);
    return;
  }
  const Duration asked = std::min(answer.retry_after, rule_.retry);
  next_ = now + std::max(back_off_.next(uniform_()), asked);
  if (!is_for_later(answer.status)) settle_batch(&SinkAccount::failed);
}

void WebhookSession::set_sent(Duration at) {
  for (const Item& result : batch_) account_.delivered.add(at - result->ended);
  settle_batch(&SinkAccount::sent);
}

void WebhookSession::give_up() {
  under_way_ = false;
  settle_batch(&SinkAccount::failed);
  account_.failed += static_cast<std::int64_t>(queue_.size());
  account_.waiting -= static_cast<std::int64_t>(queue_.size());
  queue_.clear();
}

}  // namespace saccade::results
