#include "bench/service/open_loop.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "bench/report.hpp"
#include "bench/service/experiments.hpp"

namespace saccade::bench {

void ask_on_time(std::uint16_t port, const Pace& pace,
                 const std::function<const std::string&(std::int64_t i)>& request,
                 const std::function<void(const std::optional<HttpAnswer>& answer, double ms)>& told) {
  const auto between = to_duration(Seconds(1.0 / pace.per_second));
  const auto count = static_cast<std::int64_t>(pace.duration / between);
  auto connection = std::make_unique<Connection>(port);
  const auto begin = std::chrono::steady_clock::now() + pace.first_after;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto due = begin + i * between;
    std::this_thread::sleep_until(due);
    connection->send(request(i));
    const auto answer = connection->answer(kPatience);
    const Duration took = std::chrono::steady_clock::now() - due;
    told(answer, static_cast<double>(took.count()) * 1e-6);
    if (!answer || answer->status != 200) connection = std::make_unique<Connection>(port);
  }
}

AnswerTimes answer_times(std::vector<double> times_ms) {
  if (times_ms.empty()) return {};
  std::sort(times_ms.begin(), times_ms.end());
  return {quantile(times_ms, 0.5), quantile(times_ms, 0.99), times_ms.back()};
}

}  // namespace saccade::bench
