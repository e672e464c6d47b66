#include <algorithm>
#include <cstdio>

#include "bench/service/hostile_parts.hpp"

namespace saccade::bench::hostile {

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

namespace {

constexpr std::size_t kMebibyte = 1024UL * 1024UL;

std::string chunk(std::string_view data, std::string_view extension = {}) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx", data.size());
  return std::string(size) + std::string(extension) + "\r\n" + std::string(data) + "\r\n";
}

}  // namespace

std::string large_body(Source& from) {
  const std::string head = any_write(from) + " HTTP/1.1\r\n" + kHost + kJson + "Content-Length: ";
  const std::size_t size =
      from.below(4) == 0 ? std::size_t{1} << from.between(21, 62) : kMebibyte + from.between(1, kMebibyte);
  const std::size_t sent = from.below(8) == 0 ? std::min(size, 2 * kMebibyte) : from.below(20'000);
  return head + std::to_string(size) + "\r\n\r\n" + std::string(sent, ' ');
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

}  // namespace saccade::bench::hostile
