#include "service/http/http_session.hpp"

#include <spdlog/spdlog.h>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <cstring>
#include <exception>
#include <limits>
#include <utility>

#include "base/logfmt.hpp"
#include "service/api/problem.hpp"

namespace saccade::service {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

constexpr std::size_t kReadBuffer = 16UL * 1024UL;  // holds a header; bodies pass through it
constexpr int kSendBuffer = 64 * 1024;              // of a stream: what the system holds for a slow client

Method method_of(http::verb verb) {
  switch (verb) {
    case http::verb::get:
      return Method::get;
    case http::verb::head:
      return Method::head;
    case http::verb::options:
      return Method::options;
    case http::verb::put:
      return Method::put;
    case http::verb::post:
      return Method::post;
    case http::verb::patch:
      return Method::patch;
    case http::verb::delete_:
      return Method::remove;
    default:
      return Method::other;
  }
}

bool is_http(const boost::system::error_code& error) {
  return error.category() == make_error_code(http::error::bad_method).category();
}

std::string remote_of(const HttpSession::Socket& socket) {
  boost::system::error_code error;
  const asio::generic::stream_protocol::endpoint far = socket.remote_endpoint(error);
  const int family = far.protocol().family();
  if (error || (family != AF_INET && family != AF_INET6)) return {};
  asio::ip::tcp::endpoint tcp;
  tcp.resize(far.size());
  std::memcpy(tcp.data(), far.data(), far.size());
  return tcp.address().to_string();
}

// Whatever goes wrong in a handler is that request's trouble, not that of the cameras.
Response guarded(const std::function<Response()>& handle, const std::string& what) {
  try {
    return handle();
  } catch (const std::exception& failure) {
    spdlog::error("event=api_failure task=- detail={}",
                  log_quoted(what + ": " + std::string(failure.what()).substr(0, kMostSaid)));
    return problem(500, "the service failed at this request; its log tells more");
  }
}

}  // namespace

bool HttpShared::displace(const HttpSession* but) {
  HttpSession* longest = nullptr;
  for (HttpSession* session : sessions) {
    if (session == but || !session->waiting_since()) continue;
    if (longest == nullptr || *session->waiting_since() < *longest->waiting_since()) longest = session;
  }
  if (longest != nullptr) longest->close();
  return longest != nullptr;
}

HttpSession::HttpSession(Socket socket, HttpShared& shared)
    : tls_(shared.tls),
      stream_(std::move(socket), tls_.get()),
      remote_(remote_of(stream_.plain().socket())),
      shared_(shared),
      buffer_(kReadBuffer),
      heartbeat_(stream_.get_executor()) {
  shared_.sessions.insert(this);
}

HttpSession::~HttpSession() {
  shared_.sessions.erase(this);
  if (streaming_) --shared_.streams;
}

void HttpSession::close() {
  waiting_since_.reset();
  Error ignored;
  heartbeat_.cancel(ignored);
  source_.reset();
  body_.reset();
  stream_.plain().close();
}

void HttpSession::start() {
  if (stream_.tls() == nullptr) return read();
  waiting_since_ = ++shared_.waits;
  stream_.plain().expires_after(shared_.limits.request_time);
  stream_.tls()->async_handshake(
      asio::ssl::stream_base::server,
      [self = shared_from_this()](const Error& error) { error ? self->close() : self->read(); });
}

void HttpSession::turn_away() {
  // Words would need a handshake, and the client time.
  if (stream_.tls() != nullptr) return close();
  head_only_ = false;
  answer(problem(503, "too many connections"), false);
}

// --- Requests -------------------------------------------------------------------------------------

void HttpSession::read() {
  waiting_since_ = ++shared_.waits;
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(shared_.limits.header_bytes));
  // What the body may be shows in the header; until then it has none (Boost 1.74 refuses "no limit").
  parser_->body_limit(std::numeric_limits<std::uint64_t>::max());
  stream_.plain().expires_after(shared_.limits.request_time);  // for the whole request
  header_.begin(shared_.limits.header_bytes);
  http::async_read_header(
      stream_, header_, *parser_,
      [self = shared_from_this()](const Error& error, std::size_t size) { self->on_header(error, size); });
}

