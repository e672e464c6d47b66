// `saccade profile --layers`: the layers of one network's variants measured on each processor of this
// machine, and what it costs to hand tensors from one to another, as saccade-layers/1 files.
// Threads: the calling one, pinned meanwhile, and one that receives. Errors: all mistakes of the command line
// at once.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "app/report/options.hpp"

namespace saccade::app {

// NAME=CPU[+CPU...][*FACTOR], or NAME=OTHER, where OTHER comes before it
struct LayerProcessor {
  std::string name;
  std::vector<int> cpus;
  double slowdown = 1.0;  // emulated: times are multiplied by it
  // That of OTHER, of which this is another one: with its times and transfers, not measured again. Its CPUs
  // and slowdown stand here, too.
  std::optional<std::size_t> like = {};
  bool operator==(const LayerProcessor&) const = default;
};

// What "fast=0,slow=1+2*2.5,slow2=slow" says; every mistake is added. `allowed`: the CPUs there are.
[[nodiscard]] std::vector<LayerProcessor> layer_processors(const std::optional<std::string>& text,
                                                           const std::vector<int>& allowed,
                                                           std::vector<std::string>& mistakes);

int profile_layers(const Invocation& call, std::ostream& out, std::ostream& err);

}  // namespace saccade::app
