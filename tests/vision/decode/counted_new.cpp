#include "tests/vision/decode/counted_new.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::size_t> counted{0};
}  // namespace

void* operator new(std::size_t size) {
  ++counted;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  std::abort();
}
// The form that std::stable_sort takes its buffer with; released by the same operator delete.
void* operator new(std::size_t size, const std::nothrow_t& /*unused*/) noexcept { return operator new(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace saccade::vision::test {

std::size_t allocations() { return counted; }

}  // namespace saccade::vision::test
