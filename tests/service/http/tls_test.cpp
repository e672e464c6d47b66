// The server with a certificate, asked by the client that `saccade ctl` has.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/mutex.hpp"
#include "service/http/api_client.hpp"
#include "service/http/http_server.hpp"
#include "tests/support/certificate.hpp"
#include "tests/support/fake_service.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::service {
namespace {

class TlsServer : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(test::write_certificate(at("cert.pem"), at("key.pem"), "DNS:localhost,IP:127.0.0.1"));
    ASSERT_TRUE(test::write_certificate(at("other.pem"), at("other-key.pem"), "DNS:localhost,IP:127.0.0.1"));
    access_.address = {"", "127.0.0.1", 0};
    access_.tls = config::TlsFiles{at("cert.pem"), at("key.pem")};
    auto server = HttpServer::open(access_, service_, feed_, {.certificate_pause = Duration(0)}, {},
                                   [this](const Status& news) {
                                     const Lock lock(mutex_);
                                     news_.push_back(news ? "replaced" : news.errors()[0].where);
                                   });
    ASSERT_TRUE(server.ok()) << to_string(server.errors());
    server_ = std::move(server).value();
  }
  void TearDown() override { server_.reset(); }
  // What was told since the last call.
  [[nodiscard]] std::vector<std::string> news() {
    const Lock lock(mutex_);
    return std::exchange(news_, {});
  }
  void replace(const char* by, const char* file) {
    std::filesystem::copy_file(folder_ / by, folder_ / "new");
    std::filesystem::rename(folder_ / "new", folder_ / file);
  }
  [[nodiscard]] std::string at(const char* name) const { return (folder_ / name).string(); }
  [[nodiscard]] Result<ApiAnswer> ask(const std::string& name, const std::string& authorities,
                                      const std::string& method = "GET", const std::string& target = "/livez",
                                      const std::string& body = {}) const {
    return ask_api({server_->address(), "", ApiEndpoint::Tls{name, authorities}}, method, target, body);
  }

  test::TemporaryFolder folder_;
  test::FakeService service_;
  EventFeed feed_{4};
  Access access_;
  Mutex mutex_;
  std::vector<std::string> news_ SACCADE_GUARDED_BY(mutex_);
  std::unique_ptr<HttpServer> server_;
};

TEST_F(TlsServer, AnswersAClientThatTrustsIt) {
  for (const char* name : {"localhost", "127.0.0.1"}) {
    const Result<ApiAnswer> answer = ask(name, at("cert.pem"));
    ASSERT_TRUE(answer.ok()) << to_string(answer.errors());
    EXPECT_EQ(answer.value().body, "ok\n");
  }
  const Result<ApiAnswer> write = ask("localhost", at("cert.pem"), "PATCH", "/v1/tasks/gate", R"({"fps":1})");
  ASSERT_TRUE(write.ok()) << to_string(write.errors());
  EXPECT_EQ(write.value().status, 202);
}

TEST_F(TlsServer, LongAnswersArriveWhole) {
  service_.document_text = "\"" + std::string(3'000'000, 'x') + "\"";
  const Result<ApiAnswer> answer = ask("localhost", at("cert.pem"), "GET", "/v1/config");
  ASSERT_TRUE(answer.ok()) << to_string(answer.errors());
  EXPECT_EQ(answer.value().body, service_.document_text);
}

TEST_F(TlsServer, IsNotTrustedUnderAnotherNameOrByOthers) {
  for (const auto& [name, authorities] :
       {std::pair{"cameras.example", "cert.pem"}, {"localhost", "other.pem"}}) {
    const Result<ApiAnswer> answer = ask(name, at(authorities));
    ASSERT_FALSE(answer.ok()) << name;
    EXPECT_NE(answer.errors()[0].what.find("no trust"), std::string::npos) << to_string(answer.errors());
  }
}

TEST_F(TlsServer, GivesNoAnswerInTheClear) {
  test::HttpClient client(server_->address());
  EXPECT_EQ(client.ask("GET", "/livez").status, 0);
  EXPECT_FALSE(ask_api({server_->address(), ""}, "GET", "/livez").ok());
  EXPECT_TRUE(ask("localhost", at("cert.pem")).ok()) << "and goes on";
}

TEST_F(TlsServer, EndsWhileAClientIsSilent) {
  test::HttpClient client(server_->address());  // it never begins its handshake
  EXPECT_TRUE(ask("localhost", at("cert.pem")).ok());
  server_.reset();
  EXPECT_TRUE(client.closed());
}

TEST_F(TlsServer, ShowsAReplacedCertificateToNewClientsWithoutARestart) {
  ASSERT_TRUE(ask("localhost", at("cert.pem")).ok());
  EXPECT_TRUE(news().empty()) << "nothing has changed";
  std::filesystem::copy_file(folder_ / "cert.pem", folder_ / "former.pem");
  replace("other-key.pem", "key.pem");
  replace("other.pem", "cert.pem");
  ASSERT_TRUE(ask("localhost", at("other.pem")).ok());
  EXPECT_FALSE(ask("localhost", at("former.pem")).ok()) << "the former one is no longer shown";
  EXPECT_EQ(news(), std::vector<std::string>{"replaced"});
}

TEST_F(TlsServer, KeepsItsCertificateWhileTheFilesAreOfNoUse) {
  std::filesystem::copy_file(folder_ / "cert.pem", folder_ / "former.pem");
  replace("other.pem", "cert.pem");  // the key is still that of the former
  EXPECT_TRUE(ask("localhost", at("former.pem")).ok());
  EXPECT_EQ(news(), std::vector<std::string>{at("key.pem")});
  EXPECT_TRUE(ask("localhost", at("former.pem")).ok());
  EXPECT_TRUE(news().empty()) << "told once";
  std::filesystem::remove(folder_ / "cert.pem");
  EXPECT_TRUE(ask("localhost", at("former.pem")).ok());
  EXPECT_EQ(news(), std::vector<std::string>{at("cert.pem")});
  replace("other.pem", "cert.pem");
  replace("other-key.pem", "key.pem");
  EXPECT_TRUE(ask("localhost", at("other.pem")).ok());
  EXPECT_EQ(news(), std::vector<std::string>{"replaced"});
}

TEST_F(TlsServer, AConnectionKeepsTheCertificateItBeganWith) {
  test::HttpClient silent(server_->address());  // accepted, and never begins its handshake
  ASSERT_TRUE(ask("localhost", at("cert.pem")).ok());
  replace("other-key.pem", "key.pem");
  replace("other.pem", "cert.pem");
  ASSERT_TRUE(ask("localhost", at("other.pem")).ok());
  server_.reset();
  EXPECT_TRUE(silent.closed());
}

TEST_F(TlsServer, SaysWhatIsWrongWithItsFiles) {
  const auto refused = [&](const char* certificate, const char* key) {
    Access access = access_;
    access.tls = config::TlsFiles{at(certificate), at(key)};
    const auto server = HttpServer::open(access, service_, feed_);
    return server.ok() ? "" : server.errors()[0].where;
  };
  EXPECT_EQ(refused("absent.pem", "key.pem"), at("absent.pem"));
  EXPECT_EQ(refused("key.pem", "key.pem"), at("key.pem"));
  EXPECT_EQ(refused("cert.pem", "other-key.pem"), at("other-key.pem")) << "of another certificate";
}

}  // namespace
}  // namespace saccade::service
