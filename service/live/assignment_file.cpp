#include "service/live/assignment_file.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "service/live/live_config.hpp"

namespace saccade::service {
namespace {

using SealedJson = nlohmann::ordered_json;

constexpr const char* kAssignmentFormat = "saccade-assignment/1";

}  // namespace

Result<std::optional<std::string>> AssignmentFile::load() {
  const Result<std::optional<std::string>> text = files_->read(file());
  if (!text) return text.errors();
  if (!text.value()) return std::optional<std::string>();
  const SealedJson json = SealedJson::parse(*text.value(), nullptr, false);
  const auto word = [&](const char* key) -> std::string {
    const bool there = json.is_object() && json.contains(key) && json.at(key).is_string();
    return there ? json.at(key).get<std::string>() : std::string();
  };
  std::string assignment = word("assignment");
  if (word("format") != kAssignmentFormat || word("seal") != etag_of(assignment)) {
    return Error{file().string(), "the saved assignment of the fleet is damaged",
                 "the box gets its cameras when it reaches the store"};
  }
  return std::optional(std::move(assignment));
}

Status AssignmentFile::save(const std::string& text) {
  const std::filesystem::path neighbour = folder_ / "fleet-assignment.json.new";
  const SealedJson json = {{"format", kAssignmentFormat}, {"seal", etag_of(text)}, {"assignment", text}};
  Status done = files_->write(neighbour, json.dump(1) + "\n");
  if (done) done = files_->rename(neighbour, file());
  if (done) done = files_->sync_folder(folder_);
  return done;
}

}  // namespace saccade::service
