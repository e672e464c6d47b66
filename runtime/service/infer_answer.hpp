// What a client gets for a frame that it sent: the answer of the network in the words of KServe v2, with
// the variant that gave it, or why there is none.
// Threads: functions without state.
#pragma once

#include <string>
#include <vector>

#include "runtime/pushed_frame.hpp"
#include "runtime/service/infer_request.hpp"
#include "runtime/service/message.hpp"
#include "runtime/service/service_model.hpp"

namespace saccade::runtime {

struct Asked {
  std::string task;
  NetworkFacts facts;  // of the task when the request came
  std::string id;      // of the request
  std::vector<WantedOutput> outputs;
};

// 200, or 503 with the reason when the frame was dropped.
[[nodiscard]] Response infer_response(const Asked& asked, const FrameAnswer& answer);
// 429, 409 or 503: the frame was not accepted.
[[nodiscard]] Response infer_refusal(PushVerdict verdict);
// A problem as clients of KServe read it, too: `error` says what is wrong.
[[nodiscard]] Response infer_problem(int status, const std::string& detail, const Errors& errors = {});

}  // namespace saccade::runtime
