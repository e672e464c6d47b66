// What the paper's experiments report: spreads, tables in three forms, and the same finding whatever the
// number of threads.
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "bench/paper/experiments.hpp"
#include "bench/paper/results_page.hpp"
#include "bench/paper/statistics.hpp"

namespace saccade::bench {
namespace {

const Provenance kFrom{
    "0123abcd", "GCC 1.0", "-O2", "a machine", 2, "2026-01-01T00:00:00Z", "saccade bench paper", 5};

Finding some_finding() {
  Finding finding;
  finding.name = "fig0";
  finding.title = "Figure 0";
  finding.about = "What was done.";
  finding.comparisons = {{"rate", "1.6", "1.2"}};
  finding.requirements = {{"all is well", "it is not", false}};
  finding.tables = {{"fig0",
                     "A table",
                     {"policy", "rate, mean", "memory"},
                     {{word("greedy"), percent(0.25), absent()}},
                     true}};
  app::Chart chart;
  chart.title = "A chart";
  finding.figures = {{"fig0", chart, true}};
  return finding;
}

TEST(Cells, NothingHasNoSign) {
  EXPECT_EQ(number(-0.004, 2).text, "0.00");
  EXPECT_EQ(number(-0.006, 2).text, "-0.01");
  EXPECT_EQ(number(-0.0, 0).text, "0");
  EXPECT_EQ(number(0.0, 1).text, "0.0");
}

TEST(Spread, OfNothingAndOfAHundred) {
  EXPECT_EQ(spread_of({}).n, 0U);
  std::vector<double> values(101);
  std::iota(values.rbegin(), values.rend(), 0.0);
  const Spread spread = spread_of(values);
  EXPECT_EQ(spread.n, 101U);
  EXPECT_DOUBLE_EQ(spread.mean, 50.0);
  EXPECT_DOUBLE_EQ(spread.least, 0.0);
  EXPECT_DOUBLE_EQ(spread.p10, 10.0);
  EXPECT_DOUBLE_EQ(spread.median, 50.0);
  EXPECT_DOUBLE_EQ(spread.p99, 99.0);
  EXPECT_DOUBLE_EQ(spread.most, 100.0);
  const Curve curve = sorted_curve(values);
  EXPECT_EQ(curve.value.front(), 0.0);
  EXPECT_EQ(curve.value.back(), 100.0);
  EXPECT_TRUE(std::is_sorted(curve.value.begin(), curve.value.end()));
}

TEST(Finding, AsCsvKeepsFullNumbersAndSaysModelled) {
  const std::string text = csv(some_finding().tables.front(), kFrom);
  EXPECT_NE(text.find("# commit: 0123abcd\n"), std::string::npos);
  EXPECT_NE(text.find("\npolicy,rate; mean,memory,energy source\ngreedy,0.25,,modelled\n"), std::string::npos)
      << text;
}

TEST(Finding, AsJsonHasNullForWhatIsAbsent) {
  const auto object = to_json(some_finding());
  const auto& row = object["tables"]["fig0"]["rows"][0];
  EXPECT_EQ(row["rate, mean"], 0.25);
  EXPECT_TRUE(row["memory"].is_null());
  EXPECT_EQ(object["tables"]["fig0"]["energy"], "modelled");
  EXPECT_EQ(object["requirements"][0]["met"], false);
}

TEST(Finding, AsPageSaysWhatIsModelledAndWhatIsNotMet) {
  const std::string page = results_page({some_finding()}, {}, kFrom);
  for (const char* part :
       {"| rate | 1.6 | 1.2 |", "**A table (energy modelled)**", "| greedy | 25.0 % | – |", "**not met**",
        "![A chart (energy modelled)](images/paper-fig0.svg)", "commit 0123abcd", "seed 5"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part << " in\n" << page;
  }
}

TEST(Workers, EveryPieceOnceAndToldToTheEnd) {
  for (const unsigned threads : {1U, 4U}) {
    std::vector<std::atomic<int>> done(50);
    double told = 0.0;
    const Workers workers(threads, [&](double share) { told = share; });
    workers.each(done.size(), [&](std::size_t i) { ++done[i]; });
    for (const auto& each : done) EXPECT_EQ(each, 1);
    EXPECT_DOUBLE_EQ(told, 1.0);
  }
}

TEST(Experiments, FindTheSameWithAnyNumberOfThreads) {
  Result<Bed> bed = open_bed(std::filesystem::path(SACCADE_SOURCE_DIR) / "bench/paper/experiments.json");
  ASSERT_TRUE(bed.ok());
  Scenario& scenario = bed.value().scenario;
  scenario.rates = {.from = 8, .to = 10, .seconds = Seconds(5.0), .seeds = 2};
  scenario.random.steps = 12;
  scenario.oracle_steps = 12;
  const Workers one(1, [](double) {}), four(4, [](double) {});
  for (const auto run : {accuracy_against_rate, least_against_floor, random_policies, random_most_accurate,
                         fixed_choices, known_future}) {
    const Result<Finding> a = run({bed.value(), one, {}}), b = run({bed.value(), four, {}});
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_TRUE(a.value().breaches.empty()) << a.value().name << ": " << a.value().breaches.front();
    EXPECT_EQ(to_json(a.value()), to_json(b.value())) << a.value().name;
    for (const Requirement& each : a.value().requirements) {
      EXPECT_FALSE(each.what.empty() || each.found.empty());
    }
  }
}

}  // namespace
}  // namespace saccade::bench
