// What the networks see: the stream of results, the newest one of a task, and its picture.
#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "results/record.hpp"
#include "service/api/handlers.hpp"
#include "service/api/problem.hpp"
#include "text/strict_json.hpp"

namespace saccade::service {
namespace {

constexpr const char* kLinesType = "application/x-ndjson";
constexpr const char* kEventsType = "text/event-stream";

Response unknown_task(const std::string& id) {
  return problem(404, "there is no task " + text::in_quotes(id));
}

std::string value_of(const Call& call, const std::string& name) {
  const auto found = call.query.find(name);
  return found == call.query.end() ? std::string() : found->second;
}

// "a,b"; empty: none.
std::set<std::string> names_in(const std::string& list) {
  std::set<std::string> names;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    names.insert(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

// Absent: the query names none of the two.
std::optional<ResultFormat> format_of(const Call& call) {
  const std::string asked = value_of(call, "format");
  if (asked == "sse") return ResultFormat::events;
  if (asked == "ndjson") return ResultFormat::lines;
  if (!asked.empty()) return std::nullopt;
  const std::string& accept = call.request->accept;
  const std::size_t lines = accept.find(kLinesType);
  return lines != std::string::npos && lines < accept.find(kEventsType) ? ResultFormat::lines
                                                                        : ResultFormat::events;
}

std::optional<double> score_in(const std::string& text) {
  double score = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), score);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && score >= 0.0 && score <= 1.0 ? std::optional(score) : std::nullopt;
}

// Of `label` and `min_score`; an answer where they are wrong.
std::optional<Response> read_filter(const ServiceModel& model, const Call& call, ResultStream& stream) {
  const std::set<std::string> labels = names_in(value_of(call, "label"));
  if (!labels.empty()) {
    const std::vector<std::string> known = model.labels(stream.wanted.tasks);
    for (const std::string& label : labels) {
      if (std::binary_search(known.begin(), known.end(), label)) continue;
      const std::string meant = text::nearest(label, known);
      return problem(400, "no network here knows the label " + text::in_quotes(label) +
                              (meant.empty() ? "" : ": did you mean " + text::in_quotes(meant) + "?"));
    }
    stream.filter.labels.assign(labels.begin(), labels.end());
  }
  const std::string least = value_of(call, "min_score");
  if (least.empty()) return std::nullopt;
  const std::optional<double> score = score_in(least);
  if (!score) return problem(400, "the query parameter `min_score` is a number between 0 and 1");
  stream.filter.min_score = *score;
  return std::nullopt;
}

}  // namespace

Response handle_results(ServiceModel& model, const Call& call) {
  const std::optional<ResultFormat> format = format_of(call);
  if (!format) return problem(400, "the query parameter `format` is sse or ndjson");
  ResultStream stream{{names_in(value_of(call, "task")), {}}, {}, *format};
  for (const std::string& id : stream.wanted.tasks) {
    if (!model.has_task(id)) return unknown_task(id);
  }
  if (const auto wrong = read_filter(model, call, stream)) return *wrong;
  const std::string& last = call.request->last_event_id;
  if (!last.empty()) {
    std::uint64_t after = 0;
    const char* const end = last.data() + last.size();
    const auto [stop, failure] = std::from_chars(last.data(), end, after);
    if (failure != std::errc{} || stop != end)
      return problem(400, "Last-Event-ID is not a number of a result");
    stream.wanted.after = after;
  }
  Response response{200, *format == ResultFormat::lines ? kLinesType : kEventsType};
  response.headers.emplace_back("Cache-Control", "no-store");
  response.results = std::move(stream);
  return response;
}

Response handle_result(ServiceModel& model, const Call& call) {
  if (!model.has_task(call.id)) return unknown_task(call.id);
  const ResultFeed::Item newest = model.results().newest(call.id);
  if (newest != nullptr) return json_response(results::record_of(*newest, model.results().node()) + "\n");
  Response none{204, ""};
  none.headers.emplace_back("Cache-Control", "no-store");
  return none;
}

Response handle_snapshot(ServiceModel& model, const Call& call) {
  const std::string value = value_of(call, "boxes");
  const bool without = value == "0" || value == "false";
  if (!without && !value.empty() && value != "1" && value != "true")
    return problem(400, "the query parameter `boxes` is true or false");
  std::optional<Snapshot> snapshot = model.snapshot(call.id);
  if (!snapshot) return unknown_task(call.id);
  if (!snapshot->draw) {
    Response none{204, ""};
    none.headers = {{"Cache-Control", "no-store"}, {"Retry-After", "1"}};
    return none;
  }
  const std::string frame = std::to_string(snapshot->frame);
  // Frames are counted anew by a service that begins again.
  const std::string etag = "\"" + snapshot->captured_at + "-" + frame + (without ? "\"" : "-boxes\"");
  Response response{200, "image/jpeg"};
  response.headers = {{"Cache-Control", "no-cache"},
                      {"ETag", etag},
                      {"Saccade-Frame", frame},
                      {"Saccade-Captured-At", snapshot->captured_at}};
  if (call.request->if_none_match == etag) {
    response.status = 304;
    response.content_type.clear();
    return response;
  }
  Response later;
  later.later = [draw = std::move(snapshot->draw), without,
                 response = std::move(response)](const Response::Deliver& deliver) {
    Response drawn = response;
    drawn.body = draw(!without);
    if (drawn.body.empty()) drawn = problem(500, "the picture cannot be written as JPEG");
    deliver([drawn = std::move(drawn)] { return drawn; });
  };
  return later;
}

}  // namespace saccade::service
