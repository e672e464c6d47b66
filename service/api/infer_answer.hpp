// What a client gets for a frame that it sent: the answer of the network in the words of KServe v2, with
// the variant that gave it, or why there is none.
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
  NetworkFacts facts;   // of the task when the request came
  std::string version;  // that was addressed; empty: whichever serves
  std::string id;       // of the request
  std::vector<WantedOutput> outputs;
};

// 200, or 503 with the reason when the frame was dropped.
[[nodiscard]] Response infer_response(const Asked& asked, const runtime::FrameAnswer& answer);
// 409: another variant than the one that was addressed serves, or none (empty).
[[nodiscard]] Response wrong_version(const std::string& asked, const std::string& serving);
// 429, 409 or 503: the frame was not accepted.
[[nodiscard]] Response infer_refusal(runtime::PushVerdict verdict);
// A problem as clients of KServe read it, too: `error` says what is wrong.
[[nodiscard]] Response infer_problem(int status, const std::string& detail, const Errors& errors = {});

}  // namespace saccade::service
