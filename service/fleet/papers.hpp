// Documents that a process keeps in the store as they are here: written where they differ, each under a
// comparison with what it replaces. What cannot be written now is tried again. Threads: pure.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fleet_store/session.hpp"

namespace saccade::service {

class Papers {
 public:
  // `number`: of a request, each used once. `documents`: texts by key, in this order.
  Papers(std::map<std::string, std::string> documents, std::function<std::uint64_t()> number)
      : documents_(std::move(documents)), number_(std::move(number)) {}

  // Writes begin, or begin anew, while the process's key was created at this revision.
  void hold(const std::string& key, std::int64_t created, TimePoint now);
  // From now on these texts at their keys, beside the others.
  void replace(const std::map<std::string, std::string>& documents, TimePoint now);
  // False: not an answer to a request of these.
  bool on(const fleet_store::Event& event, TimePoint now);
  void step(TimePoint now);
  [[nodiscard]] std::optional<TimePoint> next() const;
  [[nodiscard]] std::vector<fleet_store::Numbered> take() { return std::exchange(requests_, {}); }
  [[nodiscard]] bool all_written() const { return holds_ && at_ == documents_.end(); }

 private:
  void list();
  void write(std::int64_t replaces);

  std::map<std::string, std::string> documents_;
  std::function<std::uint64_t()> number_;
  std::map<std::string, std::string>::const_iterator at_ = documents_.end();
  bool holds_ = false;
  bool changed_ = false;  // behind where it writes
  std::string key_;
  std::int64_t created_ = 0;
  std::uint64_t request_ = 0;  // under way
  TimePoint again_{};
  std::vector<fleet_store::Numbered> requests_;
};

}  // namespace saccade::service
