#include "vision/accuracy/average_precision.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "base/check.hpp"

namespace saccade::vision {
namespace {

struct Mean {
  double sum = 0.0;
  std::size_t count = 0;

  void add(double value) {
    sum += value;
    ++count;
  }
  [[nodiscard]] std::optional<double> value() const {
    if (count == 0) return std::nullopt;
    return sum / static_cast<double>(count);
  }
};

// Of sorted values, not empty; linear between two of them.
double percentile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - std::floor(at)) * (sorted[above] - sorted[below]);
}

// Where the figure would lie with other pictures: what the samples differ from their mean, laid about the
// figure.
std::optional<PrecisionInterval> interval_of(const std::optional<double>& figure,
                                             std::vector<double> samples) {
  if (!figure || samples.empty()) return std::nullopt;
  std::sort(samples.begin(), samples.end());
  const double mean =
      std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
  const auto bound = [&](double share) {
    return std::clamp(*figure + percentile(samples, share) - mean, 0.0, 1.0);
  };
  return PrecisionInterval{bound(0.025), bound(0.975)};
}

// How often each picture is drawn. Own mapping of random bits: the same in every standard library.
void draw(std::mt19937_64& random, std::vector<std::uint32_t>& weights) {
  std::fill(weights.begin(), weights.end(), 0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::uint64_t picture = ((random() >> 32) * weights.size()) >> 32;
    ++weights[picture];
  }
}

void add_recalls(const PrecisionCurves& curves, std::uint64_t truths, Mean& mean) {
  for (std::size_t t = 0; t < kIouThresholds; ++t) mean.add(curves.recall(t, truths));
}

}  // namespace

PrecisionInterval share_interval(const std::vector<bool>& right, std::uint64_t seed, std::size_t samples) {
  SACCADE_CHECK(!right.empty() && samples > 0);
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> weights(right.size());
  std::vector<double> shares;
  const auto pictures = static_cast<double>(right.size());
  for (std::size_t sample = 0; sample < samples; ++sample) {
    draw(random, weights);
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < right.size(); ++i) count += right[i] ? weights[i] : 0;
    shares.push_back(static_cast<double>(count) / pictures);
  }
  const auto count = static_cast<double>(std::count(right.begin(), right.end(), true));
  return *interval_of(count / pictures, std::move(shares));
}

PrecisionInterval range_of_others(double figure, const PrecisionInterval& interval, std::size_t pictures,
                                  std::size_t others) {
  SACCADE_CHECK(pictures > 0 && others > 0);
  const double wider = std::sqrt(1.0 + static_cast<double>(pictures) / static_cast<double>(others));
  return {std::max(0.0, figure - wider * (figure - interval.low)),
          std::min(1.0, figure + wider * (interval.high - figure))};
}

std::array<PrecisionFigures::Figure, 12> PrecisionFigures::in_coco_order() const {
  return {map,      map50,     map75,      map_small,    map_medium,    map_large,
          recall_1, recall_10, recall_100, recall_small, recall_medium, recall_large};
}

void DetectionAccuracy::add(std::span<const Truth> truths, std::span<const Object> objects) {
  const auto picture = static_cast<std::uint32_t>(pictures_++);
  for (const LabelMatches& matches : match_picture(truths, objects)) {
    SACCADE_CHECK(matches.label >= 0 && static_cast<std::size_t>(matches.label) < labels_.size());
    Label& label = labels_[static_cast<std::size_t>(matches.label)];
    label.known.push_back({picture, matches.truths});
    for (const Verdict& verdict : matches.objects) label.found.push_back({verdict, picture});
  }
  sorted_ = false;
}

void DetectionAccuracy::sort() {
  if (sorted_) return;
  for (Label& label : labels_) {
    std::stable_sort(label.found.begin(), label.found.end(), [](const Found& a, const Found& b) {
      if (a.verdict.score != b.verdict.score) return a.verdict.score > b.verdict.score;
      return a.picture < b.picture;
    });
  }
  sorted_ = true;
}

