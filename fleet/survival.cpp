#include "fleet/survival.hpp"

#include <algorithm>
#include <limits>

#include "ilp/choice_problem.hpp"

namespace saccade::fleet {
namespace {

// The offers that stand for a camera when everybody is lean, and how full the boxes then are.
class LeanFleet {
 public:
  explicit LeanFleet(const Assignment& assignment) : model_(assignment.model()) {
    const std::size_t boxes = model_.problem().boxes.size();
    for (std::size_t b = 0; b < boxes; ++b) {
      load_.emplace_back(model_.kind_of(b).capacity.size(), 0.0);
      peak_.emplace_back(model_.kind_of(b).snapshot.processors.size(), 0.0);
      count_.push_back(0);
      for (const std::size_t camera : assignment.box(b).cameras) {
        (void)add(camera, b);
      }
    }
  }

  // True if all that the box serves holds at the leanest variants.
  [[nodiscard]] bool holds(std::size_t box) const {
    const Kind& kind = model_.kind_of(box);
    for (std::size_t row = 0; row < load_[box].size(); ++row) {
      if (!ilp::holds(load_[box][row], kind.capacity[row])) return false;
    }
    double peak = 0.0;
    for (const double watts : peak_[box]) peak += watts;
    return !kind.peak || ilp::holds(peak, *kind.peak);
  }

  [[nodiscard]] double fill_with(std::size_t camera, std::size_t box) const {
    const Offer* offer = lean(camera, box);
    if (offer == nullptr) return std::numeric_limits<double>::infinity();
    return fill(model_.items()[camera], *offer, box);
  }

  bool add(std::size_t camera, std::size_t box) {
    const Offer* offer = lean(camera, box);
    if (offer == nullptr) return false;
    const Item& item = model_.items()[camera];
    const Kind& kind = model_.kind_of(box);
    for (std::size_t row = 0; row < load_[box].size(); ++row) {
      load_[box][row] += use_of(kind, *offer, row, item.rate);
    }
    for (std::size_t p = 0; p < offer->peak.size(); ++p)
      peak_[box][p] = std::max(peak_[box][p], offer->peak[p]);
    ++count_[box];
    return true;
  }

  struct State {
    std::vector<double> load;
    std::vector<double> peak;
    std::size_t count;
  };
  [[nodiscard]] State state(std::size_t box) const { return {load_[box], peak_[box], count_[box]}; }
  void restore(std::size_t box, State state) {
    load_[box] = std::move(state.load);
    peak_[box] = std::move(state.peak);
    count_[box] = state.count;
  }
  [[nodiscard]] std::size_t count(std::size_t box) const { return count_[box]; }

 private:
  [[nodiscard]] double fill(const Item& item, const Offer& offer, std::size_t box) const {
    const Kind& kind = model_.kind_of(box);
    double most = 0.0;
    for (std::size_t row = 0; row < load_[box].size(); ++row) {
      const double used = load_[box][row] + use_of(kind, offer, row, item.rate);
      most = std::max(most, used / std::max(kind.capacity[row], 1e-12));
    }
    return most;
  }

  [[nodiscard]] const Offer* lean(std::size_t camera, std::size_t box) const {
    const Item& item = model_.items()[camera];
    const Kind& kind = model_.kind_of(box);
    const Offer* best = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const Offer& offer : model_.menu_on(item, box)) {
      double most = 0.0;
      for (std::size_t row = 0; row < kind.capacity.size(); ++row) {
        most = std::max(most, use_of(kind, offer, row, item.rate) / std::max(kind.capacity[row], 1e-12));
      }
      if (most < least) {
        least = most;
        best = &offer;
      }
    }
    return best;
  }

  const Model& model_;
  std::vector<std::vector<double>> load_;
  std::vector<std::vector<double>> peak_;
  std::vector<std::size_t> count_;
};

class Survival {
 public:
  explicit Survival(const Assignment& assignment)
      : assignment_(assignment), model_(assignment.model()), lean_(assignment) {}

