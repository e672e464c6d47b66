// What a verb, or the whole program, returns and prints.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <sstream>
#include <string>

#include "app/verbs/verbs.hpp"

namespace saccade::test {

struct Outcome {
  int code = 0;
  std::string out, err;
};
inline Outcome run(int (*verb)(const app::VerbArguments&, std::ostream&, std::ostream&),
                   const app::VerbArguments& args) {
  std::ostringstream out, err;
  const int code = verb(args, out, err);
  return {code, out.str(), err.str()};
}

// Keeps what the program printed last.
class ProgramOutputs : public ::testing::Test {
 protected:
  [[nodiscard]] int ask(const app::VerbArguments& args) {
    const Outcome outcome = run(app::run_program, args);
    out_ = outcome.out;
    err_ = outcome.err;
    return outcome.code;
  }

  std::string out_;
  std::string err_;
};

}  // namespace saccade::test
