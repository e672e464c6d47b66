#include "runtime/label_images.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace saccade::runtime {

double agreement(const std::vector<int>& left, const std::vector<int>& right) {
  SACCADE_CHECK(!left.empty() && left.size() == right.size());
  std::size_t same = 0;
  for (std::size_t i = 0; i < left.size(); ++i) same += left[i] == right[i] ? 1U : 0U;
  return static_cast<double>(same) / static_cast<double>(left.size());
}

double GivenLabels::accuracy() const { return agreement(given, right); }

Result<GivenLabels> label_images(Engine& engine, const LabelledImages& images,
                                 const profiles::InputShape& input) {
  SACCADE_CHECK(images.count > 0);
  const std::size_t batch = static_cast<std::size_t>(engine.batch());
  const std::size_t classes = engine.classes();
  std::vector<float> planes(batch * input.size());
  std::vector<float> logits(batch * classes);
  GivenLabels labels;
  for (std::size_t first = 0; first < images.count; first += batch) {
    const std::size_t here = std::min(batch, images.count - first);
    for (std::size_t i = 0; i < here; ++i) {
      labels.right.push_back(images.write(first + i, planes.data() + i * input.size()));
    }
    const Status status = engine.infer(planes, logits);
    if (!status) return status.errors();
    for (std::size_t i = 0; i < here; ++i) {
      const auto begin = logits.begin() + static_cast<std::ptrdiff_t>(i * classes);
      const auto best = std::max_element(begin, begin + static_cast<std::ptrdiff_t>(classes));
      labels.given.push_back(static_cast<int>(best - begin));
    }
  }
  return labels;
}

}  // namespace saccade::runtime
