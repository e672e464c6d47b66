#include "app/report/plot.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <system_error>

#include "app/report/gnuplot.hpp"
#include "base/check.hpp"
#include "text/text_file.hpp"

namespace saccade::app {
namespace {

namespace fs = std::filesystem;

// Okabe and Ito's colours, which colour-blind people tell apart, without their yellow (too pale).
constexpr std::array kColours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"};
constexpr std::array kPointTypes = {7, 5, 9, 11, 13, 15};  // filled shapes; later rounds differ in both
constexpr const char* kMuted = "#A8A8A8";

// The shortest digits that read back as the same number.
std::string digits(double value) {
  SACCADE_CHECK(std::isfinite(value));
  std::array<char, 32> text{};
  const auto [end, failure] = std::to_chars(text.data(), text.data() + text.size(), value);
  SACCADE_CHECK(failure == std::errc{});
  return {text.data(), end};
}

std::string on_one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  }
  return text;
}

std::string csv_cell(const std::string& text) {
  std::string line = on_one_line(text);
  if (line.find_first_of(",\"") == std::string::npos) return line;
  std::string quoted = "\"";
  for (const char c : line) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

// A string of gnuplot in which nothing but the quote is special.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : on_one_line(text)) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + '\'';
}

std::string csv_of(const Chart& chart) {
  const auto any = [&](auto&& has) { return std::any_of(chart.series.begin(), chart.series.end(), has); };
  const bool bands = any([](const Series& series) { return !series.low.empty(); });
  const bool labels = any([](const Series& series) { return !series.labels.empty(); });
  std::string text = "series," + csv_cell(chart.x_label) + "," + csv_cell(chart.y_label);
  if (bands) text += ",low,high";
  if (labels) text += ",label";
  text += '\n';
  for (const Series& series : chart.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      text += csv_cell(series.name) + "," + digits(series.x[i]) + "," + digits(series.y[i]);
      if (bands)
        text += series.low.empty() ? ",," : "," + digits(series.low[i]) + "," + digits(series.high[i]);
      if (labels) text += "," + (series.labels.empty() ? "" : csv_cell(series.labels[i]));
      text += '\n';
    }
  }
  return text;
}

std::string csv_of(const BarChart& chart) {
  std::string text = "group";
  for (const BarSeries& series : chart.series) text += "," + csv_cell(series.name);
  text += '\n';
  for (std::size_t group = 0; group < chart.groups.size(); ++group) {
    text += csv_cell(chart.groups[group]);
    for (const BarSeries& series : chart.series) {
      text += series.values[group] ? "," + digits(*series.values[group]) : ",";
    }
    text += '\n';
  }
  return text;
}

// What both kinds of chart begin with.
std::string preamble(const std::string& title, const std::string& y_label) {
  return "set datafile separator comma\n"
         "set title " +
         quoted(title) +
         " font ',18'\n"
         "set ylabel " +
         quoted(y_label) +
         "\n"
         "set border 3 linecolor '#606060'\n"
         "set tics nomirror textcolor '#000000'\n"
         "set grid linetype 1 linecolor '#DCDCDC' linewidth 1\n"
         "set key outside right top reverse Left spacing 1.3 samplen 3\n";
}

// Draws `plot` once per picture. Both look alike; nothing in a text is markup.
std::string pictures(const std::string& plot, const std::string& name) {
  return "set terminal pngcairo size 1200,800 font 'Sans,14' noenhanced background '#FFFFFF'\n"
         "set output " +
         quoted(name + ".png") + "\n" + plot +
         "set terminal svg size 1200,800 font 'sans-serif,14' noenhanced background '#FFFFFF'\n"
         "set output " +
         quoted(name + ".svg") + "\nreplot\n";
}

// Decades as people read them, 0.001 and not 0.001000, with the steps between them marked.
std::string log_axis(const std::string& name) {
  return "set logscale " + name + "\nset m" + name + "tics 10\nset format " + name + " '%g'\n";
}

// The plot elements of one series, of which the rows first to last of the file are its own.
std::vector<std::string> elements(const Series& series, std::size_t index, std::size_t first,
                                  const std::string& file, bool bands) {
  const std::string colour = series.muted ? kMuted : kColours[index % kColours.size()];
  const std::string point = std::to_string(kPointTypes[index % kPointTypes.size()]);
  const std::string dash = std::to_string(1 + index / kColours.size());
  const std::string rows = quoted(file) + " skip 1 every ::" + std::to_string(first) +
                           "::" + std::to_string(first + series.x.size() - 1) + " using ";
  const std::string ink = " linecolor '" + colour + "'";
  const std::string dots = ink + " pointtype " + point + " pointsize 1.2";
  const std::string title = " title " + quoted(series.name);
  const bool band = !series.low.empty();

  std::vector<std::string> drawn;
  switch (series.style) {
    case Series::Style::points:
      if (band) drawn.push_back(rows + "2:3:4:5 with yerrorbars linewidth 1.5" + dots + " notitle");
      drawn.push_back(rows + "2:3 with points" + dots + title);
      break;
    case Series::Style::lines:
    case Series::Style::steps:
      if (band) {
        drawn.push_back(rows + "2:4:5 with filledcurves" + ink +
                        " fillstyle transparent solid 0.2 noborder notitle");
      }
      drawn.push_back(rows + "2:3 with " + (series.style == Series::Style::lines ? "lines" : "steps") + ink +
                      " linewidth 2.5 dashtype " + dash + title);
      break;
  }
  if (!series.labels.empty()) {
    const std::string column = std::to_string(bands ? 6 : 4);
    drawn.push_back(rows + "2:3:" + column + " with labels left offset 0.8,-0.5 font ',11' textcolor '" +
                    colour + "' notitle");
  }
  return drawn;
}

