#include "bench/fleet/played_fleet.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "profiles/profile_io.hpp"
#include "service/fleet/box_report.hpp"

namespace saccade::bench {
namespace {

using StoreAnswer = fleet_store::Answer;
using nlohmann::ordered_json;

constexpr const char* kEtcd = "/usr/bin/etcd";
constexpr Duration kPatience = std::chrono::seconds(20);
constexpr Duration kLongLease = std::chrono::hours(1);  // longer than a measurement: nobody pays it
constexpr std::size_t kMostPutBytes = 1'000'000;        // of one transaction

std::string set_text(const profiles::ProfileSet& modelled) {
  profiles::ProfileSet set = modelled;
  set.device = {"modelled", {ProcessorId("gpu")}, {}};
  set.input = {64, 64, 3};
  set.interface = profiles::plain_interface(set.input);
  return ordered_json::parse(profiles::to_json(set)).dump();
}

std::string report_text(const fleet::Box& box, const ordered_json& networks) {
  const ordered_json processors = {{{"name", "gpu"}, {"capacity", 1}, {"guard_seconds", 0}}};
  return ordered_json{{"format", 1},
                      {"version", "played"},
                      {"box", box.id.str()},
                      {"labels", box.labels},
                      {"processors", processors},
                      {"limits",
                       {{"energy_joules_per_second", box.limits.energy_per_second->value()},
                        {"memory_bytes", box.limits.memory->value()}}},
                      {"idle_power_watts", 0},
                      {"networks", networks}}
      .dump();
}

std::string camera_text(const fleet::Camera& camera) {
  const std::string url = "rtsp://" + camera.task.id.str() + ".cameras.example:554/Streaming/Channels/102";
  return ordered_json{{"format", 1},
                      {"id", camera.task.id.str()},
                      {"network", camera.network},
                      {"fps", camera.task.demand.value()},
                      {"weight", camera.task.weight},
                      {"source", {{"type", "stream"}, {"url", url}}}}
      .dump();
}

}  // namespace

bool has_etcd() { return access(kEtcd, X_OK) == 0; }

Status BenchEtcd::start() {
  if (!has_etcd()) return Error{kEtcd, "there is no etcd", "scripts/setup --test"};
  // etcd 3.4 asks for it where it is not tested, and takes no notice elsewhere.
  setenv("ETCD_UNSUPPORTED_ARCH", "arm64", 1);
  url_ = "http://127.0.0.1:" + std::to_string(port_that_is_free());
  const std::string peers = "http://127.0.0.1:" + std::to_string(port_that_is_free());
  auto started = WatchedProcess::start(
      {kEtcd, "--name", "one", "--logger", "zap", "--data-dir", (folder_.path() / "data").string(),
       "--listen-client-urls", url_, "--advertise-client-urls", url_, "--listen-peer-urls", peers,
       "--initial-advertise-peer-urls", peers, "--initial-cluster", "one=" + peers});
  if (!started) return started.errors();
  process_ = std::move(started).value();
  if (!process_->line_with("serving client traffic insecurely"))
    return Error{kEtcd, "did not begin to serve: " + process_->said(), ""};
  process_->read_on();
  return Done{};
}

StoreClient::StoreClient(const std::string& url)
    : store_({{url}, {}, "", {}}, [this] {
        {
          const Lock lock(mutex_);
          news_ = true;
        }
        awake_.notify_one();
      }) {}

void StoreClient::wait(Duration most) {
  const Lock lock(mutex_);
  const auto news = [this]() SACCADE_REQUIRES(mutex_) { return news_; };
  (void)awake_.wait_for(mutex_, most, news);
  news_ = false;
}

Result<StoreAnswer> StoreClient::ask(fleet_store::Request request) {
  const std::uint64_t own = ++number_;
  store_.submit(own, std::move(request));
  std::optional<StoreAnswer> answer;
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!answer && std::chrono::steady_clock::now() < until) {
    wait(kPatience);
    for (fleet_store::Event& event : store_.take()) {
      if (event.request == own)
        answer = std::move(event.answer);
      else
        kept_.push_back(std::move(event.answer));
    }
  }
  if (!answer) return Error{"etcd", "does not answer", ""};
  const auto* failed = std::get_if<fleet_store::answer::Failed>(&*answer);
  if (failed != nullptr) return Error{"etcd", failed->what, ""};
  return *std::move(answer);
}

