// The HTTP API as a function from request to response: no socket, no thread, no clock. One table lists
// methods and paths with the bodies and queries they accept; 404, 405 with Allow, HEAD and OPTIONS follow
// from it.
//
// Writes return 202 with the generation they created and never wait for an engine; invalid documents get 422
// with a JSON pointer for each mistake. A replacement of the whole configuration names the one it replaces
// (If-Match; 412 if it has changed meanwhile, 428 if missing); patches may.
//
// Order for a server: find() and refused() once the header has been read, then the body up to most_body, then
// handle() with the result of find(). Threads: those of the model. Errors: every failure is a Response.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "service/api/access.hpp"
#include "service/api/failed_attempts.hpp"
#include "service/api/message.hpp"
#include "service/api/service_model.hpp"

namespace saccade::service {

struct Route;

// The route of a request, by its method and target.
struct Found {
  const Route* route = nullptr;  // null: respond with `refusal`
  std::string id;                // of the task in the path; any text
  std::string version;           // of its network in the path; any text, empty: not given
  std::map<std::string, std::string> query;
  Response refusal;
  std::size_t most_body = 0;  // bytes
  bool frame = false;         // the body is held until it has been decoded
  bool vital = false;         // health and metrics, for which a busy server reserves room
};

class Api {
 public:
  Api(ServiceModel& model, Access access,
      std::shared_ptr<const Clock> clock = std::make_shared<const SteadyClock>())
      : model_(model), access_(std::move(access)), clock_(std::move(clock)) {}

  [[nodiscard]] static Found find(const Request& head);
  // The error of a request as far as its header shows; absent: the body may be read.
  [[nodiscard]] std::optional<Response> refused(const Found& found, const Request& head);
  // `found`: for the same header, which was not refused.
  [[nodiscard]] Response handle(const Found& found, Request request);
  [[nodiscard]] Response handle(Request request);  // all steps at once

 private:
  ServiceModel& model_;
  const Access access_;
  std::shared_ptr<const Clock> clock_;
  FailedAttempts attempts_;
};

}  // namespace saccade::service
