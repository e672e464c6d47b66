// The sockets of the API: takes connections, holds them to their limits, and asks the handlers
// (api.hpp). One thread does everything; nothing of the serving threads ever waits for a client.
//
// What a client may cost: a request has to be there, header and body, within `request_time` and an
// answer has to be taken within `answer_time`, or the connection is closed. The connection that has waited
// longest without a whole request makes room: for a new one when all are taken, and for a request when
// only the last few are left. Where none waits, these few answer health and metrics only, and a new
// connection is turned away.
//
// Frames that clients send are read and decoded on a second thread, and nobody but their client waits for
// what becomes of them. At the end whoever still waits is told so.
//
// Streams of events and of results follow a bounded ring each (api/event_feed.hpp, api/result_feed.hpp): one
// that is too slow loses the oldest and is told, and one that takes nothing for `answer_time` is closed.
//
// Threads: two inside, kept to `cpus`; open() and the destructor from one thread. The model is called
// on the threads inside (service_model.hpp says what on which). Errors: open() says what cannot be listened
// on; later trouble ends a connection and no more.
#pragma once

#include <cstddef>
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
  std::size_t vital_connections = 4;  // of these; for health and metrics alone
  std::size_t event_streams = 8;      // of events and results together
  std::size_t header_bytes = 8192;
  std::size_t frame_bytes = 64UL * 1024UL * 1024UL;  // of bodies that wait for decoding, together
  Duration request_time = std::chrono::seconds(5);
  Duration answer_time = std::chrono::seconds(5);
  Duration heartbeat = std::chrono::seconds(15);  // of a stream without events
};

class HttpServer {
 public:
  // Model and feed outlive the server.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> open(const Access& access, ServiceModel& model,
                                                                EventFeed& feed,
                                                                const ServerLimits& limits = {},
                                                                const std::vector<int>& cpus = {});
  ~HttpServer();  // closes every connection; what is being answered may take half a second
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] const config::ListenAddress& address() const;  // with the port that was bound

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade::service
