// The two loops that frames go through: a capture thread fills frames at its task's ticks, a worker
// runs them on its processor. Both end when Serving says so.
// Threads: each function is the body of one thread.
#pragma once

#include <vector>

#include "runtime/frame_source.hpp"
#include "runtime/real/serving.hpp"

namespace saccade::runtime {

// Under the number that Serving::open_capture() gave. A fault of the source, and its end, become Reports;
// where somebody looks, a frame becomes a picture after it is on its way. `shape`: of the network's input.
void capture(TaskIndex task, int number, const TaskConfig& config, const profiles::InputShape& shape,
             FrameSource& source, Serving& serving, MessageQueue& queue);

// Runs on `cpus` (empty: anywhere).
void work(ProcessorIndex processor, Serving& serving, const Clock& clock, const std::vector<int>& cpus);

// How many regions have a known label, and how many of those the logits name: the largest of a
// region's `classes` numbers is the answer, the first of equals.
[[nodiscard]] FrameLedger::Judged judge(const std::vector<int>& labels, const std::vector<float>& logits,
                                        std::size_t classes);

}  // namespace saccade::runtime
