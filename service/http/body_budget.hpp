// Limits the total size of request bodies in memory, from the header until they have been decoded. Each
// holder has a share, which is returned when it is destroyed.
// Threads: any. Errors: absent share.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

namespace saccade::service {

class BodyBudget {
 public:
  explicit BodyBudget(std::size_t bytes) : left_(std::make_shared<std::atomic<std::size_t>>(bytes)) {}

  using Share = std::shared_ptr<void>;  // may outlive the budget
  // Null: not enough is left.
  [[nodiscard]] Share take(std::size_t bytes) {
    std::size_t left = *left_;
    do {
      if (left < bytes) return nullptr;
    } while (!left_->compare_exchange_weak(left, left - bytes));
    return {left_.get(), [left_bytes = left_, bytes](void*) { *left_bytes += bytes; }};
  }

 private:
  std::shared_ptr<std::atomic<std::size_t>> left_;
};

}  // namespace saccade::service