Request HttpSession::request() const {
  const auto& message = parser_->get();
  const auto text = [&](http::field field) { return std::string(message[field]); };
  Request request;
  request.method = method_of(message.method());
  request.target = std::string(message.target());
  request.host = text(http::field::host);
  request.origin = text(http::field::origin);
  request.authorization = text(http::field::authorization);
  request.content_type = text(http::field::content_type);
  request.if_match = text(http::field::if_match);
  request.if_none_match = text(http::field::if_none_match);
  request.accept = text(http::field::accept);
  request.last_event_id = std::string(message["Last-Event-ID"]);
  request.inference_header_length = std::string(message["Inference-Header-Content-Length"]);
  request.remote = remote_;
  if (message.count("Inference-Header-Content-Length") > 1) request.repeated = true;
  for (const http::field field : {http::field::host, http::field::origin, http::field::authorization,
                                  http::field::content_type, http::field::if_match}) {
    if (message.count(field) > 1) request.repeated = true;
  }
  return request;
}

std::optional<Response> HttpSession::refuse() const {
  const ServerLimits& limits = shared_.limits;
  const bool crowded = shared_.sessions.size() + limits.vital_connections > limits.connections;
  if (crowded && !found_.vital && !shared_.displace(this)) {
    Response response = problem(503, "too many connections");
    response.headers.emplace_back("Retry-After", "1");
    return response;
  }
  if (auto refused = shared_.api.refused(found_, asked_)) return refused;
  const auto length = parser_->content_length();
  if (length && *length > found_.most_body) return problem(413, "the body is too large");
  return std::nullopt;
}

// Of a client of HTTP/1.0, or where no body comes, the expectation means nothing (RFC 9110, 10.1.1).
bool HttpSession::waits_to_go_on() const {
  const auto& message = parser_->get();
  return message.version() >= 11 && !parser_->is_done() &&
         beast::iequals(message[http::field::expect], "100-continue");
}

void HttpSession::on_header(const Error& error, std::size_t size) {
  head_only_ = false;
  if (error == http::error::buffer_overflow || (!error && size > shared_.limits.header_bytes)) {
    return unreadable(http::error::header_limit);
  }
  if (error) return unreadable(error);
  asked_ = request();
  head_only_ = asked_.method == Method::head;
  found_ = Api::find(asked_);
  if (auto refused = refuse()) {
    return answer(*std::move(refused), parser_->is_done() && parser_->keep_alive());
  }
  parser_->body_limit(found_.most_body);
  if (!take_room_for_body()) {
    Response response = problem(503, "too many frames are waiting to be decoded");
    response.headers.emplace_back("Retry-After", "1");
    return answer(std::move(response), false);
  }
  if (!waits_to_go_on()) return read_body();
  static const std::string go_on = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(stream_, asio::buffer(go_on),
                    [self = shared_from_this()](const Error& failed, std::size_t) {
                      failed ? self->close() : self->read_body();
                    });
}

// A body of unknown length may be as long as is allowed.
bool HttpSession::take_room_for_body() {
  body_.reset();
  if (!found_.frame) return true;
  const auto length = parser_->content_length();
  body_ = shared_.bodies.take(length ? static_cast<std::size_t>(*length) : found_.most_body);
  return body_ != nullptr;
}

void HttpSession::read_body() {
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](const Error& error, std::size_t) { self->on_request(error); });
}

void HttpSession::on_request(const Error& error) {
  if (error) return unreadable(error);
  waiting_since_.reset();
  const bool keep_alive = parser_->keep_alive();
  Request asked = std::move(asked_);
  asked.body = std::move(parser_->get().body());
  Response response = answered(std::move(asked));
  if (response.later) return wait_for(std::move(response), keep_alive);
  if ((response.events_after || response.results) && !head_only_) return stream(response);
  answer(std::move(response), keep_alive);
}

Response HttpSession::answered(Request asked) {
  what_ = std::string(to_string(asked.method)) + " " + asked.target;
  return guarded([&] { return shared_.api.handle(found_, std::move(asked)); }, what_);
}

// The client may leave meanwhile: then the answer finds nobody who takes it.
void HttpSession::wait_for(Response response, bool keep_alive) {
  stream_.plain().expires_never();
  // The share is returned when the body has been decoded.
  shared_.late->begin(shared_from_this(), keep_alive, what_, response.worker,
                      [later = std::move(response.later), body = std::exchange(body_, {})](
                          const Response::Deliver& deliver) { later(deliver); });
}

void HttpSession::answer_late(const std::function<Response()>& make, bool keep_alive) {
  answer(guarded(make, what_), keep_alive);
}

void HttpSession::unreadable(const Error& error) {
  if (error == http::error::end_of_stream || error == http::error::partial_message || !is_http(error)) {
    return close();
  }
  if (error == http::error::header_limit) return answer(problem(431, "the header is too large"), false);
  if (error == http::error::body_limit) return answer(problem(413, "the body is too large"), false);
  answer(problem(400, "this is no HTTP request"), false);
}

