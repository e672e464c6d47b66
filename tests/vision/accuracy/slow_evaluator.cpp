#include "tests/vision/accuracy/slow_evaluator.hpp"

#include <algorithm>

namespace saccade::vision::testing {
namespace {

constexpr std::array<double, 10> kThresholds = {0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95};
constexpr std::array<std::array<double, 2>, 4> kRanges = {{{0, 1e10}, {0, 1024}, {1024, 9216}, {9216, 1e10}}};

enum class Fate { right, wrong, passed_over };
struct Outcome {
  float score;
  Fate fate;
};

struct Setting {
  int label;
  std::size_t range;
  std::size_t most;
  double threshold;
};

class SlowEvaluator {
 public:
  SlowEvaluator(const LabelledImages& images, const Rules& rules, const Setting& setting)
      : rules_(rules), setting_(setting) {
    for (const LabelledImage& image : images) judge(image);
    std::stable_sort(outcomes_.begin(), outcomes_.end(),
                     [&](const Outcome& a, const Outcome& b) { return a.score > b.score; });
  }

  [[nodiscard]] int truths() const { return truths_; }

  [[nodiscard]] double recall() const {
    const auto right = std::count_if(outcomes_.begin(), outcomes_.end(),
                                     [](const Outcome& o) { return o.fate == Fate::right; });
    return static_cast<double>(right) / truths_;
  }

  [[nodiscard]] double average_precision() const {
    std::vector<double> recalls;
    std::vector<double> precisions;
    int right = 0;
    int wrong = 0;
    for (const Outcome& outcome : outcomes_) {
      right += outcome.fate == Fate::right ? 1 : 0;
      wrong += outcome.fate == Fate::wrong ? 1 : 0;
      recalls.push_back(static_cast<double>(right) / truths_);
      precisions.push_back(right == 0 ? 0.0 : static_cast<double>(right) / (right + wrong));
    }
    double sum = 0.0;
    for (std::size_t i = 0; i < rules_.recalls; ++i) {
      // NumPy's rounding of the levels belongs to the definition: 7 of 20 truths are less than 35 * 0.01.
      const double step = 1.0 / static_cast<double>(rules_.recalls - 1);
      const double level = i + 1 == rules_.recalls ? 1.0 : static_cast<double>(i) * step;
      const auto first = std::find_if(recalls.begin(), recalls.end(), [&](double r) { return r >= level; });
      if (first == recalls.end()) continue;
      const auto from = precisions.begin() + (first - recalls.begin());
      sum += rules_.monotone ? *std::max_element(from, precisions.end()) : *from;
    }
    return sum / static_cast<double>(rules_.recalls);
  }

 private:
  [[nodiscard]] bool outside(double area) const {
    const auto& range = kRanges[rules_.ranges_passed_over ? 0 : setting_.range];
    return area < range[0] || area > range[1];
  }
  [[nodiscard]] bool counts(const Truth& truth) const {
    const double box = double{truth.box.width} * double{truth.box.height};
    const double area = truth.area && !rules_.box_area ? *truth.area : box;
    return (!truth.crowd || rules_.crowd_as_truth) && !outside(area);
  }
  [[nodiscard]] double overlap(const Object& object, const Truth& truth) const {
    const Box& a = object.box;
    const Box& b = truth.box;
    const double left = std::max(a.x, b.x);
    const double top = std::max(a.y, b.y);
    const double right = std::min(double{a.x} + double{a.width}, double{b.x} + double{b.width});
    const double bottom = std::min(double{a.y} + double{a.height}, double{b.y} + double{b.height});
    if (right <= left || bottom <= top) return 0.0;
    const double both = (right - left) * (bottom - top);
    const double own = double{a.width} * double{a.height};
    const bool crowd = truth.crowd && !rules_.crowd_as_truth && !rules_.crowd_iou_as_usual;
    return both / (crowd ? own : own + double{b.width} * double{b.height} - both);
  }
  [[nodiscard]] bool reaches(double iou) const {
    return rules_.strict ? iou > setting_.threshold + 1e-12 : iou >= setting_.threshold - 1e-12;
  }

