#include "service/live/result_session.hpp"

#include <algorithm>
#include <iterator>
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
#include "service/live/picture_sink.hpp"
#include "service/live/seen_objects.hpp"
#include "service/live/task_control.hpp"

namespace saccade::service {
namespace {

bool wants_pictures(const results::SinkSettings& sink) {
  const auto* mqtt = std::get_if<results::MqttSettings>(&sink.kind);
  return mqtt != nullptr && mqtt->snapshots;
}

// `mqtt` is destroyed after the hub has forgotten the channel.
results::Relay::Channel pictures_for(results::MqttSink& mqtt, const results::SinkSettings& sink,
                                     std::shared_ptr<Snapshots> pictures,
                                     std::shared_ptr<const Clock> clock) {
  results::FilterRule every = sink.filter;
  every.when = results::When::every;
  every.max_per_second.reset();
  auto publish = [&mqtt](const std::string& task, std::function<std::string()> draw) {
    mqtt.take_snapshot(task, std::move(draw));
  };
  return {"", "pictures", every,
          std::make_unique<PictureSink>(std::move(pictures), std::move(clock), std::move(publish)),
          sink.presence};
}

}  // namespace

std::unique_ptr<results::Sink> make_sink(const results::SinkSettings& sink, const std::string& node,
                                         LabelsOfTask labels, const TaskControl& control) {
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
  if (control) {
    context.control = [control, filter = sink.filter](const std::string& task, const std::string& patch) {
      return filter.wants_task(task) ? control(task, patch) : no_such_task(task);
    };
  }
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
    std::erase_if(labels, [&](const std::string& label) { return !filter.objects.wants_label(label); });
    return labels;
  }

 private:
  mutable Mutex mutex_;
  TaskLabels of_ SACCADE_GUARDED_BY(mutex_);
};

namespace {

results::CapturedBy captured_by(const runtime::SeenFrame& frame) {
  if (frame.by_client) return results::CapturedBy::client;
  return frame.captured_by_camera ? results::CapturedBy::camera : results::CapturedBy::arrival;
}

}  // namespace

// Kept by workers that were left behind, and with it the relay that they put into.
class ResultSession::Tap final : public runtime::ResultListener {
 public:
  // `pictures`: of those who may want to keep some, by `clock`.
  Tap(std::vector<std::string> processors, std::vector<results::Relay::Channel> channels,
      std::vector<std::shared_ptr<Snapshots>> pictures, std::shared_ptr<const Clock> clock)
      : pictures_(std::move(pictures)),
        clock_(std::move(clock)),
        relay(std::move(processors), std::move(channels), relay_clock_) {}

  void seen(const runtime::SeenFrame& frame) override {
    for (const std::shared_ptr<Snapshots>& pictures : pictures_) {
      if (frame.kept == nullptr || !pictures->are_wanted()) continue;
      pictures->offer(frame.task.id.str(), static_cast<std::int64_t>(frame.number), *frame.kept,
                      clock_->now());
    }
    relay.put([&](results::Sighting& place) {
      place.task = frame.task.id.str();
      if (place.profiles != frame.task.profiles)
        place.profiles = frame.task.profiles;  // else the count stays as it is
      place.variant = frame.variant;
      place.processor = frame.processor;
      place.frame = static_cast<std::int64_t>(frame.number);
      place.generation = static_cast<std::int64_t>(frame.generation);
      const bool known = frame.captured_monotonic.count() != 0;
      place.captured_monotonic = known ? frame.captured_monotonic : frame.ended;
      place.captured_wall = frame.captured_wall;
      place.captured_by = captured_by(frame);
      place.width = frame.picture != nullptr ? frame.picture->frame_width : 0;
      place.height = frame.picture != nullptr ? frame.picture->frame_height : 0;
      place.latency = frame.inference;
      place.age = frame.ended - place.captured_monotonic;
      take_objects(frame, place.objects);
    });
  }

 private:
  const SteadyClock relay_clock_;
  const std::vector<std::shared_ptr<Snapshots>> pictures_;
  const std::shared_ptr<const Clock> clock_;

 public:
  results::Relay relay;
};

std::unique_ptr<ResultSession> ResultSession::open(const results::ResultsSettings& settings,
                                                   const runtime::RunConfig& config, const ResultViews& views,
                                                   const TaskControl& control) {
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
  const std::shared_ptr<const Clock> clock =
      views.clock != nullptr ? views.clock : std::make_shared<const SteadyClock>();
  std::vector<std::shared_ptr<Snapshots>> pictures;
  std::vector<results::Relay::Channel> channels;
  std::vector<results::Relay::Channel> helpers;  // behind those that the configuration names
  for (const results::SinkSettings& each : settings.sinks) {
    auto passing = [labels, filter = each.filter](const std::string& task) {
      return labels->passing(task, filter);
    };
    channels.push_back({each.id, each.type(), each.filter,
                        make_sink(each, settings.node, std::move(passing), control), each.presence});
    if (!wants_pictures(each)) continue;
    auto& mqtt = dynamic_cast<results::MqttSink&>(*channels.back().sink);
    pictures.push_back(std::make_shared<Snapshots>());
    helpers.push_back(pictures_for(mqtt, each, pictures.back(), clock));
  }
  if (views.feed != nullptr) {
    pictures.push_back(views.snapshots);
    helpers.push_back({"", "api", {}, std::make_unique<ApiSink>(views.feed, views.snapshots, *clock)});
  }
  std::move(helpers.begin(), helpers.end(), std::back_inserter(channels));
  std::unique_ptr<ResultSession> session(new ResultSession(
      labels, std::make_shared<Tap>(std::move(processors), std::move(channels), std::move(pictures), clock)));
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
