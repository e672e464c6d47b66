#include "service/live/state_store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "service/live/live_config.hpp"

namespace saccade::service {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "saccade-state/1";

std::string seal(const SavedState& state) { return etag_of(state.started_from + '\n' + state.document); }

std::string to_text(const SavedState& state) {
  const Json json = {{"format", kFormat},
                     {"started_from", state.started_from},
                     {"seal", seal(state)},
                     {"document", state.document}};
  return json.dump(1) + "\n";
}

std::optional<std::string> text_at(const Json& json, const char* pointer) {
  const Json::json_pointer place(pointer);
  if (!json.contains(place) || !json.at(place).is_string()) return std::nullopt;
  return json.at(place).get<std::string>();
}

Result<SavedState> from_text(const std::string& text, const fs::path& file) {
  const std::string aside = "it is set aside as state.json.refused when the next state is saved";
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return Error{file.string(), "the saved state is damaged: this is not JSON", aside};
  const auto format = text_at(json, "/format");
  if (format != kFormat) {
    return Error{file.string(), "this is no saved state of this version of saccade", aside};
  }
  const auto document = text_at(json, "/document");
  const auto started_from = text_at(json, "/started_from");
  if (!document || !started_from) {
    return Error{file.string(), "the saved state is damaged: a part is missing", aside};
  }
  SavedState state{*document, *started_from};
  if (text_at(json, "/seal") != seal(state)) {
    return Error{file.string(), "the saved state is damaged: its checksum is wrong", aside};
  }
  return state;
}

}  // namespace

std::string mark_of(const fs::path& file, std::string_view text) {
  std::error_code failure;
  const fs::path whole = fs::absolute(file, failure).lexically_normal();
  return etag_of((failure ? file : whole).string() + '\0' + std::string(text));
}

Result<std::unique_ptr<StateStore>> StateStore::open(const fs::path& folder,
                                                     std::unique_ptr<StateFiles> files) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  const int lock = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock < 0) {
    return Error{folder.string(),
                 "the state directory cannot be used: " +
                     (failure ? failure.message() : std::generic_category().message(errno)),
                 "name a folder that may be made or written in `state_dir`"};
  }
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    const bool held = errno == EWOULDBLOCK;
    const std::string why = std::generic_category().message(errno);
    ::close(lock);
    return Error{folder.string(),
                 held ? "another process keeps its state in this folder"
                      : "the state directory cannot be locked: " + why,
                 held ? "stop the other one, or give each a `state_dir` of its own"
                      : "name a folder on a local disk in `state_dir`"};
  }
  return std::unique_ptr<StateStore>(new StateStore(folder, lock, std::move(files)));
}

StateStore::~StateStore() { ::close(lock_); }

Result<std::optional<SavedState>> StateStore::load() {
  const Result<std::optional<std::string>> text = files_->read(file());
  refused_ = !text;
  if (!text) return text.errors();
  if (!text.value()) return std::optional<SavedState>();
  Result<SavedState> state = from_text(*text.value(), file());
  refused_ = !state;
  if (!state) return state.errors();
  return std::optional(std::move(state).value());
}

Status StateStore::save(const SavedState& state) {
  const fs::path neighbour = folder_ / "state.json.new";
  if (refused_) {
    Status aside = files_->rename(file(), folder_ / "state.json.refused");
    if (!aside) return aside;
    refused_ = false;
  }
  Status done = files_->write(neighbour, to_text(state));
  if (done) done = files_->rename(neighbour, file());
  if (done) done = files_->sync_folder(folder_);
  return done;
}

}  // namespace saccade::service
