// A vector of plain values that keeps up to N of them in itself and more on the heap: for the few figures
// of each of very many things, one per processor for example.
// Threads: plain values.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <vector>

namespace saccade {

template <class T, std::size_t N>
class ShortVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  ShortVector() = default;
  ShortVector(std::initializer_list<T> values) {
    for (const T& value : values) push_back(value);
  }

  void push_back(const T& value) {
    if (size_ < N) {
      near_[size_] = value;
    } else {
      if (size_ == N) far_.assign(near_.begin(), near_.end());
      far_.push_back(value);
    }
    ++size_;
  }
  void clear() {
    size_ = 0;
    far_.clear();
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const T* begin() const { return size_ <= N ? near_.data() : far_.data(); }
  [[nodiscard]] const T* end() const { return begin() + size_; }
  [[nodiscard]] const T& operator[](std::size_t index) const { return begin()[index]; }
  bool operator==(const ShortVector& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  std::size_t size_ = 0;
  std::array<T, N> near_{};
  std::vector<T> far_;  // all of them, once there are more than N
};

}  // namespace saccade
