// What is decided for the states of a course before anything runs: it tells which engines a course will load.
// Threads: functions without state. Errors: a state that has no plan; what a load says.
#pragma once

#include <cstddef>
#include <vector>

#include "bench/switch/course.hpp"
#include "scheduler/plan.hpp"

namespace saccade::bench {

// One plan per state of the timeline, as the product's policy decides with the state before running.
[[nodiscard]] std::vector<scheduler::Plan> plans_of(const Course& course);

struct Used {
  runtime::TaskIndex task = 0;
  std::size_t variant = 0;
  int regions = 1;
  profiles::ProfileSetPtr profiles;
};
// Every variant that a plan of the course names, once.
[[nodiscard]] std::vector<Used> used_variants(const Course& course);

[[nodiscard]] runtime::EngineSpec spec_of(const Course& course, const Used& used);

// Loads each of them once, so that its optimised graph is kept from then on.
[[nodiscard]] Status prime(const Course& course);

}  // namespace saccade::bench
