#include "bench/paper/workers.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace saccade::bench {

Workers::Workers(unsigned threads, std::function<void(double)> told)
    : threads_(std::max(1U, threads)), told_(std::move(told)) {}

void Workers::each(std::size_t count, const std::function<void(std::size_t)>& work) const {
  std::atomic<std::size_t> next = 0;
  std::size_t done = 0;
  std::mutex told;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      work(i);
      const std::scoped_lock lock(told);
      ++done;
      told_(static_cast<double>(done) / static_cast<double>(count));
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < std::min<std::size_t>(threads_, count); ++i) threads.emplace_back(run);
  run();
}

}  // namespace saccade::bench
