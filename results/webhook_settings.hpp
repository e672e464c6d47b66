// A sink of type "webhook", which posts results to a receiver by HTTP, as configured. Token and key are read
// from files. Threads: plain values.
#pragma once

#include <cstddef>
#include <string>

#include "base/quantity.hpp"

namespace saccade::results {

struct WebhookSettings {
  std::string id = {};
  std::string url = {};         // http:// or https://, without a user or a password
  std::string token_file = {};  // a path; empty: none
  std::string hmac_file = {};   // a path; empty: requests are not signed
  std::string ca_file = {};     // a path, PEM; empty: the system's trust store
  Seconds timeout{5.0};         // of one attempt
  Seconds retry{300.0};         // from the first attempt until the results fail
  int batch = 1;                // most results per request; 1: plain records
  std::size_t queue = 256;      // results that may wait
  bool operator==(const WebhookSettings&) const = default;
};

}  // namespace saccade::results
