// Sightings in a few words, and a sink that keeps what it got.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "results/bounded_queue.hpp"
#include "results/relay.hpp"

namespace saccade::results {

inline TimePoint at(double seconds) { return TimePoint(to_duration(Seconds(seconds))); }

inline std::shared_ptr<const profiles::ProfileSet> people_and_cars() {
  static const auto shared = [] {
    auto set = std::make_shared<profiles::ProfileSet>();
    set->labels = {"person", "car"};
    set->interface.task = profiles::NetworkTask::detect;
    for (const double accuracy : {0.3, 0.4}) {
      profiles::Variant variant;
      variant.id = VariantId("v" + std::to_string(set->variants.size()));
      variant.accuracy = accuracy;
      set->variants.push_back(std::move(variant));
    }
    return set;
  }();
  return shared;
}

inline vision::Object object(int label, float score) { return {{1.0F, 2.0F, 3.0F, 4.0F}, label, score, 0}; }

inline Sighting sighting(const std::string& task, std::int64_t frame, vision::Objects objects) {
  Sighting seen;
  seen.task = task;
  seen.profiles = people_and_cars();
  seen.frame = frame;
  seen.width = 640;
  seen.height = 480;
  seen.objects = std::move(objects);
  return seen;
}

// What a sink got, in the order in which it came: "there gate", "gate person 1", "gate #7".
class KeptSink final : public Sink {
 public:
  explicit KeptSink(std::size_t queue = 1'000'000) : queue_(queue) {}
  void take(const std::shared_ptr<const Result>& result) override {
    queue_.put(result);
    if (keeps_) heard.push_back(result->task + " #" + std::to_string(result->frame));
    last = result;
  }
  void take(const PresenceChange& change) override {
    if (keeps_) heard.push_back(change.task + " " + change.label + " " + std::to_string(change.count));
  }
  void tell(const TaskState& state) override { heard.push_back("state " + state.task); }
  void task_is_there(const std::string& task) override { heard.push_back("there " + task); }
  void task_is_gone(const std::string& task) override { heard.push_back("gone " + task); }
  [[nodiscard]] SinkAccount account() const override { return queue_.account(); }

  BoundedQueue& queue() { return queue_; }
  void keep_nothing() { keeps_ = false; }
  [[nodiscard]] std::vector<std::string> take_heard() { return std::exchange(heard, {}); }

  std::vector<std::string> heard;
  std::shared_ptr<const Result> last;

 private:
  BoundedQueue queue_;
  bool keeps_ = true;
};

[[nodiscard]] inline std::int64_t unaccounted(const DeliveryAccount& account) {
  return account.produced -
         (account.filtered + account.sent + account.dropped + account.failed + account.waiting);
}

}  // namespace saccade::results
