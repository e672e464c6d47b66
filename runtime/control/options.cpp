#include "runtime/control/options.hpp"

#include "base/check.hpp"

namespace saccade::runtime {

const char* to_string(TransitionMode mode) {
  switch (mode) {
    case TransitionMode::keep_old:
      return "keep_old";
    case TransitionMode::unload_first:
      return "unload_first";
  }
  check_failed("known transition mode", __FILE__, __LINE__);
}

}  // namespace saccade::runtime
