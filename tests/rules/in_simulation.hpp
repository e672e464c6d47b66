// Rules in the loop of the simulated shell.
#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "rules/engine.hpp"
#include "runtime/simulation/simulated_shell.hpp"

namespace saccade::rules {

// Hands the engine's change to the shell as the service does: laid over every state of the timeline. True
// when there was one; the shell takes it, or the test fails.
inline bool hand_over_change(Engine& engine, const runtime::RunConfig& config, runtime::SimulatedShell& shell,
                             Duration at) {
  const auto overlay = engine.take_change(TimePoint(at));
  if (!overlay) return false;
  runtime::RunConfig laid = config;
  for (runtime::TimelineState& state : laid.timeline) lay_over(*overlay, state.snapshot);
  const auto taken = shell.reconfigure(std::move(laid));
  EXPECT_TRUE(taken.ok()) << to_string(taken.errors());
  if (taken.ok()) engine.accepted();
  return taken.ok();
}

}  // namespace saccade::rules
