#include "runtime/real/change_requests.hpp"

#include <memory>
#include <utility>

namespace saccade::runtime {

ChangeResult<std::uint64_t> ChangeRequests::request(RunConfig config) {
  const auto wanted = std::make_shared<Reconfiguration>();
  wanted->config = std::move(config);
  auto answer = wanted->answer.get_future();
  {
    const Lock lock(mutex_);
    if (!open_) return ChangeRefused{Refusal::unavailable, {{"service", "is not running", ""}}};
    queue_.post(wanted);
  }
  return answer.get();
}

void ChangeRequests::open() {
  const Lock lock(mutex_);
  open_ = true;
}

void ChangeRequests::close() {
  const Lock lock(mutex_);
  open_ = false;
}

void ChangeRequests::refuse(Reconfiguration& late) {
  late.answer.set_value(ChangeRefused{Refusal::unavailable, {{"service", "is ending", ""}}});
}

}  // namespace saccade::runtime
