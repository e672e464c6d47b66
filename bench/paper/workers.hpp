// Independent pieces of work on several threads. Results are kept by index, so that they do not depend
// on how many threads there are.
// Threads: each() is called by one at a time; `work` runs on several, `told` on whichever is done.
#pragma once

#include <cstddef>
#include <functional>

namespace saccade::bench {

class Workers {
 public:
  // `told` hears the share of the pieces that are done, 0 to 1; never from two threads at once.
  Workers(unsigned threads, std::function<void(double)> told);

  // work(0) to work(count - 1), each once; comes back when all are done.
  void each(std::size_t count, const std::function<void(std::size_t)>& work) const;

 private:
  unsigned threads_;
  std::function<void(double)> told_;
};

}  // namespace saccade::bench
