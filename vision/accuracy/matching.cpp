#include "vision/accuracy/matching.hpp"

#include <algorithm>
#include <cmath>

namespace saccade::vision {
namespace {

constexpr std::uint16_t kAllThresholds = (1U << kIouThresholds) - 1;

double area_of(const Box& box) { return static_cast<double>(box.width) * static_cast<double>(box.height); }
double area_of(const Truth& truth) { return truth.area ? *truth.area : area_of(truth.box); }

bool in_range(double area, std::size_t range) {
  constexpr double kSmall = 32.0 * 32.0;
  constexpr double kMedium = 96.0 * 96.0;
  constexpr double kMost = 1e10;
  constexpr std::array<std::array<double, 2>, kAreaRanges> kRanges = {
      {{0.0, kMost}, {0.0, kSmall}, {kSmall, kMedium}, {kMedium, kMost}}};
  return area >= kRanges[range][0] && area <= kRanges[range][1];
}

bool is_finite(const Object& object) {
  const Box& box = object.box;
  return std::isfinite(object.score) && std::isfinite(box.x) && std::isfinite(box.y) &&
         std::isfinite(box.width) && std::isfinite(box.height);
}

// A truth that an object may take: IoU at least the lowest threshold.
struct Candidate {
  std::size_t truth;
  double iou;
};

// The truths and objects of one label in one picture.
class LabelMatcher {
 public:
  LabelMatcher(std::vector<const Truth*> truths, std::vector<const Object*> objects)
      : truths_(std::move(truths)), objects_(std::move(objects)), taken_(truths_.size()) {
    std::stable_sort(objects_.begin(), objects_.end(),
                     [](const Object* a, const Object* b) { return a->score > b->score; });
    if (objects_.size() > kMostObjects) objects_.resize(kMostObjects);
    for (const Object* object : objects_) {
      begin_.push_back(candidates_.size());
      for (std::size_t i = 0; i < truths_.size(); ++i) {
        const double overlap = iou(object->box, truths_[i]->box, truths_[i]->crowd);
        if (overlap >= iou_threshold(0)) candidates_.push_back({i, overlap});
      }
    }
    begin_.push_back(candidates_.size());
  }

  [[nodiscard]] LabelMatches match(int label) {
    LabelMatches matches{label, {}, std::vector<Verdict>(objects_.size())};
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      matches.objects[i].score = objects_[i]->score;
      matches.objects[i].rank = static_cast<std::uint8_t>(i);
    }
    for (std::size_t range = 0; range < kAreaRanges; ++range) {
      ignored_.clear();
      for (const Truth* truth : truths_) {
        ignored_.push_back(truth->crowd || !in_range(area_of(*truth), range));
        if (!ignored_.back()) ++matches.truths[range];
      }
      match_in_range(range, matches.objects);
    }
    return matches;
  }

 private:
  void match_in_range(std::size_t range, std::vector<Verdict>& verdicts) {
    for (std::size_t i = 0; i < verdicts.size(); ++i) {  // until it takes a truth
      if (!in_range(area_of(objects_[i]->box), range)) verdicts[i].ignored[range] = kAllThresholds;
    }
    if (candidates_.empty()) return;
    for (std::size_t threshold = 0; threshold < kIouThresholds; ++threshold) {
      const auto bit = static_cast<std::uint16_t>(1U << threshold);
      std::fill(taken_.begin(), taken_.end(), false);
      for (std::size_t i = 0; i < verdicts.size(); ++i) {
        const std::optional<std::size_t> truth = best_truth(i, threshold);
        if (!truth) continue;
        taken_[*truth] = true;
        std::uint16_t& ignored = verdicts[i].ignored[range];
        if (ignored_[*truth]) {
          ignored = static_cast<std::uint16_t>(ignored | bit);
        } else {
          ignored = static_cast<std::uint16_t>(ignored & ~bit);
          verdicts[i].right[range] = static_cast<std::uint16_t>(verdicts[i].right[range] | bit);
        }
      }
    }
  }

