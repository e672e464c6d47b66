#include "placement/evaluate.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace saccade::placement {
namespace {

std::string span_text(const Stage& stage) {
  const std::string first = std::to_string(stage.first);
  return stage.last - stage.first == 1 ? first : first + "-" + std::to_string(stage.last - 1);
}

std::string processors_text(const Costs& costs, const Stage& stage) {
  std::string text;
  for (std::size_t k = 0; k < stage.copies; ++k) {
    if (k > 0) text += '+';
    text += costs.chain().processors[stage.processor + k].id.str();
  }
  return text;
}

bool known_processors(const Costs& costs, const Stage& stage) {
  return stage.copies >= 1 && stage.processor < costs.processors() &&
         stage.copies <= costs.processors() - stage.processor;
}

void check_stage(const Costs& costs, const Stage& stage, std::vector<std::string>& found) {
  if (!known_processors(costs, stage)) {
    found.push_back("layers " + span_text(stage) + " are placed on a processor that does not exist");
    return;
  }
  const std::string where = "layers " + span_text(stage) + " on " + processors_text(costs, stage);
  if (!costs.runs(stage.processor, stage.first, stage.last)) {
    found.push_back(where + ": one of them does not run there");
  }
  for (std::size_t k = 1; k < stage.copies; ++k) {
    if (costs.kind_of(stage.processor + k) != costs.kind_of(stage.processor)) {
      found.push_back(where + ": copies of a stage need processors that are alike");
    }
  }
}

void check_memory(const Costs& costs, const std::vector<Bytes>& memory, std::vector<std::string>& found) {
  for (std::size_t p = 0; p < costs.processors(); ++p) {
    const Processor& processor = costs.chain().processors[p];
    if (processor.memory && memory[p] > *processor.memory) {
      found.push_back("the memory of " + processor.id.str() + " is exceeded");
    }
  }
}

std::vector<Bytes> memory_of(const Costs& costs, const Placement& placement) {
  std::vector<double> weights(costs.processors(), 0.0), working = weights;
  for (const Stage& stage : placement) {
    double largest = 0.0;
    for (std::size_t i = stage.first; i < stage.last; ++i) {
      largest = std::max(largest, costs.chain().layers[i].working.value());
    }
    const double queue = costs.memory(stage.first, stage.last) - largest;  // and the weights
    for (std::size_t p = stage.processor; p < stage.processor + stage.copies; ++p) {
      weights[p] += queue;
      working[p] = std::max(working[p], largest);
    }
  }
  std::vector<Bytes> memory;
  for (std::size_t p = 0; p < costs.processors(); ++p) memory.emplace_back(weights[p] + working[p]);
  return memory;
}

// Each boundary from the stage before to the stage after; copies share what is sent and received.
template <class Visit>
void for_each_transfer(const Placement& placement, const Visit& visit) {
  for (std::size_t k = 1; k < placement.size(); ++k) visit(placement[k - 1], placement[k]);
}

void add_load(std::vector<Seconds>& load, const Stage& stage, double seconds) {
  for (std::size_t p = stage.processor; p < stage.processor + stage.copies; ++p) {
    load[p] += Seconds(seconds / static_cast<double>(stage.copies));
  }
}

std::optional<Joules> idle_energy_of(const Costs& costs, const Evaluation& evaluation) {
  Joules sum;
  for (std::size_t p = 0; p < costs.processors(); ++p) {
    const auto& power = costs.chain().processors[p].idle_power;
    if (!power) return std::nullopt;
    sum += *power * (evaluation.period - evaluation.load[p]);
  }
  return sum;
}

}  // namespace

Placement whole_on(const Costs& costs, std::size_t processor) { return {{0, costs.layers(), processor, 1}}; }

Placement placement_of(const std::vector<std::size_t>& assignment) {
  Placement placement;
  for (std::size_t i = 0; i < assignment.size(); ++i) {
    if (i == 0 || assignment[i] != assignment[i - 1]) placement.push_back({i, i, assignment[i], 1});
    placement.back().last = i + 1;
  }
  return placement;
}

std::vector<std::string> complaints(const Costs& costs, const Placement& placement) {
  std::vector<std::string> found;
  std::size_t next = 0;
  for (const Stage& stage : placement) {
    if (stage.first != next || stage.last <= stage.first || stage.last > costs.layers()) {
      return {"its stages do not follow each other through the layers"};
    }
    next = stage.last;
    check_stage(costs, stage, found);
  }
  if (next != costs.layers()) return {"its stages do not reach the last layer"};
  if (!found.empty()) return found;
  for_each_transfer(placement, [&](const Stage& from, const Stage& to) {
    if (from.processor == to.processor) {
      found.push_back("two stages in a row share the processor " + processors_text(costs, to));
    } else if (!costs.may_cross(to.first, from.processor, to.processor)) {
      found.push_back("before layer " + std::to_string(to.first) + " the way from " +
                      processors_text(costs, from) + " to " + processors_text(costs, to) +
                      " is not possible");
    }
  });
  check_memory(costs, memory_of(costs, placement), found);
  return found;
}

Evaluation evaluate(const Costs& costs, const Placement& placement) {
  Evaluation result;
  result.load.assign(costs.processors(), Seconds(0.0));
  double latency = 0.0, energy = 0.0;
  const auto charge = [&](const Stage& stage, double seconds) {
    add_load(result.load, stage, seconds);
    latency += seconds;
  };
  for (const Stage& stage : placement) {
    charge(stage, costs.time(stage.processor, stage.first, stage.last));
    energy += costs.energy(stage.processor, stage.first, stage.last);
  }
  for_each_transfer(placement, [&](const Stage& from, const Stage& to) {
    charge(from, costs.send(to.first, from.processor, to.processor));
    charge(to, costs.receive(to.first, from.processor, to.processor));
    energy += costs.transfer_energy(to.first, from.processor, to.processor);
  });
  result.binding = static_cast<std::size_t>(std::max_element(result.load.begin(), result.load.end()) -
                                            result.load.begin());
  result.period = result.load[result.binding];
  result.latency = Seconds(latency);
  if (costs.has_energy()) result.energy = Joules(energy);
  result.idle_energy = idle_energy_of(costs, result);
  result.memory = memory_of(costs, placement);
  result.max_in_flight = (placement.size() - 1) * static_cast<std::size_t>(costs.chain().queue);
  for (const Stage& stage : placement) result.max_in_flight += stage.copies;
  return result;
}

Placement with_fallback(const Costs& costs, const Placement& placement, std::size_t fallback) {
  SACCADE_CHECK(costs.runs(fallback, 0, costs.layers()));
  Placement result;
  for (const Stage& stage : placement) {
    for (std::size_t i = stage.first; i < stage.last; ++i) {
      const bool here = costs.runs(stage.processor, i, i + 1);
      const std::size_t processor = here ? stage.processor : fallback;
      if (result.empty() || result.back().processor != processor) {
        result.push_back({i, i, processor, here ? stage.copies : 1});
      }
      result.back().last = i + 1;
    }
  }
  return result;
}

std::string to_string(const Costs& costs, const Placement& placement) {
  std::string text;
  for (const Stage& stage : placement) {
    if (!text.empty()) text += ", ";
    text += processors_text(costs, stage) + " " + span_text(stage);
  }
  return text;
}

}  // namespace saccade::placement
