// A network as a chain of layers that several processors may share: what each layer costs on each processor,
// what crosses every boundary, and what a transfer costs. A layer is the smallest unit that may be placed: a
// fused layer, a block, or a group of them. Boundary i, 1 <= i < layers, lies before layer i.
// Paper 000 III (layers and transfers), paper 002 III (groups), paper 003 III-B (profiles of GPU and DLA).
// Where we differ: a transfer has a fixed part besides k * bytes (000 has the latter alone), and who pays for
// it is a setting: 000's text charges the receiver, its published code both sides.
// Order: fill a Chain, join it at its legal boundaries (joined), make Costs of it.
// Threads: plain values. Errors: a chain that is not consistent is a programmer's mistake (checked by Costs);
// readers of files find users' mistakes before.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "base/quantity.hpp"

namespace saccade::placement {

struct Processor {
  ProcessorId id;
  double capacity = 0.95;            // processor-seconds per second that tasks may use
  std::optional<Bytes> memory = {};  // limit on weights, working memory and queues of what runs there
  bool pays_transfers = true;        // false: a host whose copies others make
  std::optional<Watts> idle_power = {};
  bool operator==(const Processor&) const = default;
};

struct LayerCost {
  Seconds time;                       // per frame
  std::optional<Joules> energy = {};  // per frame, absent where no meter says it
  bool operator==(const LayerCost&) const = default;
};

struct Layer {
  std::string name;
  int size = 1;                              // layers of the network that it consists of
  std::vector<std::optional<LayerCost>> on;  // by processor; absent: it does not run there
  Bytes weights;
  Bytes working;               // the largest that it needs besides
  std::optional<double> work;  // paper 001 (1), (2): its weight without a profile, any unit
  bool operator==(const Layer&) const = default;
};

// A measured transfer that replaces the link's formula, or a crossing that is impossible.
struct Crossing {
  std::size_t from = 0, to = 0;  // processors
  std::optional<Seconds> time;
  bool allowed = true;
  bool operator==(const Crossing&) const = default;
};

struct Boundary {
  Bytes bytes;        // of all tensors that cross it, each once
  bool legal = true;  // whether the network may be cut here
  std::vector<Crossing> crossings = {};
  // By processor: how much longer the layers on both sides take there apart than together, since an engine
  // fuses across the boundary and a stage has a call of its own. A cut costs half of it on either side, on
  // top of the transfer; the layers' own times are those they have together. Empty: nothing.
  std::vector<Seconds> apart = {};
  bool operator==(const Boundary&) const = default;
};

// A transfer of B bytes takes fixed + B * seconds_per_byte.
struct Link {
  Seconds fixed;
  double seconds_per_byte = 0.0;
  Joules fixed_energy;
  double joules_per_byte = 0.0;
  bool operator==(const Link&) const = default;
};

// The share of a transfer's time that each side's processor is busy with.
struct Payment {
  double sender = 0.0;
  double receiver = 1.0;
  bool operator==(const Payment&) const = default;
};
inline constexpr Payment kReceiverPays{0.0, 1.0};
inline constexpr Payment kSenderPays{1.0, 0.0};
inline constexpr Payment kBothPay{1.0, 1.0};

struct Chain {
  std::vector<Processor> processors;
  std::vector<Layer> layers;
  std::vector<Boundary> boundaries;      // [i - 1] lies before layer i
  std::vector<std::vector<Link>> links;  // [from][to]; empty: transfers are free
  Payment payment;
  int queue = 1;  // frames that wait between two stages at most
  bool operator==(const Chain&) const = default;
};

// Layers starts[k] to starts[k + 1] become one: times, energies, weights and work are added, the largest
// working memory is taken. `starts` ascends and begins with 0. A sum with an absent energy or work is absent.
[[nodiscard]] Chain grouped(const Chain& chain, const std::vector<std::size_t>& starts);

// Grouped at the legal boundaries: every boundary that is left may be cut.
[[nodiscard]] Chain joined(const Chain& chain);

// The same chain with free transfers; crossings that are impossible stay so.
[[nodiscard]] Chain without_transfers(Chain chain);

}  // namespace saccade::placement
