#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/report/exit_codes.hpp"
#include "app/report/model_report.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/report/table.hpp"
#include "app/verbs/model_sources.hpp"
#include "app/verbs/this_machine.hpp"
#include "app/verbs/verbs.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/engines/engine.hpp"
#include "text/object_reader.hpp"

namespace saccade::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using profiles::ProfileSet;
using vision::ModelDraft;

const CommandSpec& adopt_spec() {
  static const CommandSpec spec{
      "adopt",
      "MODEL.onnx...",
      "Drafts a profile set of a network of your own: each file becomes a variant. What the files say is\n"
      "read, as `saccade inspect` shows it; what is guessed is listed in the set (provenance.guessed), and\n"
      "what nothing says is asked. Measures are left out: `saccade profile` adds them.",
      {{"out", "SET.json", "where the set is written (default: NETWORK.json in the folder of the models)"},
       {"name", "NETWORK",
        "the network's name (default: what the names of the files have in common,\nelse the name of the "
        "set)"},
       kLabelsOption,
       kLikeOption,
       {"force", "", "replace SET.json if it exists"},
       {"json", "", "the draft as JSON"}},
      1,
      std::numeric_limits<std::size_t>::max(),
      "Models lie in the folder of the set or below it.\n"
      "Exit codes: 0 written and nothing is open, 1 written but questions are open, or it cannot be "
      "written,\n"
      "2 SET.json exists, 78 the files cannot be used or are not variants of one network."};
  return spec;
}

void append_all(const Errors& more, Errors& errors) { errors.insert(errors.end(), more.begin(), more.end()); }

Result<fs::path> real_path(const fs::path& path) {
  std::error_code code;
  fs::path real = fs::weakly_canonical(fs::absolute(path, code), code);
  if (code) return Error{path.string(), "it cannot be found: " + code.message(), ""};
  return real;
}

// The deepest folder that has all of them below it.
fs::path common_folder(const std::vector<fs::path>& files) {
  fs::path common = files.front().parent_path();
  for (const fs::path& file : files) {
    while (!common.empty() && *file.lexically_relative(common).begin() == "..") common = common.parent_path();
  }
  return common;
}

// From the working directory, if it lies below that.
fs::path shown_folder(const fs::path& folder) {
  std::error_code code;
  const fs::path near = fs::proximate(folder, code);
  if (code || near.empty() || *near.begin() == "..") return folder;
  return near == "." ? fs::path() : near;
}

// The name of the model in the set.
Result<std::string> name_below(const fs::path& folder, const fs::path& real, const std::string& file) {
  const fs::path name = real.lexically_relative(folder);
  if (!name.empty() && *name.begin() != "..") return name.generic_string();
  return Error{file, "it does not lie below " + folder.string() + ", the folder of the profile set",
               "move it there, or name a set above it: --out " +
                   (common_folder({real, folder / "set"}) / "SET.json").string()};
}

struct Adoption {
  vision::SetDraft draft;
  fs::path file;  // of the set
};

// Reads every model; hashes and names are added when the set's folder is known.
Result<std::vector<ModelDraft>> read_models(const std::vector<std::string>& files,
                                            const SideSources& sources) {
  std::vector<ModelDraft> models;
  Errors errors;
  for (const std::string& file : files) {
    auto model = read_model_draft(file, sources);
    if (model) {
      models.push_back(std::move(model).value());
      models.back().model = fs::path(file).filename().string();
    } else {
      append_all(model.errors(), errors);
    }
  }
  if (!errors.empty()) return errors;
  return models;
}

Errors place_models(const fs::path& folder, const std::vector<fs::path>& real,
                    std::vector<ModelDraft>& models) {
  Errors errors;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const auto name = name_below(folder, real[i], models[i].file);
    const auto hash = runtime::sha256_of(real[i]);
    if (name) {
      models[i].model = name.value();
    } else {
      append_all(name.errors(), errors);
    }
    if (hash) {
      models[i].sha256 = hash.value();
    } else {
      append_all(hash.errors(), errors);
    }
    for (std::size_t other = 0; other < i; ++other) {
      if (real[other] == real[i]) errors.push_back({models[i].file, "the file is given twice", ""});
    }
  }
  return errors;
}

// The option, else what the files have in common, else the name of the set's file.
std::string network_name(const Invocation& call, const std::vector<ModelDraft>& models) {
  std::string name = call.value("name").value_or(vision::network_from(models));
  if (name.empty()) name = vision::id_from(fs::path(call.value("out").value_or("network")).stem().string());
  return name;
}

