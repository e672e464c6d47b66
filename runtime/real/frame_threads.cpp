#include "runtime/real/frame_threads.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/crash_note.hpp"
#include "runtime/engines/frame_decoder.hpp"
#include "runtime/machine/thread_cpu_clock.hpp"
#include "runtime/machine/thread_settings.hpp"
#include "runtime/sources/thumbnail.hpp"
#include "runtime/sources/told_reasons.hpp"

namespace saccade::runtime {

namespace {

// The input of the engine that runs the frame, made of what the frame carries.
Status prepare_job(Engine& engine, const Serving::Job& job) {
  if (job.start.stage > 0) return engine.take(job.crossing->views());
  if (job.picture == nullptr) return engine.prepare(job.input);
  if (job.regions.size() != static_cast<std::size_t>(engine.batch())) {
    return Error{
        "frame",
        "has " + std::to_string(job.regions.size()) + " regions instead of " + std::to_string(engine.batch()),
        ""};
  }
  for (std::size_t region = 0; region < job.regions.size(); ++region) {
    if (auto prepared = engine.prepare(region, *job.picture, job.regions[region]); !prepared) return prepared;
  }
  return Done{};
}

// For a client: what lies in the engine's memory is copied.
FrameAnswer answer_of(const FrameResult& result) {
  FrameAnswer answer;
  answer.logits.assign(result.logits.begin(), result.logits.end());
  answer.objects = result.objects;
  for (const vision::TensorView* const view : result.tensors) {
    NamedTensor& tensor = answer.tensors.emplace_back();
    tensor.name = view->name;
    tensor.shape.assign(view->shape.begin(), view->shape.end());
    std::visit(
        [&]<class Number>(std::span<const Number> numbers) {
          tensor.data.emplace<std::vector<Number>>(numbers.begin(), numbers.end());
        },
        view->data);
  }
  return answer;
}

SeenFrame seen_frame(const Serving::Job& job, ProcessorIndex processor, const FrameResult& result,
                     Duration inference) {
  const Duration ended = std::chrono::steady_clock::now().time_since_epoch();
  return {*job.task,
          job.start.frame,
          job.generation,
          job.engine.variant,
          processor,
          job.captured_at.monotonic,
          job.captured_at.wall,
          job.captured_at.by_camera,
          ended,
          inference,
          job.picture,
          job.regions,
          result.objects,
          result.classes,
          result.logits,
          job.kept,
          job.awaited};
}

// What a crash in the frame says.
CrashNote note_of(const Serving::Job& job) {
  if (job.task == nullptr) return CrashNote({"a frame"});
  return CrashNote({"a frame of task ", job.task->id.str(), " in variant ",
                    job.task->profiles->variants.at(job.engine.variant).id.str()});
}

// What a source says of itself, for the status and the log. In the status is the newest reason of an outage;
// the log has each of them once.
class SourceNews {
 public:
  SourceNews(TaskIndex task, int number, const TaskConfig& config, Serving& serving, MessageQueue& queue)
      : task_(task), number_(number), config_(config), serving_(serving), queue_(queue) {}

  void look(const std::optional<std::string>& fault) {
    if (fault == last_) return;
    last_ = fault;
    serving_.set_connected(task_, number_, !fault, fault.value_or(""));
    if (!fault) {
      told_.outage_ended();
      queue_.post(action::Report{EventKind::source_back, config_.id.str(), ""});
    } else if (told_.is_new(*fault)) {
      queue_.post(action::Report{EventKind::fault, config_.id.str(), *fault});
    }
  }

