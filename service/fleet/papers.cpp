#include "service/fleet/papers.hpp"

#include <algorithm>

namespace saccade::service {
namespace {

constexpr Duration kWriteAgain = std::chrono::milliseconds(500);

namespace ask = fleet_store::request;

}  // namespace

void Papers::hold(const std::string& key, std::int64_t created, TimePoint now) {
  if (holds_ && created == created_) return;
  holds_ = true;
  key_ = key;
  created_ = created;
  at_ = documents_.begin();
  again_ = now;
  step(now);
}

void Papers::replace(const std::map<std::string, std::string>& documents, TimePoint now) {
  for (const auto& [key, text] : documents) {
    std::string& known = documents_[key];
    if (known == text) continue;
    known = text;
    changed_ = true;
  }
  step(now);
}

void Papers::list() {
  request_ = number_();
  fleet_store::Numbered& asked = requests_.emplace_back();
  asked.number = request_;
  asked.request = ask::List{at_->first, false};
}

void Papers::write(std::int64_t replaces) {
  using fleet_store::Compare;
  request_ = number_();
  requests_.push_back({request_, ask::Commit{{{key_, Compare::What::created, created_},
                                              {at_->first, Compare::What::changed, replaces}},
                                             {{at_->first, at_->second}},
                                             {}}});
}

bool Papers::on(const fleet_store::Event& event, TimePoint now) {
  if (request_ == 0 || event.request != request_) return false;
  request_ = 0;
  again_ = now;
  if (const auto* listed = std::get_if<fleet_store::answer::Listed>(&event.answer)) {
    if (listed->entries.empty()) {
      write(0);
    } else if (listed->entries.front().value != at_->second) {
      write(listed->entries.front().changed);
    } else {
      ++at_;
    }
  } else {
    const auto* done = std::get_if<fleet_store::answer::Committed>(&event.answer);
    if (done == nullptr || !done->done) again_ = now + kWriteAgain;  // listed again, to see what is there
  }
  step(now);
  return true;
}

void Papers::step(TimePoint now) {
  if (changed_ && holds_ && request_ == 0) {
    changed_ = false;
    at_ = documents_.begin();
    again_ = std::min(again_, now);
  }
  if (holds_ && request_ == 0 && at_ != documents_.end() && now >= again_) list();
}

std::optional<TimePoint> Papers::next() const {
  if (!holds_ || request_ != 0 || (at_ == documents_.end() && !changed_)) return std::nullopt;
  return again_;
}

}  // namespace saccade::service
