// The store of a fleet, as its boxes and planners use it: keys with revisions, transactions that compare and
// set, leases, and watches with history. The semantics are etcd's; an adapter adds nothing to them and holds
// no state that the store does not hold. Every request is answered by at least one event with its number; a
// watch by any number of `Watched` and one `WatchEnded`.
//   Every change has one revision, ascending over the whole store; a transaction is one revision.
//   A key has the revision of its creation and of its last change; a deleted key has neither.
//   A lease that is not paid within its time ends, and the keys that hang on it are deleted.
//   A watch delivers every change of its keys from a revision on, in order; it may repeat some after it was
//   begun again, never leave one out. History before a compaction is no longer delivered: `compacted`.
// Outcomes of a request that fails: `unavailable`, nothing was done; `unknown`, it may have been done, or may
// be done later: repeat it only where a comparison makes that harmless; `refused`, repeating is no use.
// Order: submit() at any time, take() until nothing is returned. Threads: one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.hpp"

namespace saccade::fleet_store {

struct Compare {  // with the key's revision; 0 = the key does not exist
  enum class What { created, changed };
  std::string key;
  What what = What::changed;
  std::int64_t revision = 0;
  bool operator==(const Compare&) const = default;
};

struct Put {
  std::string key;
  std::string value;
  std::int64_t lease = 0;  // 0 = none
  bool operator==(const Put&) const = default;
};

namespace request {
// All keys that begin with `key`, or that one; as the store's majority has them.
struct List {
  std::string key;
  bool prefix = true;
};
// If every comparison is true, all puts and deletions as one revision; else nothing. At most
// kMostOperations of each; no key twice.
struct Commit {
  std::vector<Compare> compares;
  std::vector<Put> puts;
  std::vector<std::string> deletions;
};
struct Grant {
  Duration time;  // whole seconds; a store may grant more
};
struct Keep {
  std::int64_t lease = 0;
};
struct Revoke {
  std::int64_t lease = 0;
};
// Changes from this revision on, 1 or more. It ends by an error once the member that serves it is without a
// majority for some seconds.
struct Watch {
  std::string key;
  bool prefix = true;
  std::int64_t from = 1;
};
struct EndWatch {  // answered by the watch's WatchEnded
  std::uint64_t watch = 0;
};
struct Compact {  // forgets the history before this revision
  std::int64_t before = 0;
};
}  // namespace request
using Request = std::variant<request::List, request::Commit, request::Grant, request::Keep, request::Revoke,
                             request::Watch, request::EndWatch, request::Compact>;

// A request that fails without an answer may have been done.
[[nodiscard]] inline bool may_change(const Request& request) {
  return !std::holds_alternative<request::List>(request) && !std::holds_alternative<request::Keep>(request);
}

inline constexpr std::size_t kMostOperations = 60;  // below etcd's 128 per transaction
inline constexpr std::size_t kMostBytes = 1'400'000;

struct Entry {
  std::string key;
  std::string value;
  std::int64_t created = 0;
  std::int64_t changed = 0;
  bool operator==(const Entry&) const = default;
};

namespace answer {
enum class Outcome { unavailable, unknown, refused };
struct Failed {
  Outcome outcome = Outcome::unavailable;
  std::string what;
};
struct Listed {
  std::int64_t revision = 0;   // of the store, when it was read
  std::vector<Entry> entries;  // by key
};
struct Committed {
  bool done = false;  // false: a comparison was not true
  std::int64_t revision = 0;
};
struct Granted {
  std::int64_t lease = 0;
  Duration time{};
};
struct Kept {
  bool alive = false;  // false: the lease has ended
};
struct Revoked {};
struct Watched {
  struct Change {
    std::string key;
    std::optional<std::string> value;  // absent: deleted
    std::int64_t created = 0;          // 0 when deleted
    std::int64_t changed = 0;
  };
  std::int64_t revision = 0;  // of the last change of these
  std::vector<Change> changes;
};
struct WatchEnded {
  std::optional<std::int64_t> compacted;  // history begins here: list, then watch from there
};
struct Compacted {};
}  // namespace answer
using Answer = std::variant<answer::Failed, answer::Listed, answer::Committed, answer::Granted, answer::Kept,
                            answer::Revoked, answer::Watched, answer::WatchEnded, answer::Compacted>;

struct Event {
  std::uint64_t request = 0;
  std::int64_t term = 0;  // of the store's own leader, ascending; 0 = not known
  Answer answer;
};

// What a request may take before it fails by itself; a watch has no such limit.
inline constexpr Duration kRequestTime = std::chrono::seconds(2);

class Store {
 public:
  virtual ~Store() = default;
  // Numbers are the caller's, each used once.
  virtual void submit(std::uint64_t number, Request request) = 0;
  // What has arrived since, in order.
  [[nodiscard]] virtual std::vector<Event> take() = 0;
};

}  // namespace saccade::fleet_store
