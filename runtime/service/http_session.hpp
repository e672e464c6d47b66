// One connection of the API's server: requests one after the other, or a stream of events until the
// client leaves. Sees Boost.Asio and Boost.Beast; included by the server alone.
// Threads: the server's; a session lives as long as something of it is under way. Errors: end it.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "runtime/service/api.hpp"
#include "runtime/service/event_feed.hpp"
#include "runtime/service/http_late.hpp"
#include "runtime/service/http_server.hpp"

namespace saccade::runtime {

class HttpSession;

struct HttpShared {  // what the sessions of a server have in common
  Api api;
  EventFeed& feed;
  const ServerLimits limits;
  std::set<HttpSession*> sessions = {};
  std::size_t streams = 0;
  std::uint64_t waits = 0;  // counts up, one for each time a session begins to wait for its client
  LateAnswers* late = nullptr;
  std::size_t unsent = 0;               // answers that are being written
  std::function<void()> all_sent = {};  // called when there is none any more; empty: nobody minds
};

class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;

  HttpSession(Socket socket, HttpShared& shared);
  ~HttpSession();
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;

  void start() { read(); }
  void turn_away();  // no room: says so and closes
  void close();
  // Since when it has been waiting for its client; absent while it is being answered or streams.
  [[nodiscard]] std::optional<std::uint64_t> waiting_since() const { return waiting_since_; }
  void answer_late(const std::function<Response()>& make, bool keep_alive);
  void send_events();  // as many as there are; does nothing for a session without a stream

 private:
  using Error = boost::system::error_code;
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  using Answer = boost::beast::http::response<boost::beast::http::string_body>;

  void read();
  void on_header(const Error& error);
  void read_body();
  void on_request(const Error& error);
  [[nodiscard]] Request request() const;
  [[nodiscard]] std::optional<Response> refuse(const Request& head) const;
  void unreadable(const Error& error);
  [[nodiscard]] Response answered(Request asked);
  void wait_for(Response response, bool keep_alive);
  void answer(Response response, bool keep_alive);
  void linger();
  void stream(const Response& response);
  void watch_for_the_end();
  void beat();
  void send(std::string text);

  boost::beast::basic_stream<boost::asio::generic::stream_protocol> stream_;
  HttpShared& shared_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::optional<Answer> answer_;
  std::optional<std::uint64_t> waiting_since_;
  bool head_only_ = false;  // of the request being answered

  bool streaming_ = false;
  bool sending_ = false;
  std::uint64_t last_event_ = 0;
  std::string text_;  // being sent
  boost::asio::steady_timer heartbeat_;
};

}  // namespace saccade::runtime
