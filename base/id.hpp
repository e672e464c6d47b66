// Typed names: a task's id cannot be passed where a variant's is expected.
// Threads: plain values. Errors: none; ids are validated where input is read.
#pragma once

#include <compare>
#include <functional>
#include <string>
#include <utility>

namespace saccade {

template <class Tag>
class Id {
 public:
  Id() = default;
  explicit Id(std::string name) : name_(std::move(name)) {}

  [[nodiscard]] const std::string& str() const { return name_; }
  auto operator<=>(const Id&) const = default;

 private:
  std::string name_;
};

using TaskId = Id<struct TaskIdTag>;            // a camera task
using VariantId = Id<struct VariantIdTag>;      // one profiled implementation of a network
using ProcessorId = Id<struct ProcessorIdTag>;  // a unit that runs one inference at a time

}  // namespace saccade

template <class Tag>
struct std::hash<saccade::Id<Tag>> {
  std::size_t operator()(const saccade::Id<Tag>& id) const { return std::hash<std::string>{}(id.str()); }
};
