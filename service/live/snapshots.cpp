#include "service/live/snapshots.hpp"

#include <iterator>
#include <utility>
#include <vector>

#include "runtime/sources/marked_picture.hpp"

namespace saccade::service {

std::string Snapshots::Drawn::jpeg(bool boxes, const std::function<std::string()>& make) {
  const Lock lock(mutex_);
  std::string& kept = boxes ? with_boxes_ : without_;
  if (kept.empty()) kept = make();
  return kept;
}

std::optional<Snapshots::Taken> Snapshots::look(const std::string& task, TimePoint now) {
  const Lock lock(mutex_);
  Slot& slot = slots_[task];
  if (slot.taken && now >= slot.wanted_until) slot = {};  // of a look long ago
  slot.wanted_until = now + kWanted;
  wanted_ = true;
  return slot.taken;
}

void Snapshots::forget(const std::string& task) {
  const Lock lock(mutex_);
  slots_.erase(task);
  wanted_ = !slots_.empty();
}

void Snapshots::offer(const std::string& task, std::int64_t frame, const runtime::PicturePtr& picture,
                      TimePoint now) {
  if (!are_wanted() || picture == nullptr) return;
  runtime::PicturePtr former;  // released outside the mutex
  const Lock lock(mutex_);
  const auto found = slots_.find(task);
  if (found == slots_.end()) return;
  Slot& slot = found->second;
  if (now >= slot.wanted_until || (slot.offered && now - *slot.offered < kLeastPause)) return;
  slot.offered = now;
  slot.frame = frame;
  former = std::exchange(slot.picture, picture);
}

void Snapshots::join(const std::shared_ptr<const results::Result>& result, TimePoint now) {
  if (!are_wanted()) return;
  std::map<std::string, Slot> over;  // released outside the mutex
  std::optional<Taken> former;
  const Lock lock(mutex_);
  for (auto slot = slots_.begin(); slot != slots_.end();) {
    const auto next = std::next(slot);
    if (now >= slot->second.wanted_until) over.insert(slots_.extract(slot));
    slot = next;
  }
  wanted_ = !slots_.empty();
  const auto found = slots_.find(result->task);
  if (found == slots_.end()) return;
  Slot& slot = found->second;
  if (slot.picture == nullptr || slot.frame != result->frame) return;
  former = std::exchange(slot.taken,
                         Taken{std::exchange(slot.picture, nullptr), result, std::make_shared<Drawn>()});
}

std::string drawn_of(const Snapshots::Taken& taken, bool boxes) {
  constexpr std::size_t kMostMarks = 100;
  std::vector<runtime::Mark> marks;
  for (const results::SeenObject& object : taken.result->objects) {
    if (!boxes || marks.size() == kMostMarks) break;
    marks.push_back({object.box, object.label, object.score});
  }
  return runtime::marked_picture(*taken.picture, marks);
}

}  // namespace saccade::service
