// Which box serves each camera, with what every box would do with its cameras, kept exact at every step: a
// change of one or two boxes settles those and nothing else (joint.hpp).
// Order: construct from a model, then any members. An assignment refers to its model, which must outlive it.
// Threads: plain value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "fleet/joint.hpp"
#include "fleet/model.hpp"

namespace saccade::fleet {

struct SettledBox {
  std::vector<std::size_t> cameras;  // that it serves, ascending
  Losses losses;                     // of those
  double value = 0.0;                // less moving costs
  std::vector<double> prices;        // per row of its kind: value of one more unit
  std::vector<double> lean;          // per row: the least that its cameras can use at their demanded rates
};

class Assignment {
 public:
  explicit Assignment(const Model& model);

  [[nodiscard]] const Model& model() const { return *model_; }
  [[nodiscard]] const Served& served(std::size_t camera) const { return served_[camera]; }
  [[nodiscard]] const std::vector<Served>& all() const { return served_; }
  [[nodiscard]] const SettledBox& box(std::size_t box) const { return boxes_[box]; }
  [[nodiscard]] Losses losses() const;                        // of the whole fleet
  [[nodiscard]] double value() const;                         // less moving costs
  [[nodiscard]] std::size_t moves() const { return moves_; }  // cameras that have a home and are elsewhere
  [[nodiscard]] std::int64_t solves() const { return solves_; }

  // Gives a box exactly these cameras and settles it. Those that had to be left off to hold the limits are
  // returned and are off. A camera that was on another box must have been taken off it before.
  std::vector<std::size_t> settle(std::size_t box, std::vector<std::size_t> cameras,
                                  const JointLimits& limits);
  void remove(std::size_t camera, const JointLimits& limits);  // it is off, its box settled without it
  // The box serves nothing any more and takes nothing: its cameras are off.
  void lose(std::size_t box);

  // The state of some boxes and of the cameras named, to be brought back.
  struct Saved {
    std::vector<std::pair<std::size_t, SettledBox>> boxes;
    std::vector<std::pair<std::size_t, Served>> cameras;  // those of the boxes as well
  };
  [[nodiscard]] Saved save(const std::vector<std::size_t>& boxes,
                           const std::vector<std::size_t>& cameras) const;
  void restore(const Saved& saved);

  // What the boxes would do together, without doing it; and doing it.
  // `off`: cameras without a box that may come in.
  [[nodiscard]] JointTask joint_task(const std::vector<std::size_t>& boxes,
                                     const std::vector<std::size_t>& off = {}) const;
  // How many cameras of the task may be away from home, if `most` of all may: those that are stay so.
  [[nodiscard]] std::size_t moves_left(const JointTask& task, std::size_t most) const;
  JointResult solve(const JointTask& task, const JointLimits& limits);
  void adopt(const JointTask& task, const JointResult& result);

  // Puts a camera that is off on the box where it is worth most, and touches no other box. Without loss if
  // any box can take it so; else where least is lost, if that is less than its being off.
  // `kept`: nobody else may lose anything. False: it stays off.
  bool insert(std::size_t camera, const JointLimits& limits, bool kept);
  // The same on one box. True if done.
  bool insert_on(std::size_t camera, std::size_t box, const JointLimits& limits, bool kept);

  // Per spread group and cell: how many cameras it may still take, those of `without` not counted.
  [[nodiscard]] std::vector<std::vector<std::size_t>> room(const std::vector<std::size_t>& without) const;
  // True if pins, spread, unit, counts and lean capacity leave room on the box.
  [[nodiscard]] bool has_room(std::size_t camera, std::size_t box) const;

 private:
  void set_served(std::size_t camera, const Served& served);
  void put(std::size_t box, const std::vector<std::size_t>& cameras, const std::vector<Served>& served,
           std::vector<double> prices);

  const Model* model_;
  std::vector<Served> served_;
  std::vector<SettledBox> boxes_;
  std::vector<bool> lost_;
  std::size_t moves_ = 0;
  std::int64_t solves_ = 0;
};

// The least of a row that the camera can use at its demanded rate on that kind of box.
[[nodiscard]] double lean_use(const Kind& kind, const Menu& menu, const Item& item, std::size_t row);

}  // namespace saccade::fleet
