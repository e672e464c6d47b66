#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/crash_note.hpp"
#include "runtime/sources/encoded_picture.hpp"
#include "runtime/sources/number_frame.hpp"
#include "service/api/handlers.hpp"
#include "service/api/infer_answer.hpp"
#include "text/strict_json.hpp"

namespace saccade::service {
namespace {

struct Job {  // of one request, from the header to the answer
  Asked asked;
  Request request;
};

// `where`: in the request, the picture is.
Result<runtime::Frame> frame_of(InferRequest& request, const NetworkFacts& facts, const char* where) {
  if (auto* numbers = std::get_if<std::vector<float>>(&request.frame)) {
    // What an engine is given is trusted from here on.
    if (numbers->size() != static_cast<std::size_t>(facts.region_count) * facts.input.size())
      return Error{where, "is not of the task's size", ""};
    return runtime::frame_of_numbers(std::move(*numbers), facts.input, facts.takes);
  }
  Result<runtime::Frame> frame =
      runtime::frame_of_picture(std::get<std::string>(request.frame), facts.regions, facts.takes);
  if (frame) return frame;
  Errors errors = frame.errors();
  for (Error& error : errors) {
    if (!error.where.empty()) error.what.insert(0, error.where + ": ");
    error.where = where;
  }
  return errors;
}

InferTarget target_of(const NetworkFacts& facts) {
  InferTarget target{facts.region_count, facts.input, facts.inputs.at(0).name, {}};
  for (const NetworkTensor& output : facts.outputs) target.outputs.push_back(output.name);
  return target;
}

// Reads, decodes and pushes; what becomes of the frame is told on the thread that ends it, where no time
// is to be lost: the words are made by who delivers them.
void infer(ServiceModel& model, const std::shared_ptr<Job>& job, const Response::Deliver& deliver) {
  const NetworkFacts& facts = job->asked.facts;
  const Request& sent = job->request;
  const CrashNote note({"a request to infer for task ", job->asked.task, " (", sent.content_type, ", ",
                        std::to_string(sent.body.size()), " bytes)"});
  const auto refuse = [&](const Errors& errors) {
    deliver([errors] { return infer_problem(422, "the request was refused", errors); });
  };
  Result<InferRequest> request =
      read_infer_request({sent.content_type, sent.inference_header_length, sent.body}, target_of(facts));
  if (!request) return refuse(request.errors());
  job->asked.id = std::move(request.value().id);
  job->asked.outputs = std::move(request.value().outputs);
  const char* where = is_picture_type(sent.content_type) ? "#" : "#/inputs/0";
  job->request = {};
  Result<runtime::Frame> frame = frame_of(request.value(), facts, where);
  if (!frame) return refuse(frame.errors());
  const runtime::PushVerdict verdict =
      model.push(facts.task, {std::move(frame).value(), facts.input, facts.regions},
                 [job, deliver](runtime::FrameAnswer answer) {
                   deliver([job, answer = std::move(answer)] { return infer_response(job->asked, answer); });
                 });
  if (verdict == runtime::PushVerdict::accepted) return;
  deliver([verdict] { return infer_refusal(verdict); });
}

}  // namespace

Response handle_infer(ServiceModel& model, const Call& call) {
  // First: the box may keep an engine ready for it, and takes no frames for that.
  if (const auto moved = model.moved(call.id)) return served_elsewhere(*moved, call.request->target);
  std::optional<NetworkFacts> facts = model.network(call.id);
  if (!facts) return infer_problem(404, "there is no task " + text::in_quotes(call.id));
  if (!call.version.empty()) {
    const auto& versions = facts->versions;
    if (std::find(versions.begin(), versions.end(), call.version) == versions.end())
      return infer_problem(404, "there is no version " + text::in_quotes(call.version) + " of this task");
    if (facts->serving != call.version) return wrong_version(call.version, facts->serving);
  }
  if (!facts->pushed) return infer_refusal(runtime::PushVerdict::not_pushed);
  const auto job = std::make_shared<Job>();
  job->asked = {call.id, *std::move(facts), call.version, {}, {}};
  job->request = std::move(*call.request);
  Response response;
  response.later = [&model, job](const Response::Deliver& deliver) { infer(model, job, deliver); };
  return response;
}

}  // namespace saccade::service
