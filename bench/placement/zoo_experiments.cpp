#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>

#include "bench/placement/experiments.hpp"
#include "bench/placement/zoo_chain.hpp"
#include "placement/columns.hpp"
#include "placement/strategy.hpp"
#include "vision/model/onnx_chain.hpp"

namespace saccade::bench {
namespace {

namespace fs = std::filesystem;
using placement::Answer;
using placement::Costs;
using placement::kImpossible;

struct Network {
  std::string name;
  Costs costs;
};

Result<std::vector<Network>> networks_below(const fs::path& folder) {
  std::error_code failure;
  const std::vector<fs::path> files = fp32_networks(folder, failure);
  if (failure || files.empty())
    return Error{folder.string(), "no fp32 networks lie there", "name the folder of the zoo"};
  std::vector<Network> networks;
  for (const fs::path& file : files) {
    const auto chain = vision::read_onnx_chain(file);
    if (!chain) return chain.errors();
    networks.push_back({file.parent_path().filename().string() + " " + file.stem().string(),
                        Costs(modelled_chain(chain.value(), false))});
  }
  return networks;
}

std::string milliseconds(double seconds) { return fixed(1e3 * seconds); }

PlacementTable strategies_table(const std::vector<Network>& networks) {
  Sheet sheet{{"network", "layers", "single ms", "two-stage", "k-stage", "dynamic-cut", "pipe-search", "jedi",
               "exact ms"}};
  for (const Network& network : networks) {
    placement::Request request;
    request.max_stages = 5;
    const Answer exact = placement::find_strategy("exact")->run(network.costs, request);
    const Answer single = placement::find_strategy("single")->run(network.costs, request);
    Cells row = {network.name, std::to_string(network.costs.layers()), milliseconds(single.value)};
    for (const char* name : {"two-stage", "k-stage", "dynamic-cut", "pipe-search", "jedi"}) {
      const Answer answer = placement::find_strategy(name)->run(network.costs, request);
      row.push_back(answer.placement ? fixed(100.0 * (answer.value / exact.bound - 1.0)) : "-");
    }
    row.push_back(milliseconds(exact.value));
    sheet.rows.push_back(std::move(row));
  }
  return {"strategies on the shipped networks",
          "Period of the shipped fp32 networks on two unequal processors, times **modelled** from "
          "multiply-adds and bytes "
          "(not measured): one processor alone, each strategy's distance from the best with at most five "
          "stages in %, and "
          "the best.",
          std::move(sheet)};
}

// Loads of all networks together on the two processors, per frame of each.
struct Loads {
  double first = 0.0, second = 0.0;
  [[nodiscard]] double period() const { return std::max(first, second); }
};

// The best choice of one column per network: non-dominated pairs of loads, network by network.
double joint_period(const std::vector<std::vector<placement::Column>>& columns) {
  std::vector<Loads> front = {{}};
  for (const auto& of_network : columns) {
    std::vector<Loads> sums;
    for (const Loads& before : front) {
      for (const placement::Column& column : of_network) {
        sums.push_back({before.first + column.evaluation.load[0].value(),
                        before.second + column.evaluation.load[1].value()});
      }
    }
    std::sort(sums.begin(), sums.end(), [](const Loads& a, const Loads& b) {
      return a.first < b.first || (a.first == b.first && a.second < b.second);
    });
    front.clear();
    double least = kImpossible;
    for (const Loads& loads : sums) {
      if (loads.second >= least) continue;
      least = loads.second;
      front.push_back(loads);
    }
  }
  double period = kImpossible;
  for (const Loads& loads : front) period = std::min(period, loads.period());
  return period;
}

// What no choice of placements, of all there are, can be below: the linear program over all columns, by its
// dual. The dual is concave in the one multiplier that two processors leave.
double bound_of(const std::vector<Costs>& networks) {
  const auto dual = [&](double share) {
    double sum = 0.0;
    for (const Costs& costs : networks)
      sum += placement::price(costs, {{share, 1.0 - share}, 0.0, {}}, 0.0)->reduced_cost;
    return sum;
  };
  double low = 0.0, high = 1.0;
  for (int step = 0; step < 100; ++step) {
    const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
    (dual(a) < dual(b) ? low : high) = dual(a) < dual(b) ? a : b;
  }
  return dual(0.5 * (low + high));
}

constexpr std::size_t kTogether = 5;
using Factors = std::array<double, kTogether>;  // of the second processor's times, network by network

// How much longer the whole network takes on the second processor.
double ratio_of(const Costs& costs) {
  return costs.time(1, 0, costs.layers()) / costs.time(0, 0, costs.layers());
}

// Its times on the second processor times the factor; 0: those of the first.
Costs with_factor(const Costs& costs, double factor) {
  placement::Chain chain = costs.chain();
  for (placement::Layer& layer : chain.layers) {
    if (factor == 0.0) {
      layer.on[1] = layer.on[0];
    } else if (layer.on[1]) {
      layer.on[1]->time = layer.on[1]->time * factor;
    }
  }
  return Costs(std::move(chain));
}

Cells joint_row(const std::vector<Costs>& chosen, const std::string& name) {
  Loads alone;
  std::vector<std::vector<placement::Column>> columns;
  double least = kImpossible, most = 0.0;
  for (const Costs& costs : chosen) {
    const auto loads = placement::find_strategy("exact")->run(costs, {}).evaluation->load;
    alone.first += loads[0].value();
    alone.second += loads[1].value();
    columns.push_back(placement::start_set(costs));
    least = std::min(least, ratio_of(costs));
    most = std::max(most, ratio_of(costs));
  }
  const double together = joint_period(columns), bound = bound_of(chosen);
  return {name,
          fixed(least) + " to " + fixed(most),
          fixed(1.0 / alone.period()),
          fixed(1.0 / together),
          fixed(100.0 * (alone.period() / together - 1.0)),
          fixed(100.0 * (1.0 - bound / together))};
}

PlacementTable joint_table(const std::vector<Network>& networks, const Factors& factors,
                           const std::string& name, const std::string& text) {
  Sheet sheet{{"five networks", "slower on the second, times", "each its own best pipeline, fps",
               "chosen together", "gain %", "below the bound %"},
              2};
  for (std::size_t first = 0; first < kTogether; ++first) {
    std::vector<Costs> chosen;
    for (std::size_t k = 0; k < kTogether; ++k) {
      const Network& network = networks[(first + k * networks.size() / kTogether) % networks.size()];
      chosen.push_back(with_factor(network.costs, factors[(first + k) % kTogether]));
    }
    sheet.rows.push_back(joint_row(chosen, std::to_string(first + 1)));
  }
  return {name, text, std::move(sheet)};
}

std::vector<PlacementTable> joint_tables(const std::vector<Network>& networks) {
  return {
      joint_table(networks, {1.0, 1.0, 1.0, 1.0, 1.0}, "joint choice",
                  "Five shipped networks on the same two processors, a frame of each in turn, times "
                  "**modelled** as above: each with its own best pipeline, and one column of each start "
                  "set chosen together. The bound holds for all placements there are (linear program over "
                  "all columns, priced exactly). By this model all networks are slowed about alike, which "
                  "leaves little to choose."),
      joint_table(
          networks, {0.7, 1.1, 1.75, 2.8, 4.4}, "joint choice, other ratios",
          "The same with a second processor that suits some networks better than others, about 2.5 times "
          "slower in the geometric mean: its times are **multiplied** by 0.7, 1.1, 1.75, 2.8 and 4.4, "
          "network by network."),
      joint_table(networks, {}, "joint choice, equal processors",
                  "The same with a second processor that is equal to the first.")};
}

}  // namespace

Result<std::vector<PlacementTable>> zoo_tables(const std::string& folder, const PlacementSizes& sizes) {
  auto networks = networks_below(folder);
  if (!networks) return networks.errors();
  std::vector<PlacementTable> tables = {strategies_table(networks.value())};
  if (!sizes.quick && networks.value().size() >= kTogether) {
    for (PlacementTable& table : joint_tables(networks.value())) tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace saccade::bench