void HttpSession::answer(Response response, bool keep_alive) {
  waiting_since_.reset();
  body_.reset();
  answer_.emplace(static_cast<http::status>(response.status), 11);
  answer_->reason(status_words(response.status));
  if (!response.content_type.empty()) answer_->set(http::field::content_type, response.content_type);
  answer_->set("X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : response.headers) answer_->set(name, value);
  answer_->keep_alive(keep_alive);
  const std::size_t size = response.body.size();
  if (!head_only_) answer_->body() = std::move(response.body);
  if (response.status != 204 && response.status != 304) answer_->content_length(size);
  stream_.plain().expires_after(shared_.limits.answer_time);
  ++shared_.unsent;
  http::async_write(stream_, *answer_,
                    [self = shared_from_this(), keep_alive](const Error& error, std::size_t) {
                      if (--self->shared_.unsent == 0 && self->shared_.all_sent) self->shared_.all_sent();
                      if (error) return self->close();
                      keep_alive ? self->read() : self->linger();
                    });
}

// Closing over unread input would take the answer away from the client: what it still sends is read
// and thrown away, for as long as a request may take.
void HttpSession::linger() {
  waiting_since_ = ++shared_.waits;
  stream_.plain().expires_after(shared_.limits.request_time);
  if (stream_.tls() == nullptr) return wait_for_the_client();
  // The end is told in TLS first; what the client still sends makes it fail, which is as good.
  stream_.tls()->async_shutdown([self = shared_from_this()](const Error&) { self->wait_for_the_client(); });
}

void HttpSession::wait_for_the_client() {
  Error ignored;
  stream_.plain().socket().shutdown(asio::socket_base::shutdown_send, ignored);
  buffer_.clear();
  stream_.plain().async_read_some(buffer_.prepare(kReadBuffer),
                                  [self = shared_from_this()](const Error& error, std::size_t) {
                                    error ? self->close() : self->wait_for_the_client();
                                  });
}

void HttpSession::watch_for_the_end() {
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(kReadBuffer),
                          [self = shared_from_this()](const Error& error, std::size_t) {
                            error ? self->close() : self->watch_for_the_end();
                          });
}

// --- Streams of events and results ----------------------------------------------------------------

std::unique_ptr<StreamSource> HttpSession::source_of(const Response& response) {
  if (!response.results) return event_stream(shared_.feed, *response.events_after);
  return result_stream(shared_.results, *response.results,
                       [weak = weak_from_this(), server = stream_.get_executor()] {
                         asio::post(server, [weak] {
                           if (const auto self = weak.lock()) self->send_more();
                         });
                       });
}

void HttpSession::stream(const Response& response) {
  if (shared_.streams >= shared_.limits.event_streams) {
    Response refused = problem(503, "too many event streams");
    refused.headers.emplace_back("Retry-After", "10");
    return answer(std::move(refused), false);
  }
  ++shared_.streams;
  streaming_ = true;
  source_ = source_of(response);
  Error ignored;
  stream_.plain().socket().set_option(asio::socket_base::send_buffer_size(kSendBuffer), ignored);
  stream_.plain().expires_never();
  watch_for_the_end();
  std::string head =
      "HTTP/1.1 200 OK\r\nContent-Type: " + response.content_type + "\r\nConnection: close\r\n";
  for (const auto& [name, value] : response.headers)
    head.append(name).append(": ").append(value).append("\r\n");
  send(head + "X-Content-Type-Options: nosniff\r\n\r\n");
  beat();
}

void HttpSession::send_more() {
  if (source_ == nullptr || sending_) return;
  std::string text = source_->next();
  if (!text.empty()) send(std::move(text));
}

void HttpSession::send(std::string text) {
  sending_ = true;
  text_ = std::move(text);
  stream_.plain().expires_after(shared_.limits.answer_time);  // of the writing side: a read is under way
  asio::async_write(stream_, asio::buffer(text_),
                    [self = shared_from_this()](const Error& error, std::size_t) {
                      self->sending_ = false;
                      error ? self->close() : self->send_more();
                    });
}

void HttpSession::beat() {
  heartbeat_.expires_after(shared_.limits.heartbeat);
  heartbeat_.async_wait([self = shared_from_this()](const Error& error) {
    if (error || self->source_ == nullptr) return;  // closed meanwhile
    if (!self->sending_) self->send(self->source_->beat());
    self->beat();
  });
}

}  // namespace saccade::service
