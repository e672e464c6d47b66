// Ends the process while one of its threads still runs in a library that cannot be interrupted (an engine
// that loads or infers, a camera that is opened): exit() would run the destructors of that library's static
// objects while the thread uses them. Instead the process flushes its output and ends with the given exit
// code. Threads: any.
#pragma once

#include <functional>

namespace saccade::runtime {

// From now on exit(), and so the end of main(), runs no static destructors if `threads_run` returns true at
// that time. It is kept until the process ends, and called by the thread that ends it.
void skip_destructors_while(std::function<bool()> threads_run);

// Last in main(): does the same for objects that such a thread made after skip_destructors_while(), whose
// destructors exit() would run first. Returns if no such thread runs.
void end_now_if_threads_run(int exit_code);

}  // namespace saccade::runtime
