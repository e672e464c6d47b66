// The naive way to switch: the thread that serves loads the new engine and destroys the old one, between
// two frames.
#include <algorithm>
#include <thread>

#include "bench/switch/holds.hpp"
#include "bench/switch/plans.hpp"
#include "bench/switch/product.hpp"
#include "runtime/frames/dispatcher.hpp"
#include "runtime/frames/tick_schedule.hpp"
#include "runtime/machine/thread_settings.hpp"

namespace saccade::bench {
namespace {

class NaiveServer {
 public:
  NaiveServer(const Course& course, const Recording& product, Watch& watch)
      : course_(course),
        watch_(watch),
        backend_(watch.around(course.backend, {})),
        plans_(product.plans),
        length_(product.measured.to - product.measured.from),
        tasks_(course.config.timeline.front().snapshot.tasks.size()),
        dispatcher_({course.config.timeline.front().snapshot.processors.front().capacity}, tasks_.size(),
                    course.config.runtime.gate_frames) {}

  Status run(Recording& recording) {
    const auto before = runtime::allowed_cpus();
    runtime::pin_to(serving_cpus(course_));
    runtime::wake_precisely();
    const Status served = serve(recording);
    runtime::pin_to(before);
    return served;
  }

 private:
  struct NaiveTask {
    std::unique_ptr<runtime::Engine> engine;
    std::optional<std::size_t> variant;
    runtime::TickSchedule schedule;
    runtime::Picture picture;  // that every region shows
    std::size_t regions = 1;
  };

  Status serve(Recording& recording) {
    for (runtime::TaskIndex task = 0; task < tasks_.size(); ++task) {
      const scheduler::Task& wanted = course_.config.timeline.front().snapshot.tasks[task];
      tasks_[task].regions = static_cast<std::size_t>(wanted.regions);
      tasks_[task].picture.resize(wanted.profiles->input.width, wanted.profiles->input.height);
      std::fill(tasks_[task].picture.pixels.begin(), tasks_[task].picture.pixels.end(), std::uint8_t{128});
    }
    const scheduler::Plan* first = plans_.due(Duration(0));
    if (first == nullptr) {
      return Error{"bench switch", "the product had no plan while it was measured",
                   "let the machine be idle and run it again"};
    }
    if (const Status loaded = change_to(*first, recording); !loaded) return loaded;
    recording.exchanges.clear();  // the first engines are no switch
    start_ = watch_.clock().now();
    const std::vector<Duration> first_tick = first_ticks(course_.config.timeline.front().snapshot.tasks);
    for (runtime::TaskIndex task = 0; task < tasks_.size(); ++task) {
      const scheduler::Task& wanted = course_.config.timeline.front().snapshot.tasks[task];
      tasks_[task].schedule.set_demand(wanted.demand, start_ + first_tick[task]);
      dispatcher_.set_demand(task, wanted.demand);
    }
    if (const Status followed = follow_plans(recording); !followed) return followed;
    recording.measured = {Duration(0), watch_.clock().now() - start_};
    recording.busy_share = to_seconds(dispatcher_.busy(0)) / to_seconds(recording.measured.to);
    return Done{};
  }

  Status follow_plans(Recording& recording) {
    for (;;) {
      const TimePoint now = watch_.clock().now();
      if (now - start_ >= length_) return Done{};
      if (const scheduler::Plan* plan = plans_.due(now - start_)) {
        if (recording.exchanges.size() >= course_.switches) return Done{};
        if (const Status loaded = change_to(*plan, recording); !loaded) return loaded;
        if (course_.progress) course_.progress(to_seconds(now - start_) / to_seconds(length_));
        continue;
      }
      take_ticks(now, recording);
      if (const auto start = dispatcher_.next(0, now)) {
        if (const Status ran = infer(*start); !ran) return ran;
      } else {
        std::this_thread::sleep_for(next_instant() - watch_.clock().now());
      }
    }
  }

  Status change_to(const scheduler::Plan& plan, Recording& recording) {
    for (runtime::TaskIndex task = 0; task < tasks_.size(); ++task) {
      const std::optional<std::size_t>& variant = plan.tasks[task].variant;
      const TimePoint now = watch_.clock().now();
      dispatcher_.set_rate(task, plan.tasks[task].granted, std::nullopt, now);
      if (!variant || variant == tasks_[task].variant) continue;
      const scheduler::Task& wanted = course_.config.timeline.front().snapshot.tasks[task];
      auto loaded = backend_->load(spec_of(course_, {task, *variant, wanted.regions, wanted.profiles}));
      if (!loaded) return loaded.errors();
      dispatcher_.set_route(task, runtime::Route{0, ++engines_});
      tasks_[task].engine = std::move(loaded).value();  // destroys the old one
      tasks_[task].variant = variant;
      recording.exchanges.push_back({task, now - start_, std::nullopt});
    }
    return Done{};
  }

  void take_ticks(TimePoint now, Recording& recording) {
    for (runtime::TaskIndex task = 0; task < tasks_.size(); ++task) {
      runtime::TickSchedule& schedule = tasks_[task].schedule;
      while (schedule.next() && *schedule.next() <= now) {
        const TimePoint due = schedule.take();
        // The number of a frame is when it is due.
        const auto number = static_cast<runtime::FrameNumber>((due - start_).count());
        if (const auto drop = dispatcher_.offer(task, number, due, schedule.period())) {
          recording.losses.push_back({task, now - start_, runtime::to_string(drop->reason), false});
        }
      }
    }
  }

  // Of the next frame, the next plan or the end.
  TimePoint next_instant() const {
    TimePoint next = start_ + std::min(plans_.next(), length_);
    for (const NaiveTask& task : tasks_) next = std::min(next, task.schedule.next().value_or(next));
    return next;
  }

  Status infer(const runtime::Start& start) {
    NaiveTask& task = tasks_[start.task];
    watch_.arrived(start.task, task.picture.pixels.data(), start.due - start_);
    Status status = Done{};
    for (std::size_t region = 0; region < task.regions && status.ok(); ++region) {
      status = task.engine->prepare(region, task.picture, task.picture.whole());
    }
    if (status.ok()) status = task.engine->infer(outputs_);
    dispatcher_.finished(0, watch_.clock().now());
    return status;
  }

  const Course& course_;
  Watch& watch_;
  const std::shared_ptr<const runtime::EngineBackend> backend_;
  PlanReplay plans_;
  const Duration length_;  // of the replay
  std::vector<NaiveTask> tasks_;
  runtime::Dispatcher dispatcher_;
  runtime::Outputs outputs_;
  runtime::EngineKey engines_ = 0;
  TimePoint start_{};
};

}  // namespace

Result<Recording> run_naive(const Course& course, const Recording& product) {
  Recording recording;
  for (const runtime::TaskConfig& task : course.config.tasks) recording.tasks.push_back(task.id.str());
  recording.period = course.period;
  recording.capacity = course.config.timeline.front().snapshot.processors.front().budget();
  const Window& measured = product.measured;
  for (const Window& quiet : product.quiet)
    recording.quiet.push_back({quiet.from - measured.from, quiet.to - measured.from});
  const auto shared_watch = std::make_shared<Watch>(most_frames(course, measured.to - measured.from));
  Watch& watch = *shared_watch;
  Holds holds(watch.clock(), serving_cpus(course));
  NaiveServer server(course, product, watch);
  if (const Status served = server.run(recording); !served) return served.errors();
  recording.frames = watch.frames();
  recording.holds = holds.end(watch.start());
  return recording;
}

}  // namespace saccade::bench
