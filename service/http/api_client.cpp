#include "service/http/api_client.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <cstdint>

#include "service/http/endpoint.hpp"
#include "service/http/http_stream.hpp"

namespace saccade::service {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Protocol = asio::generic::stream_protocol;
using Failure = boost::system::error_code;

constexpr std::uint64_t kMostAnswer = 64UL * 1024UL * 1024UL;

std::string host_of(const config::ListenAddress& address) {
  if (address.is_socket()) return "localhost";
  return to_string(address).substr(std::string("http://").size());
}

http::request<http::string_body> request_of(const ApiEndpoint& endpoint, const std::string& method,
                                            const std::string& target, const std::string& body) {
  http::request<http::string_body> request;
  request.version(11);
  request.method(http::string_to_verb(method));
  request.target(target);
  request.set(http::field::host, host_of(endpoint.address));
  request.keep_alive(false);
  if (!endpoint.token.empty()) request.set(http::field::authorization, "Bearer " + endpoint.token);
  if (!body.empty()) request.set(http::field::content_type, "application/json");
  request.body() = body;
  request.prepare_payload();
  return request;
}

// One request step by step on a context of its own, so that every wait can end.
class Exchange {
 public:
  // `name`: that the other side's certificate has to have.
  Exchange(asio::ssl::context* tls, const std::string& name) : stream_(context_, tls) {
    parser_.body_limit(kMostAnswer);
    if (stream_.tls() == nullptr) return;
    SSL_set_tlsext_host_name(stream_.tls()->native_handle(), name.c_str());
    stream_.tls()->set_verify_callback(asio::ssl::host_name_verification(name), failure_);
  }

  Failure run(const Protocol::endpoint& to, const http::request<http::string_body>& request, int seconds) {
    stream_.plain().expires_after(std::chrono::seconds(seconds));
    stream_.plain().async_connect(to, [&](const Failure& failed) {
      if (done(failed)) return;
      if (stream_.tls() == nullptr) return send(request);
      stream_.tls()->async_handshake(asio::ssl::stream_base::client, [&](const Failure& distrusted) {
        if (!done(distrusted)) send(request);
      });
    });
    context_.run();
    return failure_;
  }
  [[nodiscard]] const http::response<http::string_body>& answer() const { return parser_.get(); }

 private:
  void send(const http::request<http::string_body>& request) {
    http::async_write(stream_, request, [&](const Failure& unsent, std::size_t) {
      if (done(unsent)) return;
      http::async_read(stream_, buffer_, parser_,
                       [&](const Failure& unread, std::size_t) { failure_ = unread; });
    });
  }
  bool done(const Failure& failure) {
    failure_ = failure;
    return static_cast<bool>(failure);
  }

  asio::io_context context_{1};
  HttpStream stream_;
  beast::flat_buffer buffer_;
  http::response_parser<http::string_body> parser_;
  Failure failure_ = {};
};

}  // namespace

Result<ApiAnswer> ask_api(const ApiEndpoint& endpoint, const std::string& method, const std::string& target,
                          const std::string& body, const std::string& if_match) {
  std::shared_ptr<asio::ssl::context> tls;
  if (endpoint.tls) {
    auto made = client_tls(endpoint.tls->authorities);
    if (!made) return made.errors();
    tls = std::move(made).value();
  }
  Exchange exchange(tls.get(), endpoint.tls ? endpoint.tls->name : "");
  http::request<http::string_body> request = request_of(endpoint, method, target, body);
  if (!if_match.empty()) request.set(http::field::if_match, if_match);
  const Failure failure = exchange.run(endpoint_of(endpoint.address), request, endpoint.patience_seconds);
  const std::string where = to_string(endpoint.address, tls != nullptr);
  if (failure == asio::error::connection_refused || failure == boost::system::errc::not_a_socket ||
      failure == boost::system::errc::no_such_file_or_directory) {
    return Error{
        where, "no service listens there",
        "start one with `saccade run` and an `api` part in its configuration, or give --url or --socket"};
  }
  if (failure.category() == asio::error::get_ssl_category()) {
    return Error{
        where, "no trust in what answers there: " + failure.message(),
        "give --ca the certificate of the authority that signed the service's, or the service's own"};
  }
  if (failure) return Error{where, "the service does not answer: " + failure.message(), ""};
  const auto& answer = exchange.answer();
  return ApiAnswer{static_cast<int>(answer.result_int()), std::string(answer[http::field::etag]),
                   answer.body()};
}

}  // namespace saccade::service
