#include "runtime/engines/fake_accelerator.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "runtime/engines/owned_engine.hpp"
#include "runtime/engines/simulated_backend.hpp"

namespace saccade::runtime {
namespace {

// As CUDA's mode of capture, it belongs to the thread.
bool& relaxed_here() {
  thread_local bool relaxed = false;
  return relaxed;
}

// What lives on the device, on whichever thread calls.
class FakeDeviceEngine final : public Engine {
 public:
  FakeDeviceEngine(std::shared_ptr<FakeAccelerator> device, const EngineSpec& spec,
                   std::unique_ptr<Engine> answers)
      : device_(std::move(device)), spec_(spec), answers_(std::move(answers)) {
    const profiles::Variant* profile = std::exchange(spec_.profile, nullptr);  // outlives the load only
    needs_ = device_->behaviour().engine;
    peak_ = needs_ + device_->behaviour().planning;
    if (profile != nullptr && profile->device_memory) needs_ = peak_ = *profile->device_memory;
    if (profile != nullptr && profile->device_load_peak) peak_ = std::max(needs_, *profile->device_load_peak);
  }
  ~FakeDeviceEngine() override {
    const auto& badly = device_->behaviour().destroys_badly;
    device_->end_engine(held_, badly && badly(spec_));
  }
  FakeDeviceEngine(const FakeDeviceEngine&) = delete;
  FakeDeviceEngine& operator=(const FakeDeviceEngine&) = delete;

  Status prepare(std::size_t place, const Picture& picture, const PixelBox& region) override {
    return answers_->prepare(place, picture, region);
  }
  Status prepare(std::span<const float> planes) override { return answers_->prepare(planes); }

  Status infer(Outputs& outputs) override {
    const std::string where = spec_.model.string();
    if (Status allowed = device_->enter(where); !allowed) return allowed;
    if (Status ready = use_this_thread(where); !ready) return ready;
    const auto& before = device_->behaviour().before_inference;
    if (before) {
      if (Status allowed = before(spec_); !allowed) return allowed;
    }
    if (!planned_) {
      if (Status planned = plan(where); !planned) return planned;
    }
    if (spec_.graphs && captured_on_ != std::this_thread::get_id()) {
      const auto& captures = device_->behaviour().captures;
      if (captures && !captures(spec_)) return Error{where, "the launches cannot be captured", ""};
      device_->capture();
      captured_on_ = std::this_thread::get_id();
    }
    device_->inferred();
    return answers_->infer(outputs);
  }

  [[nodiscard]] std::vector<vision::OutputPort> outputs() const override { return answers_->outputs(); }
  [[nodiscard]] int batch() const override { return answers_->batch(); }
  [[nodiscard]] std::size_t classes() const override { return answers_->classes(); }

 private:
  Status use_this_thread(const std::string& where) {
    if (threads_.contains(std::this_thread::get_id())) return Done{};
    const Bytes workspace = device_->behaviour().workspace;
    if (Status taken = device_->take(workspace, where); !taken) return taken;
    threads_.insert(std::this_thread::get_id());
    held_ += workspace;
    return Done{};
  }
  Status plan(const std::string& where) {
    if (Status taken = device_->take(peak_, where); !taken) return taken;
    device_->spend(device_->behaviour().plan);
    device_->give_back(peak_ - needs_);
    held_ += needs_;
    planned_ = true;
    device_->planned();
    return Done{};
  }

