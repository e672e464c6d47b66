// What a run is made of, already validated: the states of the timeline as whole snapshots, where
// each task's frames come from, the processors' devices and the runtime's options. Written by the
// configuration reader, read by the shells. Defaults stand here, once.
// Threads: plain values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/id.hpp"
#include "base/quantity.hpp"
#include "runtime/graph_cache_options.hpp"
#include "scheduler/policy.hpp"
#include "scheduler/snapshot.hpp"
#include "scheduler/transition.hpp"

namespace saccade::runtime {

struct VideoSource {  // a file or a URL, decoded by OpenCV
  std::string path;
  bool loop = true;  // start again at the end of a file
  bool operator==(const VideoSource&) const = default;
};
struct CameraSource {
  int device = 0;
  bool operator==(const CameraSource&) const = default;
};
struct ImagesSource {  // every image of a folder in name order
  std::filesystem::path directory;
  bool loop = true;
  bool operator==(const ImagesSource&) const = default;
};
struct SyntheticSource {  // the zoo's generator; one labelled image per region
  std::string data_set;
  std::uint64_t seed = 1;
  bool operator==(const SyntheticSource&) const = default;
};
struct PushSource {  // clients send frames by the API
  bool operator==(const PushSource&) const = default;
};
using SourceConfig = std::variant<VideoSource, CameraSource, ImagesSource, SyntheticSource, PushSource>;

struct WholeFrame {
  bool operator==(const WholeFrame&) const = default;
};
struct Grid {
  int columns = 1;
  int rows = 1;
  bool operator==(const Grid&) const = default;
};
using PixelBox = std::array<int, 4>;  // x, y, width, height
using Regions = std::variant<WholeFrame, Grid, std::vector<PixelBox>>;
[[nodiscard]] int region_count(const Regions& regions);

struct TaskConfig {
  TaskId id;
  SourceConfig source;
  Regions regions;
  [[nodiscard]] bool pushed() const { return std::holds_alternative<PushSource>(source); }
};

struct ProcessorConfig {
  ProcessorId id;
  std::vector<int> cpus;         // the worker is pinned to these; empty = not pinned
  std::string provider = "cpu";  // execution provider of the engine library
  bool operator==(const ProcessorConfig&) const = default;
};

struct TimelineState {
  Duration at{0};                // since the start of the run
  scheduler::Snapshot snapshot;  // complete; the running part is empty
};

enum class TransitionMode { keep_old, unload_first };
[[nodiscard]] const char* to_string(TransitionMode mode);

struct RuntimeOptions {
  TransitionMode transition = TransitionMode::keep_old;
  scheduler::Shares shares = scheduler::Shares::max_min;
  Bytes warm_cache{0.0};
  Seconds load_timeout{30.0};
  int loader_nice = 19;
  Seconds loader_boost{2.0};
  std::size_t gate_frames = 2;  // waiting frames per task
  Seconds coalesce{0.05};       // followers of a first change are gathered this long
  bool operator==(const RuntimeOptions&) const = default;
};

struct RunConfig {
  std::vector<ProcessorConfig> processors;  // same order as in every snapshot
  std::vector<TaskConfig> tasks;            // same order as in every snapshot
  std::vector<TimelineState> timeline;      // first entry at 0; ascending
  scheduler::PolicyKind policy = scheduler::PolicyKind::transprecision;
  std::string solver = "core";  // which solver the planner uses
  Seconds solver_deadline{0.1};
  std::string backend = "auto";
  GraphCacheOptions graph_cache;
  RuntimeOptions runtime;
};

}  // namespace saccade::runtime
