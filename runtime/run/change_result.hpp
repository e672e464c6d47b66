// The outcome of a change of what runs: a value, or why it was refused and of which kind the refusal is.
// Threads: plain values.
#pragma once

#include <utility>

#include "base/result.hpp"

namespace saccade::runtime {

enum class Refusal {
  invalid,      // the change itself is wrong
  unavailable,  // nothing is wrong with it, but the service is starting or ending
  stale,        // it was made for a configuration that is not the current one any more
};

struct ChangeRefused {
  Refusal kind = Refusal::invalid;
  Errors errors;  // at least one
};

// A Result whose errors mean an invalid change, unless it is made of a ChangeRefused.
template <class T>
class [[nodiscard]] ChangeResult : public Result<T> {
 public:
  ChangeResult(T value) : Result<T>(std::move(value)) {}            // NOLINT: implicit by design
  ChangeResult(Error error) : Result<T>(std::move(error)) {}        // NOLINT: implicit by design
  ChangeResult(Errors errors) : Result<T>(std::move(errors)) {}     // NOLINT: implicit by design
  ChangeResult(Result<T> result) : Result<T>(std::move(result)) {}  // NOLINT: implicit by design
  ChangeResult(ChangeRefused refused)                               // NOLINT: implicit by design
      : Result<T>(std::move(refused.errors)), kind_(refused.kind) {}

  // Of one that is not ok().
  [[nodiscard]] ChangeRefused refused() const { return {kind_, this->errors()}; }

 private:
  Refusal kind_ = Refusal::invalid;
};

}  // namespace saccade::runtime
