// The HTTP API as a function from request to response: no socket, no thread, no clock. One table says
// which methods and paths there are, what each may be sent and which query it takes; 404, 405 with
// Allow, HEAD and OPTIONS follow from it.
//
// Writes answer 202 with the generation that they made and never wait for an engine; mistakes answer
// 422 with a JSON pointer for each. A change of the whole configuration says which one it replaces
// (If-Match, 412 when another was faster, 428 without); patches may.
//
// Order for a server: admit() once the header is there, then the body up to most_body(), then
// handle(). Threads: those of the model. Errors: every failure is a Response.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "runtime/service/access.hpp"
#include "runtime/service/message.hpp"
#include "runtime/service/service_model.hpp"

namespace saccade::runtime {

class Api {
 public:
  Api(ServiceModel& model, Access access) : model_(model), access_(std::move(access)) {}

  // What is wrong with a request as far as its header shows; absent: its body may come.
  [[nodiscard]] std::optional<Response> admit(const Request& head) const;
  [[nodiscard]] static std::size_t most_body(const Request& head);
  // Health and metrics, for which a server keeps room when it is crowded.
  [[nodiscard]] static bool is_vital(const Request& head);
  [[nodiscard]] Response handle(Request request);

 private:
  ServiceModel& model_;
  const Access access_;
};

}  // namespace saccade::runtime
