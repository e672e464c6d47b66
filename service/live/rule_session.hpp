// The rules of one run: a worker evaluates its result for the conditions on presence (rule_watch.hpp), and a
// thread of its own runs the engine (rules/engine.hpp) when one begins or may have ended, and brings the
// engine's overlay to the run, by ServiceConfig::lay_over(). So neither a worker nor the run's main loop ever
// waits for a change.
//
// Order: construct; pass listener() to the run; run() once changes can be made; set_rules() whenever the
// configuration has changed; take_news() whenever events are to be reported; end() before the run is
// destroyed.
// Threads: set_rules(), take_news() and states() from any, and they never wait for a change in progress;
// everything else on the owner's. Errors: a refused change is reported by states() and take_news(); it is
// retried, and the running state remains.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "rules/engine.hpp"
#include "runtime/control/actions.hpp"
#include "runtime/run/change_result.hpp"
#include "runtime/run/result_listener.hpp"

namespace saccade::service {

// A rule and one of its tasks, as shown in the status.
struct ShownRule {
  rules::RuleState state;
  Seconds for_time{0.0};  // since it last started or stopped being active; 0: never yet
  std::string refused;    // why its settings are not in force; empty: they are, or the rule is inactive
};

// Minutes since Monday, 00:00, of local time.
[[nodiscard]] int minute_of_week_now();

class RuleSession {
 public:
  using LayOver = std::function<runtime::ChangeResult<std::uint64_t>(rules::Overlay)>;
  using MinuteOfWeek = std::function<int()>;

  // `clock` says what time it is; how long the thread waits for a time, the steady clock says.
  RuleSession(std::vector<rules::Rule> rules, LayOver lay_over, MinuteOfWeek minute = minute_of_week_now,
              std::shared_ptr<const Clock> clock = std::make_shared<SteadyClock>());
  ~RuleSession();
  RuleSession(const RuleSession&) = delete;
  RuleSession& operator=(const RuleSession&) = delete;

  // Passes results on to `next`, which may be null.
  [[nodiscard]] std::shared_ptr<runtime::ResultListener> listener(
      std::shared_ptr<runtime::ResultListener> next);
  // Its thread runs on CPUs that the workers do not use.
  void run(const std::vector<int>& workers);
  void set_rules(std::vector<rules::Rule> rules, rules::Overlay in_force);
  // Events since the last call, for log and event stream.
  [[nodiscard]] std::vector<runtime::action::Report> take_news();
  [[nodiscard]] std::vector<ShownRule> states() const;
  void end();

 private:
  class Core;
  class Tap;
  std::shared_ptr<Core> core_;  // shared with abandoned workers, which may outlive this
};

}  // namespace saccade::service
