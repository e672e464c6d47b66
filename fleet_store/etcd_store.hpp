// A fleet's store in etcd, versions 3.4.20 and later (but 3.5.0 to 3.5.4), through the JSON gateway of its
// members (docs/fleet.md has how they are set up). One member is used at a time; after one that does not
// answer in kRequestTime, or that has no majority, the next. Requests that have not been sent are tried
// there; of those that were, it is not known whether they are done. Watches end with their member. Users are
// authenticated when needed; the password is asked for each time, and kept nowhere. Order and threads: as
// Store; the requests run on a thread of their own, which the destructor ends.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "fleet_store/etcd_http.hpp"
#include "fleet_store/store.hpp"

namespace saccade::fleet_store {

struct EtcdSettings {
  std::vector<std::string> members;  // "https://10.0.0.1:2379", at least one
  HttpTrust trust;
  std::string user;  // empty: none
  std::function<Result<std::string>()> password;
};

class EtcdStore final : public Store {
 public:
  // `arrived`: called on the store's thread when there is something to take; it does not wait.
  explicit EtcdStore(EtcdSettings settings, std::function<void()> arrived = {});
  ~EtcdStore() override;
  EtcdStore(const EtcdStore&) = delete;
  EtcdStore& operator=(const EtcdStore&) = delete;

  void submit(std::uint64_t number, Request request) override;
  [[nodiscard]] std::vector<Event> take() override;
  // What was wrong with a member last; empty: nothing since a request was answered. Any thread.
  [[nodiscard]] std::string fault() const;

 private:
  class Worker;
  std::unique_ptr<Worker> worker_;
  std::thread thread_;
};

}  // namespace saccade::fleet_store
