// One connection of the API's server: requests one after the other, or a stream of events or results until
// the client disconnects. Uses Boost.Asio and Boost.Beast; included by the server only.
// Threads: the server's; a session lives as long as it has a pending operation. Errors: end it.
#pragma once

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "service/api/api.hpp"
#include "service/api/event_feed.hpp"
#include "service/http/body_budget.hpp"
#include "service/http/http_late.hpp"
#include "service/http/http_server.hpp"
#include "service/http/http_stream.hpp"
#include "service/http/stream_source.hpp"

namespace saccade::service {

class HttpSession;

struct HttpShared {  // shared by the sessions of a server
  Api api;
  EventFeed& feed;
  ResultFeed& results;
  const ServerLimits limits;
  std::shared_ptr<boost::asio::ssl::context> tls = {};  // of new sessions; null: plain HTTP
  BodyBudget bodies{limits.frame_bytes};                // of frames
  std::set<HttpSession*> sessions = {};
  std::size_t streams = 0;
  std::uint64_t waits = 0;  // ascending, one for each time a session begins to wait for its client
  LateAnswers* late = nullptr;
  std::size_t unsent = 0;               // responses being written
  std::function<void()> all_sent = {};  // called when there are none left; empty: no callback

  // Closes the session, other than `but`, that has waited longest; false: none is waiting. It is destroyed
  // once its handlers have run: until then it counts, but it is not displaced twice.
  bool displace(const HttpSession* but = nullptr);
};

// Target of reading a header: the session's buffer, of which at most `most` bytes are filled and consumed.
// The parser's own limit covers only what it has not consumed yet, and it consumes field by field (Boost
// 1.74).
class HeaderBuffer {
 public:
  using const_buffers_type = boost::beast::flat_buffer::const_buffers_type;
  using mutable_buffers_type = boost::beast::flat_buffer::mutable_buffers_type;

  explicit HeaderBuffer(boost::beast::flat_buffer& buffer) : buffer_(buffer) {}
  void begin(std::size_t most) { left_ = most; }

  [[nodiscard]] std::size_t size() const { return buffer_.size(); }
  [[nodiscard]] std::size_t max_size() const { return std::max(size(), std::min(left_, buffer_.max_size())); }
  [[nodiscard]] std::size_t capacity() const { return buffer_.capacity(); }
  [[nodiscard]] const_buffers_type data() const { return buffer_.data(); }
  [[nodiscard]] mutable_buffers_type prepare(std::size_t count) { return buffer_.prepare(count); }
  void commit(std::size_t count) { buffer_.commit(count); }
  void consume(std::size_t count) {
    left_ -= std::min(left_, count);
    buffer_.consume(count);
  }

 private:
  boost::beast::flat_buffer& buffer_;
  std::size_t left_ = 0;
};

class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;

  HttpSession(Socket socket, HttpShared& shared);
  ~HttpSession();
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;

  void start();
  void turn_away();  // no room: responds so and closes
  void close();
  // When it began to wait for its client; absent while it is being answered or streams.
  [[nodiscard]] std::optional<std::uint64_t> waiting_since() const { return waiting_since_; }
  void answer_late(const std::function<Response()>& make, bool keep_alive);
  void send_more();      // of its stream; no effect on a session without one
  void stop_streaming()  // its wake callback is no longer called
  {
    source_.reset();
  }

 private:
  using Error = boost::system::error_code;
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  using Answer = boost::beast::http::response<boost::beast::http::string_body>;

  void read();
  void on_header(const Error& error, std::size_t size);
  void read_body();
  void on_request(const Error& error);
  [[nodiscard]] Request request() const;
  [[nodiscard]] std::optional<Response> refuse() const;
  [[nodiscard]] bool take_room_for_body();
  [[nodiscard]] bool waits_to_go_on() const;
  void unreadable(const Error& error);
  [[nodiscard]] Response answered(Request asked);
  void wait_for(Response response, bool keep_alive);
  void answer(Response response, bool keep_alive);
  void linger();
  void wait_for_the_client();
  void stream(const Response& response);
  [[nodiscard]] std::unique_ptr<StreamSource> source_of(const Response& response);
  void watch_for_the_end();
  void beat();
  void send(std::string text);

  const std::shared_ptr<boost::asio::ssl::context> tls_;
  HttpStream stream_;
  std::string remote_;  // IP address; empty: over a socket file
  HttpShared& shared_;
  boost::beast::flat_buffer buffer_;
  HeaderBuffer header_{buffer_};
  std::optional<Parser> parser_;
  Request asked_;           // from its header; nothing after the body changes it
  std::string what_;        // method and target, for the log
  Found found_;             // for it
  BodyBudget::Share body_;  // of its body, where that is a frame
  std::optional<Answer> answer_;
  std::optional<std::uint64_t> waiting_since_;
  bool head_only_ = false;  // of the request being answered

  std::unique_ptr<StreamSource> source_;  // null: it does not stream
  bool streaming_ = false;                // occupies one of the stream places
  bool sending_ = false;
  std::string text_;  // being sent
  boost::asio::steady_timer heartbeat_;
};

}  // namespace saccade::service
