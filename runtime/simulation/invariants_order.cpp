// Which frame runs next and which stages it passes, by the second account.
#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "runtime/simulation/invariants.hpp"

namespace saccade::runtime {
namespace {

Duration time_of(const std::map<std::size_t, Duration>& last, std::size_t stage) {
  const auto found = last.find(stage);
  return found == last.end() ? Duration(0) : found->second;
}

}  // namespace

// Nothing overtakes: not on the way into a stage, unless into another copy of it, and not at the end of a
// frame that another engine began before.
bool Invariants::may_go_on(TaskIndex task, const UnderWay& frame) const {
  const EngineBook& engine = engines_.at(frame.engine);
  const bool last = frame.stage + 1 == engine.stages.size();
  for (const UnderWay& other : tasks_[task].under_way) {
    if (other.frame >= frame.frame) continue;
    if (other.engine != frame.engine ? last : other.stage < frame.stage) return false;
    const bool same_stage = other.engine == frame.engine && other.stage == frame.stage;
    if (same_stage && engine.place(other.stage, other.turn) == engine.place(frame.stage, frame.turn))
      return false;
  }
  return !last || std::none_of(processors_.begin(), processors_.end(), [&](const ProcessorBook& book) {
    return book.running && book.running->task == task && engines_.at(book.running->engine).stages.size() == 1;
  });
}

ProcessorIndex Invariants::gate_processor(const TaskBook& book) const {
  const auto engine = engines_.find(*book.engine);
  return book.most == 0 || engine == engines_.end() ? book.processor
                                                    : engine->second.place(0, engine->second.began);
}

// Frames under way first, each of them and each gate in the order of tasks.
template <class Use>
void Invariants::each_waiting(ProcessorIndex processor, const Use& use) const {
  for (TaskIndex i = 0; i < tasks_.size(); ++i) {
    for (const UnderWay& frame : tasks_[i].under_way) {
      if (frame.runs || engines_.at(frame.engine).place(frame.stage, frame.turn) != processor) continue;
      if (!may_go_on(i, frame)) continue;
      use(Urgent{i, frame.frame, frame.deadline, time_of(tasks_[i].last, frame.stage)});
    }
  }
  for (TaskIndex i = 0; i < tasks_.size(); ++i) {
    const TaskBook& book = tasks_[i];
    if (!book.engine || book.gate.empty() || gate_processor(book) != processor) continue;
    if (book.most > 0 ? book.under_way.size() >= book.most : !book.under_way.empty()) continue;
    use(Urgent{i, book.gate.front().frame, book.gate.front().deadline, time_of(book.last, 0)});
  }
}

std::optional<Invariants::Urgent> Invariants::first_waiting(ProcessorIndex processor) const {
  std::optional<Urgent> first;
  each_waiting(processor, [&](const Urgent& waits) {
    if (!first || waits.deadline < first->deadline) first = waits;
  });
  return first;
}

// Whether a frame of a class above that of the earliest deadline would be late, or find the budget spent, if
// it ran after that one and after those of such classes that are due before it.
bool Invariants::behind(ProcessorIndex processor, const Urgent& earliest, TimePoint now) {
  std::vector<Urgent> above;
  each_waiting(processor, [&](const Urgent& waits) {
    if (tasks_[waits.task].priority > tasks_[earliest.task].priority) above.push_back(waits);
  });
  ProcessorBook& book = processors_[processor];
  const bool whole = book.capacity >= 1.0;
  const Duration left = whole ? Duration(0) : to_duration(Seconds(book.capacity)) - used(book, now);
  return std::any_of(above.begin(), above.end(), [&](const Urgent& one) {
    Duration ahead = earliest.expected;
    for (const Urgent& other : above) ahead += other.deadline <= one.deadline ? other.expected : Duration(0);
    return now + ahead > one.deadline || (!whole && ahead > left);
  });
}

std::optional<Invariants::Urgent> Invariants::due_to_run(ProcessorIndex processor, TimePoint now) {
  const std::optional<Urgent> earliest = first_waiting(processor);
  if (!earliest || !behind(processor, *earliest, now)) return earliest;
  const auto urgency = [&](const Urgent& each) {
    return std::pair(-tasks_[each.task].priority, each.deadline);
  };
  std::optional<Urgent> first;
  each_waiting(processor, [&](const Urgent& waits) {
    if (!first || urgency(waits) < urgency(*first)) first = waits;
  });
  return first;
}

// A task's frames end in the order in which they began, where stages are about: a whole frame may overtake
// one of another whole engine.
void Invariants::check_order(const Start& ended) {
  const char* const invariant = "the frames of a task end in their order";
  const bool staged = ended.stage > 0;
  for (const UnderWay& other : tasks_[ended.task].under_way)
    require(other.frame > ended.frame, invariant, "frame", ended.frame);
  for (const ProcessorBook& book : processors_) {
    if (!staged || !book.running || book.running->task != ended.task) continue;
    require(book.running->frame >= ended.frame, invariant, "frame", ended.frame);
  }
}

void Invariants::started(ProcessorIndex processor, const Start& start, TimePoint now) {
  now_ = now;
  ProcessorBook& book = processors_[processor];
  require(!book.running, "a processor runs one frame at a time");
  require(!spent(book, now), "no frame starts on a spent budget");
  const std::optional<Urgent> first = due_to_run(processor, now);
  require(first && first->task == start.task && first->frame == start.frame,
          "the earliest deadline runs first, or the highest class where the processor is behind", "frame",
          start.frame);
  start.stage > 0 ? begin_stage(start) : begin_frame(start);
  book.running = start;
  book.since = now;
  touched_ = start.task;
}

void Invariants::begin_frame(const Start& start) {
  TaskBook& of_task = tasks_[start.task];
  require(of_task.engine == start.engine, "a frame runs in its task's engine", "engine", start.engine);
  const auto engine = engines_.find(start.engine);
  require(engine != engines_.end() && engine->second.life == Life::serving,
          "a frame runs in an engine that is warm", "engine", start.engine);
  require(of_task.bucket >= 0, "a task gets no more frames than its rate allows", "task", start.task);
  require(start.last == (of_task.most == 0), "a frame ends with its last stage", "frame", start.frame);
  if (of_task.gate.empty()) return;
  if (of_task.most > 0) {
    const std::size_t turn = engine->second.began++;
    of_task.under_way.push_back({start.frame, of_task.gate.front().deadline, start.engine, turn, 0, true});
  }
  of_task.gate.erase(of_task.gate.begin());
}

void Invariants::begin_stage(const Start& start) {
  std::vector<UnderWay>& under_way = tasks_[start.task].under_way;
  const auto frame = std::find_if(under_way.begin(), under_way.end(),
                                  [&](const UnderWay& each) { return each.frame == start.frame; });
  const auto engine = engines_.find(start.engine);
  if (frame == under_way.end() || engine == engines_.end()) {
    return require(false, "a later stage is of a frame that is under way", "frame", start.frame);
  }
  require(!frame->runs && frame->engine == start.engine && frame->stage == start.stage,
          "a frame passes the stages of its engine one after the other", "frame", start.frame);
  require(engine->second.life == Life::serving || engine->second.life == Life::out,
          "a frame runs in an engine that is warm", "engine", start.engine);
  require(start.last == (start.stage + 1 == engine->second.stages.size()), "a frame ends with its last stage",
          "frame", start.frame);
  frame->runs = true;
}

void Invariants::end_stage(const Start& start) {
  std::vector<UnderWay>& under_way = tasks_[start.task].under_way;
  const auto frame = std::find_if(under_way.begin(), under_way.end(),
                                  [&](const UnderWay& each) { return each.frame == start.frame; });
  if (frame != under_way.end() && start.last) under_way.erase(frame);
  if (start.last) return check_order(start);
  require(frame != under_way.end() && frame->runs, "a stage that ends has begun", "frame", start.frame);
  if (frame == under_way.end()) return;
  frame->runs = false;
  ++frame->stage;
}

void Invariants::ended(ProcessorIndex processor, TimePoint now) {
  now_ = now;
  ProcessorBook& book = processors_[processor];
  require(book.running.has_value(), "a frame that ends has started");
  if (book.capacity < 1.0) book.log.emplace_back(book.since, now);
  touched_ = book.running->task;
  tasks_[book.running->task].last[book.running->stage] = now - book.since;
  const Start start = *std::exchange(book.running, std::nullopt);
  end_stage(start);
}

Duration Invariants::used(ProcessorBook& book, TimePoint now) {
  const TimePoint since = now - Duration(std::chrono::seconds(1));
  while (!book.log.empty() && book.log.front().second <= since) book.log.pop_front();
  Duration sum{0};
  for (const auto& [from, to] : book.log) sum += to - std::max(from, since);
  return sum;
}

bool Invariants::spent(ProcessorBook& book, TimePoint now) {
  return book.capacity < 1.0 && used(book, now) >= to_duration(Seconds(book.capacity));
}

}  // namespace saccade::runtime
