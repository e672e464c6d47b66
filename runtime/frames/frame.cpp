#include "runtime/frames/frame.hpp"

#include "base/check.hpp"

namespace saccade::runtime {

const char* to_string(DropReason reason) {
  switch (reason) {
    case DropReason::stale:
      return "stale";
    case DropReason::over_quota:
      return "over_quota";
    case DropReason::no_engine:
      return "no_engine";
    case DropReason::engine_error:
      return "engine_error";
    case DropReason::inactive:
      return "inactive";
    case DropReason::shutdown:
      return "shutdown";
  }
  SACCADE_CHECK(false);
}

const char* to_string(LossCause cause) {
  switch (cause) {
    case LossCause::switching:
      return "switch";
    case LossCause::solving:
      return "solve";
    case LossCause::other:
      return "other";
  }
  SACCADE_CHECK(false);
}

}  // namespace saccade::runtime
