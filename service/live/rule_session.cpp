#include "service/live/rule_session.hpp"

#include <ctime>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include "base/mutex.hpp"
#include "runtime/machine/thread_settings.hpp"
#include "runtime/pictures/motion_meter.hpp"
#include "service/live/rule_watch.hpp"

namespace saccade::service {
namespace {

constexpr std::size_t kMostLooks = 256;  // motion samples that may wait
constexpr std::size_t kMostNews = 1000;  // that nobody took
constexpr Duration kClockLook = std::chrono::seconds(1);

runtime::action::Report report_of(const rules::Turn& turn) {
  const std::string detail =
      "cause=rule:" + turn.rule + (turn.active ? " active: " : " ended: ") + turn.reason;
  return {turn.frozen ? runtime::EventKind::rule_flaps : runtime::EventKind::rule, turn.task, detail};
}

}  // namespace

int minute_of_week_now() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  const int day = (local.tm_wday + 6) % 7;  // Monday first
  return day * rules::kMinutesPerDay + local.tm_hour * 60 + local.tm_min;
}

class RuleSession::Core {
 public:
  Core(std::vector<rules::Rule> rules, LayOver lay_over, MinuteOfWeek minute,
       std::shared_ptr<const Clock> clock)
      : clock_(std::move(clock)), lay_over_(std::move(lay_over)), minute_(std::move(minute)) {
    const Lock lock(mutex_);
    watch_.set_rules(engine_, std::move(rules));
    note_measured();
  }

  // Wakes the thread, which takes a system call, only where a result begins a presence: none can begin again
  // before its hold has passed.
  void see(const runtime::SeenFrame& frame) {
    if (watch_.see(frame)) wake();
  }

  [[nodiscard]] bool wants_pictures(const std::string& task) {
    const Lock lock(meters_mutex_);
    return meters_.contains(task);
  }

  // By the task's capture; while its source is exchanged there may be two.
  void look(const std::string& task, const runtime::Picture& picture) {
    std::shared_ptr<Meter> meter;
    {
      const Lock lock(meters_mutex_);
      const auto found = meters_.find(task);
      if (found == meters_.end()) return;
      meter = found->second;
    }
    const TimePoint now = clock_->now();
    Look look{task, {}};
    {
      const Lock lock(meter->mutex);
      if (!meter->meter.due(now)) return;
      const std::vector<double> shares = meter->meter.look(picture, now);
      for (std::size_t i = 0; i < shares.size(); ++i) {
        const runtime::MotionSettings& settings = meter->meter.settings()[i];
        look.shares.push_back({{settings.threshold, settings.mask}, shares[i]});
      }
    }
    {
      const Lock lock(looks_mutex_);
      if (looks_.size() < kMostLooks) looks_.push_back(std::move(look));
    }
    wake();
  }

  void run(const std::vector<int>& workers) {
    const std::vector<int> before = runtime::allowed_cpus();
    runtime::pin_to(runtime::other_cpus(before, workers));
    thread_ = std::thread([this] {
      runtime::name_thread("rules");
      work();
    });
    runtime::pin_to(before);
  }

