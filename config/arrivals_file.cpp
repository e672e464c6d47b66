#include "config/arrivals_file.hpp"

#include <charconv>
#include <cmath>
#include <optional>

#include "base/quantity.hpp"
#include "text/csv.hpp"
#include "text/strict_json.hpp"
#include "text/text_file.hpp"

namespace saccade::config {
namespace {

constexpr std::size_t kMostMebibytes = 32;
constexpr std::size_t kMostArrivals = 1'000'000;
constexpr double kLatest = 1e8;  // seconds, as in the timeline
constexpr std::size_t kMostComplaints = 10;

std::optional<double> number_of(const std::string& text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Result<std::vector<Duration>> read_arrivals(const std::filesystem::path& file, const std::string& name) {
  const Result<std::string> text = text::read_text_file(file, kMostMebibytes);
  if (!text.ok()) return Error{name, text.errors().front().what, "a CSV file with a time in every line"};
  return parse_arrivals(text.value(), name);
}

Result<std::vector<Duration>> parse_arrivals(std::string_view text, const std::string& name) {
  const auto rows = text::parse_csv(text, name);
  if (!rows.ok()) return rows.errors();
  std::vector<Duration> arrivals;
  Errors errors;
  for (std::size_t i = 0; i < rows.value().size() && errors.size() < kMostComplaints; ++i) {
    const text::CsvCell& cell = rows.value()[i].front();
    const std::optional<double> seconds = number_of(cell.text);
    if (i == 0 && !seconds) continue;  // a heading
    const std::string where = text::place_in(name, cell.line, cell.column);
    if (!seconds || !(*seconds >= 0.0 && *seconds <= kLatest)) {
      errors.push_back({where, text::in_quotes(cell.text) + " is no time of arrival",
                        "seconds since the start of the run, for example 0.25"});
      continue;
    }
    const Duration at = to_duration(Seconds(*seconds));
    if (!arrivals.empty() && at < arrivals.back())
      errors.push_back({where, cell.text + " s is before the arrival in the line above", "sort the times"});
    arrivals.push_back(at);
  }
  if (!errors.empty()) return errors;
  if (arrivals.empty()) return Error{name, "holds no time of arrival", "a time in seconds in every line"};
  if (arrivals.size() > kMostArrivals)
    return Error{name, "holds more than a million times of arrival", "cut it into pieces"};
  return arrivals;
}

}  // namespace saccade::config
