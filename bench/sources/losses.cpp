#include "bench/sources/losses.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>

#include "bench/report.hpp"
#include "bench/service/service_process.hpp"
#include "bench/sources/camera_process.hpp"
#include "bench/sources/silent_port.hpp"
#include "runtime/sources/stream_source.hpp"

namespace saccade::bench {
namespace {

using std::chrono::milliseconds;

constexpr const char* kDetector = "profiles/zoo/yard-detector.json";
constexpr milliseconds kPoll(20);
constexpr Duration kBeyondSilence = std::chrono::seconds(6);  // a camera counts as silent after five

std::string whole_seconds(Duration time) { return std::to_string(time / std::chrono::seconds(1)) + " s"; }

// One camera that can be lost in every way, always at the same address.
class LostCamera {
 public:
  [[nodiscard]] Status start(const CameraPictures& pictures) {
    pictures_ = pictures;
    auto camera = CameraProcess::start(pictures, port_);
    if (!camera) return camera.errors();
    process_ = std::move(camera).value();
    port_ = process_->port();
    return Done{};
  }
  [[nodiscard]] std::string url() const { return "rtsp://127.0.0.1:" + port_ + "/cam"; }
  void stop() { process_->signal(SIGSTOP); }
  void proceed() { process_->signal(SIGCONT); }
  void turn_off() { process_.reset(); }
  [[nodiscard]] Status answer_nothing() {
    if (silent_.emplace(std::stoi(port_)).listens()) return Done{};
    return Error{url(), "the port of the camera that was switched off is taken", ""};
  }
  [[nodiscard]] Status ask_for_password() {
    CameraPictures guarded = pictures_;
    guarded.password = true;
    auto camera = CameraProcess::start(guarded, port_);
    if (!camera) return camera.errors();
    process_ = std::move(camera).value();
    return Done{};
  }
  [[nodiscard]] Status turn_on() {
    silent_.reset();
    process_.reset();
    return start(pictures_);
  }