std::string plot_command(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "plot " : ", \\\n     ") + part;
  return text + "\n";
}

std::string script_of(const Chart& chart, const std::string& name) {
  const bool bands = std::any_of(chart.series.begin(), chart.series.end(),
                                 [](const Series& series) { return !series.low.empty(); });
  std::string text = preamble(chart.title, chart.y_label) + "set xlabel " + quoted(chart.x_label) + "\n";
  if (chart.x_log) text += log_axis("x");
  if (chart.y_log) text += log_axis("y");
  if (!chart.legend) text += "unset key\n";
  if (!chart.x_log && !chart.y_log) text += "set offsets graph 0.03, graph 0.03, graph 0.04, graph 0.04\n";
  if (chart.y_from || chart.y_to) {
    text += "set yrange [" + (chart.y_from ? digits(*chart.y_from) : "*") + ":" +
            (chart.y_to ? digits(*chart.y_to) : "*") + "]\n";
  }
  std::vector<std::string> drawn;
  std::size_t first = 0;
  std::size_t coloured = 0;
  for (const Series& series : chart.series) {
    if (!series.x.empty()) {
      const auto own = elements(series, coloured, first, name + ".csv", bands);
      drawn.insert(drawn.end(), own.begin(), own.end());
    }
    first += series.x.size();
    if (!series.muted) ++coloured;
  }
  return text + pictures(plot_command(drawn), name);
}

std::string script_of(const BarChart& chart, const std::string& name) {
  std::string text = preamble(chart.title, chart.y_label) +
                     "set grid noxtics\n"
                     "set xtics scale 0\n"
                     "set yrange [0:*]\n"
                     "set style data histograms\n"
                     "set style histogram clustered gap 1\n"
                     "set style fill solid 0.9 noborder\n"
                     "set boxwidth 0.9 relative\n";
  // Long names would run into each other.
  const std::size_t longest = std::accumulate(
      chart.groups.begin(), chart.groups.end(), std::size_t{0},
      [](std::size_t most, const std::string& group) { return std::max(most, group.size()); });
  if (longest * chart.groups.size() > 90) text += "set xtics rotate by -30\n";
  std::vector<std::string> drawn;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    drawn.push_back(quoted(name + ".csv") + " skip 1 using " + std::to_string(i + 2) +
                    ":xtic(1) linecolor '" + kColours[i % kColours.size()] + "' title " +
                    quoted(chart.series[i].name));
  }
  return text + pictures(plot_command(drawn), name);
}

Result<Plotted> write_files(const std::string& csv, const std::string& script, const fs::path& stem,
                            const std::string& search_path) {
  const auto file = [&stem](const char* extension) { return fs::path(stem.string() + extension); };
  Plotted plotted{{file(".csv"), file(".gp")}, ""};
  for (const auto& [path, text] : {std::pair{file(".csv"), &csv}, {file(".gp"), &script}}) {
    if (Status written = text::write_text_file(path, *text); !written) return written.errors();
  }
  const std::optional<fs::path> gnuplot = find_gnuplot(search_path);
  if (!gnuplot) {
    plotted.note = "gnuplot is not installed: no pictures; `scripts/setup --bench` installs it, `gnuplot " +
                   file(".gp").filename().string() + "` draws them later";
    return plotted;
  }
  if (Status drawn = run_gnuplot(*gnuplot, file(".gp")); !drawn) return drawn.errors();
  plotted.files.push_back(file(".png"));
  plotted.files.push_back(file(".svg"));
  return plotted;
}

bool is_complete(const Series& series) {
  const auto fits = [&](std::size_t size) { return size == 0 || size == series.x.size(); };
  return series.y.size() == series.x.size() && fits(series.low.size()) && fits(series.labels.size()) &&
         series.high.size() == series.low.size();
}

}  // namespace

std::string program_search_path() {
  const char* path = std::getenv("PATH");
  return path == nullptr ? "" : path;
}

Result<Plotted> write_chart(const Chart& chart, const fs::path& stem, const std::string& search_path) {
  SACCADE_CHECK(std::all_of(chart.series.begin(), chart.series.end(), is_complete));
  // gnuplot refuses to plot nothing.
  const bool empty = std::all_of(chart.series.begin(), chart.series.end(),
                                 [](const Series& series) { return series.x.empty(); });
  if (empty) return Error{stem.string(), "there is nothing to draw", "every series of the chart is empty"};
  return write_files(csv_of(chart), script_of(chart, stem.filename().string()), stem, search_path);
}

Result<Plotted> write_chart(const BarChart& chart, const fs::path& stem, const std::string& search_path) {
  SACCADE_CHECK(std::all_of(chart.series.begin(), chart.series.end(), [&](const BarSeries& series) {
    return series.values.size() == chart.groups.size();
  }));
  if (chart.series.empty() || chart.groups.empty()) {
    return Error{stem.string(), "there is nothing to draw", "the chart has no group or no series"};
  }
  return write_files(csv_of(chart), script_of(chart, stem.filename().string()), stem, search_path);
}

}  // namespace saccade::app
