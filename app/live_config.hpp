// The configuration that is wanted of a running service: one JSON document, what it was read as, and a
// version. A change is proposed first (the functions that return a Candidate) and becomes current by
// accept(), so that whoever drives the service can try it, save it, or throw it away (a dry run).
//
// Every candidate goes through the reader of configuration files; a bad one changes nothing and all its
// mistakes are told at once. A complaint's `where` is a JSON pointer as a fragment ("#/tasks/0/fps"):
// below what was sent when the mistake is there ("#/fps" in the patch of a task), else into the whole
// document. Mistakes in files that the document names (profile sets) have the file, line and pointer
// instead and do not begin with "#".
//
// Patches are JSON merge patches (RFC 7396): null takes a key back to its default. `at` is the time of
// the timeline: entries up to then are folded into the document first, so that a patch changes what
// holds now; later entries stay.
//
// What a running service cannot change is refused: the processors, the engine backend, the policy, its
// solver, the runtime's options, and the folder of the state.
//
// Call order: open(), then propose and accept as often as wanted. Threads: plain value; the owner locks.
// Files: only those that the document names are read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "app/config.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"

namespace saccade::app {

struct Candidate {
  std::string text;     // the whole document
  LoadedConfig loaded;  // warnings included; plan_only is empty
};

// Reads a document that is to run. Complaints are located in the file `name`; by pointers as above when
// it is empty.
[[nodiscard]] Result<Candidate> read_candidate(std::string text, const std::string& name,
                                               const std::filesystem::path& directory);

// Quoted, as HTTP wants it; the same for the same text.
[[nodiscard]] std::string etag_of(std::string_view text);

class LiveConfig {
 public:
  // `first` becomes version 1. Paths in documents are relative to `directory`.
  LiveConfig(Candidate first, std::filesystem::path directory);

  [[nodiscard]] const std::string& text() const { return current_.text; }
  [[nodiscard]] const LoadedConfig& loaded() const { return current_.loaded; }
  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] std::string etag() const { return etag_of(text()); }
  [[nodiscard]] bool has_task(std::string_view id) const;

  // Another document instead (PUT, reload); `name` as in read_candidate().
  [[nodiscard]] Result<Candidate> replaced(std::string text, const std::string& name = {}) const;
  // Several parts in one step: a merge patch of the whole document in which `tasks` is an object by id,
  // as in the timeline. Tasks come and go by replaced() alone.
  [[nodiscard]] Result<Candidate> patched(std::string_view patch, Duration at) const;
  // The id must be there (checked): ask has_task() first. It cannot be patched.
  [[nodiscard]] Result<Candidate> task_patched(std::string_view id, std::string_view patch,
                                               Duration at) const;
  [[nodiscard]] Result<Candidate> limits_patched(std::string_view patch, Duration at) const;
  // `text` is a JSON string: "min_memory" with its quotes.
  [[nodiscard]] Result<Candidate> objective_put(std::string_view text, Duration at) const;

  // The candidate becomes current, the version the next one.
  void accept(Candidate&& candidate);

 private:
  [[nodiscard]] Result<Candidate> changed(const nlohmann::ordered_json& document,
                                          profiles::JsonReport report) const;

  Candidate current_;
  std::filesystem::path directory_;
  std::uint64_t version_ = 1;
};

}  // namespace saccade::app