 private:
  CameraPictures pictures_;
  std::string port_ = "0";
  std::unique_ptr<CameraProcess> process_;
  std::optional<SilentPort> silent_;
};

// How a camera is lost: it leaves; what happens once that was seen; how long it is unavailable then; and its
// return.
struct Loss {
  std::string how;
  std::function<void(LostCamera&)> leave;
  std::function<Status(LostCamera&)> then;
  Duration lasts{0};
  std::function<Status(LostCamera&)> back;
};

std::vector<Loss> losses_of(const SourceSizes& sizes) {
  const auto nothing = [](LostCamera&) -> Status { return Done{}; };
  const auto off = [](LostCamera& camera) { camera.turn_off(); };
  const auto on = [](LostCamera& camera) { return camera.turn_on(); };
  const auto proceed = [](LostCamera& camera) -> Status {
    camera.proceed();
    return Done{};
  };
  const auto silence = [](LostCamera& camera) { return camera.answer_nothing(); };
  return {
      {"says nothing any more (SIGSTOP)", [](LostCamera& camera) { camera.stop(); }, nothing, Duration(0),
       proceed},
      {"is switched off and on (SIGKILL)", off, nothing, Duration(0), on},
      {"is switched off for " + whole_seconds(sizes.away), off, nothing, sizes.away, on},
      {"accepts connections and is silent for " + whole_seconds(sizes.away), off, silence, sizes.away, on},
      {"asks for a password (401) for " + whole_seconds(sizes.away), off,
       [](LostCamera& camera) { return camera.ask_for_password(); }, sizes.away, on}};
}

Status measure_away(const Loss& loss, LostCamera& camera, SourceFigures& figures) {
  const auto opened = runtime::open_stream(stream_of(camera.url()), runtime::WholeFrame{}, bench_inputs());
  if (!opened) return opened.errors();
  runtime::FrameSource& source = *opened.value();
  const auto delivers = [](bool got, const runtime::Frame&) { return got; };
  int pictures = 0;
  const auto interval_known = [&](bool got, const runtime::Frame&) { return (pictures += got ? 1 : 0) == 3; };
  if (!tick_until(source, kSourcePatience, interval_known))
    return Error{camera.url(), "it delivered fewer than three pictures before it was to be lost", ""};
  Away away{loss.how, std::nullopt, std::nullopt};
  const auto left = std::chrono::steady_clock::now();
  loss.leave(camera);
  const auto lost = [&](bool, const runtime::Frame&) { return source.fault().has_value(); };
  if (tick_until(source, kSourcePatience, lost)) away.seen = seconds_since(left);
  if (const Status then = loss.then(camera); !then) return then;
  static_cast<void>(tick_until(source, loss.lasts, [](bool, const runtime::Frame&) { return false; }));
  if (const Status back = loss.back(camera); !back) return back;
  const auto returned = std::chrono::steady_clock::now();  // it can be reached
  if (tick_until(source, kSourcePatience, delivers)) away.back = seconds_since(returned);
  figures.away.push_back(away);
  return Done{};
}

// A service with a task for each address, at five pictures a second.
Result<std::unique_ptr<ServiceProcess>> serve(const std::vector<std::string>& urls) {
  nlohmann::json tasks = nlohmann::json::array();
  for (std::size_t i = 0; i < urls.size(); ++i)
    tasks.push_back({{"id", "camera-" + std::to_string(i)},
                     {"profiles", std::string(SACCADE_SOURCE_DIR) + "/" + kDetector},
                     {"fps", 5},
                     {"source", {{"type", "stream"}, {"url", urls[i]}}}});
  const nlohmann::json config{{"version", 1},
                              {"processors", {{{"name", "cpu"}}}},
                              {"tasks", std::move(tasks)},
                              {"api", {{"listen", "127.0.0.1:0"}}}};
  const auto file = std::filesystem::temp_directory_path() /
                    ("saccade-bench-sources-" + std::to_string(getpid()) + ".json");
  if (const Status written = write_text(file, config.dump()); !written) return written.errors();
  auto service = ServiceProcess::start(file);
  std::filesystem::remove(file);
  return service;
}

// The frames of one task.
struct Served {
  std::int64_t demanded = 0;
  std::int64_t processed = 0;
  std::int64_t lost = 0;  // neither processed nor under way
  bool connected = false;
};

Result<Served> served(const ServiceProcess& service, std::size_t task) {
  const auto status = service.document("/v1/status");
  if (!status) return status.errors();
  const auto& shown = status.value().at("tasks").at(task);
  const auto& frames = shown.at("frames");
  const auto count = [&](const char* key) { return frames.at(key).get<std::int64_t>(); };
  Served now{count("demanded"), count("processed"), 0, shown.at("source_connected").get<bool>()};
  now.lost = now.demanded - now.processed - count("in_flight");
  return now;
}

// A tick that still waits for its picture counts as lost: of several looks the one with the fewest.
Result<Served> settled_frames(const ServiceProcess& service, std::size_t task) {
  std::optional<Served> best;
  for (int i = 0; i < 10; ++i) {
    const auto now = served(service, task);
    if (!now) return now.errors();
    if (!best || now.value().lost < best->lost) best = now.value();
    std::this_thread::sleep_for(milliseconds(37));
  }
  return *best;
}

// Until the task has processed a frame beyond `processed`; absent: not within the patience.
Result<std::optional<double>> served_after(const ServiceProcess& service, std::size_t task,
                                           std::int64_t processed) {
  const auto begin = std::chrono::steady_clock::now();
  while (seconds_since(begin) < to_seconds(kSourcePatience).value()) {
    const auto now = served(service, task);
    if (!now) return now.errors();
    if (now.value().connected && now.value().processed > processed)
      return std::optional(seconds_since(begin));
    std::this_thread::sleep_for(kPoll);
  }
  return std::optional<double>();
}

}  // namespace

Status measure_losses(const SourceSizes& sizes, SourceFigures& figures) {
  sizes.progress("cameras that are lost", 0.5);
  LostCamera camera;
  if (const Status started = camera.start({}); !started) return started;
  for (const Loss& loss : losses_of(sizes))
    if (const Status done = measure_away(loss, camera, figures); !done) return done;
  LostCamera slow;
  if (const Status started = slow.start({.rate = 1}); !started) return started;
  return measure_away(
      {"sends 1 picture/s and is switched off for " + whole_seconds(sizes.away),
       [](LostCamera& each) { each.turn_off(); }, [](LostCamera&) -> Status { return Done{}; }, sizes.away,
       [](LostCamera& each) { return each.turn_on(); }},
      slow, figures);
}

// Cameras send more often than tasks take, so that no tick is without a picture.
Status measure_others(const SourceSizes& sizes, SourceFigures& figures) {
  sizes.progress("a camera next to one that is lost", 0.5);
  const CameraPictures pictures{.rate = 15};
  const auto untouched = CameraProcess::start(pictures);
  if (!untouched) return untouched.errors();
  LostCamera camera;
  if (const Status started = camera.start(pictures); !started) return started;
  const auto service = serve({untouched.value()->url(), camera.url()});
  if (!service) return service.errors();
  const ServiceProcess& run = *service.value();
  for (const std::size_t task : {0U, 1U})
    if (const auto first = served_after(run, task, 0); !first) return first.errors();
  const auto before = settled_frames(run, 0);
  if (!before) return before.errors();
  Others others;
  for (const Loss& loss : losses_of(sizes)) {
    loss.leave(camera);
    const auto left = std::chrono::steady_clock::now();
    for (bool connected = true; connected && seconds_since(left) < to_seconds(kSourcePatience).value();) {
      const auto now = served(run, 1);
      if (!now) return now.errors();
      connected = now.value().connected;
      std::this_thread::sleep_for(kPoll);
    }
    if (const Status then = loss.then(camera); !then) return then;
    std::this_thread::sleep_for(std::max(loss.lasts, std::min(sizes.away, kBeyondSilence)));
    const auto lost = served(run, 1);
    if (!lost) return lost.errors();
    if (const Status back = loss.back(camera); !back) return back;
    const auto returned = served_after(run, 1, lost.value().processed);
    if (!returned) return returned.errors();
    others.back.push_back({loss.how, std::nullopt, returned.value()});
  }
  const auto after = settled_frames(run, 0);
  if (!after) return after.errors();
  others.demanded = after.value().demanded - before.value().demanded;
  others.lost = std::max<std::int64_t>(0, after.value().lost - before.value().lost);
  figures.others = std::move(others);
  const auto summary = service.value()->stop();
  return summary ? Status(Done{}) : Status(summary.errors());
}

// Half of the dead refuse, half say nothing.
Status measure_many(const SourceSizes& sizes, SourceFigures& figures) {
  sizes.progress("many cameras", 0.5);
  const auto camera = CameraProcess::start({.recorded = true});
  if (!camera) return camera.errors();
  const SilentPort silent;
  if (!silent.listens()) return Error{silent.url(), "there is no free port", ""};
  ManyCameras many;
  std::vector<std::string> urls;
  for (int i = 0; i < sizes.cameras; ++i) {
    std::string url = camera.value()->url();
    if (i % 8 == 1) url = kRefusing;
    if (i % 8 == 5) url = silent.url();
    many.dead += i % 4 == 1 ? 1 : 0;
    urls.push_back(std::move(url));
  }
  many.cameras = sizes.cameras;
  const auto begin = std::chrono::steady_clock::now();
  const auto service = serve(urls);
  if (!service) return service.errors();
  std::map<std::string, double> first;
  const auto living = static_cast<std::size_t>(many.cameras - many.dead);
  while (first.size() < living && seconds_since(begin) < to_seconds(kSourcePatience).value()) {
    const auto status = service.value()->document("/v1/status");
    if (!status) return status.errors();
    for (const auto& task : status.value().at("tasks"))
      if (task.at("frames").at("processed") > 0) first.emplace(task.at("id"), seconds_since(begin));
    std::this_thread::sleep_for(kPoll);
  }
  for (const auto& [task, seconds] : first) many.first.push_back(seconds);
  std::sort(many.first.begin(), many.first.end());
  figures.many = std::move(many);
  const auto summary = service.value()->stop();
  return summary ? Status(Done{}) : Status(summary.errors());
}

}  // namespace saccade::bench
