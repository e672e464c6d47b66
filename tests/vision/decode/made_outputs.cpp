#include "tests/vision/decode/made_outputs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace saccade::vision::test {
namespace {

using profiles::Activation;
using profiles::Background;
using profiles::YoloLayout;

constexpr double kWorstNoise = 0.2;

// Row -> known box or none.
struct Rows {
  std::vector<const Known*> known;

  Rows(const std::vector<Known>& boxes, int candidates, Random& random) {
    known.resize(std::max(static_cast<std::size_t>(candidates), boxes.size()), nullptr);
    std::vector<std::size_t> places(known.size());
    std::iota(places.begin(), places.end(), 0);
    std::shuffle(places.begin(), places.end(), random);
    for (std::size_t i = 0; i < boxes.size(); ++i) known[places[i]] = &boxes[i];
  }
};

Known noise(const profiles::PictureInput& input, int labels, Random& random) {
  const double x = uniform(random, 0, input.width);
  const double y = uniform(random, 0, input.height);
  return {x,
          y,
          x + uniform(random, 1, 100),
          y + uniform(random, 1, 100),
          whole(random, 0, labels - 1),
          uniform(random, 0.01, kWorstNoise)};
}

std::vector<double> centre_and_size(const Known& box) {
  return {(box.left + box.right) / 2, (box.top + box.bottom) / 2, box.right - box.left, box.bottom - box.top};
}

std::vector<double> scores(const Known& box, int labels, double share, Random& random) {
  std::vector<double> all(static_cast<std::size_t>(labels));
  for (double& score : all) score = uniform(random, 0.0, 0.9) * box.score * share;
  all[static_cast<std::size_t>(box.label)] = box.score * share;
  return all;
}

void append(std::vector<float>& numbers, const std::vector<double>& more) {
  for (const double number : more) numbers.push_back(static_cast<float>(number));
}

std::vector<float> transposed(const std::vector<float>& numbers, std::size_t rows) {
  const std::size_t columns = numbers.size() / rows;
  std::vector<float> turned(numbers.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) turned[j * rows + i] = numbers[i * columns + j];
  return turned;
}

void add(Made& made, const std::string& name, std::vector<std::int64_t> shape, std::vector<float> numbers) {
  made.outputs.push_back({name, std::move(shape), std::move(numbers)});
}

void make_ready_rows(Family family, Made& made, Rows& rows, Random& random) {
  profiles::YoloDecoder decoder;
  decoder.output = "out";
  decoder.extra = whole(random, 0, 3);
  std::vector<float> numbers;
  const int labels = static_cast<int>(made.labels);
  for (const Known* known : rows.known) {
    const Known box = known != nullptr ? *known : noise(made.interface.input, labels, random);
    if (family == Family::end_to_end) {
      append(numbers, {box.left, box.top, box.right, box.bottom, box.score, static_cast<double>(box.label)});
    } else {
      append(numbers, centre_and_size(box));
      const double objectness = family == Family::objectness ? uniform(random, 0.95, 1.0) : 1.0;
      if (family == Family::objectness) append(numbers, {objectness});
      append(numbers, scores(box, labels, 1.0 / objectness, random));
    }
    for (int i = 0; i < decoder.extra; ++i) append(numbers, {uniform(random, -1e3, 1e3)});
  }
  const auto count = static_cast<std::int64_t>(rows.known.size());
  const auto columns = static_cast<std::int64_t>(numbers.size()) / count;
  if (family == Family::anchors_last) {
    decoder.layout = YoloLayout::anchors_last;
    add(made, "out", {1, columns, count}, transposed(numbers, rows.known.size()));
  } else {
    decoder.layout = family == Family::anchors_first ? YoloLayout::anchors_first
                     : family == Family::objectness  ? YoloLayout::objectness
                                                     : YoloLayout::end_to_end;
    add(made, "out", {1, count, columns}, std::move(numbers));
  }
  made.interface.decoder = decoder;
}

// logits of two neighbouring bins, so that the mean is `distance`
std::vector<double> distribution(double distance, int bins) {
  std::vector<double> logits(static_cast<std::size_t>(bins), -40.0);
  const int low = std::min(static_cast<int>(distance), bins - 2);
  const double share = distance - low;
  logits[static_cast<std::size_t>(low)] = std::log(std::max(1.0 - share, 1e-12));
  logits[static_cast<std::size_t>(low) + 1] = std::log(std::max(share, 1e-12));
  for (double& logit : logits) logit += 3.0;  // any constant
  return logits;
}

// Boxes at the cells of a grid: every known box goes to a free cell near its centre.
void make_cells(Family family, Made& made, const std::vector<Known>& known, Random& random) {
  const profiles::PictureInput& input = made.interface.input;
  const bool gfl = family == Family::gfl;
  profiles::YoloDecoder decoder;
  decoder.output = "out";
  decoder.layout = gfl ? YoloLayout::gfl : YoloLayout::yolox;
  const std::vector<int> strides = gfl ? std::vector<int>{8, 16, 32, 64} : std::vector<int>{8, 16, 32};
  const int labels = static_cast<int>(made.labels);
  std::vector<bool> done(known.size(), false);
  std::vector<float> numbers;
  std::int64_t count = 0;
  for (const int stride : strides) {
    for (int y = 0; y * stride < input.height; ++y) {
      for (int x = 0; x * stride < input.width; ++x, ++count) {
        Known box = noise(input, labels, random);
        for (std::size_t i = 0; i < known.size(); ++i) {
          const std::vector<double> middle = centre_and_size(known[i]);
          const bool reaches = !gfl || std::max(middle[2], middle[3]) < 5.0 * stride;
          const bool near =
              std::abs(middle[0] - x * stride) <= stride && std::abs(middle[1] - y * stride) <= stride;
          const bool within = !gfl || (known[i].left <= x * stride && known[i].right >= x * stride &&
                                       known[i].top <= y * stride && known[i].bottom >= y * stride);
          if (done[i] || !reaches || !near || !within) continue;
          done[i] = true;
          box = known[i];
          break;
        }
        if (gfl) {
          const bool noisy = box.score <= kWorstNoise;
          append(numbers, scores(box, labels, 1.0, random));
          for (const double distance :
               {x * stride - box.left, y * stride - box.top, box.right - x * stride, box.bottom - y * stride})
            append(numbers, distribution(noisy ? uniform(random, 0, 7) : distance / stride, 8));
        } else {
          const std::vector<double> middle = centre_and_size(box);
          append(numbers, {middle[0] / stride - x, middle[1] / stride - y, std::log(middle[2] / stride),
                           std::log(middle[3] / stride)});
          const double objectness = uniform(random, 0.95, 1.0);
          append(numbers, {objectness});
          append(numbers, scores(box, labels, 1.0 / objectness, random));
        }
      }
    }
  }
  made.interface.decoder = decoder;
  const auto columns = static_cast<std::int64_t>(numbers.size()) / count;
  add(made, "out", {1, count, columns}, std::move(numbers));
}

void make_ssd(Family family, Made& made, Rows& rows, Random& random) {
  const profiles::PictureInput& input = made.interface.input;
  const bool classes = family == Family::ssd_classes;
  const int labels = static_cast<int>(made.labels);
  std::vector<float> boxes;
  std::vector<float> all_scores;
  std::vector<float> all_classes;
  for (const Known* known : rows.known) {
    const Known box = known != nullptr ? *known : noise(input, labels, random);
    append(boxes, {box.top / input.height, box.left / input.width, box.bottom / input.height,
                   box.right / input.width});
    if (classes) {
      append(all_scores, {box.score});
      append(all_classes, {box.label + 1.0});
    } else {
      append(all_scores, {uniform(random, 0.0, 1.0)});  // the background
      append(all_scores, scores(box, labels, 1.0, random));
    }
  }
  const auto count = static_cast<std::int64_t>(rows.known.size());
  profiles::SsdDecoder decoder;
  if (!classes) {
    decoder.boxes = "b";
    decoder.scores = "s";
    add(made, "b", {1, count, 4}, boxes);
    add(made, "s", {1, count, labels + 1}, all_scores);
  } else {
    // More rows than are valid, full of what must not be read.
    for (int i = 0; i < 3; ++i) {
      append(boxes, {0.1, 0.1, 0.9, 0.9});
      append(all_scores, {0.99});
      append(all_classes, {1.0});
    }
    add(made, "num_detections", {1}, {static_cast<float>(count)});
    add(made, "detection_boxes", {1, count + 3, 4}, boxes);
    add(made, "detection_scores", {1, count + 3}, all_scores);
    add(made, "detection_classes", {1, count + 3}, all_classes);
  }
  made.interface.decoder = decoder;
}

double logit(double probability) { return std::log(probability / (1.0 - probability)); }

void make_detr(Family family, Made& made, Rows& rows, Random& random) {
  const profiles::PictureInput& input = made.interface.input;
  const int labels = static_cast<int>(made.labels);
  profiles::DetrDecoder decoder;
  std::vector<float> boxes;
  std::vector<float> numbers;
  std::vector<std::int64_t> classes;
  for (const Known* known : rows.known) {
    const Known box = known != nullptr ? *known : noise(input, labels, random);
    if (family == Family::detr_ready) {
      append(boxes, {box.left, box.top, box.right, box.bottom});
      append(numbers, {box.score});
      classes.push_back(box.label);
      continue;
    }
    const std::vector<double> middle = centre_and_size(box);
    append(boxes, {middle[0] / input.width, middle[1] / input.height, middle[2] / input.width,
                   middle[3] / input.height});
    std::vector<double> logits(made.labels);
    if (family == Family::detr_sigmoid) {
      for (double& value : logits) value = logit(uniform(random, 0.001, kWorstNoise));
      logits[static_cast<std::size_t>(box.label)] = logit(box.score);
    } else {
      // The rest of the probability goes to the background and, a little, to the other classes.
      const double rest = 1.0 - box.score;
      for (double& value : logits) value = std::log(rest * 0.01 / std::max(labels - 1, 1));
      const double background = labels == 1 ? rest : rest * 0.99;
      logits[static_cast<std::size_t>(box.label)] = std::log(box.score);
      const bool first = family == Family::detr_softmax_first;
      logits.insert(first ? logits.begin() : logits.end(), std::log(background));
      for (double& value : logits) value += 50.0;  // any constant
    }
    append(numbers, logits);
  }
  const auto count = static_cast<std::int64_t>(rows.known.size());
  if (family == Family::detr_ready) {
    decoder.box = profiles::BoxForm::xyxy;
    decoder.unit = profiles::BoxUnit::input_pixels;
    made.outputs.push_back({"labels", {1, count}, std::move(classes)});
    add(made, "boxes", {1, count, 4}, boxes);
    add(made, "scores", {1, count}, numbers);
  } else {
    decoder.boxes = "pred_boxes";
    decoder.logits = "logits";
    if (family != Family::detr_sigmoid) {
      decoder.activation = Activation::softmax;
      decoder.background = family == Family::detr_softmax_first ? Background::first : Background::last;
    }
    add(made, "logits", {1, count, static_cast<std::int64_t>(numbers.size()) / count}, numbers);
    add(made, "pred_boxes", {1, count, 4}, boxes);
  }
  made.interface.decoder = decoder;
}

}  // namespace

