// Progress of a long measurement: one line that is rewritten in place on a terminal, nothing elsewhere.
// Threads: one. Errors: none.
#pragma once

#include <iosfwd>
#include <string>

#include "base/clock.hpp"

namespace saccade::app {

class StatusLine {
 public:
  StatusLine(std::ostream& err, const Clock& clock);
  ~StatusLine();  // erases the line
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // `share` of the total work, in [0, 1]. Work done before the first call is assumed to have taken no time.
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
