#include "service/live/sink_watch.hpp"

#include <utility>

namespace saccade::service {

std::vector<SinkNews> SinkWatch::look(const std::vector<results::DeliveryAccount>& accounts, TimePoint now) {
  std::vector<SinkNews> news;
  for (const results::DeliveryAccount& account : accounts) {
    Watched& sink = sinks_[account.id];
    const bool fails = !account.fault.empty();
    if (std::exchange(sink.fails, fails) != fails) ++sink.changes;
    std::erase_if(sink.news, [now](TimePoint at) { return now - at >= kWithin; });
    if (sink.changes == 0 || sink.news.size() == kMostNews) continue;
    const std::int64_t changes = std::exchange(sink.changes, 0);
    sink.news.push_back(now);
    news.push_back({account.id, fails, account.fault, changes - 1});
  }
  return news;
}

}  // namespace saccade::service
