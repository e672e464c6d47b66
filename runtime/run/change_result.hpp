// The outcome of a change of the running configuration: a value, or the reasons and the kind of its refusal.
// Threads: plain values.
#pragma once

#include <utility>

#include "base/result.hpp"

namespace saccade::runtime {

enum class Refusal {
  invalid,      // the change itself is wrong
  unavailable,  // the change is valid, but the service is starting or ending
  stale,        // it was made for a configuration that is no longer current
};

struct ChangeRefused {
  Refusal kind = Refusal::invalid;
  Errors errors;  // at least one
};

// A Result whose errors mean an invalid change, unless it was constructed from a ChangeRefused.
template <class T>
class [[nodiscard]] ChangeResult : public Result<T> {
 public:
  ChangeResult(T value) : Result<T>(std::move(value)) {}            // NOLINT: implicit by design
  ChangeResult(Error error) : Result<T>(std::move(error)) {}        // NOLINT: implicit by design
  ChangeResult(Errors errors) : Result<T>(std::move(errors)) {}     // NOLINT: implicit by design
  ChangeResult(Result<T> result) : Result<T>(std::move(result)) {}  // NOLINT: implicit by design
  ChangeResult(ChangeRefused refused)                               // NOLINT: implicit by design
      : Result<T>(std::move(refused.errors)), kind_(refused.kind) {}

  // Only if it is not ok().
  [[nodiscard]] ChangeRefused refused() const { return {kind_, this->errors()}; }

 private:
  Refusal kind_ = Refusal::invalid;
};

}  // namespace saccade::runtime
