#include "runtime/profiling/profile_rounds.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"

namespace saccade::runtime {

namespace {

using Numbers = ProfileJournal::Numbers;
using Engines = std::vector<std::unique_ptr<Engine>>;

class Rounds {
 public:
  Rounds(const RoundTrial& trial, const RoundLimits& limits, const Clock& clock)
      : trial_(trial), limits_(limits), clock_(clock), samples_(trial.engines) {
    if (trial_.last_parts) trial_.parts->assign(trial_.engines, {});
  }

  Result<Samples> run() {
    while (take_kept_block()) {
    }
    if (share() >= 1.0) return samples_;
    const Result<Engines> engines = trial_.load();
    if (!engines) return engines.errors();
    SACCADE_CHECK(engines.value().size() == trial_.engines);
    TimePoint begin = clock_.now();
    Samples warmup(trial_.engines);
    block_parts_.assign(trial_.engines, {});
    for (int round = 0; round < limits_.warmup; ++round) {
      const Status status = run_round(engines.value(), warmup);
      if (!status) return status.errors();
    }
    if (blocks_ > 0) begin = clock_.now();  // the warm-up counts once
    while (share() < 1.0) {
      const Status status = run_block(engines.value(), begin);
      if (!status) return status.errors();
      begin = clock_.now();
    }
    return samples_;
  }

 private:
  // Of what is to be measured.
  [[nodiscard]] double share() const {
    const double rounds = static_cast<double>(samples_.front().size());
    return std::max(std::min(used_ / limits_.time.value(), rounds / limits_.fewest), rounds / limits_.most);
  }

  Status run_round(const Engines& engines, Samples& samples) {
    Status status =
        trial_.chains.empty() ? run(0, engines.size(), engines, &samples) : run_chains(engines, samples);
    if (status && trial_.round_ended) trial_.round_ended();
    return status;
  }

  Status run_chains(const Engines& engines, Samples& samples) {
    std::size_t first = 0;
    for (const std::size_t size : trial_.chains) {
      for (Samples* const counted : {static_cast<Samples*>(nullptr), &samples}) {
        if (Status status = run(first, first + size, engines, counted); !status) return status;
      }
      first += size;
    }
    return Done{};
  }

  // Engines [first, last), once each, in order. `counted`: null = not.
  Status run(std::size_t first, std::size_t last, const Engines& engines, Samples* counted) {
    for (std::size_t i = first; i < last; ++i) {
      const TimePoint start = clock_.now();
      Status status = trial_.infer(i, *engines[i]);
      const Duration took = clock_.now() - start;
      if (!status) return status;
      if (trial_.rest) trial_.rest(took);
      if (counted == nullptr) continue;
      counted->at(i).push_back(to_seconds(took).value());
      if (trial_.last_parts) add(block_parts_[i], trial_.last_parts());
    }
    return Done{};
  }

  Status run_block(const Engines& engines, TimePoint begin) {
    const std::size_t first = samples_.front().size();
    const double used_before = used_;
    block_parts_.assign(trial_.engines, {});
    do {
      Status status = run_round(engines, samples_);
      if (!status) return status;
      used_ = used_before + to_seconds(clock_.now() - begin).value();
      trial_.report(share());
    } while (used_ - used_before < limits_.block.value() && share() < 1.0);
    return keep_block(first, used_ - used_before);
  }

  [[nodiscard]] std::string block_name() const { return trial_.name + "/" + std::to_string(blocks_); }

  static void add(TimeParts& sum, const TimeParts& more) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
  }

  // The seconds of the block, its rounds, one after the other, and the parts of every engine.
  Status keep_block(std::size_t first, double took) {
    Numbers numbers{took};
    for (std::size_t round = first; round < samples_.front().size(); ++round) {
      for (const auto& one : samples_) numbers.push_back(one[round]);
    }
    for (std::size_t i = 0; trial_.last_parts && i < trial_.engines; ++i) {
      add((*trial_.parts)[i], block_parts_[i]);
      numbers.insert(numbers.end(), block_parts_[i].begin(), block_parts_[i].end());
    }
    const std::string name = block_name();
    ++blocks_;
    if (trial_.journal == nullptr) return Done{};
    return trial_.journal->add(name, std::move(numbers));
  }

  bool take_kept_block() {
    if (trial_.journal == nullptr) return false;
    const Numbers* const numbers = trial_.journal->find(block_name());
    if (numbers == nullptr) return false;
    const std::size_t least = 1 + (trial_.last_parts ? std::tuple_size_v<TimeParts> * trial_.engines : 0);
    SACCADE_CHECK(numbers->size() >= least && numbers->size() % trial_.engines == 1 % trial_.engines);
    std::size_t times = numbers->size();
    if (trial_.last_parts) {
      times -= std::tuple_size_v<TimeParts> * trial_.engines;
      auto next = numbers->begin() + static_cast<std::ptrdiff_t>(times);
      for (TimeParts& sum : *trial_.parts) {
        for (double& part : sum) part += *next++;
      }
    }
    for (std::size_t i = 1; i < times; ++i) {
      samples_[(i - 1) % trial_.engines].push_back((*numbers)[i]);
    }
    used_ += numbers->front();
    ++blocks_;
    return true;
  }

  const RoundTrial& trial_;
  const RoundLimits& limits_;
  const Clock& clock_;
  Samples samples_;
  std::vector<TimeParts> block_parts_;  // by engine
  double used_ = 0.0;                   // seconds
  int blocks_ = 0;
};

}  // namespace

Result<Samples> measure_rounds(const RoundTrial& trial, const RoundLimits& limits, const Clock& clock) {
  SACCADE_CHECK(trial.engines > 0 && limits.fewest > 0 && limits.most >= limits.fewest);
  SACCADE_CHECK(trial.chains.empty() ||
                std::accumulate(trial.chains.begin(), trial.chains.end(), std::size_t{0}) == trial.engines);
  return Rounds(trial, limits, clock).run();
}

}  // namespace saccade::runtime
