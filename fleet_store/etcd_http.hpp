// Many HTTP requests at a time, on one thread: those of a client of etcd's JSON gateway. Connections stay
// open between requests. No proxy, no redirects; with https:// certificate and name are checked.
// Order: start() calls, poll() for what became of them. Threads: one, but wake(). Errors: in the events, with
// the library's words; nothing that is sent is in them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace saccade::fleet_store {

struct HttpTrust {
  std::string ca_file;           // empty: those that the system trusts
  std::string certificate_file;  // empty: none is shown
  std::string key_file;
};

struct HttpCall {
  std::string url;
  std::string body;     // empty: GET, else POST
  std::string token;    // empty: none
  Duration timeout{};   // of all of it; 0: none
  bool stream = false;  // lines that come one by one
  bool once = false;    // over a connection of its own: it is never sent twice
};

struct HttpEvent {
  std::uint64_t call = 0;
  bool done = false;
  bool sent = false;  // it may have arrived
  int status = 0;     // 0: no answer, or not yet
  std::string data;   // all of the answer, or of a stream what has come since
  std::string fault;  // of one without an answer
};

class EtcdHttp {
 public:
  explicit EtcdHttp(HttpTrust trust);
  ~EtcdHttp();
  EtcdHttp(const EtcdHttp&) = delete;
  EtcdHttp& operator=(const EtcdHttp&) = delete;

  [[nodiscard]] std::uint64_t start(HttpCall call);
  void cancel(std::uint64_t call);  // nothing more comes of it
  // Waits until something has come of a call, wake() or the time is over.
  [[nodiscard]] std::vector<HttpEvent> poll(Duration most);
  void wake();

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace saccade::fleet_store
