#include "service/live/sink_watch.hpp"

namespace saccade::service {

std::vector<SinkNews> SinkWatch::look(const std::vector<results::DeliveryAccount>& accounts) {
  std::vector<SinkNews> news;
  for (const results::DeliveryAccount& account : accounts) {
    if (!account.fault.empty() && failing_.insert(account.id).second) {
      news.push_back({account.id, true, account.fault});
    }
    if (account.fault.empty() && failing_.erase(account.id) > 0) news.push_back({account.id, false, ""});
  }
  return news;
}

}  // namespace saccade::service
