// One step of the walk to the least of L (relaxation.hpp): how far L falls along an edge. On the edge every
// option is worth a straight line, `worth - t * slope`, the best option of a class changes at kinks, and L
// falls up to the kink at which its slope passes 0. That is bracketed from both ends by tangents, without
// sorting the kinks.
// Threads: one object, one thread. Order: search() as often as needed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ilp/table.hpp"

namespace saccade::ilp {

class EdgeSearch {
 public:
  explicit EdgeSearch(const Table& table) : table_(table) {}

  struct Edge {
    const std::vector<double>& worth;  // per option, at the beginning of the edge
    const std::vector<double>& slope;  // per option
    const std::vector<char>& tied;     // per class: its base stays the best all along
    double first_slope = 0.0;          // of L without what the classes add
    double limit = 0.0;                // where the edge ends; may be infinite
  };
  struct Kink {
    double length = 0.0;                // where on the edge
    std::uint32_t group_class, option;  // there it becomes as good as the base of its class
  };
  // The kink at which L is least; absent when L falls all the way to the limit. `base`: per class its best
  // option, at the beginning of the edge and, afterwards, where the search ended.
  [[nodiscard]] std::optional<Kink> search(const Edge& edge, std::vector<std::uint32_t>& base);

 private:
  [[nodiscard]] double count(std::size_t c) const { return table_.count[c]; }
  [[nodiscard]] std::uint32_t best_at(const Edge& edge, std::uint32_t base, std::size_t c) const;
  [[nodiscard]] std::optional<Kink> enter(const Edge& edge, double slope, double length,
                                          std::vector<std::uint32_t>& base) const;

  const Table& table_;
  std::vector<std::uint32_t> left_, right_, middle_, moving_;
  double low_ = 0.0, high_ = 0.0;
};

}  // namespace saccade::ilp
