#include "config/rules_plan.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "config/moment.hpp"
#include "config/solvers.hpp"
#include "rules/overlay.hpp"

namespace saccade::config {
namespace {

constexpr std::size_t kMostStates = 16;  // that are planned; each takes up to the deadline
constexpr double kRounding = 1e-6;       // share of a rate

// Of one state, tasks that were told before left out.
void tell_losses(const scheduler::Snapshot& state, const scheduler::Plan& plan, const std::string& when,
                 std::set<std::string>& told, const std::string& where, Errors& warnings) {
  using scheduler::PlanStatus;
  const std::string hint = "lower what the rules set, or see `saccade explain FILE --rules worst`";
  if (plan.status == PlanStatus::unknown) return;
  if (plan.status == PlanStatus::infeasible && told.insert("").second) {
    warnings.push_back(
        {where, "no plan keeps all floors when all rules demand their most at once" + when, hint});
    return;
  }
  for (std::size_t i = 0; i < plan.tasks.size() && i < state.tasks.size(); ++i) {
    const double demanded = state.tasks[i].demand.value();
    const double granted = plan.tasks[i].granted.value();
    const std::string& id = state.tasks[i].id.str();
    if (granted >= demanded * (1.0 - kRounding) || !told.insert(id).second) continue;
    warnings.push_back({where,
                        "when all rules demand their most at once" + when + ", `" + id + "` gets " +
                            text::to_text(granted) + " of " + text::to_text(demanded) + " frames/s",
                        hint});
  }
}

}  // namespace

Result<RuleChoice> choose_rules(const std::vector<rules::Rule>& rules, const std::string& word) {
  if (word == "none") return RuleChoice{};
  if (word == "all" || word == "worst") return RuleChoice{rules, word == "worst"};
  std::set<std::string> wanted;
  std::vector<std::string> known;
  for (const rules::Rule& rule : rules) known.push_back(rule.id);
  Errors errors;
  std::istringstream ids(word);
  for (std::string id; std::getline(ids, id, ',');) {
    wanted.insert(id);
    if (std::find(known.begin(), known.end(), id) != known.end()) continue;
    const std::string meant = text::nearest(id, known);
    errors.push_back({"--rules", "there is no rule " + text::in_quotes(id),
                      meant.empty() ? "write none, all, worst, or ids with commas between them"
                                    : "did you mean `" + meant + "`?"});
  }
  if (!errors.empty()) return errors;
  RuleChoice choice;
  for (const rules::Rule& rule : rules) {
    if (wanted.contains(rule.id)) choice.rules.push_back(rule);
  }
  return choice;
}

void lay_over(const RuleChoice& choice, scheduler::Snapshot& state) {
  if (choice.worst) {
    state = rules::worst_case(choice.rules, std::move(state));
  } else {
    rules::lay_over(rules::overlay_of(choice.rules), state);
  }
}

Errors worst_case_warnings(const LoadedConfig& config, const std::string& file) {
  Errors warnings;
  if (config.rules.empty()) return warnings;
  Moment moment;
  moment.run = config.run;
  moment.policy = config.run.policy;
  moment.solver = make_solver(config.run.solver);
  const std::string where = text::JsonReport(file).where(0, "/rules");
  std::set<std::string> told;
  const auto& timeline = config.run.timeline;
  for (std::size_t i = 0; i < timeline.size() && i < kMostStates; ++i) {
    const scheduler::Snapshot state = rules::worst_case(config.rules, timeline[i].snapshot);
    const std::string when =
        i == 0 ? "" : " from " + text::to_text(to_seconds(timeline[i].at).value()) + " s on";
    if (!scheduler::validate(state).empty()) continue;  // a mixture that no rules make
    tell_losses(state, decide_once(moment, state).plan, when, told, where, warnings);
  }
  return warnings;
}

}  // namespace saccade::config
