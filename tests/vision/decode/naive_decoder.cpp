#include "tests/vision/decode/naive_decoder.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace saccade::vision::test {
namespace {

using profiles::BoxForm;
using profiles::BoxUnit;
using profiles::YoloLayout;

struct Found {
  double left, top, right, bottom;
  float score;
  int label;
};

struct Reading {
  const Made& made;
  float threshold;
  std::vector<Found> found;
  std::size_t rows = 0;
  std::size_t bad = 0;

  [[nodiscard]] const MadeOutput& output(const std::string& name) const {
    for (const MadeOutput& candidate : made.outputs)
      if (candidate.name == name) return candidate;
    throw std::runtime_error("no output " + name);
  }
  [[nodiscard]] std::vector<double> row(const std::string& name, std::size_t index,
                                        std::size_t columns) const {
    std::vector<double> numbers;
    std::visit(
        [&](const auto& all) {
          for (std::size_t i = 0; i < columns; ++i)
            numbers.push_back(static_cast<double>(all.at(index * columns + i)));
        },
        output(name).numbers);
    return numbers;
  }
  void add(const std::vector<double>& box, BoxForm form, BoxUnit unit, double score, int label) {
    double left = box[0];
    double top = box[1];
    double right = box[2];
    double bottom = box[3];
    if (form == BoxForm::cxcywh) {
      left = box[0] - box[2] / 2;
      top = box[1] - box[3] / 2;
      right = box[0] + box[2] / 2;
      bottom = box[1] + box[3] / 2;
    } else if (form == BoxForm::yxyx) {
      std::swap(left, top);
      std::swap(right, bottom);
    }
    const double x = unit == BoxUnit::fraction ? made.interface.input.width : 1.0;
    const double y = unit == BoxUnit::fraction ? made.interface.input.height : 1.0;
    found.push_back(
        {left * x, top * y, right * x, bottom * y, static_cast<float>(std::min(score, 1.0)), label});
  }
};

bool finite(const std::vector<double>& numbers, std::size_t count) {
  return std::all_of(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(count),
                     [](double number) { return std::isfinite(number); });
}

struct Best {
  int label = 0;
  double score = -1e300;
};
Best best_of(const std::vector<double>& numbers, std::size_t first, std::size_t count) {
  Best best;
  for (std::size_t i = 0; i < count; ++i)
    if (numbers[first + i] > best.score) best = {static_cast<int>(i), numbers[first + i]};
  return best;
}

std::vector<double> softmax(const std::vector<double>& logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  std::vector<double> shares;
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit - largest);
  for (const double logit : logits) shares.push_back(std::exp(logit - largest) / sum);
  return shares;
}

// Scores are defined in single precision; in double, near ones would come in another order.
std::vector<double> score_softmax(const std::vector<double>& logits) {
  const auto largest = static_cast<float>(*std::max_element(logits.begin(), logits.end()));
  std::vector<double> shares;
  float sum = 0;
  for (const double logit : logits) sum += std::exp(static_cast<float>(logit) - largest);
  for (const double logit : logits)
    shares.push_back(static_cast<double>(std::exp(static_cast<float>(logit) - largest) / sum));
  return shares;
}
double score_sigmoid(double logit) {
  return static_cast<double>(1.0F / (1.0F + std::exp(-static_cast<float>(logit))));
}

struct Cell {
  double x, y, stride;
};
std::vector<Cell> cells(const std::vector<int>& strides, const profiles::PictureInput& input) {
  std::vector<Cell> all;
  for (const int stride : strides)
    for (int y = 0; y * stride < input.height; ++y)
      for (int x = 0; x * stride < input.width; ++x)
        all.push_back({static_cast<double>(x), static_cast<double>(y), static_cast<double>(stride)});
  return all;
}

std::vector<double> yolo_row(const Reading& reading, YoloLayout layout, std::size_t index) {
  const MadeOutput& output = reading.output("out");
  if (layout != YoloLayout::anchors_last)
    return reading.row("out", index, static_cast<std::size_t>(output.shape[2]));
  std::vector<double> column;
  const auto count = static_cast<std::size_t>(output.shape[2]);
  const auto& numbers = std::get<std::vector<float>>(output.numbers);
  for (std::size_t i = 0; i < static_cast<std::size_t>(output.shape[1]); ++i)
    column.push_back(static_cast<double>(numbers[i * count + index]));
  return column;
}

