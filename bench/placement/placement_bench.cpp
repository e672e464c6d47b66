// saccade bench placement [--out DIR] [--docs FILE] [--measured] [--quick]
#include <filesystem>
#include <ostream>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "bench/bench.hpp"
#include "bench/placement/experiments.hpp"
#include "bench/report.hpp"
#include "bench/sheet.hpp"

namespace saccade::bench {
namespace {

const app::CommandSpec& placement_spec() {
  static const app::CommandSpec spec{
      "bench placement",
      "",
      "The methods of papers 000 to 003 for one network over several processors, beside exact ones: what can "
      "be\n"
      "shown without the papers' boards. Networks are made up in the published shapes, or times are modelled "
      "from\n"
      "the multiply-adds of shipped networks; only cut networks are run, against whole ones, and with "
      "--measured\npipelines.",
      {{"zoo", "FOLDER", "folder of the shipped networks (default: profiles/zoo)"},
       {"out", "DIR", "write placement.json there"},
       {"docs", "FILE", "write the tables between the markers of this Markdown file; with --measured all"},
       {"json", "", "JSON instead of tables"},
       {"images", "N", "of each cut of each network (default: 64)"},
       {"measured", "", "also serve pipelines on two CPUs of this machine; needs it idle, about 15 min"},
       {"quick", "", "a few networks: does it work, not how well"}},
      0,
      0,
      "A figure that falls short is no failure."};
  return spec;
}

nlohmann::ordered_json to_json(const Provenance& from, const std::vector<PlacementTable>& tables) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const PlacementTable& table : tables) {
    list.push_back({{"name", table.name},
                    {"text", table.text},
                    {"titles", table.sheet.titles},
                    {"rows", table.sheet.rows}});
  }
  return {{"provenance", to_json(from)}, {"tables", std::move(list)}};
}

std::string markdown_of(const Provenance& from, const std::vector<PlacementTable>& tables) {
  std::string text = measured_how(
      from, "measured are the times of the exact methods, what cut networks answer, and what a table says");
  for (const PlacementTable& table : tables) text += "\n" + table.text + "\n\n" + markdown({table.sheet});
  return text;
}

Result<std::vector<PlacementTable>> every_table(const std::string& zoo, const PlacementSizes& sizes,
                                                bool measured, std::ostream& err) {
  auto tables = zoo_tables(zoo, sizes);
  if (!tables) return tables.errors();
  std::vector<PlacementTable> all = std::move(tables).value();
  auto cuts = cut_table(zoo, sizes);
  if (cuts) all.push_back(std::move(cuts).value());
  if (!cuts) err << "cut networks were not run: " << to_string(cuts.errors()) << '\n';
  Progress progress(err);
  if (measured) {
    auto served = measured_tables(zoo, sizes, [&](double share) { progress.show("pipelines", share); });
    if (!served) err << "pipelines were not served: " << to_string(served.errors()) << '\n';
    if (served) all.insert(all.end(), served.value().begin(), served.value().end());
  }
  const auto experiments = {transition_tables,  batch_tables,  pipe_search_tables,
                            duplication_tables, method_tables, exact_time_tables};
  double done = 0.0;
  for (const auto& experiment : experiments) {
    progress.show("placement", done++ / static_cast<double>(experiments.size()));
    const auto more = experiment(sizes);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace

int bench_placement(const BenchArguments& args, std::ostream& out, std::ostream& err) {
  const app::Invocation call = app::parse_command_line(placement_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  PlacementSizes sizes;
  if (call.has("quick")) sizes = {3, true, 2};
  const auto images = app::whole_number_from(call.value("images").value_or("64"));
  if (!images || *images < 1 || *images > 4000)
    return app::usage_error("bench placement", "--images is a whole number from 1 to 4000", err);
  sizes.images = *images;
  const auto tables =
      every_table(call.value("zoo").value_or("profiles/zoo"), sizes, call.has("measured"), err);
  if (!tables) return app::fail(tables.errors(), app::kExitConfig, err);
  const std::vector<PlacementTable>& all = tables.value();
  const Provenance from = provenance(command_of("placement", args), 1);
  const auto json = to_json(from, all);
  if (call.has("json")) {
    out << json.dump(1) << '\n';
  } else {
    for (const PlacementTable& table : all) {
      out << table.text << "\n\n";
      print({table.sheet}, out);
      out << '\n';
    }
  }
  Errors errors;
  const auto collect = [&](const Status& status) {
    if (!status) errors.insert(errors.end(), status.errors().begin(), status.errors().end());
  };
  if (const auto folder = call.value("out")) {
    collect(write_text(std::filesystem::path(*folder) / "placement.json", json.dump(1) + "\n"));
  }
  if (const auto docs = call.value("docs")) {
    collect(replace_between_markers(*docs, "saccade bench placement", markdown_of(from, all)));
  }
  return errors.empty() ? app::kExitOk : app::fail(errors, app::kExitFailed, err);
}

}  // namespace saccade::bench
