// Asks boxes whether they live, by HTTP and on a thread of its own: GET, one second each. Order: construct,
// ask(), take what `answered` says. Threads: ask() from any; `answered` is called on the thread inside.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "service/fleet/planner_desk.hpp"

namespace saccade::service {

class Prober {
 public:
  using Answered = std::function<void(const fleet::BoxId& box, const ProbeAnswer& answer)>;
  explicit Prober(Answered answered);
  ~Prober();
  Prober(const Prober&) = delete;
  Prober& operator=(const Prober&) = delete;

  void ask(std::vector<Probe> probes);

 private:
  class Worker;
  std::unique_ptr<Worker> worker_;
  std::thread thread_;
};

}  // namespace saccade::service
