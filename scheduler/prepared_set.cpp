#include "scheduler/prepared_set.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "pareto/front.hpp"

namespace saccade::scheduler {
namespace {

constexpr std::size_t kMostProcessors = 16;  // beyond, rows would be mostly empty
constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

// Owns a shared set together with what was prepared of it: std::get_deleter() leads from the one to the
// other.
struct PreparedOwner {
  PreparedSet prepared;
  const profiles::ProfileSet* of;
  void operator()(const profiles::ProfileSet* set) const {
    std::default_delete<const profiles::ProfileSet>()(set);
  }
};

void fill_row(const profiles::Variant& variant, PreparedSet& prepared, double* row) {
  const std::optional<Joules> energy = profiles::energy_per_frame(variant, 1);
  const double best = prepared.best_accuracy;
  row[PreparedSet::kAccuracy] = variant.accuracy;
  row[PreparedSet::kRelative] = best > 0.0 ? variant.accuracy / best : 1.0;
  row[PreparedSet::kEnergy] = energy ? energy->value() : kNotMeasured;
  row[PreparedSet::kMemory] = variant.memory ? variant.memory->value() : kNotMeasured;
  const std::vector<ProcessorId>& processors = prepared.processors;
  for (const auto& [processor, time] : variant.frame_time) {
    const auto place = std::lower_bound(processors.begin(), processors.end(), processor);
    row[PreparedSet::kTimes + static_cast<std::size_t>(place - processors.begin())] = time.value();
  }
  prepared.all_plausible = prepared.all_plausible && plausible(variant);
  prepared.all_have_energy = prepared.all_have_energy && energy.has_value();
  prepared.all_have_memory = prepared.all_have_memory && variant.memory.has_value();
}

// `order`: of the variants by falling accuracy.
std::vector<std::size_t> front_of(const PreparedSet& prepared, const std::vector<pareto::Place>& order,
                                  bool energy, bool memory) {
  const std::size_t columns = 1 + prepared.processors.size() + (energy ? 1 : 0) + (memory ? 1 : 0);
  std::vector<double> costs(order.size() * columns);
  double* cost = costs.data();
  for (std::size_t variant = 0; variant < order.size(); ++variant) {
    const double* const row = prepared.row(variant);
    *cost++ = -row[PreparedSet::kAccuracy];
    cost = std::copy(row + PreparedSet::kTimes, row + prepared.width(), cost);
    if (energy) *cost++ = row[PreparedSet::kEnergy];
    if (memory) *cost++ = row[PreparedSet::kMemory];
  }
  const auto preferred = [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t variant) {
      const double* const row = prepared.row(variant);
      return std::tuple(prepared.all_have_energy ? row[PreparedSet::kEnergy] : 0.0,
                        prepared.all_have_memory ? row[PreparedSet::kMemory] : 0.0, variant);
    };
    return key(a) < key(b);
  };
  return pareto::front(order, costs, columns, preferred);
}

}  // namespace

bool plausible(const profiles::Variant& variant) {
  const auto not_negative = [](double value) { return value >= 0.0 && value <= kLargestMeasure; };
  const auto times = [](const profiles::TimeByProcessor& by_processor) {
    return std::all_of(by_processor.begin(), by_processor.end(), [](const auto& entry) {
      return entry.second.value() > 0.0 && entry.second.value() <= kLargestMeasure;
    });
  };
  const auto& power = variant.power;
  return !variant.frame_time.empty() && times(variant.frame_time) &&
         std::all_of(variant.batch_time.begin(), variant.batch_time.end(),
                     [&](const auto& batch) { return times(batch.second); }) &&
         variant.accuracy >= 0.0 && variant.accuracy <= 1.0 &&
         (!variant.energy_per_inference || not_negative(variant.energy_per_inference->value())) &&
         std::all_of(variant.batch_energy.begin(), variant.batch_energy.end(),
                     [&](const auto& batch) { return not_negative(batch.second.value()); }) &&
         (!variant.memory || not_negative(variant.memory->value())) &&
         (!variant.device_memory || not_negative(variant.device_memory->value())) &&
         (!power || !power->device || not_negative(power->device->value())) &&
         (!power || std::all_of(power->by_processor.begin(), power->by_processor.end(),
                                [&](const auto& entry) { return not_negative(entry.second.value()); }));
}

void prefetch(const profiles::Variant& variant) {
  constexpr std::ptrdiff_t kLine = 64;
  const char* const end = reinterpret_cast<const char*>(&variant.batch_energy + 1);
  for (const char* at = reinterpret_cast<const char*>(&variant.accuracy); at < end; at += kLine) {
    __builtin_prefetch(at);
  }
}

void prefetch_after(const std::vector<profiles::Variant>& variants, std::size_t at) {
  const std::size_t last = variants.size() - 1;
  const profiles::Variant& next = variants[std::min(at + 6, last)];
  if (!next.frame_time.empty()) __builtin_prefetch(&*next.frame_time.begin());
  prefetch(variants[std::min(at + 12, last)]);
}

PreparedSet::PreparedSet(const profiles::ProfileSet& set) {
  for (std::size_t variant = 0; variant < set.variants.size(); ++variant) {
    prefetch_after(set.variants, variant);
    best_accuracy = std::max(best_accuracy, set.variants[variant].accuracy);
    for (const auto& [processor, time] : set.variants[variant].frame_time) {
      const auto place = std::lower_bound(processors.begin(), processors.end(), processor);
      if (place == processors.end() || *place != processor) processors.insert(place, processor);
    }
  }
  if (processors.size() > kMostProcessors) processors.clear();
  if (processors.empty()) return;
  rows.assign(set.variants.size() * width(), 0.0);
  times.resize(processors.size());
  for (std::size_t variant = 0; variant < set.variants.size(); ++variant) {
    double* const figures = rows.data() + variant * width();
    fill_row(set.variants[variant], *this, figures);
    for (std::size_t p = 0; p < times.size(); ++p) times[p].push_back(figures[kTimes + p]);
  }
  if (!all_plausible) return;
  for (std::vector<double>& all : times) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  std::vector<double> errors(set.variants.size());
  for (std::size_t variant = 0; variant < errors.size(); ++variant)
    errors[variant] = -row(variant)[kAccuracy];
  const std::vector<pareto::Place> order = pareto::by_first(errors, errors.size(), 1);
  for (const bool energy : {false, true}) {
    for (const bool memory : {false, true}) {
      if ((energy && !all_have_energy) || (memory && !all_have_memory)) continue;
      fronts[(energy ? 1U : 0U) + (memory ? 2U : 0U)] = front_of(*this, order, energy, memory);
    }
  }
}

bool PreparedSet::keeps_order(std::size_t processor, double factor) const {
  if (factor == 1.0) return true;
  const std::vector<double>& all = times[processor];
  bool rises = true;
  for (std::size_t i = 1; i < all.size(); ++i) rises &= all[i - 1] * factor < all[i] * factor;
  return rises;
}

profiles::ProfileSetPtr prepare(profiles::ProfileSet set) {
  PreparedSet prepared(set);
  auto shared = std::make_unique<const profiles::ProfileSet>(std::move(set));
  if (prepared.processors.empty()) return shared;
  const profiles::ProfileSet* const of = shared.get();
  return {shared.release(), PreparedOwner{std::move(prepared), of}};
}

const PreparedSet* prepared(const profiles::ProfileSetPtr& set) {
  const PreparedOwner* const owner = std::get_deleter<PreparedOwner>(set);
  return owner == nullptr || owner->of != set.get() ? nullptr : &owner->prepared;
}

}  // namespace saccade::scheduler
