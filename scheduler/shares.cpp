#include "scheduler/shares.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

namespace saccade::scheduler {
namespace {

// The largest rate that fits into an amount of every processor, at most the demand.
Fps fitting_rate(std::span<const double> amounts, const Load& load) {
  double rate = load.demand.value();
  for (std::size_t p = 0; p < amounts.size(); ++p) {
    if (load.time[p].value() > 0.0) rate = std::min(rate, std::max(amounts[p], 0.0) / load.time[p].value());
  }
  return Fps(rate);
}

// The largest x with sum over loads of time * min(x, demand) <= budget; infinite when all demand fits.
double common_rate(double budget, std::size_t processor, std::span<const Load> loads) {
  std::vector<std::size_t> order(loads.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return loads[a].demand < loads[b].demand; });
  double growing = 0.0;  // seconds per frame of the loads that are not at their demand yet
  for (const Load& load : loads) growing += load.time[processor].value();
  double settled = 0.0;  // time of those that are
  for (const std::size_t i : order) {
    if (settled + growing * loads[i].demand.value() > budget) return (budget - settled) / growing;
    settled += loads[i].time[processor] * loads[i].demand;
    growing -= loads[i].time[processor].value();
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

std::vector<Fps> fair_fps_rates(std::span<const double> budgets, std::span<const Load> loads) {
  double common = std::numeric_limits<double>::infinity();
  for (std::size_t p = 0; p < budgets.size(); ++p)
    common = std::min(common, common_rate(budgets[p], p, loads));
  std::vector<Fps> rates;
  for (const Load& load : loads) rates.push_back(std::min(Fps(common), load.demand));
  return rates;
}

std::vector<Fps> fair_time_rates(std::span<const double> budgets, std::span<const Load> loads,
                                 bool redistribute, std::span<const std::vector<std::size_t>> equal) {
  std::vector<bool> shared_by_users(budgets.size(), false);
  for (const std::vector<std::size_t>& processors : equal) {
    for (const std::size_t p : processors) shared_by_users[p] = true;
  }
  std::vector<Fps> rates(loads.size());
  std::vector<double> left(budgets.begin(), budgets.end());
  std::vector<std::size_t> open(loads.size());
  std::iota(open.begin(), open.end(), std::size_t{0});
  while (!open.empty()) {
    std::vector<double> slots;
    for (std::size_t p = 0; p < left.size(); ++p) {
      const auto users = std::count_if(open.begin(), open.end(),
                                       [&](std::size_t i) { return loads[i].time[p].value() > 0.0; });
      const auto all = static_cast<double>(open.size());
      const double sharing =
          shared_by_users[p] ? static_cast<double>(std::max(users, decltype(users){1})) : all;
      slots.push_back(left[p] / sharing);
    }
    std::vector<std::size_t> held_back;
    for (const std::size_t i : open) {
      rates[i] = fitting_rate(slots, loads[i]);
      if (rates[i] < loads[i].demand) held_back.push_back(i);
    }
    if (!redistribute || held_back.size() == open.size()) break;
    for (const std::size_t i : open) {
      if (rates[i] < loads[i].demand) continue;
      for (std::size_t p = 0; p < left.size(); ++p) left[p] -= loads[i].time[p] * rates[i];
    }
    open = std::move(held_back);
  }
  return rates;
}

std::vector<Fps> greedy_rates(std::span<const double> budgets, std::span<const Load> loads) {
  std::vector<double> left(budgets.begin(), budgets.end());
  std::vector<Fps> rates;
  for (const Load& load : loads) {
    rates.push_back(fitting_rate(left, load));
    for (std::size_t p = 0; p < left.size(); ++p) left[p] -= load.time[p] * rates.back();
  }
  return rates;
}

}  // namespace saccade::scheduler