  // Truths that count go before those that are ignored, whatever their IoU.
  [[nodiscard]] std::optional<std::size_t> best_truth(std::size_t object, std::size_t threshold) const {
    for (const bool ignored : {false, true}) {
      std::optional<std::size_t> best;
      double least = iou_threshold(threshold);
      for (std::size_t c = begin_[object]; c < begin_[object + 1]; ++c) {
        const Candidate& candidate = candidates_[c];
        if (ignored_[candidate.truth] != ignored || candidate.iou < least) continue;
        if (taken_[candidate.truth] && !truths_[candidate.truth]->crowd) continue;
        best = candidate.truth;
        least = candidate.iou;
      }
      if (best) return best;
    }
    return std::nullopt;
  }

  std::vector<const Truth*> truths_;
  std::vector<const Object*> objects_;
  std::vector<std::size_t> begin_;  // of an object's candidates; one more at the end
  std::vector<Candidate> candidates_;
  std::vector<bool> ignored_;  // truths, in the range that is being matched
  std::vector<bool> taken_;    // truths, at the threshold that is being matched
};

template <class T>
std::vector<const T*> by_label(std::vector<const T*> items) {
  std::stable_sort(items.begin(), items.end(), [](const T* a, const T* b) { return a->label < b->label; });
  return items;
}

// Those of `label` from `from` on, which moves behind them.
template <class T>
std::vector<const T*> take_label(const std::vector<const T*>& items, int label, std::size_t& from) {
  std::vector<const T*> taken;
  for (; from < items.size() && items[from]->label == label; ++from) taken.push_back(items[from]);
  return taken;
}

}  // namespace

double iou_threshold(std::size_t index) {
  // As NumPy's linspace(0.5, 0.95, 10) rounds them, since an IoU may be equal to one.
  constexpr double kStep = (0.95 - 0.5) / (kIouThresholds - 1);
  return index + 1 == kIouThresholds ? 0.95 : 0.5 + static_cast<double>(index) * kStep;
}

double iou(const Box& object, const Box& truth, bool crowd) {
  const auto overlap = [](double a, double a_size, double b, double b_size) {
    return std::min(a + a_size, b + b_size) - std::max(a, b);
  };
  const double width = overlap(object.x, object.width, truth.x, truth.width);
  const double height = overlap(object.y, object.height, truth.y, truth.height);
  if (!(width > 0.0) || !(height > 0.0)) return 0.0;
  const double both = width * height;
  return both / (crowd ? area_of(object) : area_of(object) + area_of(truth) - both);
}

std::vector<LabelMatches> match_picture(std::span<const Truth> truths, std::span<const Object> objects) {
  std::vector<const Truth*> known;
  std::vector<const Object*> found;
  known.reserve(truths.size());
  found.reserve(objects.size());
  for (const Truth& truth : truths) known.push_back(&truth);
  for (const Object& object : objects) {
    if (is_finite(object)) found.push_back(&object);
  }
  known = by_label(std::move(known));
  found = by_label(std::move(found));
  std::vector<LabelMatches> matches;
  std::size_t truth = 0;
  std::size_t object = 0;
  while (truth < known.size() || object < found.size()) {
    int label = truth < known.size() ? known[truth]->label : found[object]->label;
    if (object < found.size()) label = std::min(label, found[object]->label);
    std::vector<const Truth*> its_truths = take_label(known, label, truth);
    std::vector<const Object*> its_objects = take_label(found, label, object);
    matches.push_back(LabelMatcher(std::move(its_truths), std::move(its_objects)).match(label));
  }
  return matches;
}

FrameMatches count_matches(std::span<const LabelMatches> matches) {
  constexpr auto kAll = static_cast<std::size_t>(AreaRange::all);
  constexpr std::uint16_t kBit = 1U << kIou50;
  FrameMatches counts;
  for (const LabelMatches& label : matches) {
    counts.truths += label.truths[kAll];
    for (const Verdict& verdict : label.objects) {
      if ((verdict.right[kAll] & kBit) != 0) {
        ++counts.found;
      } else if ((verdict.ignored[kAll] & kBit) == 0) {
        ++counts.wrong;
      }
    }
  }
  return counts;
}

FrameMatches count_matches(std::span<const Truth> truths, std::span<const Object> objects) {
  return count_matches(match_picture(truths, objects));
}

}  // namespace saccade::vision
