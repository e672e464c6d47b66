#include "bench/fleet/whole.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/fleet/instances.hpp"
#include "bench/paper/finding.hpp"
#include "bench/solver/contender.hpp"
#include "fleet/plan.hpp"

namespace saccade::bench {
namespace {

constexpr FleetSize kWholeSizes[] = {
    {60, 4, Sites::anywhere, 1}, {120, 8, Sites::anywhere, 1}, {300, 10, Sites::anywhere, 1}};
constexpr double kProof = 1e-6;  // relative gap at which a solver may end before its time

double wall_seconds() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

// Options of whole_problem(), in its order; the last one of a camera is off.
std::vector<std::pair<std::size_t, std::size_t>> places_of(const fleet::Model& model, std::size_t camera) {
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (const std::size_t box : model.boxes_for(camera)) {
    const std::size_t offers = model.menu_on(model.items()[camera], box).size();
    for (std::size_t offer = 0; offer < offers; ++offer) places.emplace_back(box, offer);
  }
  return places;
}

WholeAnswer own_answer(const fleet::Model& model, WholeFleet& whole) {
  const double began = wall_seconds();
  fleet::PlanLimits limits;
  limits.survival = false;
  limits.rounds = fleet::kSearchRounds;
  const fleet::FleetPlan plan = fleet::plan_fleet(model, limits);
  WholeAnswer answer{"this", 0.0, 0.0, 0, wall_seconds() - began};
  for (std::size_t i = 0; i < model.items().size(); ++i) {
    const fleet::Served& served = plan.assignment.served(i);
    answer.off += served.off() ? 1 : 0;
    answer.value += served.off() ? 0.0 : fleet::net_value(model, i, served);
    *answer.level -= served.off() ? static_cast<double>(model.items().size()) * model.items()[i].weight : 0.0;
  }
  *answer.level += answer.value;
  answer.value /= model.weight();
  whole.bound = plan.bound / model.weight();
  return answer;
}

WholeAnswer other_answer(const Contender& solver, const fleet::Model& model,
                         const ilp::ChoiceProblem& problem, double seconds) {
  const double began = wall_seconds();
  const Answer found = solver.answer({problem, kProof, seconds});
  WholeAnswer answer{solver.name(), {}, 0.0, 0, wall_seconds() - began};
  if (found.picks.size() != problem.groups.size() || !ilp::feasible(problem, found.picks)) return answer;
  answer.level = ilp::evaluate(problem, found.picks).levels[0];
  for (std::size_t i = 0; i < found.picks.size(); ++i) {
    const ilp::Group& group = problem.groups[i];
    const bool off = found.picks[i] + 1 == group.options.size();
    answer.off += off ? 1 : 0;
    answer.value += off ? 0.0 : group.options[found.picks[i]].levels[0];
  }
  answer.value /= model.weight();
  return answer;
}

std::string percent_text(double share) { return number(100.0 * share, 4).text; }

}  // namespace

ilp::ChoiceProblem whole_problem(const fleet::Model& model) {
  ilp::ChoiceProblem problem;
  std::vector<std::size_t> first_row;
  for (std::size_t box = 0; box < model.problem().boxes.size(); ++box) {
    first_row.push_back(problem.capacities.size());
    const std::vector<double>& capacity = model.kind_of(box).capacity;
    problem.capacities.insert(problem.capacities.end(), capacity.begin(), capacity.end());
  }
  for (std::size_t i = 0; i < model.items().size(); ++i) {
    const fleet::Item& item = model.items()[i];
    ilp::Group& group = problem.groups.emplace_back();
    for (const auto& [box, offer] : places_of(model, i)) {
      const fleet::Kind& kind = model.kind_of(box);
      const fleet::Offer& offered = model.menu_on(item, box)[offer];
      ilp::Option& option = group.options.emplace_back();
      option.levels = {fleet::net_value(model, i, {box, offer, item.rate})};
      option.use.assign(problem.capacities.size(), 0.0);
      for (std::size_t row = 0; row < kind.capacity.size(); ++row) {
        option.use[first_row[box] + row] = fleet::use_of(kind, offered, row, item.rate);
      }
    }
    ilp::Option& off = group.options.emplace_back();
    off.levels = {-static_cast<double>(model.items().size()) * item.weight};
    off.use.assign(problem.capacities.size(), 0.0);
  }
  return problem;
}

std::vector<WholeFleet> compare_whole(std::uint64_t seed, double seconds,
                                      const std::function<void(const std::string&)>& progress) {
  std::vector<WholeFleet> fleets;
  const Others others = other_contenders();
  for (const FleetSize& size : kWholeSizes) {
    WholeFleet& whole = fleets.emplace_back();
    whole.name = std::to_string(size.cameras) + " x " + std::to_string(size.boxes);
    const fleet::Problem fleet = make_fleet(size, seed);
    const fleet::Model model(fleet);
    const ilp::ChoiceProblem problem = whole_problem(model);
    whole.answers.push_back(own_answer(model, whole));
    for (const auto& solver : others.contenders) {
      progress(whole.name + ", " + solver->name());
      whole.answers.push_back(other_answer(*solver, model, problem, seconds));
    }
    for (const std::string& missing : others.missing) whole.answers.push_back({missing + " (not installed)"});
  }
  return fleets;
}

Sheet sheet_of(const std::vector<WholeFleet>& fleets) {
  Sheet sheet{{"cameras x boxes", "solver", "value (%)", "off", "bound, this (%)", "wall s"}, 2};
  for (const WholeFleet& whole : fleets) {
    for (const WholeAnswer& answer : whole.answers) {
      const bool found = answer.level.has_value();
      const bool own = &answer == &whole.answers.front();
      sheet.rows.push_back({whole.name, answer.solver, found ? percent_text(answer.value) : "-",
                            found ? std::to_string(answer.off) : "-", own ? percent_text(whole.bound) : "-",
                            answer.seconds > 0.0 ? number(answer.seconds, 2).text : "-"});
    }
  }
  return sheet;
}

nlohmann::ordered_json to_json(const std::vector<WholeFleet>& fleets) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const WholeFleet& whole : fleets) {
    nlohmann::ordered_json answers = nlohmann::ordered_json::array();
    for (const WholeAnswer& answer : whole.answers) {
      answers.push_back({{"solver", answer.solver},
                         {"found", answer.level.has_value()},
                         {"value", answer.value},
                         {"off", answer.off},
                         {"seconds", answer.seconds}});
    }
    json.push_back({{"fleet", whole.name}, {"bound", whole.bound}, {"answers", std::move(answers)}});
  }
  return json;
}

std::vector<FigureCheck> checks_of(const std::vector<WholeFleet>& fleets) {
  std::vector<FigureCheck> checks;
  for (const WholeFleet& whole : fleets) {
    std::optional<double> best;
    for (std::size_t i = 1; i < whole.answers.size(); ++i) {
      if (whole.answers[i].level)
        best = std::max(best.value_or(*whole.answers[i].level), *whole.answers[i].level);
    }
    if (!best) continue;
    const double more = *whole.answers.front().level - *best;
    checks.push_back({whole.name + ": least off, then value: above the best of the others", 0.0, true, more});
  }
  return checks;
}

}  // namespace saccade::bench
