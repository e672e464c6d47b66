// The configuration of a running service: the file it came from, the document that is wanted now, and
// the state that outlives a restart. Every change goes through here, one at a time: it is proposed, put
// to the run, and then current. It is saved once it serves (state_keeper.hpp).
//
// What wins at the start, where a state was saved:
//   the file is as it was when the state began   the saved state
//   the file is another one and valid            the file; what was changed before is gone
//   the file is invalid or cannot be read        the saved state (the last good one), and notes() says so
// A saved state that is damaged or not valid any more is not used, and notes() says so. Without either
// there is nothing to run. A reload replaces everything by the file; an invalid one changes nothing.
//
// What rules lay over the configuration (rules/overlay.hpp) goes the same way to the run, by lay_over(), and
// every change of the configuration takes it along. It is no part of the document: it has no etag and is not
// saved. A change that cannot be planned with the overlay takes effect without it.
//
// Call order: start_from(); then change() and reload() as often as wanted once attached to a run.
// Threads: all functions of ServiceConfig from any thread; one change at a time, the run's answer
// included. Errors: those of the reader, of the run, of the store; a change that runs and could not be
// saved is in force and told in notes().
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
  std::string file_mark;       // of the file that the configuration goes back to
  Errors notes;                // what was passed over, and why
  std::string file_text = {};  // of the file; empty when it is not valid
};

// Decides what a service starts with; `store` may be null. Only then are the errors those of the file.
[[nodiscard]] Result<Start> start_from(const std::filesystem::path& file, StateStore* store);

// Where the file itself says that the state is kept, even if it says much else that is wrong; empty:
// nowhere, or nothing can be read.
[[nodiscard]] std::filesystem::path state_dir_of(const std::filesystem::path& file);

// The run that carries changes out.
struct RunSeam {
  // The generation that the configuration became.
  std::function<runtime::ChangeResult<std::uint64_t>(runtime::RunConfig)> reconfigure;
  std::function<Duration()> now;  // on the timeline
  // Told of every change of the configuration: its rules, and what is laid over it now. Neither waits nor
  // calls back; may be empty.
  std::function<void(const std::vector<rules::Rule>& rules, const rules::Overlay& in_force)> ruled = {};
};

struct ReloadCounts {
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  bool last_succeeded = true;
};

class ServiceConfig {
 public:
  // `store` may be null: then nothing is kept. `saved`: as StateKeeper takes it.
  ServiceConfig(std::filesystem::path file, Start start, std::unique_ptr<StateStore> store,
                std::function<void(std::uint64_t)> saved = {});

  // What it starts with has begun and is saved. Before, and after a null seam, changes are refused.
  void attach(std::optional<RunSeam> seam);
  // Engines serve all that this generation of the run's wants: it may be saved. Does not wait.
  void serves(std::uint64_t generation);
  void flush();  // returns when what serves has been saved
  [[nodiscard]] bool keeps_state() const { return keeper_ != nullptr; }

  struct Applied {  // all of this one change, whatever comes right after it
    std::uint64_t generation = 0;
    std::string etag;
    Errors warnings;
  };
  // `propose` gets what is current and the time of the timeline, and is called while nothing else can
  // change it.
  using Propose = std::function<runtime::ChangeResult<Candidate>(const LiveConfig&, Duration)>;
  [[nodiscard]] runtime::ChangeResult<Applied> change(const Propose& propose);
  [[nodiscard]] runtime::ChangeResult<Applied> reload();
  // What rules want on top from now on, instead of what they wanted before; returns the generation it became.
  // What cannot be planned is refused and changes nothing.
  [[nodiscard]] runtime::ChangeResult<std::uint64_t> lay_over(rules::Overlay overlay);

  // Calls `look` with what is current: for reading and for dry runs.
  void look(const std::function<void(const LiveConfig&, Duration)>& look) const;

  // The following wait for no change that goes on.
  [[nodiscard]] ReloadCounts reloads() const;
  // What an operator should know: an invalid file, a state that could not be read or saved.
  [[nodiscard]] Errors notes() const;
  struct Document {
    std::string text;
    std::string etag;
  };
  [[nodiscard]] Document document() const;  // that is current
  [[nodiscard]] bool has_task(const std::string& id) const;
  [[nodiscard]] rules::Overlay overlay() const;  // that is in force

 private:
  [[nodiscard]] runtime::ChangeResult<Applied> put(runtime::ChangeResult<Candidate> candidate,
                                                   const std::string& file_mark) SACCADE_REQUIRES(mutex_);
  [[nodiscard]] runtime::ChangeResult<Applied> take_file() SACCADE_REQUIRES(mutex_);
  // To the run, with the overlay as far as it can be planned with it.
  [[nodiscard]] runtime::ChangeResult<std::uint64_t> give(runtime::RunConfig wanted) SACCADE_REQUIRES(mutex_);
  void publish() SACCADE_REQUIRES(mutex_);

  const std::filesystem::path file_;
  std::unique_ptr<StateKeeper> keeper_;  // null: nothing is kept; has locks of its own

  struct View {
    Document document;
    std::set<std::string> tasks;
    ReloadCounts reloads;
    Errors notes;
    rules::Overlay overlay;
  };
  mutable Mutex view_mutex_;  // taken last, and for a copy alone
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
