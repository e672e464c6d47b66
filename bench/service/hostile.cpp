#include "bench/service/hostile.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <span>
#include <utility>

#include "base/check.hpp"

namespace saccade::bench {
namespace {

constexpr const char* kHost = "Host: localhost\r\n";
constexpr const char* kJson = "Content-Type: application/json\r\n";
constexpr const char* kBroken = "{\"fps\": 5,";  // whatever else is refused or not, this is

// What the makers of requests draw from.
struct Source {
  std::mt19937_64 random;
  const std::vector<std::string>& tasks;

  // Not a distribution of the standard library's, which differ from one to the next.
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random() % end); }
  std::size_t between(std::size_t least, std::size_t most) { return least + below(most - least + 1); }
  template <std::size_t kCount>
  std::string_view any_of(const std::string_view (&list)[kCount]) {
    return list[below(kCount)];
  }
  const std::string& task() { return tasks[below(tasks.size())]; }
  std::string bytes(std::size_t count) {
    std::string text(count, '\0');
    for (char& c : text) c = static_cast<char>(random() & 0xffU);
    return text;
  }
};

std::string with_length(std::string_view line, std::string_view headers, std::string_view body) {
  std::string text(line);
  text.append(" HTTP/1.1\r\n").append(headers);
  text.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n\r\n");
  return text.append(body);
}

