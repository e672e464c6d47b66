// Numbers that a client sent as a frame.
// Threads: functions without state.
#pragma once

#include <vector>

#include "profiles/profile_set.hpp"
#include "runtime/sources/frame_source.hpp"

namespace saccade::runtime {

// `numbers`: of some regions, each of that shape, as Engine::prepare() takes them. The frame carries them as
// they are where every variant takes an input of this size, else a picture of them, rounded to 8 bits, which
// suits all.
[[nodiscard]] Frame frame_of_numbers(std::vector<float> numbers, const profiles::InputShape& shape,
                                     const NetworkInputs& inputs);

}  // namespace saccade::runtime
