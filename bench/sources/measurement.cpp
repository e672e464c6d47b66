#include "bench/sources/measurement.hpp"

extern "C" {
#include <libavutil/cpu.h>
}
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "bench/report.hpp"
#include "bench/sources/losses.hpp"
#include "runtime/sources/stream_source.hpp"

namespace saccade::bench {
namespace {

using runtime::Frame;
using runtime::StreamDecode;
using runtime::StreamTransport;
using std::chrono::milliseconds;

// How many CPUs FFmpeg's libraries see: a decoder with a thread for each would hold back as many pictures.
class SeenCpus {
 public:
  explicit SeenCpus(int count) { av_cpu_force_count(count); }
  ~SeenCpus() { av_cpu_force_count(0); }
  SeenCpus(const SeenCpus&) = delete;
  SeenCpus& operator=(const SeenCpus&) = delete;
};

Status measure_opening(int rate, StreamTransport transport, std::vector<double>& seconds) {
  // A camera of its own each time: one that runs already has the next picture sooner or later.
  const auto camera = CameraProcess::start({.rate = rate});
  if (!camera) return camera.errors();
  runtime::StreamSource asked = stream_of(camera.value()->url());
  asked.transport = transport;
  const auto begin = std::chrono::steady_clock::now();
  const auto source = runtime::open_stream(asked, runtime::WholeFrame{}, bench_inputs());
  if (!source) return source.errors();
  seconds.push_back(seconds_since(begin));
  return Done{};
}

Status measure_first(const SourceSizes& sizes, SourceFigures& figures) {
  for (const int rate : {15, 5, 1}) {
    for (const StreamTransport transport : {StreamTransport::tcp, StreamTransport::udp}) {
      for (const int cpus : {2, 16}) {
        const SeenCpus seen(cpus);
        FirstPicture first{rate, transport, cpus, {}};
        for (int i = 0; i < sizes.openings; ++i) {
          sizes.progress("first picture", i / static_cast<double>(sizes.openings));
          if (const Status opened = measure_opening(rate, transport, first.seconds); !opened) return opened;
        }
        std::sort(first.seconds.begin(), first.seconds.end());
        figures.first.push_back(std::move(first));
      }
    }
  }
  return Done{};
}

Status measure_cost(const SourceSizes& sizes, const CameraPictures& pictures, SourceFigures& figures) {
  const auto camera = CameraProcess::start(pictures);
  if (!camera) return camera.errors();
  const std::string name = std::to_string(pictures.width) + " x " + std::to_string(pictures.height) + ", " +
                           std::to_string(pictures.rate) + "/s";
  for (const StreamDecode decode : runtime::kStreamDecodes) {
    sizes.progress("decoding", 0.5);
    runtime::StreamSource asked = stream_of(camera.value()->url());
    asked.decode = decode;
    const auto source = runtime::open_stream(asked, runtime::WholeFrame{}, bench_inputs());
    if (!source) return source.errors();
    // More seldom than key frames, which come with every tenth picture.
    constexpr Duration kTick = milliseconds(2500);
    const auto counters = source.value()->counters();
    Frame frame;
    const auto tick = [&] {
      static_cast<void>(source.value()->next(Duration(0), frame));
      std::this_thread::sleep_for(kTick);
    };
    for (int i = 0; i < 3; ++i) tick();  // until it knows how often
    const Duration before = counters->read().processor_time;
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < sizes.decoding) tick();
    const Duration took = counters->read().processor_time - before;
    figures.costs.push_back({name, decode, to_seconds(took).value() / seconds_since(begin)});
  }
  return Done{};
}

Status measure_age(const SourceSizes& sizes, SourceFigures& figures) {
  sizes.progress("age", 0.5);
  const auto camera = CameraProcess::start({});
  if (!camera) return camera.errors();
  const auto source =
      runtime::open_stream(stream_of(camera.value()->url()), runtime::WholeFrame{}, bench_inputs());
  if (!source) return source.errors();
  constexpr std::size_t kPictures = 40;
  std::vector<double> ages;
  // Of pictures whose time the camera tells.
  if (!tick_until(*source.value(), kSourcePatience, [&](bool got, const Frame& frame) {
        if (got && frame.captured_at.by_camera) {
          const auto age = runtime::captured_now().wall - frame.captured_at.wall;
          ages.push_back(std::chrono::duration<double>(age).count());
        }
        return ages.size() == kPictures;
      }))
    return Error{"rtsp_camera.py", "the camera does not tell its clock", ""};
  std::sort(ages.begin(), ages.end());
  figures.age = PictureAge{quantile(ages, 0.5), ages.back()};
  return Done{};
}

long entries(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}
// Until there are no more than so many, for two seconds at most.
long settled(const char* folder, long most) {
  const auto begin = std::chrono::steady_clock::now();
  while (entries(folder) > most && seconds_since(begin) < 2.0) std::this_thread::sleep_for(milliseconds(20));
  return entries(folder);
}
double resident_megabytes() {
  std::ifstream file("/proc/self/statm");
  double all = 0.0;
  double resident = 0.0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

// As the service opens, reads and closes a source; every fourth camera refuses the connection, every fourth
// the user.
Status measure_reconnects(const SourceSizes& sizes, SourceFigures& figures) {
  const auto camera = CameraProcess::start({.rate = 15});
  const auto guarded = CameraProcess::start({.rate = 15, .password = true});
  if (!camera || !guarded) return camera ? guarded.errors() : camera.errors();
  Reconnects seen;
  long threads = 0;
  long descriptors = 0;
  double megabytes = 0.0;
  for (int i = 0; i < sizes.reconnects; ++i) {
    sizes.progress("reconnections", i / static_cast<double>(sizes.reconnects));
    std::string url = camera.value()->url();
    if (i % 4 == 2) url = kRefusing;
    if (i % 4 == 3) url = guarded.value()->url();
    {
      const auto source = runtime::open_stream(stream_of(url), runtime::WholeFrame{}, bench_inputs());
      if (source.ok() != (i % 4 < 2))
        return source ? Status(Error{url, "is not to be opened", ""}) : Status(source.errors());
      ++(source ? seen.opened : seen.refused);
    }
    // A reader may end a moment after its source.
    if (i == 3) threads = settled("/proc/self/task", 0);
    if (i == 3) descriptors = settled("/proc/self/fd", 0);
    if (i == sizes.reconnects / 10) megabytes = resident_megabytes();
  }
  seen.threads = settled("/proc/self/task", threads) - threads;
  seen.descriptors = settled("/proc/self/fd", descriptors) - descriptors;
  seen.megabytes = resident_megabytes() - megabytes;
  figures.reconnects = seen;
  return Done{};
}

}  // namespace

Result<SourceFigures> measure_sources(const SourceSizes& sizes) {
  SourceFigures figures;
  if (const Status done = measure_first(sizes, figures); !done) return done.errors();
  if (const Status done = measure_age(sizes, figures); !done) return done.errors();
  if (const Status done = measure_losses(sizes, figures); !done) return done.errors();
  if (const Status done = measure_others(sizes, figures); !done) return done.errors();
  if (const Status done = measure_many(sizes, figures); !done) return done.errors();
  for (const CameraPictures& pictures : sizes.decoded)
    if (const Status done = measure_cost(sizes, pictures, figures); !done) return done.errors();
  if (const Status done = measure_reconnects(sizes, figures); !done) return done.errors();
  return figures;
}

}  // namespace saccade::bench
