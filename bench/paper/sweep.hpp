// What figures 2 and 3 and the detectors share: every task at one rate, 1 frame/s apart, four policies on the
// same arrivals.
// Threads: sweep_rates() uses the workers of its context; the rest is pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/report/plot.hpp"
#include "bench/paper/by_policy.hpp"
#include "bench/paper/experiments.hpp"
#include "bench/paper/statistics.hpp"

namespace saccade::bench {

struct Point {  // one policy at one rate; means over the seeds
  Spread achieved;
  double least_task = 1.0;  // achieved rate of the task that fares worst
  double accuracy = 0.0;
  double least_accuracy = 1.0;  // of the tasks that are served
  double delivered = 0.0;
  double busy = 0.0;
  std::vector<double> shares;  // planned time share per task
  double memory = 0.0;
};

struct Sweep {
  std::vector<double> rates;
  ByPolicy<std::vector<Point>> points;  // one per rate
};

struct RateTrial {
  RateSweep rates;
  std::function<scheduler::Snapshot(Fps)> tasks_at;  // all of them at one rate
};
[[nodiscard]] RateTrial networks_of_the_scenario(const Context& context);  // figures 2 and 3

// Appends to `breaches` what did not hold although it must.
[[nodiscard]] Sweep sweep_rates(const Context& context, const RateTrial& trial,
                                std::vector<std::string>& breaches);

// The rate at which the most accurate variants together take the whole budget.
[[nodiscard]] double full_at(const RateTrial& trial);

// Tasks, variants and regions, and the rate at which they fill the processor, in words.
[[nodiscard]] std::string sweep_words(const Context& context);
[[nodiscard]] app::Chart sweep_chart(const RateSweep& rates, const std::string& title,
                                     const std::string& y_label);
[[nodiscard]] app::Series sweep_line(const Sweep& sweep, const std::string& name);  // without its y

}  // namespace saccade::bench
