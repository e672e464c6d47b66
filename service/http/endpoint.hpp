// A listening address as Boost.Asio's type, for the server and the client alike.
// Threads: pure. Errors: none; the address has been read (config/listen_address.hpp).
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include "config/listen_address.hpp"

namespace saccade::service {

[[nodiscard]] inline boost::asio::generic::stream_protocol::endpoint endpoint_of(
    const config::ListenAddress& address) {
  namespace asio = boost::asio;
  if (address.is_socket()) return {asio::local::stream_protocol::endpoint(address.socket.string())};
  return {asio::ip::tcp::endpoint(asio::ip::make_address(address.ip), address.port)};
}

}  // namespace saccade::service
