#include "results/socket/socket_sink.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <utility>

#include "results/record.hpp"

namespace saccade::results {
namespace {

constexpr Duration kBetweenAttempts = std::chrono::seconds(1);

std::string lost_notice(std::int64_t lost) {
  return lost > 0 ? R"({"format":"saccade-lost/1","lost":)" + std::to_string(lost) + "}\n" : "";
}

// Reads what a reader says, of which nobody wants anything; false: it will say nothing more.
bool says_more(int reader) {
  std::array<char, 4096> bytes;
  const ssize_t got = ::recv(reader, bytes.data(), bytes.size(), MSG_DONTWAIT);
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

}  // namespace

SocketSink::SocketSink(const SocketSettings& settings, std::string node)
    : node_(std::move(node)),
      door_(settings),
      ring_(settings.queue, static_cast<std::size_t>(std::max(1, settings.readers))) {
  thread_ = std::thread([this] {
    ::pthread_setname_np(::pthread_self(), "saccade-socket");
    run();
  });
}

SocketSink::~SocketSink() {
  {
    const Lock lock(mutex_);
    end_by_ = clock_.now() + to_duration(Seconds(kEndSeconds));
  }
  bell_.ring();
  thread_.join();
  for (const auto& [reader, out] : readers_) ::close(reader);
}

void SocketSink::take(const std::shared_ptr<const Result>& result) {
  {
    const Lock lock(mutex_);
    ring_.take(result);
  }
  bell_.ring();
}

SinkAccount SocketSink::account() const {
  const Lock lock(mutex_);
  return ring_.account();
}

void SocketSink::run() {
  listen();
  while (!is_over()) {
    wait();
    if (try_again_ && clock_.now() >= *try_again_) listen();
    for (auto& [reader, out] : readers_) {
      if (!out.waits) serve(reader, out);
    }
    for (const int reader : std::exchange(leaving_, {})) part_with(reader);
  }
  door_.close();
  const Lock lock(mutex_);
  ring_.give_up();
}

bool SocketSink::is_over() {
  const Lock lock(mutex_);
  return end_by_ && (ring_.is_settled() || clock_.now() >= *end_by_);
}

void SocketSink::listen() {
  const Status listens = door_.open();
  try_again_ = listens ? std::nullopt : std::optional(clock_.now() + kBetweenAttempts);
  const Lock lock(mutex_);
  ring_.set_state(listens.ok(), listens ? "" : to_string(listens.errors().front()));
}

void SocketSink::wait() {
  if (full_until_ && clock_.now() >= *full_until_) full_until_.reset();
  // -1: not polled
  std::vector<pollfd> files{{bell_.file(), POLLIN, 0}, {full_until_ ? -1 : door_.file(), POLLIN, 0}};
  for (const auto& [reader, out] : readers_) {
    const int wanted = (out.silent ? 0 : POLLIN) | (out.waits ? POLLOUT : 0);
    files.push_back({reader, static_cast<short>(wanted), 0});
  }
  std::optional<TimePoint> wake = try_again_ ? try_again_ : full_until_;
  {
    const Lock lock(mutex_);
    if (end_by_) wake = wake ? std::min(*wake, *end_by_) : *end_by_;
  }
  using std::chrono::milliseconds;
  const auto left = wake ? std::chrono::ceil<milliseconds>(*wake - clock_.now()).count() : -1;
  ::poll(files.data(), files.size(), wake ? static_cast<int>(std::max<std::int64_t>(left, 0)) : -1);
  if ((files[0].revents & POLLIN) != 0) bell_.silence();
  for (std::size_t i = 2; i < files.size(); ++i) {
    Out& out = readers_.at(files[i].fd);
    if ((files[i].revents & POLLOUT) != 0) out.waits = false;
    if ((files[i].revents & (POLLHUP | POLLERR)) != 0) {
      leaving_.push_back(files[i].fd);
    } else if ((files[i].revents & POLLIN) != 0) {
      out.silent = !says_more(files[i].fd);
    }
  }
  for (const int reader : std::exchange(leaving_, {})) part_with(reader);
  if ((files[1].revents & POLLIN) != 0) welcome();
}

void SocketSink::welcome() {
  for (int reader = door_.accept(); reader >= 0; reader = door_.accept()) {
    const Lock lock(mutex_);
    if (ring_.join(reader)) {
      readers_.try_emplace(reader);
    } else {
      ::close(reader);
    }
  }
  const bool nobody_else = errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
  if (!nobody_else) full_until_ = clock_.now() + kBetweenAttempts;
}

void SocketSink::part_with(int reader) {
  readers_.erase(reader);
  {
    const Lock lock(mutex_);
    ring_.leave(reader);
  }
  ::close(reader);
}

// False: nothing waits for it.
bool SocketSink::fill(int reader, Out& out) {
  ReaderRing::Next next;
  {
    const Lock lock(mutex_);
    next = ring_.next(reader);
  }
  out = {lost_notice(next.lost), std::move(next.line), 0, false, out.silent};
  if (out.line && out.line->text.empty()) {
    out.line->text = record_of(*out.line->result, node_) + '\n';
    const Lock lock(mutex_);
    ring_.written(reader, out.line->text.size());
  }
  return out.line != nullptr || !out.notice.empty();
}

void SocketSink::serve(int reader, Out& out) {
  for (;;) {
    const std::string_view line = out.line ? std::string_view(out.line->text) : std::string_view();
    const std::size_t whole = out.notice.size() + line.size();
    if (out.at == whole) {
      if (out.line) {
        const Lock lock(mutex_);
        ring_.got(reader, monotonic_now());
      }
      if (!fill(reader, out)) return;
      continue;
    }
    const std::string_view rest = out.at < out.notice.size() ? std::string_view(out.notice).substr(out.at)
                                                             : line.substr(out.at - out.notice.size());
    const ssize_t sent = ::send(reader, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      out.at += static_cast<std::size_t>(sent);
      continue;
    }
    out.waits = sent < 0 && errno == EAGAIN;
    if (!out.waits && errno != EINTR) leaving_.push_back(reader);
    if (errno != EINTR) return;
  }
}

}  // namespace saccade::results
