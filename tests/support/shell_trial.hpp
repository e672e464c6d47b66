// A run of the real shell in a test: on simulated engines, its events kept, ended from inside them. Nothing
// here waits for a time to pass or judges how long something took: runs end when the event they wait for
// has happened, and what is asserted are the books, the order of events and what serves.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/engines/simulated_backend.hpp"
#include "runtime/real/real_shell.hpp"
#include "tests/support/run_fixture.hpp"

namespace saccade::test {

inline constexpr double kRoomy = 100e6;  // bytes: every engine fits beside every other
inline constexpr Duration kAtMost =
    std::chrono::seconds(60);  // only for a run that never gets where it should

// Sources of KnownFrames, whatever is asked for.
[[nodiscard]] Result<std::unique_ptr<runtime::FrameSource>> open_known(
    const runtime::SourceConfig& source, const runtime::Regions& regions,
    const runtime::NetworkInputs& inputs, const std::vector<std::string>& labels);
[[nodiscard]] profiles::ProfileSetPtr shared(profiles::ProfileSet set);

// A run that keeps its events and may be ended from inside them.
class Trial {
 public:
  using OnEvent = std::function<void(Trial&, const runtime::action::Report&)>;
  using OnStatus = std::function<void(Trial&, const runtime::RunStatus&)>;

  explicit Trial(runtime::RunConfig config, runtime::SimulatedBehaviour behaviour = {});

  Trial& with_backend(std::shared_ptr<const runtime::EngineBackend> backend);
  Trial& when(OnEvent on_event);
  Trial& watching(OnStatus on_status);

  runtime::RunSummary go(std::optional<Duration> duration = kAtMost);
  void stop() { shell_->stop(); }
  [[nodiscard]] const runtime::RealShell& shell() const { return *shell_; }  // during go()

  [[nodiscard]] std::size_t count(runtime::EventKind event, const std::string& detail = "") const;
  [[nodiscard]] const std::vector<runtime::action::Report>& events() const { return events_; }

 private:
  runtime::RunConfig config_;
  std::shared_ptr<const runtime::EngineBackend> backend_;
  OnEvent on_event_;
  OnStatus on_status_;
  std::unique_ptr<runtime::RealShell> shell_;
  std::vector<runtime::action::Report> events_;
};

// Ends the run when every task has processed so many frames.
Trial::OnStatus until_processed(std::int64_t frames);

[[nodiscard]] std::int64_t dropped(const runtime::TaskSummary& task);
// What holds of every summary, whatever happened.
void expect_sound_books(const runtime::RunSummary& summary);

}  // namespace saccade::test
