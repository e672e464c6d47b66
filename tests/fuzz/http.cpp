// Any bytes on a connection are answered with what HTTP/1.1 allows, errors as problems, or the connection is
// closed; a change is made exactly where 202 says so, and nothing of the connection is left. The session
// is the server's own (service/http/http_session.hpp), on one end of a socket pair.
#include "service/http/http_session.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/check.hpp"
#include "bench/service/connection.hpp"
#include "tests/support/fake_service.hpp"

namespace {

using namespace saccade;
using service::HttpSession;

// Everything that the session answers to `bytes`; afterwards it is gone.
std::string answers_to(std::string_view bytes, test::FakeService& service) {
  static service::EventFeed feed{4};
  int ends[2];
  SACCADE_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
  const service::Access access{{"", "127.0.0.1", 8080}};
  service::HttpShared shared{service::Api(service, access), feed, service.results(), {}};
  std::string answers;
  {
    boost::asio::io_context context{1};
    service::LateAnswers late(context, {});
    shared.late = &late;
    std::make_shared<HttpSession>(HttpSession::Socket(context, {AF_UNIX, 0}, ends[1]), shared)->start();
    bool closed = false;
    while (!closed) {
      const ssize_t sent = bytes.empty() ? 0 : send(ends[0], bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
      if (sent < 0 && errno != EAGAIN) bytes = {};  // it does not want any more
      if (bytes.empty()) shutdown(ends[0], SHUT_WR);
      context.restart();  // it counts as stopped while an answer is still to come
      context.poll();
      char buffer[65536];
      ssize_t count = 0;
      while ((count = recv(ends[0], buffer, sizeof buffer, 0)) > 0) {
        answers.append(buffer, static_cast<std::size_t>(count));
      }
      closed = count == 0 || errno != EAGAIN;
    }
    close(ends[0]);
    late.stop_work();
    context.restart();
    context.poll();
    SACCADE_CHECK(shared.sessions.empty() && shared.streams == 0);
  }
  return answers;
}

// How many of them say that a change was made.
std::size_t accepted(std::string answers) {
  std::size_t count = 0;
  while (!answers.empty()) {
    // A stream of events has no length; nothing follows it.
    if (answers.substr(0, answers.find("\r\n\r\n")).find("text/event-stream") != std::string::npos) break;
    bench::HttpAnswer answer;
    SACCADE_CHECK(bench::take_answer(answers, answer) == bench::Reading::answer);
    if (answer.status == 202) ++count;
    if (answer.status < 400) continue;
    SACCADE_CHECK(answer.headers["content-type"] == "application/problem+json");
    SACCADE_CHECK(nlohmann::json::parse(answer.body).at("status") == answer.status);
  }
  return count;
}

bool may_change(const service::Change& change) {
  if (change.check_only || (change.only_if && *change.only_if != "\"v1\"")) return false;
  SACCADE_CHECK(change.kind != service::Change::Kind::task || change.task == "gate");
  SACCADE_CHECK(change.kind != service::Change::Kind::reload || change.text.empty());
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  test::FakeService service;
  service.verdict = runtime::PushVerdict::full;  // nobody would answer a frame
  const std::string answers = answers_to(bytes, service);
  // An answer to HEAD tells the length of a body that does not come.
  if (bytes.find("HEAD") != std::string_view::npos) return 0;
  const auto changes = std::count_if(service.changes.begin(), service.changes.end(), may_change);
  SACCADE_CHECK(accepted(answers) == static_cast<std::size_t>(changes));
  return 0;
}
