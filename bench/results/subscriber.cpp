#include "bench/results/subscriber.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "runtime/machine/thread_settings.hpp"

namespace saccade::bench {
namespace {

constexpr const char* kSubscriber = "/usr/bin/mosquitto_sub";
constexpr const char* kBuffer = "/usr/bin/stdbuf";
constexpr const char* kMark = "$SYS/broker/version";  // every broker retains it
constexpr Duration kPatience = std::chrono::seconds(10);

[[noreturn]] void become_subscriber(const std::string& port, const std::string& filter,
                                    const std::vector<int>& cpus, int out) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  runtime::pin_to(cpus);
  const int nothing = ::open("/dev/null", O_RDWR);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(nothing, STDERR_FILENO);
  // A long time to live: a broker that stands still is no broker that has gone.
  ::execl(kBuffer, kBuffer, "-oL", kSubscriber, "-h", "127.0.0.1", "-p", port.c_str(), "-k", "3600", "-q",
          "1", "-F", "=%r %t %p", "-t", filter.c_str(), "-t", kMark, nullptr);
  ::_exit(127);
}

Duration time_now() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace

Result<std::unique_ptr<BenchSubscriber>> BenchSubscriber::start(std::uint16_t port, const std::string& prefix,
                                                                const std::vector<int>& cpus) {
  if (::access(kSubscriber, X_OK) != 0) {
    return Error{kSubscriber, "there is no subscriber",
                 "install the package mosquitto-clients (scripts/setup --test)"};
  }
  std::array<int, 2> out{};
  if (::pipe2(out.data(), O_CLOEXEC) != 0) return Error{kSubscriber, "no pipe to it can be made", ""};
  const std::string number = std::to_string(port);
  const std::string filter = prefix + "/#";
  const pid_t id = ::fork();
  if (id == 0) become_subscriber(number, filter, cpus, out[1]);
  ::close(out[1]);
  if (id < 0) {
    ::close(out[0]);
    return Error{kSubscriber, "cannot be started", ""};
  }
  std::unique_ptr<BenchSubscriber> subscriber(new BenchSubscriber(id, out[0]));
  if (!subscriber->has_subscribed()) return Error{kSubscriber, "has not subscribed after 10 s", ""};
  return subscriber;
}

BenchSubscriber::BenchSubscriber(pid_t id, int out) : id_(id), out_(out) {
  reader_ = std::thread([this] { read_on(); });
}

BenchSubscriber::~BenchSubscriber() {
  ::kill(id_, SIGKILL);
  ::waitpid(id_, nullptr, 0);
  reader_.join();
  ::close(out_);
}

std::vector<BenchSubscriber::Message> BenchSubscriber::messages() const {
  const Lock lock(mutex_);
  return messages_;
}

std::vector<BenchSubscriber::Arrival> BenchSubscriber::arrivals() const {
  const Lock lock(mutex_);
  return arrivals_;
}

bool BenchSubscriber::has_subscribed() {
  const Lock lock(mutex_);
  return changed_.wait_for(mutex_, kPatience, [&]() SACCADE_REQUIRES(mutex_) { return subscribed_; });
}

void BenchSubscriber::read_on() {
  std::string unread;
  std::array<char, 65536> some;
  for (ssize_t got = 0; (got = ::read(out_, some.data(), some.size())) > 0;) {
    const Duration at = time_now();
    unread.append(some.data(), static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = unread.find('\n', begin)) != std::string::npos; begin = end + 1) {
      take(std::string_view(unread).substr(begin, end - begin), at);
    }
    unread.erase(0, begin);
  }
}

void BenchSubscriber::take(std::string_view line, Duration at) {
  if (!line.starts_with("=0 ") && !line.starts_with("=1 ")) return;
  const std::size_t end = line.find(' ', 3);
  if (end == std::string_view::npos) return;
  const std::string_view topic = line.substr(3, end - 3);
  const std::string_view payload = line.substr(end + 1);
  std::optional<Arrival> arrival;
  if (topic.ends_with("/result")) {
    const auto record = nlohmann::json::parse(payload, nullptr, false);
    if (record.is_discarded()) return;
    const auto seconds_at = [&](const char* key) {
      return to_duration(Seconds(record.at(key).get<double>()));
    };
    arrival = Arrival{seconds_at("captured_monotonic_seconds"), seconds_at("age_seconds"), at};
  }
  const Lock lock(mutex_);
  if (topic == kMark) {
    subscribed_ = true;
    changed_.notify_all();
  } else if (arrival) {
    arrivals_.push_back(*arrival);
  } else {
    messages_.push_back({std::string(topic), std::string(payload), line[1] == '1', at});
  }
}

}  // namespace saccade::bench
