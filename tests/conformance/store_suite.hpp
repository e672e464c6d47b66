// What every store must do, whatever is behind it: revisions, transactions, leases, watches, compaction. An
// adapter's test derives a fixture from StoreConformance, gives it clients and a way to let time pass, and
// calls each case of `store_cases()`. Real stores wait, the simulated one moves its clock.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "fleet_store/store.hpp"

namespace saccade::test {

class StoreConformance {
 public:
  virtual ~StoreConformance() = default;
  virtual fleet_store::Store& client(std::size_t index) = 0;  // 0 or 1
  virtual void pass(Duration time) = 0;

  // Submits and waits for the answer; what watches delivered meanwhile is kept.
  fleet_store::Answer ask(std::size_t index, fleet_store::Request request) {
    const std::uint64_t number = ++last_;
    client(index).submit(number, std::move(request));
    return answer_to(index, number, std::chrono::seconds(5));
  }
  template <class T>
  T get(std::size_t index, fleet_store::Request request) {
    const fleet_store::Answer answer = ask(index, std::move(request));
    if (const T* found = std::get_if<T>(&answer)) return *found;
    ADD_FAILURE() << "another kind of answer: " << answer.index();
    return {};
  }
  // Puts one key without a comparison; the revision.
  std::int64_t put(const std::string& key, const std::string& value, std::int64_t lease = 0) {
    const auto done =
        get<fleet_store::answer::Committed>(0, fleet_store::request::Commit{{}, {{key, value, lease}}, {}});
    EXPECT_TRUE(done.done) << key;
    return done.revision;
  }
  std::vector<fleet_store::Entry> list(const std::string& key, bool prefix = true) {
    return get<fleet_store::answer::Listed>(1, fleet_store::request::List{key, prefix}).entries;
  }
  std::uint64_t watch(std::size_t index, const std::string& key, bool prefix, std::int64_t from) {
    client(index).submit(++last_, fleet_store::request::Watch{key, prefix, from});
    return last_;
  }
  // All changes that a watch delivers within the time, flat.
  std::vector<fleet_store::answer::Watched::Change> changes(std::size_t index, std::uint64_t number,
                                                            std::size_t count) {
    std::vector<fleet_store::answer::Watched::Change> found;
    for (int step = 0; step < 300 && found.size() < count; ++step) {
      collect(index);
      std::erase_if(kept_, [&](const fleet_store::Event& event) {
        const auto* watched = std::get_if<fleet_store::answer::Watched>(&event.answer);
        if (event.request != number || watched == nullptr) return false;
        found.insert(found.end(), watched->changes.begin(), watched->changes.end());
        return true;
      });
      pass(std::chrono::milliseconds(10));
    }
    return found;
  }
  fleet_store::Answer answer_to(std::size_t index, std::uint64_t number, Duration within) {
    for (Duration waited{}; waited < within; waited += std::chrono::milliseconds(10)) {
      collect(index);
      for (auto it = kept_.begin(); it != kept_.end(); ++it) {
        if (it->request != number) continue;
        const fleet_store::Answer answer = it->answer;
        kept_.erase(it);
        return answer;
      }
      pass(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << "no answer";
    return fleet_store::answer::Failed{};
  }

 private:
  void collect(std::size_t index) {
    for (fleet_store::Event& event : client(index).take()) kept_.push_back(std::move(event));
  }
  std::vector<fleet_store::Event> kept_;
  std::uint64_t last_ = 0;
};

struct StoreCase {
  const char* name;
  void (*run)(StoreConformance& store);
};

namespace store_suite {

using namespace fleet_store;  // NOLINT: a suite in a header, as the others
namespace want = fleet_store::request;

inline void keys_have_revisions(StoreConformance& store) {
  const std::int64_t first = store.put("/t/a", "1");
  const std::int64_t second = store.put("/t/a", "2");
  const std::int64_t other = store.put("/t/b", "x");
  EXPECT_LT(first, second);
  EXPECT_LT(second, other);
  EXPECT_EQ(store.list("/t/"),
            (std::vector<Entry>{{"/t/a", "2", first, second}, {"/t/b", "x", other, other}}));
  EXPECT_EQ(store.list("/t/a", false).size(), 1U);
  EXPECT_TRUE(store.list("/t", false).empty());
  const auto gone = store.get<answer::Committed>(0, want::Commit{{}, {}, {"/t/a"}});
  EXPECT_TRUE(gone.done);
  const std::int64_t again = store.put("/t/a", "3");
  EXPECT_EQ(store.list("/t/a").at(0), (Entry{"/t/a", "3", again, again}));  // created anew
}

inline void commits_compare_and_set(StoreConformance& store) {
  const auto create = want::Commit{{{"/t/k", Compare::What::created, 0}}, {{"/t/k", "mine"}}, {}};
  const auto made = store.get<answer::Committed>(0, create);
  EXPECT_TRUE(made.done);
  EXPECT_FALSE(store.get<answer::Committed>(1, create).done);
  want::Commit change{
      {{"/t/k", Compare::What::changed, made.revision}}, {{"/t/k", "two"}, {"/t/l", "two"}}, {}};
  const auto changed = store.get<answer::Committed>(0, change);
  EXPECT_TRUE(changed.done);
  EXPECT_FALSE(store.get<answer::Committed>(1, change).done);  // a late copy of it
  for (const Entry& entry : store.list("/t/")) EXPECT_EQ(entry.changed, changed.revision);  // one revision
  change.compares = {{"/t/k", Compare::What::created, made.revision}, {"/t/none", Compare::What::changed, 0}};
  EXPECT_TRUE(store.get<answer::Committed>(1, change).done);
  change.compares.push_back({"/t/none", Compare::What::created, 7});
  change.puts[0].value = "never";
  EXPECT_FALSE(store.get<answer::Committed>(1, change).done);
  EXPECT_EQ(store.list("/t/k").at(0).value, "two");
}

inline void too_large_is_refused(StoreConformance& store) {
  want::Commit twice{{}, {{"/t/a", "1"}, {"/t/a", "2"}}, {}};
  EXPECT_EQ(store.get<answer::Failed>(0, twice).outcome, answer::Outcome::refused);
  want::Commit many;
  for (int i = 0; i < 200; ++i) many.puts.push_back({"/t/" + std::to_string(i), "x"});
  EXPECT_EQ(store.get<answer::Failed>(0, many).outcome, answer::Outcome::refused);
  want::Commit large{{}, {{"/t/a", std::string(2'000'000, 'x')}}, {}};
  EXPECT_EQ(store.get<answer::Failed>(0, large).outcome, answer::Outcome::refused);
  EXPECT_TRUE(store.list("/t/").empty());
  store.put("/t/a", std::string(1'000'000, 'x'));
}

inline void values_are_any_bytes(StoreConformance& store) {
  const std::string odd("\0\xff\n\"\\ \xc3\xa4", 8);
  store.put("/t/odd", odd);
  EXPECT_EQ(store.list("/t/odd").at(0).value, odd);
  store.put("/t/empty", "");
  EXPECT_EQ(store.list("/t/empty").at(0).value, "");
}

inline void leases_end_with_their_keys(StoreConformance& store) {
  const auto paid = store.get<answer::Granted>(0, want::Grant{std::chrono::seconds(3)});
  const auto unpaid = store.get<answer::Granted>(0, want::Grant{std::chrono::seconds(3)});
  EXPECT_GE(paid.time, std::chrono::seconds(3));
  EXPECT_NE(paid.lease, unpaid.lease);
  store.put("/t/paid", "", paid.lease);
  store.put("/t/unpaid", "", unpaid.lease);
  store.put("/t/kept", "", unpaid.lease);
  store.put("/t/kept", "");  // no longer hangs on it
  for (int i = 0; i < 7; ++i) {
    store.pass(std::chrono::seconds(1));
    EXPECT_TRUE(store.get<answer::Kept>(0, want::Keep{paid.lease}).alive);
  }
  EXPECT_FALSE(store.get<answer::Kept>(0, want::Keep{unpaid.lease}).alive);
  const std::vector<Entry> left = store.list("/t/");
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].key, "/t/kept");
  EXPECT_EQ(left[1].key, "/t/paid");
  store.get<answer::Revoked>(0, want::Revoke{paid.lease});
  EXPECT_EQ(store.list("/t/").size(), 1U);
  EXPECT_FALSE(store.get<answer::Kept>(0, want::Keep{paid.lease}).alive);
  const want::Commit late{{}, {{"/t/late", "", paid.lease}}, {}};
  EXPECT_FALSE(store.get<answer::Committed>(0, late).done);  // a key on a lease that has ended
}

// What fences a planner that lost its lease: its later writes fail.
inline void a_lost_lease_fences(StoreConformance& store) {
  const auto lease = store.get<answer::Granted>(0, want::Grant{std::chrono::seconds(3)});
  const std::int64_t term = store.put("/t/leader", "a", lease.lease);
  want::Commit write{{{"/t/leader", Compare::What::created, term}}, {{"/t/plan", "a"}}, {}};
  EXPECT_TRUE(store.get<answer::Committed>(0, write).done);
  store.get<answer::Revoked>(1, want::Revoke{lease.lease});
  EXPECT_FALSE(store.get<answer::Committed>(0, write).done);
  store.put("/t/leader", "b");
  EXPECT_FALSE(store.get<answer::Committed>(0, write).done);  // created anew, by another
}

inline void watches_deliver_in_order(StoreConformance& store) {
  const std::int64_t first = store.put("/t/w/a", "1");
  const std::uint64_t from_now = store.watch(1, "/t/w/", true, first + 1);
  const std::uint64_t from_past = store.watch(1, "/t/w/a", false, first);
  store.put("/t/w/b", "1");
  store.put("/t/x", "1");
  store.put("/t/w/a", "2");
  const auto gone = store.get<answer::Committed>(0, want::Commit{{}, {}, {"/t/w/b"}});
  const auto seen = store.changes(1, from_now, 3);
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen[0].key, "/t/w/b");
  EXPECT_EQ(seen[1].value, "2");
  EXPECT_EQ(seen[1].created, first);
  EXPECT_EQ(seen[2].value, std::nullopt);
  EXPECT_EQ(seen[2].changed, gone.revision);
  const auto past = store.changes(1, from_past, 2);
  ASSERT_EQ(past.size(), 2U);
  EXPECT_EQ(past[0].changed, first);
  EXPECT_EQ(past[1].value, "2");
}

inline void watches_end(StoreConformance& store) {
  const std::int64_t first = store.put("/t/w/a", "1");
  const std::uint64_t number = store.watch(1, "/t/w/", true, first);
  EXPECT_EQ(store.changes(1, number, 1).size(), 1U);
  store.client(1).submit(1'000'000, want::EndWatch{number});
  EXPECT_TRUE(
      std::holds_alternative<answer::WatchEnded>(store.answer_to(1, number, std::chrono::seconds(5))));
  store.put("/t/w/a", "2");
  EXPECT_TRUE(store.changes(1, number, 1).empty());
}

inline void compaction_ends_old_watches(StoreConformance& store) {
  const std::int64_t first = store.put("/t/c", "1");
  store.put("/t/c", "2");
  const std::int64_t last = store.put("/t/c", "3");
  store.get<answer::Compacted>(0, want::Compact{last});
  EXPECT_EQ(store.get<answer::Failed>(0, want::Compact{first}).outcome, answer::Outcome::refused);
  const std::uint64_t old = store.watch(1, "/t/c", false, first);
  const Answer ended = store.answer_to(1, old, std::chrono::seconds(5));
  ASSERT_TRUE(std::holds_alternative<answer::WatchEnded>(ended));
  EXPECT_EQ(std::get<answer::WatchEnded>(ended).compacted, last);
  const std::uint64_t recent = store.watch(1, "/t/c", false, last);
  ASSERT_EQ(store.changes(1, recent, 1).size(), 1U);
  EXPECT_EQ(store.list("/t/c").at(0).value, "3");
}

}  // namespace store_suite

inline const std::vector<StoreCase>& store_cases() {
  static const std::vector<StoreCase> cases = {
      {"KeysHaveRevisions", store_suite::keys_have_revisions},
      {"CommitsCompareAndSet", store_suite::commits_compare_and_set},
      {"TooLargeIsRefused", store_suite::too_large_is_refused},
      {"ValuesAreAnyBytes", store_suite::values_are_any_bytes},
      {"LeasesEndWithTheirKeys", store_suite::leases_end_with_their_keys},
      {"ALostLeaseFences", store_suite::a_lost_lease_fences},
      {"WatchesDeliverInOrder", store_suite::watches_deliver_in_order},
      {"WatchesEnd", store_suite::watches_end},
      {"CompactionEndsOldWatches", store_suite::compaction_ends_old_watches},
  };
  return cases;
}

}  // namespace saccade::test
