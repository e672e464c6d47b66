#include "bench/paper/scenario.hpp"

#include <limits>
#include <utility>

#include "text/object_reader.hpp"
#include "text/text_file.hpp"

namespace saccade::bench {
namespace {

using text::JsonAt;
using text::JsonReport;
using text::kNotNegative;
using text::kPositive;
using text::ObjectReader;

constexpr int kMostSteps = 1'000'000;
constexpr int kMostRegions = 256;

template <class Read>
void section(ObjectReader& parent, const std::string& key, const Read& read) {
  if (const auto at = parent.require(key)) {
    ObjectReader object(*at, parent.report());
    read(object);
  }
}

// [least, most]
void read_range(ObjectReader& object, const std::string& key, Range& target) {
  const auto at = object.require(key);
  if (!at) return;
  const std::vector<JsonAt> ends = read_list(*at, object.report());
  if (ends.size() != 2) {
    object.report().add(*at, "is no range", "write [least, most]");
    return;
  }
  const auto least = read_number(ends[0], kNotNegative, object.report());
  const auto most = read_number(ends[1], kNotNegative, object.report());
  if (!least || !most) return;
  if (*least > *most) object.report().add(*at, "ends below its beginning", "write [least, most]");
  target = {*least, *most};
}

void read_grid(ObjectReader& object, const std::string& key, int& columns, int& rows) {
  const auto at = object.require(key);
  if (!at) return;
  const std::vector<JsonAt> sides = read_list(*at, object.report());
  if (sides.size() != 2) {
    object.report().add(*at, "is no grid", "write [columns, rows]");
    return;
  }
  columns = read_integer(sides[0], 1, kMostRegions, object.report()).value_or(1);
  rows = read_integer(sides[1], 1, kMostRegions, object.report()).value_or(1);
}

enum class MemoryLimit { drawn, none };

void read_random(ObjectReader& object, RandomRanges& target, MemoryLimit memory = MemoryLimit::drawn) {
  object.integer("steps", target.steps, 1, kMostSteps);
  object.quantity("step_seconds", target.step, kPositive);
  read_range(object, "fps", target.fps);
  read_range(object, "min_relative_accuracy", target.min_relative_accuracy);
  read_range(object, "energy_joules_per_second", target.energy_per_second);
  if (memory == MemoryLimit::drawn) read_range(object, "memory_bytes", target.memory);
  read_range(object, "peak_power_watts", target.peak_power);
}

void read_floors(ObjectReader& object, FloorSweep& floors) {
  object.quantity("fps", floors.fps, kPositive);
  object.number("from", floors.from, text::kAccuracy);
  object.number("to", floors.to, text::kAccuracy);
  object.number("step", floors.step, kPositive);
}

void read_tasks(ObjectReader& root, const std::filesystem::path& folder, Scenario& scenario) {
  const auto at = root.require("tasks");
  if (!at) return;
  for (const JsonAt& item : read_list(*at, root.report())) {
    ObjectReader object(item, root.report());
    ScenarioTask task;
    std::string file;
    if (const auto id = object.require("id")) task.id = read_id(*id, root.report()).value_or("");
    if (object.require("profiles")) object.text("profiles", file);
    task.profiles = folder / file;
    scenario.tasks.push_back(std::move(task));
  }
  if (scenario.tasks.empty()) root.report().add(*at, "names no task", "name at least one");
}

void read_rates(ObjectReader& object, RateSweep& target) {
  object.integer("from", target.from, 1, 1000);
  object.integer("to", target.to, target.from, 1000);
  object.quantity("seconds", target.seconds, kPositive);
  object.integer("seeds", target.seeds, 1, 1000);
}

void read_detectors(ObjectReader& object, const std::filesystem::path& folder, DetectorCameras& target) {
  std::string file;
  if (object.require("profiles")) object.text("profiles", file);
  target.profiles = folder / file;
  object.integer("cameras", target.count, 1, 1000);
  section(object, "rates", [&](ObjectReader& rates) { read_rates(rates, target.rates); });
}

void read_counts(ObjectReader& object, std::vector<int>& counts) {
  const auto at = object.require("counts");
  if (!at) return;
  for (const JsonAt& item : read_list(*at, object.report())) {
    if (const auto count = read_integer(item, 1, 1000, object.report())) counts.push_back(*count);
  }
}

void read_metered(ObjectReader& object, const std::filesystem::path& folder, Scenario& scenario) {
  MeteredDevice& metered = scenario.metered;
  read_grid(object, "regions", metered.columns, metered.rows);
  if (const auto list = object.require("profiles")) {
    for (const JsonAt& item : read_list(*list, object.report()))
      metered.profiles.push_back(folder / text::read_text(item, object.report()).value_or(""));
    if (metered.profiles.size() != scenario.tasks.size())
      object.report().add(*list, "is not one per task",
                          "name the set of every task, in the order of `tasks`");
  }
  section(object, "floors", [&](ObjectReader& floors) { read_floors(floors, metered.floors); });
  section(object, "random",
          [&](ObjectReader& random) { read_random(random, metered.random, MemoryLimit::none); });
}

Scenario read_root(const JsonAt& at, const std::filesystem::path& folder, JsonReport& report) {
  Scenario scenario;
  ObjectReader root(at, report);
  int seed = 1;
  root.integer("seed", seed, 0, std::numeric_limits<int>::max());
  scenario.seed = static_cast<std::uint64_t>(seed);
  root.quantity("guard_seconds", scenario.guard, kNotNegative);
  read_grid(root, "regions", scenario.columns, scenario.rows);
  read_tasks(root, folder, scenario);
  section(root, "modelled_energy", [&](ObjectReader& object) {
    object.quantity("idle_watts", scenario.energy.idle, kNotNegative);
    object.quantity("fp32_watts", scenario.energy.fp32, kPositive);
    object.quantity("fp16_watts", scenario.energy.fp16, kPositive);
    object.quantity("int8_watts", scenario.energy.int8, kPositive);
    object.quantity("joules_per_byte", scenario.energy.per_byte, kNotNegative);
  });
  section(root, "rates", [&](ObjectReader& object) { read_rates(object, scenario.rates); });
  section(root, "detectors",
          [&](ObjectReader& object) { read_detectors(object, folder, scenario.detectors); });
  section(root, "floors", [&](ObjectReader& object) { read_floors(object, scenario.floors); });
  section(root, "random", [&](ObjectReader& object) { read_random(object, scenario.random); });
  section(root, "overload", [&](ObjectReader& object) { read_random(object, scenario.overload); });
  section(root, "metered", [&](ObjectReader& object) { read_metered(object, folder, scenario); });
  section(root, "cameras", [&](ObjectReader& object) {
    read_counts(object, scenario.cameras.counts);
    object.quantity("fps", scenario.cameras.fps, kPositive);
    read_grid(object, "regions", scenario.cameras.columns, scenario.cameras.rows);
    object.quantity("seconds", scenario.cameras.seconds, kPositive);
  });
  section(root, "neighbour", [&](ObjectReader& object) {
    object.quantity("fps", scenario.neighbour.fps, kPositive);
    object.quantity(
        "seconds", scenario.neighbour.seconds,
        text::NumberRule{20.0, true, 1e6, "its second half is told in two parts, of which the first is 5 s"});
    object.number("factor", scenario.neighbour.factor, kPositive);
    object.integer("seeds", scenario.neighbour.seeds, 1, 1000);
  });
  section(root, "oracle", [&](ObjectReader& object) {
    object.integer("steps", scenario.oracle_steps, 1, kMostSteps);
    const auto penalties = object.require("switch_penalties");
    if (!penalties) return;
    for (const JsonAt& item : read_list(*penalties, object.report())) {
      if (const auto each = read_number(item, kPositive, object.report())) {
        scenario.switch_penalties.push_back(*each);
      }
    }
  });
  return scenario;
}

}  // namespace

Result<Scenario> parse_scenario(const std::string& text, const std::string& name,
                                const std::filesystem::path& folder) {
  JsonReport report(name);
  const auto document = text::parse_json(text, report);
  Scenario scenario;
  if (document) scenario = read_root({&*document, ""}, folder, report);
  if (!report.empty()) return report.errors();
  return scenario;
}

Result<Scenario> read_scenario(const std::filesystem::path& path) {
  const Result<std::string> text = text::read_text_file(path, 1);
  if (!text) return text.errors();
  return parse_scenario(text.value(), path.string(), path.parent_path());
}

}  // namespace saccade::bench