Result<Adoption> adopt(const Invocation& call, const SideSources& sources) {
  auto models = read_models(call.arguments(), sources);
  if (!models) return models.errors();
  std::vector<fs::path> real;
  for (const ModelDraft& model : models.value()) {
    auto path = real_path(model.file);
    if (!path) return path.errors();
    real.push_back(std::move(path).value());
  }
  const std::string network = network_name(call, models.value());
  const fs::path file = call.value("out").value_or(shown_folder(common_folder(real)) / (network + ".json"));
  const auto home = real_path(file);
  if (!home) return home.errors();
  Errors errors = place_models(home.value().parent_path(), real, models.value());
  auto draft = vision::draft_set(network, models.value());
  if (!draft) append_all(draft.errors(), errors);
  if (!errors.empty()) return errors;
  return Adoption{std::move(draft).value(), file};
}

void print_adoption(const Adoption& adoption, const text::JsonValue& document, std::ostream& out) {
  const ProfileSet& set = adoption.draft.set;
  out << adoption.file.string() << ": a draft of " << set.network << " with " << set.variants.size()
      << (set.variants.size() == 1 ? " variant" : " variants") << "\n\n";
  Table table({{"variant"}, {"model"}, {"precision"}, {"input", Table::Align::right}});
  for (const profiles::Variant& variant : set.variants) {
    const profiles::PictureInput input = profiles::input_of(set, variant);
    table.add_row({variant.id.str(), variant.model, to_string(variant.precision),
                   std::to_string(input.width) + "x" + std::to_string(input.height)});
  }
  table.print(out);
  out << '\n';
  print_fields(document, adoption.draft.origins, out);
  print_questions("to be written or confirmed in it:", adoption.draft.open, out);
  out << "\nnext: saccade profile " << adoption.file.string() << " --data FOLDER\n";
}

ordered_json adoption_json(const Adoption& adoption) {
  const ProfileSet& set = adoption.draft.set;
  ordered_json variants = ordered_json::array();
  for (const profiles::Variant& variant : set.variants) {
    const profiles::PictureInput input = profiles::input_of(set, variant);
    variants.push_back({{"id", variant.id.str()},
                        {"model", variant.model},
                        {"precision", to_string(variant.precision)},
                        {"width", input.width},
                        {"height", input.height}});
  }
  return {{"ok", adoption.draft.open.empty()},
          {"written", true},
          {"file", adoption.file.string()},
          {"network", set.network},
          {"labels", set.labels.size()},
          {"variants", std::move(variants)},
          {"origins", to_json(adoption.draft.origins)},
          {"open", to_json(adoption.draft.open)}};
}

int refuse(const Errors& errors, int code, const Invocation& call, std::ostream& out, std::ostream& err) {
  if (!call.has("json")) return fail(errors, code, err);
  out << ordered_json{{"ok", false}, {"written", false}, {"errors", to_json(errors)}}.dump(
             1, ' ', false, ordered_json::error_handler_t::replace)
      << '\n';
  return code;
}

}  // namespace

int verb_adopt(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const Invocation call = parse_command_line(adopt_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  if (const auto name = call.value("name"); name && !text::is_id(*name)) {
    return usage_error("adopt",
                       "--name takes letters, digits, `-`, `_` and `.`, not " + text::in_quotes(*name), err);
  }
  const Result<SideSources> sources = read_side_sources(call);
  if (!sources) return refuse(sources.errors(), kExitConfig, call, out, err);
  auto adopted = adopt(call, sources.value());
  if (!adopted) return refuse(adopted.errors(), kExitConfig, call, out, err);
  Adoption& adoption = adopted.value();
  std::error_code ignored;
  if (!call.has("force") && fs::exists(adoption.file, ignored)) {
    return refuse({{adoption.file.string(), "the file exists and is left as it is",
                    "--force replaces it; --out names another one"}},
                  kExitUsage, call, out, err);
  }
  ProfileSet& set = adoption.draft.set;
  set.device.name = this_machine().name;
  set.device.processors = {ProcessorId("cpu")};

  // What cannot be read again is not written.
  const std::string json = profiles::to_json(set);
  text::JsonReport report(adoption.file.string());
  const auto document = text::parse_json(json, report, profiles::kProfileLimits);
  if (!document || !profiles::read_profile_document(*document, report, profiles::Drafts::read))
    return refuse(report.errors(), kExitConfig, call, out, err);
  if (const Status written = profiles::write_profile_set(set, adoption.file); !written)
    return refuse(written.errors(), kExitFailed, call, out, err);
  if (call.has("json")) {
    out << adoption_json(adoption).dump(1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
  } else {
    print_adoption(adoption, *document, out);
  }
  return adoption.draft.open.empty() ? kExitOk : kExitFailed;
}

}  // namespace saccade::app
