// The engine of one stage, which the chains (StageChain) of several variants of a task may own together. It
// may be given to a further chain while it is offered: once it is warm, unless it was stopped or withdrawn,
// or its last call failed. Once it was stopped, every further call is an error: an inference may still be
// running in it.
//
// Call order: note_outputs() in the warm-up of the chain that it was loaded for, then set_warm() if that
// succeeded. Threads: until then prepare(), take(), infer() and these two by the thread that warms it up;
// afterwards the first three by the worker of its processor only, whatever the number of chains. All others
// from any thread. Errors: those of the engine, and calls after stop().
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/engines/engine.hpp"
#include "runtime/engines/kept_tensors.hpp"

namespace saccade::runtime {

class StageEngine final : public Engine {
 public:
  StageEngine(std::unique_ptr<Engine> engine, EngineSpec spec);

  [[nodiscard]] Status prepare(std::size_t place, const Picture& picture, const PixelBox& region) override;
  [[nodiscard]] Status prepare(std::span<const float> planes) override;
  [[nodiscard]] Status take(std::span<const vision::TensorView> tensors) override;
  [[nodiscard]] Status infer(Outputs& outputs) override;
  void stop() override;
  // As they were when the engine was loaded.
  [[nodiscard]] std::vector<vision::OutputPort> outputs() const override { return ports_; }
  [[nodiscard]] int batch() const override { return spec_.batch; }
  [[nodiscard]] std::size_t classes() const override { return classes_; }
  [[nodiscard]] std::string remark() const override { return remark_; }

  [[nodiscard]] const EngineSpec& spec() const noexcept { return spec_; }  // its `profile` is null
  // Whether the spec is of an equal stage: the same model by its hash, with the same inputs, outputs and
  // batch, on the same processor. The file's path and `profile` do not count. False without a hash.
  [[nodiscard]] bool equals(const EngineSpec& spec) const;

  [[nodiscard]] Status note_outputs(const Outputs& outputs);
  void set_warm() noexcept { warm_.store(true, std::memory_order_release); }
  [[nodiscard]] bool is_warm() const noexcept { return warm_.load(std::memory_order_acquire); }
  [[nodiscard]] bool is_stopped() const noexcept { return stopped_.load(std::memory_order_acquire); }
  [[nodiscard]] Status not_stopped() const;  // the error of a call
  // Not offered any more: the frames of a chain that has it fail, whatever its own calls return.
  void withdraw() noexcept { withdrawn_ = true; }
  [[nodiscard]] bool is_offered() const noexcept {
    return is_warm() && !is_stopped() && !withdrawn_ && !failed_;
  }
  // What it gave in its warm-up, for the warm-ups of further chains, in which it does not run. Once it is
  // warm.
  [[nodiscard]] std::span<const vision::TensorView> gave() const { return gave_->views(); }

 private:
  template <class Call>
  Status run(const Call& call);

  const std::unique_ptr<Engine> engine_;
  const EngineSpec spec_;
  const std::vector<vision::OutputPort> ports_;
  const std::size_t classes_;
  const std::string remark_;
  std::optional<KeptTensors> gave_;  // not written any more once it is warm
  std::atomic<bool> warm_{false};
  std::atomic<bool> stopped_{false};
  std::atomic<bool> withdrawn_{false};
  std::atomic<bool> failed_{false};  // the last call; a later one that only prepares does not count
};

}  // namespace saccade::runtime
