#include "service/fleet/planner_service.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "fleet_store/etcd_store.hpp"
#include "service/fleet/box_agent.hpp"
#include "service/fleet/planner_desk.hpp"
#include "service/fleet/planner_model.hpp"
#include "service/fleet/prober.hpp"
#include "service/http/http_server.hpp"

namespace saccade::service {
namespace {

namespace fs = std::filesystem;

constexpr Duration kLongestRest = std::chrono::seconds(1);
constexpr Duration kPaint = std::chrono::milliseconds(500);  // of what the API shows
// A picture of a large fleet takes long: so many times as long passes until the next, for a tenth of a core.
constexpr int kPaintRests = 9;

std::string planner_name(const config::PlannerConfig& config) {
  if (!config.node.empty()) return config.node;
  char host[256] = {};
  (void)::gethostname(host, sizeof host - 1);
  return std::string(host) + "-" + std::to_string(::getpid());
}

fleet_store::PlannerLinkSettings link_of(const config::PlannerConfig& config, const Clock& clock) {
  fleet_store::PlannerLinkSettings link;
  link.fleet = config.fleet.name;
  link.planner = planner_name(config);
  link.session = session_number();
  link.decide.clock = [&clock] { return clock.now(); };
  link.decide.deadline = to_duration(config.plan_deadline);
  return link;
}

double seconds_since_1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

// Profile sets of the boxes lie in it while the planner runs.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "saccade-planner-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

class PlannerService::Core {
 public:
  using Told = std::function<void(const std::string&, const std::string&)>;
  Core(const config::PlannerConfig& config, Told told)
      : told_(std::move(told)),
        desk_(link_of(config, clock_), folder_.path()),
        model_([this](const FleetChange& change, PlannerModel::Done done) {
          hand_over(change, std::move(done));
        }),
        prober_([this](const fleet::BoxId& box, const ProbeAnswer& answer) { answered(box, answer); }),
        store_(etcd_of(config.fleet.store), [this] { wake(); }) {
    model_.show(desk_.picture("", clock_.now()));
  }

  Status serve(const std::optional<config::ApiConfig>& api) {
    if (folder_.path().empty())
      return Error{"/tmp", "a folder for the boxes' profile sets cannot be made", ""};
    if (!api) return Done{};
    Access access{api->address, {}, api->tls, api->origin};
    if (!api->token_file.empty()) {
      Result<std::vector<Token>> tokens = read_tokens(api->token_file);
      if (!tokens) return tokens.errors();
      access.tokens = std::move(tokens).value();
    }
    const auto certificate_news = [this](const Status& news) {
      told_("certificate", news ? "replaced" : to_string(news.errors()));
    };
    auto server = HttpServer::open(access, model_, events_, {}, {}, certificate_news);
    if (!server) return server.errors();
    server_ = std::move(server).value();
    address_ = to_string(server_->address(), api->tls.has_value());
    if (!api->health) return Done{};
    Access for_health{*api->health};
    for_health.health_only = true;
    auto health = HttpServer::open(for_health, model_, no_events_);
    if (!health) return health.errors();
    health_ = std::move(health).value();
    return Done{};
  }

  void run() {
    bool led = false;
    std::string fault;
    while (step()) {
      if (std::exchange(led, desk_.leading()) != desk_.leading())
        told_("leads", desk_.leading() ? "yes" : "no");
      std::string now = store_.fault();
      if (now != fault) told_("store", now.empty() ? "answers" : now);
      fault = std::move(now);
      rest();
    }
    health_.reset();
    server_.reset();  // nobody asks any more
  }

  void stop() {
    {
      const Lock lock(mutex_);
      ending_ = true;
    }
    awake_.notify_one();
  }
  [[nodiscard]] const std::string& address() const { return address_; }

 private:
  struct Waiting {
    FleetChange change;
    PlannerModel::Done done;
  };
  struct Answer {
    fleet::BoxId box;
    ProbeAnswer said;
  };

  void hand_over(const FleetChange& change, PlannerModel::Done done) {
    {
      const Lock lock(mutex_);
      changes_.push_back({change, std::move(done)});
      news_ = true;
    }
    awake_.notify_one();
  }
  void answered(const fleet::BoxId& box, const ProbeAnswer& said) {
    {
      const Lock lock(mutex_);
      answers_.push_back({box, said});
      news_ = true;
    }
    awake_.notify_one();
  }
  void wake() {
    {
      const Lock lock(mutex_);
      news_ = true;
    }
    awake_.notify_one();
  }

  // False: it is to end.
  bool step() {
    std::vector<Waiting> changes;
    std::vector<Answer> answers;
    {
      const Lock lock(mutex_);
      if (ending_) return false;
      changes.swap(changes_);
      answers.swap(answers_);
    }
    for (const fleet_store::Event& event : store_.take()) desk_.on(event, clock_.now());
    for (const Answer& answer : answers) desk_.probed(answer.box, answer.said, clock_.now());
    for (Waiting& waiting : changes) desk_.change(waiting.change, std::move(waiting.done), clock_.now());
    desk_.step(clock_.now());
    for (fleet_store::Numbered& request : desk_.take_requests(clock_.now())) {
      store_.submit(request.number, std::move(request.request));
    }
    prober_.ask(desk_.take_probes());
    const TimePoint now = clock_.now();
    if (now >= paint_at_) {
      for (FleetEvent& event : desk_.look(now, seconds_since_1970()))
        events_.publish(std::move(event.kind), std::move(event.json));
      model_.show(desk_.picture(store_.fault(), now));
      const TimePoint painted = clock_.now();
      paint_at_ = std::max(now + kPaint, painted + kPaintRests * (painted - now));
    }
    return true;
  }

  void rest() {
    const TimePoint now = clock_.now();
    const TimePoint until =
        std::min({desk_.next().value_or(now + kLongestRest), now + kLongestRest, paint_at_});
    const Lock lock(mutex_);
    const auto news = [this]() SACCADE_REQUIRES(mutex_) { return news_ || ending_; };
    if (until > now) (void)awake_.wait_for(mutex_, until - now, news);
    news_ = false;
  }

  const SteadyClock clock_;
  const Told told_;
  const ScratchFolder folder_;
  PlannerDesk desk_;  // of the thread that runs alone
  TimePoint paint_at_{};
  PlannerModel model_;
  EventFeed events_;
  EventFeed no_events_;  // of the server for health
  std::string address_;

  Mutex mutex_;
  Condition awake_;
  std::vector<Waiting> changes_ SACCADE_GUARDED_BY(mutex_);
  std::vector<Answer> answers_ SACCADE_GUARDED_BY(mutex_);
  bool news_ SACCADE_GUARDED_BY(mutex_) = false;
  bool ending_ SACCADE_GUARDED_BY(mutex_) = false;

  // The first to go: they call back.
  Prober prober_;
  fleet_store::EtcdStore store_;
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<HttpServer> health_;
};

Result<std::unique_ptr<PlannerService>> PlannerService::open(
    const config::PlannerConfig& config, std::function<void(const std::string&, const std::string&)> told) {
  auto core = std::make_unique<Core>(config, std::move(told));
  if (const Status served = core->serve(config.api); !served) return served.errors();
  return std::unique_ptr<PlannerService>(new PlannerService(std::move(core)));
}

PlannerService::PlannerService(std::unique_ptr<Core> core) : core_(std::move(core)) {}
PlannerService::~PlannerService() = default;
void PlannerService::run() { core_->run(); }
void PlannerService::stop() { core_->stop(); }
const std::string& PlannerService::address() const { return core_->address(); }

}  // namespace saccade::service
