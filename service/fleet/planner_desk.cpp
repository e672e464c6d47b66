#include "service/fleet/planner_desk.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "fleet/control/situation.hpp"
#include "service/fleet/fleet_preview.hpp"
#include "service/fleet/fleet_text.hpp"
#include "text/object_reader.hpp"
#include "text/strict_json.hpp"

namespace saccade::service {
namespace {

using Outcome = FleetOutcome::Kind;
using fleet_store::Compare;

// The store is connected while it has answered within this time; a planner pays its lease more often.
constexpr Duration kStoreIsSilent = std::chrono::seconds(5);
constexpr double kLongestPin = 30.0 * 24.0 * 3600.0;  // seconds

// The revision in "\"123\""; -1: none that a document has.
std::int64_t revision_of(const std::string& etag) {
  if (etag.empty()) return 0;
  std::int64_t revision = -1;
  if (etag.size() < 3 || etag.front() != '"' || etag.back() != '"') return -1;
  const char* const end = etag.data() + etag.size() - 1;
  const auto read = std::from_chars(etag.data() + 1, end, revision);
  return read.ec == std::errc{} && read.ptr == end && revision > 0 ? revision : -1;
}

std::string document_key(const FleetChange& change) {
  if (change.kind == FleetKind::policy) return "policy";
  return (change.kind == FleetKind::box ? "box/" : "camera/") + change.id;
}

struct PinOrder {
  std::string box;
  std::optional<double> seconds;
};
Result<PinOrder> read_pin(const std::string& text) {
  text::JsonReport report("#", [](std::size_t, const std::string& pointer) { return "#" + pointer; });
  const std::optional<text::JsonValue> document = text::parse_json(text, report);
  PinOrder order;
  if (document) {
    text::ObjectReader reader({&*document, ""}, report);
    reader.accept("format");
    if (const auto box = reader.require("box")) order.box = text::read_id(*box, report).value_or("");
    reader.number("seconds", order.seconds, {1.0, false, kLongestPin});
  }
  if (!report.empty()) return report.errors();
  return order;
}

// What speaks against a camera being on a box.
Errors against_pin(const fleet::Problem& problem, const std::string& camera, const std::string& box) {
  const auto found = std::find_if(problem.cameras.begin(), problem.cameras.end(),
                                  [&](const fleet::Camera& each) { return each.task.id.str() == camera; });
  if (found == problem.cameras.end())
    return {{"#", "there is no camera " + text::in_quotes(camera), "`saccade fleet cameras` shows them"}};
  const auto at = std::find_if(problem.boxes.begin(), problem.boxes.end(),
                               [&](const fleet::Box& each) { return each.id.str() == box; });
  if (at == problem.boxes.end())
    return {{"#/box", "there is no box " + text::in_quotes(box), "`saccade fleet boxes` shows them"}};
  if (!allows(found->where, *at))
    return {{"#/box", "the camera may not be on this box", "change its `where`"}};
  if (!at->profiles.contains(found->network))
    return {{"#/box", "the box has no profile set of the camera's network", ""}};
  const bool serves = at->state == fleet::BoxState::active || at->state == fleet::BoxState::cordoned;
  if (!serves) return {{"#/box", std::string("the box is ") + to_string(at->state), ""}};
  return {};
}

}  // namespace

PlannerDesk::PlannerDesk(const fleet_store::PlannerLinkSettings& settings,
                         const std::filesystem::path& folder)
    : keys_(settings.fleet),
      settings_(settings),
      reader_(settings.fleet, folder),
      link_(settings, [this](const auto& entries) { return reader_.read(entries); }) {}

bool PlannerDesk::connected(TimePoint now) const {
  return link_.session().mirrored().has_value() && now - link_.session().last_answer() <= kStoreIsSilent;
}

void PlannerDesk::on(const fleet_store::Event& event, TimePoint now) {
  if (const auto sent = sent_.find(event.request); sent != sent_.end()) {
    times_.requests.add(now - sent->second);
    sent_.erase(sent);
  }
  const auto found = changes_.find(event.request);
  if (found == changes_.end()) {
    link_.on(event, now);
    return;
  }
  Pending pending = std::move(found->second);
  changes_.erase(found);
  answered(std::move(pending), event.answer);
}

void PlannerDesk::answered(Pending pending, const fleet_store::Answer& answer) {
  FleetOutcome& outcome = pending.outcome;
  const auto* granted = std::get_if<fleet_store::answer::Granted>(&answer);
  const auto* committed = std::get_if<fleet_store::answer::Committed>(&answer);
  const bool done = granted != nullptr || (committed != nullptr && committed->done);
  if (done && committed != nullptr) {
    outcome.revision = committed->revision;
    outcome.written += pending.documents;
  }
  if (done && !pending.rest.empty()) {
    fleet_store::request::Commit next = std::move(pending.rest.front());
    pending.rest.erase(pending.rest.begin());
    if (granted != nullptr) {
      next.puts.front().lease = granted->lease;
    } else {
      next.compares.front().revision = committed->revision;
    }
    submit(std::move(next), std::move(pending));
    return;
  }
  const auto* failed = std::get_if<fleet_store::answer::Failed>(&answer);
  if (done) {
    outcome.kind = Outcome::accepted;
  } else if (committed != nullptr) {
    outcome.kind = Outcome::stale;
  } else {
    const bool nothing = failed != nullptr && failed->outcome != fleet_store::answer::Outcome::unknown;
    outcome.kind = nothing ? Outcome::unavailable : Outcome::unknown;
  }
  pending.done(std::move(outcome));
}

void PlannerDesk::submit(fleet_store::Request request, Pending pending) {
  if (const auto* commit = std::get_if<fleet_store::request::Commit>(&request))
    pending.documents = commit->puts.size() + commit->deletions.size() - 1;
  const std::uint64_t number = link_.new_number();
  changes_.emplace(number, std::move(pending));
  requests_.push_back({number, std::move(request)});
}

// The document at this key, and with it the revision of the configuration.
fleet_store::request::Commit PlannerDesk::commit_of(const std::string& key,
                                                    const std::optional<std::string>& text) const {
  fleet_store::request::Commit commit;
  if (text) commit.puts.push_back({key, *text});
  if (!text) commit.deletions.push_back(key);
  commit.puts.push_back({keys_.configured(), "{\"format\": 1}"});
  return commit;
}

void PlannerDesk::change(const FleetChange& change, Done done, TimePoint now) {
  link_.read_configured(now);
  reader_.lay_again(link_.session().mirror());
  if (!connected(now)) {
    done({Outcome::unavailable});
  } else if (change.kind == FleetKind::release) {
    submit(fleet_store::request::Commit{{}, {{keys_.release(), "{}"}}, {}}, {std::move(done)});
  } else if (change.kind == FleetKind::all) {
    apply(change, std::move(done));
  } else if (change.kind == FleetKind::pin) {
    pin(change, std::move(done));
  } else {
    change_document(change, std::move(done));
  }
}

void PlannerDesk::change_document(const FleetChange& change, Done done) {
  const std::string name = document_key(change);
  const std::string key = keys_.root() + name;
  const auto known = link_.session().mirror().find(key);
  const bool is_known = known != link_.session().mirror().end();
  std::optional<std::string> text = change.text;
  std::optional<std::int64_t> replaces;
  if (change.patch) {
    const auto patch = store_json(change.text.value_or(""));
    if (!patch) {
      done({Outcome::invalid, 0, {{"#", "is no object of the format 1", ""}}});
      return;
    }
    auto merged = (is_known ? store_json(known->second.value) : std::nullopt)
                      .value_or(nlohmann::ordered_json::object());
    merged.merge_patch(*patch);
    merged["format"] = 1;
    text = merged.dump();
    replaces = is_known ? known->second.changed : 0;
  }
  if (text) {
    Errors errors = reader_.mistakes({{name, *text, "#"}});
    if (!errors.empty()) {
      done({Outcome::invalid, 0, std::move(errors)});
      return;
    }
  }
  if (change.only_if) replaces = revision_of(*change.only_if);
  if (replaces && *replaces < 0) {
    done({Outcome::stale});
    return;
  }
  fleet_store::request::Commit commit = commit_of(key, text);
  if (replaces) commit.compares.push_back({key, Compare::What::changed, *replaces});
  submit(std::move(commit), {std::move(done)});
}

void PlannerDesk::pin(const FleetChange& change, Done done) {
  const std::string key = keys_.pin(change.id);
  if (!change.text) {
    submit(commit_of(key, std::nullopt), {std::move(done)});
    return;
  }
  const Result<PinOrder> order = read_pin(*change.text);
  Errors errors = order ? against_pin(link_.view().problem, change.id, order.value().box) : order.errors();
  if (!errors.empty()) {
    done({Outcome::invalid, 0, std::move(errors)});
    return;
  }
  const nlohmann::ordered_json document = {{"format", 1}, {"box", order.value().box}};
  fleet_store::request::Commit commit = commit_of(key, document.dump());
  if (!order.value().seconds) {
    submit(std::move(commit), {std::move(done)});
    return;
  }
  // It hangs on a lease that nobody pays: the store's clock ends it, and no planner has to.
  const auto seconds = std::chrono::seconds(std::llround(*order.value().seconds));
  submit(fleet_store::request::Grant{seconds}, {std::move(done), {std::move(commit)}});
}

void PlannerDesk::apply(const FleetChange& change, Done done) {
  const StoreEntries& entries = link_.session().mirror();
  Result<FleetApplication> read = application_of(change.text.value_or(""), entries, keys_);
  if (!read) {
    done({Outcome::invalid, 0, read.errors()});
    return;
  }
  const FleetApplication& application = read.value();
  if (change.only_if && *change.only_if != "\"" + std::to_string(application.base) + "\"") {
    done({Outcome::stale});
    return;
  }
  Errors errors = application.errors;
  const Errors mistakes = reader_.mistakes(application.documents);
  errors.insert(errors.end(), mistakes.begin(), mistakes.end());
  if (!errors.empty()) {
    done({Outcome::invalid, 0, std::move(errors)});
    return;
  }
  FleetOutcome outcome{Outcome::accepted, application.base};
  outcome.show = [application](std::int64_t revision) { return application_text(application, revision); };
  if (change.dry_run) outcome.show = preview_of(application);
  if (change.dry_run || application.documents.empty()) {
    done(std::move(outcome));
    return;
  }
  Pending pending{std::move(done), transactions_of(application, entries, keys_), std::move(outcome)};
  fleet_store::request::Commit first = std::move(pending.rest.front());
  pending.rest.erase(pending.rest.begin());
  submit(std::move(first), std::move(pending));
}

std::function<std::string(std::int64_t)> PlannerDesk::preview_of(const FleetApplication& application) const {
  std::optional<fleet::Problem> wanted = reader_.with(application.documents);
  if (!wanted) {  // there is no box yet
    return [application](std::int64_t revision) { return application_text(application, revision); };
  }
  const fleet::FleetView& view = link_.view();
  const auto health = [&](const fleet::BoxId& box) {
    if (link_.planner() != nullptr) return link_.planner()->judge().health(box);
    return view.alive.contains(box) ? fleet::BoxHealth::alive : fleet::BoxHealth::silent;
  };
  const fleet::Whereabouts where = fleet::whereabouts(view.assigned);
  struct Question {
    FleetApplication application;
    fleet::Problem before;
    fleet::Problem after;
    fleet::PlanLimits limits;
  };
  auto question = std::make_shared<Question>();
  question->application = application;
  question->before = fleet::situation(view.problem, view.pins, where, health);
  question->after = fleet::situation(*std::move(wanted), view.pins, where, health);
  question->limits = settings_.decide.plan;
  // As many as may move within an hour.
  const fleet::Problem& wants = question->after;
  const auto budget = static_cast<std::size_t>(fleet::hourly_moves(wants.policy, wants.cameras.size()));
  std::optional<std::size_t>& most = question->after.policy.most_moves;
  most = std::min(most.value_or(budget), budget);
  return [question](std::int64_t revision) {
    const fleet::Preview found = fleet::preview(question->before, question->after, question->limits);
    return preview_text(question->application, revision, found);
  };
}

std::vector<fleet_store::Numbered> PlannerDesk::take_requests(TimePoint now) {
  std::vector<fleet_store::Numbered> requests = link_.take_requests();
  for (fleet_store::Numbered& request : requests_) requests.push_back(std::move(request));
  requests_.clear();
  for (const fleet_store::Numbered& each : requests) {
    const bool ends = !std::holds_alternative<fleet_store::request::Watch>(each.request) &&
                      !std::holds_alternative<fleet_store::request::EndWatch>(each.request);
    if (ends) sent_[each.number] = now;
  }
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

std::vector<FleetEvent> PlannerDesk::look(TimePoint now, double seconds) {
  return chronicle_.observe(link_, connected(now), seconds);
}

void PlannerDesk::take_times() {
  const fleet::PlannerTimes taken = link_.take_times();
  for (const Duration time : taken.plans) times_.plans.add(time);
  for (const Duration time : taken.ended.moves) times_.moves.add(time);
  for (const Duration time : taken.ended.failovers) times_.failovers.add(time);
}

FleetPicture PlannerDesk::picture(const std::string& fault, TimePoint now) {
  const Duration since = now - painted_at_.value_or(now);
  unserved_seconds_ += static_cast<double>(unserved_) * to_seconds(since).value();
  painted_at_ = now;
  take_times();
  PlannerFacts facts;
  facts.fleet = settings_.fleet;
  facts.planner = settings_.planner;
  facts.connected = connected(now);
  if (!facts.connected) facts.fault = fault.empty() ? "the store does not answer" : fault;
  facts.complaints = reader_.complaints();
  for (Error& error : link_.complaints()) facts.complaints.push_back(std::move(error));
  facts.chronicle = &chronicle_;
  facts.unserved_seconds = unserved_seconds_;
  facts.times = &times_;
  FleetPicture picture = picture_of(link_, facts);
  unserved_ = picture.unserved;
  return picture;
}

}  // namespace saccade::service
