// Every sink is held to the same, with its real other side.
#include <csignal>
#include <filesystem>

#include "results/file_sink.hpp"
#include "results/mqtt/mqtt_sink.hpp"
#include "results/socket/socket_sink.hpp"
#include "results/webhook/webhook_sink.hpp"
#include "tests/conformance/sink_suite.hpp"
#include "tests/support/mqtt_broker.hpp"
#include "tests/support/socket_reader.hpp"
#include "tests/support/webhook_receiver.hpp"

namespace saccade::results {
namespace {

namespace fs = std::filesystem;

// A folder that exists or does not, as a disk that is mounted or not.
class DiskPartner final : public SinkPartner {
 public:
  std::unique_ptr<Sink> make_sink(std::size_t queue) override {
    // Synchronised after each result, when it shows that the file was moved away.
    return std::make_unique<FileSink>(
        FileSettings{.path = folder_.path() / "disk" / "results.jsonl", .sync = Seconds(0.0), .queue = queue},
        "n");
  }
  void come() override { fs::create_directory(folder_.path() / "disk"); }
  void go() override { fs::remove_all(folder_.path() / "disk"); }

 private:
  test::TemporaryFolder folder_;
};

class BrokerPartner final : public SinkPartner {
 public:
  std::unique_ptr<Sink> make_sink(std::size_t queue) override {
    MqttSettings settings;
    settings.id = "ha";
    settings.host = "127.0.0.1";
    settings.port = broker_.port();
    settings.qos = 1;
    settings.queue = queue;
    MqttContext context;
    context.node = "n";
    context.record = [](const Result& result) { return std::to_string(result.frame); };
    context.labels = [](const std::string&) { return std::vector<std::string>{"person"}; };
    context.retry.least = std::chrono::milliseconds(5);
    context.retry.most = std::chrono::milliseconds(20);
    return std::make_unique<MqttSink>(settings, context);
  }
  void come() override { broker_.start(); }
  void go() override { broker_.kill(); }
  bool pause() override {
    broker_.signal(SIGSTOP);
    return true;
  }
  void resume() override { broker_.signal(SIGCONT); }

 private:
  test::MqttBroker broker_;
};

class ReceiverPartner final : public SinkPartner {
 public:
  std::unique_ptr<Sink> make_sink(std::size_t queue) override {
    const BackOffRule soon{std::chrono::milliseconds(5), std::chrono::milliseconds(20)};
    return std::make_unique<WebhookSink>(WebhookSettings{.url = receiver_.url(), .batch = 16, .queue = queue},
                                         EventSource{"n", "b"}, soon);
  }
  void come() override { receiver_.start(); }
  void go() override { receiver_.kill(); }
  bool pause() override {
    receiver_.signal(SIGSTOP);
    return true;
  }
  void resume() override { receiver_.signal(SIGCONT); }

 private:
  test::WebhookReceiver receiver_;
};

class ReaderPartner final : public SinkPartner {
 public:
  ~ReaderPartner() override { go(); }
  std::unique_ptr<Sink> make_sink(std::size_t queue) override {
    auto sink = std::make_unique<SocketSink>(
        SocketSettings{.path = folder_.path() / "results.sock", .queue = queue}, "n");
    listens_ = deliveries::until(*sink, [](const SinkAccount& account) { return account.connected; });
    if (wanted_) connect();
    return sink;
  }
  void come() override {
    wanted_ = true;
    if (listens_) connect();
  }
  void go() override {
    wanted_ = false;
    over_ = true;
    if (thread_.joinable()) thread_.join();
    reader_.reset();
  }
  bool pause() override {
    over_ = true;
    if (thread_.joinable()) thread_.join();
    return true;
  }

 private:
  void connect() {
    over_ = false;
    reader_ = std::make_unique<test::SocketReader>(folder_ / "results.sock");
    thread_ = std::thread([this] {
      while (!over_) {
        if (reader_->has_more(10) && !reader_->line()) return;
      }
    });
  }
  test::TemporaryFolder folder_;
  std::unique_ptr<test::SocketReader> reader_;
  std::thread thread_;
  std::atomic<bool> over_{false};
  bool wanted_ = false;
  bool listens_ = false;
};

template <class Partner>
std::unique_ptr<SinkPartner> partner() {
  return std::make_unique<Partner>();
}

INSTANTIATE_TEST_SUITE_P(File, SinkSuite, testing::Values(&partner<DiskPartner>));
INSTANTIATE_TEST_SUITE_P(Mqtt, SinkSuite, testing::Values(&partner<BrokerPartner>));
INSTANTIATE_TEST_SUITE_P(Webhook, SinkSuite, testing::Values(&partner<ReceiverPartner>));
INSTANTIATE_TEST_SUITE_P(Socket, SinkSuite, testing::Values(&partner<ReaderPartner>));

}  // namespace
}  // namespace saccade::results
