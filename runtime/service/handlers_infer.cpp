#include <memory>
#include <utility>

#include "profiles/strict_json.hpp"
#include "runtime/service/handlers.hpp"
#include "runtime/service/infer_answer.hpp"
#include "runtime/sources/encoded_picture.hpp"

namespace saccade::runtime {
namespace {

struct Job {  // of one request, from the header to the answer
  Asked asked;
  Request request;
};

// `where`: in the request, the picture is.
Result<std::vector<float>> tensor_of(const InferRequest& request, const NetworkFacts& facts,
                                     const char* where) {
  const auto* picture = std::get_if<std::string>(&request.frame);
  if (picture == nullptr) return std::get<std::vector<float>>(request.frame);
  Result<std::vector<float>> frame = frame_of_picture(*picture, facts.regions, facts.input);
  if (frame) return frame;
  Errors errors = frame.errors();
  for (Error& error : errors) {
    if (!error.where.empty()) error.what.insert(0, error.where + ": ");
    error.where = where;
  }
  return errors;
}

// Reads, decodes and pushes; what becomes of the frame is told on the thread that ends it, where no time
// is to be lost: the words are made by who delivers them.
void infer(ServiceModel& model, const std::shared_ptr<Job>& job, const Response::Deliver& deliver) {
  const NetworkFacts& facts = job->asked.facts;
  const Request& sent = job->request;
  const auto refuse = [&](const Errors& errors) {
    deliver([errors] { return infer_problem(422, "the request was refused", errors); });
  };
  Result<InferRequest> request = read_infer_request(
      {sent.content_type, sent.inference_header_length, sent.body}, {facts.region_count, facts.input});
  if (!request) return refuse(request.errors());
  job->asked.id = std::move(request.value().id);
  job->asked.outputs = std::move(request.value().outputs);
  const char* where = is_picture_type(sent.content_type) ? "#" : "#/inputs/0";
  job->request = {};
  Result<std::vector<float>> frame = tensor_of(request.value(), facts, where);
  if (!frame) return refuse(frame.errors());
  // What an engine is given is trusted from here on.
  const auto expected = static_cast<std::size_t>(facts.region_count) * facts.input.size();
  if (frame.value().size() != expected) return refuse({{where, "is not of the task's size", ""}});
  const PushVerdict verdict = model.push(
      facts.task, {std::move(frame).value(), facts.input, facts.regions}, [job, deliver](FrameAnswer answer) {
        deliver([job, answer = std::move(answer)] { return infer_response(job->asked, answer); });
      });
  if (verdict == PushVerdict::accepted) return;
  deliver([verdict] { return infer_refusal(verdict); });
}

}  // namespace

Response handle_infer(ServiceModel& model, const Call& call) {
  std::optional<NetworkFacts> facts = model.network(call.id);
  if (!facts) return infer_problem(404, "there is no task " + profiles::in_quotes(call.id));
  if (!facts->pushed) return infer_refusal(PushVerdict::not_pushed);
  const auto job = std::make_shared<Job>();
  job->asked = {call.id, *std::move(facts), {}, {}};
  job->request = std::move(*call.request);
  Response response;
  response.later = [&model, job](const Response::Deliver& deliver) { infer(model, job, deliver); };
  return response;
}

}  // namespace saccade::runtime
