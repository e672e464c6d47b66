// The configuration of a running service: the file it came from, the document currently wanted, and the state
// that survives a restart. Every change goes through here, one at a time: it is proposed, applied to the run,
// and then current. It is saved once it serves (state_keeper.hpp).
//
// Which one is used at start-up, if a state was saved:
//   the file is unchanged since the state began   the saved state
//   the file has changed and is valid             the file; earlier changes are discarded
//   the file is invalid or cannot be read         the saved state (the last good one), reported in notes()
// A saved state that is damaged or no longer valid is not used, which notes() reports. Without either there
// is nothing to run. A reload replaces everything by the file; an invalid file changes nothing.
//
// The overlay of rules (rules/overlay.hpp) is applied to the run in the same way, by lay_over(), and every
// change of the configuration includes it. It is not part of the document: it has no etag and is not saved. A
// change that cannot be planned with the overlay takes effect without it.
//
// Call order: start_from(); then change() and reload() as often as wanted once attached to a run.
// Threads: all functions of ServiceConfig from any thread; one change at a time, including the run's answer.
// Errors: those of the reader, of the run, of the store; a change that runs but could not be saved is in
// force and reported in notes().
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "rules/overlay.hpp"
#include "runtime/run/change_result.hpp"
#include "service/live/live_config.hpp"
#include "service/live/state_keeper.hpp"
#include "service/live/state_store.hpp"

namespace saccade::service {

enum class Origin { file, saved_state, last_good_state };
[[nodiscard]] const char* to_string(Origin origin);

struct Start {
  Candidate config;
  Origin origin = Origin::file;
  std::string file_mark;       // of the configuration file
  Errors notes;                // what was ignored, and why
  std::string file_text = {};  // of the file; empty if it is invalid
};

// Decides what a service starts with; `store` may be null. Only in that case are the errors those of the
// file.
[[nodiscard]] Result<Start> start_from(const std::filesystem::path& file, StateStore* store);

// The state directory named by the file, even if much else in the file is wrong; empty: none, or nothing can
// be read.
[[nodiscard]] std::filesystem::path state_dir_of(const std::filesystem::path& file);

// The run that applies changes.
struct RunSeam {
  // Returns the generation of the new configuration.
  std::function<runtime::ChangeResult<std::uint64_t>(runtime::RunConfig)> reconfigure;
  std::function<Duration()> now;  // on the timeline
  // Notified of every change of the configuration: its rules, and the current overlay. Must neither block nor
  // call back; may be empty.
  std::function<void(const std::vector<rules::Rule>& rules, const rules::Overlay& in_force)> ruled = {};
};

struct ReloadCounts {
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  bool last_succeeded = true;
};

class ServiceConfig {
 public:
  // `store` may be null: nothing is saved. `saved`: as for StateKeeper.
  ServiceConfig(std::filesystem::path file, Start start, std::unique_ptr<StateStore> store,
                std::function<void(std::uint64_t)> saved = {});

  // The initial configuration runs and is saved. Before this, and after a null seam, changes are refused.
  void attach(std::optional<RunSeam> seam);
  // Engines serve everything that this generation of the run wants: it may be saved. Does not block.
  void serves(std::uint64_t generation);
  void flush();  // returns when everything that serves has been saved
  [[nodiscard]] bool keeps_state() const { return keeper_ != nullptr; }

  struct Applied {  // the result of this change alone, whatever follows it
    std::uint64_t generation = 0;
    std::string etag;
    Errors warnings;
  };
  // `propose` gets the current configuration and the time of the timeline; nothing else can change it during
  // the call.
  using Propose = std::function<runtime::ChangeResult<Candidate>(const LiveConfig&, Duration)>;
  [[nodiscard]] runtime::ChangeResult<Applied> change(const Propose& propose);
  [[nodiscard]] runtime::ChangeResult<Applied> reload();
  // Replaces the overlay of rules; returns the new generation. An overlay that cannot be planned is refused
  // and changes nothing.
  [[nodiscard]] runtime::ChangeResult<std::uint64_t> lay_over(rules::Overlay overlay);

  // Calls `look` with the current configuration: for reading and for dry runs.
  void look(const std::function<void(const LiveConfig&, Duration)>& look) const;

  // The following do not wait for a change in progress.
  [[nodiscard]] ReloadCounts reloads() const;
  // Notes for the operator: an invalid file, a state that could not be read or saved.
  [[nodiscard]] Errors notes() const;
  struct Document {
    std::string text;
    std::string etag;
  };
  [[nodiscard]] Document document() const;  // the current one
  [[nodiscard]] bool has_task(const std::string& id) const;
  [[nodiscard]] rules::Overlay overlay() const;  // the one in force

 private:
  [[nodiscard]] runtime::ChangeResult<Applied> put(runtime::ChangeResult<Candidate> candidate,
                                                   const std::string& file_mark) SACCADE_REQUIRES(mutex_);
  [[nodiscard]] runtime::ChangeResult<Applied> take_file() SACCADE_REQUIRES(mutex_);
  // Applies it to the run, with as much of the overlay as can be planned.
  [[nodiscard]] runtime::ChangeResult<std::uint64_t> give(runtime::RunConfig wanted) SACCADE_REQUIRES(mutex_);
  void publish() SACCADE_REQUIRES(mutex_);

  const std::filesystem::path file_;
  std::unique_ptr<StateKeeper> keeper_;  // null: nothing is saved; has locks of its own

  struct View {
    Document document;
    std::set<std::string> tasks;
    ReloadCounts reloads;
    Errors notes;
    rules::Overlay overlay;
  };
  mutable Mutex view_mutex_;  // acquired last, and only for a copy
  View view_ SACCADE_GUARDED_BY(view_mutex_);

  mutable Mutex mutex_;
  LiveConfig live_ SACCADE_GUARDED_BY(mutex_);
  std::string file_mark_ SACCADE_GUARDED_BY(mutex_);
  std::optional<RunSeam> seam_ SACCADE_GUARDED_BY(mutex_);
  rules::Overlay overlay_ SACCADE_GUARDED_BY(mutex_);
  ReloadCounts reloads_ SACCADE_GUARDED_BY(mutex_);
  Errors start_notes_ SACCADE_GUARDED_BY(mutex_);  // until a reload succeeds
  Errors file_notes_ SACCADE_GUARDED_BY(mutex_);   // of the last reload
};

}  // namespace saccade::service
