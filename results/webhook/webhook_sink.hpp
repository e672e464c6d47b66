// Results to a receiver by HTTP POST (docs/results-delivery.md): executes the session's decisions on a thread
// of its own. No hand-over waits for the receiver, its name server or the disk. Presence changes are part of
// the records.
// Order: construct, then as for every Sink. The destructor sends what waits, for at most kEndSeconds; the
// rest has failed. Threads: as Sink says.
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "results/back_off.hpp"
#include "results/sink.hpp"
#include "results/webhook/cloud_events.hpp"
#include "results/webhook_settings.hpp"

namespace saccade::results {

class WebhookSink final : public Sink {
 public:
  static constexpr double kEndSeconds = 2.0;

  WebhookSink(WebhookSettings settings, EventSource source, BackOffRule back_off = {});
  ~WebhookSink() override;
  WebhookSink(const WebhookSink&) = delete;
  WebhookSink& operator=(const WebhookSink&) = delete;

  void take(const std::shared_ptr<const Result>& result) override;
  void take(const PresenceChange&) override {}
  void tell(const TaskState&) override {}
  void task_is_there(const std::string&) override {}
  void task_is_gone(const std::string&) override {}
  [[nodiscard]] SinkAccount account() const override;

 private:
  class Worker;
  std::shared_ptr<Worker> worker_;  // outlives the sink if its thread is blocked
  std::thread thread_;
};

}  // namespace saccade::results
