// How far a long measurement is: one line on a terminal that is written over, nothing anywhere else.
// Threads: one. Errors: none.
#pragma once

#include <iosfwd>
#include <string>

#include "base/clock.hpp"

namespace saccade::app {

class StatusLine {
 public:
  StatusLine(std::ostream& err, const Clock& clock);
  ~StatusLine();  // takes the line off the screen
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // `share` of everything that is to be done, in [0, 1]. What was done before the first call is taken to
  // have cost nothing.
  void show(const std::string& what, double share);
  void clear();

 private:
  std::ostream& err_;
  const Clock& clock_;
  bool on_terminal_;
  double first_share_ = -1.0;
  TimePoint began_{};
  TimePoint shown_{};
};

}  // namespace saccade::app
