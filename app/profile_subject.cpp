#include "app/profile_subject.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "profiles/object_reader.hpp"
#include "profiles/profile_io.hpp"
#include "profiles/strict_json.hpp"
#include "runtime/sources/held_out_images.hpp"

namespace saccade::app {

namespace {

namespace fs = std::filesystem;
using profiles::JsonAt;
using profiles::JsonReport;
using profiles::ObjectReader;
using profiles::Precision;
using profiles::Variant;

constexpr const char* kTrainingFormat = "saccade-training/1";
constexpr const char* kTrainingFile = "training.json";

// A file name and nothing else: models of a network lie in its folder.
void read_model(ObjectReader& reader, Variant& variant) {
  reader.text("model", variant.model);
  const auto model = reader.require("model");
  if (model && fs::path(variant.model).filename() != variant.model) {
    reader.report().add(*model,
                        profiles::in_quotes(variant.model) + " is not the name of a file in the folder",
                        "models lie beside training.json");
  }
}

// One size: what it is, and its files in several precisions. Further keys tell how it was trained.
void read_size(const JsonAt& at, JsonReport& report, std::vector<Variant>& variants) {
  ObjectReader size(at, report);
  size.accept_all();
  Variant common;
  size.number("width", common.width, profiles::kPositive);
  size.number("depth", common.depth, profiles::kPositive);
  const auto list = size.require("variants");
  if (!list) return;
  for (const JsonAt& item : profiles::read_list(*list, report)) {
    ObjectReader reader(item, report);
    reader.accept_all();
    Variant variant = common;
    if (const auto id = reader.require("id")) {
      variant.id = VariantId(profiles::read_id(*id, report).value_or(""));
    }
    reader.choice("precision", variant.precision,
                  {Precision::fp32, Precision::fp16, Precision::bf16, Precision::int8});
    reader.text("sha256", variant.sha256);
    read_model(reader, variant);
    variants.push_back(std::move(variant));
  }
}

Result<ProfileSubject> read_trained_network(const fs::path& folder) {
  JsonReport report((folder / kTrainingFile).string());
  const auto document = profiles::read_json_file(folder / kTrainingFile, report);
  if (!document) return report.errors();
  ProfileSubject subject;
  subject.set.directory = folder;
  subject.set.input = runtime::drawn_shape();
  subject.home = folder.string() + ".json";
  {
    ObjectReader reader({&*document, ""}, report);
    reader.accept_all();
    std::string format;
    reader.text("format", format);
    if (format != kTrainingFormat) {
      report.add(reader.at(), "this is not the record of a training",
                 "its \"format\" must be \"" + std::string(kTrainingFormat) + "\"");
    }
    if (const auto network = reader.require("network")) {
      subject.set.network = profiles::read_text(*network, report).value_or("");
    }
    if (const auto labels = reader.require("labels")) {
      for (const JsonAt& item : profiles::read_list(*labels, report)) {
        subject.set.labels.push_back(profiles::read_text(item, report).value_or(""));
      }
    }
    if (const auto sizes = reader.require("sizes")) {
      for (const JsonAt& item : profiles::read_list(*sizes, report)) {
        read_size(item, report, subject.set.variants);
      }
    }
    if (subject.set.variants.empty() || subject.set.labels.empty()) {
      report.add(reader.at(), "there is no variant, or there are no labels", "");
    }
  }
  if (!report.empty()) return report.errors();
  return subject;
}

Error cannot(const fs::path& path, const std::string& what, const std::error_code& code) {
  return {path.string(), what + ": " + code.message(), ""};
}

}  // namespace

Result<ProfileSubject> read_profile_subject(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    return read_trained_network(path.has_filename() ? path : path.parent_path());
  }
  auto set = profiles::read_profile_set(path);
  if (!set) return set.errors();
  if (set.value().input.size() == 0 || set.value().labels.empty()) {
    return Error{path.string(), "the profile set does not say the input and the labels of its network",
                 "they are needed to run the models that are to be measured"};
  }
  return ProfileSubject{std::move(set).value(), true, path};
}

Status keep_only(const std::vector<std::string>& ids, profiles::ProfileSet& set) {
  std::vector<std::string> known;
  for (const Variant& variant : set.variants) known.push_back(variant.id.str());
  Errors errors;
  for (const std::string& id : ids) {
    if (std::find(known.begin(), known.end(), id) != known.end()) continue;
    const std::string meant = profiles::nearest(id, known);
    errors.push_back({set.network, "has no variant " + profiles::in_quotes(id),
                      meant.empty() ? "" : "did you mean `" + meant + "`?"});
  }
  if (!errors.empty()) return errors;
  std::erase_if(set.variants, [&](const Variant& variant) {
    return std::find(ids.begin(), ids.end(), variant.id.str()) == ids.end();
  });
  return Done{};
}

Status move_to(const fs::path& file, profiles::ProfileSet& set) {
  std::error_code code;
  const fs::path folder = fs::weakly_canonical(fs::absolute(file, code).parent_path(), code);
  if (code) return cannot(file, "its folder cannot be found", code);
  for (Variant& variant : set.variants) {
    if (variant.model.empty()) continue;
    const fs::path model = fs::weakly_canonical(fs::absolute(set.directory / variant.model, code), code);
    if (code) return cannot(variant.model, "the model cannot be found", code);
    fs::path name = model.lexically_relative(folder);
    if (name.empty() || *name.begin() == "..") {
      name = fs::path(set.network) / model.filename();
      fs::create_directories(folder / set.network, code);
      if (!code) fs::copy_file(model, folder / name, fs::copy_options::overwrite_existing, code);
      if (code) return cannot(folder / name, "the model cannot be copied", code);
    }
    variant.model = name.generic_string();
  }
  set.directory = folder;
  return Done{};
}

}  // namespace saccade::app
