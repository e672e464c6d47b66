// The line search of the dual simplex (lp_relaxation.hpp): how far L falls along an edge. On an edge the
// worth of every option is linear, `worth - t * slope`; the best option of a class changes at breakpoints,
// and L, being convex, falls up to the breakpoint where its slope stops being negative. This is the long-step
// ("bound flipping") ratio test of the dual simplex (Fourer 1994; Maros 2003). Instead of sorting the
// breakpoints, the minimum is bracketed by tangents from both ends (cutting planes in one dimension; Kelley
// 1960).
// Threads: one object, one thread. Order: search() as often as needed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ilp/core/table.hpp"

namespace saccade::ilp {

class LineSearch {
 public:
  explicit LineSearch(const Table& table) : table_(table) {}

  struct Edge {
    const std::vector<double>& worth;  // per option, at the start of the edge
    const std::vector<double>& slope;  // per option
    const std::vector<char>& tied;     // per class: its base stays the best all along
    double first_slope = 0.0;          // of L without the terms of the classes
    double limit = 0.0;                // length of the edge; may be infinite
  };
  struct Breakpoint {
    double length = 0.0;                // position on the edge
    std::uint32_t group_class, option;  // the option that equals the base of its class there
  };
  // The breakpoint at which L is minimal; absent if L falls all the way to the limit. `base`: per class its
  // best option, on entry at the start of the edge, on return at the result.
  [[nodiscard]] std::optional<Breakpoint> search(const Edge& edge, std::vector<std::uint32_t>& base);

 private:
  struct Tangent {
    double slope = 0.0;
    double at = 0.0;  // value of the moving classes at the start of the edge
  };
  struct Middle {
    Tangent tangent;
    bool new_option = false;  // some option beats both ends
  };

  [[nodiscard]] double count(std::size_t c) const { return table_.count[c]; }
  void find_ends(const Edge& edge, const std::vector<std::uint32_t>& base);
  [[nodiscard]] Middle look_at(const Edge& edge, double t);
  void narrow(const Edge& edge, double t, double slope);
  [[nodiscard]] std::uint32_t best_at_end(const Edge& edge, std::uint32_t base, std::size_t c) const;
  [[nodiscard]] std::optional<Breakpoint> enter(const Edge& edge, double length,
                                                std::vector<std::uint32_t>& base) const;

  const Table& table_;
  Tangent left_, right_;                               // of L at the ends of the bracket
  double low_ = 0.0, high_ = 0.0;                      // the bracket
  std::vector<std::uint32_t> left_best_, right_best_;  // per class: the best option at the ends
  std::vector<std::uint32_t> moving_;                  // classes whose best option differs there
  std::vector<std::uint32_t> middle_best_;             // per moving class
};

}  // namespace saccade::ilp
