#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "bench/report.hpp"
#include "bench/results/experiments.hpp"
#include "bench/results/other_sides.hpp"
#include "bench/service/service_process.hpp"
#include "runtime/machine/thread_settings.hpp"

namespace saccade::bench {
namespace {

using nlohmann::json;

constexpr const char* kSinkId = "away";
constexpr std::chrono::milliseconds kBetweenScrapes(100);

// The scenario's file with absolute paths and with these sinks.
Status write_config(const ResultsScenario& scenario, const std::filesystem::path& file, const json& sinks) {
  std::ifstream in(scenario.file);
  json config = json::parse(in, nullptr, false);
  if (config.is_discarded()) return Error{scenario.file.string(), "is no JSON", ""};
  const std::filesystem::path folder = std::filesystem::absolute(scenario.file).parent_path();
  for (json& task : config.at("tasks")) {
    task["profiles"] = (folder / task.at("profiles").get<std::string>()).lexically_normal().string();
  }
  config["results"] = sinks;
  return write_text(file, config.dump(1) + '\n');
}

// Whether the results of the sink add up in a scrape.
bool results_add_up(const std::string& scrape) {
  std::map<std::string, double> values;
  std::istringstream lines(scrape);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(kSinkId) == std::string::npos) continue;
    const std::size_t space = line.rfind(' ');
    values[line.substr(0, space)] = std::strtod(line.c_str() + space + 1, nullptr);
  }
  const std::string sink = std::string("{sink=\"") + kSinkId + "\"";
  double sum = values["saccade_result_queue" + sink + "}"];
  for (const char* outcome : {"filtered", "sent", "dropped", "failed"}) {
    sum += values["saccade_results_total" + sink + ",outcome=\"" + outcome + "\"}"];
  }
  const auto produced = values.find("saccade_results_produced_total" + sink + "}");
  return produced != values.end() && produced->second == sum;
}

void look_at_tasks(const json& status, Stretch& stretch) {
  for (const json& task : status.at("tasks")) {
    const json& frames = task.at("frames");
    stretch.demanded += frames.at("demanded").get<double>();
    stretch.served += frames.at("processed").get<double>() + frames.at("in_flight").get<double>();
    const json& latency = task.at("latency_seconds");
    if (latency.is_null()) continue;
    stretch.p99_ms = std::max(stretch.p99_ms.value_or(0.0), 1e3 * latency.at("p99").get<double>());
  }
}

Manner manner_of(const std::string& kind) {
  if (kind == "hangs") return Manner::hangs;
  if (kind == "fails") return Manner::fails;
  return kind == "drips" ? Manner::drips : Manner::takes;
}

// The other side of the sink, which goes and comes in time.
class Outage {
 public:
  Outage(const std::string& kind, const BenchFolder& folder, const std::vector<int>& cpus)
      : kind_(kind), broker_(folder.path(), kind != "refusing", cpus) {
    if (manner_of(kind) != Manner::takes) receiver_ = std::make_unique<BenchReceiver>(cpus, manner_of(kind));
  }

  [[nodiscard]] Status begin() {
    const bool has_broker = kind_ == "killed" || kind_ == "stopped" || kind_ == "refusing";
    return has_broker ? broker_.start() : Status(Done{});
  }
  [[nodiscard]] Status at(double share) {
    if (!away_ && share >= 0.25) {
      away_ = true;
      if (kind_ == "killed") broker_.kill();
      if (kind_ == "stopped") broker_.signal(SIGSTOP);
    }
    if (away_ && !back_ && share >= 0.75) {
      back_ = true;
      if (kind_ == "killed") return broker_.start();
      if (kind_ == "stopped") broker_.signal(SIGCONT);
    }
    return Done{};
  }
  [[nodiscard]] json sink() const {
    if (receiver_) return {{"id", kSinkId}, {"type", "webhook"}, {"url", receiver_->url()}};
    // A file of which every write fails as on a disk without room.
    if (kind_ == "full") return {{"id", kSinkId}, {"type", "file"}, {"path", "/dev/full"}};
    return {{"id", kSinkId}, {"type", "mqtt"}, {"url", "mqtt://127.0.0.1:" + std::to_string(broker_.port())}};
  }

