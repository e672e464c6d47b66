// Warns before the kernel ends the process for want of memory: the system's available memory, or what is left
// of the limit of a control group that the process is in, comes near its end. Plans count what engines were
// measured to need; what really is held also has cameras, buffers and other programs in it.
// Order: read_memory_left() now and then, and its result to MemoryWatch::look(). Threads: one at a time.
// Errors: what the system does not tell is absent.
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

// Of the machine and the control groups (version 2) that this process is in, the one with the smallest share
// left. Pages of files that the kernel can drop count as left.
[[nodiscard]] std::optional<MemoryLeft> read_memory_left();
// The parts of it, from the text of /proc/meminfo, and from memory.max, memory.current and memory.stat.
[[nodiscard]] std::optional<MemoryLeft> machine_memory_left(std::string_view meminfo);
[[nodiscard]] std::optional<MemoryLeft> group_memory_left(std::string_view max, std::string_view current,
                                                          std::string_view stat, const std::string& group);
// The tighter of the two.
[[nodiscard]] std::optional<MemoryLeft> tighter(const std::optional<MemoryLeft>& a,
                                                const std::optional<MemoryLeft>& b);

class MemoryWatch {
 public:
  static constexpr double kNear = 0.10;     // share left from which it warns
  static constexpr double kRelaxed = 0.15;  // from which a next warning may come

  // What to warn of; absent: nothing, or nothing new. `held`: by this process.
  [[nodiscard]] std::optional<std::string> look(const std::optional<MemoryLeft>& memory,
                                                const std::optional<Bytes>& held);

 private:
  bool near_ = false;
};

}  // namespace saccade::runtime
