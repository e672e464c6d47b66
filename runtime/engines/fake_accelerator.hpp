// An accelerator without hardware behind it, as a back end: for tests of everything around one, and for
// `saccade bench accelerator` where there is no card. It behaves as measurements of a real one do:
// - a device memory that fills up: the context of the process once, with the first engine; per engine a
//   workspace for every thread that runs it, and what its profile says, its load peak while it plans. All of
//   that is given back when it is destroyed. A full memory is an error, not a wait.
// - the first inference of an engine is its load: it plans for `plan` and then, with EngineSpec::graphs,
//   captures a graph for `capture`, as ONNX Runtime does within one call; another thread than the one that
//   captured captures again. A network may be one that cannot be captured.
// - while a graph is captured, every other thread's call fails, unless that thread is in relaxed mode, as the
//   threads of this back end are.
// - it never runs on the host: a network with a node that the device lacks, or a spec for another provider,
// is
//   refused.
// Answers are those of the simulated back end. Time passes by `spend` alone.
// Threads: as EngineBackend; the accounts from any. Hooks are called on the thread of the engine. Errors: of
// the file, of the hooks, of a full memory, of a call during a capture.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "runtime/engines/device_threads.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/machine/device_memory.hpp"

namespace saccade::runtime {

struct FakeAcceleratorBehaviour {
  std::string provider{};  // which specs it serves; empty: all
  Bytes memory{24e9};
  Bytes context{570e6};
  Bytes workspace{67e6};  // per thread that runs an engine
  Bytes engine{10e6};     // where the profile has no figure
  Bytes planning{0.0};    // taken by it in addition while it plans, likewise
  Duration plan = std::chrono::milliseconds(300);
  Duration capture = std::chrono::milliseconds(12);
  std::function<void(Duration)> spend{};                        // empty: time does not pass
  std::function<Status(const EngineSpec&)> before_load{};       // may be empty, as those below
  std::function<Status(const EngineSpec&)> before_inference{};  // of every inference, those of warm-ups, too
  std::function<void()> in_capture{};
  std::function<bool(const EngineSpec&)> covers{};          // false: the device lacks a node of this network
  std::function<bool(const EngineSpec&)> captures{};        // false: its launches cannot be captured
  std::function<bool(const EngineSpec&)> destroys_badly{};  // its memory is never given back
};

// The device: its memory and what was done on it.
class FakeAccelerator {
 public:
  explicit FakeAccelerator(FakeAcceleratorBehaviour behaviour) : behaviour_(std::move(behaviour)) {}

  struct Account {
    Bytes used{0.0};
    Bytes peak{0.0};
    std::int64_t engines = 0;  // that exist
    std::int64_t inferences = 0;
    std::int64_t plans = 0;
    std::int64_t captures = 0;
    std::int64_t failed_in_capture = 0;  // calls on threads that were not in relaxed mode
    std::int64_t destroyed_badly = 0;
    std::int64_t destroyed_in_capture = 0;  // while another thread captured
    std::int64_t out_of_memory = 0;
  };
  [[nodiscard]] Account account() const;
  void forget_peak();  // it counts from now on
  [[nodiscard]] const FakeAcceleratorBehaviour& behaviour() const { return behaviour_; }

  // --- for the back end
  static void relax_this_thread();
  void spend(Duration time) const;
  // What keeps a call from being made now.
  [[nodiscard]] Status enter(const std::string& where);
  [[nodiscard]] Status take(Bytes amount, const std::string& where);
  void give_back(Bytes amount);
  [[nodiscard]] Status begin_engine(const std::string& where);  // with it the context, once
  void end_engine(Bytes held, bool badly);
  void planned();
  void capture();
  void inferred();

 private:
  [[nodiscard]] Status take_locked(Bytes amount, const std::string& where) SACCADE_REQUIRES(mutex_);

  const FakeAcceleratorBehaviour behaviour_;
  mutable Mutex mutex_;
  Account account_ SACCADE_GUARDED_BY(mutex_);
  bool has_context_ SACCADE_GUARDED_BY(mutex_) = false;
  std::thread::id capturing_ SACCADE_GUARDED_BY(mutex_);  // none: none
};

class FakeAcceleratorBackend final : public EngineBackend {
 public:
  explicit FakeAcceleratorBackend(FakeAcceleratorBehaviour behaviour = {});

  [[nodiscard]] std::string name() const override { return "fake_accelerator"; }
  [[nodiscard]] std::string version() const override { return "fake_accelerator"; }
  [[nodiscard]] Result<std::unique_ptr<Engine>> load(const EngineSpec& spec) const override;
  [[nodiscard]] const std::shared_ptr<FakeAccelerator>& device() const { return device_; }

 private:
  std::shared_ptr<FakeAccelerator> device_;  // shared with the engines
  std::shared_ptr<DeviceThreads> threads_;
};

// Its memory, as a meter reads that of a device; exact instead of sampled.
class FakeDeviceMemory final : public DeviceMemoryMeter {
 public:
  explicit FakeDeviceMemory(std::shared_ptr<FakeAccelerator> device) : device_(std::move(device)) {}
  [[nodiscard]] std::optional<Bytes> used() override {
    return readable ? std::optional(device_->account().used) : std::nullopt;
  }
  void watch() override { device_->forget_peak(); }
  [[nodiscard]] std::optional<Bytes> most() override {
    return readable ? std::optional(device_->account().peak) : std::nullopt;
  }
  bool readable = true;

 private:
  std::shared_ptr<FakeAccelerator> device_;
};

}  // namespace saccade::runtime
