#include "runtime/real/frame_threads.hpp"

#include <algorithm>

#include "runtime/real/thread_settings.hpp"
#include "runtime/sources/thumbnail.hpp"

namespace saccade::runtime {

void capture(TaskIndex task, int number, const TaskConfig& config, const profiles::InputShape& shape,
             FrameSource& source, Serving& serving, MessageQueue& queue) {
  serving.prepare_frames(task, shape.size() * static_cast<std::size_t>(region_count(config.regions)));
  bool well = true;
  while (const auto tick = serving.next_tick(task, number)) {
    const bool got = source.next(tick->media_time, *tick->frame);
    std::vector<float> seen;
    if (got && tick->latest->wants_frame(tick->due)) seen = tick->frame->input;
    serving.captured(task, *tick, got);
    if (!seen.empty()) tick->latest->show(thumbnail(seen, shape, config.regions), tick->due);
    const auto fault = source.fault();
    if (well != fault.has_value()) continue;
    well = !fault;
    serving.set_connected(task, number, well);
    queue.post(action::Report{fault ? "fault" : "source_back", config.id.str(), fault.value_or("")});
  }
}

void work(ProcessorIndex processor, Serving& serving, const Clock& clock, const std::vector<int>& cpus) {
  name_thread("worker");
  pin_to(cpus);
  wake_precisely();
  std::vector<float> logits;
  while (const auto job = serving.next_job(processor)) {
    Engine& engine = *job->engine.engine;
    logits.resize(static_cast<std::size_t>(engine.batch()) * engine.classes());
    const TimePoint begun = clock.now();
    const Status status = engine.infer(job->frame->input, logits);
    const Duration inference = clock.now() - begun;
    FrameLedger::Judged judged;
    if (status.ok()) {
      judged = judge(job->frame->labels, logits, engine.classes());
      if (job->latest->wants_answer()) job->latest->answered(logits, engine.classes());
    }
    serving.finished(processor, *job, inference, status, judged,
                     job->awaited && status.ok() ? logits : std::vector<float>());
  }
}

FrameLedger::Judged judge(const std::vector<int>& labels, const std::vector<float>& logits,
                          std::size_t classes) {
  FrameLedger::Judged judged;
  for (std::size_t region = 0; region < labels.size(); ++region) {
    const auto first = logits.begin() + static_cast<std::ptrdiff_t>(region * classes);
    const auto answer = std::max_element(first, first + static_cast<std::ptrdiff_t>(classes)) - first;
    ++judged.labelled;
    if (answer == labels[region]) ++judged.correct;
  }
  return judged;
}

}  // namespace saccade::runtime
