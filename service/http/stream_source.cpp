#include "service/http/stream_source.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "results/record.hpp"

namespace saccade::service {
namespace {

constexpr std::size_t kEventsAtOnce = 64;
constexpr std::size_t kResultsAtOnce = 16;  // of 64 KiB at most

class EventStream final : public StreamSource {
 public:
  EventStream(EventFeed& feed, std::uint64_t after) : feed_(feed), last_(after) {}

  [[nodiscard]] std::string next() override {
    const EventFeed::Batch batch = feed_.read(last_, kEventsAtOnce);
    if (batch.events.empty()) return {};
    last_ = batch.events.back().number;
    std::string text;
    if (batch.lost > 0) text += "event: lost\ndata: {\"count\":" + std::to_string(batch.lost) + "}\n\n";
    for (const FeedEvent& event : batch.events) {
      text +=
          "id: " + std::to_string(event.number) + "\nevent: " + event.kind + "\ndata: " + event.json + "\n\n";
    }
    return text;
  }
  [[nodiscard]] std::string beat() const override { return ":\n\n"; }

 private:
  EventFeed& feed_;
  std::uint64_t last_;
};

// What passes the filter, of a record that shows anything that does; absent: nothing in it passes.
std::optional<results::Result> seen_through(const results::Result& result,
                                            const results::ObjectFilter& filter) {
  const auto passes = [&](const results::SeenObject& object) { return filter.passes(object); };
  if (std::none_of(result.objects.begin(), result.objects.end(), passes)) return std::nullopt;
  results::Result seen = result;
  std::erase_if(seen.objects, [&](const results::SeenObject& object) { return !passes(object); });
  std::erase_if(seen.presence, [&](const auto& present) { return !filter.wants_label(present.first); });
  return seen;
}

class ResultText final : public StreamSource {
 public:
  ResultText(ResultFeed& feed, const ResultStream& stream, std::function<void()> wake)
      : feed_(feed),
        lines_(stream.format == ResultFormat::lines),
        filter_(stream.filter),
        reader_(feed, stream.wanted, std::move(wake)) {}

  [[nodiscard]] std::string next() override {
    for (;;) {  // until something passes: a reader is woken once for all that waits
      const ResultFeed::Batch batch = reader_.read(kResultsAtOnce);
      std::string text = text_of(batch);
      if (!text.empty() || batch.entries.empty()) return text;
    }
  }
  [[nodiscard]] std::string beat() const override { return lines_ ? "\n" : ":\n\n"; }

 private:
  [[nodiscard]] std::string text_of(const ResultFeed::Batch& batch) const {
    std::string text;
    if (batch.lost > 0) {
      const std::string count = std::to_string(batch.lost);
      text += lines_ ? "{\"lost\":" + count + "}\n" : "event: lost\ndata: {\"count\":" + count + "}\n\n";
    }
    for (const ResultFeed::Entry& entry : batch.entries) {
      const bool all = !filter_.leaves_out_any();
      const std::optional<results::Result> seen = all ? std::nullopt : seen_through(*entry.result, filter_);
      if (!all && !seen) continue;
      if (!lines_) text += "id: " + std::to_string(entry.number) + "\nevent: result\ndata: ";
      text += results::record_of(seen ? *seen : *entry.result, feed_.node());
      text += lines_ ? "\n" : "\n\n";
    }
    return text;
  }

  ResultFeed& feed_;
  const bool lines_;
  const results::ObjectFilter filter_;
  ResultFeed::Reader reader_;
};

}  // namespace

std::unique_ptr<StreamSource> event_stream(EventFeed& feed, std::uint64_t after) {
  return std::make_unique<EventStream>(feed, after);
}

std::unique_ptr<StreamSource> result_stream(ResultFeed& feed, const ResultStream& stream,
                                            std::function<void()> wake) {
  return std::make_unique<ResultText>(feed, stream, std::move(wake));
}

}  // namespace saccade::service
