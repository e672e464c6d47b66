// Counts what a test program allocates: counted_new.cpp replaces the library's operator new for all of it.
// Threads: any.
#pragma once

#include <cstddef>

namespace saccade::vision::test {

[[nodiscard]] std::size_t allocations();  // since the start

}  // namespace saccade::vision::test
