// Table I: fp16 and int8 against fp32 of the same size, from the measured profile sets.
#include <functional>
#include <optional>

#include "bench/paper/experiments.hpp"
#include "bench/paper/statistics.hpp"

namespace saccade::bench {
namespace {

using profiles::Precision;
using profiles::ProfileSet;
using profiles::Variant;

using Ratio = std::function<std::optional<double>(const Variant& reduced, const Variant& fp32)>;

std::vector<double> ratios(const ProfileSet& set, Precision precision, const Ratio& ratio) {
  std::vector<double> values;
  for (const Variant& reduced : set.variants) {
    if (reduced.precision != precision) continue;
    for (const Variant& fp32 : set.variants) {
      if (fp32.precision != Precision::fp32 || fp32.width != reduced.width || fp32.depth != reduced.depth)
        continue;
      if (const auto value = ratio(reduced, fp32)) values.push_back(*value);
    }
  }
  return values;
}

double frame_seconds(const Variant& variant, int regions) {
  double sum = 0.0;
  for (const auto& [processor, time] : profiles::time_per_frame(variant, regions)) sum += time.value();
  return sum;
}

template <class T>
std::optional<double> quotient(const std::optional<T>& a, const std::optional<T>& b) {
  return a && b ? std::optional(a->value() / b->value()) : std::nullopt;
}

Cell both(const std::vector<double>& values, double best, int digits) {
  if (values.empty()) return absent();
  return word(number(spread_of(values).mean, digits).text + " / " + number(best, digits).text);
}

struct Gains {                // of one reduced precision against fp32, one value per size
  std::vector<double> image;  // speed-up
  std::vector<double> frame;  // speed-up
  std::vector<double> memory;
  std::vector<double> load;
  std::vector<double> points;  // of accuracy
  std::vector<double> kept;    // load from the kept graph / without
};

Gains gains_of(const ProfileSet& set, Precision precision, int regions) {
  Gains gains;
  gains.image = ratios(set, precision, [](const Variant& reduced, const Variant& fp32) {
    return std::optional(frame_seconds(fp32, 1) / frame_seconds(reduced, 1));
  });
  gains.frame = ratios(set, precision, [&](const Variant& reduced, const Variant& fp32) {
    return std::optional(frame_seconds(fp32, regions) / frame_seconds(reduced, regions));
  });
  gains.memory = ratios(set, precision, [](const Variant& reduced, const Variant& fp32) {
    return quotient(reduced.memory, fp32.memory);
  });
  gains.load = ratios(set, precision, [](const Variant& reduced, const Variant& fp32) {
    return quotient(reduced.load_time, fp32.load_time);
  });
  gains.points = ratios(set, precision, [](const Variant& reduced, const Variant& fp32) {
    return std::optional(100.0 * (reduced.accuracy - fp32.accuracy));
  });
  gains.kept = ratios(set, precision, [](const Variant& reduced, const Variant&) {
    return quotient(reduced.load_time, reduced.load_time_uncached);
  });
  return gains;
}

std::vector<Cell> gains_row(const std::string& network, Precision precision, const Gains& gains) {
  return {word(network),
          word(to_string(precision)),
          both(gains.image, spread_of(gains.image).most, 2),
          both(gains.frame, spread_of(gains.frame).most, 2),
          both(gains.memory, spread_of(gains.memory).least, 2),
          both(gains.load, spread_of(gains.load).least, 2),
          both(gains.points, spread_of(gains.points).least, 2),
          both(gains.kept, spread_of(gains.kept).least, 2)};
}

void append_gains(Gains& all, const Gains& more) {
  for (std::vector<double> Gains::*part : {&Gains::frame, &Gains::memory, &Gains::load, &Gains::kept}) {
    (all.*part).insert((all.*part).end(), (more.*part).begin(), (more.*part).end());
  }
}

std::vector<Comparison> precision_comparisons(const Gains& int8) {
  const Spread speed = spread_of(int8.frame), memory = spread_of(int8.memory), load = spread_of(int8.load);
  return {{"half precision (ours: int8), speed-up, mean / best", "1.0 to 1.1 / 2.2",
           number(speed.mean, 2).text + " / " + number(speed.most, 2).text},
          {"memory, mean / least", "0.8 to 0.9 / 0.5",
           number(memory.mean, 2).text + " / " + number(memory.least, 2).text},
          {"engine build (ours: load), mean / least", "0.3 to 0.5 / 0.1",
           number(load.mean, 2).text + " / " + number(load.least, 2).text},
          {"optimised engine against plain", "speed-up 2.6 to 10.9 (mean), 18.8 (best)",
           "load " + number(spread_of(int8.kept).mean, 2).text +
               " of that without kept graphs; speed: see the optimised engine below"},
          {"power", "0.4 to 0.8 (mean)", "not measured"}};
}

}  // namespace

Result<Finding> precisions(const Context& context) {
  const int regions = context.bed.scenario.columns * context.bed.scenario.rows;
  Finding finding;
  finding.name = "table1";
  finding.title = "Table I: precisions against fp32";
  finding.about =
      "From the measured profile sets: each fp16 and int8 variant against the fp32 variant of the same width "
      "and "
      "depth; mean / best over the sizes. Speed-ups above 1 are faster; memory and load below 1 are less. "
      "fp16 is "
      "a storage format here: the CPU computes in fp32. Optimised against plain: the engine library keeps "
      "the optimised graph beside the model, and what that saves is the load.";
  FindingTable table{"table1",
                     "Against fp32, mean / best",
                     {"network", "precision", "speed-up, one image", "speed-up, one frame", "memory", "load",
                      "accuracy (points, mean / worst)", "load from the kept graph / without"},
                     {}};
  Gains int8;
  for (const profiles::ProfileSetPtr& set : context.bed.measured) {
    for (const Precision precision : {Precision::fp16, Precision::int8}) {
      const Gains gains = gains_of(*set, precision, regions);
      table.rows.push_back(gains_row(set->network, precision, gains));
      if (precision == Precision::int8) append_gains(int8, gains);
    }
  }
  finding.comparisons = precision_comparisons(int8);
  finding.remarks = {
      "A CPU gains from int8 what the paper's GPU gains from fp16, and gains it at full batches; small "
      "networks at one image gain nothing. Plain engines are not part of the profile sets: the experiment "
      "`plain` measures them."};
  finding.tables.push_back(std::move(table));
  return finding;
}

}  // namespace saccade::bench
