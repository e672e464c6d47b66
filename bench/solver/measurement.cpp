#include "bench/solver/measurement.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/clock.hpp"
#include "runtime/machine/thread_cpu_clock.hpp"

namespace saccade::bench {
namespace {

constexpr double kLateShare = 0.98;  // an answer this close to its time limit was ended by it

struct Timed {
  Answer answer;
  Run run;
};

template <class Ask>
Timed timed(std::uint64_t seed, const Ask& ask) {
  static const SteadyClock wall;
  static const runtime::ThreadCpuClock cpu;
  const TimePoint cpu_before = cpu.now(), before = wall.now();
  Timed result{ask(), {}};
  const TimePoint after = wall.now(), cpu_after = cpu.now();
  result.run.seed = seed;
  result.run.wall_ms = to_seconds(after - before).value() * 1e3;
  result.run.cpu_ms = to_seconds(cpu_after - cpu_before).value() * 1e3;
  return result;
}

double relative(double difference, double value) { return difference / std::max(std::abs(value), 1e-9); }

// All answers to one seed against each other.
class Seed {
 public:
  Seed(const Case& which, const Trial& trial, std::vector<std::string>& complaints)
      : which_(which), trial_(trial), complaints_(complaints) {}

  // Of the planner; before the others.
  void judge_ours(Timed& timed) {
    if (trial_.look) trial_.look(timed.answer);
    copy(timed);
    timed.run.gap = timed.answer.gap;
    if (!timed.answer.note.empty()) complain(timed.run, timed.answer.note);
    infeasible_ = timed.answer.verdict == ilp::Verdict::infeasible;
    if (!trial_.comparable || infeasible_ || timed.answer.picks.empty()) return;
    const ilp::Evaluation evaluation = evaluate(*trial_.problem, timed.answer.picks);
    if (!evaluation.feasible) complain(timed.run, "the picks break a limit");
    if (timed.answer.gap) {
      bound_ = evaluation.levels.front() + *timed.answer.gap * std::abs(evaluation.levels.front());
    }
    feasible_ = evaluation.feasible;
  }

  void judge(Timed& timed, Run& ours) {
    copy(timed);
    if (!trial_.comparable) return;
    timed.run.wrong = timed.answer.verdict == ilp::Verdict::infeasible && feasible_;
    if (timed.answer.picks.empty()) return;
    const ilp::Evaluation evaluation = evaluate(*trial_.problem, timed.answer.picks);
    timed.run.wrong = !evaluation.feasible;
    if (!evaluation.feasible) return;
    if (infeasible_) complain(ours, "said to be infeasible, but another solver has a selection");
    if (!bound_) return;
    const double missed = relative(*bound_ - evaluation.levels.front(), evaluation.levels.front());
    if (missed < -3e-9) complain(ours, "another solver has a better selection than was proven possible");
    timed.run.gap = std::max(missed, 0.0);
  }

 private:
  void copy(Timed& timed) const {
    timed.run.verdict = timed.answer.verdict;
    timed.run.culprit = timed.answer.culprit;
    const bool proven =
        timed.answer.verdict == ilp::Verdict::optimal || timed.answer.verdict == ilp::Verdict::infeasible;
    timed.run.late = !proven && timed.run.wall_ms >= kLateShare * which_.seconds * 1e3;
  }
  void complain(Run& run, const std::string& what) {
    run.wrong = true;
    complaints_.push_back(std::string(which_.name) + ", seed " + std::to_string(run.seed) + ": " + what);
  }

  const Case& which_;
  const Trial& trial_;
  std::vector<std::string>& complaints_;
  std::optional<double> bound_;
  bool feasible_ = false;
  bool infeasible_ = false;
};

}  // namespace

Measured measure(const Case& which, std::span<const std::unique_ptr<Contender>> others,
                 const Settings& settings, const std::function<void(double)>& progress) {
  Measured measured;
  measured.which = &which;
  measured.columns.push_back({"saccade", {}});
  for (const auto& other : others) measured.columns.push_back({other->name(), {}});
  std::vector<double> left(measured.columns.size(), settings.other_budget * 1e3);
  left[0] = settings.own_budget * 1e3;

  // Seed 0 warms caches and allocators and is not counted.
  for (std::uint64_t count = 0; count <= settings.seeds && left[0] > 0.0; ++count) {
    progress(static_cast<double>(count) / static_cast<double>(settings.seeds + 1));
    const bool counts = count > 0;
    const std::uint64_t seed = settings.first_seed + (counts ? count - 1 : settings.seeds);
    const Trial trial = make_trial(which, seed);
    std::vector<std::optional<Timed>> results(measured.columns.size());
    for (std::size_t turn = 0; turn < results.size(); ++turn) {
      const std::size_t column = (turn + count) % results.size();
      if (left[column] <= 0.0 || (column > 0 && !trial.problem)) continue;
      results[column] = column == 0 ? timed(seed, trial.ours) : timed(seed, [&] {
        return others[column - 1]->answer({*trial.problem, which.gap, which.seconds});
      });
      if (counts) left[column] -= results[column]->run.wall_ms;
    }
    std::vector<std::string> ignored;
    Seed judged(which, trial, counts ? measured.complaints : ignored);
    judged.judge_ours(*results[0]);
    for (std::size_t column = 1; column < results.size(); ++column) {
      if (results[column]) judged.judge(*results[column], results[0]->run);
    }
    for (std::size_t column = 0; counts && column < results.size(); ++column) {
      if (results[column]) measured.columns[column].runs.push_back(results[column]->run);
    }
  }
  return measured;
}

}  // namespace saccade::bench