 private:
  const std::string kind_;
  BenchBroker broker_;
  std::unique_ptr<BenchReceiver> receiver_;  // null: it is a broker or a disk
  bool away_ = false;
  bool back_ = false;
};

Result<Stretch> run_stretch(const ResultsScenario& scenario, const OutageSizes& sizes, Outage* outage,
                            const BenchFolder& folder) {
  const std::filesystem::path file = folder.path() / "service.json";
  if (outage != nullptr) {
    const Status begun = outage->begin();
    if (!begun) return begun.errors();
  }
  const Status written =
      write_config(scenario, file, outage != nullptr ? json::array({outage->sink()}) : json::array());
  if (!written) return written.errors();
  const auto started = ServiceProcess::start(file);
  if (!started) return started.errors();
  ServiceProcess& service = *started.value();
  Stretch stretch;
  const auto began = std::chrono::steady_clock::now();
  for (Duration passed{0}; passed < sizes.stretch; passed = std::chrono::steady_clock::now() - began) {
    const double share = to_seconds(passed).value() / to_seconds(sizes.stretch).value();
    if (outage != nullptr) {
      const Status changed = outage->at(share);
      if (!changed) return changed.errors();
    }
    // Asked for in both, so that both serve the same.
    const Result<HttpAnswer> scrape = service.ask("GET", "/metrics");
    if (!scrape) return scrape.errors();
    if (outage != nullptr) {
      ++stretch.scrapes;
      stretch.scrapes_off += results_add_up(scrape.value().body) ? 0 : 1;
    }
    std::this_thread::sleep_for(kBetweenScrapes);
  }
  const Result<json> status = service.document("/v1/status");
  if (!status) return status.errors();
  look_at_tasks(status.value(), stretch);
  stretch.memory = service.resident_memory();
  const Result<json> summary = service.stop();
  if (!summary) return summary.errors();
  return stretch;
}

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

void summarise(OutageFigures& figures) {
  std::vector<double> lost;
  std::vector<double> more;
  std::vector<double> usual;
  std::vector<double> memory;
  for (const OutagePair& pair : figures.pairs) {
    lost.push_back(100.0 * (pair.without.achieved() - pair.with.achieved()));
    if (pair.with.p99_ms && pair.without.p99_ms) {
      more.push_back(*pair.with.p99_ms - *pair.without.p99_ms);
      usual.push_back(*pair.without.p99_ms);
    }
    if (pair.with.memory && pair.without.memory) {
      memory.push_back(pair.with.memory->value() - pair.without.memory->value());
    }
    figures.scrapes += pair.with.scrapes;
    figures.scrapes_off += pair.with.scrapes_off;
  }
  figures.lost_points = median(lost);
  figures.p99_more_ms = median(more);
  figures.p99_ms = median(usual);
  figures.memory_more = median(memory);
}

}  // namespace

Result<std::vector<OutageFigures>> run_outages(const ResultsScenario& scenario, const OutageSizes& sizes) {
  std::vector<OutageFigures> all;
  for (const std::string& kind : sizes.outages) {
    OutageFigures& figures = all.emplace_back();
    figures.outage = kind;
    for (std::size_t i = 0; i < sizes.pairs; ++i) {
      OutagePair& pair = figures.pairs.emplace_back();
      for (const bool first : {true, false}) {
        const double done = static_cast<double>(all.size() - 1) +
                            (static_cast<double>(i) + (first ? 0.0 : 0.5)) / static_cast<double>(sizes.pairs);
        scenario.progress(done / static_cast<double>(sizes.outages.size()));
        const BenchFolder folder;
        const bool with = first == (i % 2 == 1);  // the order changes from pair to pair
        Outage outage(kind, folder, scenario.client_cpus);
        Result<Stretch> stretch = run_stretch(scenario, sizes, with ? &outage : nullptr, folder);
        if (!stretch) return stretch.errors();
        (with ? pair.with : pair.without) = std::move(stretch).value();
      }
    }
    summarise(figures);
  }
  return all;
}

}  // namespace saccade::bench
