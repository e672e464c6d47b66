// What `saccade bench sources` measures: real RTSP servers on this machine, and the source that the service
// reads them with; a camera next to one that is lost, and sixteen cameras, with the service itself, in a
// process of its own. Units as named. Threads: functions that return when all is over; one at a time. Errors:
// what did not start.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "bench/sources/camera_process.hpp"
#include "runtime/run/run_config.hpp"

namespace saccade::bench {

struct SourceSizes {
  int openings = 5;  // of each rate, transport and number of CPUs
  std::vector<CameraPictures> decoded = {{5, 640, 360}, {25, 1920, 1080}};
  Duration decoding = std::chrono::seconds(20);  // of each way of decoding
  Duration away = std::chrono::seconds(30);      // of a camera that is lost for long
  int reconnects = 1000;
  int cameras = 16;  // of which every fourth is dead
  std::function<void(const std::string& what, double share)> progress;
};

struct FirstPicture {
  int rate = 0;
  runtime::StreamTransport transport = runtime::StreamTransport::automatic;
  int cpus = 0;                 // that FFmpeg's libraries see
  std::vector<double> seconds;  // from the beginning of the connection, ascending
};
struct DecodeCost {  // while a task takes a picture every 2.5 seconds
  std::string stream;
  runtime::StreamDecode decode = runtime::StreamDecode::all;
  double share = 0.0;  // of one CPU, of the thread that reads and decodes
};
struct PictureAge {  // at a camera of 5 pictures a second, when a tick takes the picture
  double median = 0.0;
  double most = 0.0;
};
struct Away {  // seconds
  std::string how;
  std::optional<double> seen;  // from the camera's end to the fault; absent: never
  std::optional<double> back;  // from its return to a picture
};
struct Others {  // a task at five pictures a second next to one whose camera is lost in every way, in the
                 // service
  std::int64_t demanded = 0;
  std::int64_t lost = 0;   // of those, neither processed nor under way
  std::vector<Away> back;  // of the lost one: from its return to a processed frame
};
struct Reconnects {
  int opened = 0;
  int refused = 0;   // connections, and users
  long threads = 0;  // more than after the first four
  long descriptors = 0;
  double megabytes = 0.0;  // of resident memory, more than after the first tenth
};
struct ManyCameras {
  int cameras = 0;
  int dead = 0;
  std::vector<double> first;  // seconds from the start of the service to a task's first processed frame
};

struct SourceFigures {
  std::vector<FirstPicture> first;
  std::vector<DecodeCost> costs;
  std::optional<PictureAge> age;
  std::vector<Away> away;
  std::optional<Others> others;
  std::optional<Reconnects> reconnects;
  std::optional<ManyCameras> many;
};

[[nodiscard]] Result<SourceFigures> measure_sources(const SourceSizes& sizes);

}  // namespace saccade::bench