  [[nodiscard]] std::vector<Object> candidates(const LabelledImage& image) const {
    std::vector<Object> all = image.objects;
    if (rules_.ties_reversed) std::reverse(all.begin(), all.end());
    std::stable_sort(all.begin(), all.end(),
                     [](const Object& a, const Object& b) { return a.score > b.score; });
    if (rules_.limit_over_labels && all.size() > setting_.most) all.resize(setting_.most);
    std::erase_if(all, [&](const Object& object) { return object.label != setting_.label; });
    if (all.size() > setting_.most) all.resize(setting_.most);
    return all;
  }

  void judge(const LabelledImage& image) {
    Truths truths = image.truths;
    std::erase_if(truths, [&](const Truth& truth) { return truth.label != setting_.label; });
    std::vector<bool> taken(truths.size(), false);
    for (const Truth& truth : truths) truths_ += counts(truth) ? 1 : 0;
    for (const Object& object : candidates(image)) {
      int best = -1;
      for (int i = 0; i < static_cast<int>(truths.size()); ++i) {
        const Truth& truth = truths[static_cast<std::size_t>(i)];
        const bool again = truth.crowd && !rules_.crowd_as_truth && !rules_.crowd_taken_once;
        if (taken[static_cast<std::size_t>(i)] && !again) continue;
        if (reaches(overlap(object, truth)) && (best < 0 || better(object, truths, i, best))) best = i;
      }
      Fate fate = Fate::wrong;
      if (best >= 0) {
        taken[static_cast<std::size_t>(best)] = true;
        fate = counts(truths[static_cast<std::size_t>(best)]) ? Fate::right : Fate::passed_over;
      } else if (outside(double{object.box.width} * double{object.box.height}) &&
                 !rules_.far_objects_are_wrong) {
        fate = Fate::passed_over;
      }
      outcomes_.push_back({object.score, fate});
    }
  }

  // Whether truth `a` is a better match than `b`, which was looked at before.
  [[nodiscard]] bool better(const Object& object, const Truths& truths, int a, int b) const {
    const Truth& one = truths[static_cast<std::size_t>(a)];
    const Truth& other = truths[static_cast<std::size_t>(b)];
    if (!rules_.ignored_truths_alike && counts(one) != counts(other)) return counts(one);
    const double difference = overlap(object, one) - overlap(object, other);
    return rules_.first_of_equal_iou ? difference > 0.0 : difference >= 0.0;
  }

  const Rules& rules_;
  const Setting& setting_;
  int truths_ = 0;
  std::vector<Outcome> outcomes_;
};

}  // namespace

std::array<double, 12> slow_figures(const LabelledImages& images, std::size_t labels, const Rules& rules) {
  struct Wanted {
    bool precision;
    std::size_t range;
    std::size_t most;
    int threshold;  // -1: all
  };
  constexpr std::array<Wanted, 12> kWanted = {{{true, 0, 100, -1},
                                               {true, 0, 100, 0},
                                               {true, 0, 100, 5},
                                               {true, 1, 100, -1},
                                               {true, 2, 100, -1},
                                               {true, 3, 100, -1},
                                               {false, 0, 1, -1},
                                               {false, 0, 10, -1},
                                               {false, 0, 100, -1},
                                               {false, 1, 100, -1},
                                               {false, 2, 100, -1},
                                               {false, 3, 100, -1}}};
  std::array<double, 12> figures{};
  for (std::size_t i = 0; i < kWanted.size(); ++i) {
    const Wanted& wanted = kWanted[i];
    double sum = 0.0;
    int count = 0;
    for (std::size_t label = 0; label < labels; ++label) {
      for (std::size_t t = 0; t < kThresholds.size(); ++t) {
        if (wanted.threshold >= 0 && static_cast<std::size_t>(wanted.threshold) != t) continue;
        const Setting setting{static_cast<int>(label), wanted.range, wanted.most, kThresholds[t]};
        const SlowEvaluator evaluator(images, rules, setting);
        if (evaluator.truths() == 0 && !rules.absent_labels_count) continue;
        ++count;
        if (evaluator.truths() == 0) continue;
        sum += wanted.precision ? evaluator.average_precision() : evaluator.recall();
      }
    }
    figures[i] = count == 0 ? -1.0 : sum / count;
  }
  return figures;
}

}  // namespace saccade::vision::testing
