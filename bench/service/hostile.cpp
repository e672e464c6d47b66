#include "bench/service/hostile.hpp"

#include <iterator>
#include <random>
#include <utility>

#include "base/check.hpp"
#include "bench/service/hostile_parts.hpp"

namespace saccade::bench {
namespace hostile {

std::string with_length(std::string_view line, std::string_view headers, std::string_view body) {
  std::string text(line);
  text.append(" HTTP/1.1\r\n").append(headers);
  text.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n\r\n");
  return text.append(body);
}

std::string with_json(std::string_view line, std::string_view body, std::string_view headers) {
  return with_length(line, std::string(kHost) + kJson + std::string(headers), body);
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

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

}  // namespace hostile

namespace {

using namespace hostile;

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
