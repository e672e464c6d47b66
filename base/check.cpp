#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace saccade {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace saccade
