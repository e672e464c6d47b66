// A connection of the API, in the clear or with TLS, which looks the same to what reads and writes it.
// Timeouts are those of the connection below. Threads: one. Errors: of the operations. Included by the
// server's sessions and the client alone.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <memory>
#include <optional>
#include <string>
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

  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    tls_ ? tls_->async_read_some(buffers, std::forward<Handler>(handler))
         : plain_.async_read_some(buffers, std::forward<Handler>(handler));
  }
  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    tls_ ? tls_->async_write_some(buffers, std::forward<Handler>(handler))
         : plain_.async_write_some(buffers, std::forward<Handler>(handler));
  }

 private:
  Plain plain_;
  std::optional<Tls> tls_;
};

}  // namespace saccade::service
