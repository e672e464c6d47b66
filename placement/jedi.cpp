#include "placement/jedi.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "base/check.hpp"

namespace saccade::placement {
namespace {

// The measured search of one option.
class CutSearch {
 public:
  CutSearch(const Costs& costs, const JediRoles& roles, const Sequence& sequence, Measure& measure,
            const JediSearchOptions& options)
      : costs_(costs), roles_(roles), sequence_(sequence), measure_(measure), options_(options) {
    if (options_.step == 0) options_.step = std::max<std::size_t>(1, costs.layers() / 20);
  }

  Found run(const Cuts& start) {
    Cuts now = snapped(start);
    if (!legal(now)) now = start;
    offer(now);
    offer(start);
    for (bool fresh = true; fresh;) {
      fresh = false;
      const bool gpu_has_room = utilisation_ < options_.busy;
      if (gpu_has_room && enlarge_gpu()) fresh = true;
      for (std::size_t k = 0; k < current_.size(); ++k) {
        for (const bool forwards : {true, false})
          fresh |= repeat([&](Cuts& cuts) { shift(cuts, k, forwards); });
      }
      for (const bool forwards : {true, false}) {
        fresh |= repeat([&](Cuts& cuts) {
          for (std::size_t k = 0; k < cuts.size(); ++k) shift(cuts, k, forwards);
        });
      }
    }
    return found_;
  }

 private:
  [[nodiscard]] bool legal(const Cuts& cuts) const {
    std::size_t before = 0;
    for (const std::size_t cut : cuts) {
      if (cut <= before || cut >= costs_.layers()) return false;
      before = cut;
    }
    return true;
  }
  [[nodiscard]] Cuts snapped(Cuts cuts) const {
    for (std::size_t& cut : cuts) {
      const std::size_t step = options_.step;
      cut = std::clamp((cut + step / 2) / step * step, std::size_t{1}, costs_.layers() - 1);
    }
    return cuts;
  }
  // Below zero wraps to a large number, which legal() refuses.
  void shift(Cuts& cuts, std::size_t k, bool forwards) const {
    forwards ? cuts[k] += options_.step : cuts[k] -= options_.step;
  }

  // Measures cuts that were not seen; moves to them when they are better. Whether they were fresh.
  struct Tried {
    bool fresh = false, better = false;
  };
  // `alone`: one of the positions around another one's cuts, around which nothing more is tried.
  Tried offer(const Cuts& cuts, bool alone = false) {
    if (!legal(cuts) || !seen_.insert(cuts).second) return {};
    const Placement placement = placement_of(costs_, sequence_, cuts);
    const Measured measured = measure_.measure(placement);
    ++found_.evaluations;
    const bool better = measured.period < found_.believed;
    if (better) {
      found_.believed = measured.period;
      found_.placement = placement;
      current_ = cuts;
      utilisation_ = measured.load[roles_.gpu] / measured.period;
    } else if (current_.empty()) {
      current_ = cuts;
    }
    if (is_newly_on_top(measured.period) && !alone && utilisation_ >= options_.busy) try_around(cuts);
    return {true, better};
  }

  bool is_newly_on_top(double period) {
    if (period == kImpossible) return false;
    top_.insert(period);
    if (top_.size() > options_.top) {
      const auto worst = std::prev(top_.end());
      const bool itself = *worst == period;
      top_.erase(worst);
      return !itself;
    }
    return true;
  }

  // Every cut alone at every position between its neighbours on the grid.
  // NOLINTNEXTLINE(misc-no-recursion): one level deep
  void try_around(const Cuts& cuts) {
    for (std::size_t k = 0; k < cuts.size(); ++k) {
      for (std::size_t away = 1; away < options_.step; ++away) {
        Cuts near = cuts;
        near[k] += away;
        offer(near, true);
        near[k] = cuts[k] - away;
        offer(near, true);
      }
    }
  }

  template <class Move>
  bool repeat(const Move& move) {
    bool fresh = false;
    for (;;) {
      Cuts cuts = current_;
      move(cuts);
      const Tried tried = offer(cuts);
      fresh |= tried.fresh;
      if (!tried.better) return fresh;
    }
  }

  // Moves of each cut that give the GPU more layers, from a quarter of the chain down to a step.
  bool enlarge_gpu() {
    bool fresh = false;
    for (std::size_t k = 0; k < sequence_.size() - 1; ++k) {
      const bool before = sequence_[k].processor == roles_.gpu,
                 after = sequence_[k + 1].processor == roles_.gpu;
      if (before == after) continue;
      for (std::size_t width = std::max(options_.step, costs_.layers() / 4); width >= options_.step;
           width /= 2) {
        fresh |= repeat([&](Cuts& cuts) { before ? cuts[k] += width : cuts[k] -= width; });
      }
    }
    return fresh;
  }

