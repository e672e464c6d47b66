#include "app/report/explanation.hpp"

#include <algorithm>
#include <utility>

#include "app/report/table.hpp"

namespace saccade::app {
namespace {

using scheduler::Objective;
using scheduler::Plan;
using scheduler::PlanStatus;
using scheduler::Snapshot;

std::string value_in_words(Objective objective, double value) {
  switch (objective) {
    case Objective::max_accuracy:
      return short_percent(value) + " of the best accuracy on average";
    case Objective::min_energy:
      return short_number(value) + " J/s above idle";
    case Objective::min_memory:
      return short_bytes(value);
  }
  return "";
}

const char* goal(Objective objective) {
  switch (objective) {
    case Objective::max_accuracy:
      return "more accurate";
    case Objective::min_energy:
      return "more frugal";
    case Objective::min_memory:
      return "smaller";
  }
  return "";
}

// A handy portion of a resource, for prices: how much, in SI units, and what it is called.
struct Portion {
  double size;
  std::string name;
};

// "memory:gpu0": gpu0.
std::optional<std::string> device_memory_of(const std::string& resource) {
  const std::string prefix = "memory:";
  return resource.starts_with(prefix) ? std::optional(resource.substr(prefix.size())) : std::nullopt;
}

Portion portion_of(const std::string& resource) {
  if (resource.starts_with("time:")) return {0.01, "1 % more of processor `" + resource.substr(5) + "`"};
  if (resource == "memory") return {1e6, "1 MB more memory"};
  if (const auto memory = device_memory_of(resource)) return {1e6, "1 MB more memory of `" + *memory + "`"};
  if (resource == "energy") return {1.0, "1 J/s more energy"};
  return {1.0, "1 W more peak power"};
}

std::string resource_name(const std::string& resource) {
  if (resource.starts_with("time:")) return "Processor time on `" + resource.substr(5) + "`";
  if (resource == "memory") return "The memory limit";
  if (const auto memory = device_memory_of(resource)) return "The limit of memory `" + *memory + "`";
  if (resource == "energy") return "The energy limit";
  return "The peak power limit";
}

std::string worth_in_words(Objective objective, double worth) {
  switch (objective) {
    case Objective::max_accuracy:
      return "raise the mean accuracy by about " + short_number(100.0 * worth) + " percentage points";
    case Objective::min_energy:
      return "save about " + short_number(worth) + " J/s";
    case Objective::min_memory:
      return "save about " + short_bytes(worth);
  }
  return "";
}

class Explanation {
 public:
  Explanation(const Snapshot& snapshot, const Plan& plan) : snapshot_(snapshot), plan_(plan) {}

  std::vector<Sentence> run(const std::optional<std::vector<scheduler::Relaxation>>& relaxations) {
    outcome();
    reasons_of("", "plan");
    const Plan& runs = plan_.fallback ? *plan_.fallback : plan_;
    for (std::size_t i = 0; i < runs.tasks.size(); ++i) task(snapshot_.tasks[i], runs.tasks[i]);
    resources();
    for (const std::string& limit : plan_.violated_limits) {
      say({"resource", limit, "This policy ignores the limit " + limit + ", and it is broken."});
    }
    // An infeasible plan tells what would end the conflict, floors being floors; then the whole demand.
    for (const scheduler::Relaxation& relaxation : plan_.relaxations) {
      relax(relaxation, "At its floors everything would fit with ", "Even at its floors the demand needs ");
    }
    if (!relaxations) {
      say({"relaxation", "", "There was no time to find out whether the whole demand fits.", false});
      return std::move(sentences_);
    }
    for (const scheduler::Relaxation& relaxation : *relaxations) {
      relax(relaxation, "The whole demand would fit with ", "The whole demand needs ");
    }
    return std::move(sentences_);
  }

 private:
  void say(Sentence sentence) { sentences_.push_back(std::move(sentence)); }

  void outcome() {
    const bool proven = plan_.gap && *plan_.gap <= 1e-9;
    const std::string value =
        plan_.objective_value ? ": " + value_in_words(plan_.objective, *plan_.objective_value) : "";
    switch (plan_.status) {
      case PlanStatus::optimal:
        say({"plan", "",
             "Everything that is demanded fits" + value + ". No other plan is " + goal(plan_.objective) + ".",
             true});
        break;
      case PlanStatus::feasible:
        say({"plan", "", "Everything that is demanded fits" + value + "." + at_best(), false});
        break;
      case PlanStatus::degraded:
        degraded(value, proven);
        break;
      case PlanStatus::infeasible:
        say({"plan", "",
             plan_.fallback ? "The limits cannot be kept with this demand; " + fallback_in_words()
                            : "The configuration cannot be planned.",
             true});
        break;
      case PlanStatus::unknown:
        say({"plan", "", "There was no time to find a plan.", false});
        break;
    }
  }

