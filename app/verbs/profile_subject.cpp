#include "app/verbs/profile_subject.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "profiles/interface_io.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/sources/held_out_images.hpp"
#include "text/object_reader.hpp"
#include "text/strict_json.hpp"

namespace saccade::app {

namespace {

namespace fs = std::filesystem;
using profiles::Precision;
using profiles::Variant;
using text::JsonAt;
using text::JsonReport;
using text::ObjectReader;

constexpr const char* kTrainingFormat = "saccade-training/1";
constexpr const char* kTrainingFile = "training.json";

// A file name and nothing else: models of a network lie in its folder.
void read_model(ObjectReader& reader, Variant& variant) {
  reader.text("model", variant.model);
  const auto model = reader.require("model");
  if (model && fs::path(variant.model).filename() != variant.model) {
    reader.report().add(*model, text::in_quotes(variant.model) + " is not the name of a file in the folder",
                        "models lie beside training.json");
  }
}

// One size: what it is, and its files in several precisions. Further keys tell how it was trained.
void read_size(const JsonAt& at, JsonReport& report, std::vector<Variant>& variants) {
  ObjectReader size(at, report);
  size.accept_all();
  Variant common;
  size.number("width", common.width, text::kPositive);
  size.number("depth", common.depth, text::kPositive);
  const auto list = size.require("variants");
  if (!list) return;
  for (const JsonAt& item : text::read_list(*list, report)) {
    ObjectReader reader(item, report);
    reader.accept_all();
    Variant variant = common;
    if (const auto id = reader.require("id")) {
      variant.id = VariantId(text::read_id(*id, report).value_or(""));
    }
    reader.choice("precision", variant.precision, profiles::kPrecisions);
    reader.text("sha256", variant.sha256);
    read_model(reader, variant);
    variants.push_back(std::move(variant));
  }
}

Result<ProfileSubject> read_trained_network(const fs::path& folder) {
  JsonReport report((folder / kTrainingFile).string());
  const auto document = text::read_json_file(folder / kTrainingFile, report);
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
      subject.set.network = text::read_text(*network, report).value_or("");
    }
    if (const auto labels = reader.require("labels")) {
      for (const JsonAt& item : text::read_list(*labels, report)) {
        subject.set.labels.push_back(text::read_text(item, report).value_or(""));
      }
    }
    if (const auto sizes = reader.require("sizes")) {
      for (const JsonAt& item : text::read_list(*sizes, report)) {
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

// The path itself, or what a folder that is no network of its own holds.
std::vector<fs::path> subjects_at(const fs::path& path) {
  std::error_code code;
  if (!fs::is_directory(path, code) || fs::exists(path / kTrainingFile, code)) return {path};
  std::vector<fs::path> found;
  for (fs::directory_iterator it(path, code), end; !code && it != end; it.increment(code)) {
    std::error_code ignored;
    const fs::path& inside = it->path();
    const bool set = inside.extension() == ".json" && fs::is_regular_file(inside, ignored);
    const bool trained =
        fs::exists(inside / kTrainingFile, ignored) && !fs::exists(inside.string() + ".json", ignored);
    if (set || trained) found.push_back(inside);
  }
  std::sort(found.begin(), found.end());
  if (found.empty()) return {path};  // whose complaint tells what is missing
  return found;
}

bool matches(const std::string& pattern, const std::string& network, const std::string& id) {
  return ::fnmatch(pattern.c_str(), id.c_str(), 0) == 0 ||
         ::fnmatch(pattern.c_str(), (network + "/" + id).c_str(), 0) == 0;
}

// By another path, too: through a link.
bool is_same_file(const fs::path& one, const fs::path& other) {
  std::error_code missing;
  return fs::equivalent(one, other, missing);
}

}  // namespace

Result<ProfileSubject> read_profile_subject(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    return read_trained_network(path.has_filename() ? path : path.parent_path());
  }
  auto set = profiles::read_profile_set(path, profiles::Drafts::read);
  if (!set) return set.errors();
  const bool labelled =
      !set.value().labels.empty() || set.value().interface.task == profiles::NetworkTask::tensor;
  if (set.value().input.size() == 0 || !labelled) {
    return Error{path.string(), "the profile set does not say the input and the labels of its network",
                 "they are needed to run the models that are to be measured"};
  }
  if (profiles::has_foreign_metric(set.value().interface)) {
    return Error{path.string(),
                 "the profile set has the metric " + text::in_quotes(set.value().interface.metric) +
                     " and no interface",
                 "add the network's `interface`, which has its own metric; `saccade adopt` drafts one"};
  }
  const bool measured = std::all_of(set.value().variants.begin(), set.value().variants.end(),
                                    [](const Variant& variant) { return variant.accuracy_known; });
  return ProfileSubject{std::move(set).value(), measured, path};
}

Result<std::vector<ProfileSubject>> read_profile_subjects(const std::vector<std::string>& paths) {
  std::vector<ProfileSubject> subjects;
  Errors errors;
  for (const std::string& path : paths) {
    for (const fs::path& one : subjects_at(path)) {
      auto subject = read_profile_subject(one);
      if (subject) {
        subjects.push_back(std::move(subject).value());
      } else {
        errors.insert(errors.end(), subject.errors().begin(), subject.errors().end());
      }
    }
  }
  if (!errors.empty()) return errors;
  return subjects;
}

Status keep_only(const std::vector<std::string>& patterns, std::vector<ProfileSubject>& subjects) {
  std::vector<bool> used(patterns.size(), false);
  std::vector<std::string> known;
  for (ProfileSubject& subject : subjects) {
    std::erase_if(subject.set.variants, [&](const Variant& variant) {
      known.push_back(variant.id.str());
      known.push_back(subject.set.network + "/" + variant.id.str());
      bool kept = false;
      for (std::size_t i = 0; i < patterns.size(); ++i) {
        if (!matches(patterns[i], subject.set.network, variant.id.str())) continue;
        used[i] = kept = true;
      }
      return !kept;
    });
  }
  Errors errors;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (used[i]) continue;
    const std::string meant = text::nearest(patterns[i], known);
    errors.push_back({"--only", "no variant matches " + text::in_quotes(patterns[i]),
                      meant.empty() ? "" : "did you mean `" + meant + "`?"});
  }
  if (!errors.empty()) return errors;
  std::erase_if(subjects, [](const ProfileSubject& subject) { return subject.set.variants.empty(); });
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
      if (!code && !is_same_file(model, folder / name))
        fs::copy_file(model, folder / name, fs::copy_options::overwrite_existing, code);
      if (code) return cannot(folder / name, "the model cannot be copied", code);
    }
    variant.model = name.generic_string();
  }
  set.directory = folder;
  return Done{};
}

}  // namespace saccade::app
