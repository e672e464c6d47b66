#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/report/watching.hpp"
#include "app/verbs/fleet_ask.hpp"
#include "app/verbs/fleet_service.hpp"
#include "base/clock.hpp"

namespace saccade::app {
namespace {

using FleetJson = nlohmann::ordered_json;

constexpr int kNotFound = 404;
constexpr Duration kAskAgain = std::chrono::milliseconds(500);
constexpr Duration kLongestDrain = std::chrono::minutes(10);

void print_fleet_table(const FleetJson& list, const std::vector<std::pair<const char*, const char*>>& columns,
                       std::ostream& out) {
  std::vector<std::vector<std::string>> rows(1);
  for (const auto& [title, key] : columns) rows[0].emplace_back(title);
  for (const FleetJson& one : list) {
    rows.emplace_back();
    for (const auto& [title, key] : columns) rows.back().push_back(fleet_cell(one, key));
  }
  std::vector<std::size_t> widths(columns.size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i)
      out << row[i] << std::string(widths[i] + 2 - row[i].size(), ' ');
    out << row.back() << '\n';
  }
}

template <class Print>
int show_fleet(const FleetAsk& ask, const std::string& target, const Print& print) {
  const FleetAnswer answer = ask_fleet(ask, "GET", target);
  if (answer.exit_code != kExitOk) {
    print_refusal(answer, target, ask.err);
  } else if (ask.json) {
    ask.out << answer.text;
  } else {
    print(answer.body);
  }
  return answer.exit_code;
}

void print_fleet_status(const FleetJson& status, std::ostream& out) {
  const FleetJson store = status.value("store", FleetJson::object());
  const FleetJson plan = status.value("plan", FleetJson::object());
  const auto counts = [&](const char* key) {
    std::string text;
    const FleetJson by_name = status.value(key, FleetJson::object());
    for (const auto& [name, count] : by_name.items()) {
      text += (text.empty() ? "" : ", ") + count.dump() + " " + name;
    }
    return text.empty() ? std::string("none") : text;
  };
  out << "fleet    " << fleet_cell(status, "fleet") << ", planner " << fleet_cell(status, "planner")
      << (status.value("leads", false) ? ", leads" : ", stands by") << '\n'
      << "store    " << (store.value("connected", false) ? "answers" : "away: " + fleet_cell(store, "fault"))
      << '\n'
      << "boxes    " << counts("boxes") << '\n'
      << "cameras  " << counts("cameras") << '\n';
  if (!status.value("standby", FleetJson::object()).empty()) out << "standby  " << counts("standby") << '\n';
  out << "plan     " << fleet_cell(plan, "number");
  if (plan.contains("value"))
    out << ", value " << fleet_cell(plan, "value") << " of at most " << fleet_cell(plan, "bound");
  out << '\n';
  if (status.value("brake", false)) out << "brake    losses are held: saccade fleet release\n";
  for (const FleetJson& complaint : status.value("complaints", FleetJson::array())) {
    out << complaint.value("key", "") << ": " << complaint.value("detail", "") << '\n';
  }
}

int show_status(const FleetAsk& ask) {
  return show_fleet(ask, "/v1/fleet/status",
                    [&](const FleetJson& status) { print_fleet_status(status, ask.out); });
}

int status_or_watch(const FleetAsk& ask, const Invocation& call) {
  if (!call.has("watch")) {
    for (const std::string option : {"interval", "count"}) {
      if (call.has(option)) return usage_error("fleet status", "--" + option + " is of --watch", ask.err);
    }
    return show_status(ask);
  }
  Watching watching;
  if (const auto wrong = read_watching(call, "fleet status", ask.out, watching, ask.err)) return *wrong;
  return watch(watching, ask.out, [&](std::ostream& page) {
    return show_status({ask.endpoint, ask.json, page, ask.err});
  });
}

// The document of a box with another state.
int set_box_state(const FleetAsk& ask, const std::string& box, const char* state) {
  const std::string target = "/v1/fleet/boxes/" + box;
  const FleetAnswer known = ask_fleet(ask, "GET", target);
  if (known.exit_code != kExitOk) {
    print_refusal(known, box, ask.err);
    return known.exit_code;
  }
  const FleetAnswer answer = ask_fleet(ask, "PATCH", target, FleetJson{{"state", state}}.dump(), "*");
  if (answer.exit_code != kExitOk) print_refusal(answer, box, ask.err);
  if (answer.exit_code == kExitOk) ask.out << (ask.json ? answer.text : box + ": " + state + "\n");
  return answer.exit_code;
}

// Of the box's cameras: assigned to it, and served by it.
struct Remaining {
  std::size_t assigned = 0;
  std::size_t serving = 0;
  [[nodiscard]] std::size_t most() const { return std::max(assigned, serving); }
};

// Asks until nothing remains. A planner that does not answer is asked again: another one may take over.
int wait_for_empty(const FleetAsk& ask, const std::string& box, Duration timeout) {
  const SteadyClock clock;
  const TimePoint end = clock.now() + timeout;
  std::optional<Remaining> told;
  bool lost = false;  // what it said it serves is old
  for (;;) {
    std::ostringstream unsaid;
    const FleetAsk quiet{ask.endpoint, ask.json, ask.out, unsaid};
    const FleetAnswer answer = ask_fleet(quiet, "GET", "/v1/fleet/boxes/" + box);
    if (answer.status == kNotFound) {
      print_refusal(answer, box, ask.err);
      return answer.exit_code;
    }
    if (answer.exit_code == kExitOk) {
      lost = answer.body.value("health", "") == "lost";
      const Remaining now{answer.body.value("cameras", std::size_t{0}),
                          lost ? 0 : answer.body.value("serving", std::size_t{0})};
      if (now.most() == 0) break;
      if (!told || told->most() != now.most()) ask.err << box << ": " << now.most() << " cameras left\n";
      told = now;
    }
    if (clock.now() >= end) {
      ask.err << box << ": is not empty: "
              << (told ? std::to_string(told->most()) + " cameras are left" : "no planner answered") << '\n';
      return told ? kExitFailed : kExitUnavailable;
    }
    std::this_thread::sleep_for(kAskAgain);
  }
  if (!ask.json)
    ask.out << box
            << (lost ? ": has no cameras; it is lost, and may serve those it had\n" : ": serves nothing\n");
  return kExitOk;
}

int drain_box(const FleetAsk& ask, const Invocation& call) {
  const std::string& box = call.arguments()[0];
  Duration timeout = kLongestDrain;
  if (const auto time = call.value("timeout")) {
    const auto duration = duration_from(*time);
    if (!duration)
      return usage_error("fleet drain", std::string("--timeout takes ") + kDurationWords, ask.err);
    if (!call.has("wait")) return usage_error("fleet drain", "--timeout is of --wait", ask.err);
    timeout = *duration;
  }
  const int done = set_box_state(ask, box, "draining");
  return done == kExitOk && call.has("wait") ? wait_for_empty(ask, box, timeout) : done;
}

int box_state_verb(const char* name, const char* about, const char* state, const VerbArguments& args,
                   std::ostream& out, std::ostream& err) {
  return with_planner(fleet_spec(name, "BOX", about, 1), args, out, err,
                      [&](const FleetAsk& ask, const Invocation& call) {
                        return set_box_state(ask, call.arguments()[0], state);
                      });
}

}  // namespace

