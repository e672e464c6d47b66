#include "app/report/selection_report.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <ostream>
#include <utility>

#include "app/report/table.hpp"

namespace saccade::app {
namespace {

using nlohmann::ordered_json;
using Align = Table::Align;

constexpr std::size_t kMostLabels = 20;  // more words than that hide the points
constexpr std::size_t kMostNames = 3;    // in a complaint
constexpr double kWideRange = 20.0;      // slowest / fastest from which times stand on a log axis

std::string in_milliseconds(Seconds time) { return short_number(1e3 * time.value()); }

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

bool has(const std::vector<std::size_t>& sorted, std::size_t variant) {
  return std::binary_search(sorted.begin(), sorted.end(), variant);
}

void print_selections(const SelectionReport& report, std::ostream& out) {
  Table table({{"selection", Align::left},
               {"compares", Align::left},
               {"kept", Align::right},
               {"fastest", Align::left},
               {"ms", Align::right},
               {"best", Align::left},
               {"accuracy", Align::right}});
  for (const SelectionView& seen : report.view.selections) {
    const profiles::Variant& fastest = report.set->variants[seen.fastest];
    const profiles::Variant& best = report.set->variants[seen.most_accurate];
    table.add_row({to_string(seen.selection), seen.measures.empty() ? "nothing" : joined(seen.measures),
                   std::to_string(seen.kept.size()), fastest.id.str(),
                   in_milliseconds(report.view.costs[seen.fastest].total_time()), best.id.str(),
                   short_number(best.accuracy)});
  }
  table.print(out);
}

// The fastest first.
void print_variants(const SelectionReport& report, std::ostream& out) {
  const std::vector<scheduler::VariantCost>& costs = report.view.costs;
  std::vector<Table::Column> columns = {{"variant", Align::left}};
  for (const char* title : {"accuracy", "ms", "memory", "energy mJ"})
    columns.push_back({title, Align::right});
  for (const SelectionView& seen : report.view.selections) columns.push_back({to_string(seen.selection)});
  Table table(columns);
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&costs](std::size_t a, std::size_t b) {
    return costs[a].total_time() < costs[b].total_time();
  });
  for (const std::size_t v : order) {
    std::vector<std::string> cells = {report.set->variants[v].id.str(), short_number(costs[v].accuracy),
                                      in_milliseconds(costs[v].total_time()),
                                      costs[v].memory ? short_bytes(costs[v].memory->value()) : "-",
                                      costs[v].energy ? short_number(1e3 * costs[v].energy->value()) : "-"};
    for (const SelectionView& seen : report.view.selections) {
      cells.emplace_back(has(seen.unmeasured, v) ? "?" : has(seen.kept, v) ? "*" : "");
    }
    table.add_row(std::move(cells));
  }
  table.print(out);
}

std::string names(const profiles::ProfileSet& set, const std::vector<std::size_t>& variants) {
  if (variants.size() == set.variants.size()) return "any variant";
  std::vector<std::string> first;
  for (std::size_t i = 0; i < std::min(kMostNames, variants.size()); ++i) {
    first.push_back(set.variants[variants[i]].id.str());
  }
  const std::size_t more = variants.size() - first.size();
  return joined(first) + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

// Leaves out words that would be drawn over others; the tables have them all. A word stands to the right
// of its point; sizes are shares of the drawing.
void thin_out(const std::vector<Series*>& labelled, const Chart& chart) {
  constexpr double kCharacter = 0.0085;
  constexpr double kLine = 0.025;
  struct Range {
    double least = std::numeric_limits<double>::max();
    double most = std::numeric_limits<double>::lowest();
    void add(double value) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
    [[nodiscard]] double share(double value) const {
      return most > least ? (value - least) / (most - least) : 0.0;
    }
  };
  const auto across = [&chart](double x) { return chart.x_log ? std::log(x) : x; };
  Range xs, ys;
  for (const Series& series : chart.series) {
    for (const double x : series.x) xs.add(across(x));
    for (const double y : series.y) ys.add(y);
  }
  struct Box {
    double left, right, y;
  };
  std::vector<Box> drawn;
  for (Series* series : labelled) {
    for (std::size_t i = 0; i < series->labels.size(); ++i) {
      const double left = xs.share(across(series->x[i]));
      const Box box{left, left + kCharacter * static_cast<double>(series->labels[i].size()),
                    ys.share(series->y[i])};
      const bool covers = std::any_of(drawn.begin(), drawn.end(), [&box](const Box& other) {
        return box.left < other.right && other.left < box.right && std::abs(box.y - other.y) < kLine;
      });
      if (covers) series->labels[i].clear();
      if (!covers) drawn.push_back(box);
    }
  }
}

}  // namespace

