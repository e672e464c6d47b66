// A problem in the form that the searches work on. Boxes of the same hardware are one *kind*; boxes of a kind
// with the same labels and state are one *group*, whose members are interchangeable but for pins. What a
// camera may be served with on a kind is a *menu* of offers: the variants of the profile set that pass the
// camera's filters and are on the Pareto front, with what each uses of the kind's rows per frame and per
// camera; so a menu is shared by all cameras of a network with the same filters, whatever their rate.
// Rows of a kind, in order: time of every processor [s/s], energy [J/s], memory [bytes], as far as limited.
// Of capacities the reserve is taken off. A joint peak of power over several processors is no row here
// (bounds leave it out, which keeps them valid); it is kept where boxes are solved (joint.hpp).
// Values: max_accuracy sum w (g/f) a/a_best, a_best = the best accuracy of the network on any box of the
// fleet (a box by itself takes its own set's best); min_energy -sum e g; min_memory -sum m. Threads: const
// members from several threads. Order: the problem must be sorted and valid, and outlive this, its boxes and
// cameras in place.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/short_vector.hpp"
#include "fleet/problem.hpp"

namespace saccade::fleet {

inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

struct Offer {
  std::size_t variant = 0;
  ShortVector<double, 3> use;   // per row: per frame, or for memory per camera
  ShortVector<double, 1> peak;  // per processor, only with a joint peak
  double time = 0.0;            // seconds per frame over all processors
  // The value of serving at rate g is weight * accuracy * g/f + per_frame * g + per_camera.
  double accuracy = 0.0;
  double per_frame = 0.0;
  double per_camera = 0.0;
};
using Menu = std::vector<Offer>;  // empty: the kind cannot serve the camera

struct Kind {
  scheduler::Snapshot snapshot;  // without tasks
  std::vector<bool> per_frame;   // per row; false: per camera
  std::vector<double> capacity;  // per row, less the reserve
  std::optional<double> peak;    // joint peak of power, less idle and reserve
  std::optional<std::size_t> max_cameras;
  const Box* first = nullptr;
};

struct Group {
  std::size_t kind = 0;
  std::vector<std::size_t> boxes;  // ascending
};

struct Item {            // a camera
  std::size_t menu = 0;  // row of the table of menus
  double rate = 0.0;     // demanded; > 0
  double weight = 1.0;
  double floor = 0.0;          // least rate, of every variant
  double time_share = 0.0;     // min_time_share
  std::size_t rank = 0;        // of its priority class, 0 = the highest
  std::size_t where = 0;       // row of the table of rules where cameras may be
  std::size_t groups = 0;      // row of the table of allowed groups
  std::size_t home = kNone;    // the box that serves it and could go on
  double moving_cost = 0.0;    // in units of the value
  std::size_t unit = kNone;    // together with others: index into units()
  std::size_t spread = kNone;  // index into spreads()
};

struct SpreadGroup {
  Spread rule;
  std::vector<std::size_t> cell;  // per box: which of the cells that are counted apart; kNone: none
  std::size_t cells = 0;
};

class Model {
 public:
  explicit Model(const Problem& problem);
  // The problem says another box for `serving` of this camera than before; nothing else of it may have
  // changed.
  void follow_serving(std::size_t camera);
  // After changes of `serving` of any cameras and of the states of boxes; nothing else may have changed.
  void follow_states();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const std::vector<Kind>& kinds() const { return kinds_; }
  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
  [[nodiscard]] std::size_t group_of(std::size_t box) const { return group_of_[box]; }
  [[nodiscard]] const Kind& kind_of(std::size_t box) const { return kinds_[groups_[group_of_[box]].kind]; }
  // One per camera of the problem; inactive cameras (demand 0) have no groups.
  [[nodiscard]] const std::vector<Item>& items() const { return items_; }
  [[nodiscard]] std::size_t ranks() const { return priorities_.size(); }
  [[nodiscard]] const std::vector<int>& priorities() const { return priorities_; }  // by rank
  [[nodiscard]] std::size_t menus() const { return menu_count_; }
  [[nodiscard]] const Menu& menu(std::size_t kind, std::size_t menu) const {
    return menus_[kind * menu_count_ + menu];
  }
  [[nodiscard]] const Menu& menu_on(const Item& item, std::size_t box) const {
    return menu(groups_[group_of_[box]].kind, item.menu);
  }
  // The groups with a box that may serve the camera and a variant for it, ascending.
  [[nodiscard]] const std::vector<std::size_t>& allowed(const Item& item) const {
    return allowed_[item.groups];
  }
  // Whether this box may, pins and states included.
  [[nodiscard]] bool allowed(std::size_t camera, std::size_t box) const;
  [[nodiscard]] const std::vector<std::vector<std::size_t>>& units() const { return units_; }
  [[nodiscard]] const std::vector<SpreadGroup>& spreads() const { return spreads_; }
  // Two cameras that are off, of which one is taken to find a box where the other would.
  [[nodiscard]] bool interchangeable(std::size_t a, std::size_t b) const;
  // Sum of the weights of active cameras.
  [[nodiscard]] double weight() const { return weight_; }
  // The boxes that may serve the camera, ascending.
  [[nodiscard]] std::vector<std::size_t> boxes_for(std::size_t camera) const;

