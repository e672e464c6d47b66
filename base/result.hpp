// How a user's mistake or an unavailable device is reported: a list of errors, each with where, what, and
// what to do about it. Expected outcomes (infeasible, timed out) are not errors; they are values of their own
// types. A programmer's mistake is a failed check (base/check.hpp).
// Threads: plain values.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.hpp"

namespace saccade {

struct Error {
  std::string where;  // JSON pointer with file and line, a path, or a device
  std::string what;   // one sentence: what is wrong
  std::string hint;   // what to do; may be empty
  bool operator==(const Error&) const = default;
};

using Errors = std::vector<Error>;

// "where: what (hint)"
[[nodiscard]] std::string to_string(const Error& error);
[[nodiscard]] std::string to_string(const Errors& errors);  // one line each

// Either a value or at least one error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}              // NOLINT: implicit by design
  Result(Error error) : state_(Errors{std::move(error)}) {}  // NOLINT: implicit by design
  Result(Errors errors) : state_(std::move(errors)) {        // NOLINT: implicit by design
    SACCADE_CHECK(!std::get<Errors>(state_).empty());
  }

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() & {
    SACCADE_CHECK(ok());
    return std::get<0>(state_);
  }
  [[nodiscard]] const T& value() const& {
    SACCADE_CHECK(ok());
    return std::get<0>(state_);
  }
  [[nodiscard]] T&& value() && {
    SACCADE_CHECK(ok());
    return std::get<0>(std::move(state_));
  }
  [[nodiscard]] const Errors& errors() const {
    SACCADE_CHECK(!ok());
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Errors> state_;
};

struct Done {};  // the value of an operation that only succeeds or fails
using Status = Result<Done>;

}  // namespace saccade
