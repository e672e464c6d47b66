#include "service/live/service_config.hpp"

#include <utility>

#include "config/source_config.hpp"
#include "text/strict_json.hpp"
#include "text/text_file.hpp"

namespace saccade::service {

using runtime::ChangeRefused;
using runtime::ChangeResult;
using runtime::Refusal;

namespace {

namespace fs = std::filesystem;

Result<std::string> read_file(const fs::path& file) { return text::read_text_file(file, 1); }

struct FromFile {
  Result<Candidate> config;
  std::string mark;  // empty: the file cannot be read
};

FromFile read_start_file(const fs::path& file) {
  Result<std::string> text = read_file(file);
  if (!text) return {text.errors(), ""};
  std::string mark = mark_of(file, text.value());
  return {read_candidate(std::move(text).value(), file.string(), file.parent_path()), std::move(mark)};
}

ChangeRefused not_running() {
  return {Refusal::unavailable,
          {{"", "the service is starting or ending and takes no changes", "try again when it is ready"}}};
}

// Every state of the timeline with the overlay on top.
Result<runtime::RunConfig> laid_over(const rules::Overlay& overlay, runtime::RunConfig config) {
  for (runtime::TimelineState& state : config.timeline) {
    rules::lay_over(overlay, state.snapshot);
    if (Errors errors = scheduler::validate(state.snapshot); !errors.empty()) return errors;
  }
  return config;
}

void append(const Errors& more, Errors& errors) { errors.insert(errors.end(), more.begin(), more.end()); }

}  // namespace

const char* to_string(Origin origin) {
  switch (origin) {
    case Origin::file:
      return "file";
    case Origin::saved_state:
      return "saved state";
    case Origin::last_good_state:
      return "last good state";
  }
  return "?";
}

Result<Start> start_from(const fs::path& file, StateStore* store) {
  FromFile from_file = read_start_file(file);
  Errors notes;
  std::optional<SavedState> saved;
  if (store != nullptr) {
    Result<std::optional<SavedState>> loaded = store->load();
    if (loaded) {
      saved = std::move(loaded).value();
    } else {
      append(loaded.errors(), notes);
    }
  }
  const bool same_file = saved && saved->started_from == from_file.mark;
  // A valid file that is not the one the state began with replaces it unread.
  if (saved && (same_file || !from_file.config)) {
    Result<Candidate> config =
        read_candidate(saved->document, store->file().string() + " (its document)", file.parent_path());
    if (config) {
      const Origin origin = from_file.config ? Origin::saved_state : Origin::last_good_state;
      if (!from_file.config) append(from_file.config.errors(), notes);
      std::string file_text = from_file.config ? std::move(from_file.config.value().text) : std::string();
      return Start{std::move(config).value(), origin, saved->started_from, std::move(notes),
                   std::move(file_text)};
    }
    append(config.errors(), notes);
  }
  if (from_file.config) {
    return Start{std::move(from_file.config).value(), Origin::file, from_file.mark, std::move(notes)};
  }
  Errors errors = from_file.config.errors();
  append(notes, errors);
  return errors;
}

fs::path state_dir_of(const fs::path& file) {
  const Result<std::string> text = read_file(file);
  if (!text) return {};
  text::JsonReport ignored("");
  const auto document = text::parse_json(text.value(), ignored);
  const text::JsonValue* at = document ? document->find("runtime") : nullptr;
  if (at != nullptr) at = at->find("state_dir");
  return at == nullptr || at->string.empty() ? fs::path() : config::resolve(file.parent_path(), at->string);
}

ServiceConfig::ServiceConfig(fs::path file, Start start, std::unique_ptr<StateStore> store,
                             std::function<void(std::uint64_t)> saved)
    : file_(std::move(file)),
      keeper_(store ? std::make_unique<StateKeeper>(std::move(store), std::move(saved)) : nullptr),
      live_(std::move(start.config), file_.parent_path()),
      file_mark_(std::move(start.file_mark)),
      start_notes_(std::move(start.notes)) {
  live_.allow_all_of(start.file_text);
  publish();
}

void ServiceConfig::attach(std::optional<RunSeam> seam) {
  const Lock lock(mutex_);
  seam_ = std::move(seam);
  overlay_.clear();  // a run begins with the configuration alone
  if (seam_ && keeper_) keeper_->save({live_.text(), file_mark_});
  publish();
}

void ServiceConfig::serves(std::uint64_t generation) {
  if (keeper_) keeper_->serves(generation);
}

void ServiceConfig::flush() {
  if (keeper_) keeper_->flush();
}

ChangeResult<ServiceConfig::Applied> ServiceConfig::change(const Propose& propose) {
  const Lock lock(mutex_);
  ChangeResult<Applied> applied = put(propose(live_, seam_ ? seam_->now() : Duration(0)), file_mark_);
  publish();
  return applied;
}

ChangeResult<ServiceConfig::Applied> ServiceConfig::reload() {
  const Lock lock(mutex_);
  ChangeResult<Applied> applied = take_file();
  reloads_.last_succeeded = applied.ok();
  ++(applied.ok() ? reloads_.succeeded : reloads_.failed);
  file_notes_ = applied.ok() ? Errors{} : applied.errors();
  if (applied) start_notes_.clear();
  publish();
  return applied;
}

ChangeResult<ServiceConfig::Applied> ServiceConfig::take_file() {
  Result<std::string> text = read_file(file_);
  if (!text) return text.errors();
  const std::string mark = mark_of(file_, text.value());
  return put(live_.replaced(std::move(text).value(), file_.string()), mark);
}

void ServiceConfig::look(const std::function<void(const LiveConfig&, Duration)>& look) const {
  const Lock lock(mutex_);
  look(live_, seam_ ? seam_->now() : Duration(0));
}

ReloadCounts ServiceConfig::reloads() const {
  const Lock lock(view_mutex_);
  return view_.reloads;
}

Errors ServiceConfig::notes() const {
  Errors notes;
  {
    const Lock lock(view_mutex_);
    notes = view_.notes;
  }
  if (keeper_) append(keeper_->notes(), notes);
  return notes;
}

rules::Overlay ServiceConfig::overlay() const {
  const Lock lock(view_mutex_);
  return view_.overlay;
}

ChangeResult<std::uint64_t> ServiceConfig::lay_over(rules::Overlay overlay) {
  const Lock lock(mutex_);
  if (!seam_) return not_running();
  Result<runtime::RunConfig> wanted = laid_over(overlay, live_.loaded().run);
  if (!wanted) return wanted.errors();
  ChangeResult<std::uint64_t> generation = seam_->reconfigure(std::move(wanted).value());
  if (!generation) return generation.refused();
  overlay_ = std::move(overlay);
  // Also where the rules were changed since they asked for it: they know what holds and ask anew.
  if (seam_->ruled) seam_->ruled(live_.loaded().rules, overlay_);
  publish();
  return generation;
}

ChangeResult<std::uint64_t> ServiceConfig::give(runtime::RunConfig wanted) {
  if (overlay_.empty()) return seam_->reconfigure(std::move(wanted));
  Result<runtime::RunConfig> laid = laid_over(overlay_, wanted);
  if (laid) return seam_->reconfigure(std::move(laid).value());
  ChangeResult<std::uint64_t> generation = seam_->reconfigure(std::move(wanted));
  if (generation) overlay_.clear();
  return generation;
}

ServiceConfig::Document ServiceConfig::document() const {
  const Lock lock(view_mutex_);
  return view_.document;
}

bool ServiceConfig::has_task(const std::string& id) const {
  const Lock lock(view_mutex_);
  return view_.tasks.contains(id);
}

void ServiceConfig::publish() {
  View view{{live_.text(), live_.etag()}, {}, reloads_, start_notes_, overlay_};
  for (const runtime::TaskConfig& task : live_.loaded().run.tasks) view.tasks.insert(task.id.str());
  append(file_notes_, view.notes);
  const Lock lock(view_mutex_);
  view_ = std::move(view);
}

ChangeResult<ServiceConfig::Applied> ServiceConfig::put(ChangeResult<Candidate> candidate,
                                                        const std::string& file_mark) {
  if (!candidate) return candidate.refused();
  if (!seam_) return not_running();
  ChangeResult<std::uint64_t> generation = give(candidate.value().loaded.run);
  if (!generation) return generation.refused();
  live_.accept(std::move(candidate).value());
  file_mark_ = file_mark;
  if (seam_->ruled) seam_->ruled(live_.loaded().rules, overlay_);
  if (keeper_) keeper_->keep_once_serving({live_.text(), file_mark_}, generation.value());
  return Applied{generation.value(), live_.etag(), live_.loaded().warnings};
}

}  // namespace saccade::service
