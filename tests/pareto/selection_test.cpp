// The paper's selections and `active` against the definition of dominance, by brute force.
#include "pareto/selection.hpp"
#include "bench/solver/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>

namespace saccade::pareto::selection_test {
namespace {

using Indices = std::vector<std::size_t>;

std::vector<Point> random_points(std::uint64_t seed, bool with_gaps) {
  bench::Random random(seed);
  const std::size_t count = 1 + random.below(30), processors = 1 + random.below(3);
  const auto figure = [&random] { return static_cast<double>(random.below(6)); };
  std::vector<Point> points(count);
  for (Point& point : points) {
    point.accuracy = figure() / 10.0;
    for (std::size_t p = 0; p < processors; ++p) {
      point.time.push_back(figure());
      point.power.push_back(figure());
    }
    point.energy = figure();
    point.memory = figure();
    if (!with_gaps) continue;
    if (random.below(4) == 0) point.energy.reset();
    if (random.below(4) == 0) point.memory.reset();
    if (random.below(4) == 0) point.power.clear();
  }
  return points;
}

// A measure's figures of one point; empty = not measured.
using Measure = std::function<std::vector<double>(const Point&)>;

std::vector<double> of_optional(const std::optional<double>& value) {
  return value ? std::vector<double>{*value} : std::vector<double>{};
}
const Measure kTime = [](const Point& point) {
  return std::vector<double>(point.time.begin(), point.time.end());
};
const Measure kEnergy = [](const Point& point) { return of_optional(point.energy); };
const Measure kMemory = [](const Point& point) { return of_optional(point.memory); };
const Measure kPower = [](const Point& point) {
  return std::vector<double>(point.power.begin(), point.power.end());
};

// By the definition: what no other candidate dominates, or equals and comes first.
Indices brute_force(const Indices& candidates, const std::vector<Point>& points,
                    const std::vector<Measure>& measures) {
  const auto measured = [&](std::size_t i) {
    return std::none_of(measures.begin(), measures.end(),
                        [&](const Measure& measure) { return measure(points[i]).empty(); });
  };
  const auto displaces = [&](std::size_t a, std::size_t b) {
    bool no_worse = points[a].accuracy >= points[b].accuracy,
         equal = points[a].accuracy == points[b].accuracy;
    for (const Measure& measure : measures) {
      const std::vector<double> x = measure(points[a]), y = measure(points[b]);
      for (std::size_t i = 0; i < x.size(); ++i) {
        no_worse = no_worse && x[i] <= y[i];
        equal = equal && x[i] == y[i];
      }
    }
    return no_worse && (!equal || a < b);
  };
  Indices kept;
  for (const std::size_t b : candidates) {
    const bool displaced =
        measured(b) && std::any_of(candidates.begin(), candidates.end(),
                                   [&](std::size_t a) { return a != b && measured(a) && displaces(a, b); });
    if (!displaced) kept.push_back(b);
  }
  return kept;
}

Indices all_of(const std::vector<Point>& points) {
  Indices all(points.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

class SelectionTest : public ::testing::TestWithParam<bool> {};

TEST_P(SelectionTest, ThePapersSelectionsKeepTheFrontOfAccuracyAgainstTheirMeasure) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const std::vector<Point> points = random_points(seed, GetParam());
    const Indices all = all_of(points);
    EXPECT_EQ(select(Selection::time, {}, points), brute_force(all, points, {kTime}));
    EXPECT_EQ(select(Selection::memory, {}, points), brute_force(all, points, {kMemory}));
    EXPECT_EQ(select(Selection::energy, {}, points), brute_force(all, points, {kEnergy}));
    EXPECT_EQ(select(Selection::none, {}, points), all);
  }
}

TEST_P(SelectionTest, TheCombinedSelectionsTakeTheSecondFrontOfTheTimeFront) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const std::vector<Point> points = random_points(seed, GetParam());
    const Indices time = brute_force(all_of(points), points, {kTime});
    EXPECT_EQ(select(Selection::time_memory, {}, points), brute_force(time, points, {kMemory}));
    EXPECT_EQ(select(Selection::time_energy, {}, points), brute_force(time, points, {kEnergy}));
  }
}

TEST_P(SelectionTest, ActiveLooksAtTimeAndExactlyTheActiveMeasures) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const std::vector<Point> points = random_points(seed, GetParam());
    for (unsigned bits = 0; bits < 8; ++bits) {
      const ActiveMeasures active{(bits & 1U) != 0, (bits & 2U) != 0, (bits & 4U) != 0};
      std::vector<Measure> measures{kTime};
      if (active.energy) measures.push_back(kEnergy);
      if (active.memory) measures.push_back(kMemory);
      if (active.power) measures.push_back(kPower);
      EXPECT_EQ(select(Selection::active, active, points), brute_force(all_of(points), points, measures));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(MeasuredAndWithGaps, SelectionTest, ::testing::Bool());

TEST(Selection, APointThatLacksANeededMeasureIsKeptAndDisplacesNothing) {
  const std::vector<Point> points = {
      {0.9, {1.0}, 1.0, std::nullopt, {}}, {0.8, {2.0}, 2.0, 5.0, {}}, {0.7, {3.0}, std::nullopt, 6.0, {}}};
  EXPECT_EQ(select(Selection::memory, {}, points), (Indices{0, 1}));
  EXPECT_EQ(select(Selection::energy, {}, points), (Indices{0, 2}));
  EXPECT_EQ(select(Selection::time, {}, points), Indices{0});
}

TEST(Selection, PreferenceAndProtectionReachTheFront) {
  const std::vector<Point> points(3, Point{0.9, {1.0}, 1.0, 1.0, {}});
  const Preference preferred = [](std::size_t a, std::size_t b) { return (a + 2) % 3 < (b + 2) % 3; };
  for (const Selection selection : {Selection::active, Selection::time, Selection::time_memory}) {
    EXPECT_EQ(select(selection, {}, points, preferred), Indices{1});
    EXPECT_EQ(select(selection, {}, points, preferred, Indices{0}), (Indices{0, 1}));
  }
}

TEST(Selection, OfNoPointsIsEmpty) { EXPECT_EQ(select(Selection::active, {}, {}), Indices{}); }

TEST(Selection, NamesAreReadAsTheyAreWritten) {
  for (const Selection selection :
       {Selection::active, Selection::time, Selection::memory, Selection::time_memory, Selection::energy,
        Selection::time_energy, Selection::none}) {
    EXPECT_EQ(selection_from(to_string(selection)), selection);
  }
  EXPECT_EQ(selection_from("time_memory"), std::nullopt);
}

}  // namespace
}  // namespace saccade::pareto::selection_test
