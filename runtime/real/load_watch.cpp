#include "runtime/real/load_watch.hpp"

#include "runtime/control/options.hpp"

namespace saccade::runtime {

int LoadWatch::start_thread() {
  ++alive_;
  busy_ = false;
  return in_charge_ = ++last_number_;
}

bool LoadWatch::takes_jobs(int number) {
  if (in_charge_ == 0) in_charge_ = number;
  if (in_charge_ != number) return false;
  boosted_ = false;
  return true;
}

void LoadWatch::job_begins(TimePoint requested) {
  busy_ = true;
  requested_ = requested;
}

void LoadWatch::job_ends(int number) {
  if (in_charge_ == number) busy_ = false;
}

LoadWatch::Due LoadWatch::look(TimePoint now) {
  if (!busy_) return Due::nothing;
  if (now >= requested_ + timeout_) {
    if (alive_ < kLoaders) return Due::new_thread;
    in_charge_ = 0;
    busy_ = false;
    return Due::nothing;
  }
  return !boosted_ && now >= requested_ + boost_after_ ? Due::boost : Due::nothing;
}

}  // namespace saccade::runtime
