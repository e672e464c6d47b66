// The complete, validated description of a run: the states of the timeline as whole snapshots, the source of
// each task's frames, the processors' devices and the runtime's options. Written by the configuration reader,
// read by the shells. Defaults are defined here, once. Threads: plain values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/id.hpp"
#include "base/quantity.hpp"
#include "runtime/control/options.hpp"
#include "runtime/engines/graph_cache_options.hpp"
#include "runtime/frames/frame.hpp"
#include "runtime/frames/guard_keeper.hpp"
#include "runtime/pictures/picture.hpp"
#include "scheduler/policy.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::runtime {

struct VideoSource {  // a file or a URL, decoded by OpenCV; an RTSP address is treated as a StreamSource
  std::string path;
  bool loop = true;  // start again at the end of a file
  bool operator==(const VideoSource&) const = default;
};
enum class StreamTransport { automatic, tcp, udp };
inline constexpr std::array kStreamTransports = {StreamTransport::automatic, StreamTransport::tcp,
                                                 StreamTransport::udp};
// Every picture, key frames only (they depend on no other), or key frames only while the task takes no more.
enum class StreamDecode { all, needed, key };
inline constexpr std::array kStreamDecodes = {StreamDecode::all, StreamDecode::needed, StreamDecode::key};
// Decoder of pictures; software if it is not available.
enum class StreamHardware { none, vaapi, v4l2m2m, cuda };
inline constexpr std::array kStreamHardware = {StreamHardware::none, StreamHardware::vaapi,
                                               StreamHardware::v4l2m2m, StreamHardware::cuda};
[[nodiscard]] const char* to_string(StreamTransport transport);
[[nodiscard]] const char* to_string(StreamDecode decode);
[[nodiscard]] const char* to_string(StreamHardware hardware);

struct StreamSource {  // a network camera, decoded by FFmpeg's libraries
  std::string url;     // without the password, which is in a file
  std::string username;
  std::filesystem::path password_file;  // empty: none
  StreamTransport transport = StreamTransport::automatic;
  StreamDecode decode = StreamDecode::all;
  StreamHardware hardware = StreamHardware::none;
  Seconds silence{5.0};  // without data, after which a stream is lost
  bool operator==(const StreamSource&) const = default;
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
struct SyntheticSource {  // the zoo's generator; one labelled image or scene per region
  std::string data_set;
  std::uint64_t seed = 1;
  bool operator==(const SyntheticSource&) const = default;
};
struct ReplaySource {  // recorded arrivals, with the pictures of a folder in turn
  std::filesystem::path path;
  std::filesystem::path pictures;
  bool loop = true;  // the recording restarts at its last arrival
  // Times from the file: since the start of the run, ascending, at least one. Never null.
  std::shared_ptr<const std::vector<Duration>> arrivals;
  bool operator==(const ReplaySource& other) const {
    return path == other.path && pictures == other.pictures && loop == other.loop &&
           (arrivals == other.arrivals || *arrivals == *other.arrivals);
  }
};
struct PushSource {  // clients push frames over the API
  bool operator==(const PushSource&) const = default;
};
using SourceConfig = std::variant<VideoSource, StreamSource, CameraSource, ImagesSource, SyntheticSource,
                                  ReplaySource, PushSource>;

struct WholeFrame {
  bool operator==(const WholeFrame&) const = default;
};
struct Grid {
  int columns = 1;
  int rows = 1;
  bool operator==(const Grid&) const = default;
};
using Regions = std::variant<WholeFrame, Grid, std::vector<PixelBox>>;
[[nodiscard]] int region_count(const Regions& regions);

[[nodiscard]] inline double slowdown_of(const std::vector<double>& slowdowns, std::size_t processor) {
  return processor < slowdowns.size() ? slowdowns[processor] : 1.0;
}

struct TaskConfig {
  TaskId id;
  SourceConfig source;
  Regions regions;
  bool standby = false;  // an engine is kept ready while the task is not demanded
  [[nodiscard]] bool pushed() const { return std::holds_alternative<PushSource>(source); }
};

struct ProcessorConfig {
  ProcessorId id;
  std::vector<int> cpus;         // the worker is pinned to these; empty = not pinned
  int threads = 1;               // that compute one inference, as measured; more than 1: pinned to `cpus`
  std::string provider = "cpu";  // execution provider of the engine library (engines/providers.hpp)
  int device = 0;                // of an accelerator's provider, counted from 0
  bool graphs = true;            // an accelerator's launches are captured once and replayed
  bool block = false;            // a thread that waits for an accelerator sleeps instead of spinning
  // Between loads on the accelerator's device while something serves there.
  Seconds load_pause{0.0};
  // The snapshots' guard is where the guard starts that follows the frames lost; absent: it does not change.
  std::optional<GuardOptions> auto_guard = {};
  bool operator==(const ProcessorConfig&) const = default;
};

// Of a processor that is there.
[[nodiscard]] ProcessorIndex processor_index(const std::vector<ProcessorConfig>& processors,
                                             const ProcessorId& id);

struct TimelineState {
  Duration at{0};                // since the start of the run
  scheduler::Snapshot snapshot;  // complete; the running part is empty
  // Per processor: how many times its own CPU time a job takes, emulated by waiting, at least 1; empty: none
  // is slowed down. No plan knows it: the profile was measured through the first state's, changes are
  // measured.
  std::vector<double> slowdowns = {};
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
  std::string engine_library;  // folder of the engine's library and its providers; empty: the default
  RuntimeOptions runtime;
};

}  // namespace saccade::runtime
