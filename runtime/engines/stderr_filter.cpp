#include "runtime/engines/stderr_filter.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

namespace saccade::runtime {

namespace {

std::string contents_of(int file) {
  std::string text;
  std::array<char, 65536> buffer{};
  ::lseek(file, 0, SEEK_SET);
  for (ssize_t count = 0; (count = ::read(file, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count <= 0) return;  // nobody reads standard error: there is nowhere to complain either
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace

StderrFilter::StderrFilter(std::string dropped_text) : dropped_text_(std::move(dropped_text)) {
  std::fflush(stderr);
  held_ = ::memfd_create("saccade-stderr", MFD_CLOEXEC);
  if (held_ < 0) return;
  original_ = ::dup(STDERR_FILENO);
  if (original_ >= 0) ::dup2(held_, STDERR_FILENO);
}

StderrFilter::~StderrFilter() {
  if (original_ >= 0) {
    std::fflush(stderr);
    ::dup2(original_, STDERR_FILENO);
    ::close(original_);
    const std::string text = contents_of(held_);
    std::string kept;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t newline = text.find('\n', begin);
      const std::size_t end = newline == std::string::npos ? text.size() : newline + 1;
      const std::string_view line = std::string_view(text).substr(begin, end - begin);
      if (line.find(dropped_text_) == std::string_view::npos) kept += line;
      begin = end;
    }
    write_all(STDERR_FILENO, kept);
  }
  if (held_ >= 0) ::close(held_);
}

}  // namespace saccade::runtime
