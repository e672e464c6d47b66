// NVIDIA's management library, opened when it is asked for (libnvidia-ml.so.1 comes with the driver): energy
// counters, temperatures and names of the cards of this machine. Its functions are declared here as its
// documentation gives them; no header of NVIDIA is needed.
// Threads: any. Errors: open() gives null where there is no library, no driver or no card; a figure that a
// card does not have, or that can no longer be read, is absent.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace saccade::runtime {

inline constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";

class Nvml {
 public:
  // `library`: a name or path for the dynamic linker; empty: none. Stays open until the process ends.
  [[nodiscard]] static std::shared_ptr<const Nvml> open(const std::string& library = kNvmlLibrary);

  [[nodiscard]] std::size_t cards() const { return cards_.size(); }
  [[nodiscard]] std::string name(std::size_t card) const;  // empty: unknown
  // Since the driver was loaded; steps about every 100 ms.
  [[nodiscard]] std::optional<std::uint64_t> millijoules(std::size_t card) const;
  [[nodiscard]] std::optional<double> celsius(std::size_t card) const;  // of the chip
  [[nodiscard]] std::optional<double> slowdown_celsius(std::size_t card) const;

 private:
  using Device = void*;  // an opaque handle
  struct Functions {
    int (*init)() = nullptr;
    int (*count)(unsigned*) = nullptr;
    int (*handle)(unsigned, Device*) = nullptr;
    int (*name)(Device, char*, unsigned) = nullptr;
    int (*energy)(Device, unsigned long long*) = nullptr;
    int (*temperature)(Device, int, unsigned*) = nullptr;
    int (*threshold)(Device, int, unsigned*) = nullptr;
  };
  Functions functions_;
  std::vector<Device> cards_;
};

}  // namespace saccade::runtime
