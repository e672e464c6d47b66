#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "bench/report.hpp"
#include "bench/results/experiments.hpp"
#include "bench/results/other_sides.hpp"
#include "bench/results/outage.hpp"
#include "bench/service/service_process.hpp"

namespace saccade::bench {
namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds kBetweenScrapes(100);

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
    const auto note = [&](const char* key, std::optional<double>& longest) {
      const json& times = task.at(key);
      if (!times.is_null()) longest = std::max(longest.value_or(0.0), 1e3 * times.at("p99").get<double>());
    };
    note("latency_seconds", stretch.p99_ms);
    note("age_seconds", stretch.age_p99_ms);
  }
}

void note_memory(const ServiceProcess& service, Stretch& stretch) {
  stretch.memory = service.resident_memory();
  if (stretch.memory && (!stretch.memory_peak || *stretch.memory > *stretch.memory_peak)) {
    stretch.memory_peak = stretch.memory;
  }
}

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
    note_memory(service, stretch);
    std::this_thread::sleep_for(kBetweenScrapes);
  }
  const Result<json> status = service.document("/v1/status");
  if (!status) return status.errors();
  look_at_tasks(status.value(), stretch);
  note_memory(service, stretch);
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
  std::vector<double> peak;
  for (const OutagePair& pair : figures.pairs) {
    lost.push_back(100.0 * (pair.without.achieved() - pair.with.achieved()));
    if (pair.with.p99_ms && pair.without.p99_ms) {
      more.push_back(*pair.with.p99_ms - *pair.without.p99_ms);
      usual.push_back(*pair.without.p99_ms);
    }
    if (pair.with.memory && pair.without.memory) {
      memory.push_back(pair.with.memory->value() - pair.without.memory->value());
    }
    if (pair.with.memory_peak && pair.without.memory_peak) {
      peak.push_back(pair.with.memory_peak->value() - pair.without.memory_peak->value());
    }
    figures.scrapes += pair.with.scrapes;
    figures.scrapes_off += pair.with.scrapes_off;
  }
  figures.lost_points = median(lost);
  figures.p99_more_ms = median(more);
  figures.p99_ms = median(usual);
  figures.memory_more = median(memory);
  figures.memory_peak_more = median(peak);
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
