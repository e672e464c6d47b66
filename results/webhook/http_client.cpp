#include "results/webhook/http_client.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>

#include "base/check.hpp"

namespace saccade::results {
namespace {

constexpr std::size_t kMostAnswerBytes = 64 * 1024;  // of a body that nobody reads

struct DestroyEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct DestroyMulti {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
struct DestroyList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, DestroyList>;

void add_header(HeaderList& list, const std::string& line) {
  curl_slist* longer = curl_slist_append(list.get(), line.c_str());
  SACCADE_CHECK(longer != nullptr);
  [[maybe_unused]] curl_slist* same = list.release();
  list.reset(longer);
}

std::size_t count_bytes(char*, std::size_t size, std::size_t count, void* total) {
  auto& bytes = *static_cast<std::size_t*>(total);
  bytes += size * count;
  return bytes <= kMostAnswerBytes ? size * count : 0;
}

template <class Value>
void set(CURL* easy, CURLoption option, Value value) {
  [[maybe_unused]] const CURLcode code = curl_easy_setopt(easy, option, value);
}

long milliseconds(Duration time) {
  const auto count = std::chrono::ceil<std::chrono::milliseconds>(time).count();
  return static_cast<long>(std::max<std::int64_t>(count, 1));
}

}  // namespace

struct HttpClient::Inside {
  std::unique_ptr<CURLM, DestroyMulti> multi;
  std::unique_ptr<CURL, DestroyEasy> easy;  // goes before the other
  std::array<char, CURL_ERROR_SIZE> words{};
  std::size_t bytes = 0;  // of the answer's body
  std::atomic<bool> stopped{false};

  // What the library reports in the end; nothing: stopped.
  [[nodiscard]] std::optional<CURLcode> perform();
};

HttpClient::HttpClient(const std::string& url, const std::string& ca_file)
    : inside_(std::make_unique<Inside>()) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  SACCADE_CHECK(ready == CURLE_OK);
  inside_->multi.reset(curl_multi_init());
  inside_->easy.reset(curl_easy_init());
  SACCADE_CHECK(inside_->multi && inside_->easy);
  CURL* easy = inside_->easy.get();
  set(easy, CURLOPT_URL, url.c_str());
  set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(easy, CURLOPT_FOLLOWLOCATION, 0L);
  set(easy, CURLOPT_PROXY, "");
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_QUICK_EXIT, 1L);  // a name server that does not answer is not waited for
  set(easy, CURLOPT_USERAGENT, "saccade");
  set(easy, CURLOPT_ERRORBUFFER, inside_->words.data());
  set(easy, CURLOPT_WRITEFUNCTION, &count_bytes);
  set(easy, CURLOPT_WRITEDATA, &inside_->bytes);
  if (!ca_file.empty()) set(easy, CURLOPT_CAINFO, ca_file.c_str());
}

HttpClient::~HttpClient() = default;

std::optional<CURLcode> HttpClient::Inside::perform() {
  constexpr int kLongestPoll = 1000;  // ms; stop() ends it
  while (!stopped) {
    int running = 0;
    if (curl_multi_perform(multi.get(), &running) != CURLM_OK) return CURLE_FAILED_INIT;
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi.get(), &left)) {
      if (message->msg == CURLMSG_DONE) return message->data.result;
    }
    if (curl_multi_poll(multi.get(), nullptr, 0, kLongestPoll, nullptr) != CURLM_OK) return CURLE_FAILED_INIT;
  }
  return std::nullopt;
}

HttpAnswer HttpClient::post(const HttpMessage& message, Duration timeout) {
  CURL* easy = inside_->easy.get();
  HeaderList headers;
  add_header(headers, "Expect:");
  for (const std::string& line : message.headers) add_header(headers, line);
  inside_->words[0] = '\0';
  inside_->bytes = 0;
  set(easy, CURLOPT_HTTPHEADER, headers.get());
  set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(message.body.size()));
  set(easy, CURLOPT_POSTFIELDS, message.body.data());
  set(easy, CURLOPT_TIMEOUT_MS, milliseconds(timeout));
  set(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(timeout));
  if (curl_multi_add_handle(inside_->multi.get(), easy) != CURLM_OK) return {0, "no request can be made", {}};
  const std::optional<CURLcode> code = inside_->perform();
  long status = 0;
  curl_off_t retry_after = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &retry_after);
  curl_multi_remove_handle(inside_->multi.get(), easy);
  if (!code) return {0, "the program ends", {}};
  // A body that is longer than anybody reads belongs to an answer all the same.
  const bool is_long = *code == CURLE_WRITE_ERROR && inside_->bytes > kMostAnswerBytes;
  if (*code != CURLE_OK && !is_long) {
    return {0, inside_->words[0] != '\0' ? inside_->words.data() : curl_easy_strerror(*code), {}};
  }
  constexpr curl_off_t kDay = 86'400;
  return {static_cast<int>(status), "", std::chrono::seconds(std::clamp<curl_off_t>(retry_after, 0, kDay))};
}

void HttpClient::stop() {
  inside_->stopped = true;
  curl_multi_wakeup(inside_->multi.get());
}

}  // namespace saccade::results
