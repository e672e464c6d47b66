// The whole service (a run with simulated engines, its configuration, the API over loopback) under requests
// that it has to refuse: whatever comes, every answer is an error, nothing changes, and who asks properly
// afterwards is served. The bench `service` sends a hundred thousand of the same.
#include "bench/service/hostile.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <future>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "bench/service/connection.hpp"
#include "runtime/engines/simulated_backend.hpp"
#include "service/live/service_run.hpp"
#include "tests/support/run_fixture.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade {
namespace {

using bench::Connection;
using bench::HttpAnswer;
using nlohmann::json;

constexpr Duration kPatience = std::chrono::seconds(60);  // only for a service that hangs
constexpr std::uint64_t kSeed = 20261122;

Result<std::unique_ptr<runtime::FrameSource>> open_known(const runtime::SourceConfig&,
                                                         const runtime::Regions&,
                                                         const runtime::NetworkInputs&,
                                                         const std::vector<std::string>&) {
  return std::unique_ptr<runtime::FrameSource>(std::make_unique<test::KnownFrames>());
}

// A run on a thread of its own, of frames that are known.
class ServedRun {
 public:
  ServedRun() {
    std::ofstream(folder_ / "config.json") << document();
    auto start = service::start_from(folder_ / "config.json", nullptr);
    if (!start) ADD_FAILURE() << to_string(start.errors());
    config_ =
        std::make_unique<service::ServiceConfig>(folder_ / "config.json", std::move(start).value(), nullptr);
    runtime::RunHooks hooks;
    hooks.status = [this](const runtime::RunStatus& status) {
      if (status.settled && !std::exchange(settled_, true)) begun_.set_value();
    };
    service::ServiceRunOptions options;
    options.backend = std::make_shared<runtime::SimulatedBackend>(runtime::SimulatedBehaviour{});
    options.opener = open_known;
    auto run = service::ServiceRun::open(*config_, std::move(hooks), std::move(options));
    if (!run) ADD_FAILURE() << to_string(run.errors());
    run_ = std::move(run).value();
    const std::string address = run_->address().value();
    port_ = static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)));
    main_loop_ = std::thread([this] { (void)run_->run(std::nullopt); });
    begun_.get_future().wait();
  }
  ~ServedRun() {
    run_->stop();
    main_loop_.join();
  }
  ServedRun(const ServedRun&) = delete;
  ServedRun& operator=(const ServedRun&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] HttpAnswer ask(std::string_view method, std::string_view target,
                               std::string_view body = {}) const {
    Connection connection(port_);
    connection.send(bench::plain_request(method, target, body));
    return connection.answer(kPatience).value_or(HttpAnswer{});
  }

 private:
  static std::string document() {
    const std::string profiles = std::string(SACCADE_SOURCE_DIR) + "/tests/support/profiles/shapes.json";
    json tasks = json::array();
    for (const char* id : {"gate", "yard"}) {
      tasks.push_back({{"id", id},
                       {"profiles", profiles},
                       {"fps", 5},
                       {"source", {{"type", "synthetic"}, {"data_set", "glyphs"}}}});
    }
    const json whole = {{"version", 1},
                        {"processors", {{{"name", "cpu"}}}},
                        {"engine", {{"backend", "simulated"}}},
                        {"api", {{"listen", "127.0.0.1:0"}}},
                        {"tasks", tasks}};
    return whole.dump(1);
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<service::ServiceConfig> config_;
  std::promise<void> begun_;
  bool settled_ = false;
  std::unique_ptr<service::ServiceRun> run_;
  std::uint16_t port_ = 0;
  std::thread main_loop_;
};

// What is wrong with what came back; empty: nothing.
std::string breach(std::string bytes) {
  while (!bytes.empty()) {
    HttpAnswer answer;
    if (bench::take_answer(bytes, answer) != bench::Reading::answer) return "no whole answer: " + bytes;
    if (answer.status == 100) continue;
    if (answer.status < 400) return "accepted with " + std::to_string(answer.status) + ": " + answer.body;
    if (answer.status == 500) return "the service failed: " + answer.body;
    if (answer.headers["content-type"] != "application/problem+json") return "no problem: " + answer.body;
    const json problem = json::parse(answer.body, nullptr, false);
    if (problem.is_discarded() || problem.value("status", 0) != answer.status) return "odd: " + answer.body;
  }
  return {};
}

std::string breach_of(const bench::HostileRequest& request, std::uint16_t port) {
  Connection connection(port);
  const std::size_t piece = request.piece > 0 ? request.piece : request.bytes.size();
  for (std::size_t sent = 0; sent < request.bytes.size(); sent += piece) {
    if (!connection.send(std::string_view(request.bytes).substr(sent, piece))) break;
  }
  connection.send_no_more();
  auto bytes = connection.rest(kPatience);
  return bytes ? breach(*std::move(bytes)) : "neither answered nor closed";
}

TEST(Hostile, TheSameSeedMakesTheSameRequestsOfEveryKind) {
  const bench::HostileRequests one(kSeed, {"gate"});
  const bench::HostileRequests same(kSeed, {"gate"});
  const bench::HostileRequests other(kSeed + 1, {"gate"});
  std::set<std::string_view> kinds;
  std::size_t different = 0;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const bench::HostileRequest request = one.request(i);
    kinds.insert(request.kind);
    EXPECT_EQ(request.bytes, same.request(i).bytes);
    different += request.bytes == other.request(i).bytes ? 0 : 1;
  }
  EXPECT_EQ(kinds.size(), bench::hostile_kinds().size());
  EXPECT_GT(different, 400u);
}

TEST(Hostile, EveryRequestIsRefusedNothingChangesAndTheNextGoodOneIsServed) {
  constexpr std::uint64_t kRequests = 3000;
  constexpr std::uint64_t kClients = 4;
  const ServedRun run;
  const std::string etag = run.ask("GET", "/v1/config").headers["etag"];
  ASSERT_FALSE(etag.empty());

  const bench::HostileRequests requests(kSeed, {"gate", "yard"});
  std::mutex mutex;
  std::map<std::uint64_t, std::string> breaches;
  std::vector<std::thread> clients;
  for (std::uint64_t client = 0; client < kClients; ++client) {
    clients.emplace_back([&, client] {
      for (std::uint64_t i = client; i < kRequests; i += kClients) {
        const bench::HostileRequest request = requests.request(i);
        const std::string wrong = breach_of(request, run.port());
        const std::lock_guard lock(mutex);
        if (!wrong.empty()) breaches[i] = std::string(request.kind) + ": " + wrong;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(breaches.size(), 0u);
  for (const auto& [number, wrong] : breaches) {
    ADD_FAILURE() << "request " << number << ", " << wrong << "\n"
                  << requests.request(number).bytes.substr(0, 500);
  }

  // The run's generation may be another one: frame times may have drifted.
  EXPECT_EQ(run.ask("GET", "/v1/config").headers["etag"], etag);
  EXPECT_EQ(run.ask("PATCH", "/v1/tasks/gate", R"({"weight": 3})").status, 202);
  EXPECT_NE(run.ask("GET", "/v1/config").headers["etag"], etag);
  EXPECT_EQ(run.ask("GET", "/livez").body, "ok\n");
}

}  // namespace
}  // namespace saccade
