// Some cameras and some boxes, solved together as one choice problem: one group per camera; one option per
// box it may be on, variant and rate; rows: those of every box, max_cameras of every box, and spread rules as
// far as the boxes that are not part of it leave room. With one box this *settles* it; with two or three it
// is a step of the improvement; with a small fleet's all it is the assignment itself. First at the demanded
// rates. Only if that is infeasible, losses are minimised lexicographically, class by class from the highest:
// the weight that is off, then the weighted frames/s that are lost, each fixed before the next, then the
// value (scheduler/exact_degradation.hpp does the same for one box, on a finer grid of rates). Cameras of a
// unit (`together`) stay on their box here. A joint peak of power holds on one box; of several boxes, only if
// none has one (can_join()). Threads: pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "fleet/model.hpp"
#include "ilp/choice_solver.hpp"

namespace saccade::fleet {

struct Served {
  std::size_t box = kNone;  // kNone: off
  std::size_t offer = 0;    // of the camera's menu on that box
  double rate = 0.0;
  [[nodiscard]] bool off() const { return box == kNone; }
  bool operator==(const Served&) const = default;
};

// Per rank: the weight that is off, then the weighted frames/s that are lost. Cameras that no box of the
// fleet has a variant for do not count.
using Losses = std::vector<double>;
[[nodiscard]] Losses losses_of(const Model& model, const std::vector<std::size_t>& cameras,
                               const std::vector<Served>& served);
// True if `a` loses less than `b`, in the order of the classes, by more than the tolerance of the rows.
[[nodiscard]] bool loses_less(const Losses& a, const Losses& b);
[[nodiscard]] bool loses_nothing(const Losses& losses);

struct JointTask {
  std::vector<std::size_t> boxes;
  std::vector<std::size_t> cameras;
  std::vector<Served> start;  // per camera; an assignment that fits, or empty
  std::vector<bool> held;     // per camera: it keeps the box that `start` has it on; empty: none
  bool anew = false;          // the solution need not be as good as `start`
  std::vector<std::vector<std::size_t>> room;  // per spread group and cell: cameras it may still take
  std::optional<std::size_t> most_moves;       // of cameras that have a home
};

struct JointLimits {
  std::int64_t max_nodes = 2'000;
  double gap = 1e-5;  // relative
  std::function<bool()> stop = nullptr;
};

struct JointResult {
  std::vector<Served> served;  // per camera
  Losses losses;
  double value = 0.0;   // less moving costs
  bool found = false;   // false: stopped before anything was found, and there was no start
  bool proven = false;  // no selection loses less, and none as good has a value better by more than the gap
  double bound = 0.0;   // proven: on the value
  std::vector<std::vector<double>> prices;  // per box and row of its kind; empty = unknown
};

[[nodiscard]] JointResult solve_jointly(const Model& model, const JointTask& task, const JointLimits& limits);

[[nodiscard]] bool can_join(const Model& model, std::size_t a, std::size_t b);

// Value of an assignment less its moving costs: of a camera, and of what a task starts from.
[[nodiscard]] double net_value(const Model& model, std::size_t camera, const Served& served);
[[nodiscard]] double start_value(const Model& model, const JointTask& task);

}  // namespace saccade::fleet