std::vector<RankedObject> DetectionAccuracy::rank(const Label& label, AreaRange range, std::size_t most) {
  constexpr unsigned kAll = (1U << kIouThresholds) - 1;
  const auto index = static_cast<std::size_t>(range);
  std::vector<RankedObject> ranked;
  for (const Found& found : label.found) {
    const Verdict& verdict = found.verdict;
    if (verdict.rank >= most || verdict.ignored[index] == kAll) continue;
    ranked.push_back({found.picture, verdict.right[index], verdict.ignored[index]});
  }
  return ranked;
}

PrecisionCurves DetectionAccuracy::traced(const Label& label, AreaRange range, std::size_t most) {
  PrecisionCurves curves;
  curves.trace(rank(label, range, most), {});
  return curves;
}

std::uint64_t DetectionAccuracy::truths(const Label& label, AreaRange range,
                                        std::span<const std::uint32_t> weights) {
  std::uint64_t sum = 0;
  for (const Known& known : label.known) {
    const std::uint64_t weight = weights.empty() ? 1 : weights[known.picture];
    sum += weight * known.truths[static_cast<std::size_t>(range)];
  }
  return sum;
}

PrecisionFigures DetectionAccuracy::figures() {
  constexpr std::array kRanges = {AreaRange::all, AreaRange::small, AreaRange::medium, AreaRange::large};
  sort();
  PrecisionFigures figures;
  std::array<Mean, kAreaRanges> precision;
  std::array<Mean, kAreaRanges> recall;
  std::array<Mean, kIouThresholds> at_threshold;
  Mean recall_1, recall_10;
  for (const Label& label : labels_) {
    Mean own;
    Mean own50;
    for (const AreaRange range : kRanges) {
      const auto index = static_cast<std::size_t>(range);
      const std::uint64_t count = truths(label, range, {});
      if (count == 0) continue;
      const PrecisionCurves curves = traced(label, range, kMostObjects);
      for (std::size_t t = 0; t < kIouThresholds; ++t) {
        const double value = curves.average_precision(t, count);
        precision[index].add(value);
        if (range != AreaRange::all) continue;
        at_threshold[t].add(value);
        own.add(value);
        if (t == kIou50) own50.add(value);
      }
      add_recalls(curves, count, recall[index]);
      if (range != AreaRange::all) continue;
      add_recalls(traced(label, range, 1), count, recall_1);
      add_recalls(traced(label, range, 10), count, recall_10);
    }
    figures.label_map.push_back(own.value());
    figures.label_map50.push_back(own50.value());
  }
  figures.map = precision[0].value();
  figures.map50 = at_threshold[kIou50].value();
  figures.map75 = at_threshold[kIou75].value();
  figures.map_small = precision[1].value();
  figures.map_medium = precision[2].value();
  figures.map_large = precision[3].value();
  figures.recall_1 = recall_1.value();
  figures.recall_10 = recall_10.value();
  figures.recall_100 = recall[0].value();
  figures.recall_small = recall[1].value();
  figures.recall_medium = recall[2].value();
  figures.recall_large = recall[3].value();
  return figures;
}

std::vector<MeanPrecision> DetectionAccuracy::resample(std::uint64_t seed, std::size_t samples) {
  sort();
  std::vector<std::vector<RankedObject>> ranked;
  for (const Label& label : labels_) ranked.push_back(rank(label, AreaRange::all, kMostObjects));
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> weights(pictures_);
  std::vector<MeanPrecision> values;
  PrecisionCurves curves;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    draw(random, weights);
    Mean map;
    Mean map50;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const std::uint64_t count = truths(labels_[i], AreaRange::all, weights);
      if (count == 0) continue;
      curves.trace(ranked[i], weights);
      for (std::size_t t = 0; t < kIouThresholds; ++t) {
        const double value = curves.average_precision(t, count);
        map.add(value);
        if (t == kIou50) map50.add(value);
      }
    }
    if (map.count > 0) values.push_back({*map.value(), *map50.value()});
  }
  return values;
}

PrecisionIntervals DetectionAccuracy::intervals(std::uint64_t seed, std::size_t samples) {
  std::vector<double> map;
  std::vector<double> map50;
  for (const MeanPrecision& sample : resample(seed, samples)) {
    map.push_back(sample.map);
    map50.push_back(sample.map50);
  }
  const PrecisionFigures own = figures();
  return {interval_of(own.map, std::move(map)), interval_of(own.map50, std::move(map50))};
}

}  // namespace saccade::vision
