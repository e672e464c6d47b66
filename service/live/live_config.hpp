// The wanted configuration of a running service: one JSON document and the result of reading it. A change is
// proposed first (the functions that return a Candidate) and becomes current by accept(), so that the owner
// can try it, save it, or discard it (a preview).
//
// Every candidate goes through the reader of configuration files; an invalid one changes nothing and all its
// mistakes are reported at once. An error's `where` is a JSON pointer as a fragment ("#/tasks/0/fps"):
// relative to what was sent if the mistake is there ("#/fps" in the patch of a task), else into the whole
// document. Mistakes in files that the document names (profile sets) have the file, line and pointer instead
// and do not begin with "#".
//
// Patches are those of config/document_patch.hpp: null resets a key to its default. `at` is the time of the
// timeline: entries up to then are folded into the document first, so that a patch changes the current state;
// later entries stay.
//
// If the service has an API, changes through it may name only places that are allowed
// (config/allowed_places.hpp).
//
// Changes that a running service cannot make are refused (runtime/run/reconfiguration.hpp), and so are
// changes of the state directory, of the API's address, and tasks that could not run.
//
// Call order: construct, then propose and accept any number of times. Threads: plain value; the owner locks,
// for proposals too: they cache the profile sets that were read.
// Files: only those that the document names are read.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "config/config.hpp"

namespace saccade::service {

struct Candidate {
  std::string text;                               // the whole document
  config::LoadedConfig loaded;                    // warnings included
  bool from_operator = true;                      // from a file, not by the API
  std::vector<text::JsonValue> fleet_tasks = {};  // that a fleet adds; no part of the text
};

// Reads a document that is to run: plan_only is empty. Errors are located in the file `name`; by pointers as
// above if it is empty.
[[nodiscard]] Result<Candidate> read_candidate(std::string text, const std::string& name,
                                               const std::filesystem::path& directory);

// In quotes, as HTTP requires; equal for equal texts.
[[nodiscard]] std::string etag_of(std::string_view text);

class LiveConfig {
 public:
  // Paths in documents are relative to `directory`. If `first` can only be planned, not run, the same is
  // allowed for its changes.
  LiveConfig(Candidate first, std::filesystem::path directory);

  [[nodiscard]] const std::string& text() const { return current_.text; }
  // With the effect of timeline entries up to `at`.
  [[nodiscard]] std::string text_at(Duration at) const;
  [[nodiscard]] const config::LoadedConfig& loaded() const { return current_.loaded; }
  [[nodiscard]] std::string etag() const { return etag_of(text()); }
  // Of the document; a task of the fleet is none of these.
  [[nodiscard]] bool has_task(std::string_view id) const;
  [[nodiscard]] bool has_fleet_task(std::string_view id) const;

  // Replaces the document (PUT, reload); `name` as in read_candidate().
  [[nodiscard]] Result<Candidate> replaced(std::string text, const std::string& name = {}) const;
  // Several parts in one step: a merge patch of the whole document in which `tasks` is an object by id, as in
  // the timeline. Only replaced() adds or removes tasks.
  [[nodiscard]] Result<Candidate> patched(std::string_view patch, Duration at) const;
  // The same, already parsed. Errors are located in the file `name` with the lines of the patch; by pointers
  // as above if it is empty.
  [[nodiscard]] Result<Candidate> patched(const text::JsonValue& patch, Duration at,
                                          const std::string& name) const;
  // The id must exist (checked): call has_task() first. It cannot be patched.
  [[nodiscard]] Result<Candidate> task_patched(std::string_view id, std::string_view patch,
                                               Duration at) const;
  [[nodiscard]] Result<Candidate> limits_patched(std::string_view patch, Duration at) const;
  // `text` is a JSON string: "min_memory" with its quotes.
  [[nodiscard]] Result<Candidate> objective_put(std::string_view text, Duration at) const;

  // The same document, with these tasks of the fleet from now on; every later change keeps them. They may
  // name any place: a fleet is its operator's.
  [[nodiscard]] Result<Candidate> with_fleet_tasks(std::vector<text::JsonValue> tasks) const;

  void accept(Candidate&& candidate);  // it becomes current
  // Allows the API to name everything that this document of the operator names. Invalid JSON names nothing.
  void allow_all_of(std::string_view text);

 private:
  // The current document with the effect of timeline entries up to `at`.
  [[nodiscard]] text::JsonValue document_at(Duration at) const;
  [[nodiscard]] Result<Candidate> changed(const text::JsonValue& document, const text::JsonReport& report,
                                          bool from_operator = false) const;
  [[nodiscard]] Result<Candidate> read(std::string text, const text::JsonReport& report,
                                       bool from_operator) const;
  [[nodiscard]] Errors names_what_is_not_allowed(std::string_view text, const text::JsonReport& report) const;
  [[nodiscard]] Errors cannot_become(const config::LoadedConfig& wanted,
                                     const text::JsonReport& report) const;

  Candidate current_;
  std::filesystem::path directory_;
  config::AllowedPlaces allowed_;
  bool runs_;  // not only planned
  std::shared_ptr<config::KnownProfileSets> known_sets_ = std::make_shared<config::KnownProfileSets>();
};

}  // namespace saccade::service
