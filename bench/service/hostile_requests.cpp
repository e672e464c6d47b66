#include <iterator>

#include "bench/service/hostile_parts.hpp"

namespace saccade::bench::hostile {

// --- JSON -----------------------------------------------------------------------------------------

std::string deep_json(Source& from) {
  const std::size_t depth = from.below(16) == 0 ? from.between(10'000, 100'000) : from.between(33, 500);
  const bool lists = from.below(2) == 0;
  std::string text = repeated(lists ? "[" : "{\"a\":", depth);
  if (from.below(2) == 0) text += (lists ? "" : "0") + std::string(depth, lists ? ']' : '}');
  return with_json(any_write(from), text);
}

std::string duplicate_keys(Source& from) {
  switch (from.below(4)) {
    case 0:
      return with_json("PATCH /v1/tasks/" + from.task(), R"({"fps": 5, "fps": 5})");
    case 1:
      return with_json("PATCH /v1/limits", R"({"memory_bytes": 9e8, "memory_bytes": 9e8})");
    case 2:
      return with_json("POST /v1/plan/dry-run",
                       R"({"tasks": {")" + from.task() + R"(": {"fps": 1, "fps": 1}}})");
    default:  // every complaint would repeat a long key
      return with_json(any_write(from), "{\"" + std::string(from.between(1, 20'000), 'k') + "\":{" +
                                            repeated("\"a\":0,", from.between(2, 3000)) + "\"a\":0}}");
  }
}

// Documents that are small to send and would be dear to read.
std::string costly_json(Source& from) {
  const std::size_t count = from.below(16) == 0 ? from.between(10'000, 60'000) : from.between(500, 3000);
  std::string text = "{";
  switch (from.below(3)) {
    case 0:
      for (std::size_t i = 0; i < count; ++i) text += "\"k" + std::to_string(i) + "\":0,";
      return with_json(any_write(from), text + "\"z\":0}");
    case 1:
      return with_json("PATCH /v1/tasks/" + from.task(), "{\"regions\":[" + repeated("7,", count) + "7]}");
    default:
      text += R"("version":1,"processors":[{"name":"cpu"}],"tasks":[{"fps":-1})" +
              repeated(R"(,{"fps":-1})", count / 3);
      return with_json("POST /v1/config/validate",
                       text + R"(],"timeline":[{})" + repeated(",{}", count) + "]}");
  }
}

namespace {

struct Mistake {
  std::string_view target;  // "": a task
  std::string_view body;
};
constexpr Mistake kMistakes[] = {
    {"", "{\"fps\": -1}"},
    {"", "{\"fps\": 1e6}"},
    {"", "{\"fps\": 1e999}"},
    {"", "{\"fps\": \"5\"}"},
    {"", "{\"fps\": null}"},
    {"", "{\"fps\": NaN}"},
    {"", "{\"id\": \"another\"}"},
    {"", "{\"id\": null}"},
    {"", "{\"wieght\": 3}"},
    {"", "{\"weight\": 0}"},
    {"", "{\"priority\": 1.5}"},
    {"", "{\"min_accuracy\": 2}"},
    {"", "{\"min_fps\": -1}"},
    {"", "{\"profiles\": \"/etc/passwd\"}"},
    {"", "{\"profiles\": \"../../../../../etc/shadow\"}"},
    {"", "{\"profiles\": \"/dev/zero\"}"},
    {"", "{\"profiles\": 7}"},
    {"", "{\"source\": null}"},
    {"", "{\"source\": {\"type\": \"push\"}}"},
    {"", "{\"source\": {\"type\": \"images\", \"path\": \"/proc/self/mem\"}}"},
    {"", "{\"regions\": {\"grid\": [0, 0]}}"},
    {"", "{\"regions\": []}"},
    {"", "[]"},
    {"", "null"},
    {"", "\"fps\""},
    {"", ""},
    {"", "{\"fps\": 5}}"},
    {"", "{\"\xff\": 5}"},
    {"PATCH /v1/limits", "{\"memory_bytes\": -1}"},
    {"PATCH /v1/limits", "{\"memory_bytes\": \"9e8\"}"},
    {"PATCH /v1/limits", "{\"memory\": 9e8}"},
    {"PATCH /v1/limits", "7"},
    {"PUT /v1/objective", "\"fastest\""},
    {"PUT /v1/objective", "{}"},
    {"PUT /v1/objective", "max_accuracy"},
    {"PUT /v1/config", "{\"version\": 1}"},
    {"POST /v1/config/validate", "{\"version\": 2}"},
    {"POST /v1/config/reload", "{}"},
    {"POST /v1/plan/dry-run", "{\"tasks\": {\"nobody\": {\"fps\": 1}}}"},
    {"POST /v1/plan/dry-run", "{\"objective\": 1}"},
};

}  // namespace

std::string bad_patch(Source& from) {
  const Mistake& mistake = kMistakes[from.below(std::size(kMistakes))];
  const std::string line =
      mistake.target.empty() ? "PATCH /v1/tasks/" + from.task() : std::string(mistake.target);
  return with_json(line, mistake.body, from.below(4) == 0 ? "If-Match: *\r\n" : "");
}

// --- Addresses ------------------------------------------------------------------------------------

std::string traversal(Source& from) {
  static constexpr std::string_view kTargets[] = {"/v1/tasks/../config",
                                                  "/v1/tasks/%2e%2e/config",
                                                  "/v1/tasks/..%2fconfig",
                                                  "/v1/tasks/%2e/",
                                                  "/v1/tasks/..%5cconfig",
                                                  "/v1/tasks/a%00b",
                                                  "/v1/tasks/%",
                                                  "/v1/tasks/%zz",
                                                  "/v1/tasks//thumbnail",
                                                  "/v1/tasks/",
                                                  "/v1//status",
                                                  "/../../etc/passwd",
                                                  "/v2/models/../../etc",
                                                  "/v2/models/%2fetc/ready",
                                                  "/dashboard.js/../x",
                                                  "/v1/status?x=1",
                                                  "/v1/status;jsessionid=1",
                                                  "/v1/status#top",
                                                  "/v1/config?dry_run=2",
                                                  "/V1/STATUS",
                                                  "/v1/tasks/..;/config",
                                                  "/v1/tasks/%c0%ae%c0%ae",
                                                  "/v1/tasks/\\..\\x",
                                                  "/v1/status?%00",
                                                  "/v1/tasks/nobody/thumbnail"};
  static constexpr std::string_view kMethods[] = {"GET", "PATCH", "PUT", "POST", "DELETE"};
  std::string target(from.any_of(kTargets));
  if (from.below(8) == 0) target = "/v1/tasks/" + std::string(from.between(65, 4000), 'x');
  if (from.below(8) == 0) target = repeated("/x", from.between(17, 2000));
  return with_json(std::string(from.any_of(kMethods)) + " " + target,
                   from.below(2) == 0 ? "" : "{\"weight\": 3}");
}

// Perfect but for where it comes from.
std::string foreign(Source& from) {
  static constexpr std::string_view kHosts[] = {"evil.example",
                                                "localhost.evil.example",
                                                "127.0.0.1.evil.example",
                                                "evil@localhost",
                                                "localhost:80:80",
                                                "localhost:",
                                                "[::1",
                                                "0.0.0.0",
                                                "169.254.169.254",
                                                "localhost/",
                                                "127.1",
                                                "[::ffff:127.0.0.1]",
                                                "localhost, evil.example"};
  static constexpr std::string_view kOrigins[] = {"null",
                                                  "http://evil.example",
                                                  "https://localhost",
                                                  "http://localhost.evil.example",
                                                  "http://localhost@evil.example",
                                                  "http://localhost:81",
                                                  "file://"};
  const std::string who = from.below(2) == 0
                              ? "Host: " + std::string(from.any_of(kHosts)) + "\r\n"
                              : kHost + ("Origin: " + std::string(from.any_of(kOrigins))) + "\r\n";
  switch (from.below(3)) {
    case 0:
      return "GET /v1/status HTTP/1.1\r\n" + who + "\r\n";
    case 1:
      return with_length("PATCH /v1/tasks/" + from.task(), who + kJson, "{\"weight\": 3}");
    default:
      return "POST /v1/config/reload HTTP/1.1\r\n" + who + "\r\n";
  }
}

std::string wrong_method(Source& from) {
  static constexpr std::string_view kLines[] = {"DELETE /v1/config",  "POST /v1/status",  "DELETE /v1/limits",
                                                "PUT /metrics",       "POST /livez",      "BREW /v1/tasks",
                                                "PUT /v1/tasks/gate", "GET /v1/objective"};
  if (from.below(3) > 0) return with_json(from.any_of(kLines), from.below(2) == 0 ? "" : "{}");
  static constexpr std::string_view kTypes[] = {"text/plain", "application/x-www-form-urlencoded",
                                                "multipart/form-data; boundary=x", "application/jsonx"};
  return with_length("PATCH /v1/tasks/" + from.task(),
                     kHost + ("Content-Type: " + std::string(from.any_of(kTypes))) + "\r\n",
                     "{\"weight\": 3}");
}

}  // namespace saccade::bench::hostile
