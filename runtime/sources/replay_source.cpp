#include "runtime/sources/replay_source.hpp"

#include <utility>

#include "runtime/run/arrivals.hpp"
#include "runtime/sources/images_source.hpp"

namespace saccade::runtime {
namespace {

class ReplayedFrames final : public FrameSource {
 public:
  ReplayedFrames(Arrivals arrivals, std::unique_ptr<FrameSource> pictures)
      : arrivals_(std::move(arrivals)), pictures_(std::move(pictures)) {}

  bool next(Duration at, Frame& frame) override {
    ended_ = arrivals_.ended(at);
    return arrivals_.take(at) && pictures_->next(at, frame);
  }
  std::optional<std::string> fault() const override {
    return ended_ ? std::optional<std::string>("no more arrivals are recorded") : pictures_->fault();
  }
  std::size_t frame_bytes() const override { return pictures_->frame_bytes(); }

 private:
  Arrivals arrivals_;
  std::unique_ptr<FrameSource> pictures_;
  bool ended_ = false;
};

}  // namespace

Result<std::unique_ptr<FrameSource>> open_replay(const ReplaySource& source, const Regions& regions,
                                                 const NetworkInputs& inputs) {
  auto pictures = open_images({source.pictures, true}, regions, inputs);
  if (!pictures.ok()) return pictures.errors();
  return std::unique_ptr<FrameSource>(
      std::make_unique<ReplayedFrames>(Arrivals(source), std::move(pictures).value()));
}

}  // namespace saccade::runtime
