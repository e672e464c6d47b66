#include "service/fleet/box_agent.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/mutex.hpp"
#include "results/secret_file.hpp"
#include "runtime/machine/resident_memory.hpp"
#include "runtime/machine/thread_settings.hpp"

namespace saccade::service {
namespace {

constexpr Duration kLongestSleep = std::chrono::seconds(1);

fleet_store::BoxLinkSettings link_of(const config::FleetSettings& fleet) {
  fleet_store::BoxLinkSettings link;
  link.fleet = fleet.name;
  link.box = fleet.box;
  link.session = session_number();
  return link;
}

}  // namespace

std::int64_t session_number() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

fleet_store::EtcdSettings etcd_of(const config::FleetStoreSettings& store) {
  fleet_store::EtcdSettings etcd;
  etcd.members = store.endpoints;
  etcd.trust = {store.ca.string(), store.certificate.string(), store.key.string()};
  etcd.user = store.user;
  etcd.password = [file = store.password_file.string()] { return results::secret_in(file); };
  return etcd;
}

class BoxAgent::Core {
 public:
  Core(Settings settings, BoxHands hands)
      : settings_(std::move(settings)),
        desk_(link_of(settings_.fleet), settings_.fleet.networks, settings_.papers, std::move(hands)),
        store_(etcd_of(settings_.fleet.store), [this] { wake(); }) {}
  ~Core() { end(); }

  void run() {
    const std::vector<int> before = runtime::allowed_cpus();
    runtime::pin_to(runtime::other_cpus(before, settings_.workers));
    thread_ = std::thread([this] {
      runtime::name_thread("fleet");
      work();
    });
    runtime::pin_to(before);
  }

  void observe(std::vector<ObservedTask> tasks) {
    {
      const Lock lock(mutex_);
      observed_ = std::move(tasks);
    }
    wake();
  }

  void refresh() {
    {
      const Lock lock(mutex_);
      refresh_ = true;
    }
    wake();
  }

  void end() {
    {
      const Lock lock(mutex_);
      ending_ = true;
    }
    awake_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

  [[nodiscard]] FleetFacts facts() const {
    FleetFacts facts;
    bool outdated = false;
    {
      const Lock lock(mutex_);
      facts.connected = standing_.connected;
      outdated = standing_.outdated;
      facts.cameras = standing_.cameras;
      const TimePoint known = standing_.current_at.value_or(began_);
      facts.assignment_age = standing_.connected ? 0.0 : to_seconds(clock_.now() - known).value();
      if (standing_.reached) facts.store_age = to_seconds(clock_.now() - *standing_.reached).value();
    }
    if (!facts.connected) facts.fault = store_.fault();
    if (outdated)
      facts.fault = "the store's assignment is older than what is served, or cannot be read: refused";
    return facts;
  }
  [[nodiscard]] std::optional<fleet::MovedCamera> moved(const std::string& camera) const {
    const Lock lock(mutex_);
    for (const fleet::MovedCamera& each : standing_.moved) {
      if (each.id.str() == camera) return each;
    }
    return std::nullopt;
  }
  [[nodiscard]] bool has_conflict() const {
    const Lock lock(mutex_);
    return standing_.conflict;
  }

 private:
  void wake() {
    {
      const Lock lock(mutex_);
      news_ = true;
    }
    awake_.notify_one();
  }

  void work() {
    (void)desk_.boot(settings_.saved, clock_.now());
    while (true) {
      std::optional<std::vector<ObservedTask>> observed;
      bool refresh = false;
      {
        const Lock lock(mutex_);
        if (ending_) return;
        refresh = std::exchange(refresh_, false);
        observed = std::exchange(observed_, std::nullopt);
      }
      for (const fleet_store::Event& event : store_.take()) desk_.on(event, clock_.now());
      if (observed) desk_.observe(*observed, clock_.now());
      if (refresh && settings_.papers_now) desk_.replace_papers(settings_.papers_now(), clock_.now());
      desk_.step(clock_.now());
      for (fleet_store::Numbered& request : desk_.take_requests()) {
        store_.submit(request.number, std::move(request.request));
      }
      tell();
      sleep();
    }
  }

  void tell() {
    const FleetStanding standing = desk_.standing();
    bool first = false;
    bool written = false;
    {
      const Lock lock(mutex_);
      first = standing.conflict && !standing_.conflict;
      written = standing.papers_written && !trimmed_;
      standing_ = standing;
    }
    if (written) runtime::trim_memory();  // making and sending the papers took more than they are
    trimmed_ = trimmed_ || written;
    if (first && settings_.conflict) settings_.conflict();
  }

  void sleep() {
    const TimePoint now = clock_.now();
    const TimePoint until = std::min(desk_.next().value_or(now + kLongestSleep), now + kLongestSleep);
    const Lock lock(mutex_);
    const auto news = [this]() SACCADE_REQUIRES(mutex_) { return news_ || ending_; };
    if (until > now) (void)awake_.wait_for(mutex_, until - now, news);
    news_ = false;
  }

  const SteadyClock clock_;
  const TimePoint began_ = clock_.now();
  const Settings settings_;
  BoxDesk desk_;          // of the thread alone
  bool trimmed_ = false;  // as well

  mutable Mutex mutex_;
  Condition awake_;
  std::optional<std::vector<ObservedTask>> observed_ SACCADE_GUARDED_BY(mutex_);
  FleetStanding standing_ SACCADE_GUARDED_BY(mutex_);
  bool news_ SACCADE_GUARDED_BY(mutex_) = false;
  bool refresh_ SACCADE_GUARDED_BY(mutex_) = false;
  bool ending_ SACCADE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
  fleet_store::EtcdStore store_;  // the first to go: it calls wake()
};

BoxAgent::BoxAgent(Settings settings, BoxHands hands)
    : core_(std::make_unique<Core>(std::move(settings), std::move(hands))) {}
BoxAgent::~BoxAgent() = default;

void BoxAgent::run() { core_->run(); }
void BoxAgent::observe(std::vector<ObservedTask> tasks) { core_->observe(std::move(tasks)); }
FleetFacts BoxAgent::facts() const { return core_->facts(); }
std::optional<fleet::MovedCamera> BoxAgent::moved(const std::string& camera) const {
  return core_->moved(camera);
}
bool BoxAgent::has_conflict() const { return core_->has_conflict(); }
void BoxAgent::refresh() { core_->refresh(); }
void BoxAgent::end() { core_->end(); }

}  // namespace saccade::service
