// An amount of each of several memories: number 0 is the host's, number m + 1 the device memory that stands
// at place m of scheduler::device_memories(). What is not given is 0. Differences may be negative. Threads:
// plain value.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/quantity.hpp"
#include "base/short_vector.hpp"

namespace saccade::runtime {

// Places of device memories, each once.
using DevicePlaces = ShortVector<std::size_t, 2>;

class MemoryAmounts {
 public:
  MemoryAmounts() = default;
  MemoryAmounts(Bytes host) { set(0, host); }  // NOLINT(google-explicit-constructor): of the host's memory

  // How many are given; those beyond are 0.
  [[nodiscard]] std::size_t size() const { return of_.size(); }
  [[nodiscard]] Bytes of(std::size_t memory) const { return memory < of_.size() ? of_[memory] : Bytes(0.0); }
  [[nodiscard]] Bytes host() const { return of(0); }
  [[nodiscard]] Bytes total() const {
    Bytes sum{0.0};
    for (const Bytes each : of_) sum += each;
    return sum;
  }
  void set(std::size_t memory, Bytes amount) {
    while (of_.size() <= memory) of_.push_back(Bytes(0.0));
    of_[memory] = amount;
  }

  MemoryAmounts& operator+=(const MemoryAmounts& other) {
    for (std::size_t m = 0; m < other.size(); ++m) set(m, of(m) + other.of(m));
    return *this;
  }
  MemoryAmounts& operator-=(const MemoryAmounts& other) {
    for (std::size_t m = 0; m < other.size(); ++m) set(m, of(m) - other.of(m));
    return *this;
  }
  friend MemoryAmounts operator+(MemoryAmounts a, const MemoryAmounts& b) { return a += b; }
  friend MemoryAmounts operator-(MemoryAmounts a, const MemoryAmounts& b) { return a -= b; }

  // Of each the larger one.
  void raise_to(const MemoryAmounts& other) {
    for (std::size_t m = 0; m < other.size(); ++m) set(m, std::max(of(m), other.of(m)));
  }
  // Of every memory no more than the other.
  [[nodiscard]] bool within(const MemoryAmounts& other) const {
    for (std::size_t m = 0; m < std::max(size(), other.size()); ++m) {
      if (of(m) > other.of(m)) return false;
    }
    return true;
  }
  [[nodiscard]] bool any() const {  // of some memory more than 0
    return std::any_of(of_.begin(), of_.end(), [](Bytes each) { return each > Bytes(0.0); });
  }
  bool operator==(const MemoryAmounts& other) const { return within(other) && other.within(*this); }

 private:
  ShortVector<Bytes, 2> of_;
};

}  // namespace saccade::runtime
