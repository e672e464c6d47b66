// The rules of one run: what workers see goes into the engine (rules/engine.hpp), and what it wants goes to
// the configuration's run, by ServiceConfig::lay_over(). A thread of its own does both, so that neither a
// worker nor the run's main loop ever waits for rules.
//
// Order: construct; listener() to the run; run() once changes can be taken; set_rules() whenever the
// configuration has changed; take_news() as often as events are to be told; end() before the run goes.
// Threads: set_rules(), take_news() and states() from any, and they never wait for a change that goes on;
// everything else on the owner's. Errors: a change that is refused is in states() and in the news; it is
// tried again, and what runs stays as it is.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rules/engine.hpp"
#include "runtime/control/actions.hpp"
#include "runtime/run/change_result.hpp"
#include "runtime/run/result_listener.hpp"

namespace saccade::service {

// A rule and one of its tasks, as the status shows it.
struct ShownRule {
  rules::RuleState state;
  Seconds for_time{0.0};  // since its last turn; 0: none yet
  std::string refused;    // why what it sets is not in force; empty: it is, or the rule does not hold
};

// Minutes since Monday, 00:00, of local time.
[[nodiscard]] int minute_of_week_now();

class RuleSession {
 public:
  using LayOver = std::function<runtime::ChangeResult<std::uint64_t>(rules::Overlay)>;
  using MinuteOfWeek = std::function<int()>;

  RuleSession(std::vector<rules::Rule> rules, LayOver lay_over, MinuteOfWeek minute = minute_of_week_now);
  ~RuleSession();
  RuleSession(const RuleSession&) = delete;
  RuleSession& operator=(const RuleSession&) = delete;

  // Hands on to `next`, which may be null.
  [[nodiscard]] std::shared_ptr<runtime::ResultListener> listener(
      std::shared_ptr<runtime::ResultListener> next);
  // Its thread runs beside the CPUs that the workers have.
  void run(const std::vector<int>& workers);
  void set_rules(std::vector<rules::Rule> rules, rules::Overlay in_force);
  // What happened since the last call, for log and event stream.
  [[nodiscard]] std::vector<runtime::action::Report> take_news();
  [[nodiscard]] std::vector<ShownRule> states() const;
  void end();

 private:
  class Core;
  class Tap;
  std::shared_ptr<Core> core_;  // outlives this in the hands of workers that were left behind
};

}  // namespace saccade::service
