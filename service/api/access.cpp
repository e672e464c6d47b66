#include "service/api/access.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "service/api/problem.hpp"

namespace saccade::service {
namespace {

constexpr std::size_t kLeastToken = 16;
constexpr std::size_t kMostToken = 512;
constexpr std::size_t kMostTokens = 64;
constexpr std::size_t kMostFile = kMostTokens * (kMostToken + 16);

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
  return *name == "localhost" || *name == "[::1]" || config::ListenAddress{{}, *name, 0}.is_local();
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

// What the header carries; empty: no token.
std::string_view token_in(const std::string& authorization) {
  constexpr std::string_view kScheme = "bearer ";
  if (lower(authorization.substr(0, kScheme.size())) != kScheme) return {};
  return std::string_view(authorization).substr(kScheme.size());
}

bool may(Role role, Needs needs) {
  if (role == Role::admin) return true;
  switch (needs) {
    case Needs::nothing:
      return true;
    case Needs::read:
      return role == Role::read;
    case Needs::infer:
      return role == Role::infer;
    case Needs::read_or_infer:
      return role == Role::read || role == Role::infer;
    case Needs::admin:
      break;
  }
  return false;
}

bool is_token(std::string_view text) {
  return text.size() >= kLeastToken && text.size() <= kMostToken &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127; });
}

// Of one line; absent: it is none.
std::optional<Token> token_of_line(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) {
    return is_token(line) ? std::optional(Token{Role::admin, std::string(line)}) : std::nullopt;
  }
  const std::string_view secret = line.substr(std::min(line.find_first_not_of(' ', space), line.size()));
  for (const Role role : {Role::read, Role::infer, Role::admin}) {
    if (line.substr(0, space) == to_string(role) && is_token(secret)) return Token{role, std::string(secret)};
  }
  return std::nullopt;
}

// A secret that the service manager handed to this service alone: its modes are the manager's.
bool is_credential(const std::filesystem::path& file) {
  const char* const folder = std::getenv("CREDENTIALS_DIRECTORY");
  return folder != nullptr && *folder != '\0' &&
         file.lexically_normal().parent_path() == std::filesystem::path(folder).lexically_normal();
}

}  // namespace

const char* to_string(Role role) {
  switch (role) {
    case Role::read:
      return "read";
    case Role::infer:
      return "infer";
    case Role::admin:
      return "admin";
  }
  return "?";
}

Result<std::vector<Token>> read_tokens(const std::filesystem::path& file) {
  const auto error = [&](const std::string& what, const std::string& hint = {}) {
    return Error{file.string(), what, hint};
  };
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return error("the token file cannot be read");
  struct stat facts {};
  std::string bytes(kMostFile + 1, '\0');
  const bool regular = fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode);
  const ssize_t count = regular ? read(descriptor, bytes.data(), bytes.size()) : -1;
  close(descriptor);
  if (count < 0) return error("the token file cannot be read");
  if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0 && !is_credential(file)) {
    return error("others than its owner may read the token file", "chmod 600 " + file.string());
  }
  bytes.resize(static_cast<std::size_t>(count));
  std::vector<Token> tokens;
  bool good = bytes.size() <= kMostFile;
  std::istringstream lines(bytes);
  for (std::string line; good && std::getline(lines, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (line.empty()) continue;
    std::optional<Token> token = token_of_line(line);
    good = token.has_value() && tokens.size() < kMostTokens;
    if (good) tokens.push_back(*std::move(token));
  }
  if (!good || tokens.empty()) {
    return error(
        "a token is one line of 16 to 512 visible characters, with `read`, `infer` or `admin` and a "
        "space before it or alone",
        "openssl rand -hex 32");
  }
  return tokens;
}

Result<std::string> read_token(const std::filesystem::path& file) {
  const Result<std::vector<Token>> tokens = read_tokens(file);
  if (!tokens) return tokens.errors();
  return std::max_element(tokens.value().begin(), tokens.value().end(),
                          [](const Token& a, const Token& b) { return a.role < b.role; })
      ->secret;
}

std::optional<Role> role_of(const Access& access, const Request& request) {
  if (access.tokens.empty()) return Role::admin;
  const std::string_view given = token_in(request.authorization);
  std::optional<Role> role;
  for (const Token& token : access.tokens) {
    if (same(given, token.secret)) role = token.role;
  }
  return role;
}

namespace {

// Whether the request carries what `needs` wants; absent: it does.
std::optional<Response> without_token(const Access& access, const Request& request, Needs needs) {
  if (needs == Needs::nothing || access.health_only || access.tokens.empty()) return std::nullopt;
  const std::optional<Role> role = role_of(access, request);
  if (!role) {
    Response response = problem(401, "this service asks for its token: Authorization: Bearer TOKEN");
    response.headers.emplace_back("WWW-Authenticate", "Bearer");
    return response;
  }
  if (may(*role, needs)) return std::nullopt;
  return problem(403, std::string("a token of the role `") + to_string(*role) + "` may not do this");
}

std::string host_of_origin(const std::string& origin) {
  const std::size_t mark = origin.find("://");
  return mark == std::string::npos ? std::string() : lower(origin.substr(mark + 3));
}

}  // namespace

std::optional<Response> refuse(const Access& access, const Request& request, Needs needs) {
  if (request.repeated) return problem(400, "a header that may stand once stands twice");
  if (auto refused = without_token(access, request, needs)) return refused;
  const std::string host = lower(request.host);
  if (!access.address.is_socket()) {
    if (host.empty()) return problem(400, "the request names no Host");
    const bool declared = !access.origin.empty() && host == host_of_origin(access.origin);
    if (access.address.is_local() && !names_this_machine(host) && !declared) {
      return problem(421, "the Host is not this machine: ask for localhost");
    }
  }
  if (request.origin.empty()) return std::nullopt;
  const std::string own = (access.tls ? "https://" : "http://") + host;
  const std::string origin = lower(request.origin);
  if (origin != own && (access.origin.empty() || origin != lower(access.origin))) {
    return problem(403, "the request comes from a page of another origin");
  }
  return std::nullopt;
}

}  // namespace saccade::service