void read_gfl(Reading& reading, const std::vector<double>& row, const Cell& cell) {
  const std::size_t labels = reading.made.labels;
  if (!finite(row, labels + 32)) {
    ++reading.bad;
    return;
  }
  const Best best = best_of(row, 0, labels);
  if (best.score < static_cast<double>(reading.threshold)) return;
  double sides[4] = {};
  for (std::size_t side = 0; side < 4; ++side) {
    const auto first = row.begin() + static_cast<std::ptrdiff_t>(labels + side * 8);
    const std::vector<double> shares = softmax({first, first + 8});
    for (std::size_t bin = 0; bin < 8; ++bin) sides[side] += static_cast<double>(bin) * shares[bin];
  }
  reading.add({(cell.x - sides[0]) * cell.stride, (cell.y - sides[1]) * cell.stride,
               (cell.x + sides[2]) * cell.stride, (cell.y + sides[3]) * cell.stride},
              BoxForm::xyxy, BoxUnit::input_pixels, best.score, best.label);
}

void read_yolo(Reading& reading, const profiles::YoloDecoder& spec) {
  const MadeOutput& output = reading.output("out");
  const std::size_t labels = reading.made.labels;
  const YoloLayout layout = spec.layout;
  reading.rows = static_cast<std::size_t>(output.shape[layout == YoloLayout::anchors_last ? 2 : 1]);
  const std::vector<Cell> grid = layout == YoloLayout::gfl
                                     ? cells({8, 16, 32, 64}, reading.made.interface.input)
                                     : cells(spec.strides, reading.made.interface.input);
  const auto threshold = static_cast<double>(reading.threshold);
  for (std::size_t i = 0; i < reading.rows; ++i) {
    const std::vector<double> row = yolo_row(reading, layout, i);
    if (layout == YoloLayout::gfl) {
      read_gfl(reading, row, grid[i]);
      continue;
    }
    if (layout == YoloLayout::end_to_end) {
      if (!finite(row, 6)) {
        ++reading.bad;
      } else if (row[4] >= threshold) {
        if (row[5] < -0.5 || row[5] >= static_cast<double>(labels) - 0.5)
          ++reading.bad;
        else
          reading.add(row, BoxForm::xyxy, spec.unit, row[4], static_cast<int>(std::lround(row[5])));
      }
      continue;
    }
    const bool objectness = layout == YoloLayout::objectness || layout == YoloLayout::yolox;
    const std::size_t first = objectness ? 5 : 4;
    if (!finite(row, first) || (!objectness && !finite(row, first + labels))) {
      ++reading.bad;
      continue;
    }
    if (objectness && row[4] < threshold) continue;
    if (!finite(row, first + labels)) {
      ++reading.bad;
      continue;
    }
    const Best best = best_of(row, first, labels);
    const auto score = static_cast<float>(objectness ? row[4] * best.score : best.score);
    if (score < reading.threshold) continue;
    std::vector<double> box(row.begin(), row.begin() + 4);
    if (layout == YoloLayout::yolox) {
      const double stride = grid[i].stride;
      box = {(row[0] + grid[i].x) * stride, (row[1] + grid[i].y) * stride, std::exp(row[2]) * stride,
             std::exp(row[3]) * stride};
    }
    reading.add(box, BoxForm::cxcywh, spec.unit, static_cast<double>(score), best.label);
  }
}

void read_ssd(Reading& reading, const profiles::SsdDecoder& spec) {
  const bool classes = spec.boxes.empty();  // TensorFlow's names
  const std::string boxes = classes ? "detection_boxes" : "b";
  reading.rows = static_cast<std::size_t>(reading.output(boxes).shape[1]);
  if (classes) reading.rows = static_cast<std::size_t>(reading.row("num_detections", 0, 1)[0]);
  const std::size_t labels = reading.made.labels;
  for (std::size_t i = 0; i < reading.rows; ++i) {
    const std::vector<double> box = reading.row(boxes, i, 4);
    const std::vector<double> scores =
        classes ? reading.row("detection_scores", i, 1) : reading.row("s", i, labels + 1);
    if (!finite(box, 4) || !finite(scores, scores.size())) {
      ++reading.bad;
      continue;
    }
    const Best best = classes ? Best{0, scores[0]} : best_of(scores, 1, labels);
    if (best.score < static_cast<double>(reading.threshold)) continue;
    double label = best.label;
    if (classes) label = std::round(reading.row("detection_classes", i, 1)[0]) - 1;
    if (!(label >= 0 && label < static_cast<double>(labels))) {
      ++reading.bad;
      continue;
    }
    reading.add(box, BoxForm::yxyx, BoxUnit::fraction, best.score, static_cast<int>(label));
  }
}