int verb_fleet_status(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  CommandSpec spec = fleet_spec("fleet status", "", "What the fleet serves, and who leads.", 0);
  spec.options.push_back({"watch", "", "again and again"});
  spec.options.push_back({"interval", "TIME", "with --watch: how often (default: 1s)"});
  spec.options.push_back({"count", "N", "with --watch: how many times (default: until it is stopped)"});
  return with_planner(spec, args, out, err, status_or_watch);
}

int verb_fleet_boxes(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  return with_planner(fleet_spec("fleet boxes", "", "The boxes: whether they live, and what they serve.", 0),
                      args, out, err, [&](const FleetAsk& ask, const Invocation&) {
                        return show_fleet(ask, "/v1/fleet/boxes", [&](const FleetJson& body) {
                          print_fleet_table(body.at("boxes"),
                                            {{"box", "id"},
                                             {"state", "state"},
                                             {"health", "health"},
                                             {"cameras", "cameras"},
                                             {"serving", "serving"},
                                             {"labels", "labels"}},
                                            out);
                        });
                      });
}

int verb_fleet_cameras(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  return with_planner(
      fleet_spec("fleet cameras", "", "The cameras: where they are, and whether they are served.", 0), args,
      out, err, [&](const FleetAsk& ask, const Invocation&) {
        return show_fleet(ask, "/v1/fleet/cameras", [&](const FleetJson& body) {
          print_fleet_table(body.at("cameras"),
                            {{"camera", "id"},
                             {"network", "network"},
                             {"box", "box"},
                             {"epoch", "epoch"},
                             {"status", "status"},
                             {"moves to", "moves_to"},
                             {"reason", "reason"}},
                            out);
        });
      });
}

int verb_fleet_cordon(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  return box_state_verb("fleet cordon", "A box keeps its cameras and takes no others.", "cordoned", args, out,
                        err);
}
int verb_fleet_uncordon(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  return box_state_verb("fleet uncordon", "A box serves and takes cameras again.", "active", args, out, err);
}
int verb_fleet_drain(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  CommandSpec spec =
      fleet_spec("fleet drain", "BOX", "The cameras of a box move elsewhere, where they fit.", 1);
  spec.options.push_back({"wait", "", "until the box serves nothing any more"});
  spec.options.push_back({"timeout", "TIME", "with --wait: exit code 1 if it still does then (10m)"});
  return with_planner(spec, args, out, err, drain_box);
}

int verb_fleet_retire(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  return box_state_verb("fleet retire",
                        "A box serves nothing any more: its cameras move elsewhere, where they fit, and no "
                        "plan counts on it.",
                        "retired", args, out, err);
}

int verb_fleet_release(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  return with_planner(
      fleet_spec("fleet release", "", "Releases the brake: what it holds is lost, and goes elsewhere.", 0),
      args, out, err, [&](const FleetAsk& ask, const Invocation&) {
        const FleetAnswer answer = ask_fleet(ask, "POST", "/v1/fleet/release");
        if (answer.exit_code != kExitOk) print_refusal(answer, "release", err);
        return answer.exit_code;
      });
}

}  // namespace saccade::app
