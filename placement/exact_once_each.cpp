#include <algorithm>
#include <cstdint>

#include "base/check.hpp"
#include "placement/exact.hpp"

namespace saccade::placement {
namespace {

// A state: how many processors of each kind are used, the kind of the last stage, the kind of the next one,
// and the boundary between the two; the last stage has paid for sending. Its value is the largest load so
// far.
class OnceEach {
 public:
  OnceEach(const Costs& costs, std::size_t max_stages)
      : costs_(costs), max_stages_(max_stages), kinds_(costs.kinds()), stride_(kinds_) {
    used_ = 1;
    for (std::size_t k = 0; k < kinds_; ++k) {
      stride_[k] = used_;
      used_ *= costs.processors_of(k).size() + 1;
    }
    states_.assign(used_ * kinds_ * kinds_ * costs.layers(), State{});
  }

  Solution solve() {
    for (std::size_t k = 0; k < kinds_; ++k) extend(0, k, {}, 0);
    // By numbers of used processors: every step uses one more, so the index of `used` ascends.
    for (std::size_t used = 0; used < used_; ++used) {
      for (std::size_t last = 0; last < kinds_; ++last) {
        for (std::size_t next = 0; next < kinds_; ++next) {
          for (std::size_t b = 1; b < costs_.layers(); ++b) {
            const Key key{used, last, next, b};
            if (at(key).value < best_.value) extend(used, next, key, b);
          }
        }
      }
    }
    best_.bound = best_.value;
    if (best_.value < kImpossible) best_.placement = trace();
    return best_;
  }

 private:
  struct Key {
    std::size_t used = 0, last = 0, next = 0, boundary = 0;
  };
  struct State {
    double value = kImpossible;
    std::uint32_t last_before = 0, boundary_before = 0;
  };

  State& at(const Key& key) {
    return states_[((key.used * kinds_ + key.last) * kinds_ + key.next) * costs_.layers() + key.boundary];
  }
  [[nodiscard]] std::size_t count(std::size_t used, std::size_t kind) const {
    return used / stride_[kind] % (costs_.processors_of(kind).size() + 1);
  }
  [[nodiscard]] std::size_t stages(std::size_t used) const {
    std::size_t sum = 0;
    for (std::size_t k = 0; k < kinds_; ++k) sum += count(used, k);
    return sum;
  }
  // A processor of a kind, one that differs from `other` if it is of the same.
  [[nodiscard]] std::size_t one_of(std::size_t kind) const { return costs_.processors_of(kind).front(); }
  // Whether `count` more processors of the kind are free.
  [[nodiscard]] bool has_free(std::size_t used, std::size_t kind, std::size_t wanted) const {
    return count(used, kind) + wanted <= costs_.processors_of(kind).size();
  }
  // Two different processors that stand for a crossing between kinds.
  [[nodiscard]] std::size_t neighbour(std::size_t kind, std::size_t of_kind) const {
    return kind == of_kind ? costs_.processors_of(kind)[1] : one_of(kind);
  }

  // The next stage, of `kind`, from boundary `begin` on, after `before`.
  void extend(std::size_t used, std::size_t kind, const Key& before, std::size_t begin) {
    if (!has_free(used, kind, 1) || stages(used) >= max_stages_) return;
    const std::size_t processor = one_of(kind), now_used = used + stride_[kind];
    const double so_far = begin == 0 ? 0.0 : at(before).value;
    const double received = begin == 0 ? 0.0 : costs_.receive(begin, neighbour(before.last, kind), processor);
    const bool may_go_on = stages(now_used) < max_stages_;
    for (std::size_t end = begin + 1; end <= costs_.layers(); ++end) {
      const double load = received + costs_.time(processor, begin, end);
      if (load >= best_.value || !costs_.fits(processor, begin, end)) break;
      if (end == costs_.layers()) {
        finish(now_used, kind, before, begin, std::max(so_far, load));
        break;
      }
      if (!may_go_on) continue;
      for (std::size_t next = 0; next < kinds_; ++next) {
        if (!has_free(now_used, next, 1)) continue;
        const double sent = costs_.send(end, processor, neighbour(next, kind));
        offer({now_used, kind, next, end}, before, begin, std::max(so_far, load + sent));
      }
    }
  }

  void offer(const Key& key, const Key& before, std::size_t begin, double value) {
    State& state = at(key);
    ++best_.labels;
    if (value >= state.value || value >= best_.value) return;
    state = {value, static_cast<std::uint32_t>(before.last), static_cast<std::uint32_t>(begin)};
  }

  void finish(std::size_t used, std::size_t kind, const Key& before, std::size_t begin, double value) {
    if (value >= best_.value) return;
    best_.value = value;
    last_ = {used, kind, 0, begin};
    last_before_ = before.last;
  }

  // Kinds and boundaries backwards, then processors of each kind in their order.
  Placement trace() {
    struct Part {
      std::size_t kind, begin;
    };
    std::vector<Part> parts;
    std::size_t used = last_.used, kind = last_.last, begin = last_.boundary, before = last_before_;
    parts.push_back({kind, begin});
    while (begin > 0) {
      used -= stride_[kind];
      const State& state = at({used, before, kind, begin});
      kind = before;
      before = state.last_before;
      begin = state.boundary_before;
      parts.push_back({kind, begin});
    }
    std::reverse(parts.begin(), parts.end());
    std::vector<std::size_t> taken(kinds_, 0);
    Placement placement;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const std::size_t end = k + 1 < parts.size() ? parts[k + 1].begin : costs_.layers();
      const std::size_t processor = costs_.processors_of(parts[k].kind)[taken[parts[k].kind]++];
      placement.push_back({parts[k].begin, end, processor, 1});
    }
    return placement;
  }

  const Costs& costs_;
  std::size_t max_stages_, kinds_, used_;
  std::vector<std::size_t> stride_;  // of the number of used processors of a kind
  std::vector<State> states_;
  Solution best_;
  Key last_;  // the last stage's kind and where it begins
  std::size_t last_before_ = 0;
};

}  // namespace

Solution least_period_once_each(const Costs& costs, std::size_t max_stages) {
  SACCADE_CHECK(max_stages >= 1);
  return OnceEach(costs, max_stages).solve();
}

}  // namespace saccade::placement
