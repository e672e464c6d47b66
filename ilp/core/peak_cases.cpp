#include "ilp/core/peak_cases.hpp"

#include <algorithm>
#include <numeric>

namespace saccade::ilp {
namespace {

constexpr std::size_t kMostTried = 1024;  // caps, of which the maximal ones are kept

// As evaluate() adds.
bool hold(const ChoiceProblem& problem, const PeakCaps& caps) {
  return holds(std::accumulate(caps.begin(), caps.end(), 0.0), *problem.peak_capacity);
}

std::vector<std::vector<double>> amounts_of(const ChoiceProblem& problem, const OpenOptions& open) {
  std::vector<std::vector<double>> amounts(problem.peak_count);
  for (std::size_t p = 0; p < amounts.size(); ++p) {
    for (std::size_t group = 0; group < problem.groups.size(); ++group) {
      for (const std::size_t option : open[group]) {
        amounts[p].push_back(problem.groups[group].options[option].peak[p]);
      }
    }
    std::sort(amounts[p].begin(), amounts[p].end());
    amounts[p].erase(std::unique(amounts[p].begin(), amounts[p].end()), amounts[p].end());
  }
  return amounts;
}

bool covers(const PeakCaps& a, const PeakCaps& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return x >= y; });
}

}  // namespace

std::optional<std::vector<PeakCaps>> peak_cases(const ChoiceProblem& problem, const OpenOptions& open) {
  const std::vector<std::vector<double>> amounts = amounts_of(problem, open);
  // One peak takes what the others leave: that with the most amounts.
  const std::size_t last = static_cast<std::size_t>(
      std::max_element(amounts.begin(), amounts.end(),
                       [](const auto& a, const auto& b) { return a.size() < b.size(); }) -
      amounts.begin());
  std::size_t tried = 1;
  for (std::size_t p = 0; p < amounts.size(); ++p) {
    if (p != last) tried *= amounts[p].size();
    if (tried > kMostTried || amounts[p].empty()) return std::nullopt;
  }
  std::vector<PeakCaps> all;
  for (std::size_t number = 0; number < tried; ++number) {
    PeakCaps caps(amounts.size());
    std::size_t digits = number;
    for (std::size_t p = 0; p < amounts.size(); ++p) {
      if (p == last) continue;
      caps[p] = amounts[p][digits % amounts[p].size()];
      digits /= amounts[p].size();
    }
    for (std::size_t i = amounts[last].size(); i-- > 0;) {
      caps[last] = amounts[last][i];
      if (!hold(problem, caps)) continue;
      all.push_back(caps);
      break;
    }
  }
  std::vector<PeakCaps> maximal;
  for (const PeakCaps& caps : all) {
    const bool covered =
        std::any_of(all.begin(), all.end(), [&](const PeakCaps& o) { return o != caps && covers(o, caps); });
    if (!covered) maximal.push_back(caps);
    if (maximal.size() > kMostPeakCases) return std::nullopt;
  }
  std::sort(maximal.begin(), maximal.end());
  return maximal;
}

PeakCase peak_case(const ChoiceProblem& problem, const OpenOptions& open, const PeakCaps& caps) {
  PeakCase result;
  result.problem.capacities = problem.capacities;
  result.problem.level_count = problem.level_count;
  result.problem.equal_rows = problem.equal_rows;
  result.problem.groups.resize(problem.groups.size());
  result.source.resize(problem.groups.size());
  for (std::size_t group = 0; group < problem.groups.size(); ++group) {
    for (const std::size_t place : open[group]) {
      const Option& option = problem.groups[group].options[place];
      if (!std::equal(option.peak.begin(), option.peak.end(), caps.begin(),
                      [](double amount, double cap) { return amount <= cap; })) {
        continue;
      }
      result.source[group].push_back(place);
      result.problem.groups[group].options.push_back({option.levels, option.use, {}});
    }
  }
  return result;
}

Picks PeakCase::picks_of(std::span<const std::size_t> of_case) const {
  Picks picks;
  for (std::size_t group = 0; group < of_case.size(); ++group) {
    picks.push_back(source[group][of_case[group]]);
  }
  return picks;
}

std::optional<Picks> PeakCase::case_of(std::span<const std::size_t> picks) const {
  if (picks.size() != source.size()) return std::nullopt;
  Picks of_case;
  for (std::size_t group = 0; group < picks.size(); ++group) {
    const auto found = std::lower_bound(source[group].begin(), source[group].end(), picks[group]);
    if (found == source[group].end() || *found != picks[group]) return std::nullopt;
    of_case.push_back(static_cast<std::size_t>(found - source[group].begin()));
  }
  return of_case;
}

}  // namespace saccade::ilp
