#include "placement/strategy.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "placement/exact.hpp"
#include "placement/jedi.hpp"
#include "placement/paths.hpp"
#include "placement/pipe_search.hpp"
#include "placement/two_stage.hpp"

namespace saccade::placement {
namespace {

Answer no_answer(std::string reason) {
  Answer answer;
  answer.reason = std::move(reason);
  return answer;
}

// Scored by the one evaluation, whatever the strategy believed.
Answer scored(const Costs& costs, const Request& request, Found found) {
  if (!found.placement) return no_answer("it finds no placement");
  const auto wrong = complaints(costs, *found.placement);
  if (!wrong.empty()) return no_answer("its placement is not legal: " + wrong.front());
  Answer answer;
  answer.evaluation = evaluate(costs, *found.placement);
  answer.value = value_of(request.aim, *answer.evaluation);
  if (answer.value == kImpossible) answer.reason = "it misses the deadline";
  answer.placement = std::move(found.placement);
  answer.believed = found.believed;
  answer.evaluations = found.evaluations;
  answer.complete = found.complete;
  return answer;
}

// Energy without energies, and what only some strategies can do.
std::optional<Answer> refusal(const Costs& costs, const Request& request, Objective only) {
  if (request.aim.objective != only) return no_answer(std::string("it knows only ") + to_string(only));
  if (only == Objective::throughput && request.aim.deadline) return no_answer("it knows no deadline");
  if (costs.processors() < 2) return no_answer("it wants two processors");
  return std::nullopt;
}

Seconds deadline_of(const Request& request) {
  return request.aim.deadline.value_or(Seconds(std::numeric_limits<double>::infinity()));
}

Answer single(const Costs& costs, const Request& request) {
  Found found;
  for (std::size_t p = 0; p < costs.processors(); ++p) {
    if (!costs.runs(p, 0, costs.layers())) continue;
    const double value = value_of(request.aim, evaluate(costs, whole_on(costs, p)));
    ++found.evaluations;
    if (found.placement && value >= found.believed) continue;
    found.believed = value;
    found.placement = whole_on(costs, p);
  }
  return scored(costs, request, std::move(found));
}

Answer run_two_stage(const Costs& costs, const Request& request) {
  return scored(costs, request, two_stage(costs, request.aim));
}

Answer run_k_stage(const Costs& costs, const Request& request) {
  return scored(costs, request, k_stage(costs, request.aim, {request.max_stages}));
}

// Without a profile the cut begins in the middle; both orders of every pair of processors.
Answer run_dynamic_cut(const Costs& costs, const Request& request) {
  if (auto refused = refusal(costs, request, Objective::throughput)) return *refused;
  ProfileMeasure measure(costs);
  Found found;
  for (std::size_t first = 0; first < costs.processors(); ++first) {
    for (std::size_t second = 0; second < costs.processors(); ++second) {
      if (first == second) continue;
      CutAverages averages;
      const DynamicCut cut = dynamic_cut(costs, first, second, costs.layers() / 2, measure, averages);
      if (cut.period >= found.believed) continue;
      found.believed = cut.period;
      found.placement = split_after(costs, cut.layers, first, second);
    }
  }
  found.evaluations = measure.calls();
  return scored(costs, request, std::move(found));
}

Answer run_lnt(const Costs& costs, const Request& request) {
  if (auto refused = refusal(costs, request, Objective::energy)) return *refused;
  return scored(
      costs, request,
      limited_transitions(costs, deadline_of(request),
                          {std::max<std::size_t>(request.max_stages, 1) - 1, request.count_transfers}));
}

// From the processor that runs everything in the least time to each of the others.
Answer run_knapsack(const Costs& costs, const Request& request) {
  if (auto refused = refusal(costs, request, Objective::energy)) return *refused;
  const auto roles = jedi_roles(costs);
  if (!roles) return no_answer("no processor runs every layer");
  Found best;
  for (std::size_t other = 0; other < costs.processors(); ++other) {
    if (other == roles->gpu) continue;
    Found found = knapsack(costs, deadline_of(request), roles->gpu, other, {request.profit});
    found.evaluations += best.evaluations;
    if (found.believed < best.believed) {
      best = std::move(found);
    } else {
      best.evaluations = found.evaluations;
    }
  }
  return scored(costs, request, std::move(best));
}

// Every processor is a core; a group that consists of alike ones works as copies of its stage.
Sequence groups_of_cores(const Costs& costs, std::size_t stages) {
  Sequence sequence;
  std::size_t core = 0;
  for (const std::size_t size : core_groups(costs.processors(), stages)) {
    bool alike = true;
    for (std::size_t k = 1; k < size; ++k) alike = alike && costs.kind_of(core + k) == costs.kind_of(core);
    sequence.push_back({core, alike ? size : 1});
    core += size;
  }
  return sequence;
}

Placement placement_of(const Costs& costs, const Composition& composition) {
  Cuts cuts;
  std::size_t layer = 0;
  for (std::size_t k = 0; k + 1 < composition.size(); ++k) cuts.push_back(layer += composition[k]);
  return placement_of(costs, groups_of_cores(costs, composition.size()), cuts);
}

std::optional<std::vector<double>> work_of(const Costs& costs) {
  std::vector<double> work;
  for (const Layer& layer : costs.chain().layers) {
    if (!layer.work) return std::nullopt;
    work.push_back(*layer.work);
  }
  return work;
}

Answer run_pipe_search(const Costs& costs, const Request& request) {
  if (auto refused = refusal(costs, request, Objective::throughput)) return *refused;
  const auto work = work_of(costs);
  if (!work) return no_answer("the layers have no weights");
  if (costs.layers() < costs.processors()) return no_answer("there are fewer layers than processors");
  constexpr std::int64_t kMostCompositions = 500'000;
  const std::int64_t longest = number_of_compositions(static_cast<std::int64_t>(costs.layers()),
                                                      static_cast<std::int64_t>(costs.processors()));
  if (longest > kMostCompositions) return no_answer("there are too many ways to sort: group the layers");
  const Trial trial = [&](const Composition& composition) {
    const Placement placement = placement_of(costs, composition);
    if (!complaints(costs, placement).empty()) return std::vector<double>{kImpossible};
    std::vector<double> times;
    const Evaluation evaluation = evaluate(costs, placement);
    for (const Stage& stage : placement) times.push_back(evaluation.load[stage.processor].value());
    return times;
  };
  const PipeSearchResult result = pipe_search(*work, costs.processors(), trial, {request.without_gain});
  return scored(costs, request, {placement_of(costs, result.best), result.period, result.trials, true});
}

Answer run_jedi(const Costs& costs, const Request& request) {
  if (auto refused = refusal(costs, request, Objective::throughput)) return *refused;
  ProfileMeasure measure(costs);
  JediFound best = jedi(costs, measure);
  if (best.option.empty()) return no_answer("no processor runs every layer");
  Answer answer = scored(costs, request, std::move(best.found));
  answer.reason = "option " + best.option;
  return answer;
}

Answer exact_of(const Costs& costs, const Request& request, Solution solution) {
  Answer answer = scored(costs, request,
                         {std::move(solution.placement), solution.value,
                          static_cast<std::int64_t>(solution.labels), solution.proved()});
  answer.bound = solution.bound;
  return answer;
}

Answer exact_latency(const Costs& costs, const Request& request) {
  const Paths paths(costs, {std::vector<double>(costs.processors(), 1.0), 0.0, {}}, request.max_stages);
  Answer answer = scored(costs, request, {paths.best(), paths.cost(), 1, true});
  answer.bound = paths.cost();
  return answer;
}

// E2 knows neither deadlines nor memory with several stages on a processor: where its answer misses one of
// them, its bound stays and everything is enumerated.
Answer exact_throughput(const Costs& costs, const Request& request) {
  ReuseOptions options;
  options.max_stages = request.max_stages;
  const Solution solution = least_period(costs, options);
  Answer answer = exact_of(costs, request, solution);
  if (answer.placement && answer.value < kImpossible) return answer;
  Answer enumerated = scored(costs, request, k_stage(costs, request.aim, {request.max_stages, false}));
  enumerated.bound = enumerated.complete && enumerated.placement ? enumerated.value : solution.bound;
  return enumerated;
}

Answer run_exact(const Costs& costs, const Request& request) {
  if (request.aim.objective == Objective::latency) return exact_latency(costs, request);
  if (request.aim.objective == Objective::throughput) return exact_throughput(costs, request);
  EnergyOptions options;
  options.max_stages = request.max_stages;
  return exact_of(costs, request, least_energy(costs, deadline_of(request), options));
}

constexpr std::array<Strategy, 9> kStrategies = {{
    {"single", "all papers", "the best processor alone", single},
    {"two-stage", "paper 000, Algorithm 1", "one cut between two processors, all positions", run_two_stage},
    {"k-stage", "paper 000, (3) to (5)", "one more stage as long as that gains", run_k_stage},
    {"dynamic-cut", "paper 000, Algorithm 2", "one cut, moved as long as measurements improve",
     run_dynamic_cut},
    {"lnt", "paper 002", "least energy within the deadline, a limited number of transitions", run_lnt},
    {"knapsack", "paper 002", "least energy within the deadline, transitions ignored", run_knapsack},
    {"pipe-search", "paper 001, Algorithm 2", "stages of even weight, tried in turn", run_pipe_search},
    {"jedi", "paper 003, Algorithm 1", "orders of GPU and DLAs, cuts moved by measurement", run_jedi},
    {"exact", "ours", "the best, or how far from it", run_exact},
}};

}  // namespace

std::span<const Strategy> strategies() { return kStrategies; }

const Strategy* find_strategy(std::string_view name) {
  const auto found = std::find_if(kStrategies.begin(), kStrategies.end(),
                                  [&](const Strategy& strategy) { return name == strategy.name; });
  return found == kStrategies.end() ? nullptr : &*found;
}

}  // namespace saccade::placement