void read_detr(Reading& reading, const profiles::DetrDecoder& spec) {
  const bool ready = spec.logits.empty();
  const std::string boxes = ready ? "boxes" : "pred_boxes";
  reading.rows = static_cast<std::size_t>(reading.output(boxes).shape[1]);
  const std::size_t labels = reading.made.labels;
  const auto threshold = reading.threshold;
  for (std::size_t i = 0; i < reading.rows; ++i) {
    const std::vector<double> box = reading.row(boxes, i, 4);
    const bool background = spec.background != profiles::Background::none;
    std::vector<double> numbers =
        ready ? reading.row("scores", i, 1) : reading.row("logits", i, labels + (background ? 1 : 0));
    if (!finite(box, 4) || !finite(numbers, numbers.size())) {
      ++reading.bad;
      continue;
    }
    if (ready) {
      if (numbers[0] < static_cast<double>(threshold)) continue;
      const double label = reading.row("labels", i, 1)[0];
      if (label < 0 || label >= static_cast<double>(labels))
        ++reading.bad;
      else
        reading.add(box, spec.box, spec.unit, numbers[0], static_cast<int>(label));
      continue;
    }
    const std::size_t first = spec.background == profiles::Background::first ? 1 : 0;
    if (spec.activation == profiles::Activation::softmax) {
      const Best best = best_of(score_softmax(numbers), first, labels);
      if (static_cast<float>(best.score) >= threshold)
        reading.add(box, spec.box, spec.unit, best.score, best.label);
      continue;
    }
    for (std::size_t label = 0; label < labels; ++label) {
      const double score = score_sigmoid(numbers[first + label]);
      if (static_cast<float>(score) >= threshold)
        reading.add(box, spec.box, spec.unit, score, static_cast<int>(label));
    }
  }
}

double iou(const Found& a, const Found& b) {
  const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  if (width <= 0 || height <= 0) return 0;
  const double shared = width * height;
  return shared /
         ((a.right - a.left) * (a.bottom - a.top) + (b.right - b.left) * (b.bottom - b.top) - shared);
}

}  // namespace

NaiveResult naive_decode(const Made& made, const Box& region, PixelSize frame, int number) {
  const profiles::Selection& selection = made.interface.selection;
  Reading reading{made, static_cast<float>(selection.score_threshold), {}};
  if (const auto* yolo = std::get_if<profiles::YoloDecoder>(&made.interface.decoder))
    read_yolo(reading, *yolo);
  else if (const auto* ssd = std::get_if<profiles::SsdDecoder>(&made.interface.decoder))
    read_ssd(reading, *ssd);
  else
    read_detr(reading, std::get<profiles::DetrDecoder>(made.interface.decoder));

  NaiveResult result{{}, reading.rows, reading.bad, 0, reading.found.size()};
  std::stable_sort(reading.found.begin(), reading.found.end(),
                   [](const Found& a, const Found& b) { return a.score > b.score; });
  if (reading.found.size() > 3000) {
    result.beyond = reading.found.size() - 3000;
    reading.found.resize(3000);
  }
  const Map map = map_of(made.interface.input, region);
  std::vector<Found> kept;
  for (Found box : reading.found) {
    box.left = (box.left - map.x.offset) / map.x.scale;
    box.right = (box.right - map.x.offset) / map.x.scale;
    box.top = (box.top - map.y.offset) / map.y.scale;
    box.bottom = (box.bottom - map.y.offset) / map.y.scale;
    const bool again = std::any_of(kept.begin(), kept.end(), [&](const Found& better) {
      return selection.iou_threshold && (selection.agnostic || better.label == box.label) &&
             iou(better, box) > *selection.iou_threshold;
    });
    if (again || box.right <= box.left || box.bottom <= box.top) continue;
    kept.push_back(box);
    const double left = std::clamp(box.left, 0.0, static_cast<double>(frame.width));
    const double right = std::clamp(box.right, 0.0, static_cast<double>(frame.width));
    const double top = std::clamp(box.top, 0.0, static_cast<double>(frame.height));
    const double bottom = std::clamp(box.bottom, 0.0, static_cast<double>(frame.height));
    if (right <= left || bottom <= top) continue;
    if (result.objects.size() == static_cast<std::size_t>(selection.max_objects)) continue;
    result.objects.push_back({{static_cast<float>(left), static_cast<float>(top),
                               static_cast<float>(right - left), static_cast<float>(bottom - top)},
                              box.label,
                              box.score,
                              number});
  }
  return result;
}

}  // namespace saccade::vision::test
