// How results reach a receiver by HTTP: a sink of type "webhook", as the configuration says. Token and key
// stand in files. Threads: plain values.
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
  std::string ca_file = {};     // a path, PEM; empty: those that the system trusts
  Seconds timeout{5.0};         // of one attempt
  Seconds retry{300.0};         // from the first attempt on; then its results have failed
  int batch = 1;                // most results in one request; 1: a record as it is
  std::size_t queue = 256;      // results that may wait
  bool operator==(const WebhookSettings&) const = default;
};

}  // namespace saccade::results
