#include "vision/decode/complaints.hpp"

#include <algorithm>

namespace saccade::vision {

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (const std::int64_t size : shape) {
    if (text.size() > 1) text += ", ";
    text += size < 0 ? "?" : std::to_string(size);
  }
  return text + "]";
}

std::string ports_text(std::span<const OutputPort> ports) {
  std::string text;
  for (const OutputPort& port : ports) {
    if (!text.empty()) text += ", ";
    text += port.name;
    if (port.shape) text += " " + shape_text(*port.shape);
  }
  return text;
}

std::vector<std::int64_t> own_shape(const OutputPort* port, int rank) {
  const auto size = static_cast<std::size_t>(rank);
  if (port == nullptr || !port->shape) return {};
  if (port->shape->size() != size && port->shape->size() != size + 1) return {};
  return {port->shape->end() - rank, port->shape->end()};
}

const OutputPort* Complaints::port(const std::string& name) const {
  const auto found =
      std::find_if(ports_.begin(), ports_.end(), [&](const OutputPort& port) { return port.name == name; });
  return found == ports_.end() ? nullptr : &*found;
}

void Complaints::add(const std::string& key, std::string what, std::string hint) {
  errors_.push_back(
      {"/interface/decoder" + (key.empty() ? "" : "/" + key), std::move(what), std::move(hint)});
}

const OutputPort* Complaints::output(const std::string& key, OutputSpec& spec) {
  if (ports_.empty()) return nullptr;  // nothing is known: found out with the first frame
  const OutputPort* found = nullptr;
  if (!spec.name.empty()) {
    found = port(spec.name);
    if (found == nullptr) {
      add(key, "the graph has no output '" + spec.name + "'", "it has " + ports_text(ports_));
      return nullptr;
    }
  } else if (ports_.size() == 1) {
    found = ports_.data();
    spec.name = found->name;
  } else {
    add(key, "the graph has " + std::to_string(ports_.size()) + " outputs and none is named",
        "name one of " + ports_text(ports_));
    return nullptr;
  }
  using profiles::ElementType;
  const bool floats = !found->type || found->type == ElementType::fp32 || found->type == ElementType::fp16;
  const bool numbers = floats || found->type != ElementType::int8;
  if (spec.floats ? floats : numbers) return found;
  add(key, "the numbers of '" + found->name + "' are quantised; floating point is expected",
      "export the graph with the outputs dequantised");
  return nullptr;
}

void Complaints::check_shape(const std::string& key, const OutputSpec& spec) {
  const OutputPort* const found = port(spec.name);
  if (found == nullptr || !found->shape) return;
  const std::vector<std::int64_t> own = own_shape(found, spec.rank);
  const bool right = !own.empty() && fits(own[0], spec.rows) && (spec.rank < 2 || fits(own[1], spec.columns));
  if (right) return;
  std::vector<std::int64_t> expected{1, spec.rows};
  if (spec.rank == 2) expected.push_back(spec.columns);
  add(key, "'" + found->name + "' is " + shape_text(*found->shape) + "; expected is " + shape_text(expected));
}

void Complaints::check_same_rows(const std::string& key, const OutputSpec& spec, const OutputSpec& boxes) {
  const OutputPort* const found = port(spec.name);
  const std::vector<std::int64_t> own = own_shape(found, spec.rank);
  const std::vector<std::int64_t> rows = own_shape(port(boxes.name), boxes.rank);
  if (own.empty() || rows.empty() || fits(own[0], rows[0])) return;
  add(key, "'" + spec.name + "' is " + shape_text(*found->shape) + " and '" + boxes.name + "' has " +
               std::to_string(rows[0]) + " boxes");
}

void Complaints::wrong_classes(const std::string& key, const OutputPort& port, std::int64_t found,
                               const std::string& hint) {
  add(key,
      "the graph gives " + shape_text(*port.shape) + ": " + std::to_string(std::max<std::int64_t>(found, 0)) +
          " classes; labels has " + std::to_string(labels_),
      "give the labels that the network was trained with, in its order" + hint);
}

}  // namespace saccade::vision
