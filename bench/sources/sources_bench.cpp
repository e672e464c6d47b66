// saccade bench sources [--docs FILE]
#include <algorithm>
#include <filesystem>
#include <ostream>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/report/table.hpp"
#include "bench/bench.hpp"
#include "bench/report.hpp"
#include "bench/sheet.hpp"
#include "bench/sources/measurement.hpp"

namespace saccade::bench {

namespace {

const app::CommandSpec& sources_spec() {
  static const app::CommandSpec spec{
      "bench sources",
      "",
      "Network cameras, served by real RTSP servers on this machine: the time to the first picture, how old\n"
      "pictures are, what decoding costs, cameras that are lost and return, alone and next to another one,\n"
      "reconnections, and sixteen cameras of which four are dead with the service itself.",
      {{"out", "DIR", "write sources.json there"},
       {"docs", "FILE", "write the tables between the markers of this Markdown file"},
       {"json", "", "JSON instead of tables"},
       {"quick", "", "a few openings: does it work, not how well"}},
      0,
      0,
      "A figure that falls short is no failure. Let the machine be idle."};
  return spec;
}

struct SourceReport {
  Provenance provenance;
  SourceFigures figures;
};

std::string words(const std::optional<double>& value) { return fixed(value); }

std::vector<Sheet> figure_sheets(const SourceFigures& figures) {
  Sheet first{{"camera", "transport", "CPUs", "first picture, median s", "worst s", "openings"}, 3};
  for (const FirstPicture& each : figures.first)
    first.rows.push_back({std::to_string(each.rate) + " pictures/s", to_string(each.transport),
                          std::to_string(each.cpus), fixed(quantile(each.seconds, 0.5)),
                          fixed(each.seconds.back()), std::to_string(each.seconds.size())});
  Sheet costs{{"stream, of which a picture is taken every 2.5 s", "decode", "share of a CPU %"}, 2};
  for (const DecodeCost& each : figures.costs)
    costs.rows.push_back({each.stream, to_string(each.decode), fixed(100.0 * each.share)});
  Sheet away{{"a camera that", "seen s", "back s"}, 1};
  for (const Away& each : figures.away) away.rows.push_back({each.how, words(each.seen), words(each.back)});
  Sheet in_service{{"in the service, a camera that", "back s"}, 1};
  if (figures.others)
    for (const Away& each : figures.others->back) in_service.rows.push_back({each.how, words(each.back)});
  return {first, costs, away, in_service};
}

double worst_first(const SourceFigures& figures, int rate) {
  double worst = 0.0;
  for (const FirstPicture& each : figures.first)
    if (each.rate == rate) worst = std::max(worst, each.seconds.back());
  return worst;
}

std::vector<FigureCheck> source_checks(const SourceFigures& figures) {
  std::vector<FigureCheck> checks = {
      {"first picture at 15/s, worst, s", 1.0, false, worst_first(figures, 15)},
      {"first picture at 5/s, worst, s", 1.0, false, worst_first(figures, 5)},
      {"first picture at 1/s, worst, s", 2.5, false, worst_first(figures, 1)}};
  checks.push_back({"age of a picture at 5/s, median, s", 0.3, false,
                    figures.age ? std::optional(figures.age->median) : std::nullopt});
  checks.push_back({"age of a picture at 5/s, oldest, s", 0.3, false,
                    figures.age ? std::optional(figures.age->most) : std::nullopt});
  for (const Away& each : figures.away) {
    checks.push_back({each.how + ": seen, s", 5.5, false, each.seen});
    checks.push_back({each.how + ": back, s", 3.0, false, each.back});
  }
  if (const auto& others = figures.others) {
    for (const Away& each : others->back)
      checks.push_back({"in the service, " + each.how + ": back, s", 3.0, false, each.back});
    const double demanded = static_cast<double>(std::max<std::int64_t>(1, others->demanded));
    checks.push_back({"frames of the other task meanwhile, of " + std::to_string(others->demanded) + ", %",
                      99.9, true, 100.0 * (1.0 - static_cast<double>(others->lost) / demanded)});
  }
  if (const auto& seen = figures.reconnects) {
    const std::string after = " after " + std::to_string(seen->opened) + " openings and " +
                              std::to_string(seen->refused) + " refused";
    checks.push_back({"more threads" + after, 0.0, false, static_cast<double>(seen->threads)});
    checks.push_back({"more descriptors" + after, 0.0, false, static_cast<double>(seen->descriptors)});
    checks.push_back({"more resident memory" + after + ", MB", 1.0, false, seen->megabytes});
  }
  if (const auto& many = figures.many) {
    const auto living = static_cast<std::size_t>(many->cameras - many->dead);
    const bool all = many->first.size() == living;
    checks.push_back({std::to_string(many->cameras) + " cameras, " + std::to_string(many->dead) +
                          " dead: the others serve after, s",
                      3.0, false, all ? std::optional(many->first.back()) : std::nullopt});
  }
  return checks;
}

nlohmann::ordered_json to_json(const SourceReport& report) {
  const SourceFigures& figures = report.figures;
  nlohmann::ordered_json json{{"provenance", bench::to_json(report.provenance)}};
  for (const FirstPicture& each : figures.first)
    json["first_picture"].push_back({{"rate", each.rate},
                                     {"transport", to_string(each.transport)},
                                     {"cpus", each.cpus},
                                     {"seconds", each.seconds}});
  for (const DecodeCost& each : figures.costs)
    json["decoding"].push_back(
        {{"stream", each.stream}, {"decode", to_string(each.decode)}, {"cpu_share", each.share}});
  if (figures.age) json["age_seconds"] = {{"median", figures.age->median}, {"oldest", figures.age->most}};
  for (const Away& each : figures.away)
    json["away"].push_back({{"how", each.how},
                            {"seen_seconds", json_or_null(each.seen)},
                            {"back_seconds", json_or_null(each.back)}});
  if (const auto& others = figures.others) {
    json["others"] = {{"demanded", others->demanded}, {"lost", others->lost}};
    for (const Away& each : others->back)
      json["others"]["back"].push_back({{"how", each.how}, {"seconds", json_or_null(each.back)}});
  }
  if (const auto& seen = figures.reconnects)
    json["reconnections"] = {{"opened", seen->opened},
                             {"refused", seen->refused},
                             {"threads", seen->threads},
                             {"descriptors", seen->descriptors},
                             {"resident_megabytes", seen->megabytes}};
  if (const auto& many = figures.many)
    json["many_cameras"] = {
        {"cameras", many->cameras}, {"dead", many->dead}, {"first_frame_seconds", many->first}};
  json["checks"] = bench::to_json(source_checks(figures));
  return json;
}

Errors write_source_report(const app::Invocation& call, const SourceReport& report,
                           const std::vector<Sheet>& sheets) {
  Errors errors;
  const auto collect = [&](const Status& status) {
    if (!status) errors.insert(errors.end(), status.errors().begin(), status.errors().end());
  };
  if (const auto folder = call.value("out"))
    collect(write_text(std::filesystem::path(*folder) / "sources.json", to_json(report).dump(2) + "\n"));
  if (const auto docs = call.value("docs"))
    collect(replace_between_markers(
        *docs, "saccade bench sources",
        measured_how(report.provenance, "RTSP servers on the same machine") + markdown(sheets)));
  return errors;
}

}  // namespace

int bench_sources(const BenchArguments& args, std::ostream& out, std::ostream& err) {
  const app::Invocation call = app::parse_command_line(sources_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  SourceReport report{provenance(command_of("sources", args), 1), {}};
  {
    Progress progress(err);
    SourceSizes sizes;
    if (call.has("quick")) {
      sizes.openings = 1;
      sizes.decoded.resize(1);
      sizes.decoding = std::chrono::seconds(1);
      sizes.reconnects = 20;
      sizes.away = std::chrono::seconds(1);
    }
    sizes.progress = [&](const std::string& what, double share) { progress.show(what, share); };
    auto figures = measure_sources(sizes);
    if (!figures) return app::fail(figures.errors(), app::kExitUnavailable, err);
    report.figures = std::move(figures).value();
  }
  std::vector<Sheet> sheets = figure_sheets(report.figures);
  sheets.push_back(sheet_of(source_checks(report.figures)));
  if (call.has("json")) {
    out << to_json(report).dump(2) << '\n';
  } else {
    print(sheets, out);
    out << measured_how(report.provenance, "RTSP servers on the same machine");
  }
  const Errors errors = write_source_report(call, report, sheets);
  app::print_errors(errors, err);
  return errors.empty() ? app::kExitOk : app::kExitFailed;
}

}  // namespace saccade::bench