  [[nodiscard]] Certificate certify(std::size_t lost) {
    Certificate certificate;
    certificate.box = lost;
    certificate.cameras = assignment_.box(lost).cameras;
    certificate.backup.assign(certificate.cameras.size(), kNone);
    certificate.survives = true;
    room_ = assignment_.room(certificate.cameras);
    std::vector<std::pair<std::size_t, LeanFleet::State>> undo;
    for (const std::size_t place : by_weight(certificate.cameras)) {
      const std::size_t camera = certificate.cameras[place];
      const std::size_t box = backup_for(camera, certificate);
      certificate.backup[place] = box;
      if (box == kNone) {
        certificate.survives = false;
        continue;
      }
      undo.emplace_back(box, lean_.state(box));
      (void)lean_.add(camera, box);
      take_room(camera, box);
    }
    while (!undo.empty()) {
      lean_.restore(undo.back().first, std::move(undo.back().second));
      undo.pop_back();
    }
    return certificate;
  }

 private:
  [[nodiscard]] std::vector<std::size_t> by_weight(const std::vector<std::size_t>& cameras) const {
    std::vector<std::size_t> places(cameras.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
      const Item& left = model_.items()[cameras[a]];
      const Item& right = model_.items()[cameras[b]];
      const std::size_t choices_a = model_.allowed(left).size();
      const std::size_t choices_b = model_.allowed(right).size();
      return choices_a != choices_b ? choices_a < choices_b : left.rate > right.rate;
    });
    return places;
  }

  [[nodiscard]] std::size_t unit_box(std::size_t camera, const Certificate& certificate) const {
    const std::size_t unit = model_.items()[camera].unit;
    for (std::size_t i = 0; unit != kNone && i < certificate.cameras.size(); ++i) {
      if (model_.items()[certificate.cameras[i]].unit == unit && certificate.backup[i] != kNone) {
        return certificate.backup[i];
      }
    }
    return kNone;
  }

  [[nodiscard]] std::size_t backup_for(std::size_t camera, const Certificate& certificate) {
    const std::size_t bound = unit_box(camera, certificate);
    std::size_t best = kNone;
    double least = 1.0 + ilp::kTolerance;
    for (const std::size_t group : model_.allowed(model_.items()[camera])) {
      for (const std::size_t box : model_.groups()[group].boxes) {
        if (box == certificate.box || (bound != kNone && box != bound)) continue;
        const double fill = lean_.fill_with(camera, box);
        if (fill > least || (best != kNone && fill == least) || !may_take(camera, box)) continue;
        least = fill;
        best = box;
      }
    }
    return best;
  }

  [[nodiscard]] bool may_take(std::size_t camera, std::size_t box) {
    const Kind& kind = model_.kind_of(box);
    const std::size_t most = std::min(kind.max_cameras.value_or(kMostCamerasPerBox), kMostCamerasPerBox);
    if (lean_.count(box) >= most || !model_.allowed(camera, box)) return false;
    if (model_.problem().boxes[box].state != BoxState::active) return false;
    const std::size_t s = model_.items()[camera].spread;
    if (s != kNone) {
      const std::size_t cell = model_.spreads()[s].cell[box];
      if (cell != kNone && room_[s][cell] == 0) return false;
    }
    LeanFleet::State before = lean_.state(box);
    (void)lean_.add(camera, box);
    const bool holds = lean_.holds(box);
    lean_.restore(box, std::move(before));
    return holds;
  }

  void take_room(std::size_t camera, std::size_t box) {
    const std::size_t s = model_.items()[camera].spread;
    if (s == kNone) return;
    const std::size_t cell = model_.spreads()[s].cell[box];
    if (cell != kNone && room_[s][cell] > 0) --room_[s][cell];
  }

  const Assignment& assignment_;
  const Model& model_;
  LeanFleet lean_;
  std::vector<std::vector<std::size_t>> room_;
};

}  // namespace

Certificate certify_loss(const Assignment& assignment, std::size_t box) {
  return Survival(assignment).certify(box);
}

std::vector<Certificate> certify_losses(const Assignment& assignment) {
  Survival survival(assignment);
  std::vector<Certificate> certificates;
  for (std::size_t box = 0; box < assignment.model().problem().boxes.size(); ++box) {
    if (!assignment.box(box).cameras.empty()) certificates.push_back(survival.certify(box));
  }
  return certificates;
}

}  // namespace saccade::fleet
