#include "bench/fleet/overhead.hpp"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include "bench/fleet/played_fleet.hpp"
#include "bench/report.hpp"
#include "bench/service/service_process.hpp"

namespace saccade::bench {
namespace {

using nlohmann::ordered_json;
using Steady = std::chrono::steady_clock;

constexpr const char* kBox = "measured";
constexpr const char* kNetwork = "mobilenet_v2-glyphs";
constexpr int kCameras = 4;
constexpr Duration kStep = std::chrono::milliseconds(200);

double wall_since(Steady::time_point began) {
  return std::chrono::duration<double>(Steady::now() - began).count();
}

std::filesystem::path proc(pid_t id, const char* file) {
  return std::filesystem::path("/proc") / std::to_string(id) / file;
}

// User and system time; 0: there is no such process any more.
double cpu_seconds_of(pid_t id) {
  std::ifstream file(proc(id, "stat"));
  std::string line;
  std::getline(file, line);
  const std::size_t name_ends = line.rfind(')');
  if (name_ends == std::string::npos) return 0.0;
  std::istringstream words(line.substr(name_ends + 1));
  std::string word;
  for (int i = 3; i < 14; ++i) words >> word;  // proc(5) counts them from 1; the name is the second
  double user = 0.0;
  double system = 0.0;
  words >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

Bytes memory_of(pid_t id, const char* file, const std::string& key) {
  std::ifstream stream(proc(id, file));
  constexpr double kKibibyte = 1024.0;
  for (std::string word; stream >> word;) {
    double value = 0.0;
    if (word == key && stream >> value) return Bytes(value * kKibibyte);
  }
  return {};
}

// `meanwhile` is called until the time is over.
template <class Meanwhile>
Status pass(Duration time, const Meanwhile& meanwhile) {
  for (const auto began = Steady::now(); Steady::now() < began + time;) {
    const Status done = meanwhile();
    if (!done) return done;
  }
  return Done{};
}

template <class Meanwhile>
Result<ProcessCost> cost_of(pid_t id, const OverheadSizes& sizes, const Meanwhile& meanwhile) {
  if (const Status settled = pass(sizes.settle, meanwhile); !settled) return settled.errors();
  const double before = cpu_seconds_of(id);
  const auto began = Steady::now();
  if (const Status measured = pass(sizes.measured, meanwhile); !measured) return measured.errors();
  ProcessCost cost;
  cost.cpu = (cpu_seconds_of(id) - before) / wall_since(began);
  cost.resident = memory_of(id, "smaps_rollup", "Rss:");
  cost.anonymous = memory_of(id, "smaps_rollup", "Anonymous:");
  if (cost.resident.value() <= 0.0) return Error{proc(id, "smaps_rollup").string(), "cannot be read", ""};
  return cost;
}

std::string zoo() { return std::string(SACCADE_SOURCE_DIR) + "/profiles/zoo"; }

ordered_json store_at(const std::string& url) { return {{"endpoints", {url}}}; }

// A camera as the configuration of a box and as the fleet have it, but for how its network is named.
ordered_json camera(int number) {
  return {{"id", "camera-" + std::to_string(number)},
          {"fps", 5},
          {"source", {{"type", "synthetic"}, {"data_set", "glyphs"}, {"seed", number}}}};
}

ordered_json box_without() {
  ordered_json tasks = ordered_json::array();
  for (int n = 0; n < kCameras; ++n) {
    ordered_json task = camera(n);
    task["profiles"] = zoo() + "/" + kNetwork + ".json";
    tasks.push_back(std::move(task));
  }
  return {{"version", 1},
          {"processors", {{{"name", "cpu"}}}},
          {"engine", {{"backend", "simulated"}}},
          {"tasks", std::move(tasks)},
          {"api", {{"listen", "127.0.0.1:0"}}}};
}

ordered_json box_with(const std::string& url) {
  ordered_json config = box_without();
  config["tasks"] = ordered_json::array();
  config["fleet"] = {{"name", kPlayedFleet}, {"box", kBox}, {"profiles", zoo()}, {"store", store_at(url)}};
  return config;
}

// What a planner would have it serve.
Status assign_cameras(StoreClient& store) {
  fleet::AssignDocument document{1, 1, {}};
  for (int n = 0; n < kCameras; ++n) {
    ordered_json task = camera(n);
    task["format"] = 1;
    task["network"] = kNetwork;
    document.cameras.push_back(
        {TaskId(task["id"].get<std::string>()), n + 1, fleet::Role::serve, false, task.dump()});
  }
  const fleet_store::Put put{fleet_store::Keys(kPlayedFleet).assign(kBox), fleet_store::to_text(document)};
  const auto done = store.ask(fleet_store::request::Commit{{}, {put}, {}});
  return done ? Status(Done{}) : Status(done.errors());
}

Result<ProcessCost> measure_box(ordered_json config, const OverheadSizes& sizes) {
  const BenchFolder folder;
  config["runtime"] = {{"state_dir", (folder.path() / "state").string()}};
  const std::filesystem::path file = folder.path() / "box.json";
  if (const Status written = write_text(file, config.dump(1)); !written) return written.errors();
  const auto box = ServiceProcess::start(file);
  if (!box) return box.errors();
  const auto cost = cost_of(box.value()->id(), sizes, [] {
    std::this_thread::sleep_for(kStep);
    return Status(Done{});
  });
  if (!cost) return cost.errors();
  const auto summary = box.value()->stop();
  if (!summary) return summary.errors();
  return cost.value();
}

Status measure_pair(std::size_t number, const OverheadSizes& sizes, Overhead& overhead) {
  BenchEtcd etcd;
  if (const Status started = etcd.start(); !started) return started;
  StoreClient store(etcd.url());
  if (const Status assigned = assign_cameras(store); !assigned) return assigned;
  AgentPair pair;
  for (const bool with : {number % 2 == 0, number % 2 != 0}) {
    const auto cost = measure_box(with ? box_with(etcd.url()) : box_without(), sizes);
    if (!cost) return cost.errors();
    (with ? pair.with : pair.without) = cost.value();
  }
  overhead.agents.push_back(pair);
  return Done{};
}

// Until every camera has a box.
Status begin_planner(const WatchedProcess& planner, PlayedFleet& played, const OverheadSizes& sizes,
                     PlannerCost& cost) {
  const auto began = Steady::now();
  while (played.served() < sizes.fleet.cameras) {
    if (const Status followed = played.follow(kStep); !followed) return followed;
    if (Steady::now() < began + sizes.patience && planner.runs()) continue;
    return Error{
        "saccade fleet run",
        "gave " + std::to_string(played.served()) + " cameras a box in " + fixed(wall_since(began)) + " s",
        ""};
  }
  cost.seconds = wall_since(began);
  cost.cpu_seconds = cpu_seconds_of(planner.id());
  return Done{};
}

Status measure_planner(const fleet::Problem& problem, const OverheadSizes& sizes, Overhead& overhead) {
  BenchEtcd etcd;
  if (const Status started = etcd.start(); !started) return started;
  StoreClient store(etcd.url());
  PlayedFleet played(store, problem);
  if (const Status written = played.write(); !written) return written;
  const BenchFolder folder;
  const std::filesystem::path file = folder.path() / "planner.json";
  const ordered_json config{{"version", 1},
                            {"node", "measured"},
                            {"api", {{"listen", "127.0.0.1:0"}}},
                            {"fleet", {{"name", kPlayedFleet}, {"store", store_at(etcd.url())}}}};
  if (const Status written = write_text(file, config.dump(1)); !written) return written;
  const auto started = WatchedProcess::start({own_saccade(), "fleet", "run", file.string()});
  if (!started) return started.errors();
  WatchedProcess& planner = *started.value();
  if (!planner.line_with("event=serving"))
    return Error{own_saccade(), "did not begin to serve: " + planner.said(), "build the target saccade"};
  planner.read_on();
  PlannerCost cost;
  if (const Status begun = begin_planner(planner, played, sizes, cost); !begun) return begun;
  const auto after = cost_of(planner.id(), sizes, [&] { return played.follow(kStep); });
  if (!after) return after.errors();
  cost.after = after.value();
  cost.peak = memory_of(planner.id(), "status", "VmHWM:");
  const auto stopped = planner.stop();
  if (!stopped) return stopped.errors();
  overhead.planners.push_back(cost);
  return Done{};
}

}  // namespace

Result<Overhead> measure_overhead(const OverheadSizes& sizes, std::uint64_t seed,
                                  const ToldProgress& progress) {
  Overhead overhead;
  overhead.fleet = sizes.fleet;
  const double all = static_cast<double>(sizes.pairs + sizes.planners);
  for (std::size_t n = 0; n < sizes.pairs; ++n) {
    progress("agent", static_cast<double>(n) / all);
    if (const Status done = measure_pair(n, sizes, overhead); !done) return done.errors();
  }
  const fleet::Problem problem = make_fleet(sizes.fleet, seed);
  for (std::size_t n = 0; n < sizes.planners; ++n) {
    progress("planner", static_cast<double>(sizes.pairs + n) / all);
    if (const Status done = measure_planner(problem, sizes, overhead); !done) return done.errors();
  }
  return overhead;
}

}  // namespace saccade::bench
