#include "app/report/profile_report.hpp"

#include <algorithm>
#include <ostream>
#include <set>

#include "app/report/table.hpp"
#include "pareto/front.hpp"
#include "profiles/profile_io.hpp"

namespace saccade::app {

namespace {

using Align = Table::Align;

std::string milliseconds(double seconds) { return short_number(1e3 * seconds); }

template <class Tag>
std::string bytes_or_dash(const std::optional<Quantity<Tag>>& bytes) {
  return bytes ? short_bytes(bytes->value()) : "-";
}

std::string milliseconds_or_dash(const std::optional<Seconds>& time) {
  return time ? milliseconds(time->value()) : "-";
}

// 0: no energy of a batch is known.
int largest_energy_batch(const profiles::ProfileSet& set) {
  int largest = 0;
  for (const profiles::Variant& variant : set.variants) {
    if (!variant.batch_energy.empty()) largest = std::max(largest, variant.batch_energy.rbegin()->first);
  }
  return largest;
}

std::string millijoules_per_image(const profiles::Variant& variant, int batch) {
  const auto whole = variant.batch_energy.find(batch);
  return whole == variant.batch_energy.end() ? "-" : short_number(1e3 * whole->second.value() / batch);
}

bool has_energy(const profiles::ProfileSet& set) {
  return std::any_of(set.variants.begin(), set.variants.end(),
                     [](const profiles::Variant& v) { return v.energy_per_inference.has_value(); });
}

bool has_interval(const profiles::ProfileSet& set) {
  return std::any_of(set.variants.begin(), set.variants.end(),
                     [](const profiles::Variant& v) { return v.accuracy_interval.has_value(); });
}

// What the accuracies are of, where the set says it.
void print_accuracy_source(const profiles::ProfileSet& set, std::ostream& out) {
  const profiles::Provenance& provenance = set.provenance;
  if (!provenance.accuracy_source) return;
  const bool taught = *provenance.accuracy_source == profiles::AccuracySource::teacher;
  out << "accuracy (" << set.interface.metric << ") "
      << (taught ? "against a teacher, not against labels: " : "on ") << provenance.accuracy_data << '\n';
}

// Of the variants that are wrong in every picture of their own data.
void add_useless(const runtime::MeasuredProfiles& measured, Errors& notes) {
  const profiles::ProfileSet& set = measured.set;
  for (std::size_t v = 0; v < measured.accuracy.size(); ++v) {
    if (measured.accuracy[v].value > 0.0) continue;
    const std::string model = set.variants[v].model.empty() ? "FILE" : set.variants[v].model;
    std::string what = "nothing that it answers is right";
    if (set.interface.task == profiles::NetworkTask::detect) {
      what = measured.accuracy[v].found == 0.0
                 ? "it finds no object of any score"
                 : "none of the " + short_number(measured.accuracy[v].found) + " objects it finds is right";
    }
    notes.push_back(
        {set.network + " " + set.variants[v].id.str(),
         "its accuracy is 0: " + what + " in " + std::to_string(set.variants[v].accuracy_images.value_or(0)) +
             " pictures",
         "look at the order of labels, at interface.input (color, scale, mean, std, resize) and at "
         "interface.decoder (layout, box, unit); `saccade inspect " +
             model + "` prints what the file says of them"});
  }
}

// All of them are measured on one processor.
double frame_time(const profiles::Variant& variant) { return variant.frame_time.begin()->second.value(); }

}  // namespace

std::vector<std::size_t> accuracy_time_front(const profiles::ProfileSet& set) {
  Eigen::MatrixXd costs(static_cast<Eigen::Index>(set.variants.size()), 2);
  for (std::size_t v = 0; v < set.variants.size(); ++v) {
    costs(static_cast<Eigen::Index>(v), 0) = -set.variants[v].accuracy;
    costs(static_cast<Eigen::Index>(v), 1) = frame_time(set.variants[v]);
  }
  std::vector<std::size_t> front = pareto::front(costs);
  std::sort(front.begin(), front.end(), [&](std::size_t a, std::size_t b) {
    return frame_time(set.variants[a]) < frame_time(set.variants[b]);
  });
  return front;
}

void print_profiles(const runtime::MeasuredProfiles& measured, std::ostream& out) {
  const profiles::ProfileSet& set = measured.set;
  const ProcessorId& processor = set.device.processors.front();
  out << set.network << " on " << set.device.name << ", " << set.provenance.engine << ", "
      << set.provenance.frames.value_or(0) << " rounds\n";
  print_accuracy_source(set, out);
  std::vector<Table::Column> columns = {{"variant", Align::left}, {"front", Align::left}};
  for (const char* title : {"accuracy", "frame ms", "mean ms", "p99 ms", "spread"}) {
    columns.push_back({title, Align::right});
  }
  for (const auto& [batch, times] : set.variants.front().batch_time) {
    columns.push_back({"batch " + std::to_string(batch) + " ms", Align::right});
  }
  for (const char* title : {"memory", "load ms", "uncached ms", "load peak"}) {
    columns.push_back({title, Align::right});
  }
  const bool interval = has_interval(set);
  if (interval) columns.push_back({"accuracy 95 %", Align::right});
  const bool energy = has_energy(set);
  if (energy) columns.push_back({"mJ/image", Align::right});
  const int energy_batch = largest_energy_batch(set);
  if (energy_batch > 0) {
    columns.push_back({"mJ/image at " + std::to_string(energy_batch), Align::right});
  }
  Table table(columns);
  const std::vector<std::size_t> front = accuracy_time_front(set);
  for (std::size_t v = 0; v < set.variants.size(); ++v) {
    const profiles::Variant& variant = set.variants[v];
    const bool on_front = std::find(front.begin(), front.end(), v) != front.end();
    std::vector<std::string> cells = {variant.id.str(),
                                      on_front ? "*" : "",
                                      short_number(variant.accuracy),
                                      milliseconds(frame_time(variant)),
                                      milliseconds(measured.mean[v]),
                                      milliseconds(variant.frame_time_p99.at(processor).value()),
                                      short_number(100.0 * measured.spread[v]) + " %"};
    for (const auto& [batch, times] : variant.batch_time) {
      cells.push_back(milliseconds(times.at(processor).value()));
    }
    cells.push_back(bytes_or_dash(variant.memory));
    cells.push_back(milliseconds_or_dash(variant.load_time));
    cells.push_back(milliseconds_or_dash(variant.load_time_uncached));
    cells.push_back(bytes_or_dash(variant.load_peak));
    if (interval) {
      const auto& range = variant.accuracy_interval;
      cells.push_back(range ? short_number(range->first) + " to " + short_number(range->second) : "-");
    }
    if (energy) {
      const auto& joules = variant.energy_per_inference;
      cells.push_back(joules ? short_number(1e3 * joules->value()) : "-");
    }
    if (energy_batch > 0) cells.push_back(millijoules_per_image(variant, energy_batch));
    table.add_row(std::move(cells));
  }
  table.print(out);
}

Errors notes_on(const runtime::MeasuredProfiles& measured) {
  Errors notes = profiles::warnings(measured.set);
  add_useless(measured, notes);
  std::string pairs;
  for (const auto& [faster, slower] : measured.unranked) {
    pairs += (pairs.empty() ? "" : ", ") + measured.set.variants[faster].id.str() + " and " +
             measured.set.variants[slower].id.str();
  }
  if (!pairs.empty()) {
    notes.push_back(
        {measured.set.network, "these neighbours cannot be ranked by their frame times: " + pairs, ""});
  }
  return notes;
}

Chart front_chart(const profiles::ProfileSet& set) {
  Chart chart;
  chart.title = set.network + " on " + set.device.name;
  chart.x_label = "frame time (ms)";
  chart.y_label = "accuracy";
  chart.x_log = true;
  Series front{"front", Series::Style::steps, {}, {}};
  front.muted = true;
  for (const std::size_t v : accuracy_time_front(set)) {
    front.x.push_back(1e3 * frame_time(set.variants[v]));
    front.y.push_back(set.variants[v].accuracy);
  }
  chart.series.push_back(std::move(front));
  for (const profiles::Precision precision : profiles::kPrecisions) {
    Series points{to_string(precision), Series::Style::points, {}, {}};
    for (const profiles::Variant& variant : set.variants) {
      if (variant.precision != precision) continue;
      points.x.push_back(1e3 * frame_time(variant));
      points.y.push_back(variant.accuracy);
    }
    if (!points.x.empty()) chart.series.push_back(std::move(points));
  }
  return chart;
}

}  // namespace saccade::app
