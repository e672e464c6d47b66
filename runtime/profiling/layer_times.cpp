#include "runtime/profiling/layer_times.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"
#include "runtime/profiling/profile_statistics.hpp"

namespace saccade::runtime {

std::vector<std::size_t> timed_chains(std::size_t groups) {
  return {groups, groups / 2, (groups - 1) / 2, 1};
}

std::vector<GroupSpan> timed_spans(std::size_t groups) {
  std::vector<GroupSpan> spans;
  for (std::size_t k = 0; k < groups; ++k) spans.emplace_back(k, k + 1);
  for (const std::size_t begin : {std::size_t{0}, std::size_t{1}}) {
    for (std::size_t k = begin; k + 1 < groups; k += 2) spans.emplace_back(k, k + 2);
  }
  spans.emplace_back(0, groups);
  return spans;
}

double LayerTimes::sum_alone() const {
  return std::accumulate(alone.begin(), alone.end(), whole_parts[0] + whole_parts[2]);
}

double LayerTimes::sum_shares() const { return std::accumulate(share.begin(), share.end(), 0.0); }

LayerTimes layer_times(const Samples& samples, std::size_t groups, const TimeParts& parts) {
  SACCADE_CHECK(groups > 0 && samples.size() == timed_spans(groups).size() && !samples.back().empty());
  LayerTimes times;
  times.rounds = samples.back().size();
  for (std::size_t k = 0; k < groups; ++k) {
    times.alone.push_back(median(samples[k]));
    times.alone_p99.push_back(quantile(samples[k], 0.99));
  }
  for (std::size_t k = 0; k + 1 < groups; ++k) {
    const double together = median(samples[groups + (k % 2) * (groups / 2) + k / 2]);
    times.apart.push_back(std::max(times.alone[k] + times.alone[k + 1] - together, 0.0));
  }
  for (std::size_t i = 0; i < parts.size(); ++i)
    times.whole_parts[i] = parts[i] / static_cast<double>(times.rounds);
  times.whole = median(samples.back());
  times.whole_p99 = quantile(samples.back(), 0.99);
  for (std::size_t k = 0; k < groups; ++k) {
    const double before = k > 0 ? times.apart[k - 1] : 0.0, behind = k + 1 < groups ? times.apart[k] : 0.0;
    times.share.push_back(std::max(times.alone[k] - (before + behind) / 2.0, 0.0));
  }
  times.share.front() += times.whole_parts[0];
  times.share.back() += times.whole_parts[2];
  return times;
}

Result<LayerTimes> measure_layers(const LayerTrial& trial, const RoundLimits& limits, const Clock& clock) {
  RoundTrial rounds;
  rounds.engines = timed_spans(trial.groups).size();
  rounds.load = trial.load;
  rounds.chains = timed_chains(trial.groups);
  std::vector<TimeParts> parts;
  std::size_t last = 0;
  rounds.infer = [&](std::size_t span, Engine& engine) {
    last = span;
    return trial.run(span, engine);
  };
  rounds.last_parts = [&] { return last + 1 == rounds.engines ? trial.whole_parts() : TimeParts{}; };
  rounds.parts = &parts;
  rounds.report = trial.report;
  rounds.rest = trial.rest;
  const auto samples = measure_rounds(rounds, limits, clock);
  if (!samples) return samples.errors();
  return layer_times(samples.value(), trial.groups, parts.back());
}

}  // namespace saccade::runtime
