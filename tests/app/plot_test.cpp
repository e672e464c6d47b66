#include "app/report/plot.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "app/report/gnuplot.hpp"
#include "tests/support/corpus.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::app::plot_test {
namespace {

namespace fs = std::filesystem;
using saccade::testing::file_text;

Chart front_chart() {
  Chart chart;
  chart.title = "net's variants";
  chart.x_label = "frame time (ms)";
  chart.y_label = "accuracy";
  chart.series.push_back({"kept", Series::Style::steps, {1.5, 4}, {0.1, 0.95}});
  chart.series.push_back(
      {"all, \"really\" all", Series::Style::points, {2}, {1.0 / 3.0}, {0.25}, {0.5}, {"v_1"}});
  return chart;
}

// A visible stand-in for gnuplot: notes its folder and arguments, then does as it is told.
void fake_gnuplot(const fs::path& folder, const std::string& then) {
  const fs::path program = folder / "gnuplot";
  std::ofstream(program) << "#!/bin/sh\necho \"$(pwd -P)|$#|$1\" >>'" << (folder / "calls").string() << "'\n"
                         << then << "\n";
  fs::permissions(program, fs::perms::owner_all);
}

TEST(Plot, TheCsvHoldsEveryNumberAndTheScriptDrawsIt) {
  const test::TemporaryFolder folder;
  const auto plotted = write_chart(front_chart(), folder / "front", "");
  ASSERT_TRUE(plotted.ok());
  EXPECT_EQ(plotted.value().files, (std::vector<fs::path>{folder / "front.csv", folder / "front.gp"}));
  EXPECT_EQ(file_text(folder / "front.csv"),
            "series,frame time (ms),accuracy,low,high,label\n"
            "kept,1.5,0.1,,,\n"
            "kept,4,0.95,,,\n"
            "\"all, \"\"really\"\" all\",2,0.3333333333333333,0.25,0.5,v_1\n");
  const std::string script = file_text(folder / "front.gp");
  for (const char* part :
       {"set title 'net''s variants'", "set xlabel 'frame time (ms)'", "set output 'front.png'",
        "set output 'front.svg'", "size 1200,800", "'front.csv' skip 1 every ::0::1 using 2:3 with steps",
        "'front.csv' skip 1 every ::2::2 using 2:3:4:5 with yerrorbars", "title 'all, \"really\" all'"}) {
    EXPECT_NE(script.find(part), std::string::npos) << part << "\n" << script;
  }
}

TEST(Plot, BarsStandInAWideCsvAndWhatIsAbsentIsEmpty) {
  const test::TemporaryFolder folder;
  const BarChart chart{
      "policies", "achieved rate (%)", {"half", "full"}, {{"greedy", {50, 35.5}}, {"ours", {{}, 100}}}};
  ASSERT_TRUE(write_chart(chart, folder / "bars", "").ok());
  EXPECT_EQ(file_text(folder / "bars.csv"), "group,greedy,ours\nhalf,50,\nfull,35.5,100\n");
}

TEST(Plot, WithoutGnuplotTheNumbersAreWrittenAndTheResultSaysHowToGetPictures) {
  const test::TemporaryFolder folder;
  const auto plotted = write_chart(front_chart(), folder / "front", folder.path().string() + "::/nowhere");
  ASSERT_TRUE(plotted.ok());
  EXPECT_EQ(plotted.value().files.size(), 2u);
  EXPECT_NE(plotted.value().note.find("`scripts/setup --bench`"), std::string::npos);
  EXPECT_NE(plotted.value().note.find("`gnuplot front.gp`"), std::string::npos);
}

TEST(Plot, GnuplotIsRunOnceOnTheScriptInItsFolder) {
  const test::TemporaryFolder programs;
  const test::TemporaryFolder folder;
  fake_gnuplot(programs.path(), "exit 0");
  const auto plotted = write_chart(front_chart(), folder / "a front", "/nowhere:" + programs.path().string());
  ASSERT_TRUE(plotted.ok()) << to_string(plotted.errors());
  EXPECT_EQ(file_text(programs / "calls"), fs::canonical(folder.path()).string() + "|1|a front.gp\n");
  EXPECT_EQ(plotted.value().note, "");
  EXPECT_EQ(plotted.value().files, (std::vector<fs::path>{folder / "a front.csv", folder / "a front.gp",
                                                          folder / "a front.png", folder / "a front.svg"}));
}

TEST(Plot, AFailingGnuplotIsAnErrorInItsOwnWords) {
  const test::TemporaryFolder folder;
  fake_gnuplot(folder.path(), "printf 'set trminal\\n    ^\\n  line 7: unknown terminal\\n\\n' >&2; exit 1");
  const auto plotted = write_chart(front_chart(), folder / "front", folder.path().string());
  ASSERT_FALSE(plotted.ok());
  EXPECT_EQ(plotted.errors(),
            (Errors{{(folder / "front.gp").string(), "gnuplot failed: line 7: unknown terminal",
                     "run `gnuplot front.gp` in its folder to see more"}}));
}

TEST(Plot, AFileThatIsNoProgramCannotBeRun) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "gnuplot") << "not a program";
  EXPECT_EQ(find_gnuplot(folder.path().string()), std::nullopt) << "it may not be executed";
  fs::permissions(folder / "gnuplot", fs::perms::owner_all);
  const auto plotted = write_chart(front_chart(), folder / "front", folder.path().string());
  ASSERT_FALSE(plotted.ok());
  EXPECT_EQ(plotted.errors()[0].where, (folder / "gnuplot").string());
  EXPECT_NE(plotted.errors()[0].what.find("cannot be run"), std::string::npos);
}

TEST(Plot, NothingToDrawAndAMissingFolderAreErrors) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(write_chart(Chart{}, folder / "front", "").errors()[0].what, "there is nothing to draw");
  EXPECT_EQ(write_chart(BarChart{}, folder / "bars", "").errors()[0].what, "there is nothing to draw");
  const auto refused = write_chart(front_chart(), folder / "missing/front", "");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.errors()[0].where, (folder / "missing/front.csv").string());
}

// The script is gnuplot's to judge; without gnuplot there is nothing to test here.
TEST(Plot, TheRealGnuplotDrawsBothKinds) {
  if (!find_gnuplot(program_search_path())) GTEST_SKIP() << "gnuplot is not installed";
  const test::TemporaryFolder folder;
  Chart chart = front_chart();
  chart.x_log = true;
  for (const auto& plotted :
       {write_chart(chart, folder / "it's a front"),
        write_chart(BarChart{"bars", "share", {"one", "two"}, {{"a", {1.0, {}}}, {"b", {0.0, 2.0}}}},
                    folder / "bars")}) {
    ASSERT_TRUE(plotted.ok()) << to_string(plotted.errors());
    for (const fs::path& file : plotted.value().files) EXPECT_GT(fs::file_size(file), 0u) << file;
  }
}

}  // namespace
}  // namespace saccade::app::plot_test
