// saccade bench detectors [SET] [--data PATH] [--docs FILE]
#include <filesystem>
#include <ostream>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/report/table.hpp"
#include "bench/bench.hpp"
#include "bench/detectors/made_outputs.hpp"
#include "bench/detectors/measurement.hpp"
#include "bench/report.hpp"
#include "bench/sheet.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/profiling/own_data.hpp"
#include "runtime/sources/held_out_images.hpp"
#include "runtime/sources/synthetic_scenes.hpp"

namespace saccade::bench {

namespace {

constexpr const char* kShippedDetector = "profiles/zoo/yard-detector.json";
constexpr std::size_t kQuickScenes = 12;
constexpr Duration kServedTime = std::chrono::seconds(15);
constexpr Duration kQuickTime = std::chrono::seconds(1);

const app::CommandSpec& detectors_spec() {
  static const app::CommandSpec spec{
      "bench detectors",
      "[SET]",
      "Every variant of a detector (default: profiles/zoo/yard-detector.json): mAP50 and mAP on held-out\n"
      "scenes or own data, the same against a teacher and live, and what its frame time is made of; then "
      "the\n"
      "decoders alone, [84, 8400] beside a plain loop and the suppression of 3000 candidates, the evaluator\n"
      "alone, and one and four cameras of 1920 x 1080 served by plans with the whole frame times and with\n"
      "inference alone. On own data, nothing is served.",
      {{"data", "PATH", "own labelled pictures: COCO JSON, a YOLO folder, CSV"},
       {"images", "FOLDER", "where the pictures of COCO JSON or CSV lie (default: the file's folder)"},
       {"teacher", "VARIANT", "the variant whose objects are the teacher's (default: the most accurate)"},
       {"backend", "NAME", "auto, onnxruntime or opencv (default: auto)"},
       {"out", "DIR", "write detectors.json there"},
       {"docs", "FILE", "write the tables between the markers of this Markdown file"},
       {"json", "", "JSON instead of tables"},
       {"quick", "", "a few scenes and rounds: does it work, not how well"}},
      0,
      1,
      "Times are CPU times of the thread. A figure that falls short is no failure. Let the machine be idle."};
  return spec;
}

struct DetectorReport {
  Provenance provenance;
  std::string engine;
  profiles::ProfileSet set;
  std::string data;
  std::string teacher;
  DetectorResults results;
};

Result<runtime::LabelledImages> images_for(const app::Invocation& call, const profiles::ProfileSet& set) {
  if (const auto path = call.value("data"))
    return runtime::labelled_images(set, {*path, call.value("images").value_or("")});
  return runtime::held_out_images(set, call.has("quick") ? kQuickScenes : runtime::held_out_count(set));
}

std::size_t most_accurate(const profiles::ProfileSet& set) {
  std::size_t best = 0;
  for (std::size_t v = 1; v < set.variants.size(); ++v) {
    if (set.variants[v].accuracy > set.variants[best].accuracy) best = v;
  }
  return best;
}

Result<std::size_t> teacher_of(const app::Invocation& call, const profiles::ProfileSet& set) {
  const auto name = call.value("teacher");
  if (!name) return most_accurate(set);
  if (const auto index = set.index_of(VariantId(*name))) return *index;
  return Error{"--teacher", "the set has no variant '" + *name + "'", "leave it out for the most accurate"};
}

Result<DetectorTrial> trial_for(const app::Invocation& call) {
  const std::string file = call.arguments().empty() ? kShippedDetector : call.arguments().front();
  auto set = profiles::read_profile_set(file, profiles::Drafts::read);
  if (!set) return set.errors();
  if (set.value().interface.task != profiles::NetworkTask::detect)
    return Error{file, "this is no detector", "`saccade profile` prints the figures of classifiers"};
  auto images = images_for(call, set.value());
  if (!images) return images.errors();
  const auto teacher = teacher_of(call, set.value());
  if (!teacher) return teacher.errors();
  DetectorTrial trial;
  trial.set = std::move(set).value();
  trial.images = std::move(images).value();
  trial.teacher = teacher.value();
  trial.backend = call.value("backend").value_or("auto");
  const bool quick = call.has("quick");
  if (!call.has("data")) {
    auto live = live_images(trial.set, quick ? kQuickScenes : runtime::kSyntheticScenes);
    if (!live) return live.errors();
    trial.live = std::move(live).value();
    trial.served = quick ? kQuickTime : kServedTime;
  }
  if (quick) {
    trial.evaluated = 100;
    trial.rounds.warmup = 1;
    trial.rounds.fewest = trial.rounds.most = 3;
    trial.decodes = 20;
  }
  return trial;
}

std::string milliseconds(Seconds time) { return fixed(1e3 * time.value()); }
std::string percent(double share) { return fixed(100.0 * share); }

Sheet variant_sheet(const DetectorReport& report) {
  Sheet sheet{{"variant", "mAP50 %", "mAP %", "95 %", "by teacher %", "prepare ms", "infer ms", "decode ms",
               "frame ms"}};
  for (std::size_t v = 0; v < report.set.variants.size(); ++v) {
    const DetectorFigures& figures = report.results.variants[v];
    const runtime::MeasuredAccuracy& accuracy = figures.accuracy;
    sheet.rows.push_back({report.set.variants[v].id.str(), percent(accuracy.map50), percent(accuracy.map),
                          percent(accuracy.least) + " to " + percent(accuracy.most),
                          figures.by_teacher ? percent(*figures.by_teacher) : "-",
                          milliseconds(figures.parts.prepare), milliseconds(figures.parts.infer),
                          milliseconds(figures.parts.decode), milliseconds(figures.frame)});
  }
  return sheet;
}

Sheet decoder_sheet(const DecoderFigures& figures) {
  return {{"one picture in a decoder", "ms"},
          1,
          {{"[84, 8400], median", fixed(figures.anchors_last)},
           {"[84, 8400], a plain loop that only counts", fixed(figures.plain)},
           {"3000 candidates, none suppresses another", fixed(figures.apart)},
           {"3000 candidates in heaps of 20", fixed(figures.heaps)}}};
}

std::string evaluated(const EvaluationFigures& figures) {
  return std::to_string(figures.pictures) + " pictures in the evaluator";
}

Sheet evaluation_sheet(const EvaluationFigures& figures) {
  return {
      {evaluated(figures), "s"},
      1,
      {{"twelve figures", fixed(figures.figures)}, {"interval: 200 resamplings", fixed(figures.interval)}}};
}

Sheet served_sheet(const ServedFigures& figures) {
  Sheet sheet{{std::to_string(figures.cameras) + (figures.cameras == 1 ? " camera" : " cameras") +
                   " of 1920 x 1080 at " + fixed(figures.fps) + " frames/s",
               "achieved of granted %", "delivered, relative %"}};
  sheet.rows.push_back(
      {"plan with whole frame times", percent(figures.whole.achieved), percent(figures.whole.delivered)});
  sheet.rows.push_back({"plan with the times of inference alone", percent(figures.inference_alone.achieved),
                        percent(figures.inference_alone.delivered)});
  return sheet;
}

// Absent where nothing is live.
Sheet live_sheet(const DetectorReport& report) {
  const std::string& metric = report.set.interface.metric;
  Sheet sheet{{"variant, live", metric + " expected %", metric + " found %", "shown as live_map %",
               "shown as live_map50 %"}};
  for (std::size_t v = 0; v < report.set.variants.size(); ++v) {
    const std::optional<LiveFigures>& live = report.results.variants[v].live;
    if (!live) continue;
    sheet.rows.push_back({report.set.variants[v].id.str(),
                          percent(live->least) + " to " + percent(live->most), percent(live->value),
                          percent(live->shown.map), percent(live->shown.map50)});
  }
  return sheet;
}

std::optional<double> share_as_expected(const DetectorResults& results) {
  std::size_t live = 0;
  std::size_t as_expected = 0;
  for (const DetectorFigures& figures : results.variants) {
    live += figures.live ? 1U : 0U;
    as_expected += figures.live && figures.live->as_expected() ? 1U : 0U;
  }
  if (live == 0) return std::nullopt;
  return 100.0 * static_cast<double>(as_expected) / static_cast<double>(live);
}

std::vector<FigureCheck> checks_of(const DetectorResults& results) {
  std::optional<double> whole;
  std::optional<double> alone;
  if (!results.served.empty()) {
    whole = 100.0 * results.served.front().whole.achieved;
    alone = 100.0 * results.served.front().inference_alone.achieved;
  }
  return {
      {"decoding [84, 8400], ms", 0.4, false, results.decoders.anchors_last},
      {"suppression of 3000 candidates, ms", 3.0, false, results.decoders.apart},
      {"twelve figures of " + evaluated(results.evaluation) + ", s", 2.0, false, results.evaluation.figures},
      {"order by teacher against order by truth, Kendall's tau-b", 0.9, true, results.kendall},
      {"variants whose live accuracy is where the profile's interval expects it, %", 95.0, true,
       share_as_expected(results)},
      {"one camera, achieved with whole frame times, %", 99.5, true, whole},
      {"one camera, achieved with the times of inference alone, %", 99.5, false, alone}};
}

std::vector<Sheet> sheets_of(const DetectorReport& report) {
  std::vector<Sheet> sheets = {variant_sheet(report)};
  if (Sheet live = live_sheet(report); !live.rows.empty()) sheets.push_back(std::move(live));
  sheets.push_back(decoder_sheet(report.results.decoders));
  sheets.push_back(evaluation_sheet(report.results.evaluation));
  for (const ServedFigures& figures : report.results.served) sheets.push_back(served_sheet(figures));
  sheets.push_back(sheet_of(checks_of(report.results)));
  return sheets;
}

std::string how(const DetectorReport& report) {
  return measured_how(report.provenance, report.engine + ", " + report.data + ", teacher " + report.teacher);
}

nlohmann::ordered_json live_json(const std::optional<LiveFigures>& live) {
  if (!live) return nullptr;
  return {{"expected", {live->least, live->most}},
          {"accuracy", live->value},
          {"as_expected", live->as_expected()},
          {"live_map", live->shown.map},
          {"live_map50", live->shown.map50}};
}

nlohmann::ordered_json served_json(const ServedFigures& served) {
  const auto stretch = [](const ServedStretch& figures) {
    return nlohmann::ordered_json{{"achieved_of_granted", figures.achieved},
                                  {"delivered_accuracy", figures.delivered}};
  };
  return {{"cameras", served.cameras},
          {"fps", served.fps},
          {"whole_frame_times", stretch(served.whole)},
          {"inference_alone", stretch(served.inference_alone)}};
}

nlohmann::ordered_json to_json(const DetectorReport& report) {
  nlohmann::ordered_json variants = nlohmann::ordered_json::array();
  for (std::size_t v = 0; v < report.set.variants.size(); ++v) {
    const DetectorFigures& figures = report.results.variants[v];
    variants.push_back({{"id", report.set.variants[v].id.str()},
                        {"map50", figures.accuracy.map50},
                        {"map", figures.accuracy.map},
                        {"interval", {figures.accuracy.least, figures.accuracy.most}},
                        {"by_teacher", json_or_null(figures.by_teacher)},
                        {"live", live_json(figures.live)},
                        {"prepare_seconds", figures.parts.prepare.value()},
                        {"infer_seconds", figures.parts.infer.value()},
                        {"decode_seconds", figures.parts.decode.value()},
                        {"frame_time_seconds", figures.frame.value()}});
  }
  nlohmann::ordered_json served = nlohmann::ordered_json::array();
  for (const ServedFigures& figures : report.results.served) served.push_back(served_json(figures));
  const DecoderFigures& decoders = report.results.decoders;
  return {
      {"provenance", bench::to_json(report.provenance)},
      {"engine", report.engine},
      {"network", report.set.network},
      {"metric", report.set.interface.metric},
      {"data", report.data},
      {"teacher", report.teacher},
      {"variants", std::move(variants)},
      {"decoder_milliseconds",
       {{"anchors_last_84x8400", decoders.anchors_last},
        {"plain_loop_84x8400", decoders.plain},
        {"suppression_3000_apart", decoders.apart},
        {"suppression_3000_heaps", decoders.heaps}}},
      {"evaluation_seconds",
       {{"figures", report.results.evaluation.figures}, {"interval", report.results.evaluation.interval}}},
      {"served", std::move(served)},
      {"checks", bench::to_json(checks_of(report.results))}};
}

Errors write_report(const app::Invocation& call, const DetectorReport& report) {
  Errors errors;
  const auto collect = [&](const Status& status) {
    if (!status) errors.insert(errors.end(), status.errors().begin(), status.errors().end());
  };
  if (const auto folder = call.value("out"))
    collect(write_text(std::filesystem::path(*folder) / "detectors.json", to_json(report).dump(2) + "\n"));
  if (const auto docs = call.value("docs"))
    collect(
        replace_between_markers(*docs, "saccade bench detectors", how(report) + markdown(sheets_of(report))));
  return errors;
}

}  // namespace

int bench_detectors(const BenchArguments& args, std::ostream& out, std::ostream& err) {
  const app::Invocation call = app::parse_command_line(detectors_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  const auto backend = runtime::make_backend(call.value("backend").value_or("auto"));
  if (!backend) return app::fail(backend.errors(), app::kExitUnavailable, err);
  auto trial = trial_for(call);
  if (!trial) return app::fail(trial.errors(), app::kExitConfig, err);
  DetectorReport report;
  report.provenance = provenance(command_of("detectors", args), kDecodeSeed);
  report.engine = backend.value()->version();
  report.data = trial.value().images.name;
  report.teacher = trial.value().set.variants[trial.value().teacher].id.str();
  {
    Progress progress(err);
    trial.value().progress = [&](const std::string& what, double share) { progress.show(what, share); };
    auto results = measure_detectors(*backend.value(), trial.value());
    if (!results) return app::fail(results.errors(), app::kExitUnavailable, err);
    report.results = std::move(results).value();
  }
  report.set = std::move(trial.value().set);
  if (call.has("json")) {
    out << to_json(report).dump(2) << '\n';
  } else {
    print(sheets_of(report), out);
    out << how(report);
  }
  const Errors errors = write_report(call, report);
  app::print_errors(errors, err);
  return errors.empty() ? app::kExitOk : app::kExitFailed;
}

}  // namespace saccade::bench
