// How a process ends while a thread of it still runs in a library that cannot be interrupted (an engine that
// loads or infers, a driver of a camera): exit() would run the destructors of that library's statics under
// the thread. Instead the process flushes its output and ends with the exit code it was given.
// Threads: any.
#pragma once

#include <functional>

namespace saccade::runtime {

// From now on exit(), and so the end of main(), runs no destructor of a static as long as `threads_run`
// returns true at that time. It is kept until the process ends, and called by the thread that ends it.
void skip_destructors_while(std::function<bool()> threads_run);

}  // namespace saccade::runtime
