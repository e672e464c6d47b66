#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/report/selection_report.hpp"
#include "app/verbs/verbs.hpp"
#include "profiles/profile_io.hpp"
#include "text/strict_json.hpp"

namespace saccade::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using pareto::Selection;

constexpr Selection kSelections[] = {Selection::active,      Selection::time,   Selection::memory,
                                     Selection::time_memory, Selection::energy, Selection::time_energy,
                                     Selection::none};
constexpr double kMostRegions = 1024;

const CommandSpec& pareto_spec() {
  static const CommandSpec spec{
      "pareto",
      "SET.json...",
      "Shows what each Pareto selection keeps of a profile set: the variants that no other one beats in\n"
      "every measure the selection compares, accuracy among them.",
      {{"selection", "NAME",
        "active, time, memory, time+memory, energy, time+energy, none or all (default: all)"},
       {"measures", "LIST",
        "what `active` compares beside accuracy: time, always, and memory, energy, power\n"
        "when a limit, a floor or the objective uses them (default: time)"},
       {"regions", "N", "inferences per frame, run as one batch (default: 1)"},
       {"out", "FOLDER", "also plot accuracy against time, per set and selection"},
       {"json", "", "the kept variants as JSON"}},
      1,
      std::numeric_limits<std::size_t>::max(),
      "A variant that lacks a measure is kept: nothing is concluded from what was not measured."};
  return spec;
}

// Every selection of every set as a chart in `folder`; the note says why there are no pictures.
Result<std::string> draw(const fs::path& folder, std::vector<SelectionReport>& reports) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) return Error{folder.string(), "the folder cannot be made: " + failure.message(), ""};
  std::string note;
  for (SelectionReport& report : reports) {
    for (const SelectionView& seen : report.view.selections) {
      const std::string name = fs::path(report.file).stem().string() + "-" + to_string(seen.selection);
      auto plotted = write_chart(chart_of(report, seen), folder / name);
      if (!plotted) return plotted.errors();
      note = plotted.value().note;
      report.drawn.insert(report.drawn.end(), plotted.value().files.begin(), plotted.value().files.end());
    }
  }
  return note;
}

// "time,memory" as the measures of `active`; nothing after saying what is wrong.
std::optional<pareto::ActiveMeasures> active_from(const std::string& list, std::ostream& err) {
  static const std::vector<std::string> known = {"time", "memory", "energy", "power"};
  pareto::ActiveMeasures active;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string name = list.substr(begin, end - begin);
    begin = end + 1;
    if (name == "memory") active.memory = true;
    if (name == "energy") active.energy = true;
    if (name == "power") active.power = true;
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string meant = text::nearest(name, known);
    usage_error("pareto",
                "--measures is a list of time, memory, energy and power, not " + text::in_quotes(name) +
                    (meant.empty() ? "" : "; did you mean `" + meant + "`?"),
                err);
    return std::nullopt;
  }
  return active;
}

std::optional<std::vector<Selection>> selections_from(const std::string& name, std::ostream& err) {
  if (name == "all") return std::vector<Selection>(std::begin(kSelections), std::end(kSelections));
  if (const auto selection = pareto::selection_from(name)) return std::vector{*selection};
  std::vector<std::string> known = {"all"};
  for (const Selection selection : kSelections) known.emplace_back(to_string(selection));
  const std::string meant = text::nearest(name, known);
  usage_error("pareto",
              "there is no selection " + text::in_quotes(name) +
                  (meant.empty() ? "" : "; did you mean `" + meant + "`?"),
              err);
  return std::nullopt;
}

}  // namespace

int verb_pareto(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const Invocation call = parse_command_line(pareto_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  const auto selections = selections_from(call.value("selection").value_or("all"), err);
  const auto active = active_from(call.value("measures").value_or("time"), err);
  if (!selections || !active) return kExitUsage;
  const std::optional<double> regions = number_from(call.value("regions").value_or("1"), 1.0);
  if (!regions || *regions > kMostRegions || *regions != std::floor(*regions)) {
    return usage_error("pareto", "--regions is a whole number from 1 to 1024", err);
  }
  std::set<std::string> stems;
  for (const std::string& file : call.arguments()) {
    if (stems.insert(fs::path(file).stem().string()).second || !call.has("out")) continue;
    return usage_error("pareto", "two files would have charts of one name: " + text::in_quotes(file), err);
  }

  Errors wrong;
  std::vector<SelectionReport> reports;
  for (const std::string& file : call.arguments()) {
    Result<profiles::ProfileSet> read = profiles::read_profile_set(file);
    if (!read) {
      wrong.insert(wrong.end(), read.errors().begin(), read.errors().end());
      continue;
    }
    auto set = std::make_shared<const profiles::ProfileSet>(std::move(read).value());
    SetView view = view_selections(set, *selections, *active, static_cast<int>(*regions));
    reports.push_back({file, std::move(set), static_cast<int>(*regions), std::move(view)});
  }
  if (!wrong.empty()) {
    print_errors(wrong, err);
    return kExitConfig;
  }
  if (const auto folder = call.value("out")) {
    const Result<std::string> note = draw(*folder, reports);
    if (!note) {
      print_errors(note.errors(), err);
      return kExitFailed;
    }
    if (!note.value().empty()) err << note.value() << '\n';
  }

  ordered_json sets = ordered_json::array();
  for (const SelectionReport& report : reports) {
    if (call.has("json")) {
      sets.push_back(to_json(report));
      continue;
    }
    if (&report != &reports.front()) out << '\n';
    print_report(report, out);
    print_warnings(absent_measures(report), err);
  }
  if (call.has("json")) out << ordered_json{{"sets", std::move(sets)}}.dump(1) << '\n';
  return kExitOk;
}

}  // namespace saccade::app
