#include "bench/service/report.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "app/report/table.hpp"

namespace saccade::bench {
namespace {

using nlohmann::ordered_json;

constexpr double kMegabyte = 1e6;

std::string text(std::uint64_t count) { return std::to_string(count); }
std::string whole(double frames) { return std::to_string(std::llround(frames)); }
double figure(std::uint64_t count) { return static_cast<double>(count); }

double least_frames(const AttackFigures& attack) {
  double least = 0.0;
  for (std::size_t i = 0; i < attack.pairs.size(); ++i) {
    const double frames = std::min(attack.pairs[i].without.all.demanded, attack.pairs[i].with.all.demanded);
    least = i == 0 ? frames : std::min(least, frames);
  }
  return least;
}

ordered_json to_json(const WatchedFrames& frames) {
  return {{"demanded", frames.all.demanded},
          {"granted", frames.all.granted},
          {"processed", frames.all.served},
          {"achieved_rate", frames.all.achieved()},
          {"achieved_of_granted", frames.all.of_granted()},
          {"steal_seconds", frames.steal ? ordered_json(frames.steal->value()) : ordered_json(nullptr)}};
}

ordered_json to_json(const std::optional<OutsideSeen>& outside) {
  if (!outside) return {{"frames", nullptr}, {"held_seconds", nullptr}, {"steal_seconds", nullptr}};
  return {{"frames", outside->frames},
          {"held_seconds", outside->held.value()},
          {"steal_seconds", outside->steal.value()}};
}

// Nothing is taken out of the other columns.
const std::string kSteal = "steal ms";
std::string steal_text(const WatchedFrames& frames) {
  return frames.steal ? fixed(1e3 * frames.steal->value()) : "-";
}
const std::string kOutside = "of them outside (held ms)";
std::string outside_text(const std::optional<OutsideSeen>& outside) {
  return outside ? text(outside->frames) + " (" + fixed(1e3 * outside->held.value()) + ")" : "-";
}

void add_checks(const AttackFigures& attack, std::vector<FigureCheck>& checks) {
  checks.push_back({"attack: hostile requests", 100'000, true, figure(attack.all.sent)});
  checks.push_back({"attack: crashes", 0, false, figure(attack.crashes)});
  checks.push_back({"attack: hostile requests that were not refused", 0, false,
                    figure(attack.all.accepted + attack.all.malformed + attack.all.hung)});
  checks.push_back({"attack: changes of the configuration", 0, false, attack.changed ? 1.0 : 0.0});
  std::optional<double> growth;
  if (attack.memory_growth) growth = attack.memory_growth->value() / kMegabyte;
  checks.push_back({"attack: resident memory grown (MB)", 16, false, growth});
  checks.push_back({"attack: frames in each stretch", 20'000, true, least_frames(attack)});
  checks.push_back(
      {"attack: achieved rate lost, median of the pairs (points)", 0.1, false, attack.lost_points});
  checks.push_back({"attack: good requests answered meanwhile, of all", 1.0, true,
                    figure(attack.good_answered) / std::max(1.0, figure(attack.good_asked))});
}

void add_checks(const PatchFigures& patches, std::vector<FigureCheck>& checks) {
  checks.push_back(
      {"patches: valid changes that were not accepted", 0, false, figure(patches.sent - patches.accepted)});
  checks.push_back({"patches: generations out of order", 0, false, patches.in_order ? 0.0 : 1.0});
  checks.push_back(
      {"patches: generations that the last plan lacks", 0, false,
       figure(patches.last_generation - std::min(patches.last_generation, patches.plan_generation))});
  checks.push_back({"patches: scrapes in which frames do not add up", 0, false, figure(patches.scrapes_off)});
  checks.push_back(
      {"patches: achieved of what the plans granted", 0.995, true, patches.frames.all.of_granted()});
}

void add_checks(const InferFigures& infer, std::vector<FigureCheck>& checks) {
  checks.push_back(
      {"infer: requests that failed", 0, false, figure(infer.failed) + figure(infer.others_failed)});
  checks.push_back({"infer: p99 of the answer less wait for the processor and inference (ms)", 2, false,
                    infer.service.p99_ms});
  checks.push_back({"infer: p99 of GET /v1/status meanwhile (ms)", 5, false, infer.status.p99_ms});
  checks.push_back({"infer: p99 of GET /v2/models/TASK/ready meanwhile (ms)", 1, false, infer.ready.p99_ms});
}

ordered_json to_json(const Tally& tally) {
  return {{"sent", tally.sent},         {"refused", tally.refused},     {"closed", tally.closed},
          {"accepted", tally.accepted}, {"malformed", tally.malformed}, {"hung", tally.hung},
          {"left", tally.left}};
}

ordered_json to_json(const AttackFigures& attack) {
  ordered_json pairs = ordered_json::array();
  for (const AttackPair& pair : attack.pairs) {
    pairs.push_back({{"without", to_json(pair.without)},
                     {"with", to_json(pair.with)},
                     {"lost_points", json_or_null(pair.lost_points())}});
  }
  ordered_json kinds = ordered_json::object();
  for (const auto& [kind, tally] : attack.tallies) kinds[std::string(kind)] = to_json(tally);
  return {{"pairs", pairs},
          {"lost_points", json_or_null(attack.lost_points)},
          {"requests", to_json(attack.all)},
          {"kinds", kinds},
          {"crashes", attack.crashes},
          {"configuration_changed", attack.changed},
          {"memory_growth_bytes",
           attack.memory_growth ? ordered_json(attack.memory_growth->value()) : ordered_json(nullptr)},
          {"good_asked", attack.good_asked},
          {"good_answered", attack.good_answered},
          {"good_p99_seconds", attack.good_p99_ms * 1e-3},
          {"outside", to_json(attack.outside)}};
}

ordered_json to_json(const PatchFigures& patches) {
  return {{"sent", patches.sent},
          {"accepted", patches.accepted},
          {"in_order", patches.in_order},
          {"last_generation", patches.last_generation},
          {"plan_generation", patches.plan_generation},
          {"scrapes", patches.scrapes},
          {"scrapes_off", patches.scrapes_off},
          {"frames", to_json(patches.frames)},
          {"switches", patches.switches},
          {"answer_p99_seconds", patches.answer_p99_ms * 1e-3},
          {"outside", to_json(patches.outside)}};
}

ordered_json to_json(const AnswerTimes& times) {
  return {{"p50_seconds", times.p50_ms * 1e-3},
          {"p99_seconds", times.p99_ms * 1e-3},
          {"max_seconds", times.max_ms * 1e-3}};
}

ordered_json to_json(const StatusFigures& status) {
  ordered_json json{{"requests", status.requests}, {"failed", status.failed}};
  json.update(to_json(status.times));
  json["frames"] = to_json(status.frames);
  json["outside"] = to_json(status.outside);
  return json;
}

ordered_json to_json(const InferFigures& infer) {
  return {{"tasks", infer.tasks},
          {"requests", infer.requests},
          {"failed", infer.failed},
          {"answer", to_json(infer.whole)},
          {"answer_less_latency", to_json(infer.service)},
          {"status", to_json(infer.status)},
          {"ready", to_json(infer.ready)},
          {"others_failed", infer.others_failed},
          {"outside", to_json(infer.outside)}};
}

std::vector<Sheet> sheets_of(const AttackFigures& attack) {
  Sheet pairs{{"pair", "frames without attack", "lost", "achieved", kSteal, "frames with attack", "lost",
               "achieved", kSteal, "points lost"}};
  for (const AttackPair& pair : attack.pairs) {
    Cells row{text(pairs.rows.size() + 1)};
    for (const WatchedFrames* frames : {&pair.without, &pair.with}) {
      const FrameCount& all = frames->all;
      for (const std::string& cell : {whole(all.demanded), whole(all.demanded - all.served),
                                      app::percent(all.achieved(), 3), steal_text(*frames)}) {
        row.push_back(cell);
      }
    }
    row.push_back(fixed(pair.lost_points()));
    pairs.rows.push_back(std::move(row));
  }
  Sheet kinds{{"hostile requests", "sent", "refused", "closed", "left", "accepted", "malformed", "hung"}};
  const auto row = [&](const std::string& name, const Tally& tally) {
    kinds.rows.push_back({name, text(tally.sent), text(tally.refused), text(tally.closed), text(tally.left),
                          text(tally.accepted), text(tally.malformed), text(tally.hung)});
  };
  for (const auto& [kind, tally] : attack.tallies) row(std::string(kind), tally);
  row("all", attack.all);
  Sheet good{{"good requests meanwhile", "answered", "p99 ms", "frames lost outside (held ms), whole run"}};
  good.rows.push_back({text(attack.good_asked), text(attack.good_answered), fixed(attack.good_p99_ms),
                       outside_text(attack.outside)});
  return {pairs, kinds, good};
}

Sheet sheet_of(const PatchFigures& patches) {
  const WatchedFrames& frames = patches.frames;
  Sheet sheet{{"patches", "accepted", "p99 ms", "scrapes", "switches", "frames granted", "processed",
               "of granted", "granted and lost", kOutside, kSteal},
              0};
  sheet.rows.push_back({text(patches.sent), text(patches.accepted), fixed(patches.answer_p99_ms),
                        text(patches.scrapes), text(patches.switches), whole(frames.all.granted),
                        whole(frames.all.served), app::percent(frames.all.of_granted(), 3),
                        whole(frames.all.granted - frames.all.served), outside_text(patches.outside),
                        steal_text(frames)});
  return sheet;
}

Sheet sheet_of(const StatusFigures& status) {
  Sheet sheet{
      {"GET /v1/status", "failed", "p50 ms", "p99 ms", "worst ms", "achieved", "lost", kOutside, kSteal}, 0};
  sheet.rows.push_back({text(status.requests), text(status.failed), fixed(status.times.p50_ms),
                        fixed(status.times.p99_ms), fixed(status.times.max_ms),
                        app::percent(status.frames.all.achieved(), 3),
                        whole(status.frames.all.demanded - status.frames.all.served),
                        outside_text(status.outside), steal_text(status.frames)});
  return sheet;
}

Sheet sheet_of(const InferFigures& infer) {
  Sheet sheet{{"frames sent to " + text(infer.tasks) + " tasks, and what was asked meanwhile", "requests",
               "failed", "p50 ms", "p99 ms", "worst ms"}};
  const auto row = [&](const std::string& name, const std::string& requests, const std::string& failed,
                       const AnswerTimes& times) {
    sheet.rows.push_back(
        {name, requests, failed, fixed(times.p50_ms), fixed(times.p99_ms), fixed(times.max_ms)});
  };
  row("answers", text(infer.requests), text(infer.failed), infer.whole);
  row("answers less wait for the processor and inference", "", "", infer.service);
  row("GET /v1/status", "", "", infer.status);
  row("GET /v2/models/TASK/ready", "", "", infer.ready);
  return sheet;
}

std::vector<Sheet> sheets(const ServiceReport& report) {
  std::vector<Sheet> all;
  if (report.attack) all = sheets_of(*report.attack);
  if (report.patches) all.push_back(sheet_of(*report.patches));
  if (report.status) all.push_back(sheet_of(*report.status));
  if (report.infer) all.push_back(sheet_of(*report.infer));
  all.push_back(sheet_of(checks(report)));
  return all;
}

}  // namespace

std::optional<OutsideSeen> outside_of(const nlohmann::json& summary) {
  const nlohmann::json& outside = summary.at("outside");
  if (outside.at("frames").is_null()) return std::nullopt;
  return OutsideSeen{outside.at("frames").get<std::uint64_t>(),
                     Seconds(outside.at("held_seconds").get<double>()),
                     Seconds(outside.at("steal_seconds").get<double>())};
}

std::vector<FigureCheck> checks(const ServiceReport& report) {
  std::vector<FigureCheck> checks;
  if (report.attack) add_checks(*report.attack, checks);
  if (report.patches) add_checks(*report.patches, checks);
  if (report.status) {
    checks.push_back({"status: requests that failed", 0, false, figure(report.status->failed)});
    checks.push_back({"status: p99 from the intended time (ms)", 5, false, report.status->times.p99_ms});
  }
  if (report.infer) add_checks(*report.infer, checks);
  return checks;
}

ordered_json to_json(const ServiceReport& report) {
  ordered_json json{{"bench", "service"},
                    {"provenance", to_json(report.provenance)},
                    {"scenario", report.scenario},
                    {"engines", report.engines}};
  if (report.attack) json["attack"] = to_json(*report.attack);
  if (report.patches) json["patches"] = to_json(*report.patches);
  if (report.status) json["status"] = to_json(*report.status);
  if (report.infer) json["infer"] = to_json(*report.infer);
  json["checks"] = to_json(checks(report));
  return json;
}

void print_tables(const ServiceReport& report, std::ostream& out) {
  print(sheets(report), out);
  out << one_line(report.provenance) << ", " << report.provenance.date << "; " << report.engines << '\n';
}

std::string markdown(const ServiceReport& report) {
  return measured_how(report.provenance, report.engines) + markdown(sheets(report));
}

Status write_files(const ServiceReport& report, const std::filesystem::path& folder) {
  Status json = write_text(folder / "service.json", to_json(report).dump(2) + '\n');
  if (!json || !report.attack) return json;
  Csv table(report.provenance,
            {"kind", "sent", "refused", "closed", "left", "accepted", "malformed", "hung"});
  for (const auto& [kind, tally] : report.attack->tallies) {
    table.add_row({std::string(kind), text(tally.sent), text(tally.refused), text(tally.closed),
                   text(tally.left), text(tally.accepted), text(tally.malformed), text(tally.hung)});
  }
  return write_text(folder / "service.csv", table.text());
}

}  // namespace saccade::bench
