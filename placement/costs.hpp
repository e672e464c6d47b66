// A chain as tables of numbers, ready for searches: sums over spans of layers in constant time, transfers
// resolved into what each side pays, and which processors are alike.
// Units: seconds, joules, bytes, per frame. Threads: immutable after construction.
// Errors: an inconsistent chain, or a boundary that is not legal, is a programmer's mistake (checked).
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "placement/chain.hpp"

namespace saccade::placement {

inline constexpr double kImpossible = std::numeric_limits<double>::infinity();

class Costs {
 public:
  explicit Costs(Chain chain);  // joined

  [[nodiscard]] const Chain& chain() const { return chain_; }
  [[nodiscard]] std::size_t layers() const { return layers_; }
  [[nodiscard]] std::size_t processors() const { return processors_; }
  // Whether every layer has an energy on every processor that runs it.
  [[nodiscard]] bool has_energy() const { return has_energy_; }

  // Layers [first, last) on a processor; kImpossible where one of them does not run.
  [[nodiscard]] double time(std::size_t processor, std::size_t first, std::size_t last) const {
    return runs(processor, first, last) ? time_[at(last, processor)] - time_[at(first, processor)]
                                        : kImpossible;
  }
  [[nodiscard]] double energy(std::size_t processor, std::size_t first, std::size_t last) const {
    return runs(processor, first, last) ? energy_[at(last, processor)] - energy_[at(first, processor)]
                                        : kImpossible;
  }
  [[nodiscard]] bool runs(std::size_t processor, std::size_t first, std::size_t last) const {
    return missing_[at(last, processor)] == missing_[at(first, processor)];
  }
  [[nodiscard]] double weights(std::size_t first, std::size_t last) const {
    return weights_[last] - weights_[first];
  }
  // Of one stage alone: weights, largest working memory, the queue in front of it.
  [[nodiscard]] double memory(std::size_t first, std::size_t last) const;
  [[nodiscard]] bool fits(std::size_t processor, std::size_t first, std::size_t last) const;

  // Boundary 1 <= b < layers, crossed from p to q, p != q.
  [[nodiscard]] bool may_cross(std::size_t b, std::size_t p, std::size_t q) const {
    return send_[cross(b, p, q)] < kImpossible;
  }
  [[nodiscard]] double send(std::size_t b, std::size_t p, std::size_t q) const {
    return send_[cross(b, p, q)];
  }
  [[nodiscard]] double receive(std::size_t b, std::size_t p, std::size_t q) const {
    return receive_[cross(b, p, q)];
  }
  [[nodiscard]] double transfer_energy(std::size_t b, std::size_t p, std::size_t q) const {
    return transfer_energy_[cross(b, p, q)];
  }

  // Processors of one kind cost the same everywhere: kinds are numbered from 0 in order of appearance.
  [[nodiscard]] std::size_t kinds() const { return kinds_.size(); }
  [[nodiscard]] std::size_t kind_of(std::size_t processor) const { return kind_of_[processor]; }
  [[nodiscard]] const std::vector<std::size_t>& processors_of(std::size_t kind) const { return kinds_[kind]; }

 private:
  [[nodiscard]] std::size_t at(std::size_t i, std::size_t p) const { return i * processors_ + p; }
  [[nodiscard]] std::size_t cross(std::size_t b, std::size_t p, std::size_t q) const {
    return (b * processors_ + p) * processors_ + q;
  }
  void sum_layers();
  void resolve_transfers();
  void find_kinds();
  [[nodiscard]] bool alike(std::size_t p, std::size_t q) const;
  [[nodiscard]] bool cross_alike(std::size_t p, std::size_t q) const;

  Chain chain_;
  std::size_t layers_, processors_;
  bool has_energy_ = true;
  std::vector<double> time_, energy_, weights_;  // sums of what lies before
  std::vector<int> missing_;
  std::vector<double> send_, receive_, transfer_energy_;
  std::vector<std::size_t> kind_of_;
  std::vector<std::vector<std::size_t>> kinds_;
};

}  // namespace saccade::placement
