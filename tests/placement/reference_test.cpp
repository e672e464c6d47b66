// Answers that others have published.
//   Tarnawski et al., NeurIPS 2020: the least maximal load of BERT-24, ResNet50 and GNMT on six accelerators
//   and a CPU; both ends of a transfer pay, the CPU pays nothing. HaX-CoNN (Dagli and Belviranli, PPoPP
//   2024): times and transfers of GoogLeNet in ten groups on Jetson Xavier.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "placement/exact.hpp"
#include "placement/two_stage.hpp"
#include "tests/placement/support.hpp"

namespace saccade::placement {
namespace {

constexpr std::size_t kAccelerators = 6;

// Milliseconds as seconds.
Chain read_chain(const std::string& name) {
  Chain chain;
  chain.payment = kBothPay;
  for (std::size_t p = 0; p < kAccelerators; ++p) {
    chain.processors.push_back({ProcessorId("accelerator" + std::to_string(p))});
    chain.processors.back().memory = Bytes(17185374208.0);
  }
  chain.processors.push_back({ProcessorId("cpu")});
  chain.processors.back().pays_transfers = false;
  chain.queue = 0;
  Link link;
  link.seconds_per_byte = 1.0;
  chain.links.assign(kAccelerators + 1, std::vector<Link>(kAccelerators + 1, link));
  std::ifstream in(std::string(SACCADE_SOURCE_DIR) + "/tests/placement/data/" + name + ".csv");
  std::string line;
  while (std::getline(in, line) && line.starts_with("#")) {
  }
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    Layer layer;
    std::getline(cells, layer.name, ',');
    double accelerator = 0, cpu = 0, bytes = 0, transfer = 0;
    char comma = 0;
    cells >> accelerator >> comma >> cpu >> comma >> bytes >> comma >> transfer;
    EXPECT_FALSE(cells.fail()) << line;
    layer.on.assign(kAccelerators, LayerCost{Seconds(accelerator), std::nullopt});
    layer.on.push_back(LayerCost{Seconds(cpu), std::nullopt});
    layer.weights = Bytes(bytes);
    chain.layers.push_back(std::move(layer));
    chain.boundaries.push_back({Bytes(transfer), true, {}});
  }
  chain.boundaries.pop_back();
  return chain;
}

TEST(Reference, LeastMaximalLoadOfPublishedLayerGraphs) {
  struct Expected {
    const char* name;
    std::size_t layers;
    double load;
  };
  // What their dynamic program finds on the graphs: in this order of the layers the chains lose nothing.
  for (const Expected& expected :
       {Expected{"bert24", 32, 17.78990625}, Expected{"resnet50", 177, 33.774666015625},
        Expected{"gnmt", 96, 32.91065820312501}}) {
    const Costs costs(read_chain(expected.name));
    ASSERT_EQ(costs.layers(), expected.layers);
    ASSERT_EQ(costs.kinds(), 2U);
    const Solution solution = least_period_once_each(costs, kAccelerators + 1);
    EXPECT_NEAR(solution.value, expected.load, 1e-9) << expected.name;
    EXPECT_NEAR(evaluate(costs, *solution.placement).period.value(), expected.load, 1e-9) << expected.name;
  }
}

Costs googlenet() {
  Chain chain = test::chain_of({{.3606, .1490, .2048, .1136, .1243, .1262, .1480, .1984, .1265, .2148},
                                {.75, .34, .45, .37, .31, .33, .31, .35, .27, .36}},
                               kSenderPays);
  const double leaving_gpu[] = {.0199, .0280, .0097, .0407, .0279, .0362, .0372, .0277, .0428};
  const double leaving_dla[] = {.0735, .0640, .0672, .0561, .0484, .0466, .0452, .0463, .0505};
  for (std::size_t b = 0; b < chain.boundaries.size(); ++b) {
    chain.boundaries[b].crossings = {{0, 1, Seconds(leaving_gpu[b] * 1e-3), true},
                                     {1, 0, Seconds(leaving_dla[b] * 1e-3), true}};
  }
  chain.processors[0].id = ProcessorId("gpu");
  chain.processors[1].id = ProcessorId("dla");
  return Costs(chain);
}

TEST(Reference, GoogLeNetOnXavier) {
  const Costs costs = googlenet();
  EXPECT_NEAR(evaluate(costs, whole_on(costs, 0)).period.value(), 1.766e-3, 5e-7);
  const Found found = two_stage(costs, {});
  EXPECT_EQ(to_string(costs, *found.placement), "dla 0-1, gpu 2-9");
  EXPECT_NEAR(found.believed, 1.257e-3, 5e-7);
  double gpu_first = kImpossible;
  std::size_t layers = 0;
  for (std::size_t n = 1; n < costs.layers(); ++n) {
    const double period = evaluate(costs, split_after(costs, n, 0, 1)).period.value();
    if (period < gpu_first) gpu_first = period, layers = n;
  }
  EXPECT_EQ(layers, 7U);
  EXPECT_NEAR(gpu_first, 1.264e-3, 5e-7);
}

}  // namespace
}  // namespace saccade::placement
