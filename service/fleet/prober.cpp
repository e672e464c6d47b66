#include "service/fleet/prober.hpp"

#include <map>
#include <utility>

#include "base/mutex.hpp"
#include "fleet_store/etcd_http.hpp"
#include "runtime/machine/thread_settings.hpp"
#include "service/api/livez.hpp"

namespace saccade::service {
namespace {

constexpr Duration kProbeTime = std::chrono::seconds(1);
constexpr int kGood = 200;

}  // namespace

class Prober::Worker {
 public:
  explicit Worker(Answered answered) : answered_(std::move(answered)), http_({}) {}

  void run() {
    runtime::name_thread("fleet-probe");
    for (;;) {
      std::vector<Probe> probes;
      {
        const Lock lock(mutex_);
        if (ending_) return;
        probes.swap(inbox_);
      }
      for (Probe& probe : probes) {
        const std::uint64_t call = http_.start({std::move(probe.url), "", "", kProbeTime, false, true});
        asked_.emplace(call, std::move(probe.box));
      }
      for (const fleet_store::HttpEvent& event : http_.poll(kProbeTime)) {
        const auto found = asked_.find(event.call);
        if (!event.done || found == asked_.end()) continue;
        const bool lives = event.status == kGood;
        answered_(found->second, {lives, lives ? store_age_in(event.data) : std::nullopt});
        asked_.erase(found);
      }
    }
  }
  void ask(std::vector<Probe> probes) {
    {
      const Lock lock(mutex_);
      for (Probe& probe : probes) inbox_.push_back(std::move(probe));
    }
    http_.wake();
  }
  void end() {
    {
      const Lock lock(mutex_);
      ending_ = true;
    }
    http_.wake();
  }

 private:
  const Answered answered_;
  fleet_store::EtcdHttp http_;  // of the thread alone, but for wake()
  std::map<std::uint64_t, fleet::BoxId> asked_;
  Mutex mutex_;
  std::vector<Probe> inbox_ SACCADE_GUARDED_BY(mutex_);
  bool ending_ SACCADE_GUARDED_BY(mutex_) = false;
};

Prober::Prober(Answered answered)
    : worker_(std::make_unique<Worker>(std::move(answered))),
      thread_([worker = worker_.get()] { worker->run(); }) {}

Prober::~Prober() {
  worker_->end();
  thread_.join();
}

void Prober::ask(std::vector<Probe> probes) {
  if (!probes.empty()) worker_->ask(std::move(probes));
}

}  // namespace saccade::service
