// The configuration of a running service: the file it came from, the document that is wanted now, and
// the state that outlives a restart. Every change goes through here, one at a time: it is proposed, put
// to the run, saved, and only then current.
//
// What wins at the start, where a state was saved:
//   the file is as it was when the state began   the saved state
//   the file is another one and valid            the file; what was changed before is gone
//   the file is invalid or cannot be read        the saved state (the last good one), and notes() says so
// A saved state that is damaged or not valid any more is not used, and notes() says so. Without either
// there is nothing to run. A reload replaces everything by the file; an invalid one changes nothing.
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
#include <mutex>
#include <optional>
#include <string>

#include "app/live_config.hpp"
#include "app/state_store.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"

namespace saccade::app {

enum class Origin { file, saved_state, last_good_state };
[[nodiscard]] const char* to_string(Origin origin);

struct Start {
  Candidate config;
  Origin origin = Origin::file;
  std::string file_mark;  // of the file that the configuration goes back to
  Errors notes;           // what was passed over, and why
};

// Decides what a service starts with; `store` may be null. Only then are the errors those of the file.
[[nodiscard]] Result<Start> start_from(const std::filesystem::path& file, StateStore* store);

// Where the file itself says that the state is kept, even if it says much else that is wrong; empty:
// nowhere, or nothing can be read.
[[nodiscard]] std::filesystem::path state_dir_of(const std::filesystem::path& file);

// The run that carries changes out.
struct RunSeam {
  std::function<Result<std::uint64_t>(runtime::RunConfig)> reconfigure;  // the generation it became
  std::function<Duration()> now;                                         // on the timeline
};

struct ReloadCounts {
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  bool last_succeeded = true;
};

class ServiceConfig {
 public:
  // `store` may be null: then nothing is kept.
  ServiceConfig(std::filesystem::path file, Start start, std::unique_ptr<StateStore> store);

  // What it starts with has proved to run and is saved. Before, and after a null seam, changes are refused.
  void attach(std::optional<RunSeam> seam);

  struct Applied {  // all of this one change, whatever comes right after it
    std::uint64_t generation = 0;
    std::string etag;
    Errors warnings;
  };
  // `propose` gets what is current and the time of the timeline, and is called while nothing else can
  // change it.
  using Propose = std::function<Result<Candidate>(const LiveConfig&, Duration)>;
  [[nodiscard]] Result<Applied> change(const Propose& propose);
  [[nodiscard]] Result<Applied> reload();

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

 private:
  [[nodiscard]] Result<Applied> put(Result<Candidate> candidate, const std::string& file_mark);
  [[nodiscard]] Result<Applied> take_file();
  void save();

  void publish();

  const std::filesystem::path file_;

  struct View {
    Document document;
    ReloadCounts reloads;
    Errors notes;
  };
  mutable std::mutex view_mutex_;  // guards view_; taken last, and for a copy alone
  View view_;

  mutable std::mutex mutex_;  // guards everything below
  LiveConfig live_;
  std::string file_mark_;
  std::unique_ptr<StateStore> store_;
  std::optional<RunSeam> seam_;
  ReloadCounts reloads_;
  Errors start_notes_;  // until a reload succeeds
  Errors file_notes_;   // of the last reload
  Errors save_notes_;   // of the last attempt to save
};

}  // namespace saccade::app
