// Inferences that do not return, and processors that run none any more.
#include <utility>

#include "base/mutex.hpp"
#include "runtime/real/serving.hpp"

namespace saccade::runtime {
namespace {

bool same_job(const Start& a, const Start& b) {
  return a.task == b.task && a.frame == b.frame && a.stage == b.stage && a.engine == b.engine;
}

}  // namespace

std::vector<Serving::Hanging> Serving::hanging(TimePoint now) {
  const Lock lock(mutex_);
  std::vector<Hanging> all;
  for (ProcessorIndex p = 0; p < workers_.size(); ++p) {
    const InferenceWatch::Due due = workers_[p].watch.look(now);
    if (due == InferenceWatch::Due::nothing) continue;
    all.push_back({p, workers_[p].job->start, due});
  }
  return all;
}

std::optional<Start> Serving::running(ProcessorIndex processor) const {
  const Lock lock(mutex_);
  const Worker& seat = workers_.at(processor);
  return seat.watch.running() ? std::optional(seat.job->start) : std::nullopt;
}

std::optional<int> Serving::leave_behind(ProcessorIndex processor, const Start& hanging,
                                         std::shared_ptr<Engine> engine, DropReason reason) {
  const Lock lock(mutex_);
  Worker& seat = workers_.at(processor);
  if (!seat.watch.running()) return std::nullopt;
  const Job& job = *seat.job;
  if (!same_job(job.start, hanging)) return std::nullopt;  // the worker is at the next one
  // The inference reads from this memory; the slot takes other frames from now on.
  Slot& used = slot(job.start.task, job.start.frame);
  seat.left_behind[job.worker] = {std::exchange(used.frame, {}), std::move(engine)};
  used.chain = nullptr;  // what it lent stays with the inference, and the engine takes no other frame
  used.crossing = nullptr;
  seat.watch.ends();
  desk_.left_behind(processor, job.start, clock_.now(), reason);
  wake_all();
  if (desk_.dispatcher().idle()) idle_.notify_all();
  return ++seat.number;
}

std::size_t Serving::left_behind() const {
  const Lock lock(mutex_);
  std::size_t count = 0;
  for (const Worker& seat : workers_) count += seat.left_behind.size();
  return count;
}

void Serving::out_of_service(ProcessorIndex processor) {
  const Lock lock(mutex_);
  workers_.at(processor).out_of_service = true;
  desk_.out_of_service(processor, clock_.now());
  if (desk_.dispatcher().idle()) idle_.notify_all();
  wake_all();
}

}  // namespace saccade::runtime