double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}
int whole(Random& random, int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

std::vector<TensorView> Made::views() const {
  std::vector<TensorView> all;
  for (const MadeOutput& output : outputs) {
    TensorView view{output.name, output.shape, {}};
    std::visit([&](const auto& numbers) { view.data = std::span(numbers); }, output.numbers);
    all.push_back(view);
  }
  return all;
}

std::vector<OutputPort> Made::ports() const {
  constexpr profiles::ElementType kTypes[] = {profiles::ElementType::fp32, profiles::ElementType::int64,
                                              profiles::ElementType::int32, profiles::ElementType::uint8};
  std::vector<OutputPort> all;
  for (const MadeOutput& output : outputs)
    all.push_back({output.name, output.shape, kTypes[output.numbers.index()]});
  return all;
}

Map map_of(const profiles::PictureInput& input, const Box& region) {
  const double w = region.width;
  const double h = region.height;
  double width = input.width;
  double height = input.height;
  double left = 0;
  double top = 0;
  if (input.resize != profiles::Resize::stretch) {
    const double r = input.resize == profiles::Resize::letterbox
                         ? std::fmin(input.width / w, input.height / h)
                         : std::fmax(input.width / w, input.height / h);
    width = std::floor(w * r + 0.5);
    height = std::floor(h * r + 0.5);
    if (input.resize == profiles::Resize::cover || input.align == profiles::Align::center) {
      left = std::floor((input.width - width) / 2);
      top = std::floor((input.height - height) / 2);
    }
  }
  return {{width / w, left - region.x * width / w}, {height / h, top - region.y * height / h}};
}

const char* name_of(Family family) {
  constexpr const char* kNames[] = {"anchors_last",
                                    "anchors_first",
                                    "objectness",
                                    "end_to_end",
                                    "yolox",
                                    "gfl",
                                    "ssd_classes",
                                    "ssd_columns",
                                    "detr_sigmoid",
                                    "detr_softmax_first",
                                    "detr_softmax_last",
                                    "detr_ready"};
  return kNames[static_cast<std::size_t>(family)];
}

Made make_outputs(Family family, const profiles::PictureInput& input, int labels,
                  const std::vector<Known>& known, int candidates, Random& random) {
  Made made;
  made.interface.task = profiles::NetworkTask::detect;
  made.interface.input = input;
  made.labels = static_cast<std::size_t>(labels);
  Rows rows(known, candidates, random);
  switch (family) {
    case Family::yolox:
    case Family::gfl:
      make_cells(family, made, known, random);
      break;
    case Family::ssd_classes:
    case Family::ssd_columns:
      make_ssd(family, made, rows, random);
      break;
    case Family::detr_sigmoid:
    case Family::detr_softmax_first:
    case Family::detr_softmax_last:
    case Family::detr_ready:
      make_detr(family, made, rows, random);
      break;
    default:
      make_ready_rows(family, made, rows, random);
  }
  return made;
}

}  // namespace saccade::vision::test
