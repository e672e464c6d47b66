// The body of an inference request (KServe v2, Open Inference Protocol, REST) as values: one frame of a
// task, as tensor or as encoded picture, and how the client wants the answer. Three ways to send it:
//   JSON                inputs: [{name, shape, datatype, data}]
//   binary tensor data  such JSON, followed by the tensor's bytes; a header says where the JSON ends
//   a picture           the body is a JPEG or PNG file, as its Content-Type says
// and three datatypes of the one input: FP32 (as the network takes it: NCHW, RGB, 0 to 1), UINT8 (the same
// in steps of 1/255), BYTES (one encoded picture, in JSON as base64).
// Threads: functions without state. Errors: all of a request at once; `where` is a JSON pointer as a
// fragment, `#` for the body as a whole.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "profiles/profile_set.hpp"

namespace saccade::service {

inline constexpr const char* kInferInput = "input";  // of classifiers, and if the interface names none

struct WantedOutput {
  std::string name;
  bool binary = false;  // after the JSON
};

struct InferBody {
  std::string_view content_type;
  std::string_view json_length;  // the header Inference-Header-Content-Length; empty: absent
  std::string_view bytes;
};
struct InferTarget {
  std::int64_t regions = 1;
  profiles::InputShape input;
  std::string input_name = kInferInput;
  std::vector<std::string> outputs;  // available outputs
};
struct InferRequest {
  std::string id;                                       // returned in the response; may be empty
  std::variant<std::vector<float>, std::string> frame;  // of the target's size, or an encoded picture
  std::vector<WantedOutput> outputs;
};

[[nodiscard]] bool is_picture_type(std::string_view content_type);
[[nodiscard]] Result<InferRequest> read_infer_request(const InferBody& body, const InferTarget& target);

}  // namespace saccade::service
