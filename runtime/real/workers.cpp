#include "runtime/real/workers.hpp"

#include <system_error>
#include <thread>
#include <utility>

#include "runtime/real/frame_threads.hpp"

namespace saccade::runtime {
namespace {

constexpr std::size_t kMostLeftBehind = 2;  // inferences; the next one costs its processor

}  // namespace

Workers::Workers(std::vector<ProcessorConfig> processors, std::shared_ptr<const Clock> clock,
                 std::shared_ptr<MessageQueue> queue, std::shared_ptr<Serving> serving, Loader& loader,
                 Conductor& conductor)
    : processors_(std::move(processors)),
      clock_(std::move(clock)),
      queue_(std::move(queue)),
      serving_(std::move(serving)),
      loader_(loader),
      conductor_(conductor) {}

void Workers::start() {
  for (ProcessorIndex p = 0; p < processors_.size(); ++p) start_worker(p, 0);
}

void Workers::start_worker(ProcessorIndex processor, int number) {
  const ProcessorConfig& config = processors_[processor];
  try {
    ThreadCount::start(threads_, [queue = queue_, serving = serving_, clock = clock_, cpus = config.cpus,
                                  listener = conductor_.hooks().results, processor, number] {
      work(processor, number, *serving, *clock, cpus, listener.get());
    });
  } catch (const std::system_error& error) {
    serving_->out_of_service(processor);
    conductor_.tell(clock_->now(),
                    {EventKind::fault, "",
                     "no thread can be started for processor " + config.id.str() + ": " + error.what()});
  }
}

void Workers::watch(TimePoint now) {
  for (const Serving::Hanging& hanging : serving_->hanging(now)) {
    const Start& start = hanging.start;
    const std::string& processor = processors_[hanging.processor].id.str();
    if (hanging.due == InferenceWatch::Due::stop) {
      // In this order: no further frame is to begin in a variant whose stage was stopped.
      conductor_.on(
          event::InferenceHangs{start.engine, loader_.sharing(start.engine, start.stage, start.copy)}, now);
      loader_.engine(start.engine, start.stage, start.copy).stop();
      continue;
    }
    const std::optional<int> number =
        serving_->leave_behind(hanging.processor, start, loader_.share(start.engine, start.stage, start.copy),
                               DropReason::engine_error);
    if (!number) continue;
    if (serving_->left_behind() > kMostLeftBehind) {
      serving_->out_of_service(hanging.processor);
      conductor_.tell(now, {EventKind::fault, "",
                            "processor " + processor + " is out of service: inferences do not return"});
      continue;
    }
    conductor_.tell(now, {EventKind::fault, "",
                          "an inference on processor " + processor + " hangs; its worker is left behind"});
    start_worker(hanging.processor, *number);
  }
}

void Workers::end(Duration patience) {
  serving_->stop_workers();
  for (ProcessorIndex p = 0; p < processors_.size(); ++p) {
    if (const auto start = serving_->running(p))
      loader_.engine(start->engine, start->stage, start->copy).stop();
  }
  if (threads_->wait_for_none(patience)) return;
  for (ProcessorIndex p = 0; p < processors_.size(); ++p) {
    if (const auto start = serving_->running(p)) {
      (void)serving_->leave_behind(p, *start, loader_.share(start->engine, start->stage, start->copy),
                                   DropReason::shutdown);
    }
  }
}

}  // namespace saccade::runtime
