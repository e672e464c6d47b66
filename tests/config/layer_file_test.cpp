// Layer files: what is read, and every mistake at once.
#include "config/layer_file.hpp"

#include <gtest/gtest.h>

namespace saccade::config {
namespace {

constexpr const char* kGood = R"({
 "format": "saccade-layers/1", "network": "small", "model": "small.onnx", "sha256": "ab", "source": "made up",
 "queue": 2, "transfers_paid_by": "both",
 "processors": [{"id": "cpu", "capacity": 0.9, "memory_limit_bytes": 1000}, {"id": "npu", "pays_transfers": false, "idle_power_watts": 2}],
 "links": [{"from": "cpu", "to": "npu", "fixed_seconds": 0.001, "seconds_per_byte": 1e-9, "fixed_joules": 0.1, "joules_per_byte": 1e-8}],
 "layers": [
  {"name": "first", "layers": 3, "weight_bytes": 10, "working_bytes": 20, "work": 5, "operators": "2 Conv", "multiply_adds": 7,
   "seconds": {"cpu": 0.002, "npu": 0.001}, "joules": {"cpu": 0.02}},
  {"name": "last", "seconds": {"cpu": 0.003},
   "before": {"bytes": 64, "cut": false, "tensors": ["a", "b"],
              "transfers": [{"from": "npu", "to": "cpu", "seconds": 0.004}, {"from": "cpu", "to": "npu", "allowed": false}]}}
 ]})";

TEST(LayerFile, ReadsAllThatItSays) {
  const auto read = parse_layer_file(kGood, "small.json");
  ASSERT_TRUE(read) << to_string(read.errors());
  const LayerFile& file = read.value();
  EXPECT_EQ(file.network, "small");
  EXPECT_EQ(file.model, "small.onnx");
  EXPECT_EQ(file.chain.queue, 2);
  EXPECT_EQ(file.chain.payment, placement::kBothPay);
  ASSERT_EQ(file.chain.processors.size(), 2U);
  EXPECT_EQ(file.chain.processors[0].memory, Bytes(1000.0));
  EXPECT_FALSE(file.chain.processors[1].pays_transfers);
  EXPECT_EQ(file.chain.processors[1].idle_power, Watts(2.0));
  EXPECT_EQ(file.chain.links[0][1].joules_per_byte, 1e-8);
  EXPECT_EQ(file.chain.links[1][0], placement::Link{});
  ASSERT_EQ(file.chain.layers.size(), 2U);
  EXPECT_EQ(file.chain.layers[0].size, 3);
  EXPECT_EQ(file.chain.layers[0].work, 5.0);
  EXPECT_EQ(file.chain.layers[0].on[0]->energy, Joules(0.02));
  EXPECT_FALSE(file.chain.layers[0].on[1]->energy);
  EXPECT_FALSE(file.chain.layers[1].on[1]);
  ASSERT_EQ(file.chain.boundaries.size(), 1U);
  EXPECT_FALSE(file.chain.boundaries[0].legal);
  EXPECT_EQ(file.chain.boundaries[0].bytes, Bytes(64.0));
  ASSERT_EQ(file.chain.boundaries[0].crossings.size(), 2U);
  EXPECT_EQ(file.chain.boundaries[0].crossings[0].time, Seconds(0.004));
  EXPECT_FALSE(file.chain.boundaries[0].crossings[1].allowed);
  EXPECT_EQ(file.tensors, (std::vector<std::vector<std::string>>{{"a", "b"}}));
}

TEST(LayerFile, ReadsWhatACutCostsBesidesTheTransfer) {
  const auto read =
      parse_layer_file(R"({"format": "saccade-layers/1", "processors": [{"id": "a"}, {"id": "b"}],
 "links": [{"from": "a", "to": "b", "residual_seconds": 1e-6}], "whole": {"a": {"frame_time_seconds": 1}},
 "layers": [{"name": "x", "seconds": {"a": 1}, "seconds_alone": {"a": 2}, "seconds_p99": {"a": 3}},
  {"name": "y", "seconds": {"a": 1}, "before": {"apart_seconds": {"b": 0.25}}}]})",
                       "apart.json");
  ASSERT_TRUE(read) << to_string(read.errors());
  EXPECT_EQ(read.value().chain.boundaries[0].apart, (std::vector{Seconds(0.0), Seconds(0.25)}));
  EXPECT_EQ(read.value().whole, (std::vector<std::optional<Seconds>>{Seconds(1.0), std::nullopt}));
  EXPECT_FALSE(parse_layer_file(R"({"format": "saccade-layers/1", "processors": [{"id": "a"}],
 "layers": [{"name": "x"}, {"name": "y", "before": {"apart_seconds": {"b": 1}}}, {"name": "z", "before": {"apart_seconds": {"a": -1}}}]})",
                                "bad.json"));
}

TEST(LayerFile, ReportsAllMistakesAtOnce) {
  const auto read = parse_layer_file(R"({
 "format": "saccade-layers/2", "transfers_paid_by": "nobody", "queues": 3,
 "processors": [{"id": "cpu"}, {"id": "cpu"}, {"id": "npu", "capacity": 0}],
 "links": [{"from": "cpu", "to": "cpu"}, {"from": "gpu", "to": "cpu", "fixed_seconds": -1}],
 "layers": [
  {"name": "first", "before": {}, "seconds": {"npx": 1}, "joules": {"npu": 1}},
  {"seconds": {"cpu": "fast"}, "before": {"transfers": [{"from": "cpu"}]}}
 ]})",
                                     "bad.json");
  ASSERT_FALSE(read);
  const std::string told = to_string(read.errors());
  for (const char* part :
       {"/format", "not saccade-layers/1", "/transfers_paid_by", "/queues", "two processors `cpu`",
        "/processors/2/capacity", "from a processor to itself", "there is no processor `gpu`",
        "/links/1/fixed_seconds", "nothing lies before the first layer", "did you mean `npu`?",
        "an energy but no time", "/layers/1", "/layers/1/seconds/cpu", "/layers/1/before/transfers/0"}) {
    EXPECT_NE(told.find(part), std::string::npos) << part << " in\n" << told;
  }
  EXPECT_GE(read.errors().size(), 14U);
}

TEST(LayerFile, AnEmptyNetworkIsRefused) {
  const auto read =
      parse_layer_file(R"({"format": "saccade-layers/1", "processors": [], "layers": []})", "empty.json");
  ASSERT_FALSE(read);
  EXPECT_NE(to_string(read.errors()).find("there are no layers"), std::string::npos);
  EXPECT_FALSE(parse_layer_file("[]", "list.json"));
  EXPECT_FALSE(parse_layer_file("{", "cut.json"));
  EXPECT_FALSE(read_layer_file("no-such-file.json"));
}

}  // namespace
}  // namespace saccade::config
