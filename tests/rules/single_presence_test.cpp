// Presence of a single thing is the presence of results with one label: compared over random histories.
#include "rules/single_presence.hpp"

#include <gtest/gtest.h>

#include <random>

#include "results/presence.hpp"

namespace saccade::rules {
namespace {

const std::vector<results::SeenObject> kShown = {{"it", 0, 0.9, {}, 0}};
const std::vector<results::SeenObject> kNotShown = {};

TEST(SinglePresence, IsThatOfResultsWithOneLabel) {
  int begins = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) { return random() % n; };
    const std::size_t frames = below(4);  // 0 counts as 1
    const Duration hold = std::chrono::milliseconds(1 + below(2000));
    results::Presence known({frames, hold, 0.0});
    SinglePresence presence(frames, hold);
    TimePoint now{};
    for (int step = 0; step < 300; ++step) {
      now += std::chrono::milliseconds(below(step % 50 == 0 ? 4000 : 700));
      if (below(4) == 0) {
        known.pass(now);
        presence.pass(now);
      } else {
        const bool shown = below(3) != 0;
        known.pass(now);
        const bool before = known.any();
        known.see(shown ? kShown : kNotShown, now);
        ASSERT_EQ(presence.see(shown, now), !before && known.any()) << "seed " << seed << ", step " << step;
        begins += !before && known.any() ? 1 : 0;
      }
      ASSERT_EQ(presence.present(), known.any()) << "seed " << seed << ", step " << step;
      ASSERT_EQ(presence.next_end(), known.next_end()) << "seed " << seed << ", step " << step;
    }
  }
  EXPECT_GT(begins, 1000);
}

}  // namespace
}  // namespace saccade::rules