  void end() {
    {
      const Lock lock(wake_mutex_);
      ending_ = true;
    }
    awake_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

  void set_rules(std::vector<rules::Rule> rules, rules::Overlay in_force) {
    {
      const Lock lock(mutex_);
      if (rules != engine_.rules()) {
        for (const rules::Turn& turn : watch_.set_rules(engine_, std::move(rules))) tell(report_of(turn));
        note_measured();
      }
      engine_.in_force(std::move(in_force));
    }
    wake();
  }

  [[nodiscard]] std::vector<runtime::action::Report> take_news() {
    const Lock lock(mutex_);
    return std::exchange(news_, {});
  }

  [[nodiscard]] std::vector<ShownRule> states() const {
    const Lock lock(mutex_);
    const TimePoint now = clock_->now();
    std::vector<ShownRule> shown;
    for (rules::RuleState& state : engine_.states(now)) {
      const Seconds for_time = state.since ? to_seconds(now - *state.since) : Seconds(0.0);
      std::string refused = state.active ? engine_.refusal() : std::string();
      shown.push_back({std::move(state), for_time, std::move(refused)});
    }
    return shown;
  }

 private:
  struct Meter {
    explicit Meter(std::vector<runtime::MotionSettings> settings) : meter(std::move(settings)) {}
    [[nodiscard]] bool same(const std::vector<runtime::MotionSettings>& settings) {
      const Lock lock(mutex);
      return meter.settings() == settings;
    }
    Mutex mutex;
    runtime::MotionMeter meter SACCADE_GUARDED_BY(mutex);
  };
  struct Look {
    std::string task;
    std::vector<rules::MotionShare> shares;
  };

  void wake() {
    {
      const Lock lock(wake_mutex_);
      news_waits_ = true;
    }
    awake_.notify_one();
  }

  void note_measured() SACCADE_REQUIRES(mutex_) {
    std::set<std::string> measured;
    for (const rules::Rule& rule : engine_.rules()) {
      if (!rule.motion) continue;
      if (rule.motion->task.empty()) measured.insert(rule.tasks.begin(), rule.tasks.end());
      if (!rule.motion->task.empty()) measured.insert(rule.motion->task);
    }
    const Lock lock(meters_mutex_);
    std::map<std::string, std::shared_ptr<Meter>> before = std::exchange(meters_, {});
    for (const std::string& task : measured) {
      std::vector<runtime::MotionSettings> settings;
      for (rules::MotionMeasure& measure : engine_.measures(task))
        settings.push_back({measure.threshold, std::move(measure.mask)});
      const auto known = before.find(task);
      const bool same = known != before.end() && known->second->same(settings);
      meters_[task] = same ? known->second : std::make_shared<Meter>(std::move(settings));
    }
  }

  void work() {
    while (true) {
      std::optional<TimePoint> next;
      std::optional<rules::Overlay> change = step(next);
      if (change) answer(lay_over_(*change));  // waits for the main loop; nothing is locked
      if (!wait_for_news(next)) return;
    }
  }

  // Returns at `next`, or when there is news; false: end() was called.
  [[nodiscard]] bool wait_for_news(const std::optional<TimePoint>& next) {
    const Lock lock(wake_mutex_);
    const auto news = [this]() SACCADE_REQUIRES(wake_mutex_) { return news_waits_ || ending_; };
    if (!next) {
      awake_.wait(wake_mutex_, news);
    } else if (const Duration pause = *next - clock_->now(); pause > Duration(0)) {
      (void)awake_.wait_for(wake_mutex_, pause, news);
    }
    news_waits_ = false;
    return !ending_;
  }

  std::optional<rules::Overlay> step(std::optional<TimePoint>& next) {
    const Lock lock(mutex_);
    std::vector<Look> looks;
    {
      const Lock looks_lock(looks_mutex_);
      looks.swap(looks_);
    }
    const TimePoint now = watch_.note_in(engine_);  // after all looks
    for (const Look& look : looks) engine_.look(look.task, look.shares, now);
    for (const rules::Turn& turn : engine_.step({now, minute_()})) tell(report_of(turn));
    std::optional<rules::Overlay> change = engine_.take_change(now);
    next = engine_.next();
    if (engine_.has_clocks() && (!next || *next > now + kClockLook)) next = now + kClockLook;
    return change;
  }

  void answer(const runtime::ChangeResult<std::uint64_t>& outcome) {
    const Lock lock(mutex_);
    if (outcome) return engine_.accepted();
    if (outcome.refused().kind == runtime::Refusal::unavailable) return engine_.refused("");
    const std::string reason = to_string(outcome.errors());
    if (reason != engine_.refusal())
      tell({runtime::EventKind::fault, "", "what rules want is refused, nothing is changed: " + reason});
    engine_.refused(reason);
  }

  void tell(runtime::action::Report report) SACCADE_REQUIRES(mutex_) {
    if (news_.size() < kMostNews) news_.push_back(std::move(report));
  }

  const std::shared_ptr<const Clock> clock_;
  const LayOver lay_over_;
  const MinuteOfWeek minute_;
  RuleWatch watch_{*clock_};  // its lock is taken after mutex_

  mutable Mutex mutex_;  // never held while a change is made
  rules::Engine engine_ SACCADE_GUARDED_BY(mutex_);
  std::vector<runtime::action::Report> news_ SACCADE_GUARDED_BY(mutex_);

  Mutex meters_mutex_;  // taken after mutex_
  std::map<std::string, std::shared_ptr<Meter>> meters_ SACCADE_GUARDED_BY(meters_mutex_);  // by task

  Mutex looks_mutex_;  // taken after mutex_
  std::vector<Look> looks_ SACCADE_GUARDED_BY(looks_mutex_);

  Mutex wake_mutex_;
  Condition awake_;
  bool news_waits_ SACCADE_GUARDED_BY(wake_mutex_) = false;
  bool ending_ SACCADE_GUARDED_BY(wake_mutex_) = false;
  std::thread thread_;
};

class RuleSession::Tap final : public runtime::ResultListener {
 public:
  Tap(std::shared_ptr<Core> core, std::shared_ptr<runtime::ResultListener> next)
      : core_(std::move(core)), next_(std::move(next)) {}
  void seen(const runtime::SeenFrame& frame) override {
    core_->see(frame);
    if (next_) next_->seen(frame);
  }
  bool wants_pictures(const TaskId& task) override { return core_->wants_pictures(task.str()); }
  void captured(const TaskId& task, const runtime::Picture& picture) override {
    core_->look(task.str(), picture);
  }

 private:
  const std::shared_ptr<Core> core_;
  const std::shared_ptr<runtime::ResultListener> next_;
};

RuleSession::RuleSession(std::vector<rules::Rule> rules, LayOver lay_over, MinuteOfWeek minute,
                         std::shared_ptr<const Clock> clock)
    : core_(std::make_shared<Core>(std::move(rules), std::move(lay_over), std::move(minute),
                                   std::move(clock))) {}
RuleSession::~RuleSession() { end(); }

std::shared_ptr<runtime::ResultListener> RuleSession::listener(
    std::shared_ptr<runtime::ResultListener> next) {
  return std::make_shared<Tap>(core_, std::move(next));
}

void RuleSession::run(const std::vector<int>& workers) { core_->run(workers); }
void RuleSession::set_rules(std::vector<rules::Rule> rules, rules::Overlay in_force) {
  core_->set_rules(std::move(rules), std::move(in_force));
}
std::vector<runtime::action::Report> RuleSession::take_news() { return core_->take_news(); }
std::vector<ShownRule> RuleSession::states() const { return core_->states(); }
void RuleSession::end() { core_->end(); }

}  // namespace saccade::service
