#include "bench/sources/measurement.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "bench/report.hpp"
#include "bench/service/service_process.hpp"
#include "bench/sources/camera_process.hpp"
#include "runtime/sources/stream_capture.hpp"
#include "runtime/sources/stream_source.hpp"

namespace saccade::bench {
namespace {

using runtime::Frame;
using runtime::FrameSource;
using runtime::StreamDecode;
using runtime::StreamTransport;
using std::chrono::milliseconds;

constexpr milliseconds kLook(2);
constexpr Duration kPatient = std::chrono::seconds(30);
constexpr const char* kDetector = "profiles/zoo/yard-detector.json";

const runtime::NetworkInputs& inputs() {
  static const auto all =
      runtime::inputs_of(profiles::InputShape{.width = 224, .height = 224, .channels = 3});
  return all;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

runtime::StreamSource stream_of(const std::string& url) {
  runtime::StreamSource source;
  source.url = url;
  return source;
}

// Ticks until `done`, every `pause`; false: not within the patience.
template <class Done>
bool tick_until(FrameSource& source, Duration pause, const Done& done) {
  const auto end = std::chrono::steady_clock::now() + kPatient;
  Frame frame;
  while (std::chrono::steady_clock::now() < end) {
    if (done(source.next(Duration(0), frame), frame)) return true;
    std::this_thread::sleep_for(pause);
  }
  return false;
}

Status measure_first(const SourceSizes& sizes, SourceFigures& figures) {
  for (const int rate : {15, 5, 1}) {
    for (const StreamTransport transport : {StreamTransport::tcp, StreamTransport::udp}) {
      FirstPicture first{rate, transport, {}};
      for (int i = 0; i < sizes.openings; ++i) {
        sizes.progress("first picture", i / static_cast<double>(sizes.openings));
        // A camera of its own each time: one that runs already has the next picture sooner or later.
        const auto camera = CameraProcess::start({rate, 640, 360});
        if (!camera) return camera.errors();
        runtime::StreamSource asked = stream_of(camera.value()->url());
        asked.transport = transport;
        const auto begin = std::chrono::steady_clock::now();
        const auto source = runtime::open_stream(asked, runtime::WholeFrame{}, inputs());
        if (!source) return source.errors();
        first.seconds.push_back(seconds_since(begin));
      }
      std::sort(first.seconds.begin(), first.seconds.end());
      figures.first.push_back(std::move(first));
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
    const auto source = runtime::open_stream(asked, runtime::WholeFrame{}, inputs());
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
  const auto source = runtime::open_stream(stream_of(camera.value()->url()), runtime::WholeFrame{}, inputs());
  if (!source) return source.errors();
  constexpr std::size_t kPictures = 40;
  std::vector<double> ages;
  // Of pictures whose time the camera tells.
  if (!tick_until(*source.value(), kLook, [&](bool got, const Frame& frame) {
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

// The camera goes by `away`, and comes back by `back`.
template <class Leave, class Return>
Status measure_away(const std::string& how, const std::string& url, const Leave& leave, const Return& back,
                    SourceFigures& figures) {
  const auto opened = runtime::open_stream(stream_of(url), runtime::WholeFrame{}, inputs());
  if (!opened) return opened.errors();
  FrameSource& source = *opened.value();
  const auto delivers = [](bool got, const Frame&) { return got; };
  static_cast<void>(tick_until(source, kLook, delivers));
  Away away{how, std::nullopt, std::nullopt};
  const auto left = std::chrono::steady_clock::now();
  leave();
  if (tick_until(source, kLook, [&](bool, const Frame&) { return source.fault().has_value(); }))
    away.seen = seconds_since(left);
  if (const Status status = back(); !status) return status;
  const auto returned = std::chrono::steady_clock::now();  // it can be reached
  if (tick_until(source, kLook, delivers)) away.back = seconds_since(returned);
  figures.away.push_back(away);
  return Done{};
}

Status measure_losses(const SourceSizes& sizes, SourceFigures& figures) {
  sizes.progress("cameras that go away", 0.5);
  auto camera = CameraProcess::start({});
  if (!camera) return camera.errors();
  std::unique_ptr<CameraProcess> process = std::move(camera).value();
  const std::string url = process->url();
  const std::string port = process->port();
  const Status silent = measure_away(
      "says nothing any more (SIGSTOP)", url, [&] { process->signal(SIGSTOP); },
      [&]() -> Status {
        process->signal(SIGCONT);
        return Done{};
      },
      figures);
  if (!silent) return silent;
  return measure_away(
      "is switched off and on (SIGKILL)", url, [&] { process.reset(); },
      [&]() -> Status {
        auto again = CameraProcess::start({}, port);
        if (!again) return again.errors();
        process = std::move(again).value();
        return Done{};
      },
      figures);
}

long entries(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}
double resident_megabytes() {
  std::ifstream file("/proc/self/statm");
  double all = 0.0;
  double resident = 0.0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

Status measure_reconnects(const SourceSizes& sizes, SourceFigures& figures) {
  const auto camera = CameraProcess::start({});
  if (!camera) return camera.errors();
  runtime::StreamSettings settings;
  settings.reduced = [](cv::Size size) { return size; };
  const std::string url = camera.value()->url();
  const auto capture = runtime::stream_capture([url] { return Result<std::string>(url); }, settings);
  Reconnects seen;
  long threads = 0;
  long descriptors = 0;
  double megabytes = 0.0;
  for (int i = 0; i < sizes.reconnects; ++i) {
    sizes.progress("reconnections", i / static_cast<double>(sizes.reconnects));
    runtime::CaptureTime arrived;
    if (!capture->open() || !capture->grab(arrived)) return Error{url, capture->trouble(), capture->hint()};
    capture->release();
    ++seen.count;
    if (i == 0) threads = entries("/proc/self/task");
    if (i == 0) descriptors = entries("/proc/self/fd");
    if (i == sizes.reconnects / 10) megabytes = resident_megabytes();
  }
  seen.threads = entries("/proc/self/task") - threads;
  seen.descriptors = entries("/proc/self/fd") - descriptors;
  seen.megabytes = resident_megabytes() - megabytes;
  figures.reconnects = seen;
  return Done{};
}

// Half of the dead refuse, half say nothing: the second are a port that is listened on and never answered.
struct DeadPort {
  DeadPort() {
    socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    listen(socket, 8);  // on a free port of every address
    sockaddr_in address{};
    socklen_t size = sizeof address;
    getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
    port = ntohs(address.sin_port);
  }
  ~DeadPort() { close(socket); }
  DeadPort(const DeadPort&) = delete;
  DeadPort& operator=(const DeadPort&) = delete;
  int socket = -1;
  int port = 0;
};

Status measure_many(const SourceSizes& sizes, SourceFigures& figures) {
  sizes.progress("many cameras", 0.5);
  const auto camera = CameraProcess::start({});
  if (!camera) return camera.errors();
  const DeadPort silent;
  ManyCameras many;
  nlohmann::json tasks = nlohmann::json::array();
  for (int i = 0; i < sizes.cameras; ++i) {
    std::string url = camera.value()->url();
    if (i % 8 == 1) url = "rtsp://127.0.0.1:9/cam";
    if (i % 8 == 5) url = "rtsp://127.0.0.1:" + std::to_string(silent.port) + "/cam";
    many.dead += i % 4 == 1 ? 1 : 0;
    tasks.push_back({{"id", "camera-" + std::to_string(i)},
                     {"profiles", std::string(SACCADE_SOURCE_DIR) + "/" + kDetector},
                     {"fps", 5},
                     {"source", {{"type", "stream"}, {"url", url}}}});
  }
  many.cameras = sizes.cameras;
  const nlohmann::json config{{"version", 1},
                              {"processors", {{{"name", "cpu"}}}},
                              {"tasks", std::move(tasks)},
                              {"api", {{"listen", "127.0.0.1:0"}}}};
  const auto file = std::filesystem::temp_directory_path() /
                    ("saccade-bench-sources-" + std::to_string(getpid()) + ".json");
  if (const Status written = write_text(file, config.dump()); !written) return written;
  const auto begin = std::chrono::steady_clock::now();
  const auto service = ServiceProcess::start(file);
  std::filesystem::remove(file);
  if (!service) return service.errors();
  std::map<std::string, double> first;
  const auto living = static_cast<std::size_t>(many.cameras - many.dead);
  while (first.size() < living && std::chrono::steady_clock::now() - begin < kPatient) {
    const auto status = service.value()->document("/v1/status");
    if (!status) return status.errors();
    for (const auto& task : status.value().at("tasks"))
      if (task.at("frames").at("processed") > 0) first.emplace(task.at("id"), seconds_since(begin));
    std::this_thread::sleep_for(milliseconds(20));
  }
  for (const auto& [task, seconds] : first) many.first.push_back(seconds);
  std::sort(many.first.begin(), many.first.end());
  figures.many = std::move(many);
  const auto summary = service.value()->stop();
  return summary ? Status(Done{}) : Status(summary.errors());
}

}  // namespace

Result<SourceFigures> measure_sources(const SourceSizes& sizes) {
  SourceFigures figures;
  if (const Status done = measure_first(sizes, figures); !done) return done.errors();
  if (const Status done = measure_age(sizes, figures); !done) return done.errors();
  if (const Status done = measure_losses(sizes, figures); !done) return done.errors();
  if (const Status done = measure_many(sizes, figures); !done) return done.errors();
  for (const CameraPictures& pictures : sizes.decoded)
    if (const Status done = measure_cost(sizes, pictures, figures); !done) return done.errors();
  if (const Status done = measure_reconnects(sizes, figures); !done) return done.errors();
  return figures;
}

}  // namespace saccade::bench
