#include "service/api/problem.hpp"

#include <nlohmann/json.hpp>

namespace saccade::service {

const char* to_string(Method method) {
  switch (method) {
    case Method::get:
      return "GET";
    case Method::head:
      return "HEAD";
    case Method::options:
      return "OPTIONS";
    case Method::put:
      return "PUT";
    case Method::post:
      return "POST";
    case Method::patch:
      return "PATCH";
    case Method::remove:
      return "DELETE";
    case Method::other:
      break;
  }
  return "";
}

const char* status_words(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 409:
      return "Conflict";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 428:
      return "Precondition Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Internal Server Error";
  }
}

Response problem(int status, const std::string& detail) { return problem(status, detail, {}); }

Response problem(int status, const std::string& detail, const Errors& errors, const ProblemMembers& members) {
  nlohmann::ordered_json json = {
      {"type", "about:blank"}, {"title", status_words(status)}, {"status", status}, {"detail", detail}};
  for (const Error& error : errors) {
    nlohmann::ordered_json entry = {{"pointer", error.where}, {"detail", error.what}};
    if (!error.hint.empty()) entry["hint"] = error.hint;
    json["errors"].push_back(std::move(entry));
  }
  for (const auto& [name, text] : members) json[name] = nlohmann::ordered_json::parse(text);
  // What a client sent may come back in a sentence: whatever is no UTF-8 is replaced.
  Response response{status, "application/problem+json"};
  response.body = json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  return response;
}

}  // namespace saccade::service
