#include "fleet_store/etcd_http.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/check.hpp"

namespace saccade::fleet_store {
namespace {

constexpr std::size_t kMostAnswer = 64 * 1024 * 1024;
constexpr Duration kConnect = std::chrono::seconds(1);

struct DestroyEasyCall {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct DestroyMultiCall {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
struct DestroyLines {
  void operator()(curl_slist* lines) const { curl_slist_free_all(lines); }
};

struct Running {
  HttpCall call;
  std::unique_ptr<curl_slist, DestroyLines> lines;
  std::unique_ptr<CURL, DestroyEasyCall> easy;
  std::array<char, CURL_ERROR_SIZE> words{};
  std::string data;
};

template <class Value>
void set_option(CURL* easy, CURLoption option, Value value) {
  [[maybe_unused]] const CURLcode code = curl_easy_setopt(easy, option, value);
}

void add_line(std::unique_ptr<curl_slist, DestroyLines>& lines, const std::string& line) {
  curl_slist* longer = curl_slist_append(lines.get(), line.c_str());
  SACCADE_CHECK(longer != nullptr);
  [[maybe_unused]] curl_slist* same = lines.release();
  lines.reset(longer);
}

std::size_t keep_bytes(char* bytes, std::size_t size, std::size_t count, void* of) {
  std::string& data = *static_cast<std::string*>(of);
  if (data.size() + size * count > kMostAnswer) return 0;
  data.append(bytes, size * count);
  return size * count;
}

long whole_milliseconds(Duration time) {
  const auto count = std::chrono::ceil<std::chrono::milliseconds>(time).count();
  return static_cast<long>(std::max<std::int64_t>(count, 1));
}

void prepare(Running& running, const HttpTrust& trust) {
  CURL* easy = running.easy.get();
  set_option(easy, CURLOPT_URL, running.call.url.c_str());
  set_option(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  set_option(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set_option(easy, CURLOPT_FOLLOWLOCATION, 0L);
  set_option(easy, CURLOPT_PROXY, "");
  set_option(easy, CURLOPT_NOSIGNAL, 1L);
  set_option(easy, CURLOPT_QUICK_EXIT, 1L);
  set_option(easy, CURLOPT_USERAGENT, "saccade");
  set_option(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  set_option(easy, CURLOPT_TCP_KEEPIDLE, 5L);
  set_option(easy, CURLOPT_TCP_KEEPINTVL, 2L);
  set_option(easy, CURLOPT_ERRORBUFFER, running.words.data());
  set_option(easy, CURLOPT_WRITEFUNCTION, &keep_bytes);
  set_option(easy, CURLOPT_WRITEDATA, &running.data);
  if (!trust.ca_file.empty()) set_option(easy, CURLOPT_CAINFO, trust.ca_file.c_str());
  if (!trust.certificate_file.empty()) set_option(easy, CURLOPT_SSLCERT, trust.certificate_file.c_str());
  if (!trust.key_file.empty()) set_option(easy, CURLOPT_SSLKEY, trust.key_file.c_str());
  // A request on a connection that the other side has just closed is sent again by the library, unless the
  // connection is new.
  if (running.call.once) set_option(easy, CURLOPT_FRESH_CONNECT, 1L);
  const Duration connect =
      running.call.timeout > Duration{} ? std::min(kConnect, running.call.timeout) : kConnect;
  set_option(easy, CURLOPT_CONNECTTIMEOUT_MS, whole_milliseconds(connect));
  if (running.call.timeout > Duration{}) {
    set_option(easy, CURLOPT_TIMEOUT_MS, whole_milliseconds(running.call.timeout));
  }
  if (!running.call.body.empty()) {
    set_option(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(running.call.body.size()));
    set_option(easy, CURLOPT_POSTFIELDS, running.call.body.data());
  }
  add_line(running.lines, "Expect:");
  add_line(running.lines, "Content-Type: application/json");
  // A watch on a member without a majority ends by an error instead of being silent for ever.
  if (running.call.stream) add_line(running.lines, "Grpc-Metadata-hasleader: true");
  if (!running.call.token.empty()) add_line(running.lines, "Authorization: " + running.call.token);
  set_option(easy, CURLOPT_HTTPHEADER, running.lines.get());
}

}  // namespace

struct EtcdHttp::Inside {
  HttpTrust trust;
  std::unique_ptr<CURLM, DestroyMultiCall> multi;
  std::map<std::uint64_t, std::unique_ptr<Running>> running;  // goes before the other
  std::uint64_t last = 0;

  [[nodiscard]] std::uint64_t call_of(CURL* easy) const {
    for (const auto& [call, each] : running) {
      if (each->easy.get() == easy) return call;
    }
    return 0;
  }
  void collect(std::vector<HttpEvent>& events);
  [[nodiscard]] HttpEvent end(std::uint64_t call, CURLcode code);
};

EtcdHttp::EtcdHttp(HttpTrust trust) : inside_(std::make_unique<Inside>()) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  SACCADE_CHECK(ready == CURLE_OK);
  inside_->trust = std::move(trust);
  inside_->multi.reset(curl_multi_init());
  SACCADE_CHECK(inside_->multi);
}

EtcdHttp::~EtcdHttp() {
  while (!inside_->running.empty()) cancel(inside_->running.begin()->first);
}

std::uint64_t EtcdHttp::start(HttpCall call) {
  auto running = std::make_unique<Running>();
  running->call = std::move(call);
  running->easy.reset(curl_easy_init());
  SACCADE_CHECK(running->easy);
  prepare(*running, inside_->trust);
  [[maybe_unused]] const CURLMcode code = curl_multi_add_handle(inside_->multi.get(), running->easy.get());
  SACCADE_CHECK(code == CURLM_OK);
  inside_->running.emplace(++inside_->last, std::move(running));
  return inside_->last;
}

void EtcdHttp::cancel(std::uint64_t call) {
  const auto found = inside_->running.find(call);
  if (found == inside_->running.end()) return;
  curl_multi_remove_handle(inside_->multi.get(), found->second->easy.get());
  inside_->running.erase(found);
}

HttpEvent EtcdHttp::Inside::end(std::uint64_t call, CURLcode code) {
  Running& ended = *running.at(call);
  CURL* easy = ended.easy.get();
  HttpEvent event{call, true, true, 0, std::move(ended.data), ""};
  long status = 0;
  long sent = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(easy, CURLINFO_REQUEST_SIZE, &sent);
  event.sent = sent > 0;
  event.status = code == CURLE_OK || ended.call.stream ? static_cast<int>(status) : 0;
  if (code != CURLE_OK) event.fault = ended.words[0] != '\0' ? ended.words.data() : curl_easy_strerror(code);
  curl_multi_remove_handle(multi.get(), easy);
  running.erase(call);
  return event;
}

void EtcdHttp::Inside::collect(std::vector<HttpEvent>& events) {
  for (auto& [call, each] : running) {
    if (each->call.stream && !each->data.empty()) {
      long status = 0;
      curl_easy_getinfo(each->easy.get(), CURLINFO_RESPONSE_CODE, &status);
      events.push_back({call, false, true, static_cast<int>(status), std::exchange(each->data, {}), ""});
    }
  }
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    if (const std::uint64_t call = call_of(message->easy_handle); call != 0)
      events.push_back(end(call, code));
  }
}

std::vector<HttpEvent> EtcdHttp::poll(Duration most) {
  std::vector<HttpEvent> events;
  int count = 0;
  curl_multi_perform(inside_->multi.get(), &count);
  inside_->collect(events);
  if (!events.empty() || most <= Duration{}) return events;
  const auto wait = std::min<long>(whole_milliseconds(most), 1000);
  curl_multi_poll(inside_->multi.get(), nullptr, 0, static_cast<int>(wait), nullptr);
  curl_multi_perform(inside_->multi.get(), &count);
  inside_->collect(events);
  return events;
}

void EtcdHttp::wake() { curl_multi_wakeup(inside_->multi.get()); }

}  // namespace saccade::fleet_store
