#include "fleet_store/etcd_store.hpp"

#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "base/mutex.hpp"
#include "fleet_store/etcd_messages.hpp"

namespace saccade::fleet_store {
namespace {

constexpr Duration kPause = std::chrono::milliseconds(200);  // once no member was of use
constexpr Duration kPauseRefused = std::chrono::seconds(5);  // a member that checks a password is slow
constexpr Duration kLongestWait = std::chrono::seconds(1);
constexpr std::size_t kMostLine = 64 * 1024 * 1024;

// "https://10.0.0.1:2379" is called 10.0.0.1:2379.
std::string short_name(const std::string& url) {
  const std::size_t mark = url.find("://");
  return mark == std::string::npos ? url : url.substr(mark + 3);
}

struct Member {
  std::string url;
  bool known = false;  // that its version is good
  std::string token;
  bool is_open = false;         // no token is needed
  std::uint64_t preparing = 0;  // call that asks for version or token
};

struct Asked {  // a request that waits, or is under way
  std::uint64_t number = 0;
  Request request;
  TimePoint by{};  // of a watch: that it begins
  std::size_t member = 0;
  bool again = false;  // after a token was refused
  bool begun = false;  // of a watch
  std::string unread;  // of a watch: a line that has not ended
};

bool is_watch(const Asked& asked) { return std::holds_alternative<request::Watch>(asked.request); }

}  // namespace

class EtcdStore::Worker {
 public:
  Worker(EtcdSettings settings, std::function<void()> arrived)
      : settings_(std::move(settings)), arrived_(std::move(arrived)), http_(settings_.trust) {
    SACCADE_CHECK(!settings_.members.empty());
    for (const std::string& url : settings_.members) members_.push_back({url, false, "", false, 0});
  }

  void run();
  void stop() {
    {
      const Lock lock(mutex_);
      stopped_ = true;
    }
    http_.wake();
  }
  void submit(std::uint64_t number, Request request) {
    {
      const Lock lock(mutex_);
      inbox_.emplace_back(number, std::move(request));
    }
    http_.wake();
  }
  [[nodiscard]] std::vector<Event> take() {
    const Lock lock(mutex_);
    return std::exchange(outbox_, {});
  }
  [[nodiscard]] std::string fault() const {
    const Lock lock(mutex_);
    return fault_;
  }

 private:
  using Inbox = std::vector<std::pair<std::uint64_t, Request>>;

  void accept(Inbox& inbox);
  void end_watch(std::uint64_t number);
  void expire();
  void launch();
  bool prepare(Member& member);
  void send(Asked asked);
  void on(const HttpEvent& event);
  void on_prepared(Member& member, const HttpEvent& event);
  void on_answer(Asked asked, const HttpEvent& event);
  void on_lines(Asked& asked, const HttpEvent& event);
  void on_line(Asked& asked, std::string_view line);
  void fail(std::size_t member, const std::string& why, Duration pause);
  void give(std::uint64_t number, Answer answer, std::int64_t term = 0);
  void give_failed(const Asked& asked, bool sent, const std::string& why);
  void set_fault(const std::string& fault) {
    const Lock lock(mutex_);
    fault_ = fault;
  }
  [[nodiscard]] Duration wait() const;

  const EtcdSettings settings_;
  const std::function<void()> arrived_;
  const SteadyClock clock_;
  EtcdHttp http_;  // of the thread alone, but for wake()

  std::vector<Member> members_;
  std::size_t current_ = 0;
  std::size_t failures_ = 0;  // of members, since one was of use
  TimePoint pause_{};         // nothing is begun before
  std::deque<Asked> waiting_;
  std::map<std::uint64_t, Asked> under_way_;  // by call
  bool gave_ = false;

