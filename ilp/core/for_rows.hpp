// Code that is compiled for each number of rows up to a few, so that loops over rows unroll. Threads: pure.
#pragma once

#include <cstddef>

namespace saccade::ilp {

// Calls `with`.operator()<kRows>() with kRows = `rows`, or with 0, for any number, if that is above kMost.
template <std::size_t kMost, class With>
auto for_rows(std::size_t rows, const With& with) {
  if constexpr (kMost == 0) {
    return with.template operator()<0>();
  } else {
    if (rows == kMost) return with.template operator()<kMost>();
    return for_rows<kMost - 1>(rows, with);
  }
}

}  // namespace saccade::ilp
