// The two loops that frames go through: a capture thread fills frames at its task's ticks, a worker prepares
// and runs them on its processor. Both end when Serving's waiting calls return nothing. Threads: each
// function is the body of one thread.
#pragma once

#include <span>
#include <vector>

#include "runtime/real/serving.hpp"
#include "runtime/sources/frame_source.hpp"

namespace saccade::runtime {

// `number`: from Serving::open_capture(). Each reason of a source's outage once, its end, and its notices,
// are posted as Reports; while there are viewers, frames are rendered as thumbnails after they were offered.
// `listener` (may be null) gets the pictures that it requests, likewise.
void capture(TaskIndex task, int number, const TaskConfig& config, FrameSource& source, Serving& serving,
             MessageQueue& queue, ResultListener* listener = nullptr);

// Runs on `cpus` (empty: anywhere). A job with a slowdown keeps its processor for as long as it says; that
// time counts as inference, and results leave after it. `worker`: its number among those of the processor; an
// abandoned worker ends when its inference returns. `listener` (may be null) is called for every decoded
// frame.
void work(ProcessorIndex processor, int worker, Serving& serving, const Clock& clock,
          const std::vector<int>& cpus, ResultListener* listener = nullptr);

// How many regions have a known label, and for how many of those the answer is correct. `classes`: the answer
// for each region; empty if the network is not a classifier.
[[nodiscard]] FrameLedger::Judged judge(std::span<const int> labels, std::span<const int> classes);

}  // namespace saccade::runtime
