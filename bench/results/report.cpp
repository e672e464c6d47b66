#include "bench/results/report.hpp"

#include <algorithm>
#include <ostream>

#include "app/report/table.hpp"

namespace saccade::bench {
namespace {

using nlohmann::ordered_json;

constexpr double kMega = 1e6;

std::optional<double> megabytes(const std::optional<double>& bytes) {
  return bytes ? std::optional(*bytes / kMega) : std::nullopt;
}

std::optional<double> megabytes(const std::optional<Bytes>& bytes) {
  return bytes ? std::optional(bytes->value() / kMega) : std::nullopt;
}

// What p99 may grow by, in ms.
double latency_allowed(const OutageFigures& figures) {
  return std::max(1.0, 0.05 * figures.p99_ms.value_or(0.0));
}

std::string size_of(const SampleCost& cost) {
  return std::to_string(cost.width) + "x" + std::to_string(cost.height);
}

ordered_json bytes_or_null(const std::optional<Bytes>& bytes) {
  return bytes ? ordered_json(bytes->value()) : ordered_json(nullptr);
}

ordered_json stretch_json(const Stretch& stretch) {
  return {{"demanded", stretch.demanded},
          {"processed", stretch.served},
          {"achieved_rate", stretch.achieved()},
          {"p99_ms", json_or_null(stretch.p99_ms)},
          {"age_p99_ms", json_or_null(stretch.age_p99_ms)},
          {"memory_bytes", bytes_or_null(stretch.memory)},
          {"memory_peak_bytes", bytes_or_null(stretch.memory_peak)},
          {"scrapes", stretch.scrapes},
          {"scrapes_off", stretch.scrapes_off}};
}

ordered_json hand_over_json(const std::vector<HandOverFigures>& all) {
  ordered_json list = ordered_json::array();
  for (const HandOverFigures& each : all) {
    list.push_back({{"sink", each.sink},
                    {"per_second", each.per_second},
                    {"results", each.results},
                    {"p50_us", each.p50_us},
                    {"p99_us", each.p99_us},
                    {"max_us", each.max_us},
                    {"sent", each.sent},
                    {"delivered_p99_ms", json_or_null(each.delivered_p99_ms)},
                    {"unaccounted", each.unaccounted}});
  }
  return list;
}

ordered_json rules_json(const RulesFigures& figures) {
  ordered_json results = ordered_json::array();
  for (const RuleCost& each : figures.results) {
    results.push_back({{"per_second", each.per_second},
                       {"results", each.results},
                       {"p50_us", each.p50_us},
                       {"p99_us", each.p99_us},
                       {"max_us", each.max_us},
                       {"processor_more_us", each.processor_more_us}});
  }
  ordered_json samples = ordered_json::array();
  for (const SampleCost& each : figures.samples) {
    samples.push_back({{"width", each.width},
                       {"height", each.height},
                       {"samples", each.samples},
                       {"median_ms", each.median_ms},
                       {"p99_ms", each.p99_ms},
                       {"max_ms", each.max_ms}});
  }
  return {{"hand_over", results}, {"motion_samples", samples}};
}

ordered_json arrivals_json(const std::vector<ArrivalFigures>& all) {
  ordered_json list = ordered_json::array();
  for (const ArrivalFigures& each : all) {
    list.push_back({{"outage", each.outage},
                    {"results", each.results},
                    {"age_p99_ms", json_or_null(each.age_p99_ms)},
                    {"arrival_p99_ms", json_or_null(each.arrival_p99_ms)},
                    {"presence_states", each.states},
                    {"connected_again", each.connected_again},
                    {"states_seconds", json_or_null(each.states_seconds)}});
  }
  return list;
}

ordered_json outages_json(const std::vector<OutageFigures>& all) {
  ordered_json list = ordered_json::array();
  for (const OutageFigures& each : all) {
    ordered_json pairs = ordered_json::array();
    for (const OutagePair& pair : each.pairs) {
      pairs.push_back({{"without", stretch_json(pair.without)}, {"with", stretch_json(pair.with)}});
    }
    list.push_back({{"outage", each.outage},
                    {"pairs", pairs},
                    {"lost_points", json_or_null(each.lost_points)},
                    {"p99_more_ms", json_or_null(each.p99_more_ms)},
                    {"memory_more_bytes", json_or_null(each.memory_more)},
                    {"memory_peak_more_bytes", json_or_null(each.memory_peak_more)},
                    {"scrapes", each.scrapes},
                    {"scrapes_off", each.scrapes_off}});
  }
  return list;
}

void add_rules_sheets(const RulesFigures& figures, std::vector<Sheet>& all) {
  Sheet& results = all.emplace_back(Sheet{
      {"rules, results/s", "results", "p50 us", "p99 us", "worst us", "processor time more, us per result"}});
  for (const RuleCost& each : figures.results) {
    results.rows.push_back({fixed(each.per_second), std::to_string(each.results), fixed(each.p50_us),
                            fixed(each.p99_us), fixed(each.max_us), fixed(each.processor_more_us)});
  }
  Sheet& samples = all.emplace_back(
      Sheet{{"motion, picture", "samples", "processor time, median ms", "p99 ms", "worst ms"}});
  for (const SampleCost& each : figures.samples) {
    samples.rows.push_back({size_of(each), std::to_string(each.samples), fixed(each.median_ms),
                            fixed(each.p99_ms), fixed(each.max_ms)});
  }
}

void add_arrivals_sheet(const std::vector<ArrivalFigures>& figures, std::vector<Sheet>& all) {
  Sheet& sheet =
      all.emplace_back(Sheet{{"subscriber, broker", "results", "age at the end, p99 ms",
                              "at the subscriber, p99 ms", "presence states", "all there after s"}});
  for (const ArrivalFigures& each : figures) {
    sheet.rows.push_back({each.outage == "none" ? "stays" : each.outage, std::to_string(each.results),
                          fixed(each.age_p99_ms), fixed(each.arrival_p99_ms), std::to_string(each.states),
                          fixed(each.states_seconds)});
  }
}

std::vector<Sheet> results_sheets(const ResultsReport& report) {
  std::vector<Sheet> all;
  if (report.hand_over) {
    Sheet& sheet = all.emplace_back(Sheet{{"hand-over, sink", "results/s", "results", "p50 us", "p99 us",
                                           "worst us", "sent", "sent within ms, p99"}});
    for (const HandOverFigures& each : *report.hand_over) {
      sheet.rows.push_back({each.sink, fixed(each.per_second), std::to_string(each.results),
                            fixed(each.p50_us), fixed(each.p99_us), fixed(each.max_us),
                            std::to_string(each.sent), fixed(each.delivered_p99_ms)});
    }
  }
  if (report.rules) add_rules_sheets(*report.rules, all);
  if (report.arrivals) add_arrivals_sheet(*report.arrivals, all);
  if (report.outages) {
    Sheet& sheet =
        all.emplace_back(Sheet{{"other side", "pair", "achieved without", "with", "p99 ms without", "with",
                                "MB without", "with", "peak MB without", "with", "scrapes"}});
    for (const OutageFigures& each : *report.outages) {
      std::size_t number = 0;
      for (const OutagePair& pair : each.pairs) {
        sheet.rows.push_back({each.outage, std::to_string(++number), app::percent(pair.without.achieved(), 3),
                              app::percent(pair.with.achieved(), 3), fixed(pair.without.p99_ms),
                              fixed(pair.with.p99_ms), fixed(megabytes(pair.without.memory)),
                              fixed(megabytes(pair.with.memory)), fixed(megabytes(pair.without.memory_peak)),
                              fixed(megabytes(pair.with.memory_peak)), std::to_string(pair.with.scrapes)});
      }
    }
  }
  all.push_back(sheet_of(checks(report)));
  return all;
}

}  // namespace

namespace {

void add_rules_checks(const RulesFigures& figures, std::vector<FigureCheck>& checks) {
  constexpr double kBusy = 100.0;  // results per second, from which on the polling counts little
  for (const RuleCost& each : figures.results) {
    const std::string name = "rules, " + fixed(each.per_second) + "/s: ";
    checks.push_back({name + "hand-over, p99 (us)", 10, false, each.p99_us});
    if (each.per_second < kBusy) continue;
    checks.push_back({name + "processor time more, per result (us)", 10, false, each.processor_more_us});
  }
  for (const SampleCost& each : figures.samples) {
    if (each.width > 640) continue;
    checks.push_back({"motion, " + size_of(each) + ": processor time of a sample, median (ms)", 0.3, false,
                      each.median_ms});
  }
}

void add_arrivals_checks(const std::vector<ArrivalFigures>& figures, std::vector<FigureCheck>& checks) {
  for (const ArrivalFigures& each : figures) {
    if (each.outage == "none") {
      const bool known = each.arrival_p99_ms && each.age_p99_ms;
      checks.push_back({"subscriber: p99 of the age there above that at the end of the inference (ms)", 20,
                        false,
                        known ? std::optional(*each.arrival_p99_ms - *each.age_p99_ms) : std::nullopt});
    } else if (each.connected_again || each.outage == "killed") {
      checks.push_back({"subscriber, broker " + each.outage + ": from the reconnection to all states (s)", 2,
                        false, each.states_seconds});
    }
  }
}

}  // namespace

std::vector<FigureCheck> checks(const ResultsReport& report) {
  std::vector<FigureCheck> checks;
  for (const HandOverFigures& each : report.hand_over.value_or(std::vector<HandOverFigures>{})) {
    const std::string name = "hand-over, " + each.sink + ", " + fixed(each.per_second) + "/s: ";
    if (each.sink != kNoSinkAsleep) checks.push_back({name + "p99 (us)", 5, false, each.p99_us});
    if (each.sink != kNoSinkAsleep && each.sink != kNoSink)
      checks.push_back({name + "sent within (ms), p99", 20, false, each.delivered_p99_ms});
    checks.push_back({name + "accounts that do not add up", 0, false, static_cast<double>(each.unaccounted)});
  }
  if (report.rules) add_rules_checks(*report.rules, checks);
  if (report.arrivals) add_arrivals_checks(*report.arrivals, checks);
  for (const OutageFigures& each : report.outages.value_or(std::vector<OutageFigures>{})) {
    const std::string name = "other side " + each.outage + ": ";
    checks.push_back(
        {name + "achieved rate lost, median of the pairs (points)", 0.1, false, each.lost_points});
    checks.push_back(
        {name + "p99 of the latency, more (ms)", latency_allowed(each), false, each.p99_more_ms});
    checks.push_back({name + "resident memory, more (MB)", 8, false, megabytes(each.memory_more)});
    checks.push_back({name + "peak of it, more (MB)", 8, false, megabytes(each.memory_peak_more)});
    checks.push_back(
        {name + "scrapes in which results do not add up", 0, false, static_cast<double>(each.scrapes_off)});
  }
  return checks;
}

ordered_json to_json(const ResultsReport& report) {
  ordered_json json{{"bench", "results"},
                    {"provenance", to_json(report.provenance)},
                    {"scenario", report.scenario},
                    {"engines", report.engines}};
  if (report.hand_over) json["hand_over"] = hand_over_json(*report.hand_over);
  if (report.rules) json["rules"] = rules_json(*report.rules);
  if (report.arrivals) json["subscriber"] = arrivals_json(*report.arrivals);
  if (report.outages) json["outages"] = outages_json(*report.outages);
  json["checks"] = to_json(checks(report));
  return json;
}

void print_tables(const ResultsReport& report, std::ostream& out) {
  print(results_sheets(report), out);
  out << one_line(report.provenance) << ", " << report.provenance.date << ", seed "
      << report.provenance.first_seed << "; " << report.engines << '\n';
}

std::string markdown(const ResultsReport& report) {
  return measured_how(report.provenance, report.engines) + markdown(results_sheets(report));
}

Status write_files(const ResultsReport& report, const std::filesystem::path& folder) {
  Status json = write_text(folder / "results.json", to_json(report).dump(2) + '\n');
  if (!json || !report.outages) return json;
  Csv table(report.provenance, {"outage", "pair", "sink", "demanded", "processed", "p99_ms", "age_p99_ms",
                                "memory_mb", "memory_peak_mb", "scrapes", "scrapes_off"});
  for (const OutageFigures& each : *report.outages) {
    for (std::size_t i = 0; i < each.pairs.size(); ++i) {
      for (const bool with : {false, true}) {
        const Stretch& run = with ? each.pairs[i].with : each.pairs[i].without;
        table.add_row({each.outage, std::to_string(i + 1), with ? "one" : "none", fixed(run.demanded),
                       fixed(run.served), fixed(run.p99_ms), fixed(run.age_p99_ms),
                       fixed(megabytes(run.memory)), fixed(megabytes(run.memory_peak)),
                       std::to_string(run.scrapes), std::to_string(run.scrapes_off)});
      }
    }
  }
  return write_text(folder / "results.csv", table.text());
}

}  // namespace saccade::bench
