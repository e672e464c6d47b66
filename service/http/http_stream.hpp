// A connection of the API, in the clear or with TLS, which looks the same to what reads and writes it.
// Timeouts are those of the connection below. Threads: one. Errors: of the operations. Included by the
// server's sessions and the client alone.
#pragma once

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "base/result.hpp"
#include "config/api_config.hpp"

namespace saccade::service {

// The server's side. Errors: files that cannot be read, or do not belong together.
[[nodiscard]] Result<std::shared_ptr<boost::asio::ssl::context>> server_tls(const config::TlsFiles& files);
// The client's side. `authorities`: PEM file with the certificates that are trusted; empty: those of the
// system.
[[nodiscard]] Result<std::shared_ptr<boost::asio::ssl::context>> client_tls(const std::string& authorities);

class HttpStream {
 public:
  using Plain = boost::beast::basic_stream<boost::asio::generic::stream_protocol>;
  using Tls = boost::asio::ssl::stream<Plain&>;
  using executor_type = Plain::executor_type;

  // Null `tls`: plain HTTP; otherwise it must outlive the stream.
  template <class SocketOrContext>
  HttpStream(SocketOrContext&& from, boost::asio::ssl::context* tls)
      : plain_(std::forward<SocketOrContext>(from)) {
    if (tls != nullptr) tls_.emplace(plain_, *tls);
  }

  [[nodiscard]] executor_type get_executor() noexcept { return plain_.get_executor(); }
  [[nodiscard]] Plain& plain() { return plain_; }
  [[nodiscard]] Tls* tls() { return tls_ ? &*tls_ : nullptr; }

  // What Boost.Asio asks of a stream. The types of buffers and handlers end here: behind it, every operation
  // of a plain or an encrypted connection is compiled once.
  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    boost::asio::mutable_buffer first;
    for (auto it = boost::asio::buffer_sequence_begin(buffers);
         it != boost::asio::buffer_sequence_end(buffers) && first.size() == 0; ++it) {
      first = *it;
    }
    read_some(first, done_by(std::forward<Handler>(handler)));
  }
  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    Gathered gathered;
    std::size_t count = 0;
    for (auto it = boost::asio::buffer_sequence_begin(buffers);
         it != boost::asio::buffer_sequence_end(buffers) && count < gathered.size(); ++it) {
      if (const boost::asio::const_buffer buffer = *it; buffer.size() > 0) gathered[count++] = buffer;
    }
    write_some(gathered, done_by(std::forward<Handler>(handler)));
  }

 private:
  // As many as Boost.Asio hands to the kernel at a time. Written in parts, an answer waits for the client to
  // confirm the first: 40 ms.
  using Gathered = std::array<boost::asio::const_buffer, 64>;
  using Done = std::function<void(const boost::system::error_code&, std::size_t)>;

  // A handler cannot always be copied.
  template <class Handler>
  static Done done_by(Handler&& handler) {
    auto kept = std::make_shared<std::decay_t<Handler>>(std::forward<Handler>(handler));
    return [kept](const boost::system::error_code& error, std::size_t bytes) { (*kept)(error, bytes); };
  }
  void read_some(boost::asio::mutable_buffer into, Done done);
  void write_some(const Gathered& buffers, Done done);

  Plain plain_;
  std::optional<Tls> tls_;
};

}  // namespace saccade::service