std::vector<StoreAnswer> StoreClient::take(Duration most) {
  if (kept_.empty()) wait(most);
  std::vector<StoreAnswer> answers = std::exchange(kept_, {});
  for (fleet_store::Event& event : store_.take()) answers.push_back(std::move(event.answer));
  return answers;
}

// In transactions as large as may be.
Status PlayedFleet::put(std::vector<fleet_store::Put> puts) {
  for (std::size_t begin = 0; begin < puts.size();) {
    fleet_store::request::Commit commit;
    std::size_t bytes = 0;
    while (begin < puts.size() && commit.puts.size() < fleet_store::kMostOperations) {
      bytes += puts[begin].value.size();
      if (bytes > kMostPutBytes && !commit.puts.empty()) break;
      commit.puts.push_back(std::move(puts[begin++]));
    }
    const Result<StoreAnswer> done = store_.ask(std::move(commit));
    if (!done) return done.errors();
  }
  return Done{};
}

Status PlayedFleet::write() {
  const Result<StoreAnswer> granted = store_.ask(fleet_store::request::Grant{kLongLease});
  if (!granted) return granted.errors();
  const std::int64_t lease = std::get<fleet_store::answer::Granted>(granted.value()).lease;
  std::map<const profiles::ProfileSet*, std::string> digests;
  std::vector<fleet_store::Put> puts;
  for (const fleet::Box& box : problem_.boxes) {
    ordered_json networks = ordered_json::object();
    for (const auto& [network, set] : box.profiles) {
      std::string& digest = digests[set.get()];
      if (digest.empty()) {
        std::string text = set_text(*set);
        digest = service::digest_of(text);
        puts.push_back({keys_.profiles(digest), std::move(text)});
      }
      networks[network] = digest;
    }
    puts.push_back({keys_.report(box.id.str()), report_text(box, networks)});
    puts.push_back({keys_.alive(box.id.str()), fleet_store::session_text(box.id.str(), 1), lease});
  }
  for (const fleet::Camera& camera : problem_.cameras)
    puts.push_back({keys_.camera(camera.task.id.str()), camera_text(camera)});
  const Status done = put(std::move(puts));
  if (done) store_.submit(fleet_store::request::Watch{keys_.assign(""), true, 1});
  return done;
}

Status PlayedFleet::confirm(const std::string& key, const std::string& text, std::int64_t revision) {
  const auto assigned = fleet_store::read_assign(text);
  if (!assigned) return assigned.errors();
  const std::string box = keys_.parts(key).id;
  fleet::StateDocument state;
  state.applied = revision;
  std::set<std::string>& served = served_[box];
  served.clear();
  for (const fleet::AssignedCamera& camera : assigned.value().cameras) {
    state.cameras.push_back({camera.id, camera.epoch, fleet::CameraStatus::serving, ""});
    served.insert(camera.id.str());
  }
  states_.push_back({keys_.state(box), fleet_store::to_text(state)});
  return Done{};
}

Status PlayedFleet::follow(Duration most) {
  for (const StoreAnswer& answer : store_.take(most)) {
    if (const auto* failed = std::get_if<fleet_store::answer::Failed>(&answer))
      return Error{"etcd", failed->what, ""};
    if (std::holds_alternative<fleet_store::answer::WatchEnded>(answer))
      return Error{"etcd", "ended the watch", ""};
    const auto* watched = std::get_if<fleet_store::answer::Watched>(&answer);
    if (watched == nullptr) continue;
    for (const auto& change : watched->changes) {
      const Status done = change.value ? confirm(change.key, *change.value, change.changed) : Status(Done{});
      if (!done) return done;
    }
  }
  std::map<std::string, fleet_store::Put> newest;  // a key is put once in a transaction
  for (fleet_store::Put& state : std::exchange(states_, {})) newest[state.key] = std::move(state);
  std::vector<fleet_store::Put> puts;
  for (auto& [key, state] : newest) puts.push_back(std::move(state));
  return put(std::move(puts));
}

std::size_t PlayedFleet::served() const {
  std::set<std::string> all;
  for (const auto& [box, cameras] : served_) all.insert(cameras.begin(), cameras.end());
  return all.size();
}

}  // namespace saccade::bench
