// Scheduling requests to the operating system: the CPUs of a thread, its niceness, the precision of its
// timers. All of it is best effort; a refusal changes timing, never results.
// Threads: plain functions, for the calling thread unless one is named.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <vector>

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

// Timers of the calling thread fire within a nanosecond's slack instead of the usual 50 us.
void wake_precisely();
// Shown by ps and debuggers; at most 15 characters.
void name_thread(const char* name);

}  // namespace saccade::runtime
