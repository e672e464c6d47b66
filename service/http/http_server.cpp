#include "service/http/http_server.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cstring>
#include <thread>
#include <utility>

#include "runtime/machine/thread_settings.hpp"
#include "service/api/infer_answer.hpp"
#include "service/http/endpoint.hpp"
#include "service/http/http_session.hpp"
#include "service/http/server_certificate.hpp"

namespace saccade::service {
namespace {

namespace asio = boost::asio;
using Protocol = asio::generic::stream_protocol;
using Acceptor = asio::basic_socket_acceptor<Protocol>;

constexpr Duration kLastAnswers = std::chrono::milliseconds(500);   // for what is being answered at the end
constexpr Duration kAfterFailure = std::chrono::milliseconds(100);  // out of descriptors, for example

// A socket file that nobody listens on is left from a process that was killed.
bool is_left_over(asio::io_context& context, const config::ListenAddress& address) {
  struct stat facts {};
  if (lstat(address.socket.c_str(), &facts) != 0 || !S_ISSOCK(facts.st_mode)) return false;
  Protocol::socket probe(context);
  boost::system::error_code error;
  probe.connect(endpoint_of(address), error);
  return error == asio::error::connection_refused;
}

std::uint16_t port_of(const Acceptor& acceptor) {
  const Protocol::endpoint bound = acceptor.local_endpoint();
  asio::ip::tcp::endpoint tcp;
  tcp.resize(bound.size());
  std::memcpy(tcp.data(), bound.data(), bound.size());
  return tcp.port();
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(Access access, ServiceModel& model, EventFeed& feed, const ServerLimits& limits,
       CertificateNews certificate_news)
      : access_(std::move(access)),
        model_(model),
        feed_(feed),
        limits_(limits),
        certificate_news_(std::move(certificate_news)) {}
  ~Impl();

  Status listen();
  void start(const std::vector<int>& cpus);
  [[nodiscard]] const config::ListenAddress& address() const { return access_.address; }

 private:
  void end();
  void accept();
  void take(Protocol::socket socket);
  void follow_certificate();

  Access access_;
  ServiceModel& model_;
  EventFeed& feed_;
  const ServerLimits limits_;
  const CertificateNews certificate_news_;
  const SteadyClock clock_;
  std::optional<ServerCertificate> certificate_;  // absent: in the clear
  std::optional<HttpShared> shared_;              // outlives the context, whose handlers own the sessions
  asio::io_context context_{1};
  Acceptor acceptor_{context_};
  asio::steady_timer pause_{context_};
  std::optional<LateAnswers> late_;
  std::atomic<bool> told_{false};  // of events that are to be sent
  std::thread thread_;
};

HttpServer::Impl::~Impl() {
  feed_.on_publish({});
  if (thread_.joinable()) {
    late_->stop_work();
    asio::post(context_, [this] { end(); });
    thread_.join();
    // What results wake is the context, which goes next.
    for (HttpSession* session : shared_->sessions) session->stop_streaming();
    late_->drop();
    if (access_.address.is_socket()) unlink(access_.address.socket.c_str());
  }
}

Status HttpServer::Impl::listen() {
  if (access_.tls) {
    auto certificate = ServerCertificate::open(*access_.tls, limits_.certificate_pause);
    if (!certificate) return certificate.errors();
    certificate_ = std::move(certificate).value();
  }
  const auto failed = [&](const boost::system::error_code& error) {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    return saccade::Error{to_string(access_.address), "cannot listen: " + error.message(), ""};
  };
  const bool file = access_.address.is_socket();
  if (file && access_.address.socket.string().size() >= sizeof(sockaddr_un::sun_path)) {
    return failed(asio::error::name_too_long);
  }
  const Protocol::endpoint endpoint = endpoint_of(access_.address);
  if (file && is_left_over(context_, access_.address)) unlink(access_.address.socket.c_str());
  boost::system::error_code error;
  acceptor_.open(endpoint.protocol(), error);
  if (error) return failed(error);
  if (!file) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
  acceptor_.bind(endpoint, error);
  if (error) return failed(error);
  // Before anyone can connect: for the service's user and group.
  if (file && chmod(access_.address.socket.c_str(), S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP) != 0) {
    return failed({errno, boost::system::system_category()});
  }
  acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error) return failed(error);
  if (!file) access_.address.port = port_of(acceptor_);
  return Done{};
}

void HttpServer::Impl::start(const std::vector<int>& cpus) {
  shared_.emplace(HttpShared{Api(model_, access_), feed_, model_.results(), limits_,
                             certificate_ ? certificate_->context() : nullptr});
  late_.emplace(context_, cpus);
  shared_->late = &*late_;
  feed_.on_publish([this] {
    if (told_.exchange(true)) return;
    asio::post(context_, [this] {
      told_ = false;
      for (HttpSession* session : shared_->sessions) session->send_more();
    });
  });
  accept();
  thread_ = std::thread([this, cpus] {
    runtime::name_thread("saccade-api");
    runtime::pin_to(cpus);
    runtime::wake_precisely();
    context_.run();
  });
}

// Who waits for an answer is told that none will come; then what is being sent may arrive.
void HttpServer::Impl::end() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  late_->refuse_all(infer_refusal(runtime::PushVerdict::ending));
  shared_->all_sent = [this] { context_.stop(); };
  if (shared_->unsent == 0) return context_.stop();
  pause_.expires_after(kLastAnswers);
  pause_.async_wait([this](const boost::system::error_code&) { context_.stop(); });
}

void HttpServer::Impl::accept() {
  acceptor_.async_accept([this](const boost::system::error_code& error, Protocol::socket socket) {
    if (!acceptor_.is_open()) return;
    if (!error) {
      take(std::move(socket));
      return accept();
    }
    pause_.expires_after(kAfterFailure);
    pause_.async_wait([this](const boost::system::error_code&) { accept(); });
  });
}

void HttpServer::Impl::take(Protocol::socket socket) {
  follow_certificate();
  const bool room = shared_->sessions.size() < limits_.connections || shared_->displace();
  const auto session = std::make_shared<HttpSession>(std::move(socket), *shared_);
  room ? session->start() : session->turn_away();
}

void HttpServer::Impl::follow_certificate() {
  if (!certificate_) return;
  const std::optional<Status> news = certificate_->look(clock_.now());
  if (!news) return;
  shared_->tls = certificate_->context();
  if (certificate_news_) certificate_news_(*news);
}

Result<std::unique_ptr<HttpServer>> HttpServer::open(const Access& access, ServiceModel& model,
                                                     EventFeed& feed, const ServerLimits& limits,
                                                     const std::vector<int>& cpus,
                                                     CertificateNews certificate_news) {
  if (!access.address.is_local() && access.tokens.empty() && !access.health_only) {
    return saccade::Error{to_string(access.address), "an address beyond this machine needs a token file",
                          "give `api.token_file`, or listen on 127.0.0.1"};
  }
  auto impl = std::make_unique<Impl>(access, model, feed, limits, std::move(certificate_news));
  const Status listening = impl->listen();
  if (!listening) return listening.errors();
  impl->start(cpus);
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;
const config::ListenAddress& HttpServer::address() const { return impl_->address(); }

}  // namespace saccade::service
