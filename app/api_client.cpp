#include "app/api_client.hpp"

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <cstdint>

namespace saccade::app {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Protocol = asio::generic::stream_protocol;
using Failure = boost::system::error_code;

constexpr std::chrono::seconds kPatience(10);
constexpr std::uint64_t kMostAnswer = 64UL * 1024UL * 1024UL;

Protocol::endpoint endpoint_of(const runtime::ListenAddress& address) {
  if (address.is_socket()) return {asio::local::stream_protocol::endpoint(address.socket.string())};
  return {asio::ip::tcp::endpoint(asio::ip::make_address(address.ip), address.port)};
}

std::string host_of(const runtime::ListenAddress& address) {
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
  Exchange() { parser_.body_limit(kMostAnswer); }

  Failure run(const Protocol::endpoint& to, const http::request<http::string_body>& request) {
    stream_.expires_after(kPatience);
    stream_.async_connect(to, [&](const Failure& failed) {
      if (done(failed)) return;
      http::async_write(stream_, request, [&](const Failure& unsent, std::size_t) {
        if (done(unsent)) return;
        http::async_read(stream_, buffer_, parser_,
                         [&](const Failure& unread, std::size_t) { failure_ = unread; });
      });
    });
    context_.run();
    return failure_;
  }
  [[nodiscard]] const http::response<http::string_body>& answer() const { return parser_.get(); }

 private:
  bool done(const Failure& failure) {
    failure_ = failure;
    return static_cast<bool>(failure);
  }

  asio::io_context context_{1};
  beast::basic_stream<Protocol> stream_{context_};
  beast::flat_buffer buffer_;
  http::response_parser<http::string_body> parser_;
  Failure failure_;
};

}  // namespace

Result<ApiAnswer> ask_api(const ApiEndpoint& endpoint, const std::string& method, const std::string& target,
                          const std::string& body) {
  Exchange exchange;
  const Failure failure =
      exchange.run(endpoint_of(endpoint.address), request_of(endpoint, method, target, body));
  const std::string where = to_string(endpoint.address);
  if (failure == asio::error::connection_refused || failure == boost::system::errc::not_a_socket ||
      failure == boost::system::errc::no_such_file_or_directory) {
    return Error{
        where, "no service listens there",
        "start one with `saccade run` and an `api` part in its configuration, or give --url or --socket"};
  }
  if (failure) return Error{where, "the service does not answer: " + failure.message(), ""};
  const auto& answer = exchange.answer();
  return ApiAnswer{static_cast<int>(answer.result_int()), std::string(answer[http::field::etag]),
                   answer.body()};
}

}  // namespace saccade::app
