#include "runtime/sources/stream_source.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <span>
#include <string_view>

#include "base/address.hpp"
#include "runtime/sources/frame_picture.hpp"
#include "runtime/sources/live_source.hpp"
#include "runtime/sources/stream_capture.hpp"

namespace saccade::runtime {
namespace {

// As FFmpeg's RTSP takes them at most, each character that is not plain counted as three.
constexpr std::size_t kMostCredentials = 127;

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("-._~").find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      encoded.append({'%', kDigits[byte / 16], kDigits[byte % 16]});
    }
  }
  return encoded;
}

bool has_scheme_of(std::span<const std::string_view> schemes, const std::string& address) {
  return std::any_of(schemes.begin(), schemes.end(),
                     [&](std::string_view scheme) { return address.starts_with(scheme); });
}

}  // namespace

bool is_always_live(const std::string& address) {
  constexpr std::array<std::string_view, 7> kSchemes = {"rtsp://", "rtsps://", "rtmp://", "rtmps://",
                                                        "srt://",  "tcp://",   "udp://"};
  return has_scheme_of(kSchemes, address);
}

bool is_stream_address(const std::string& address) {
  constexpr std::array<std::string_view, 2> kSchemes = {"http://", "https://"};
  return is_always_live(address) || has_scheme_of(kSchemes, address);
}

Result<std::string> full_address(const StreamSource& source) {
  const std::size_t host = source.url.find("://") + 3;
  if (source.username.empty()) return source.url;
  std::string credentials = percent_encoded(source.username);
  if (!source.password_file.empty()) {
    std::ifstream file(source.password_file);
    std::string password;
    if (!std::getline(file, password) || password.empty()) {
      return Error{source.password_file.string(), "holds no password that can be read",
                   "the password is its first line"};
    }
    if (password.back() == '\r') password.pop_back();
    credentials += ":" + percent_encoded(password);
  }
  if (credentials.size() > kMostCredentials) {
    return Error{source.password_file.string(), "user name and password are too long",
                 "together at most 126 characters, where each but letters, digits and -._~ counts as three"};
  }
  return source.url.substr(0, host) + credentials + "@" + source.url.substr(host);
}

Result<std::unique_ptr<FrameSource>> open_stream(const StreamSource& source, const Regions& regions,
                                                 const NetworkInputs& inputs) {
  const FramePicture pictures(regions, inputs);
  StreamSettings settings;
  settings.transport = source.transport;
  settings.decode = source.decode;
  settings.hardware = source.hardware;
  settings.silence = source.silence;
  settings.reduced = [pictures](cv::Size size) { return pictures.reduced(size); };
  settings.filter = pictures.filter();
  return open_live(stream_capture([source] { return full_address(source); }, std::move(settings)),
                   without_secrets(source.url), regions, inputs);
}

}  // namespace saccade::runtime
