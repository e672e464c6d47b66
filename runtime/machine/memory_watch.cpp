#include "runtime/machine/memory_watch.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>

namespace saccade::runtime {

namespace {

constexpr const char* kGroups = "/sys/fs/cgroup";

std::optional<std::string> file_text(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::optional<double> leading_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t number = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{}) return std::nullopt;
  return static_cast<double>(number);
}

// The number after `key` at the beginning of a line.
std::optional<double> number_after(std::string_view text, std::string_view key) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
    if (line.starts_with(key)) return leading_number(line.substr(key.size()));
    begin += line.size() + 1;
  }
  return std::nullopt;
}

double share(const MemoryLeft& memory) { return memory.left.value() / memory.of.value(); }

std::string megabytes(Bytes bytes) { return std::to_string(std::llround(bytes.value() / 1e6)) + " MB"; }

// Of the group and those above it, which limit it as well.
std::optional<MemoryLeft> groups_memory_left() {
  const std::optional<std::string> groups = file_text("/proc/self/cgroup");
  constexpr std::string_view kUnified = "0::";
  if (!groups || !groups->starts_with(kUnified)) return std::nullopt;
  std::string group = groups->substr(kUnified.size(), groups->find('\n') - kUnified.size());
  std::optional<MemoryLeft> least;
  while (group.size() > 1) {
    const std::string folder = kGroups + group;
    const auto max = file_text(folder + "/memory.max");
    const auto current = file_text(folder + "/memory.current");
    const auto stat = file_text(folder + "/memory.stat");
    if (max && current && stat) least = tighter(least, group_memory_left(*max, *current, *stat, group));
    group.erase(group.rfind('/'));
  }
  return least;
}

}  // namespace

std::optional<MemoryLeft> machine_memory_left(std::string_view meminfo) {
  const std::optional<double> total = number_after(meminfo, "MemTotal:");
  const std::optional<double> available = number_after(meminfo, "MemAvailable:");
  if (!total || !available || *total <= 0.0) return std::nullopt;
  return MemoryLeft{Bytes(*available * 1024.0), Bytes(*total * 1024.0), "the machine"};
}

std::optional<MemoryLeft> group_memory_left(std::string_view max, std::string_view current,
                                            std::string_view stat, const std::string& group) {
  const std::optional<double> limit = leading_number(max);  // absent: "max", there is none
  const std::optional<double> used = leading_number(current);
  if (!limit || !used || *limit <= 0.0) return std::nullopt;
  const double files = number_after(stat, "inactive_file ").value_or(0.0);
  const double left = std::clamp(*limit - *used + files, 0.0, *limit);
  return MemoryLeft{Bytes(left), Bytes(*limit), "the control group " + group};
}

std::optional<MemoryLeft> tighter(const std::optional<MemoryLeft>& a, const std::optional<MemoryLeft>& b) {
  if (!a || !b) return a ? a : b;
  return share(*b) < share(*a) ? b : a;
}

std::optional<MemoryLeft> read_memory_left() {
  const std::optional<std::string> meminfo = file_text("/proc/meminfo");
  return tighter(meminfo ? machine_memory_left(*meminfo) : std::nullopt, groups_memory_left());
}

std::optional<std::string> MemoryWatch::look(const std::optional<MemoryLeft>& memory,
                                             const std::optional<Bytes>& held) {
  if (!memory) return std::nullopt;
  const double left = share(*memory);
  if (left >= kRelaxed) near_ = false;
  if (near_ || left >= kNear) return std::nullopt;
  near_ = true;
  return "memory is running out: " + megabytes(memory->left) + " of " + megabytes(memory->of) + " of " +
         memory->whose + " are left" + (held ? ", this process holds " + megabytes(*held) : "") +
         "; the system may end it";
}

}  // namespace saccade::runtime
