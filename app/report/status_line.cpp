#include "app/report/status_line.hpp"

#include <unistd.h>

#include <cmath>
#include <iostream>

namespace saccade::app {

StatusLine::StatusLine(std::ostream& err, const Clock& clock)
    : err_(err), clock_(clock), on_terminal_(&err == &std::cerr && ::isatty(STDERR_FILENO) == 1) {}

StatusLine::~StatusLine() { clear(); }

void StatusLine::clear() {
  if (on_terminal_) err_ << "\r\033[K" << std::flush;
}

void StatusLine::show(const std::string& what, double share) {
  if (!on_terminal_) return;
  const TimePoint now = clock_.now();
  if (first_share_ < 0.0) {
    first_share_ = share;
    began_ = now;
  } else if (now - shown_ < std::chrono::milliseconds(200)) {
    return;
  }
  shown_ = now;
  err_ << "\r\033[K" << what << ": " << std::lround(100.0 * share) << " %";
  const double done = share - first_share_;
  if (done > 0.01) {
    const double elapsed = to_seconds(now - began_).value();
    err_ << ", " << std::lround(elapsed * (1.0 - share) / done) << " s left";
  }
  err_ << std::flush;
}

}  // namespace saccade::app
