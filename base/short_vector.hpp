// A vector of plain values that stores up to N of them inline and more on the heap: for the few numbers of
// each of very many objects, one per processor for example.
// Threads: plain values.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace saccade {

template <class T, std::size_t N>
class ShortVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  ShortVector() = default;
  ~ShortVector() = default;
  ShortVector(const ShortVector& other) : size_(other.size_), near_(other.near_) {
    if (other.far_) far_ = std::make_unique<std::vector<T>>(*other.far_);
  }
  ShortVector(ShortVector&& other) noexcept
      : size_(std::exchange(other.size_, 0)), near_(other.near_), far_(std::move(other.far_)) {}
  ShortVector& operator=(const ShortVector& other) {
    if (this != &other) *this = ShortVector(other);
    return *this;
  }
  ShortVector& operator=(ShortVector&& other) noexcept {
    size_ = std::exchange(other.size_, 0);
    near_ = other.near_;
    far_ = std::move(other.far_);
    return *this;
  }
  ShortVector(std::initializer_list<T> values) {
    for (const T& value : values) push_back(value);
  }
  ShortVector(const std::vector<T>& values) {  // NOLINT(google-explicit-constructor): it is the same values
    for (const T& value : values) push_back(value);
  }

  void push_back(const T& value) {
    if (size_ < N) {
      near_[size_] = value;
    } else {
      if (!far_) far_ = std::make_unique<std::vector<T>>(near_.begin(), near_.end());
      far_->push_back(value);
    }
    ++size_;
  }
  void push_front(const T& value) {
    push_back(value);
    std::rotate(begin(), end() - 1, end());
  }
  void assign(std::size_t count, const T& value) {
    clear();
    for (std::size_t i = 0; i < count; ++i) push_back(value);
  }
  void clear() {
    size_ = 0;
    far_.reset();
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const T* begin() const { return far_ ? far_->data() : near_.data(); }
  [[nodiscard]] const T* end() const { return begin() + size_; }
  [[nodiscard]] T* begin() { return far_ ? far_->data() : near_.data(); }
  [[nodiscard]] T* end() { return begin() + size_; }
  [[nodiscard]] const T& operator[](std::size_t index) const { return begin()[index]; }
  [[nodiscard]] T& operator[](std::size_t index) { return begin()[index]; }
  [[nodiscard]] const T& front() const { return *begin(); }
  [[nodiscard]] const T& back() const { return *(end() - 1); }
  [[nodiscard]] T& front() { return *begin(); }
  [[nodiscard]] T& back() { return *(end() - 1); }
  bool operator==(const ShortVector& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  std::size_t size_ = 0;
  std::array<T, N> near_{};
  std::unique_ptr<std::vector<T>> far_;  // all of them, if there are more than N
};

}  // namespace saccade
