// Interfaces with every part present or absent at random, that the format can write.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "profiles/interface.hpp"

namespace saccade::profiles {

class RandomInterface {
 public:
  explicit RandomInterface(std::uint64_t seed) : random_(seed) {}

  ModelInterface make() {
    ModelInterface made;
    made.input = input();
    for (std::uint64_t i = below(3); i > 0; --i) made.constants.push_back(constant(i));
    switch (below(5)) {
      case 0:
        made.decoder = ClassifyDecoder{name(true), pick<Activation>(3)};
        break;
      case 1:
        made.decoder = yolo();
        break;
      case 2:
        made.decoder = SsdDecoder{"boxes",
                                  "scores",
                                  name(true),
                                  coin() ? "count" : "",
                                  pick<BoxForm>(4),
                                  pick<BoxUnit>(2),
                                  static_cast<int>(below(3))};
        break;
      case 3:
        made.decoder = coin() ? DetrDecoder{"b",
                                            "l",
                                            "",
                                            "",
                                            pick<Activation>(3),
                                            pick<Background>(3),
                                            pick<BoxForm>(4),
                                            pick<BoxUnit>(2)}
                              : DetrDecoder{"b",
                                            "",
                                            "l",
                                            "s",
                                            pick<Activation>(3),
                                            pick<Background>(3),
                                            pick<BoxForm>(4),
                                            pick<BoxUnit>(2)};
        break;
      default:
        made.decoder =
            TensorDecoder{coin() ? std::vector<std::string>{} : std::vector<std::string>{"a", "b"}};
    }
    const std::size_t kind = made.decoder.index();
    made.task = kind == 0 ? NetworkTask::classify : kind == 4 ? NetworkTask::tensor : NetworkTask::detect;
    made.metric = kind == 0 ? "top1" : kind == 4 ? (coin() ? "" : "psnr") : coin() ? "map" : "map50";
    if (made.task == NetworkTask::detect) made.selection = selection();
    return made;
  }

  // The same with what a variant may have otherwise.
  ModelInterface overridden(const ModelInterface& base) {
    ModelInterface own = base;
    if (coin()) own.input.name = name(false);
    if (coin()) own.input.layout = pick<TensorLayout>(2);
    if (coin()) own.input.width = 1 + static_cast<int>(below(8192));
    if (coin()) own.input.height = 1 + static_cast<int>(below(8192));
    if (coin()) own.input.type = pick<ElementType>(3);
    if (own.input.type == ElementType::uint8) {
      own.input.scale = 1.0;
      own.input.mean = PictureInput{}.mean;
      own.input.std = PictureInput{}.std;
    } else if (coin()) {
      own.input.scale = share();
      own.input.mean[0] = share();
      own.input.std[0] = share();
    }
    if (auto* classify = std::get_if<ClassifyDecoder>(&own.decoder)) classify->output = name(false);
    if (auto* ssd = std::get_if<SsdDecoder>(&own.decoder)) ssd->classes = coin() ? "" : "other classes";
    if (auto* detr = std::get_if<DetrDecoder>(&own.decoder)) detr->boxes = "other boxes";
    if (auto* tensor = std::get_if<TensorDecoder>(&own.decoder); tensor != nullptr && coin())
      tensor->outputs = coin() ? std::vector<std::string>{} : std::vector<std::string>{"c"};
    if (auto* yolo = std::get_if<YoloDecoder>(&own.decoder)) override_yolo(*yolo);
    return own;
  }

 private:
  void override_yolo(YoloDecoder& own) {
    if (coin()) own.output = name(false);
    if (coin()) own.extra = static_cast<int>(below(100));
    if (coin()) return;
    const int bins = own.bins;  // of a layout without bins they are kept, and mean nothing
    const YoloLayout before = own.layout;
    own.layout = pick<YoloLayout>(7);
    const bool has_bins = own.layout == YoloLayout::automatic || own.layout == YoloLayout::gfl;
    own.bins = has_bins ? 8 + static_cast<int>(below(9)) : bins;
    if (has_bins || own.layout == YoloLayout::yolox) {
      own.strides = coin() ? std::vector{8, 16} : std::vector{4, 8, 16, 32, 64};
    } else if (own.layout != before) {
      own.strides = YoloDecoder{}.strides;
    }
  }

  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  bool coin() { return below(2) == 0; }
  double share() { return static_cast<double>(1 + below(1'000'000)) / 1'000'001.0; }
  std::string name(bool maybe_empty) {
    return maybe_empty && coin() ? "" : "name/" + std::to_string(below(100)) + " ä:\"0\"";
  }
  template <class E>
  E pick(std::uint64_t count) {
    return static_cast<E>(below(count));
  }

  PictureInput input() {
    PictureInput input;
    input.name = name(true);
    if (coin()) input.layout = pick<TensorLayout>(2);
    if (coin()) input.type = pick<ElementType>(3);
    input.width = 1 + static_cast<int>(below(8192));
    input.height = 1 + static_cast<int>(below(8192));
    input.color = pick<ColorOrder>(3);
    input.resize = pick<Resize>(3);
    input.align = pick<Align>(2);
    input.filter = pick<Filter>(4);
    for (auto& value : input.pad) value = static_cast<std::uint8_t>(below(256));
    input.scale = input.type == ElementType::uint8 ? 1.0 : share();
    if (input.type == ElementType::uint8 || coin()) return input;
    for (std::size_t i = 0; i < (coin() ? 1U : 3U); ++i) {
      input.mean[i] = 200 * share() - 100;
      input.std[i] = 100 * share();
    }
    return input;
  }

  ConstantInput constant(std::uint64_t index) {
    ConstantInput made{"constant " + std::to_string(index), ElementType::fp32, {}};
    constexpr ElementType kTypes[] = {ElementType::fp32, ElementType::int32, ElementType::int64};
    made.type = kTypes[below(3)];
    for (std::uint64_t i = 1 + below(4); i > 0; --i) {
      if (coin()) {
        made.value.emplace_back(pick<Dimension>(4));
      } else {
        made.value.emplace_back(made.type == ElementType::fp32 ? share()
                                                               : static_cast<double>(below(5000)) - 2500);
      }
    }
    return made;
  }

  YoloDecoder yolo() {
    YoloDecoder yolo;
    yolo.output = name(true);
    yolo.layout = pick<YoloLayout>(7);
    if (coin()) yolo.box = pick<BoxForm>(4);
    yolo.unit = pick<BoxUnit>(2);
    yolo.extra = coin() ? 0 : 32;
    const bool automatic = yolo.layout == YoloLayout::automatic;
    if (automatic || yolo.layout == YoloLayout::yolox || yolo.layout == YoloLayout::gfl) {
      yolo.strides = coin() ? std::vector{8, 16} : std::vector{4, 8, 16, 32, 64};
    }
    if (automatic || yolo.layout == YoloLayout::gfl) yolo.bins = 8 + static_cast<int>(below(9));
    return yolo;
  }

  Selection selection() {
    Selection made;
    made.score_threshold = share();
    made.iou_threshold = coin() ? std::optional(share()) : std::nullopt;
    made.max_objects = 1 + static_cast<int>(below(3000));
    made.agnostic = coin();
    made.merge_regions = coin();
    return made;
  }

  std::mt19937_64 random_;
};

}  // namespace saccade::profiles
