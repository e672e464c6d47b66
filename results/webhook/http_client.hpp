// Posts to one address by HTTP, one request at a time, over a persistent connection. No proxy, no redirects,
// no authentication except the given headers; with https:// certificate and host name are verified. A
// request, including the name look-up, never exceeds its time-out.
// Threads: post() one at a time; stop() any. Errors: in the response, with the library's message.
#pragma once

#include <memory>
#include <string>

#include "base/clock.hpp"
#include "results/webhook/cloud_events.hpp"
#include "results/webhook/webhook_session.hpp"

namespace saccade::results {

class HttpClient {
 public:
  // `ca_file`: empty: the system's trust store.
  HttpClient(const std::string& url, const std::string& ca_file);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // `timeout`: for the whole request, from the name look-up to the end of the response.
  [[nodiscard]] HttpAnswer post(const HttpMessage& message, Duration timeout);
  void stop();  // the current and all later post() calls return without a response

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace saccade::results
