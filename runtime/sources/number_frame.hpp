// A tensor pushed by a client as a frame.
// Threads: functions without state.
#pragma once

#include <vector>

#include "profiles/profile_set.hpp"
#include "runtime/sources/frame_source.hpp"

namespace saccade::runtime {

// `numbers`: of several regions, each of that shape, as for Engine::prepare(). The frame carries them
// unchanged if every variant takes an input of this size, else as a picture, rounded to 8 bits, which suits
// all.
[[nodiscard]] Frame frame_of_numbers(std::vector<float> numbers, const profiles::InputShape& shape,
                                     const NetworkInputs& inputs);

}  // namespace saccade::runtime
