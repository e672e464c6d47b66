// Posts to one address by HTTP, a request at a time, over a connection that stays open in between. No proxy,
// no redirects, no authentication but the headers that are given; with https:// certificate and name are
// checked. Nothing is waited for longer than the time that a request is given, a name server neither.
// Threads: post() one at a time; stop() any. Errors: in the answer, with the library's words.
#pragma once

#include <memory>
#include <string>

#include "base/clock.hpp"
#include "results/webhook/cloud_events.hpp"
#include "results/webhook/webhook_session.hpp"

namespace saccade::results {

class HttpClient {
 public:
  // `ca_file`: empty: those that the system trusts.
  HttpClient(const std::string& url, const std::string& ca_file);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // `timeout`: for all of it, from the name to the end of the answer.
  [[nodiscard]] HttpAnswer post(const HttpMessage& message, Duration timeout);
  void stop();  // this post and every later one returns without an answer

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace saccade::results
