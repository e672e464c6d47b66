// A plan as a table for people: what every task gets, usage against the limits, and why.
// Threads: functions without state.
#pragma once

#include <iosfwd>

#include "scheduler/plan.hpp"

namespace saccade::app {

void print_plan(const scheduler::Snapshot& snapshot, const scheduler::Plan& plan, std::ostream& out);
// A plan and the one that replaces it after a change, side by side; the reasons of the second.
struct PlanOf {
  const scheduler::Snapshot& snapshot;
  const scheduler::Plan& plan;
};
void print_comparison(const PlanOf& before, const PlanOf& after, std::ostream& out);
void print_considered(const scheduler::Plan& plan, std::ostream& out);

}  // namespace saccade::app