  mutable Mutex mutex_;
  Inbox inbox_ SACCADE_GUARDED_BY(mutex_);
  std::vector<Event> outbox_ SACCADE_GUARDED_BY(mutex_);
  std::string fault_ SACCADE_GUARDED_BY(mutex_);
  bool stopped_ SACCADE_GUARDED_BY(mutex_) = false;
};

void EtcdStore::Worker::run() {
  pthread_setname_np(pthread_self(), "saccade-store");
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  for (;;) {
    Inbox inbox;
    {
      const Lock lock(mutex_);
      if (stopped_) return;
      inbox.swap(inbox_);
    }
    accept(inbox);
    expire();
    launch();
    if (std::exchange(gave_, false) && arrived_) arrived_();
    for (const HttpEvent& event : http_.poll(wait())) on(event);
    if (std::exchange(gave_, false) && arrived_) arrived_();
  }
}

Duration EtcdStore::Worker::wait() const {
  const TimePoint now = clock_.now();
  TimePoint until = now + kLongestWait;
  if (!waiting_.empty() && pause_ > now) until = std::min(until, pause_);
  for (const Asked& asked : waiting_) until = std::min(until, asked.by);
  for (const auto& [call, asked] : under_way_) {
    if (is_watch(asked) && !asked.begun) until = std::min(until, asked.by);
  }
  return std::max(until - now, Duration(std::chrono::milliseconds(1)));
}

void EtcdStore::Worker::accept(Inbox& inbox) {
  const TimePoint by = clock_.now() + kRequestTime;
  for (auto& [number, request] : inbox) {
    if (const auto* end = std::get_if<request::EndWatch>(&request)) {
      end_watch(end->watch);
    } else {
      waiting_.push_back({number, std::move(request), by, 0, false, false, ""});
    }
  }
}

void EtcdStore::Worker::end_watch(std::uint64_t number) {
  const auto is = [&](const Asked& asked) { return asked.number == number && is_watch(asked); };
  if (std::erase_if(waiting_, is) > 0) {
    give(number, answer::WatchEnded{});
    return;
  }
  for (auto it = under_way_.begin(); it != under_way_.end(); ++it) {
    if (!is(it->second)) continue;
    http_.cancel(it->first);
    under_way_.erase(it);
    give(number, answer::WatchEnded{});
    return;
  }
}

// What has waited too long. A request under way ends by its own time.
void EtcdStore::Worker::expire() {
  const TimePoint now = clock_.now();
  while (!waiting_.empty() && waiting_.front().by <= now) {
    const Asked asked = std::move(waiting_.front());
    waiting_.pop_front();
    give_failed(asked, false, "no member of the store is of use");
  }
  for (auto it = under_way_.begin(); it != under_way_.end();) {
    if (!is_watch(it->second) || it->second.begun || it->second.by > now) {
      ++it;
      continue;
    }
    const Asked asked = std::move(it->second);
    http_.cancel(it->first);
    it = under_way_.erase(it);
    give_failed(asked, true, "a watch does not begin");
    fail(asked.member, "a watch does not begin", kPause);
    it = under_way_.begin();  // other watches have ended with it
  }
}

void EtcdStore::Worker::launch() {
  if (waiting_.empty() || clock_.now() < pause_) return;
  Member& member = members_[current_];
  if (member.preparing != 0 || !prepare(member)) return;
  while (!waiting_.empty()) {
    Asked asked = std::move(waiting_.front());
    waiting_.pop_front();
    send(std::move(asked));
  }
}

// True: it is ready for requests.
bool EtcdStore::Worker::prepare(Member& member) {
  if (!member.known) {
    member.preparing = http_.start({member.url + "/version", "", "", kRequestTime, false, false});
    return false;
  }
  if (settings_.user.empty() || member.is_open || !member.token.empty()) return true;
  const Result<std::string> password =
      settings_.password ? settings_.password() : Result<std::string>(std::string());
  if (!password) {
    set_fault(to_string(password.errors()));
    pause_ = clock_.now() + kPauseRefused;
    return false;
  }
  EtcdCall call = authenticate_call(settings_.user, password.value());
  member.preparing =
      http_.start({member.url + call.path, std::move(call.body), "", kRequestTime, false, false});
  return false;
}

void EtcdStore::Worker::send(Asked asked) {
  const Member& member = members_[current_];
  asked.member = current_;
  EtcdCall call = call_of(asked.request);
  const bool watch = is_watch(asked);
  const Duration left = std::max(asked.by - clock_.now(), Duration(std::chrono::milliseconds(1)));
  const bool once = std::holds_alternative<request::Commit>(asked.request);
  const std::uint64_t id = http_.start(
      {member.url + call.path, std::move(call.body), member.token, watch ? Duration{} : left, watch, once});
  under_way_.emplace(id, std::move(asked));
}

void EtcdStore::Worker::on(const HttpEvent& event) {
  for (Member& member : members_) {
    if (member.preparing != event.call) continue;
    member.preparing = 0;
    on_prepared(member, event);
    return;
  }
  const auto found = under_way_.find(event.call);
  if (found == under_way_.end()) return;  // ended meanwhile
  if (!event.done) {
    on_lines(found->second, event);
    return;
  }
  Asked asked = std::move(found->second);
  under_way_.erase(found);
  on_answer(std::move(asked), event);
}

void EtcdStore::Worker::on_prepared(Member& member, const HttpEvent& event) {
  const auto index = static_cast<std::size_t>(&member - members_.data());
  if (event.status == 0) {
    fail(index, event.fault, kPause);
  } else if (!member.known) {
    const std::string fault = version_fault(event.status, event.data);
    member.known = fault.empty();
    if (!member.known) fail(index, fault, kPauseRefused);
  } else {
    EtcdToken read = read_token(event.status, event.data);
    member.is_open = read.is_open;
    member.token = std::move(read.token);
    if (!read.fault.empty()) fail(index, read.fault, kPauseRefused);
  }
}

void EtcdStore::Worker::on_answer(Asked asked, const HttpEvent& event) {
  if (is_watch(asked) && event.status != 0) on_lines(asked, event);
  if (asked.number == 0) return;  // it ended by a line
  if (event.status == 0 || is_watch(asked)) {
    const std::size_t used = asked.member;
    const std::string why = event.fault.empty() ? "ended a watch" : event.fault;
    if (event.sent || is_watch(asked) || asked.by <= clock_.now()) {
      give_failed(asked, event.sent, why);
    } else {
      waiting_.push_front(std::move(asked));
    }
    if (event.status == 0) fail(used, why, kPause);
    return;
  }
  EtcdReading reading = read_answer(asked.request, event.status, event.data);
  Member& member = members_[asked.member];
  if (reading.token_refused && !asked.again && !member.token.empty()) {
    member.token.clear();
    asked.again = true;
    waiting_.push_front(std::move(asked));
    return;
  }
  if (reading.member_failed) {
    fail(asked.member, std::get<answer::Failed>(reading.answer).what, kPause);
  } else if (!std::holds_alternative<answer::Failed>(reading.answer)) {
    failures_ = 0;
    set_fault("");
  }
  give(asked.number, std::move(reading.answer), reading.term);
}

// `asked.number` is 0 afterwards if the watch ended.
void EtcdStore::Worker::on_lines(Asked& asked, const HttpEvent& event) {
  asked.unread += event.data;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = asked.unread.find('\n', begin);
    if (end == std::string::npos) break;
    on_line(asked, std::string_view(asked.unread).substr(begin, end - begin));
    if (asked.number == 0) break;
    begin = end + 1;
  }
  asked.unread.erase(0, begin);
  if (asked.number == 0 || asked.unread.size() > kMostLine) {
    if (asked.number != 0) give(std::exchange(asked.number, 0), answer::WatchEnded{});
    http_.cancel(event.call);
    if (!event.done) under_way_.erase(event.call);
  }
}

