#include "tests/support/run_fixture.hpp"

namespace saccade::test {

profiles::ProfileSet two_variants(std::size_t processors) {
  profiles::ProfileSet set;
  set.network = "tiny";
  set.device = {"test", {}, std::nullopt};
  set.input = kTinyInput;
  set.labels = {"even", "odd"};
  for (std::size_t p = 0; p < processors; ++p) {
    const ProcessorId processor(p == 0 ? "cpu" : "cpu" + std::to_string(p));
    set.device.processors.push_back(processor);
    for (const bool big : {false, true}) {
      profiles::Variant variant;
      variant.id = VariantId(std::string(big ? "big" : "small") + (p == 0 ? "" : "-" + processor.str()));
      variant.accuracy = big ? 0.9 : 0.8;
      variant.accuracy_images = 1000;
      variant.frame_time[processor] = Seconds(big ? 1e-4 : 5e-5);
      variant.memory = Bytes(big ? kBigMemory : kSmallMemory);
      variant.load_time = Seconds(1e-3);
      set.variants.push_back(std::move(variant));
    }
  }
  return set;
}

runtime::TimelineState state_at(double seconds, std::size_t tasks, double fps, double memory,
                                const profiles::ProfileSetPtr& profiles) {
  runtime::TimelineState state;
  state.at = to_duration(Seconds(seconds));
  for (const ProcessorId& processor : profiles->device.processors) {
    state.snapshot.processors.push_back({.id = processor});
  }
  state.snapshot.limits.memory = Bytes(memory);
  for (std::size_t i = 0; i < tasks; ++i) {
    scheduler::Task task;
    task.id = TaskId("task-" + std::to_string(i));
    task.profiles = profiles;
    task.demand = Fps(fps);
    state.snapshot.tasks.push_back(std::move(task));
  }
  return state;
}

runtime::RunConfig run_config(std::vector<runtime::TimelineState> timeline) {
  runtime::RunConfig config;
  for (const auto& processor : timeline.front().snapshot.processors) {
    config.processors.push_back({.id = processor.id, .cpus = {}});
  }
  for (const scheduler::Task& task : timeline.front().snapshot.tasks) {
    config.tasks.push_back({task.id, runtime::SyntheticSource{}, runtime::WholeFrame{}});
  }
  config.timeline = std::move(timeline);
  config.solver_deadline = Seconds(10.0);
  config.runtime.coalesce = Seconds(0.0);
  return config;
}

bool KnownFrames::next(Duration /*at*/, runtime::Frame& frame) {
  // The simulated engine sums the even and the odd places up apart; the larger sum is its answer.
  const int label = count_++ % 2;
  runtime::Picture& picture = runtime::renew(frame.picture);
  picture.resize(kTinyInput.width, kTinyInput.height);
  for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
    picture.pixels[i] = i / 3 % 2 == static_cast<std::size_t>(label) ? 255 : 0;  // every other column
  }
  frame.regions.assign(1, picture.whole());
  frame.labels.assign(1, label);
  addresses_.insert(picture.pixels.data());
  return true;
}

}  // namespace saccade::test
