#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/report/exit_codes.hpp"
#include "app/report/model_report.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/verbs/this_machine.hpp"
#include "app/verbs/verbs.hpp"
#include "config/config.hpp"
#include "config/document_patch.hpp"
#include "config/providers.hpp"
#include "config/rules_plan.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/engines/model_file.hpp"
#include "runtime/engines/providers.hpp"
#include "service/fleet/certificate_name.hpp"
#include "text/strict_json.hpp"
#include "vision/model/graph_check.hpp"
#include "vision/model/onnx_file.hpp"
#include "vision/model/stage_check.hpp"

namespace saccade::app {
namespace {

constexpr const char* kHowToTry = "docs/accelerators.md says how to try it";

struct Verdict {
  std::string summary;  // one line about a good file
  Errors errors;
  Errors warnings;
  Errors unavailable = {};  // what this machine lacks to run it: the file itself is good
};

std::string plural(std::size_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

void append(const Errors& more, Errors& errors) { errors.insert(errors.end(), more.begin(), more.end()); }

// The line of what the pointer names, or of what it would be in.
std::size_t line_of(const text::JsonValue& document, std::string pointer) {
  while (true) {
    if (const text::JsonValue* value = config::value_at(document, pointer)) return value->line;
    pointer.erase(pointer.rfind('/'));
  }
}

struct ModelCheck {
  Errors errors;
  std::string missing;  // variants without a model file
};

// A model file that is not the one that was measured, whose engine would be refused when it is loaded.
void check_hash(const profiles::Variant& variant, std::size_t index, const std::filesystem::path& model,
                const text::JsonValue& document, text::JsonReport& report) {
  if (variant.sha256.empty()) return;
  const Result<std::string> found = runtime::sha256_of(model);
  if (!found || found.value() == variant.sha256) return;
  const std::string where = "/variants/" + std::to_string(index) + "/sha256";
  report.add_at_line(line_of(document, where), where,
                     "the model file " + model.string() +
                         " is not the one that was measured: its SHA-256 is " + found.value(),
                     "put the file back, or draft a set of this one (`saccade adopt`) and measure it");
}

// Each stage's file is there, the one that was measured, and takes and gives what the set says.
void check_stages(const profiles::ProfileSet& set, std::size_t index, const text::JsonValue& document,
                  text::JsonReport& report) {
  const auto& stages = set.variants[index].staging.stages;
  std::vector<vision::StageGraph> graphs;
  for (std::size_t k = 0; k < stages.size(); ++k) {
    if (stages[k].model.empty()) continue;
    const std::string where =
        "/variants/" + std::to_string(index) + "/stages/" + std::to_string(k) + "/model";
    const std::filesystem::path model = set.directory / stages[k].model;
    const auto tell = [&](const Errors& errors) {
      for (const Error& error : errors)
        report.add_at_line(line_of(document, where), where, error.where + ": " + error.what,
                           "cut the network again: `saccade place`");
    };
    const auto file = runtime::read_model(model, stages[k].sha256);
    if (!file) {
      tell(file.errors());
    } else if (auto graph = vision::read_onnx_file(model)) {
      graphs.push_back({index, k, std::move(graph).value()});
    } else {
      tell(graph.errors());
    }
  }
  for (const Error& error : vision::check_stage_graphs(set, graphs))
    report.add_at_line(line_of(document, error.where), error.where, error.what, error.hint);
}

// The set is held against its model files: their hashes and, where it has one, its interface.
ModelCheck check_models(const profiles::ProfileSet& set, const text::JsonValue& document,
                        const std::string& path) {
  ModelCheck check;
  text::JsonReport report(path);
  const bool has_interface = document.find("interface") != nullptr;
  std::vector<vision::VariantGraph> graphs;
  for (std::size_t i = 0; i < set.variants.size(); ++i) {
    const profiles::Variant& variant = set.variants[i];
    const std::filesystem::path model = set.directory / variant.model;
    std::error_code ignored;
    if (!variant.staging.empty()) {
      check_stages(set, i, document, report);
      continue;
    }
    if (variant.model.empty() || !std::filesystem::exists(model, ignored)) {
      if (has_interface) check.missing += (check.missing.empty() ? "" : ", ") + variant.id.str();
      continue;
    }
    check_hash(variant, i, model, document, report);
    if (!has_interface) continue;
    auto graph = vision::read_onnx_file(model);
    if (graph) {
      graphs.push_back({i, std::move(graph).value()});
    } else {
      append(graph.errors(), check.errors);
    }
  }
  for (const Error& error : vision::check_graphs(set, graphs))
    report.add_at_line(line_of(document, error.where), error.where, error.what, error.hint);
  if (!report.empty()) append(report.errors(), check.errors);
  return check;
}

// Of the sets that a configuration names. Simulated engines load no model.
Errors check_models(const config::LoadedConfig& config) {
  Errors errors;
  if (config.run.backend == "simulated") return errors;
  for (const config::ProfileFile& file : config.profile_files) {
    text::JsonReport ignored(file.path);
    const auto document = text::read_json_file(file.path, ignored, profiles::kProfileLimits);
    if (document) append(check_models(*file.set, *document, file.path).errors, errors);
  }
  return errors;
}

Verdict check_profile_set(const std::string& path) {
  text::JsonReport report(path);
  const auto document = text::read_json_file(path, report, profiles::kProfileLimits);
  if (!document) return {"", report.errors(), {}};
  auto read = profiles::read_profile_document(*document, report, profiles::Drafts::read);
  if (!read) return {"", read.errors(), {}};
  profiles::ProfileSet& set = read.value();
  set.directory = std::filesystem::path(path).parent_path();
  Verdict verdict{(set.is_draft() ? "draft of a profile set of " : "profile set of ") + set.network + ", " +
                      plural(set.variants.size(), "variant"),
                  {},
                  profiles::warnings(set, path)};
  const ModelCheck models = check_models(set, *document, path);
  append(models.errors, verdict.errors);
  if (!models.missing.empty()) {
    verdict.warnings.push_back({path, "there is no model file for " + models.missing,
                                "their interface was not checked; they can be planned, not run"});
  }
  if (set.is_draft()) return verdict;
  const auto shared = std::make_shared<const profiles::ProfileSet>(std::move(set));
  append(config::machine_warnings({{path, shared}}, this_machine(), ""), verdict.warnings);
  return verdict;
}

// " (one emulated 4 times slower)"; empty: none is.
std::string emulated(const runtime::RunConfig& run) {
  std::string text;
  for (std::size_t p = 0; p < run.processors.size(); ++p) {
    const double slowdown = runtime::slowdown_of(run.timeline.front().slowdowns, p);
    if (slowdown <= 1.0) continue;
    text += (text.empty() ? " (" : ", ") + run.processors[p].id.str() + " emulated " +
            text::to_text(slowdown) + " times slower";
  }
  return text.empty() ? text : text + ")";
}

Verdict check_config(const std::string& path) {
  const Result<config::LoadedConfig> config = config::read_config(path);
  if (!config) return {"", config.errors(), {}};
  const runtime::RunConfig& run = config.value().run;
  const scheduler::Snapshot& base = run.timeline.front().snapshot;
  std::string summary = plural(run.tasks.size(), "task") + " on " +
                        plural(run.processors.size(), "processor") + emulated(run) + ", policy " +
                        to_string(run.policy) + ", objective " + to_string(base.objective);
  if (run.timeline.size() > 1) {
    summary += ", " + plural(run.timeline.size() - 1, "change") + " until " +
               text::to_text(since_start(TimePoint(run.timeline.back().at)).value()) + " s";
  }
  const std::size_t rules = config.value().rules.size();
  if (rules > 0) summary += ", " + plural(rules, "rule");
  Verdict verdict{summary, check_models(config.value()), config.value().warnings};
  append(config::worst_case_warnings(config.value(), path), verdict.warnings);
  append(config.value().profile_notes, verdict.warnings);
  append(foreign_profiles(config.value(), path), verdict.warnings);
  if (const auto& fleet = config.value().fleet) {
    const Status certificate = service::check_client_certificate(fleet->store.certificate);
    if (!certificate) append(certificate.errors(), verdict.errors);
  }
  verdict.unavailable = config::missing_providers(run);
  append(config::other_cards_here(config.value().profile_files, run), verdict.unavailable);
  if (config::uses_untried_card(run, runtime::cuda_device_names()))
    verdict.warnings.push_back({path, runtime::kCudaRunOn, kHowToTry});
  return verdict;
}

// A document that says it is a profile set is one; everything else should be a configuration.
bool is_profile_set(const std::string& path) {
  text::JsonReport ignored(path);
  const auto document = text::read_json_file(path, ignored, profiles::kProfileLimits);
  return document && document->find("format") != nullptr;
}

}  // namespace

int verb_check(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const CommandSpec spec{
      "check",
      "FILE...",
      "Reads configurations and profile sets and tells everything that is wrong with them at once: file\n"
      "and line, JSON pointer, what is wrong and what to do. A profile set is compared with its model "
      "files:\n"
      "their hashes and the interface. Of a configuration with rules it is planned what would be lost if all "
      "of\n"
      "them demanded their most at once. Warnings do not make a file bad. Exit codes: 0 all are good, 69 all "
      "are\ngood and this machine lacks what an execution provider needs, 78 one is bad.",
      {{"json", "", "the verdicts as JSON"}},
      1};
  const Invocation call = parse_command_line(spec, args, out, err);
  if (call.exit_code()) return *call.exit_code();

  bool good = true;
  bool available = true;
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const std::string& path : call.arguments()) {
    const Verdict verdict = is_profile_set(path) ? check_profile_set(path) : check_config(path);
    good = good && verdict.errors.empty();
    available = available && verdict.unavailable.empty();
    if (call.has("json")) {
      files.push_back({{"file", path},
                       {"ok", verdict.errors.empty()},
                       {"errors", to_json(verdict.errors)},
                       {"warnings", to_json(verdict.warnings)}});
      if (!verdict.unavailable.empty()) files.back()["unavailable"] = to_json(verdict.unavailable);
      continue;
    }
    print_errors(verdict.errors, err);
    print_errors(verdict.unavailable, err);
    print_warnings(verdict.warnings, err);
    if (verdict.errors.empty()) {
      out << path << ": ok, " << verdict.summary << '\n';
    } else {
      err << path << ": " << plural(verdict.errors.size(), "error") << '\n';
    }
  }
  if (call.has("json")) {
    out << nlohmann::ordered_json{{"ok", good}, {"files", files}}.dump(
               1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
        << '\n';
  }
  if (!good) return kExitConfig;
  return available ? kExitOk : kExitUnavailable;
}

}  // namespace saccade::app