void EtcdStore::Worker::on_line(Asked& asked, std::string_view line) {
  EtcdWatchLine read = read_watch_line(line);
  asked.begun = true;
  if (read.watched) give(asked.number, std::move(*read.watched), read.term);
  if (read.token_refused) members_[asked.member].token.clear();
  if (read.ended) give(std::exchange(asked.number, 0), *read.ended, read.term);
}

// The member is not used until its turn comes again.
void EtcdStore::Worker::fail(std::size_t index, const std::string& why, Duration pause) {
  Member& member = members_[index];
  if (member.preparing != 0) http_.cancel(std::exchange(member.preparing, 0));
  member.known = false;
  member.token.clear();
  member.is_open = false;
  set_fault(short_name(member.url) + ": " + why);
  for (auto it = under_way_.begin(); it != under_way_.end();) {
    if (it->second.member != index || !is_watch(it->second)) {
      ++it;
      continue;
    }
    http_.cancel(it->first);
    give(it->second.number, answer::WatchEnded{});
    it = under_way_.erase(it);
  }
  if (index != current_) return;
  current_ = (current_ + 1) % members_.size();
  if (++failures_ >= members_.size()) {
    failures_ = 0;
    pause_ = clock_.now() + pause;
  }
}

void EtcdStore::Worker::give_failed(const Asked& asked, bool sent, const std::string& why) {
  if (is_watch(asked)) {
    give(asked.number, answer::WatchEnded{});
    return;
  }
  const bool unknown = sent && may_change(asked.request);
  const auto outcome = unknown ? answer::Outcome::unknown : answer::Outcome::unavailable;
  give(asked.number, answer::Failed{outcome, why});
}

void EtcdStore::Worker::give(std::uint64_t number, Answer answer, std::int64_t term) {
  const Lock lock(mutex_);
  outbox_.push_back({number, term, std::move(answer)});
  gave_ = true;
}

EtcdStore::EtcdStore(EtcdSettings settings, std::function<void()> arrived)
    : worker_(std::make_unique<Worker>(std::move(settings), std::move(arrived))),
      thread_([worker = worker_.get()] { worker->run(); }) {}

EtcdStore::~EtcdStore() {
  worker_->stop();
  thread_.join();
}

void EtcdStore::submit(std::uint64_t number, Request request) { worker_->submit(number, std::move(request)); }
std::vector<Event> EtcdStore::take() { return worker_->take(); }
std::string EtcdStore::fault() const { return worker_->fault(); }

}  // namespace saccade::fleet_store
