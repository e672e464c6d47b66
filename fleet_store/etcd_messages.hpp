// The words of etcd's JSON gateway: requests of store.hpp as calls, and what the gateway answers as answers.
// Keys and values are base64, 64-bit numbers are texts, members that are false, 0 or empty are absent; the
// same with etcd 3.4 and 3.5, but for the bodies of errors, of which only the code is used
// (https://etcd.io/docs/v3.5/dev-guide/api_grpc_gateway/). An answer that cannot be read is a failure, never
// a success. Threads: functions without state. Errors: in the answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fleet_store/store.hpp"

namespace saccade::fleet_store {

struct EtcdCall {
  std::string path;  // "/v3/kv/txn"
  std::string body;
};
// Of every request but EndWatch.
[[nodiscard]] EtcdCall call_of(const Request& request);
[[nodiscard]] EtcdCall authenticate_call(const std::string& user, const std::string& password);

struct EtcdReading {
  Answer answer;
  std::int64_t term = 0;
  bool token_refused = false;  // nothing was done: authenticate again
  bool member_failed = false;  // another member may do better
};
// Of every request but Watch and EndWatch.
[[nodiscard]] EtcdReading read_answer(const Request& request, int status, std::string_view body);

// One line of a watch.
struct EtcdWatchLine {
  std::optional<answer::Watched> watched;
  std::optional<answer::WatchEnded> ended;
  std::int64_t term = 0;
  bool token_refused = false;
};
[[nodiscard]] EtcdWatchLine read_watch_line(std::string_view line);

struct EtcdToken {
  std::string token;
  bool is_open = false;  // the store wants none
  std::string fault;     // else
};
[[nodiscard]] EtcdToken read_token(int status, std::string_view body);

// Why this version is not used, from the answer to GET /version; empty: it is. Versions before 3.4.20 lack
// repairs of leases and watches, 3.5.0 to 3.5.4 may corrupt their data.
[[nodiscard]] std::string version_fault(int status, std::string_view body);

}  // namespace saccade::fleet_store
