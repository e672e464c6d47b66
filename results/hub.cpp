#include "results/hub.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace saccade::results {
namespace {

std::vector<SeenObject> named(const Sighting& sighting) {
  const std::vector<std::string>& labels = sighting.profiles->labels;
  std::vector<SeenObject> objects;
  objects.reserve(sighting.objects.size());
  for (const vision::Object& object : sighting.objects) {
    SeenObject& seen = objects.emplace_back();
    const auto index = static_cast<std::size_t>(object.label);
    seen.label = index < labels.size() ? labels[index] : std::to_string(object.label);
    seen.label_index = object.label;
    seen.score = static_cast<double>(object.score);
    seen.box = object.box;
    seen.region = object.region;
  }
  return objects;
}

}  // namespace

void Hub::add(const FilterRule& filter, Sink& sink, const PresenceRule& presence) {
  channels_.push_back({Filter(filter), &sink, {}, 0, presence});
}

void Hub::clear() {
  channels_.clear();
  tasks_.clear();
}

void Hub::set_tasks(const std::set<std::string>& tasks) {
  for (Channel& channel : channels_) {
    for (const std::string& task : tasks_) {
      if (tasks.contains(task) || !channel.filter.wants_task(task)) continue;
      if (const auto present = channel.presence.find(task); present != channel.presence.end()) {
        tell(channel, task, present->second.end());
        channel.presence.erase(present);
      }
      channel.filter.forget(task);
      channel.sink->task_is_gone(task);
    }
    for (const std::string& task : tasks) {
      if (channel.filter.wants_task(task)) channel.sink->task_is_there(task);
    }
  }
  tasks_ = tasks;
}

void Hub::tell(Channel& channel, const std::string& task, const std::vector<Presence::Change>& changes) {
  for (const Presence::Change& change : changes) channel.sink->take({task, change.label, change.count});
  if (!changes.empty()) channel.filter.changed(task);
}

Result Hub::result_of(const Sighting& sighting) const {
  using WallTime = decltype(Result::captured_at);
  Result result;
  result.task = sighting.task;
  result.frame = sighting.frame;
  result.generation = sighting.generation;
  result.captured_at = WallTime(std::chrono::duration_cast<WallTime::duration>(sighting.captured_wall));
  result.captured_by = sighting.captured_by;
  result.captured_monotonic_seconds = to_seconds(sighting.captured_monotonic).value();
  const profiles::ProfileSet& set = *sighting.profiles;
  if (sighting.variant < set.variants.size()) {
    const double best = set.best_accuracy();
    result.variant = set.variants[sighting.variant].id.str();
    result.accuracy = set.variants[sighting.variant].accuracy;
    result.relative_accuracy = best > 0.0 ? result.accuracy / best : 0.0;
  }
  if (sighting.processor < processors_.size()) result.processor = processors_[sighting.processor];
  result.width = sighting.width;
  result.height = sighting.height;
  result.latency_seconds = to_seconds(sighting.latency).value();
  result.age_seconds = to_seconds(sighting.age).value();
  result.ended = sighting.captured_monotonic + sighting.age;
  result.classifies = set.interface.task == profiles::NetworkTask::classify;
  return result;
}

void Hub::see(const Sighting& sighting, TimePoint now) {
  ++seen_;
  const bool known = tasks_.contains(sighting.task);
  const std::vector<SeenObject> objects = known ? named(sighting) : std::vector<SeenObject>{};
  for (Channel& channel : channels_) {
    if (known && channel.filter.wants_task(sighting.task)) {
      see(channel, sighting, objects, now);
    } else {
      ++channel.filtered;
    }
  }
}

void Hub::see(Channel& channel, const Sighting& sighting, const std::vector<SeenObject>& objects,
              TimePoint now) {
  std::vector<SeenObject> passing;
  std::copy_if(objects.begin(), objects.end(), std::back_inserter(passing),
               [&](const SeenObject& object) { return channel.filter.passes(object); });
  Presence& presence = channel.presence.try_emplace(sighting.task, channel.rule).first->second;
  tell(channel, sighting.task, presence.see(passing, now));
  if (!channel.filter.passes(sighting.task, passing.size(), now)) {
    ++channel.filtered;
    return;
  }
  auto result = std::make_shared<Result>(result_of(sighting));
  result->objects = std::move(passing);
  result->presence = presence.counts();
  channel.sink->take(std::shared_ptr<const Result>(std::move(result)));
}

void Hub::pass(TimePoint now) {
  for (Channel& channel : channels_) {
    for (auto& [task, presence] : channel.presence) tell(channel, task, presence.pass(now));
  }
}

std::optional<TimePoint> Hub::next_end() const {
  std::optional<TimePoint> next;
  for (const Channel& channel : channels_) {
    for (const auto& [task, presence] : channel.presence) {
      const std::optional<TimePoint> end = presence.next_end();
      if (end && (!next || *end < *next)) next = end;
    }
  }
  return next;
}

}  // namespace saccade::results
