// The sockets of the API: accepts connections, enforces their limits, and calls the handlers (api.hpp). One
// thread does all that is short; the serving threads never wait for a client.
//
// What a client may cost: a request has to arrive completely, header and body, within `request_time`, and a
// response has to be read within `answer_time`, or the connection is closed. The connection that has waited
// longest without a complete request is closed to make room: for a new one when all are taken, and for a
// request when only the last few are left. If none is waiting, these few serve health and metrics only, and a
// new connection is refused.
//
// Frames that clients push are parsed and decoded on a second thread, the texts of long documents are made on
// a third one, and only their client waits for the outcome. At shutdown the clients still waiting get a
// response that says so.
//
// Streams of events and of results each follow a bounded ring (api/event_feed.hpp, api/result_feed.hpp): a
// stream that is too slow loses the oldest entries and is told; one that reads nothing for `answer_time` is
// closed.
//
// A certificate that was replaced is read again when the next client connects, at most once in
// `certificate_pause`; one that cannot be used changes nothing.
//
// Threads: three of its own, restricted to `cpus`; open() and the destructor from one thread. The model is
// called on its own threads (service_model.hpp specifies which). Errors: open() reports an address that
// cannot be bound; later errors only end a connection.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "service/api/access.hpp"
#include "service/api/event_feed.hpp"
#include "service/api/service_model.hpp"

namespace saccade::service {

struct ServerLimits {
  std::size_t connections = 32;
  std::size_t vital_connections = 4;  // of these; reserved for health and metrics
  std::size_t event_streams = 8;      // of events and results together
  std::size_t header_bytes = 8192;
  std::size_t frame_bytes = 64UL * 1024UL * 1024UL;  // total size of bodies that wait for decoding
  Duration request_time = std::chrono::seconds(5);
  Duration answer_time = std::chrono::seconds(5);
  Duration heartbeat = std::chrono::seconds(15);  // of a stream without events
  Duration certificate_pause = std::chrono::seconds(1);
};

class HttpServer {
 public:
  // On the server's thread: the files of the certificate have changed. Success: new connections use the new
  // one; errors: why they still use the former one.
  using CertificateNews = std::function<void(const Status&)>;
  // Model and feed must outlive the server.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> open(const Access& access, ServiceModel& model,
                                                                EventFeed& feed,
                                                                const ServerLimits& limits = {},
                                                                const std::vector<int>& cpus = {},
                                                                CertificateNews certificate_news = {});
  ~HttpServer();  // closes every connection; a response in progress may take half a second
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] const config::ListenAddress& address() const;  // with the port that was bound

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade::service
