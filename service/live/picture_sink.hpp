// Pictures for a broker: when the presence of a label begins in a task's view, the task's next frame is kept,
// and handed on together with its result. It uses the filter and the presence of the sink that it belongs to,
// but receives every result, regardless of that sink's `when`. Otherwise a frame costs a worker one atomic
// read. Threads: as Sink says; `publish` is called on the hub's thread and must neither block nor call back.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/clock.hpp"
#include "results/sink.hpp"
#include "service/live/snapshots.hpp"

namespace saccade::service {

class PictureSink final : public results::Sink {
 public:
  // `draw` makes the JPEG, on the calling thread.
  using Publish = std::function<void(const std::string& task, std::function<std::string()> draw)>;

  // `clock`: that of the workers' offers to `pictures`.
  PictureSink(std::shared_ptr<Snapshots> pictures, std::shared_ptr<const Clock> clock, Publish publish);

  void take(const std::shared_ptr<const results::Result>& result) override;
  void take(const results::PresenceChange& change) override;
  void tell(const results::TaskState&) override {}
  void task_is_there(const std::string&) override {}
  void task_is_gone(const std::string& task) override;
  [[nodiscard]] results::SinkAccount account() const override { return {}; }  // none of the service's sinks

 private:
  const std::shared_ptr<Snapshots> pictures_;
  const std::shared_ptr<const Clock> clock_;
  const Publish publish_;
  std::map<std::string, std::set<std::string>> present_;  // labels by task
  std::set<std::string> wanted_;                          // tasks whose next frame is kept
};

}  // namespace saccade::service
