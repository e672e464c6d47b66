// Any text is a recording of arrivals or a list of complaints; a recording can be replayed, and each of its
// arrivals is taken once.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "base/quantity.hpp"
#include "config/arrivals_file.hpp"
#include "runtime/run/arrivals.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace saccade;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto read = config::parse_arrivals(text, "fuzz.csv");
  if (!read.ok()) {
    SACCADE_CHECK(!read.errors().empty());
    return 0;
  }
  const auto times = std::make_shared<const std::vector<Duration>>(std::move(read).value());
  SACCADE_CHECK(!times->empty() && std::is_sorted(times->begin(), times->end()));
  SACCADE_CHECK(times->front() >= Duration(0) && times->back() <= to_duration(Seconds(1e8)));

  runtime::ReplaySource source;
  source.arrivals = times;
  source.loop = false;
  runtime::Arrivals once(source);
  std::size_t instants = 0;
  for (std::size_t i = 0; i < times->size(); ++i) {
    const bool first = i == 0 || (*times)[i] != (*times)[i - 1];
    instants += first ? 1 : 0;
    SACCADE_CHECK(once.take((*times)[i]) == first);
  }
  SACCADE_CHECK(instants > 0 && !once.take(times->back() + Duration(1)));
  SACCADE_CHECK(once.ended(times->back() + Duration(1)));

  source.loop = true;
  runtime::Arrivals loop(source);
  for (Duration at{0}; at < std::chrono::hours(1); at += std::chrono::minutes(7)) (void)loop.take(at);
  SACCADE_CHECK(!loop.ended(std::chrono::hours(1)));
  return 0;
}
