#include "service/live/result_session.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/mutex.hpp"
#include "results/file_sink.hpp"
#include "results/mqtt/mqtt_sink.hpp"
#include "results/record.hpp"
#include "results/socket/socket_sink.hpp"
#include "results/webhook/webhook_sink.hpp"
#include "runtime/machine/thread_settings.hpp"
#include "service/live/api_sink.hpp"
#include "service/live/seen_objects.hpp"

namespace saccade::service {

std::unique_ptr<results::Sink> make_sink(const results::SinkSettings& sink, const std::string& node,
                                         LabelsOfTask labels) {
  if (const auto* file = std::get_if<results::FileSettings>(&sink.kind)) {
    return std::make_unique<results::FileSink>(*file, node);
  }
  if (const auto* webhook = std::get_if<results::WebhookSettings>(&sink.kind)) {
    return std::make_unique<results::WebhookSink>(*webhook,
                                                  results::EventSource{node, results::random_boot()});
  }
  if (const auto* socket = std::get_if<results::SocketSettings>(&sink.kind)) {
    return std::make_unique<results::SocketSink>(*socket, node);
  }
  results::MqttContext context;
  context.node = node;
  context.version = SACCADE_VERSION;
  context.record = [node](const results::Result& result) { return results::record_of(result, node); };
  context.labels = std::move(labels);
  return std::make_unique<results::MqttSink>(std::get<results::MqttSettings>(sink.kind), std::move(context));
}

TaskLabels labels_of(const runtime::RunConfig& config) {
  TaskLabels labels;
  for (const scheduler::Task& task : config.timeline.front().snapshot.tasks)
    labels[task.id.str()] = task.profiles->labels;
  return labels;
}

class ResultSession::Labels {
 public:
  void set(TaskLabels tasks) {
    const Lock lock(mutex_);
    of_ = std::move(tasks);
  }
  [[nodiscard]] std::vector<std::string> passing(const std::string& task,
                                                 const results::FilterRule& filter) const {
    const Lock lock(mutex_);
    const auto found = of_.find(task);
    if (found == of_.end()) return {};
    std::vector<std::string> labels = found->second;
    std::erase_if(labels, [&](const std::string& label) { return !filter.wants_label(label); });
    return labels;
  }

 private:
  mutable Mutex mutex_;
  TaskLabels of_ SACCADE_GUARDED_BY(mutex_);
};

// Kept by workers that were left behind, and with it the relay that they put into.
class ResultSession::Tap final : public runtime::ResultListener {
 public:
  Tap(std::vector<std::string> processors, std::vector<results::Relay::Channel> channels, ResultViews views)
      : views_(std::move(views)), relay(std::move(processors), std::move(channels), clock_) {}

  void seen(const runtime::SeenFrame& frame) override {
    if (views_.snapshots != nullptr && frame.kept != nullptr) {
      views_.snapshots->offer(frame.task.id.str(), static_cast<std::int64_t>(frame.number), *frame.kept,
                              views_.clock->now());
    }
    relay.put([&](results::Sighting& place) {
      place.task = frame.task.id.str();
      place.profiles = frame.task.profiles;
      place.variant = frame.variant;
      place.processor = frame.processor;
      place.frame = static_cast<std::int64_t>(frame.number);
      place.generation = static_cast<std::int64_t>(frame.generation);
      const bool known = frame.captured_monotonic.count() != 0;
      place.captured_monotonic = known ? frame.captured_monotonic : frame.ended;
      place.captured_wall = frame.captured_wall;
      place.captured_by =
          frame.captured_by_camera ? results::CapturedBy::camera : results::CapturedBy::arrival;
      place.width = frame.picture != nullptr ? frame.picture->frame_width : 0;
      place.height = frame.picture != nullptr ? frame.picture->frame_height : 0;
      place.latency = frame.inference;
      place.age = frame.ended - place.captured_monotonic;
      take_objects(frame, place.objects);
    });
  }

 private:
  const SteadyClock clock_;
  const ResultViews views_;

 public:
  results::Relay relay;
};

std::unique_ptr<ResultSession> ResultSession::open(const results::ResultsSettings& settings,
                                                   const runtime::RunConfig& config,
                                                   const ResultViews& views) {
  std::vector<std::string> processors;
  std::vector<int> workers;
  for (const runtime::ProcessorConfig& processor : config.processors) {
    processors.push_back(processor.id.str());
    workers.insert(workers.end(), processor.cpus.begin(), processor.cpus.end());
  }
  // The threads that are started here inherit where they may run.
  const std::vector<int> before = runtime::allowed_cpus();
  runtime::pin_to(runtime::other_cpus(before, workers));
  const auto labels = std::make_shared<Labels>();
  std::vector<results::Relay::Channel> channels;
  for (const results::SinkSettings& each : settings.sinks) {
    auto passing = [labels, filter = each.filter](const std::string& task) {
      return labels->passing(task, filter);
    };
    channels.push_back({each.id, each.type(), each.filter, make_sink(each, settings.node, std::move(passing)),
                        each.presence});
  }
  if (views.feed != nullptr) {
    channels.push_back({"", "api", {}, std::make_unique<ApiSink>(views.feed, views.snapshots, *views.clock)});
  }
  std::unique_ptr<ResultSession> session(
      new ResultSession(labels, std::make_shared<Tap>(std::move(processors), std::move(channels), views)));
  session->named_sinks_ = settings.sinks.size();
  session->tap_->relay.run();
  runtime::pin_to(before);
  session->set_tasks(labels_of(config));
  return session;
}

ResultSession::ResultSession(std::shared_ptr<Labels> labels, std::shared_ptr<Tap> tap)
    : labels_(std::move(labels)), tap_(std::move(tap)) {}
ResultSession::~ResultSession() { end(); }

std::shared_ptr<runtime::ResultListener> ResultSession::listener() const { return tap_; }

void ResultSession::tell(const runtime::RunStatus& status) {
  for (const results::TaskState& state : states_.news(status)) tap_->relay.tell(state);
}

void ResultSession::set_tasks(const TaskLabels& tasks) {
  labels_->set(tasks);  // before the sinks ask for them
  std::set<std::string> ids;
  for (const auto& [id, labels] : tasks) ids.insert(id);
  tap_->relay.set_tasks(ids);
}

std::vector<results::DeliveryAccount> ResultSession::accounts() const {
  std::vector<results::DeliveryAccount> accounts = tap_->relay.accounts();
  if (accounts.size() > named_sinks_) accounts.resize(named_sinks_);
  return accounts;
}

void ResultSession::end() { tap_->relay.end(); }

}  // namespace saccade::service
