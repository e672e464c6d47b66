#include "runtime/run/run_config.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace saccade::runtime {

ProcessorIndex processor_index(const std::vector<ProcessorConfig>& processors, const ProcessorId& id) {
  const auto found = std::find_if(processors.begin(), processors.end(),
                                  [&](const ProcessorConfig& each) { return each.id == id; });
  SACCADE_CHECK(found != processors.end());
  return static_cast<ProcessorIndex>(found - processors.begin());
}

const char* to_string(StreamTransport transport) {
  switch (transport) {
    case StreamTransport::automatic:
      return "auto";
    case StreamTransport::tcp:
      return "tcp";
    case StreamTransport::udp:
      return "udp";
  }
  return "";
}

const char* to_string(StreamDecode decode) {
  switch (decode) {
    case StreamDecode::all:
      return "all";
    case StreamDecode::needed:
      return "needed";
    case StreamDecode::key:
      return "key";
  }
  return "";
}

const char* to_string(StreamHardware hardware) {
  switch (hardware) {
    case StreamHardware::none:
      return "none";
    case StreamHardware::vaapi:
      return "vaapi";
    case StreamHardware::v4l2m2m:
      return "v4l2m2m";
    case StreamHardware::cuda:
      return "cuda";
  }
  return "";
}

int region_count(const Regions& regions) {
  if (const auto* grid = std::get_if<Grid>(&regions)) return grid->columns * grid->rows;
  if (const auto* boxes = std::get_if<std::vector<PixelBox>>(&regions))
    return static_cast<int>(boxes->size());
  return 1;
}

}  // namespace saccade::runtime