void print_report(const SelectionReport& report, std::ostream& out) {
  const profiles::ProfileSet& set = *report.set;
  out << set.network << " on " << set.device.name << ": " << set.variants.size() << " variants";
  if (report.regions > 1) out << ", " << report.regions << " inferences per frame";
  out << "\n\n";
  print_selections(report, out);
  out << '\n';
  print_variants(report, out);
  out << "* kept   ? kept because a measure is absent\n";
  for (const std::filesystem::path& file : report.drawn) out << file.string() << '\n';
}

Errors absent_measures(const SelectionReport& report) {
  using scheduler::VariantCost;
  const std::pair<const char*, std::function<bool(const VariantCost&)>> measures[] = {
      {"memory", [](const VariantCost& cost) { return cost.memory.has_value(); }},
      {"energy", [](const VariantCost& cost) { return cost.energy.has_value(); }},
      {"power",
       [](const VariantCost& cost) {
         return std::all_of(cost.power_by_processor.begin(), cost.power_by_processor.end(),
                            [](const std::optional<Watts>& watts) { return watts.has_value(); });
       }},
  };
  Errors notes;
  for (const auto& [measure, is_known] : measures) {
    std::vector<std::size_t> without;
    for (std::size_t v = 0; v < report.view.costs.size(); ++v) {
      if (!is_known(report.view.costs[v])) without.push_back(v);
    }
    std::vector<std::string> selections;
    for (const SelectionView& seen : report.view.selections) {
      if (std::find(seen.measures.begin(), seen.measures.end(), measure) == seen.measures.end()) continue;
      selections.push_back(std::string("`") + to_string(seen.selection) + "`");
    }
    if (without.empty() || selections.empty()) continue;
    notes.push_back({report.file,
                     std::string(measure) + " is not known for " + names(*report.set, without) + ", and " +
                         joined(selections) + (selections.size() == 1 ? " compares" : " compare") + " it",
                     "what was not measured is not judged: such a variant is kept"});
  }
  return notes;
}

ordered_json to_json(const SelectionReport& report) {
  const std::vector<profiles::Variant>& variants = report.set->variants;
  const auto ids = [&variants](const std::vector<std::size_t>& indices) {
    auto list = ordered_json::array();
    for (const std::size_t v : indices) list.push_back(variants[v].id.str());
    return list;
  };
  ordered_json json = {{"file", report.file},
                       {"network", report.set->network},
                       {"device", report.set->device.name},
                       {"variants", variants.size()},
                       {"regions", report.regions},
                       {"selections", ordered_json::array()},
                       {"files", ordered_json::array()}};
  for (const SelectionView& seen : report.view.selections) {
    const double time = report.view.costs[seen.fastest].total_time().value();
    json["selections"].push_back(
        {{"selection", to_string(seen.selection)},
         {"measures", seen.measures},
         {"kept", ids(seen.kept)},
         {"not_measured", ids(seen.unmeasured)},
         {"fastest", {{"id", variants[seen.fastest].id.str()}, {"frame_time_seconds", time}}},
         {"best",
          {{"id", variants[seen.most_accurate].id.str()},
           {"accuracy", variants[seen.most_accurate].accuracy}}}});
  }
  for (const std::filesystem::path& path : report.drawn) json["files"].push_back(path.string());
  return json;
}

Chart chart_of(const SelectionReport& report, const SelectionView& seen) {
  const std::vector<scheduler::VariantCost>& costs = report.view.costs;
  Series left_out{.name = "left out", .x = {}, .y = {}, .muted = true};
  Series kept{.name = "kept", .x = {}, .y = {}};
  Series unmeasured{.name = "not measured, kept", .x = {}, .y = {}};
  double fastest = costs.front().total_time().value();
  double slowest = fastest;
  for (std::size_t v = 0; v < costs.size(); ++v) {
    const double time = costs[v].total_time().value();
    fastest = std::min(fastest, time);
    slowest = std::max(slowest, time);
    Series& series = has(seen.unmeasured, v) ? unmeasured : has(seen.kept, v) ? kept : left_out;
    series.x.push_back(1e3 * time);
    series.y.push_back(costs[v].accuracy);
    series.labels.push_back(report.set->variants[v].id.str());
  }
  left_out.labels.clear();
  if (seen.kept.size() > kMostLabels) {
    kept.labels.clear();
    unmeasured.labels.clear();
  }
  Chart chart;
  chart.title = report.set->network + ": " + to_string(seen.selection) + " keeps " +
                std::to_string(seen.kept.size()) + " of " + std::to_string(costs.size());
  chart.x_label = "frame time (ms)";
  chart.y_label = "accuracy";
  chart.x_log = slowest > kWideRange * fastest;
  chart.series = {std::move(left_out), std::move(kept), std::move(unmeasured)};
  thin_out({&chart.series[1], &chart.series[2]}, chart);
  std::erase_if(chart.series, [](const Series& series) { return series.x.empty(); });
  return chart;
}

}  // namespace saccade::app
