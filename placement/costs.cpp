#include "placement/costs.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace saccade::placement {
namespace {

void check_consistent(const Chain& chain) {
  SACCADE_CHECK(!chain.processors.empty() && !chain.layers.empty());
  SACCADE_CHECK(chain.boundaries.size() + 1 == chain.layers.size());
  SACCADE_CHECK(chain.links.empty() || chain.links.size() == chain.processors.size());
  SACCADE_CHECK(chain.queue >= 0);
  for (const Layer& layer : chain.layers) SACCADE_CHECK(layer.on.size() == chain.processors.size());
  for (const Boundary& boundary : chain.boundaries) {
    SACCADE_CHECK(boundary.legal);
    SACCADE_CHECK(boundary.apart.empty() || boundary.apart.size() == chain.processors.size());
    for (const Crossing& crossing : boundary.crossings) {
      SACCADE_CHECK(std::max(crossing.from, crossing.to) < chain.processors.size());
    }
  }
  for (const auto& row : chain.links) SACCADE_CHECK(row.size() == chain.processors.size());
}

}  // namespace

Costs::Costs(Chain chain)
    : chain_(std::move(chain)), layers_(chain_.layers.size()), processors_(chain_.processors.size()) {
  check_consistent(chain_);
  sum_layers();
  resolve_transfers();
  find_kinds();
}

void Costs::sum_layers() {
  time_.assign((layers_ + 1) * processors_, 0.0);
  energy_ = time_;
  missing_.assign(time_.size(), 0);
  weights_.assign(layers_ + 1, 0.0);
  for (std::size_t i = 0; i < layers_; ++i) {
    const Layer& layer = chain_.layers[i];
    weights_[i + 1] = weights_[i] + layer.weights.value();
    for (std::size_t p = 0; p < processors_; ++p) {
      const auto& cost = layer.on[p];
      time_[at(i + 1, p)] = time_[at(i, p)] + (cost ? cost->time.value() : 0.0);
      energy_[at(i + 1, p)] = energy_[at(i, p)] + (cost && cost->energy ? cost->energy->value() : 0.0);
      missing_[at(i + 1, p)] = missing_[at(i, p)] + (cost ? 0 : 1);
      if (cost && !cost->energy) has_energy_ = false;
    }
  }
}

void Costs::resolve_transfers() {
  send_.assign(layers_ * processors_ * processors_, 0.0);
  receive_ = transfer_energy_ = send_;
  for (std::size_t b = 1; b < layers_; ++b) {
    const Boundary& boundary = chain_.boundaries[b - 1];
    for (std::size_t p = 0; p < processors_; ++p) {
      for (std::size_t q = 0; q < processors_; ++q) {
        if (p == q) continue;
        Link link;
        if (!chain_.links.empty()) link = chain_.links[p][q];
        double seconds = link.fixed.value() + link.seconds_per_byte * boundary.bytes.value();
        for (const Crossing& crossing : boundary.crossings) {
          if (crossing.from != p || crossing.to != q) continue;
          if (crossing.time) seconds = crossing.time->value();
          if (!crossing.allowed) seconds = kImpossible;
        }
        const bool possible = seconds < kImpossible;
        const auto paid = [&](std::size_t side, double share) {
          if (!possible) return kImpossible;
          const double apart = boundary.apart.empty() ? 0.0 : boundary.apart[side].value() / 2.0;
          return apart + (chain_.processors[side].pays_transfers ? share * seconds : 0.0);
        };
        send_[cross(b, p, q)] = paid(p, chain_.payment.sender);
        receive_[cross(b, p, q)] = paid(q, chain_.payment.receiver);
        transfer_energy_[cross(b, p, q)] =
            link.fixed_energy.value() + link.joules_per_byte * boundary.bytes.value();
      }
    }
  }
}

double Costs::memory(std::size_t first, std::size_t last) const {
  double working = 0.0;
  for (std::size_t i = first; i < last; ++i) {
    working = std::max(working, chain_.layers[i].working.value());
  }
  const double queue = first > 0 ? chain_.queue * chain_.boundaries[first - 1].bytes.value() : 0.0;
  return weights(first, last) + working + queue;
}

bool Costs::fits(std::size_t processor, std::size_t first, std::size_t last) const {
  const auto& limit = chain_.processors[processor].memory;
  return !limit || memory(first, last) <= limit->value();
}

// What crosses to and from every third processor, and between the two, is the same both ways.
bool Costs::cross_alike(std::size_t p, std::size_t q) const {
  for (std::size_t b = 1; b < layers_; ++b) {
    for (const auto* table : {&send_, &receive_, &transfer_energy_}) {
      if ((*table)[cross(b, p, q)] != (*table)[cross(b, q, p)]) return false;
      for (std::size_t r = 0; r < processors_; ++r) {
        if (r == p || r == q) continue;
        if ((*table)[cross(b, p, r)] != (*table)[cross(b, q, r)]) return false;
        if ((*table)[cross(b, r, p)] != (*table)[cross(b, r, q)]) return false;
      }
    }
  }
  return true;
}

bool Costs::alike(std::size_t p, std::size_t q) const {
  Processor a = chain_.processors[p];
  a.id = chain_.processors[q].id;
  if (a != chain_.processors[q] || !cross_alike(p, q)) return false;
  return std::all_of(chain_.layers.begin(), chain_.layers.end(),
                     [&](const Layer& layer) { return layer.on[p] == layer.on[q]; });
}

// Alike is transitive but for the transfers inside a kind, so every member is compared with every other.
void Costs::find_kinds() {
  kind_of_.assign(processors_, 0);
  for (std::size_t p = 0; p < processors_; ++p) {
    std::size_t kind = 0;
    while (kind < kinds_.size() && !std::all_of(kinds_[kind].begin(), kinds_[kind].end(),
                                                [&](std::size_t q) { return alike(p, q); })) {
      ++kind;
    }
    if (kind == kinds_.size()) kinds_.emplace_back();
    kinds_[kind].push_back(p);
    kind_of_[p] = kind;
  }
}

}  // namespace saccade::placement