  const Costs& costs_;
  const JediRoles& roles_;
  const Sequence& sequence_;
  Measure& measure_;
  JediSearchOptions options_;
  Found found_;
  Cuts current_;
  double utilisation_ = 0.0;  // of the GPU, at the current cuts
  std::set<Cuts> seen_;
  std::multiset<double> top_;
};

// A chain whose DLAs take the GPU's time, times the ratio of the totals.
Chain believed_chain(const Costs& costs, const JediRoles& roles) {
  Chain chain = without_transfers(costs.chain());
  double on_gpu = 0.0, on_dla = 0.0;
  for (const Layer& layer : chain.layers) {
    if (!layer.on[roles.dlas.front()]) continue;
    on_gpu += layer.on[roles.gpu]->time.value();
    on_dla += layer.on[roles.dlas.front()]->time.value();
  }
  const double ratio = on_gpu > 0.0 ? on_dla / on_gpu : 1.0;
  for (Layer& layer : chain.layers) {
    for (const std::size_t dla : roles.dlas) {
      if (layer.on[dla]) layer.on[dla]->time = layer.on[roles.gpu]->time * ratio;
    }
  }
  return chain;
}

}  // namespace

std::optional<JediRoles> jedi_roles(const Costs& costs) {
  std::optional<JediRoles> roles;
  double least = kImpossible;
  for (std::size_t p = 0; p < costs.processors(); ++p) {
    const double time = costs.time(p, 0, costs.layers());
    if (time >= least) continue;
    least = time;
    roles = JediRoles{p, {}};
  }
  if (!roles) return roles;
  for (std::size_t k = 0; k < costs.kinds(); ++k) {
    const auto& members = costs.processors_of(k);
    if (k != costs.kind_of(roles->gpu) && members.size() > roles->dlas.size()) roles->dlas = members;
  }
  // Two that are alike and nothing else: the second does the DLA's part.
  if (roles->dlas.empty()) {
    for (const std::size_t p : costs.processors_of(costs.kind_of(roles->gpu))) {
      if (p != roles->gpu) roles->dlas.push_back(p);
    }
  }
  return roles;
}

std::vector<JediOption> jedi_options(const JediRoles& roles) {
  std::vector<JediOption> options;
  if (roles.dlas.empty()) return options;
  const Mapping gpu{roles.gpu, 1}, dla{roles.dlas[0], 1};
  options.push_back({"A", {dla, gpu}});
  options.push_back({"B", {gpu, dla, gpu}});
  if (roles.dlas.size() < 2) return options;
  const Mapping other{roles.dlas[1], 1};
  options.push_back({"C", {dla, other, gpu}});
  options.push_back({"D", {gpu, dla, other, gpu}});
  if (roles.dlas[1] != roles.dlas[0] + 1) return options;
  const Mapping both{roles.dlas[0], 2};
  options.push_back({"A+PND", {both, gpu}});
  options.push_back({"B+PND", {gpu, both, gpu}});
  return options;
}

std::optional<Cuts> balanced_cuts(const Costs& costs, const JediRoles& roles, const Sequence& sequence,
                                  std::int64_t most) {
  if (sequence.size() > costs.layers()) return std::nullopt;
  const Costs believed(believed_chain(costs, roles));
  std::optional<Cuts> best;
  double least = kImpossible;
  CutEnumeration enumeration(believed, sequence);
  const std::int64_t visited = enumeration.run(most, [&](const Totals& totals, const Cuts& cuts) {
    if (totals.period() >= least) return;
    least = totals.period();
    best = cuts;
  });
  return visited < most ? best : std::nullopt;
}

Found jedi_search(const Costs& costs, const JediRoles& roles, const Sequence& sequence, const Cuts& start,
                  Measure& measure, const JediSearchOptions& options) {
  SACCADE_CHECK(start.size() + 1 == sequence.size() && !start.empty());
  return CutSearch(costs, roles, sequence, measure, options).run(start);
}

JediFound jedi(const Costs& costs, Measure& measure, const JediSearchOptions& options) {
  JediFound best;
  const auto roles = jedi_roles(costs);
  if (!roles) return best;
  best.option = "GPU";
  best.found.placement = whole_on(costs, roles->gpu);
  best.found.believed = measure.measure(*best.found.placement).period;
  std::int64_t evaluations = 1;
  for (const JediOption& option : jedi_options(*roles)) {
    const auto start = balanced_cuts(costs, *roles, option.sequence);
    if (!start) continue;
    Found found = jedi_search(costs, *roles, option.sequence, *start, measure, options);
    evaluations += found.evaluations;
    if (found.believed < best.found.believed) best = {std::move(found), option.name};
  }
  best.found.evaluations = evaluations;
  return best;
}

double StreamModel::other_gain(std::size_t streams, std::size_t copies) const {
  return other_gains.empty() ? 1.0 : other_gains[std::max<std::size_t>(1, streams / copies) - 1];
}

StreamChoice choose_streams(const StreamModel& model, const StreamedPeriod& network, std::size_t copies) {
  SACCADE_CHECK(!model.gains.empty() && copies > 0);
  const auto period = [&](std::size_t pre, std::size_t post, std::size_t streams) {
    return std::max({network(streams), model.pre_seconds / static_cast<double>(pre),
                     model.post_seconds / static_cast<double>(post)});
  };
  StreamChoice best;
  for (std::size_t pre = 1; pre <= model.most_threads; ++pre) {
    for (std::size_t post = 1; post <= model.most_threads; ++post) {
      const std::size_t multiple = std::lcm(std::lcm(pre, post), copies);
      StreamChoice here{pre, post, multiple, kImpossible};
      for (std::size_t streams = multiple; streams <= model.gains.size(); streams += multiple) {
        const double now = period(pre, post, streams);
        if (now >= here.period) break;  // fewer streams do as well
        here.streams = streams;
        here.period = now;
      }
      if (here.period < best.period) best = here;
    }
  }
  return best;
}

Chain with_streams(const Chain& chain, const JediRoles& roles, const StreamModel& model, std::size_t streams,
                   std::size_t copies) {
  SACCADE_CHECK(model.other_gains.empty() || model.other_gains.size() == model.gains.size());
  Chain passed = chain;
  for (Layer& layer : passed.layers) {
    for (std::size_t p = 0; p < layer.on.size(); ++p) {
      if (!layer.on[p]) continue;
      const double gain = p == roles.gpu ? model.gains.at(streams - 1) : model.other_gain(streams, copies);
      layer.on[p]->time = layer.on[p]->time * (1.0 / gain);
    }
  }
  return passed;
}

}  // namespace saccade::placement
