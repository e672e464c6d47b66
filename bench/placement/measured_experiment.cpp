// What placements promise against what pipelines on this machine's CPUs achieve: a network's layers are
// measured and placed by the commands that users have, and whole and cut variants are served at their limit.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "bench/bench_folder.hpp"
#include "bench/placement/closed_loop.hpp"
#include "bench/placement/experiments.hpp"
#include "bench/placement/schedules.hpp"
#include "bench/real_run.hpp"
#include "runtime/frames/pipelines.hpp"
#include "runtime/machine/thread_settings.hpp"
#include "runtime/profiling/profile_statistics.hpp"

namespace saccade::bench {
namespace {

struct Runs {
  std::vector<double> fps, p99;
  std::size_t lost = 0;
};

// The machine, and how long and how often everything is served.
struct Measuring {
  std::vector<int> cpus;
  std::shared_ptr<const runtime::EngineBackend> backend;
  std::size_t runs = 5;
  Seconds each{4.0};
  std::size_t subjects = 2;  // of each kind
};

constexpr double kFarTooMany = 1e6;  // frames/s

// So many that no stage ever waits for a frame. Of a whole network the next one waits while one is computed;
// of a cut one every queue is full, and the runtime lets no more in (runtime/frames/pipelines.hpp).
std::size_t under_way(const Schedule& schedule) {
  constexpr std::size_t kProcessors = 2;
  if (!schedule.staged()) return 2;
  return runtime::most_under_way(static_cast<std::size_t>(schedule.variant().staging.max_in_flight),
                                 kProcessors);
}

// Every schedule once, then every schedule again: what drifts touches all of them.
Result<std::vector<Runs>> at_their_limit(const std::vector<Schedule>& schedules, const PlacedNetwork& subject,
                                         const Measuring& how) {
  const EveryFrame policy;
  std::vector<Runs> all(schedules.size());
  auto frames = frames_of(*schedules.front().set);
  if (!frames) return frames.errors();
  for (std::size_t run = 0; run < how.runs; ++run) {
    for (std::size_t k = 0; k < schedules.size(); ++k) {
      const Schedule& schedule = schedules[k];
      ClosedLoop loop{frames.value()};
      loop.duration = how.each;
      loop.under_way = under_way(schedule);
      const auto figures =
          run_closed_loop(config_of(schedule, how.cpus, subject, Fps(kFarTooMany), runtime::PushSource{}),
                          how.backend, policy, loop);
      if (!figures) return figures.errors();
      all[k].lost += figures.value().lost;
      all[k].fps.push_back(figures.value().fps);
      all[k].p99.push_back(figures.value().latency_p99.value());
    }
  }
  return all;
}

// Median latency of a camera at a share of what the schedule can serve.
Result<double> latency_at(double share, const Schedule& schedule, const PlacedNetwork& subject,
                          const Measuring& how) {
  const EveryFrame policy;
  std::vector<double> latencies;
  for (std::size_t run = 0; run < how.runs; ++run) {
    const auto summary = run_real(config_of(schedule, how.cpus, subject, Fps(share * schedule.expected_fps),
                                            runtime::SyntheticSource{subject.data_set, 1}),
                                  policy, to_duration(how.each));
    if (!summary) return summary.errors();
    const auto& latency = summary.value().tasks.front().latency;
    if (!latency) return Error{schedule.name, "no frame was processed", ""};
    latencies.push_back(latency->p50.value());
  }
  return runtime::median(latencies);
}

std::string in_ms(double seconds) { return fixed(1e3 * seconds); }

// Paper 000, tables 3 and 4 and figure 11: expected against measured.
struct Expectation {
  Sheet sheet{
      {"network", "schedule", "expected fps", "measured fps", "lowest", "highest", "error %", "lost frames"},
      2};
  std::vector<double> errors;  // of both processors alone and the best cuts
  double least_kendall = 1.0;
};

Status compare_rates(const PlacedNetwork& subject, const std::string& zoo, const Measuring& how, bool quick,
                     Expectation& found) {
  const BenchFolder folder;
  const auto placed = placed_set(subject, zoo, how.cpus, quick, folder.path());
  if (!placed) return placed.errors();
  const Candidates candidates = candidates_of(schedules_of(placed.value()));
  if (candidates.alone.size() < 2 || candidates.cuts.empty())
    return Error{subject.variant, "no placement has stages", ""};
  constexpr std::size_t kJudged = 5, kOrdered = 6;  // of the cuts
  std::vector<Schedule> schedules = candidates.alone;
  const std::size_t cuts = std::min(kOrdered, candidates.cuts.size());
  schedules.insert(schedules.end(), candidates.cuts.begin(),
                   candidates.cuts.begin() + static_cast<std::ptrdiff_t>(cuts));
  const auto runs = at_their_limit(schedules, subject, how);
  if (!runs) return runs.errors();
  std::vector<double> expected, measured;
  for (std::size_t k = 0; k < schedules.size(); ++k) {
    const std::vector<double>& fps = runs.value()[k].fps;
    expected.push_back(schedules[k].expected_fps);
    measured.push_back(runtime::median(fps));
    const double error = 100.0 * (expected.back() / measured.back() - 1.0);
    if (k < candidates.alone.size() + kJudged) found.errors.push_back(std::abs(error));
    const auto [low, high] = std::minmax_element(fps.begin(), fps.end());
    found.sheet.rows.push_back({subject.variant, schedules[k].name, fixed(expected.back()),
                                fixed(measured.back()), fixed(*low), fixed(*high), fixed(error),
                                std::to_string(runs.value()[k].lost)});
  }
  found.least_kendall = std::min(found.least_kendall, runtime::kendall(expected, measured));
  return Done{};
}

// Ours: emulated processors, whose times hold still.
struct Emulated {
  Sheet sheet{{"network", "schedule", "expected period, ms", "measured", "error %", "latency alone, ms",
               "median at 80 %", "p99, full", "bound, full"},
              2};
  double worst_period = 0.0;   // measured / expected - 1, %
  double worst_latency = 0.0;  // at 80 % of the rate, times the latency alone
  double worst_full = 0.0;     // p99 / (frames under way * period) - 1, %
};

Status compare_emulated(const PlacedNetwork& subject, const std::string& zoo, const Measuring& how,
                        bool quick, Emulated& found) {
  const BenchFolder folder;
  const auto placed = placed_set(subject, zoo, how.cpus, quick, folder.path());
  if (!placed) return placed.errors();
  // The best with every number of stages there is.
  std::vector<Schedule> schedules;
  std::map<std::size_t, bool> taken;
  for (const Schedule& schedule : schedules_of(placed.value())) {
    if (schedule.staged() && !std::exchange(taken[schedule.variant().staging.stages.size()], true))
      schedules.push_back(schedule);
  }
  if (schedules.empty()) return Error{subject.variant, "no placement has stages", ""};
  const auto runs = at_their_limit(schedules, subject, how);
  if (!runs) return runs.errors();
  for (std::size_t k = 0; k < schedules.size(); ++k) {
    const profiles::Staging& staging = schedules[k].variant().staging;
    const auto at_80 = latency_at(0.8, schedules[k], subject, how);
    if (!at_80) return at_80.errors();
    const double period = 1.0 / schedules[k].expected_fps,
                 measured = 1.0 / runtime::median(runs.value()[k].fps);
    const double full = runtime::median(runs.value()[k].p99),
                 bound = period * static_cast<double>(under_way(schedules[k]));
    const double error = 100.0 * (measured / period - 1.0);
    found.worst_period = std::max(found.worst_period, std::abs(error));
    found.worst_latency = std::max(found.worst_latency, at_80.value() / staging.latency.value());
    found.worst_full = std::max(found.worst_full, 100.0 * (full / bound - 1.0));
    found.sheet.rows.push_back({subject.variant, schedules[k].name, in_ms(period), in_ms(measured),
                                fixed(error), in_ms(staging.latency.value()), in_ms(at_80.value()),
                                in_ms(full), in_ms(bound)});
  }
  return Done{};
}

const std::vector<PlacedNetwork>& real_subjects() {
  static const std::vector<PlacedNetwork> subjects = {
      {"yard-detector.json", "w1.00-192-fp32", "yard", 3, {1.0, 1.0}},
      {"yard-detector.json", "w0.75-224-fp32", "yard", 3, {1.0, 1.0}}};
  return subjects;
}
const std::vector<PlacedNetwork>& emulated_subjects() {
  static const std::vector<PlacedNetwork> subjects = {
      {"mobilenet_v2-glyphs.json", "w1.00-d1.00-fp32", "glyphs", 1, {8.0, 20.0}},
      {"resnext-vehicles.json", "w1.00-d1.00-fp32", "vehicles", 1, {8.0, 20.0}}};
  return subjects;
}

std::vector<FigureCheck> asked_of(const Expectation& rates, const Emulated& emulated) {
  const double mean = std::accumulate(rates.errors.begin(), rates.errors.end(), 0.0) /
                      static_cast<double>(rates.errors.size());
  const double worst = *std::max_element(rates.errors.begin(), rates.errors.end());
  return {
      {"expected against measured rate, mean error of 5 cuts and both processors alone, %", 9.5, false, mean},
      {"the largest of these errors, %", 17.2, false, worst},
      {"order of 8 schedules, Kendall's tau-b of the worse network", 0.8, true, rates.least_kendall},
      {"emulated: measured period beside the bound, largest error, %", 5.0, false, emulated.worst_period},
      {"emulated: median latency at 80 % of the rate, times that of a frame alone", 1.3, false,
       emulated.worst_latency},
      {"emulated: p99 latency of a full pipeline above its frames under way times the period, %", 5.0, false,
       emulated.worst_full}};
}

std::vector<PlacementTable> tables_of(const Measuring& how, Expectation rates, Emulated emulated) {
  const std::string served = "Median of " + std::to_string(how.runs) + " runs of " + fixed(how.each.value()) +
                             " s each, with " + how.backend->version() +
                             "; a client sends a frame whenever one is answered.";
  const std::vector<FigureCheck> checks = asked_of(rates, emulated);
  return {{"expected and measured",
           "Paper 000, tables 3 and 4 and figure 11: expected and **measured** rate of both processors alone "
           "and of "
           "the best cuts in two, each processor a CPU of this machine. Layers are measured and placed by "
           "`saccade "
           "profile --layers` and `saccade place`, then served at the limit. " +
               served + " The paper was 9.5 % off on average and 17.2 % at most, on a board.",
           std::move(rates.sheet)},
          {"emulated pipelines",
           "The best placements on two **emulated** processors, 8 and 20 times slower than a CPU. " + served +
               " At 80 %: a camera with 80 % of the frames, from when a frame is due. Full: from sending, "
               "with as "
               "many frames under way as all queues hold.",
           std::move(emulated.sheet)},
          {"asked of the measured", "What is asked of these two tables.", sheet_of(checks)}};
}

}  // namespace

Result<std::vector<PlacementTable>> measured_tables(const std::string& zoo, const PlacementSizes& sizes,
                                                    const std::function<void(double share)>& report) {
  Measuring how;
  how.cpus = runtime::allowed_cpus();
  if (how.cpus.size() < 2) return Error{"bench placement", "pipelines need two CPUs", ""};
  auto backend = runtime::make_backend("onnxruntime");
  if (!backend) return backend.errors();
  how.backend = std::move(backend).value();
  if (sizes.quick) {
    how.runs = how.subjects = 1;
    how.each = Seconds(0.3);
  }
  Expectation rates;
  Emulated emulated;
  for (std::size_t k = 0; k < how.subjects; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(how.subjects);
    report(share);
    const Status real = compare_rates(real_subjects()[k], zoo, how, sizes.quick, rates);
    if (!real) return real.errors();
    report(share + 0.5 / static_cast<double>(how.subjects));
    const Status slow = compare_emulated(emulated_subjects()[k], zoo, how, sizes.quick, emulated);
    if (!slow) return slow.errors();
  }
  return tables_of(how, std::move(rates), std::move(emulated));
}

}  // namespace saccade::bench
