// Scheduling requests to the operating system: the CPUs of a thread, its niceness, the precision of its
// timers. All of it is best effort; a refusal changes timing, never results.
// Threads: plain functions, for the calling thread unless one is named.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <vector>

#include "base/clock.hpp"

namespace saccade::runtime {

// Restricts the calling thread; threads it starts later inherit this. An empty list changes nothing.
void pin_to(const std::vector<int>& cpus);
// The CPUs the calling thread may run on.
[[nodiscard]] std::vector<int> allowed_cpus();
// The same as a value, which takes no memory of the heap.
[[nodiscard]] cpu_set_t cpu_set();
void pin_to_set(const cpu_set_t& cpus);
// `all` without `taken`; `all` if nothing would be left.
[[nodiscard]] std::vector<int> other_cpus(const std::vector<int>& all, const std::vector<int>& taken);

[[nodiscard]] pid_t thread_id();
bool set_nice(pid_t thread, int nice);
// Of the calling thread.
[[nodiscard]] int niceness();
// Whether this process may lower a niceness.
[[nodiscard]] bool may_raise_priority();

inline constexpr Duration kPromptSlice{200'000};

// For a thread that sleeps until it is wanted and should then run at once. Its timers fire within a
// nanosecond's slack instead of the usual 50 us, and it asks for a time slice of kPromptSlice instead of the
// usual 0.7 to 3 ms: when it wakes, it need not wait for the end of another thread's longer slice, and other
// threads like it may interrupt it sooner (Linux 6.12 and later; older kernels ignore it, and another policy
// than SCHED_OTHER stays as it is). Its share of the processor stays the same. Threads it starts later
// inherit both.
void wake_precisely();
// Of the calling thread; 0: the kernel does not tell.
[[nodiscard]] Duration time_slice();
// Shown by ps and debuggers; at most 15 characters.
void name_thread(const char* name);

}  // namespace saccade::runtime
