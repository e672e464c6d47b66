#include "vision/decode/outputs.hpp"

#include <algorithm>
#include <cmath>

namespace saccade::vision {
namespace {

const TensorView* find_output(const std::string& name, std::span<const TensorView> outputs) {
  if (name.empty()) return outputs.size() == 1 ? outputs.data() : nullptr;
  const auto found =
      std::find_if(outputs.begin(), outputs.end(), [&](const TensorView& view) { return view.name == name; });
  return found == outputs.end() ? nullptr : &*found;
}

// By division: a product of dimensions may overflow.
bool holds_exactly(std::size_t elements, Shape shape) {
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t size) { return size < 0; })) return false;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return elements == 0;
  for (const std::int64_t size : shape) {
    if (elements % static_cast<std::size_t>(size) != 0) return false;
    elements /= static_cast<std::size_t>(size);
  }
  return elements == 1;
}

}  // namespace

std::optional<Table> find_table(const OutputSpec& spec, std::span<const TensorView> outputs,
                                std::size_t picture) {
  const TensorView* const view = find_output(spec.name, outputs);
  if (view == nullptr) return std::nullopt;
  const std::size_t elements = std::visit([](const auto& data) { return data.size(); }, view->data);
  if (!holds_exactly(elements, view->shape)) return std::nullopt;
  Table table;
  std::size_t pictures = 1;
  if (spec.rank == 0) {
    pictures = elements;  // [], [1], [pictures] or [pictures, 1]
    table.rows = 1;
  } else {
    const auto rank = static_cast<std::size_t>(spec.rank);
    if (view->shape.size() != rank && view->shape.size() != rank + 1) return std::nullopt;
    const Shape own = view->shape.last(rank);
    if (view->shape.size() > rank) pictures = static_cast<std::size_t>(view->shape[0]);
    if (spec.rows != kAnySize && own[0] != spec.rows) return std::nullopt;
    if (rank == 2 && spec.columns != kAnySize && own[1] != spec.columns) return std::nullopt;
    table.rows = static_cast<std::size_t>(own[0]);
    if (rank == 2) table.columns = static_cast<std::size_t>(own[1]);
  }
  if (picture >= pictures) return std::nullopt;
  // An empty tensor may have any dimensions beside its 0, so the product is taken from what is there.
  const std::size_t offset = elements / pictures * picture;
  table.numbers =
      std::visit([&](const auto& data) { return Numbers(Numbers::Data(data.data() + offset)); }, view->data);
  table.floats = table.numbers.floats();
  if (spec.floats && std::get_if<std::span<const float>>(&view->data) == nullptr) return std::nullopt;
  return table;
}

int label_of(double number, int first, std::size_t labels) {
  const double label = std::round(number) - first;
  return label >= 0.0 && label < static_cast<double>(labels) ? static_cast<int>(label) : -1;
}

}  // namespace saccade::vision
