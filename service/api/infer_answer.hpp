// The response to a frame that a client pushed: the network's answer in the format of KServe v2, with the
// variant that gave it, or the reason why there is none.
// Threads: functions without state.
#pragma once

#include <string>
#include <vector>

#include "runtime/real/pushed_frame.hpp"
#include "service/api/infer_request.hpp"
#include "service/api/message.hpp"
#include "service/api/service_model.hpp"

namespace saccade::service {

struct Asked {
  std::string task;
  NetworkFacts facts;   // of the task when the request arrived
  std::string version;  // requested version; empty: whichever serves
  std::string id;       // of the request
  std::vector<WantedOutput> outputs;
};

// 200, or 503 with the reason if the frame was dropped.
[[nodiscard]] Response infer_response(const Asked& asked, const runtime::FrameAnswer& answer);
// 409: a variant other than the requested one serves, or none (empty).
[[nodiscard]] Response wrong_version(const std::string& asked, const std::string& serving);
// 429, 409 or 503: the frame was not accepted.
[[nodiscard]] Response infer_refusal(runtime::PushVerdict verdict);
// 409: another box of the fleet has the task since; also to other requests for it. `target`: of the request.
[[nodiscard]] Response served_elsewhere(const MovedTask& moved, const std::string& target);
// A problem in a form that KServe clients understand as well: `error` has the message.
[[nodiscard]] Response infer_problem(int status, const std::string& detail, const Errors& errors = {});

}  // namespace saccade::service
