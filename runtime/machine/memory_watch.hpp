// Warns before the kernel kills the process because memory is exhausted: the system's available memory, or
// what is left of the limit of a control group of the process, is nearly used up. Plans count the memory that
// engines were measured to need; actual usage also includes cameras, buffers and other programs.
// Order: call read_memory_left() periodically, and pass its result to MemoryWatch::look(). Threads: one at a
// time. Errors: what the system does not report is absent.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/quantity.hpp"

namespace saccade::runtime {

struct MemoryLeft {
  Bytes left{0.0};
  Bytes of{0.0};      // all memory of the machine, or the control group's limit
  std::string whose;  // "the machine", "the control group /system.slice/saccade.service"
};

// Of the machine and the control groups (version 2) of this process, the one with the smallest share left.
// File pages that the kernel can drop count as left.
[[nodiscard]] std::optional<MemoryLeft> read_memory_left();
// Its parts, from the text of /proc/meminfo, and from memory.max, memory.current and memory.stat.
[[nodiscard]] std::optional<MemoryLeft> machine_memory_left(std::string_view meminfo);
[[nodiscard]] std::optional<MemoryLeft> group_memory_left(std::string_view max, std::string_view current,
                                                          std::string_view stat, const std::string& group);
// The one with the smaller share left.
[[nodiscard]] std::optional<MemoryLeft> tighter(const std::optional<MemoryLeft>& a,
                                                const std::optional<MemoryLeft>& b);

class MemoryWatch {
 public:
  static constexpr double kNear = 0.10;     // share left from which it warns
  static constexpr double kRelaxed = 0.15;  // a further warning is possible only after this share was left

  // The warning; absent: none, or no new one. `held`: memory of this process.
  [[nodiscard]] std::optional<std::string> look(const std::optional<MemoryLeft>& memory,
                                                const std::optional<Bytes>& held);

 private:
  bool near_ = false;
};

}  // namespace saccade::runtime
