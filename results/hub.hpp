// Distributes results to sinks: filters each sighting for each sink, tracks the presence of the objects that
// pass the sink's filter, and hands over results and changes. A sink's record contains only the objects that
// pass its filter, and presence counts only these. A sighting of an unknown or removed task is filtered for
// every sink. Pure: time is an argument and never steps back; sinks neither block nor throw. Threads: one at
// a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "results/filter.hpp"
#include "results/presence.hpp"
#include "results/sighting.hpp"
#include "results/sink.hpp"

namespace saccade::results {

class Hub {
 public:
  // `processors`: their names, in the order that sightings index.
  explicit Hub(std::vector<std::string> processors) : processors_(std::move(processors)) {}

  // Call before the first sighting. The sink must outlive the hub.
  void add(const FilterRule& filter, Sink& sink, const PresenceRule& presence = {});

  void clear();  // removes all sinks

  // Replaces the set of tasks. For a removed task, all presence ends first.
  void set_tasks(const std::set<std::string>& tasks);
  void see(const Sighting& sighting, TimePoint now);
  // Ends the presence that has expired by now without a new sighting.
  void pass(TimePoint now);
  [[nodiscard]] std::optional<TimePoint> next_end() const;  // when pass() is due

  [[nodiscard]] std::int64_t seen() const { return seen_; }
  // Of the sink that was added as number `sink`: seen = filtered + taken by the sink.
  [[nodiscard]] std::int64_t filtered(std::size_t sink) const { return channels_.at(sink).filtered; }

 private:
  struct Channel {
    Filter filter;
    Sink* sink;
    std::map<std::string, Presence> presence;  // by task
    std::int64_t filtered = 0;
    PresenceRule rule = {};
  };
  static void tell(Channel& channel, const std::string& task, const std::vector<Presence::Change>& changes);
  void see(Channel& channel, const Sighting& sighting, const std::vector<SeenObject>& objects, TimePoint now);
  [[nodiscard]] Result result_of(const Sighting& sighting) const;

  const std::vector<std::string> processors_;
  std::vector<Channel> channels_;
  std::set<std::string> tasks_;
  std::int64_t seen_ = 0;
};

}  // namespace saccade::results