  [[nodiscard]] std::string at_best() const {
    if (!plan_.bound || !plan_.gap || *plan_.gap <= 1e-9) return "";
    return " At best it could be " + value_in_words(plan_.objective, *plan_.bound) + ".";
  }

  void degraded(const std::string& value, bool proven) {
    double demand = 0.0;
    for (const scheduler::Assignment& a : plan_.tasks) demand += a.demand.value();
    std::string text = "Not everything that is demanded fits: " + short_number(plan_.totals.lost.value()) +
                       " of " + short_number(demand) + " frames/s are given up";
    if (plan_.loss_gap == 0.0) {
      text += ", the least that the limits allow, lower priorities first";
    } else if (plan_.loss_gap) {
      text += "; at most " + short_percent(*plan_.loss_gap) + " of what the first class loses could be saved";
    }
    say({"plan", "", text + value + "." + at_best(), plan_.loss_gap == 0.0 && proven});
  }

  [[nodiscard]] std::string fallback_in_words() const {
    return plan_.fallback->policy == "keep_running" ? "what runs now goes on."
                                                    : "as much as the limits allow runs instead.";
  }

  // The reasons a plan gives, as they are: they are sentences about one task already.
  void reasons_of(const std::string& task, const char* about) {
    const auto tell = [&](const Plan& plan) {
      for (const scheduler::Reason& reason : plan.reasons) {
        if (reason.task != task) continue;
        say({about, task, (task.empty() ? "" : "`" + task + "`: ") + reason.what + "."});
      }
    };
    tell(plan_);
    if (plan_.fallback) tell(*plan_.fallback);
  }

  void task(const scheduler::Task& task, const scheduler::Assignment& a) {
    if (a.variant) {
      std::string text = "`" + task.id.str() + "` runs `" + task.profiles->variants[*a.variant].id.str() +
                         "` at " + short_number(a.granted.value());
      if (a.granted < a.demand) text += " of " + short_number(a.demand.value());
      text += " frames/s with " + short_percent(a.relative_accuracy) + " of its network's best accuracy";
      for (std::size_t p = 0; p < a.time_share.size(); ++p) {
        if (a.time_share[p] > 0.0) {
          text += ", " + short_percent(a.time_share[p]) + " of processor `" +
                  snapshot_.processors[p].id.str() + "`";
        }
      }
      say({"task", task.id.str(), text + "."});
    }
    reasons_of(task.id.str(), "task");
  }

  void resources() {
    if (plan_.status == PlanStatus::infeasible || plan_.status == PlanStatus::unknown) return;
    for (const scheduler::Binding& binding : plan_.binding) {
      const Portion portion = portion_of(binding.resource);
      std::string text = resource_name(binding.resource) + " " + use_in_words(binding.resource) +
                         "holds the plan back. " + portion.name + " would ";
      if (binding.frames) {
        text += "give back about " + short_number(*binding.frames * portion.size) + " frames/s of weight 1";
      } else {
        text += worth_in_words(plan_.objective, binding.price * portion.size);
      }
      say({"resource", binding.resource, text + " (estimated).", false});
    }
  }

  // "(0.94 of 0.95 used) "
  [[nodiscard]] std::string use_in_words(const std::string& resource) const {
    const scheduler::Totals& totals = plan_.totals;
    const scheduler::Limits& limits = snapshot_.limits;
    for (std::size_t p = 0; p < snapshot_.processors.size(); ++p) {
      if (resource == "time:" + snapshot_.processors[p].id.str()) {
        return "(" + short_percent(totals.time_share[p]) + " of " +
               short_percent(snapshot_.processors[p].budget()) + " used) ";
      }
    }
    if (resource == "memory" && totals.memory && limits.memory) {
      return "(" + short_bytes(totals.memory->value()) + " of " + short_bytes(limits.memory->value()) +
             " used) ";
    }
    if (const auto memory = device_memory_of(resource)) return use_of_memory(*memory);
    const bool energy = resource == "energy";
    const std::optional<Watts>& used = energy ? totals.energy_per_second : totals.peak_power;
    const std::optional<Watts>& allowed = energy ? limits.energy_per_second : limits.peak_power;
    if (!used || !allowed) return "";
    return "(" + short_number(used->value()) + " of " + short_number(allowed->value()) +
           (energy ? " J/s used) " : " W used) ");
  }

  [[nodiscard]] std::string use_of_memory(const std::string& name) const {
    const std::vector<scheduler::DeviceMemory> memories = scheduler::device_memories(snapshot_);
    const auto limit = snapshot_.limits.memories.find(name);
    for (std::size_t m = 0; m < memories.size() && m < plan_.totals.device_memory.size(); ++m) {
      const std::optional<Bytes>& used = plan_.totals.device_memory[m];
      if (memories[m].name != name || !used || limit == snapshot_.limits.memories.end()) continue;
      return "(" + short_bytes(used->value()) + " of " + short_bytes(limit->second.value()) + " used) ";
    }
    return "";
  }

