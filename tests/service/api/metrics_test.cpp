// A scrape as text: names and labels that other programs rely on, and the identity of the frames.
#include "service/api/metrics.hpp"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

namespace saccade::service {
namespace {

MetricsSnapshot full() {
  profiles::ProfileSet set;
  profiles::Variant& big = set.variants.emplace_back();
  big.id = VariantId("big");
  big.accuracy = 0.9;
  runtime::TaskStatus gate;
  gate.id = TaskId("gate");
  gate.profiles = std::make_shared<const profiles::ProfileSet>(set);
  gate.frames.received = 10;
  gate.frames.processed = 6;
  gate.frames.in_flight = 1;
  gate.frames.rejected = 4;
  gate.frames.inference.add(std::chrono::milliseconds(2));
  gate.frames.dropped = {1, 2, 0, 0, 0, 0};
  gate.frames.latency.add(std::chrono::microseconds(700));
  gate.frames.latency.add(std::chrono::milliseconds(30));
  gate.frames.age.add(std::chrono::milliseconds(80));
  gate.demanded = Fps(25);
  gate.granted = Fps(12.5);
  gate.variant = 0;
  gate.live_precision = vision::MeanPrecision{0.5, 0.75};
  scheduler::Snapshot wanted;
  wanted.tasks.emplace_back().id = gate.id;
  wanted.tasks[0].profiles = gate.profiles;
  wanted.tasks[0].min_accuracy = 0.8;
  wanted.processors.emplace_back().id = ProcessorId("cpu");
  wanted.limits.memory = Bytes(1e6);
  MetricsSnapshot snapshot;
  snapshot.version = "0.1.0";
  snapshot.status.tasks = {gate};
  snapshot.status.wanted = std::make_shared<const scheduler::Snapshot>(wanted);
  snapshot.status.energy = runtime::EnergyReading{Joules(12), Watts(3), runtime::EnergySource::modelled, ""};
  snapshot.status.decoding = {0.25};
  snapshot.budget_used = {0.5};
  snapshot.solves = {{"optimal", 3}};
  snapshot.fallbacks = {{"greedy", 1}};
  snapshot.last_reload_successful = false;
  snapshot.process_memory = Bytes(64e6);
  snapshot.result_streams = {2, 40, 3};
  snapshot.deliveries = {{"log", "socket", 10, 4, 3, 1, 1, 1, true, "", results::Readers{2, 5}}};
  snapshot.deliveries.front().delivered.add(std::chrono::microseconds(700));
  snapshot.deliveries.front().delivered.add(std::chrono::milliseconds(30));
  snapshot.deliveries.front().delivered.add(std::chrono::hours(1));
  snapshot.rules = {{"person", "gate", true, 3}};
  return snapshot;
}

std::map<std::string, double> values(const std::string& text) {
  std::map<std::string, double> values;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t space = line.rfind(' ');
    EXPECT_TRUE(values.emplace(line.substr(0, space), std::stod(line.substr(space + 1))).second) << line;
  }
  return values;
}

TEST(Metrics, FramesAreAllAccountedFor) {
  const auto scraped = values(metrics_text(full()));
  double dropped = 0.0;
  for (const char* reason : {"stale", "over_quota", "no_engine", "engine_error", "inactive", "shutdown"}) {
    dropped +=
        scraped.at("saccade_frames_dropped_total{task=\"gate\",reason=\"" + std::string(reason) + "\"}");
  }
  EXPECT_EQ(scraped.at("saccade_frames_received_total{task=\"gate\"}"),
            scraped.at("saccade_frames_processed_total{task=\"gate\"}") + dropped +
                scraped.at("saccade_frames_in_flight{task=\"gate\"}"));
}

TEST(Metrics, HaveTheNamesThatOthersRelyOn) {
  const auto scraped = values(metrics_text(full()));
  for (const char* name : {"saccade_task_demand_frames_per_second{task=\"gate\"}",
                           "saccade_task_granted_frames_per_second{task=\"gate\"}",
                           "saccade_task_accuracy_ratio{task=\"gate\"}",
                           "saccade_task_accuracy_floor_ratio{task=\"gate\"}",
                           "saccade_frame_age_seconds_count{task=\"gate\"}",
                           "saccade_task_live_map_ratio{task=\"gate\"}",
                           "saccade_task_live_map50_ratio{task=\"gate\"}",
                           "saccade_task_variant_info{task=\"gate\",variant=\"big\",metric=\"top1\"}",
                           "saccade_variant_switches_total{result=\"done\"}",
                           "saccade_variant_switch_seconds_count{phase=\"load\"}",
                           "saccade_solver_solves_total{result=\"optimal\"}",
                           "saccade_solver_seconds_sum",
                           "saccade_plan_infeasible",
                           "saccade_plan_fallback_total{policy=\"greedy\"}",
                           "saccade_time_budget_used_ratio{processor=\"cpu\"}",
                           "saccade_processor_guard_seconds{processor=\"cpu\"}",
                           "saccade_processor_decoding_seconds{processor=\"cpu\"}",
                           "saccade_memory_used_bytes",
                           "saccade_process_memory_bytes{source=\"measured\"}",
                           "saccade_energy_joules_total{source=\"modelled\"}",
                           "saccade_power_watts{source=\"modelled\"}",
                           "saccade_memory_limit_bytes",
                           "saccade_config_reloads_total{result=\"refused\"}",
                           "saccade_config_last_reload_successful",
                           "saccade_build_info{version=\"0.1.0\"}",
                           "saccade_result_streams",
                           "saccade_result_stream_records_total{outcome=\"sent\"}",
                           "saccade_result_stream_records_total{outcome=\"lost\"}",
                           "saccade_results_produced_total{sink=\"log\"}",
                           "saccade_results_total{sink=\"log\",outcome=\"sent\"}",
                           "saccade_result_queue{sink=\"log\"}",
                           "saccade_result_readers{sink=\"log\"}",
                           "saccade_result_reader_lost_total{sink=\"log\"}",
                           "saccade_result_connected{sink=\"log\"}",
                           "saccade_result_delivery_seconds_count{sink=\"log\"}",
                           "saccade_rule_active{rule=\"person\",task=\"gate\"}",
                           "saccade_rule_changes_total{rule=\"person\",task=\"gate\"}"}) {
    EXPECT_TRUE(scraped.contains(name)) << name;
  }
}

TEST(Metrics, APrecisionThatNobodyKnowsIsAbsent) {
  MetricsSnapshot snapshot = full();
  snapshot.status.tasks[0].live_precision.reset();
  EXPECT_EQ(metrics_text(snapshot).find("live_map"), std::string::npos);
}

// The accuracy of a set in mAP is compared with the live mAP, not with the higher mAP50.
TEST(Metrics, TheLivePrecisionIsThereInTheMetricOfTheAccuracy) {
  const auto scraped = values(metrics_text(full()));
  EXPECT_EQ(scraped.at("saccade_task_live_map_ratio{task=\"gate\"}"), 0.5);
  EXPECT_EQ(scraped.at("saccade_task_live_map50_ratio{task=\"gate\"}"), 0.75);
}

TEST(Metrics, ResultsAreAllAccountedFor) {
  const auto scraped = values(metrics_text(full()));
  double accounted = scraped.at("saccade_result_queue{sink=\"log\"}");
  for (const char* outcome : {"filtered", "sent", "dropped", "failed"}) {
    accounted += scraped.at("saccade_results_total{sink=\"log\",outcome=\"" + std::string(outcome) + "\"}");
  }
  EXPECT_EQ(scraped.at("saccade_results_produced_total{sink=\"log\"}"), accounted);
}

TEST(Metrics, LatenciesAreCountedUpToTheirBounds) {
  const auto scraped = values(metrics_text(full()));
  const auto up_to = [&](const char* bound) {
    return scraped.at("saccade_frame_latency_seconds_bucket{task=\"gate\",le=\"" + std::string(bound) +
                      "\"}");
  };
  EXPECT_EQ(up_to("0.0005"), 0);
  EXPECT_EQ(up_to("0.001"), 1);
  EXPECT_EQ(up_to("0.025"), 1);
  EXPECT_EQ(up_to("0.05"), 2);
  EXPECT_EQ(up_to("+Inf"), 2);
  EXPECT_NEAR(scraped.at("saccade_frame_latency_seconds_sum{task=\"gate\"}"), 0.0307, 1e-9);
}

TEST(Metrics, AgesAreCountedBesideTheLatenciesAndAbsentWhereTheyAreUnknown) {
  const auto scraped = values(metrics_text(full()));
  EXPECT_EQ(scraped.at("saccade_frame_age_seconds_bucket{task=\"gate\",le=\"0.05\"}"), 0);
  EXPECT_EQ(scraped.at("saccade_frame_age_seconds_bucket{task=\"gate\",le=\"0.1\"}"), 1);
  EXPECT_NEAR(scraped.at("saccade_frame_age_seconds_sum{task=\"gate\"}"), 0.08, 1e-9);
  MetricsSnapshot snapshot = full();
  snapshot.status.tasks[0].frames.age = {};
  EXPECT_EQ(metrics_text(snapshot).find("frame_age_seconds"), std::string::npos)
      << "an age of 0 s would be a lie";
}

TEST(Metrics, DeliveriesAreCountedUpToTheirBounds) {
  const auto scraped = values(metrics_text(full()));
  const auto up_to = [&](const char* bound) {
    return scraped.at("saccade_result_delivery_seconds_bucket{sink=\"log\",le=\"" + std::string(bound) +
                      "\"}");
  };
  EXPECT_EQ(up_to("0.001"), 1);
  EXPECT_EQ(up_to("0.02"), 1);
  EXPECT_EQ(up_to("0.05"), 2);
  EXPECT_EQ(up_to("300"), 2);
  EXPECT_EQ(up_to("+Inf"), 3);
  EXPECT_NEAR(scraped.at("saccade_result_delivery_seconds_sum{sink=\"log\"}"), 3600.0307, 1e-6);
}

TEST(Metrics, WhatACameraCostsIsToldOfTasksThatHaveOne) {
  MetricsSnapshot snapshot = full();
  EXPECT_EQ(metrics_text(snapshot).find("saccade_capture_"), std::string::npos);
  snapshot.status.tasks.front().capture =
      runtime::CaptureFacts{.processor_time = std::chrono::milliseconds(1500),
                            .decoded = 40,
                            .skipped = 60,
                            .reconnects = 2,
                            .age = std::chrono::milliseconds(250),
                            .sent = std::nullopt,
                            .used = std::nullopt};
  const auto scraped = values(metrics_text(snapshot));
  EXPECT_EQ(scraped.at("saccade_capture_seconds_total{task=\"gate\"}"), 1.5);
  EXPECT_EQ(scraped.at("saccade_capture_frames_total{task=\"gate\",outcome=\"decoded\"}"), 40);
  EXPECT_EQ(scraped.at("saccade_capture_frames_total{task=\"gate\",outcome=\"skipped\"}"), 60);
  EXPECT_EQ(scraped.at("saccade_source_reconnects_total{task=\"gate\"}"), 2);
  EXPECT_EQ(scraped.at("saccade_source_last_frame_age_seconds{task=\"gate\"}"), 0.25);
  snapshot.status.tasks.front().capture->age.reset();
  EXPECT_EQ(metrics_text(snapshot).find("saccade_source_last_frame_age_seconds{"), std::string::npos);
}

TEST(Metrics, WhatIsRejectedIsNotReceivedAndTheEnginesTimeStandsBesideTheLatency) {
  const auto scraped = values(metrics_text(full()));
  EXPECT_EQ(scraped.at("saccade_frames_rejected_total{task=\"gate\"}"), 4);
  EXPECT_EQ(scraped.at("saccade_frames_received_total{task=\"gate\"}"), 10);
  EXPECT_EQ(scraped.at("saccade_inference_seconds_count{task=\"gate\"}"), 1);
  EXPECT_NEAR(scraped.at("saccade_inference_seconds_sum{task=\"gate\"}"), 0.002, 1e-9);
}

TEST(Metrics, WhatIsNotKnownIsAbsent) {
  MetricsSnapshot snapshot = full();
  snapshot.status.tasks[0].variant.reset();
  scheduler::Snapshot wanted = *snapshot.status.wanted;
  wanted.tasks[0].min_accuracy.reset();
  wanted.limits.memory.reset();
  snapshot.status.wanted = std::make_shared<const scheduler::Snapshot>(wanted);
  snapshot.status.energy.reset();
  snapshot.budget_used[0].reset();
  snapshot.last_reload_successful.reset();
  snapshot.process_memory.reset();
  const std::string text = metrics_text(snapshot);
  for (const char* name : {"task_accuracy_ratio", "task_accuracy_floor", "variant_info", "time_budget",
                           "memory_limit", "last_reload", "energy", "power", "process_memory"}) {
    EXPECT_EQ(text.find(name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace saccade::service
