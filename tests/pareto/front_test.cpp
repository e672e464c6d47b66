// The laws of a front, on random points with many ties and duplicates.
#include "pareto/front.hpp"
#include "bench/solver/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace saccade::pareto {
namespace {

using Indices = std::vector<std::size_t>;

struct Instance {
  Eigen::MatrixXd costs;
  Indices preference;
  Indices keep;
};

// Few distinct values per column, so that points tie in some or all columns.
Instance random_instance(std::uint64_t seed) {
  bench::Random random(seed);
  const std::size_t points = random.below(40), columns = 1 + random.below(5), values = 2 + random.below(12);
  Instance instance;
  instance.costs.resize(static_cast<Eigen::Index>(points), static_cast<Eigen::Index>(columns));
  for (Eigen::Index i = 0; i < instance.costs.size(); ++i) {
    instance.costs.data()[i] = static_cast<double>(random.below(values)) - 3.0;
  }
  if (random.below(2) == 1) {
    for (std::size_t i = 0; i < points; ++i) instance.preference.push_back(random.below(points));
  }
  for (std::size_t i = 0; points > 0 && i < random.below(3); ++i)
    instance.keep.push_back(random.below(points));
  return instance;
}

// Smaller ranks are preferred; no ranks, no preference.
Preference preference_by(const Indices& ranks) {
  if (ranks.empty()) return nullptr;
  return [ranks](std::size_t a, std::size_t b) { return ranks[a] < ranks[b]; };
}

bool contains(const Indices& indices, std::size_t index) {
  return std::find(indices.begin(), indices.end(), index) != indices.end();
}

struct Relation {
  bool no_worse, equal;
};
Relation relation(const Eigen::MatrixXd& costs, std::size_t a, std::size_t b) {
  const auto x = costs.row(static_cast<Eigen::Index>(a)).array();
  const auto y = costs.row(static_cast<Eigen::Index>(b)).array();
  return {(x <= y).all(), (x == y).all()};
}

// True when `a` is a reason to drop `b`.
bool displaces(const Instance& instance, std::size_t a, std::size_t b) {
  const Relation r = relation(instance.costs, a, b);
  if (!r.equal || a == b) return r.no_worse && a != b;
  if (instance.preference.empty() || instance.preference[a] == instance.preference[b]) return a < b;
  return instance.preference[a] < instance.preference[b];
}

Indices front_of(const Instance& instance) {
  return front(instance.costs, preference_by(instance.preference), instance.keep);
}

TEST(Front, NoKeptPointIsDominatedUnlessItIsToBeKept) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const Instance instance = random_instance(seed);
    const Indices kept = front_of(instance);
    for (const std::size_t point : kept) {
      if (contains(instance.keep, point)) continue;
      for (std::size_t other = 0; other < static_cast<std::size_t>(instance.costs.rows()); ++other) {
        ASSERT_FALSE(displaces(instance, other, point)) << "seed " << seed;
      }
    }
  }
}

TEST(Front, EveryDroppedPointIsDominatedByAKeptOneOrEqualToAPreferredKeptOne) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const Instance instance = random_instance(seed);
    const Indices kept = front_of(instance);
    for (std::size_t point = 0; point < static_cast<std::size_t>(instance.costs.rows()); ++point) {
      if (contains(kept, point)) continue;
      ASSERT_TRUE(std::any_of(kept.begin(), kept.end(),
                              [&](std::size_t other) { return displaces(instance, other, point); }))
          << "seed " << seed;
    }
  }
}

TEST(Front, PointsToBeKeptAreKeptAndTheResultIsAscendingWithoutRepetition) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const Instance instance = random_instance(seed);
    const Indices kept = front_of(instance);
    for (const std::size_t point : instance.keep) ASSERT_TRUE(contains(kept, point));
    ASSERT_TRUE(std::is_sorted(kept.begin(), kept.end(), std::less_equal<>())) << "seed " << seed;
  }
}

TEST(Front, TheFrontOfAFrontIsItself) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Instance instance = random_instance(seed);
    instance.keep.clear();
    const Indices kept = front_of(instance);
    Instance again;
    again.costs.resize(static_cast<Eigen::Index>(kept.size()), instance.costs.cols());
    for (std::size_t i = 0; i < kept.size(); ++i) {
      again.costs.row(static_cast<Eigen::Index>(i)) = instance.costs.row(static_cast<Eigen::Index>(kept[i]));
      if (!instance.preference.empty()) again.preference.push_back(instance.preference[kept[i]]);
    }
    Indices all(kept.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    ASSERT_EQ(front_of(again), all) << "seed " << seed;
  }
}

TEST(Front, OfEqualPointsThePreferredOneStays) {
  const Eigen::MatrixXd costs{{1.0, 2.0}, {1.0, 2.0}, {1.0, 2.0}};
  EXPECT_EQ(front(costs), Indices{0});
  EXPECT_EQ(front(costs, preference_by({5, 3, 4})), Indices{1});
  EXPECT_EQ(front(costs, preference_by({5, 3, 4}), Indices{2}), (Indices{1, 2}));
}

TEST(Front, OfNoPointsIsEmpty) { EXPECT_EQ(front(Eigen::MatrixXd(0, 3)), Indices{}); }

TEST(FrontDeathTest, CostsThatAreNotFiniteAreAProgrammersMistake) {
  const Eigen::MatrixXd costs{{1.0, std::nan("")}};
  EXPECT_DEATH(static_cast<void>(front(costs)), "check failed");
}

}  // namespace
}  // namespace saccade::pareto