  void relax(const scheduler::Relaxation& relaxation, const char* would_fit, const char* needs) {
    if (relaxation.resource == "combined") {
      say({"relaxation", "combined", "No single change was found that is enough by itself.", false});
      return;
    }
    const std::string proof = relaxation.proven ? " (proven)" : " (not proven)";
    const bool enough = relaxation.enough;
    std::string text = (enough ? would_fit : needs) + in_words(relaxation) + proof;
    if (!enough) text += ", and that alone is not enough";
    say({"relaxation", relaxation.resource, text + ".", relaxation.proven});
  }

  [[nodiscard]] static std::string in_words(const scheduler::Relaxation& relaxation) {
    const std::string& resource = relaxation.resource;
    if (!relaxation.needed || !relaxation.allowed) return relaxation.what;
    const double needed = *relaxation.needed;
    const double allowed = *relaxation.allowed;
    if (resource.starts_with("time:")) {
      return short_percent(needed) + " of processor `" + resource.substr(5) + "` instead of " +
             short_percent(allowed);
    }
    if (resource == "memory") return short_bytes(needed) + " of memory instead of " + short_bytes(allowed);
    if (const auto memory = device_memory_of(resource)) {
      return short_bytes(needed) + " of memory `" + *memory + "` instead of " + short_bytes(allowed);
    }
    if (resource == "energy") {
      return short_number(needed) + " J/s of energy instead of " + short_number(allowed) + " J/s";
    }
    if (resource == "power") {
      return short_number(needed) + " W of peak power instead of " + short_number(allowed) + " W";
    }
    return relaxation.what;
  }

  const Snapshot& snapshot_;
  const Plan& plan_;
  std::vector<Sentence> sentences_;
};

}  // namespace

std::vector<Sentence> explain(const Snapshot& snapshot, const Plan& plan,
                              const std::optional<std::vector<scheduler::Relaxation>>& relaxations) {
  return Explanation(snapshot, plan).run(relaxations);
}

namespace {

// Where it is not the processor's name.
std::string kind_of(const scheduler::Processor& processor) {
  const std::string& kind = processor.kind.str();
  return kind.empty() || kind == processor.id.str() ? "" : " (kind " + kind + ")";
}

}  // namespace

std::vector<Sentence> explain_guards(const runtime::RunConfig& run, const Snapshot& snapshot) {
  std::vector<Sentence> sentences;
  for (std::size_t p = 0; p < snapshot.processors.size(); ++p) {
    const scheduler::Processor& processor = snapshot.processors[p];
    std::string text = "Plans leave " + short_percent(processor.guard.value()) + " of " + processor.id.str() +
                       kind_of(processor) + " free as a guard";
    if (const auto& kept = run.processors.at(p).auto_guard) {
      text += "; while it serves, the guard follows what is measured, so that queues lose at most " +
              short_number(kept->loss_target * 100.0) + " % of the frames";
    }
    sentences.push_back({"guard", processor.id.str(), text + ".", std::nullopt});
  }
  return sentences;
}

std::vector<Sentence> explain_slowdowns(const runtime::RunConfig& run) {
  std::vector<Sentence> sentences;
  for (std::size_t p = 0; p < run.processors.size(); ++p) {
    double last = runtime::slowdown_of(run.timeline.front().slowdowns, p);
    std::string changes;
    for (const runtime::TimelineState& state : run.timeline) {
      const double slowdown = runtime::slowdown_of(state.slowdowns, p);
      if (slowdown == std::exchange(last, slowdown)) continue;
      changes += (changes.empty() ? "" : ", ") + short_number(slowdown) + " from " +
                 short_number(to_seconds(state.at).value()) + " s on";
    }
    const double first = runtime::slowdown_of(run.timeline.front().slowdowns, p);
    if (first == 1.0 && changes.empty()) continue;
    const std::string& name = run.processors[p].id.str();
    std::string text = "Processor " + name + " is emulated: each job takes " + short_number(first) +
                       " times its own processor time, as its profiles were measured";
    if (!changes.empty()) text += "; " + changes + ", which plans learn by measuring alone";
    sentences.push_back({"emulated", name, text + ".", std::nullopt});
  }
  return sentences;
}

std::vector<Sentence> explain_rules(const std::vector<rules::Rule>& rules,
                                    const std::vector<rules::Rule>& counted) {
  std::vector<Sentence> sentences;
  for (const rules::Rule& rule : rules) {
    std::string of;
    for (const std::string& task : rule.tasks) of += (of.empty() ? "" : ", ") + task;
    const bool counts = std::find(counted.begin(), counted.end(), rule) != counted.end();
    const std::string task = rule.tasks.size() == 1 ? rule.tasks.front() : "the task itself";
    sentences.push_back({"rule", rule.id,
                         "Rule " + rule.id + " sets " + to_string(rule.set) + " of " + of +
                             " (condition: " + conditions_of(rule, task) +
                             (counts ? "); it counts here." : "); it does not count here."),
                         std::nullopt});
  }
  return sentences;
}

}  // namespace saccade::app
