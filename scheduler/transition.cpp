#include "scheduler/transition.hpp"

#include <algorithm>
#include <limits>

namespace saccade::scheduler {
namespace {

// A task that goes on with its old engine until its new one is ready.
struct Waiting {
  std::size_t task = 0;
  double total = 0.0;           // seconds per frame, over all processors
  std::vector<double> portion;  // of that time, per processor
  double need = 0.0;            // time share it can use
  double share = 0.0;           // time share it gets
};

// Progressive filling: all shares grow alike; a task stops when it has what it can use or when a
// processor it uses is full.
void fill_max_min(std::vector<Waiting>& waiting, std::vector<double> left) {
  std::vector<std::size_t> open(waiting.size());
  for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
  while (!open.empty()) {
    double growth = std::numeric_limits<double>::infinity();
    std::size_t first_done = open.front();
    for (const std::size_t i : open) {
      if (waiting[i].need - waiting[i].share >= growth) continue;
      growth = waiting[i].need - waiting[i].share;
      first_done = i;
    }
    std::vector<double> speed(left.size(), 0.0);  // use of each processor per unit of growth
    for (const std::size_t i : open) {
      for (std::size_t p = 0; p < left.size(); ++p) speed[p] += waiting[i].portion[p];
    }
    std::optional<std::size_t> full;
    for (std::size_t p = 0; p < left.size(); ++p) {
      if (speed[p] > 0.0 && left[p] / speed[p] < growth) {
        growth = left[p] / speed[p];
        full = p;
      }
    }
    for (const std::size_t i : open) waiting[i].share += growth;
    for (std::size_t p = 0; p < left.size(); ++p) left[p] = std::max(0.0, left[p] - speed[p] * growth);
    // What ended the growth closes at least one task, so there are at most as many rounds as tasks.
    if (!full) waiting[first_done].share = waiting[first_done].need;
    std::erase_if(open, [&](std::size_t i) {
      return full ? waiting[i].portion[*full] > 0.0 : waiting[i].share >= waiting[i].need;
    });
  }
}

// The same slot of every processor for each, used or not.
void fill_equal(std::vector<Waiting>& waiting, const std::vector<double>& left, std::size_t slots) {
  for (Waiting& one : waiting) {
    one.share = one.need;
    for (std::size_t p = 0; p < left.size(); ++p) {
      const double slot = left[p] / static_cast<double>(slots);
      if (one.portion[p] > 0.0) one.share = std::min(one.share, slot / one.portion[p]);
    }
  }
}

}  // namespace

const char* to_string(Shares shares) {
  switch (shares) {
    case Shares::max_min:
      return "max_min";
    case Shares::equal:
      return "equal";
  }
  return "";
}

std::optional<Shares> shares_from(const std::string& name) {
  for (const Shares shares : {Shares::max_min, Shares::equal}) {
    if (name == to_string(shares)) return shares;
  }
  return std::nullopt;
}

std::vector<Fps> transition_rates(std::span<const double> budgets, std::span<const TransitionTask> tasks,
                                  Shares shares) {
  std::vector<Fps> rates(tasks.size());
  std::vector<double> left(budgets.begin(), budgets.end());
  std::vector<Waiting> waiting;
  std::size_t not_ready = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const TransitionTask& task = tasks[i];
    if (task.ready) {
      rates[i] = task.target;
      for (std::size_t p = 0; p < left.size(); ++p) left[p] -= task.serving_time[p] * task.target;
      continue;
    }
    ++not_ready;
    if (!task.has_engine) continue;
    Waiting one{.task = i, .total = 0.0, .portion = {}, .need = 0.0, .share = 0.0};
    for (const Seconds time : task.serving_time) one.total += time.value();
    for (const Seconds time : task.serving_time) one.portion.push_back(time.value() / one.total);
    one.need = one.total * task.old_need.value();
    waiting.push_back(std::move(one));
  }
  for (double& amount : left) amount = std::max(0.0, amount);
  if (shares == Shares::max_min) {
    fill_max_min(waiting, left);
  } else {
    fill_equal(waiting, left, not_ready);
  }
  for (const Waiting& one : waiting) {
    rates[one.task] = std::min(Fps(one.share / one.total), tasks[one.task].old_need);
  }
  return rates;
}

}  // namespace saccade::scheduler
