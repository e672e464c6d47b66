#include "service/api/livez.hpp"

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <system_error>

namespace saccade::service {
namespace {

constexpr std::string_view kStoreAge = "\nstore_age_milliseconds ";
constexpr double kLongestAge = 1e9;  // s

}  // namespace

std::string livez_text(std::optional<double> store_age) {
  if (!store_age || !(*store_age >= 0.0 && *store_age <= kLongestAge)) return "ok\n";
  return "ok" + std::string(kStoreAge) + std::to_string(std::llround(1e3 * *store_age)) + "\n";
}

std::optional<Duration> store_age_in(std::string_view livez) {
  const std::size_t mark = livez.find(kStoreAge);
  if (mark == std::string_view::npos) return {};
  const std::string_view text = livez.substr(mark + kStoreAge.size());
  std::int64_t milliseconds = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), milliseconds);
  const bool whole = fault == std::errc() && end != text.data() + text.size() && *end == '\n';
  if (!whole || milliseconds < 0 || milliseconds > static_cast<std::int64_t>(1e3 * kLongestAge)) return {};
  return std::chrono::milliseconds(milliseconds);
}

}  // namespace saccade::service
