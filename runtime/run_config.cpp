#include "runtime/run_config.hpp"

#include "base/check.hpp"

namespace saccade::runtime {

int region_count(const Regions& regions) {
  if (const auto* grid = std::get_if<Grid>(&regions)) return grid->columns * grid->rows;
  if (const auto* boxes = std::get_if<std::vector<PixelBox>>(&regions))
    return static_cast<int>(boxes->size());
  return 1;
}

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