  std::shared_ptr<FakeAccelerator> device_;
  EngineSpec spec_;
  std::unique_ptr<Engine> answers_;
  Bytes needs_{0.0};
  Bytes peak_{0.0};
  Bytes held_{0.0};
  bool planned_ = false;
  std::thread::id captured_on_;
  std::set<std::thread::id> threads_;  // that have a workspace
};

}  // namespace

FakeAccelerator::Account FakeAccelerator::account() const {
  const Lock lock(mutex_);
  return account_;
}

void FakeAccelerator::forget_peak() {
  const Lock lock(mutex_);
  account_.peak = account_.used;
}

void FakeAccelerator::relax_this_thread() { relaxed_here() = true; }

void FakeAccelerator::spend(Duration time) const {
  if (behaviour_.spend) behaviour_.spend(time);
}

Status FakeAccelerator::enter(const std::string& where) {
  const Lock lock(mutex_);
  const bool another = capturing_ != std::thread::id() && capturing_ != std::this_thread::get_id();
  if (!another || relaxed_here()) return Done{};
  ++account_.failed_in_capture;
  return Error{where, "failure 900 of the device: another thread captures a graph",
               "the thread is not in relaxed capture mode; report this"};
}

Status FakeAccelerator::take_locked(Bytes amount, const std::string& where) {
  if (account_.used + amount > behaviour_.memory) {
    ++account_.out_of_memory;
    return Error{where, "the memory of the device is full", "lower its limit in `limits.memories`"};
  }
  account_.used += amount;
  account_.peak = std::max(account_.peak, account_.used);
  return Done{};
}

Status FakeAccelerator::take(Bytes amount, const std::string& where) {
  const Lock lock(mutex_);
  return take_locked(amount, where);
}

void FakeAccelerator::give_back(Bytes amount) {
  const Lock lock(mutex_);
  account_.used -= amount;
}

Status FakeAccelerator::begin_engine(const std::string& where) {
  const Lock lock(mutex_);
  if (!has_context_) {
    if (Status taken = take_locked(behaviour_.context, where); !taken) return taken;
    has_context_ = true;
  }
  ++account_.engines;
  return Done{};
}

void FakeAccelerator::end_engine(Bytes held, bool badly) {
  const Lock lock(mutex_);
  --account_.engines;
  account_.destroyed_badly += badly ? 1 : 0;
  const bool another = capturing_ != std::thread::id() && capturing_ != std::this_thread::get_id();
  account_.destroyed_in_capture += another ? 1 : 0;
  if (!badly) account_.used -= held;
}

void FakeAccelerator::planned() {
  const Lock lock(mutex_);
  ++account_.plans;
}

void FakeAccelerator::capture() {
  {
    const Lock lock(mutex_);
    ++account_.captures;
    capturing_ = std::this_thread::get_id();
  }
  if (behaviour_.in_capture) behaviour_.in_capture();
  spend(behaviour_.capture);
  const Lock lock(mutex_);
  capturing_ = std::thread::id();
}

void FakeAccelerator::inferred() {
  const Lock lock(mutex_);
  ++account_.inferences;
}

FakeAcceleratorBackend::FakeAcceleratorBackend(FakeAcceleratorBehaviour behaviour)
    : device_(std::make_shared<FakeAccelerator>(std::move(behaviour))),
      threads_(DeviceThreads::make(FakeAccelerator::relax_this_thread)) {}

Result<std::unique_ptr<Engine>> FakeAcceleratorBackend::load(const EngineSpec& spec) const {
  const FakeAcceleratorBehaviour& behaviour = device_->behaviour();
  const std::string where = spec.model.string();
  if (!behaviour.provider.empty() && spec.provider != behaviour.provider) {
    return Error{where, "is for the execution provider '" + spec.provider + "', not for this device",
                 "an accelerator's engine does not run on the host instead"};
  }
  if (behaviour.covers && !behaviour.covers(spec)) {
    return Error{where, "has nodes that the device cannot run",
                 "run it on a processor with \"provider\": \"cpu\""};
  }
  return make_owned_engine(
      *threads_, spec, [&](const EngineSpec& fitting) -> Result<std::unique_ptr<Engine>> {
        if (Status allowed = device_->enter(where); !allowed) return allowed.errors();
        if (behaviour.before_load) {
          if (Status allowed = behaviour.before_load(fitting); !allowed) return allowed.errors();
        }
        auto answers = SimulatedBackend().load(fitting);
        if (!answers) return answers.errors();
        if (Status begun = device_->begin_engine(where); !begun) return begun.errors();
        return std::unique_ptr<Engine>(
            std::make_unique<FakeDeviceEngine>(device_, fitting, std::move(answers).value()));
      });
}

}  // namespace saccade::runtime