 private:
  const TaskIndex task_;
  const int number_;
  const TaskConfig& config_;
  Serving& serving_;
  MessageQueue& queue_;
  std::optional<std::string> last_;
  ToldReasons told_;
};

}  // namespace

void capture(TaskIndex task, int number, const TaskConfig& config, FrameSource& source, Serving& serving,
             MessageQueue& queue, ResultListener* listener) {
  const CrashNote note({"a picture of the source of task ", config.id.str()});
  serving.prepare_frames(task, source.frame_bytes());
  serving.count_capture(task, number, source.counters());
  SourceNews news(task, number, config, serving, queue);
  while (const auto tick = serving.next_tick(task, number)) {
    const bool got = source.next(tick->media_time, *tick->frame);
    const bool shown = got && tick->latest->wants_frame(tick->due);
    const bool listened = got && listener != nullptr && listener->wants_pictures(config.id);
    PicturePtr seen;
    if (shown || listened) seen = tick->frame->picture;
    serving.captured(task, *tick, got);
    if (shown && seen) tick->latest->show(thumbnail(*seen), tick->due);
    if (listened && seen) listener->captured(config.id, *seen);
    if (auto notice = source.take_notice())
      queue.post(action::Report{EventKind::fault, config.id.str(), *std::move(notice)});
    news.look(source.fault());
  }
}

namespace {

// A job on a processor that is emulated to be slower: it is held until it has taken `slowdown` times the CPU
// time that it took of its thread, computing nothing meanwhile. What other threads took of the CPU in between
// is not multiplied. With several threads to an inference the calling one computes along.
class SlowedJob {
 public:
  explicit SlowedJob(double slowdown) : slowdown_(slowdown) {
    if (slowdown_ > 1.0) begun_ = cpu_.now();
  }
  // The job has begun at `begun`. Returns how long it was held.
  [[nodiscard]] Duration hold(ProcessorIndex processor, TimePoint begun, Serving& serving,
                              const Clock& clock) const {
    if (slowdown_ <= 1.0) return Duration(0);
    const TimePoint computed = clock.now();
    const auto own = static_cast<double>((cpu_.now() - begun_).count());
    serving.wait_until(processor, begun + Duration(std::llround(slowdown_ * own)));
    return clock.now() - computed;
  }

 private:
  const ThreadCpuClock cpu_;
  const double slowdown_;
  TimePoint begun_{};
};

}  // namespace

void work(ProcessorIndex processor, int worker, Serving& serving, const Clock& clock,
          const std::vector<int>& cpus, ResultListener* listener) {
  name_thread("worker");
  pin_to(cpus);
  wake_precisely();
  Outputs outputs;
  FrameResult result;
  while (const auto job = serving.next_job(processor, worker)) {
    Engine& engine = *job->engine.engine;
    const CrashNote note = note_of(*job);
    FrameTime time;
    const SlowedJob slowed(job->slowdown);
    const TimePoint begun = clock.now();
    Status status = prepare_job(engine, *job);
    const TimePoint prepared = clock.now();
    time.prepare = prepared - begun;
    if (status.ok()) status = engine.infer(outputs);
    const TimePoint inferred = clock.now();
    time.infer = inferred - prepared;
    if (!serving.returned(processor, *job)) return;
    FrameLedger::Judged judged;
    FrameAnswer answer;
    if (!job->start.last) {
      if (status.ok()) status = job->crossing->keep(outputs);
      (void)slowed.hold(processor, begun, serving, clock);
      time.infer = clock.now() - prepared;  // what crosses is the stage's, as it is measured
      serving.finished(processor, *job, time, status, judged);
      continue;
    }
    if (status.ok())
      status = job->engine.decoder->decode(outputs, {job->picture, job->regions, job->apart}, result);
    const Duration held = slowed.hold(processor, begun, serving, clock);
    time.infer += held;
    if (status.ok()) {
      judged = judge(job->labels, result.classes);
      job->latest->answered(job->engine.variant, result.classes, result.objects);
      if (job->truths != nullptr) job->precision->add(*job->truths, result.objects);
      if (job->awaited) answer = answer_of(result);
      if (listener != nullptr && job->task)
        listener->seen(seen_frame(*job, processor, result, job->start.spent.infer + time.infer));
    }
    time.decode = clock.now() - inferred - held;
    serving.finished(processor, *job, time, status, judged, std::move(answer));
  }
}

FrameLedger::Judged judge(std::span<const int> labels, std::span<const int> classes) {
  FrameLedger::Judged judged;
  for (std::size_t region = 0; region < std::min(labels.size(), classes.size()); ++region) {
    ++judged.labelled;
    if (classes[region] == labels[region]) ++judged.correct;
  }
  return judged;
}

}  // namespace saccade::runtime
