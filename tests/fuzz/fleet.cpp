// Any text may lie at any key of a fleet's store: neither the planner nor the agent of a box ends for it, and
// what cannot be read leaves in force what was read before. The first byte says at which key.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "fleet_store/documents.hpp"
#include "fleet_store/simulated_store.hpp"
#include "service/fleet/box_desk.hpp"
#include "service/fleet/box_report.hpp"
#include "service/fleet/fleet_text.hpp"
#include "service/fleet/planner_desk.hpp"

namespace {

using namespace saccade;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kCamera =
    R"({"format": 1, "id": "gate", "network": "test-shapes", "fps": 2,
        "source": {"type": "synthetic", "data_set": "glyphs"}})";

std::string text_of(const char* file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

const std::string& profiles() {
  static const std::string text = text_of(SACCADE_SOURCE_DIR "/tests/support/profiles/shapes.json");
  return text;
}

const std::filesystem::path& folder() {
  static const std::filesystem::path path = [] {
    std::string name = (std::filesystem::temp_directory_path() / "saccade-fuzz-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    return std::filesystem::path(name);
  }();
  return path;
}

// A planner, two boxes that hold their keys, and one camera; and, in a fleet without a planner, a box that
// serves one.
class Fleet {
 public:
  Fleet() {
    const std::string digest = service::digest_of(profiles());
    put(keys_.profiles(digest), profiles());
    for (const char* box : {"a", "b"}) {
      put(keys_.report(box),
          R"({"format": 1, "processors": [{"name": "cpu"}], "networks": {"test-shapes": ")" + digest +
              R"("}})");
      put(keys_.alive(box), "here");
    }
    put(keys_.camera("gate"), kCamera);
    fleet_store::PlannerLinkSettings settings;
    settings.fleet = "t";
    settings.planner = "p";
    planner_.emplace(settings, folder());
    fleet_store::BoxLinkSettings box;
    box.fleet = "u";
    box.box = "c";
    service::BoxHands hands;
    hands.serve = [this](const std::vector<text::JsonValue>& tasks) {
      served_ = tasks.size();
      return service::BoxHands::Answer{true, false, ""};
    };
    hands.save = [](const std::string&) {};
    box_.emplace(box, service::BoxNetworks{{"test-shapes", "/p/net.json"}},
                 std::map<std::string, std::string>{}, hands);
    (void)box_->boot(std::nullopt, now_);
    fleet::AssignDocument assigned{1, 1, {}};
    assigned.cameras.push_back({TaskId("yard"), 1, {}, false, R"({"network": "test-shapes", "fps": 2})"});
    put(assigned_key(), fleet_store::to_text(assigned));
    pass(seconds(2));
  }
  void put(const std::string& key, const std::string& value) {
    operator_.submit(++number_, fleet_store::request::Commit{{}, {{key, value}}, {}});
  }
  void pass(Duration time) {
    for (const TimePoint until = now_ + time; now_ < until; now_ += milliseconds(100)) {
      store_.run_until(now_);
      (void)operator_.take();
      serve(*planner_, of_planner_);
      serve(*box_, of_box_);
    }
  }
  [[nodiscard]] service::FleetPicture picture() {
    (void)planner_->look(now_, 0.0);
    return planner_->picture("", now_);
  }
  // As changes that come over the API.
  void ask(const std::string& text) {
    const auto done = [](const service::FleetOutcome& outcome) {
      if (outcome.show) (void)outcome.show(outcome.revision);
    };
    using enum service::FleetKind;
    for (const service::FleetKind kind : {all, pin, policy, camera}) {
      service::FleetChange change{kind, "gate", text};
      change.dry_run = kind == all;
      change.patch = kind == policy;
      planner_->change(change, done, now_);
    }
    pass(milliseconds(300));
    (void)picture();
  }
  [[nodiscard]] bool gate_has_a_box() {
    const auto shown = picture();
    const auto found = shown.camera.find("gate");
    return found != shown.camera.end() && found->second.text.find("\"box\": null") == std::string::npos;
  }
  [[nodiscard]] std::size_t served_by_box() const { return served_; }
  [[nodiscard]] const fleet_store::Keys& keys() const { return keys_; }
  [[nodiscard]] static std::string assigned_key() { return fleet_store::Keys("u").assign("c"); }

 private:
  template <class Desk>
  void serve(Desk& desk, fleet_store::SimulatedStore::Client& client) {
    for (const fleet_store::Event& event : client.take()) desk.on(event, now_);
    desk.step(now_);
    for (fleet_store::Numbered& request : requests_of(desk))
      client.submit(request.number, std::move(request.request));
  }
  [[nodiscard]] std::vector<fleet_store::Numbered> requests_of(service::PlannerDesk& desk) const {
    return desk.take_requests(now_);
  }
  [[nodiscard]] static std::vector<fleet_store::Numbered> requests_of(service::BoxDesk& desk) {
    return desk.take_requests();
  }

  fleet_store::SimulatedStore store_{[] { return milliseconds(2); }};
  fleet_store::SimulatedStore::Client& operator_ = store_.open();
  fleet_store::SimulatedStore::Client& of_planner_ = store_.open();
  fleet_store::SimulatedStore::Client& of_box_ = store_.open();
  const fleet_store::Keys keys_{"t"};
  TimePoint now_{};
  std::uint64_t number_ = 0;
  std::size_t served_ = 0;
  std::optional<service::PlannerDesk> planner_;
  std::optional<service::BoxDesk> box_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  Fleet fleet;
  const fleet_store::Keys& keys = fleet.keys();
  const std::string at[] = {keys.camera("gate"),   keys.camera("dock"), keys.box("a"),
                            keys.policy(),         keys.report("a"),    keys.pin("gate"),
                            Fleet::assigned_key(), keys.assign("a"),    keys.state("a"),
                            keys.plan(),           keys.profiles("0"),  keys.camera(text.substr(0, 20))};
  const std::size_t which = static_cast<std::uint8_t>(data[0] - 'a') % std::size(at);
  fleet.put(at[which], text);
  fleet.pass(seconds(2));
  // What a leader says may take the camera off its box, and so may an operator who can be understood.
  const bool may = which == 7 || which == 9 || (which == 0 && service::store_json(text));
  if (!may && !fleet.gate_has_a_box()) std::abort();
  const bool obeys = which == 6 && fleet_store::read_assign(text);
  if (!obeys && fleet.served_by_box() != 1) std::abort();
  fleet.ask(text);
  return 0;
}
