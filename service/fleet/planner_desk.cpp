#include "service/fleet/planner_desk.hpp"

#include <charconv>

namespace saccade::service {
namespace {

using Outcome = FleetOutcome::Kind;

// The store is connected while it has answered within this time; a planner pays its lease more often.
constexpr Duration kStoreIsSilent = std::chrono::seconds(5);

// The revision in "\"123\""; -1: none that a document has.
std::int64_t revision_of(const std::string& etag) {
  if (etag.empty()) return 0;
  std::int64_t revision = -1;
  if (etag.size() < 3 || etag.front() != '"' || etag.back() != '"') return -1;
  const char* const end = etag.data() + etag.size() - 1;
  const auto read = std::from_chars(etag.data() + 1, end, revision);
  return read.ec == std::errc{} && read.ptr == end && revision > 0 ? revision : -1;
}

}  // namespace

PlannerDesk::PlannerDesk(const fleet_store::PlannerLinkSettings& settings,
                         const std::filesystem::path& folder)
    : keys_(settings.fleet),
      settings_(settings),
      reader_(settings.fleet, folder),
      link_(settings, [this](const auto& entries) { return reader_.read(entries); }) {}

void PlannerDesk::on(const fleet_store::Event& event, TimePoint now) {
  const auto found = changes_.find(event.request);
  if (found == changes_.end()) {
    link_.on(event, now);
    return;
  }
  const std::function<void(FleetOutcome)> done = std::move(found->second);
  changes_.erase(found);
  FleetOutcome outcome{Outcome::unknown};
  if (const auto* committed = std::get_if<fleet_store::answer::Committed>(&event.answer)) {
    outcome = {committed->done ? Outcome::accepted : Outcome::stale, committed->revision};
  } else if (const auto* failed = std::get_if<fleet_store::answer::Failed>(&event.answer)) {
    const bool unknown = failed->outcome == fleet_store::answer::Outcome::unknown;
    outcome.kind = unknown ? Outcome::unknown : Outcome::unavailable;
  }
  done(outcome);
}

void PlannerDesk::change(const FleetChange& change, std::function<void(FleetOutcome)> done, TimePoint now) {
  if (!link_.session().mirrored() || now - link_.session().last_answer() > kStoreIsSilent) {
    done({Outcome::unavailable});
    return;
  }
  const bool release = change.kind == FleetKind::release;
  const std::string kind = change.kind == FleetKind::box ? "box" : "camera";
  if (!release && change.text) {
    Errors errors = reader_.mistakes(link_.session().mirror(), kind, change.id, *change.text);
    if (!errors.empty()) {
      done({Outcome::invalid, 0, std::move(errors)});
      return;
    }
  }
  const std::string key = release         ? keys_.release()
                          : kind == "box" ? keys_.box(change.id)
                                          : keys_.camera(change.id);
  fleet_store::request::Commit commit;
  if (change.only_if) {
    const std::int64_t revision = revision_of(*change.only_if);
    if (revision < 0) {
      done({Outcome::stale});
      return;
    }
    commit.compares.push_back({key, fleet_store::Compare::What::changed, revision});
  }
  if (release || change.text) {
    commit.puts.push_back({key, release ? "{}" : *change.text});
  } else {
    commit.deletions.push_back(key);
  }
  const std::uint64_t number = link_.new_number();
  changes_.emplace(number, std::move(done));
  requests_.push_back({number, std::move(commit)});
}

std::vector<fleet_store::Numbered> PlannerDesk::take_requests() {
  std::vector<fleet_store::Numbered> requests = link_.take_requests();
  for (fleet_store::Numbered& request : requests_) requests.push_back(std::move(request));
  requests_.clear();
  return requests;
}

std::vector<Probe> PlannerDesk::take_probes() {
  std::vector<Probe> probes;
  for (const fleet::BoxId& box : link_.take_probes()) {
    const auto url = reader_.livez().find(box.str());
    if (url != reader_.livez().end()) probes.push_back({box, url->second});
  }
  return probes;
}

FleetPicture PlannerDesk::picture(const std::string& fault, TimePoint now) const {
  PlannerFacts facts;
  facts.fleet = settings_.fleet;
  facts.planner = settings_.planner;
  facts.connected =
      link_.session().mirrored().has_value() && now - link_.session().last_answer() <= kStoreIsSilent;
  if (!facts.connected) facts.fault = fault.empty() ? "the store does not answer" : fault;
  facts.complaints = reader_.complaints();
  return picture_of(link_, facts);
}

}  // namespace saccade::service
