#include "runtime/service/access.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "runtime/service/problem.hpp"

namespace saccade::runtime {
namespace {

constexpr std::size_t kLeastToken = 16;
constexpr std::size_t kMostToken = 512;

bool is_ip(const std::string& text, bool v6) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return inet_pton(v6 ? AF_INET6 : AF_INET, text.c_str(), address.data()) == 1;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

// The name of "name", "name:port", "[::1]:port"; nothing when there is anything else in it.
std::optional<std::string> name_of(const std::string& host) {
  const std::size_t end = host.starts_with('[') ? host.find(']') + 1 : std::min(host.find(':'), host.size());
  if (end == 0) return std::nullopt;  // "[" without "]"
  const std::string rest = host.substr(end);
  const bool port = rest.size() > 1 && rest.size() <= 6 && rest[0] == ':' &&
                    std::all_of(rest.begin() + 1, rest.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!rest.empty() && !port) return std::nullopt;
  return lower(host.substr(0, end));
}

bool names_this_machine(const std::string& host) {
  const std::optional<std::string> name = name_of(host);
  if (!name) return false;
  return *name == "localhost" || *name == "[::1]" || (is_ip(*name, false) && name->starts_with("127."));
}

// Takes as long wherever the two differ.
bool same(std::string_view given, std::string_view secret) {
  unsigned char differs = given.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    differs = static_cast<unsigned char>(differs | (static_cast<unsigned char>(given[i]) ^
                                                    static_cast<unsigned char>(secret[i % secret.size()])));
  }
  return differs == 0;
}

bool has_token(const std::string& authorization, const std::string& token) {
  constexpr std::string_view kScheme = "bearer ";
  if (lower(authorization.substr(0, kScheme.size())) != kScheme) return false;
  return same(std::string_view(authorization).substr(kScheme.size()), token);
}

// A secret that the service manager handed to this service alone: its modes are the manager's.
bool is_credential(const std::filesystem::path& file) {
  const char* const folder = std::getenv("CREDENTIALS_DIRECTORY");
  return folder != nullptr && *folder != '\0' &&
         file.lexically_normal().parent_path() == std::filesystem::path(folder).lexically_normal();
}

}  // namespace

bool ListenAddress::is_local() const {
  return is_socket() || ip == "::1" || (is_ip(ip, false) && ip.starts_with("127."));
}

std::string to_string(const ListenAddress& address) {
  if (address.is_socket()) return "unix:" + address.socket.string();
  const bool v6 = address.ip.find(':') != std::string::npos;
  return "http://" + (v6 ? "[" + address.ip + "]" : address.ip) + ":" + std::to_string(address.port);
}

std::optional<ListenAddress> listen_address_from(const std::string& text) {
  constexpr std::string_view kSocket = "unix:";
  ListenAddress address;
  if (text.starts_with(kSocket)) {
    address.socket = text.substr(kSocket.size());
    if (address.socket.empty()) return std::nullopt;
    return address;
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data() + colon + 1, end, address.port);
  if (failure != std::errc{} || stop != end) return std::nullopt;
  address.ip = text.substr(0, colon);
  const bool v6 = address.ip.size() > 2 && address.ip.front() == '[' && address.ip.back() == ']';
  if (v6) address.ip = address.ip.substr(1, address.ip.size() - 2);
  if (!is_ip(address.ip, v6)) return std::nullopt;
  return address;
}

Result<std::string> read_token(const std::filesystem::path& file) {
  const auto error = [&](const std::string& what, const std::string& hint = {}) {
    return Error{file.string(), what, hint};
  };
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return error("the token file cannot be read");
  struct stat facts {};
  std::array<char, kMostToken + 3> bytes{};
  const bool regular = fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode);
  const ssize_t count = regular ? read(descriptor, bytes.data(), bytes.size()) : -1;
  close(descriptor);
  if (count < 0) return error("the token file cannot be read");
  if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0 && !is_credential(file)) {
    return error("others than its owner may read the token file", "chmod 600 " + file.string());
  }
  std::string token(bytes.data(), static_cast<std::size_t>(count));
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  const bool visible = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 127; });
  if (!visible || token.size() < kLeastToken || token.size() > kMostToken) {
    return error("a token is one line of 16 to 512 visible characters", "openssl rand -hex 32");
  }
  return token;
}

std::optional<Response> refuse(const Access& access, const Request& request, bool open) {
  if (request.repeated) return problem(400, "a header that may stand once stands twice");
  if (!open && access.token && !has_token(request.authorization, *access.token)) {
    Response response = problem(401, "this service asks for its token: Authorization: Bearer TOKEN");
    response.headers.emplace_back("WWW-Authenticate", "Bearer");
    return response;
  }
  if (!access.address.is_socket()) {
    if (request.host.empty()) return problem(400, "the request names no Host");
    if (access.address.is_local() && !names_this_machine(request.host)) {
      return problem(421, "the Host is not this machine: ask for localhost");
    }
  }
  if (!request.origin.empty() && lower(request.origin) != "http://" + lower(request.host)) {
    return problem(403, "the request comes from a page of another origin");
  }
  return std::nullopt;
}

}  // namespace saccade::runtime