 private:
  struct Rules {  // of cameras with equal labels, boxes and avoided boxes
    const Where* where = nullptr;
    bool pinned = false;
    std::optional<std::vector<std::size_t>> labelled;  // groups whose labels are allowed, once asked for
  };

  void find_kinds();
  void find_groups();
  void find_menus();
  void fill_item(std::size_t index);
  void find_home(std::size_t index);
  void find_spread(const Camera& camera, Item& item);
  [[nodiscard]] std::size_t menu_of(std::size_t camera);
  [[nodiscard]] std::size_t rules_of(const Where& where);
  [[nodiscard]] std::size_t groups_for(const Camera& camera, const Item& item);
  [[nodiscard]] Menu offers(std::size_t kind, const Camera& camera, double best_accuracy) const;

  const Problem& problem_;
  std::vector<Kind> kinds_;
  std::vector<Group> groups_;
  std::vector<std::size_t> kind_of_;
  std::vector<std::size_t> group_of_;
  std::vector<Item> items_;
  std::vector<int> priorities_;
  std::size_t menu_count_ = 0;
  std::vector<std::size_t> example_;  // per menu: a camera that has it
  std::vector<Menu> menus_;           // kind by kind
  std::map<std::string, std::size_t> menu_keys_;
  std::map<BoxId, std::size_t> box_index_;
  std::map<std::string, std::size_t> rules_keys_;
  std::vector<Rules> rules_;
  std::map<std::array<std::size_t, 3>, std::size_t>
      allowed_keys_;  // rules, menu, group of the home that keeps it
  std::vector<std::vector<std::size_t>> allowed_;
  std::map<std::string, std::size_t> unit_keys_;
  std::vector<std::vector<std::size_t>> units_;
  std::map<std::string, std::size_t> spread_keys_;
  std::vector<SpreadGroup> spreads_;
  double weight_ = 0.0;
};

// How much of a row an offer uses at a rate.
[[nodiscard]] inline double use_of(const Kind& kind, const Offer& offer, std::size_t row, double rate) {
  return kind.per_frame[row] ? offer.use[row] * rate : offer.use[row];
}
[[nodiscard]] inline double value_of(const Item& item, const Offer& offer, double rate) {
  return item.weight * offer.accuracy * (rate / item.rate) + offer.per_frame * rate + offer.per_camera;
}
// The lowest rate at which degradation may leave the camera on with this offer.
[[nodiscard]] double floor_of(const Item& item, const Offer& offer);

}  // namespace saccade::fleet
