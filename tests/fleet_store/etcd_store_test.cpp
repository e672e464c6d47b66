// The store in a real etcd passes what every store must; and what only a real one has: authentication, TLS,
// members that hang or are not there.
#include "fleet_store/etcd_store.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <variant>

#include "tests/conformance/store_suite.hpp"
#include "tests/support/certificate.hpp"
#include "tests/support/etcd_server.hpp"
#include "tests/support/free_port.hpp"

namespace saccade::fleet_store {
namespace {

class EtcdConformance : public test::StoreConformance {
 public:
  EtcdConformance(const EtcdSettings& first, const EtcdSettings& second) : first_(first), second_(second) {}
  explicit EtcdConformance(const EtcdSettings& both) : EtcdConformance(both, both) {}
  Store& client(std::size_t index) override { return index == 0 ? first_ : second_; }
  void pass(Duration time) override { std::this_thread::sleep_for(time); }
  EtcdStore& first() { return first_; }

 private:
  EtcdStore first_;
  EtcdStore second_;
};

EtcdSettings settings_of(const std::string& url) { return {{url}, {}, "", {}}; }
std::string unused_url() { return "http://127.0.0.1:" + std::to_string(test::free_port()); }

#define NEEDS_ETCD() \
  if (const std::string why = test::no_etcd(); !why.empty()) GTEST_SKIP() << why

class EtcdStoreConforms : public testing::TestWithParam<test::StoreCase> {};
TEST_P(EtcdStoreConforms, Case) {
  NEEDS_ETCD();
  test::EtcdServer server;
  server.start();
  EtcdConformance store(settings_of(server.url()));
  GetParam().run(store);
}
INSTANTIATE_TEST_SUITE_P(Cases, EtcdStoreConforms, testing::ValuesIn(test::store_cases()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(EtcdStore, UsesTheMemberThatAnswers) {
  NEEDS_ETCD();
  test::EtcdServer server;
  server.start();
  EtcdConformance store({{unused_url(), server.url()}, {}, "", {}});
  EXPECT_GT(store.put("/t/a", "1"), 0);
}

TEST(EtcdStore, WithoutAMemberNothingIsDoneAndSaid) {
  EtcdConformance store(settings_of(unused_url()));
  const Answer answer = store.ask(0, request::Commit{{}, {{"/t/a", "1"}}, {}});
  ASSERT_TRUE(std::holds_alternative<answer::Failed>(answer));
  EXPECT_EQ(std::get<answer::Failed>(answer).outcome, answer::Outcome::unavailable);
  EXPECT_NE(store.first().fault().find("127.0.0.1:"), std::string::npos);
}

TEST(EtcdStore, AMemberThatHangsEndsItsWatchesAndLeavesWritesUnknown) {
  NEEDS_ETCD();
  test::EtcdServer server;
  server.start();
  EtcdConformance store(settings_of(server.url()));
  const std::int64_t first = store.put("/t/a", "1");
  const std::uint64_t watch = store.watch(0, "/t/a", false, first);
  EXPECT_EQ(store.changes(0, watch, 1).size(), 1U);
  server.signal(SIGSTOP);
  const Answer answer = store.ask(0, request::Commit{{}, {{"/t/a", "2"}}, {}});
  ASSERT_TRUE(std::holds_alternative<answer::Failed>(answer));
  EXPECT_EQ(std::get<answer::Failed>(answer).outcome, answer::Outcome::unknown);
  EXPECT_TRUE(std::holds_alternative<answer::WatchEnded>(store.answer_to(0, watch, std::chrono::seconds(5))));
  server.signal(SIGCONT);
  Answer listed = answer::Failed{};
  for (int i = 0; i < 20 && !std::holds_alternative<answer::Listed>(listed); ++i) {
    listed = store.ask(0, request::List{"/t/a", false});
  }
  ASSERT_TRUE(std::holds_alternative<answer::Listed>(listed));
  EXPECT_EQ(std::get<answer::Listed>(listed).entries.size(), 1U);
}

TEST(EtcdStore, AMemberThatDiesIsUsedAgainWhenItReturns) {
  NEEDS_ETCD();
  test::EtcdServer server;
  server.start();
  EtcdConformance store(settings_of(server.url()));
  store.put("/t/a", "1");
  server.kill();
  EXPECT_TRUE(std::holds_alternative<answer::Failed>(store.ask(0, request::List{"/t/a"})));
  server.start();
  Answer listed = answer::Failed{};
  for (int i = 0; i < 20 && !std::holds_alternative<answer::Listed>(listed); ++i) {
    listed = store.ask(0, request::List{"/t/a"});
  }
  ASSERT_TRUE(std::holds_alternative<answer::Listed>(listed));
  EXPECT_EQ(std::get<answer::Listed>(listed).entries.at(0).value, "1");
}

// A user with a role on one prefix; tokens die with the member, and new ones are asked for.
TEST(EtcdStore, AuthenticatesAndAgainAfterAMemberForgotItsTokens) {
  NEEDS_ETCD();
  test::EtcdServer server;
  server.start();
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"user", "add", "root:top"},
        {"user", "grant-role", "root", "root"},
        {"user", "add", "box:secret"},
        {"role", "add", "box"},
        {"role", "grant-permission", "box", "--prefix=true", "readwrite", "/t/"},
        {"user", "grant-role", "box", "box"},
        {"auth", "enable"}}) {
    ASSERT_TRUE(server.control(command)) << command[0] << ' ' << command[1];
  }
  int asked = 0;
  std::string password = "wrong";
  const EtcdSettings settings{{server.url()}, {}, "box", [&] {
                                ++asked;
                                return Result<std::string>(password);
                              }};
  {
    EtcdConformance refused(settings);
    EXPECT_TRUE(std::holds_alternative<answer::Failed>(refused.ask(0, request::List{"/t/"})));
    EXPECT_NE(refused.first().fault().find("user or password"), std::string::npos) << refused.first().fault();
    EXPECT_EQ(refused.first().fault().find("wrong"), std::string::npos);
  }
  password = "secret";
  EtcdConformance store(settings);
  const std::int64_t first = store.put("/t/a", "1");
  const std::uint64_t watch = store.watch(0, "/t/a", false, first);
  EXPECT_EQ(store.changes(0, watch, 1).size(), 1U);
  const Answer foreign = store.ask(0, request::List{"/u/"});
  ASSERT_TRUE(std::holds_alternative<answer::Failed>(foreign));
  EXPECT_EQ(std::get<answer::Failed>(foreign).outcome, answer::Outcome::refused);
  const int before = asked;
  server.kill();
  server.start();
  // A token that it gave just before is known again from its log; without authentication all are forgotten.
  ASSERT_TRUE(server.control({"--user=root:top", "auth", "disable"}));
  ASSERT_TRUE(server.control({"auth", "enable"}));
  Answer listed = answer::Failed{};
  for (int i = 0; i < 20 && !std::holds_alternative<answer::Listed>(listed); ++i) {
    listed = store.ask(0, request::List{"/t/"});
  }
  EXPECT_TRUE(std::holds_alternative<answer::Listed>(listed));
  EXPECT_GT(asked, before);
}

TEST(EtcdStore, ChecksTheServersCertificate) {
  NEEDS_ETCD();
  const test::TemporaryFolder folder;
  const std::string certificate = folder / "server.pem";
  const std::string key = folder / "server.key";
  ASSERT_TRUE(test::write_certificate(certificate, key, "IP:127.0.0.1"));
  test::EtcdServer server({"--cert-file", certificate, "--key-file", key});
  server.start();
  EtcdSettings settings = settings_of(server.url());
  {
    EtcdConformance stranger(settings);
    EXPECT_TRUE(std::holds_alternative<answer::Failed>(stranger.ask(0, request::List{"/t/"})));
  }
  settings.trust.ca_file = certificate;
  EtcdConformance store(settings);
  EXPECT_GT(store.put("/t/a", "1"), 0);
}

}  // namespace
}  // namespace saccade::fleet_store
