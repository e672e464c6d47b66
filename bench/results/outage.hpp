// What is away or misbehaves at the other side of a service's sink, and the service's configuration for it.
// Threads: one at a time. Errors: what other_sides.hpp says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "bench/results/experiments.hpp"
#include "bench/results/other_sides.hpp"

namespace saccade::bench {

inline constexpr const char* kSinkId = "away";  // of the one sink

// The scenario's file with absolute paths and with these sinks.
[[nodiscard]] Status write_config(const ResultsScenario& scenario, const std::filesystem::path& file,
                                  const nlohmann::json& sinks);

// The other side of the sink, which goes and comes in time.
class Outage {
 public:
  // `kind`: one of kOutages, or "none": a broker that stays.
  Outage(const std::string& kind, const BenchFolder& folder, const std::vector<int>& cpus);

  [[nodiscard]] Status begin();
  // What is due after this share of the time: it goes at a quarter, and is back at three quarters.
  [[nodiscard]] Status at(double share);
  [[nodiscard]] bool is_back() const { return back_; }  // it had gone
  [[nodiscard]] nlohmann::json sink() const;
  [[nodiscard]] std::uint16_t broker_port() const { return broker_.port(); }

 private:
  const std::string kind_;
  BenchBroker broker_;
  std::unique_ptr<BenchReceiver> receiver_;  // null: it is a broker or a disk
  bool away_ = false;
  bool back_ = false;
};

}  // namespace saccade::bench
