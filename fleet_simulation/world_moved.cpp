// What the planners of the simulated fleet write of cameras that went elsewhere.
#include <algorithm>

#include "fleet_simulation/world.hpp"

namespace saccade::fleet_simulation {
namespace {

using fleet_store::Compare;
using fleet_store::Entry;
using fleet_store::request::Commit;
using Entries = std::map<std::string, Entry>;

bool holds(const Compare& compare, const Entries& entries) {
  const auto found = entries.find(compare.key);
  const Entry entry = found == entries.end() ? Entry{} : found->second;
  return compare.revision == (compare.what == Compare::What::created ? entry.created : entry.changed);
}

fleet::AssignDocument stored(const std::string& key, const Entries& entries) {
  const auto found = entries.find(key);
  return found == entries.end() ? fleet::AssignDocument{}
                                : fleet_store::read_assign(found->second.value).value();
}

// Once the write is done.
fleet::AssignDocument written(const std::string& key, const Commit& commit, const Entries& entries) {
  const auto put = std::find_if(commit.puts.begin(), commit.puts.end(),
                                [&](const fleet_store::Put& each) { return each.key == key; });
  return put == commit.puts.end() ? stored(key, entries) : fleet_store::read_assign(put->value).value();
}

bool gives(const fleet::AssignDocument& document, const fleet::MovedCamera& moved) {
  return std::any_of(
      document.cameras.begin(), document.cameras.end(),
      [&](const fleet::AssignedCamera& each) { return each.id == moved.id && each.epoch == moved.epoch; });
}

}  // namespace

// Of one that may be done, every box that a camera is said to have gone to has it then, or was said to
// before.
void World::look_at_write(const Commit& commit) {
  const Entries& entries = store_.history().entries();
  const auto now_holds = [&](const Compare& compare) { return holds(compare, entries); };
  if (!std::all_of(commit.compares.begin(), commit.compares.end(), now_holds)) return;
  for (const fleet_store::Put& put : commit.puts) {
    if (keys_.parts(put.key).kind != "assign") continue;
    const std::vector<fleet::MovedCamera> known = stored(put.key, entries).moved;
    const std::vector<fleet::MovedCamera> told = written(put.key, commit, entries).moved;
    for (const fleet::MovedCamera& moved : told) {
      if (std::find(known.begin(), known.end(), moved) != known.end()) continue;
      if (gives(written(keys_.assign(moved.box.str()), commit, entries), moved)) continue;
      witness_.breach(now_, "moved",
                      moved.box.str() + " is said to have " + moved.id.str() + ", and has not");
    }
  }
}

}  // namespace saccade::fleet_simulation
