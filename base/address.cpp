#include "base/address.hpp"

namespace saccade {
namespace {

constexpr std::string_view kHidden = "***";

// "host" or "host:554". Anything else behind the colon is the beginning of a password with a slash in it.
bool is_host(std::string_view authority) {
  const std::size_t bracket = authority.rfind(']');  // of an IPv6 address
  const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon == std::string_view::npos) return true;
  return authority.substr(colon + 1).find_first_not_of("0123456789") == std::string_view::npos;
}

// Where in `rest`, which begins with the authority, the user's name and password end: at an `@`.
std::size_t end_of_user(std::string_view rest) {
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  const std::size_t at = authority.rfind('@');
  if (at != std::string_view::npos) return at;
  return is_host(authority) ? std::string_view::npos : rest.rfind('@');
}

std::string without_values(std::string_view rest) {
  const std::size_t mark = rest.find_first_of("?#=&");
  if (mark == std::string_view::npos) return std::string(rest);
  return std::string(rest.substr(0, mark + 1)).append(kHidden);
}

}  // namespace

std::string without_secrets(std::string_view address) {
  const std::size_t scheme = address.find("://");
  if (scheme != std::string_view::npos) {
    const std::size_t host = scheme + 3;
    std::string_view rest = address.substr(host);
    const std::size_t user = end_of_user(rest);
    std::string shown(address.substr(0, host));
    if (user != std::string_view::npos) {
      shown.append(kHidden);
      rest.remove_prefix(user);
    }
    return shown + without_values(rest);
  }
  const std::size_t at = address.rfind('@');
  std::string shown(address);
  if (at != std::string_view::npos && address.find(':') < at) {
    shown = std::string(kHidden).append(address.substr(at));
  }
  const std::size_t query = shown.find('?');
  if (query != std::string::npos && shown.find('=', query) != std::string::npos) {
    shown = shown.substr(0, query + 1).append(kHidden);
  }
  return shown;
}

}  // namespace saccade