std::string with_json(std::string_view line, std::string_view body, std::string_view headers = {}) {
  return with_length(line, std::string(kHost) + kJson + std::string(headers), body);
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

// Method and target of something that takes a document. What is sent there is not to be valid.
std::string any_write(Source& from) {
  switch (from.below(6)) {
    case 0:
      return "PATCH /v1/limits";
    case 1:
      return "PUT /v1/objective";
    case 2:
      return "POST /v1/config/validate";
    case 3:
      return "POST /v1/plan/dry-run";
    case 4:
      return "PUT /v1/config?dry_run=1";
    default:
      return "PATCH /v1/tasks/" + from.task();
  }
}

// --- No HTTP --------------------------------------------------------------------------------------

std::string request_line(Source& from) {
  using namespace std::string_view_literals;
  static constexpr std::string_view kLines[] = {
      "GET"sv,
      "GET "sv,
      "/livez HTTP/1.1"sv,
      "GET /livez"sv,
      "GET /livez HTTP/2.0"sv,
      "GET /livez HTTP/0.9"sv,
      "GET /livez HTTP/1.2"sv,
      "GET /livez HTTP/1.1 "sv,
      "GET /livez HTTPS/1.1"sv,
      "GET /livez http/1.1"sv,
      "GET  /livez HTTP/1.1"sv,
      "GET /li vez HTTP/1.1"sv,
      "GET\t/livez HTTP/1.1"sv,
      "GET /livez\0 HTTP/1.1"sv,
      "G@T /livez HTTP/1.1"sv,
      "GET http://localhost/livez HTTP/1.1"sv,
      "GET //livez HTTP/1.1"sv,
      "GET livez HTTP/1.1"sv,
      "GET * HTTP/1.1"sv,
      "OPTIONS * HTTP/1.1"sv,
      "CONNECT localhost:80 HTTP/1.1"sv,
      "TRACE /livez HTTP/1.1"sv,
      "PRI * HTTP/2.0"sv,
      "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"sv,
      "\r\n\r\n\r\n hello"sv,
  };
  std::string line(from.any_of(kLines));
  if (from.below(8) == 0) line = std::string(from.between(1, 300), 'A') + " /livez HTTP/1.1";
  return line + "\r\n" + kHost + "\r\n";
}

std::string header(Source& from) {
  static constexpr std::string_view kLines[] = {
      "no colon here",
      ": no name",
      "Na me: x",
      "Name : x",
      "X: a\x01z",
      "X: a\rz",
      "X: a\nz",
      "\x80: x",
      "X: folded\r\n line",
      "Host: localhost",
      "Host: elsewhere",
      "Content-Length: -1",
      "Content-Length: +5",
      "Content-Length: 0x10",
      "Content-Length: 99999999999999999999999",
      "Content-Length: 1, 2",
      "Content-Length:",
      "Content-Length: 7\r\nContent-Length: 8",
      "Content-Length: 7\r\nTransfer-Encoding: chunked",
      "Transfer-Encoding: gzip",
      "Transfer-Encoding: chunked, chunked",
      "Transfer-Encoding: identity",
      "Content-Type: text/plain",
      "Authorization: a\r\nAuthorization: b",
      "Origin: null",
      "Expect: 100-continue",
      "Expect: a miracle",
      "Connection: upgrade\r\nUpgrade: h2c",
      "If-Match: \"0\"\r\nIf-Match: *",
  };
  return "PATCH /v1/tasks/" + from.task() + " HTTP/1.1\r\n" + (from.below(8) > 0 ? kHost : "") + kJson +
         std::string(from.any_of(kLines)) + "\r\n\r\n" + kBroken;
}

std::string large_header(Source& from) {
  std::string text = std::string("GET /livez HTTP/1.1\r\n") + kHost;
  const std::size_t size = from.between(8192, 65536);
  switch (from.below(3)) {
    case 0:
      return "GET /" + std::string(size, 'a') + text.substr(4);
    case 1:
      return text + "X: " + std::string(size, 'x') + "\r\n\r\n";
    default:
      return text + repeated("X: y\r\n", size / 6 + 1) + "\r\n";
  }
}

std::string random_bytes(Source& from) {
  std::string bytes = from.bytes(from.between(1, 4096));
  if (from.below(2) == 0) return bytes += "\r\n\r\n";
  for (char& c : bytes) c = static_cast<char>(' ' + (static_cast<unsigned char>(c) % 95));
  bytes[0] = '(';  // begins no method
  return bytes + "\r\n\r\n";
}

// --- Bodies ---------------------------------------------------------------------------------------

constexpr std::size_t kMebibyte = 1024UL * 1024UL;

std::string large_body(Source& from) {
  const std::string head = any_write(from) + " HTTP/1.1\r\n" + kHost + kJson + "Content-Length: ";
  const std::size_t size =
      from.below(4) == 0 ? std::size_t{1} << from.between(21, 62) : kMebibyte + from.between(1, kMebibyte);
  const std::size_t sent = from.below(8) == 0 ? std::min(size, 2 * kMebibyte) : from.below(20'000);
  return head + std::to_string(size) + "\r\n\r\n" + std::string(sent, ' ');
}

std::string chunk(std::string_view data, std::string_view extension = {}) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx", data.size());
  return std::string(size) + std::string(extension) + "\r\n" + std::string(data) + "\r\n";
}

std::string chunked(Source& from) {
  static constexpr std::string_view kSizes[] = {"zz",  "-1",  "",  "fffffffffffffffff",
                                                "1 0", "0x5", ";", "7fffffff"};
  const std::string head =
      any_write(from) + " HTTP/1.1\r\n" + kHost + kJson + "Transfer-Encoding: chunked\r\n\r\n";
  const std::string end = "0\r\n\r\n";
  switch (from.below(8)) {
    case 0:  // beyond the limit
      return head + repeated(chunk(std::string(65536, ' ')), from.between(17, 20)) + end;
    case 1:
      return head + std::string(from.any_of(kSizes)) + "\r\n" + kBroken + "\r\n" + end;
    case 2:  // no line end behind the data
      return head + "3\r\n{}}0\r\n\r\n";
    case 3:
      return head + chunk(kBroken, ";" + std::string(from.between(1, 40'000), 'e')) + end;
    case 4:
      return head + chunk(kBroken, ";a=\"" + std::string(from.between(1, 200), '\\')) + end;
    case 5:  // trailers that would be headers, and too many of them
      return head + chunk(kBroken) + "0\r\nIf-Match: *\r\nContent-Length: 3\r\n\r\n";
    case 6:
      return head + chunk(kBroken) + "0\r\n" + repeated("X: trailer\r\n", from.between(1, 4000)) + "\r\n";
    default: {
      std::string text = head;
      for (const char c : std::string_view(kBroken)) text += chunk({&c, 1});
      return text + end;
    }
  }
}

std::string truncated(Source& from) {
  const std::string whole = from.below(2) == 0
                                ? with_json("PATCH /v1/tasks/" + from.task(), "{\"weight\": 3}")
                                : "PATCH /v1/limits HTTP/1.1\r\n" + std::string(kHost) + kJson +
                                      "Transfer-Encoding: chunked\r\n\r\n" +
                                      chunk("{\"memory_bytes\": 9e8}") + "0\r\n\r\n";
  return whole.substr(0, from.below(whole.size()));
}

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
  static constexpr std::string_view kLines[] = {"DELETE /v1/config",  "POST /v1/status",  "PATCH /v1/config",
                                                "PUT /metrics",       "POST /livez",      "BREW /v1/tasks",
                                                "PUT /v1/tasks/gate", "GET /v1/objective"};
  if (from.below(3) > 0) return with_json(from.any_of(kLines), from.below(2) == 0 ? "" : "{}");
  static constexpr std::string_view kTypes[] = {"text/plain", "application/x-www-form-urlencoded",
                                                "multipart/form-data; boundary=x", "application/jsonx"};
  return with_length("PATCH /v1/tasks/" + from.task(),
                     kHost + ("Content-Type: " + std::string(from.any_of(kTypes))) + "\r\n",
                     "{\"weight\": 3}");
}

// --- How it is sent -------------------------------------------------------------------------------

std::string pipelined(Source& from) {
  std::string text;
  for (std::size_t left = from.between(2, 40); left > 0; --left) {
    text += from.below(2) == 0 ? bad_patch(from) : wrong_method(from);
  }
  return text;
}

std::string slow(Source& from) {
  switch (from.below(4)) {
    case 0:
      return request_line(from);
    case 1:
      return header(from);
    case 2:
      return bad_patch(from);
    default:
      return truncated(from);
  }
}

struct Kind {
  std::string_view name;
  std::string (*make)(Source&);
};
constexpr std::string_view kSlow = "slow";
constexpr Kind kKinds[] = {
    {"request line", request_line},
    {"header", header},
    {"large header", large_header},
    {"random bytes", random_bytes},
    {"large body", large_body},
    {"chunked", chunked},
    {"truncated", truncated},
    {"deep JSON", deep_json},
    {"duplicate keys", duplicate_keys},
    {"costly JSON", costly_json},
    {"bad patch", bad_patch},
    {"traversal", traversal},
    {"foreign", foreign},
    {"wrong method", wrong_method},
    {"pipelined", pipelined},
    {kSlow, slow},
};

// SplitMix64 (Vigna): neighbouring numbers give unrelated seeds.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

}  // namespace

const std::vector<std::string_view>& hostile_kinds() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> list;
    for (const Kind& kind : kKinds) list.push_back(kind.name);
    return list;
  }();
  return names;
}

HostileRequests::HostileRequests(std::uint64_t seed, std::vector<std::string> tasks)
    : seed_(seed), tasks_(std::move(tasks)) {
  SACCADE_CHECK(!tasks_.empty());
}

HostileRequest HostileRequests::request(std::uint64_t number) const {
  Source from{std::mt19937_64(mixed(seed_ ^ mixed(number))), tasks_};
  const Kind& kind = kKinds[from.below(std::size(kKinds))];
  HostileRequest request{kind.name, kind.make(from)};
  if (kind.name == kSlow) request.piece = from.between(1, 16);
  return request;
}

}  // namespace saccade::bench
