#include "runtime/machine/thread_settings.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <thread>

namespace saccade::runtime {
namespace {

// `struct sched_attr` of the kernel, in its first version.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = SCHED_OTHER;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::int64_t slice_nanoseconds = 0;  // the kernel's sched_runtime
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};
static_assert(sizeof(SchedulingAttributes) == 48);

}  // namespace

void pin_to(const std::vector<int>& cpus) {
  if (cpus.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) {
    if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(cpu), &set);
  }
  pin_to_set(set);
}

cpu_set_t cpu_set() {
  cpu_set_t set;
  CPU_ZERO(&set);
  pthread_getaffinity_np(pthread_self(), sizeof(set), &set);
  return set;
}

void pin_to_set(const cpu_set_t& cpus) { pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus); }

std::vector<int> allowed_cpus() {
  const cpu_set_t set = cpu_set();
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

std::vector<int> other_cpus(const std::vector<int>& all, const std::vector<int>& taken) {
  std::vector<int> left;
  for (const int cpu : all) {
    if (std::find(taken.begin(), taken.end(), cpu) == taken.end()) left.push_back(cpu);
  }
  return left.empty() ? all : left;
}

pid_t thread_id() { return gettid(); }

bool set_nice(pid_t thread, int nice) {
  // On Linux niceness belongs to the thread, whatever PRIO_PROCESS says.
  return setpriority(PRIO_PROCESS, static_cast<id_t>(thread), nice) == 0;
}

int niceness() { return getpriority(PRIO_PROCESS, 0); }

bool may_raise_priority() {
  bool may = false;
  // Tried out on a thread that ends at once: one that failed would stay nice.
  std::thread([&may] { may = set_nice(thread_id(), 1) && set_nice(thread_id(), 0); }).join();
  return may;
}

void wake_precisely() {
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  if (sched_getscheduler(0) != SCHED_OTHER) return;  // the operator's choice stays
  SchedulingAttributes attributes;
  attributes.nice = niceness();
  attributes.slice_nanoseconds = kPromptSlice.count();
  // glibc has no function for it before 2.41.
  syscall(SYS_sched_setattr, 0, &attributes, 0U);
}

Duration time_slice() {
  SchedulingAttributes attributes;
  const long got = syscall(SYS_sched_getattr, 0, &attributes, attributes.size, 0U);
  return Duration(got == 0 ? attributes.slice_nanoseconds : 0);
}

void name_thread(const char* name) { pthread_setname_np(pthread_self(), name); }

}  // namespace saccade::runtime
