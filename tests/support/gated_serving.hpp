// A worker's real thread, engines that wait at a gate before they infer, and one pushed task that is switched
// from one of them to the next while a frame is inside and another one waits. What is in a frame, and which
// answer is right, a test says.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/engines/frame_decoder.hpp"
#include "runtime/real/frame_threads.hpp"

namespace saccade::test {

// Lets inferences in when it is open.
class InferenceGate {
 public:
  Status pass() {
    std::unique_lock lock(mutex_);
    inside_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
    inside_ = false;
    return Done{};
  }
  void close() {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void wait_for_one_inside() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return inside_ && !open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  bool inside_ = false;
};

class GatedEngine final : public runtime::Engine {
 public:
  GatedEngine(std::unique_ptr<runtime::Engine> engine, InferenceGate& gate)
      : engine_(std::move(engine)), gate_(gate) {}
  Status prepare(std::size_t place, const runtime::Picture& picture,
                 const runtime::PixelBox& region) override {
    return engine_->prepare(place, picture, region);
  }
  Status prepare(std::span<const float> planes) override { return engine_->prepare(planes); }
  Status infer(runtime::Outputs& outputs) override {
    (void)gate_.pass();
    return engine_->infer(outputs);
  }
  [[nodiscard]] std::vector<vision::OutputPort> outputs() const override { return engine_->outputs(); }
  [[nodiscard]] int batch() const override { return engine_->batch(); }
  [[nodiscard]] std::size_t classes() const override { return engine_->classes(); }

 private:
  std::unique_ptr<runtime::Engine> engine_;
  InferenceGate& gate_;
};

class GatedServing : public testing::Test {
 protected:
  static constexpr int kSwitches = 1000;

  GatedServing() {
    using runtime::FrameDesk;
    serving_.with_desk([&](FrameDesk& desk, TimePoint now) {
      desk.set_pushed(0, true, now);
      desk.set_demand(0, Fps(1e6), now);
      desk.set_granted(0, Fps(1e6), now);
      desk.set_rate({0, Fps(1e6), std::nullopt}, now);
    });
    serving_.start(clock_.now());
    worker_ = std::thread([this] { runtime::work(0, 0, serving_, clock_, {}); });
  }
  void TearDown() override {
    gate_.open();
    serving_.stop_workers();
    worker_.join();
  }

  [[nodiscard]] virtual runtime::Frame frame_of(int content) = 0;
  [[nodiscard]] virtual bool is_right(int content, const runtime::FrameAnswer& answer) = 0;

  void add(std::unique_ptr<runtime::Engine> engine, const profiles::ModelInterface& interface,
           std::size_t labels) {
    ASSERT_NE(engine, nullptr);
    auto decoder = runtime::FrameDecoder::make(interface, labels, *engine, "model");
    ASSERT_TRUE(decoder.ok()) << to_string(decoder.errors());
    engines_.push_back(std::make_unique<GatedEngine>(std::move(engine), gate_));
    decoders_.push_back(std::make_unique<runtime::FrameDecoder>(std::move(decoder).value()));
  }
  void route_to(std::size_t engine) {
    using runtime::EngineKey;
    const std::optional<EngineKey> old = key_ > 0 ? std::optional(key_) : std::nullopt;
    ++key_;
    serving_.swap({0, key_, 0, old}, runtime::ServingEngine{engines_[engine].get(), key_, engine, Duration(0),
                                                            decoders_[engine].get()});
  }
  void push(int content) {
    runtime::Frame frame = frame_of(content);
    ASSERT_EQ(serving_.push(0, frame,
                            [this, content](const runtime::FrameAnswer& answer) {
                              const std::lock_guard lock(mutex_);
                              ++answered_;
                              if (answer.dropped) {
                                ++lost_;
                              } else if (!is_right(content, answer)) {
                                ++wrong_;
                              }
                              changed_.notify_all();
                            }),
              runtime::PushVerdict::accepted);
  }
  void wait_for(int answers) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return answered_ >= answers; });
  }
  // Every switch finds one frame in the old engine and one that waits; there are so many contents.
  void switch_again_and_again(int contents) {
    route_to(0);
    for (int i = 1; i <= kSwitches; ++i) {
      gate_.close();
      push(i % contents);
      gate_.wait_for_one_inside();
      push(i / contents % contents);
      route_to(static_cast<std::size_t>(i) % engines_.size());
      gate_.open();
      wait_for(2 * i);
    }
    EXPECT_EQ(lost_, 0);
    EXPECT_EQ(wrong_, 0);
    const runtime::TaskFrames frames = books();
    EXPECT_EQ(frames.processed, 2 * kSwitches);
    EXPECT_EQ(frames.dropped_total(), 0);
    EXPECT_GT(frames.worked.prepare.count(), 0);
    EXPECT_GT(frames.worked.decode.count(), 0);
    for (const runtime::VariantFrames& variant : frames.variants)
      EXPECT_GE(variant.frames, kSwitches / static_cast<int>(engines_.size()));
  }
  [[nodiscard]] runtime::TaskFrames books() const { return serving_.view().tasks.front().frames; }

  SteadyClock clock_;
  runtime::MessageQueue queue_{clock_};
  InferenceGate gate_;
  std::vector<std::unique_ptr<GatedEngine>> engines_;
  std::vector<std::unique_ptr<runtime::FrameDecoder>> decoders_;
  runtime::Serving serving_{{{1.0}, 1, 2, {Duration(0)}}, false, clock_, queue_};
  std::thread worker_;
  runtime::EngineKey key_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  int answered_ = 0;
  int lost_ = 0;
  int wrong_ = 0;
};

}  // namespace saccade::test
