#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/verbs/api_options.hpp"
#include "app/verbs/fleet_service.hpp"
#include "text/text_file.hpp"

namespace saccade::app {
namespace {

using FleetJson = nlohmann::ordered_json;

const OptionSpec kFleetJsonOption{"json", "", "the planner's answer as it is"};
const char* const kFleetCodes =
    "Asks a planner over its API. Exit codes: 0 done, 1 the planner says no, 69 no planner answers, 78 what "
    "is "
    "sent is wrong.";

struct FleetAsk {
  service::ApiEndpoint endpoint;
  bool json = false;
  std::ostream& out;
  std::ostream& err;
};

struct FleetAnswer {
  int exit_code = kExitOk;
  int status = 0;
  FleetJson body;
  std::string text;
};

FleetAnswer ask_fleet(const FleetAsk& ask, const std::string& method, const std::string& target,
                      const std::string& body = {}) {
  const Result<service::ApiAnswer> answer = service::ask_api(ask.endpoint, method, target, body);
  if (!answer) {
    print_errors(answer.errors(), ask.err);
    return {kExitUnavailable, 0, {}, ""};
  }
  FleetAnswer asked{kExitOk, answer.value().status, FleetJson::parse(answer.value().body, nullptr, false),
                    answer.value().body};
  if (asked.status >= 300) asked.exit_code = asked.status == 422 ? kExitConfig : kExitFailed;
  if (!asked.body.is_object()) asked.exit_code = kExitFailed;
  return asked;
}

// What a planner complained about.
void print_refusal(const FleetAnswer& answer, const std::string& what, std::ostream& err) {
  if (answer.status == 0) return;  // said already
  const std::string detail = answer.body.is_object() ? answer.body.value("detail", "") : std::string();
  err << what << ": " << (detail.empty() ? "the planner answers " + std::to_string(answer.status) : detail)
      << '\n';
  if (!answer.body.is_object() || !answer.body.contains("errors")) return;
  for (const FleetJson& error : answer.body.at("errors")) {
    err << what << ' ' << error.value("pointer", "") << ": " << error.value("detail", "") << '\n';
    if (error.contains("hint")) err << "    " << error.value("hint", "") << '\n';
  }
}

std::string cell(const FleetJson& json, const char* key) {
  if (!json.contains(key) || json.at(key).is_null()) return "-";
  const FleetJson& value = json.at(key);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void print_fleet_table(const FleetJson& list, const std::vector<std::pair<const char*, const char*>>& columns,
                       std::ostream& out) {
  std::vector<std::vector<std::string>> rows(1);
  for (const auto& [title, key] : columns) rows[0].emplace_back(title);
  for (const FleetJson& one : list) {
    rows.emplace_back();
    for (const auto& [title, key] : columns) rows.back().push_back(cell(one, key));
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

CommandSpec fleet_spec(const char* name, const char* arguments, const char* about, std::size_t count) {
  return {name,  arguments, about,      {kApiUrl, kApiSocket, kApiCa, kApiTokenFile, kFleetJsonOption},
          count, count,     kFleetCodes};
}

// The command line of a verb that asks a planner; `run` gets what it is to do.
template <class Run>
int with_planner(const CommandSpec& spec, const VerbArguments& args, std::ostream& out, std::ostream& err,
                 const Run& run) {
  const Invocation call = parse_command_line(spec, args, out, err);
  if (call.exit_code()) return *call.exit_code();
  FleetAsk ask{{}, call.has("json"), out, err};
  if (const auto wrong = read_endpoint(call, spec.verb.c_str(), ask.endpoint, err)) return *wrong;
  try {
    return run(ask, call);
  } catch (const FleetJson::exception&) {  // JSON, but not what this API says
    err << "saccade fleet: what answers there is no planner of this version\n";
    return kExitFailed;
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
  out << "fleet    " << cell(status, "fleet") << ", planner " << cell(status, "planner")
      << (status.value("leads", false) ? ", leads" : ", stands by") << '\n'
      << "store    " << (store.value("connected", false) ? "answers" : "away: " + cell(store, "fault"))
      << '\n'
      << "boxes    " << counts("boxes") << '\n'
      << "cameras  " << counts("cameras") << '\n'
      << "plan     " << cell(plan, "number");
  if (plan.contains("value"))
    out << ", value " << cell(plan, "value") << " of at most " << cell(plan, "bound");
  out << '\n';
  if (status.value("brake", false)) out << "brake    losses are held: saccade fleet release\n";
  for (const FleetJson& complaint : status.value("complaints", FleetJson::array())) {
    out << complaint.value("key", "") << ": " << complaint.value("detail", "") << '\n';
  }
}

// The document of a box with another state.
int set_box_state(const FleetAsk& ask, const std::string& box, const char* state) {
  const std::string target = "/v1/fleet/boxes/" + box;
  const FleetAnswer known = ask_fleet(ask, "GET", target);
  if (known.exit_code != kExitOk) {
    print_refusal(known, box, ask.err);
    return known.exit_code;
  }
  FleetJson document = known.body.value("configured", FleetJson::object());
  if (!document.is_object()) document = FleetJson::object();
  document["format"] = 1;
  document["state"] = state;
  const FleetAnswer answer = ask_fleet(ask, "PUT", target, document.dump());
  if (answer.exit_code != kExitOk) print_refusal(answer, box, ask.err);
  if (answer.exit_code == kExitOk) ask.out << (ask.json ? answer.text : box + ": " + state + "\n");
  return answer.exit_code;
}

int box_state_verb(const char* name, const char* about, const char* state, const VerbArguments& args,
                   std::ostream& out, std::ostream& err) {
  return with_planner(fleet_spec(name, "BOX", about, 1), args, out, err,
                      [&](const FleetAsk& ask, const Invocation& call) {
                        return set_box_state(ask, call.arguments()[0], state);
                      });
}

// One document of the file; what became of it: "new", "changed", "same", or empty after a complaint.
std::string apply_one(const FleetAsk& ask, const std::string& list, FleetJson document, bool dry, int& code) {
  const std::string id = document.is_object() ? document.value("id", "") : std::string();
  if (list == "boxes") {
    document.erase("id");
    document.erase("kind");  // what a box is made of it reports itself
  } else {
    document.erase("serving");
  }
  document["format"] = 1;
  const std::string target = "/v1/fleet/" + list + "/" + id;
  const FleetAnswer known = ask_fleet(ask, "GET", target);
  if (known.status == 0) {
    code = known.exit_code;
    return {};
  }
  const bool is_known = known.status == 200 && known.body.contains("configured");
  if (is_known && known.body.at("configured") == document) return "same";
  std::string change = is_known ? "changed" : "new";
  if (dry) return change;
  const FleetAnswer answer = ask_fleet(ask, "PUT", target, document.dump());
  if (answer.exit_code == kExitOk) return change;
  print_refusal(answer, list + "/" + id, ask.err);
  code = answer.exit_code;
  return {};
}

int apply_fleet(const FleetAsk& ask, const Invocation& call) {
  const Result<std::string> text = text::read_text_file(call.arguments()[0], 64);
  if (!text) return fail(text.errors(), kExitConfig, ask.err);
  const FleetJson file = FleetJson::parse(text.value(), nullptr, false);
  const auto list_of = [&](const char* key) {
    return file.is_object() && file.contains(key) ? file.at(key) : FleetJson::array();
  };
  if (!file.is_object() || !list_of("boxes").is_array() || !list_of("cameras").is_array()) {
    return fail({{call.arguments()[0], "is no object with lists `boxes` and `cameras`", ""}}, kExitConfig,
                ask.err);
  }
  int code = kExitOk;
  std::map<std::string, int> counts;
  for (const char* list : {"boxes", "cameras"}) {
    for (const FleetJson& document : list_of(list)) {
      const std::string change = apply_one(ask, list, document, call.has("dry-run"), code);
      if (code == kExitUnavailable) return code;
      ++counts[change.empty() ? "refused" : change];
      if (!change.empty() && change != "same")
        ask.out << list << '/' << cell(document, "id") << ": " << change << '\n';
    }
  }
  for (const auto& [change, count] : counts) ask.out << count << ' ' << change << '\n';
  return code;
}

}  // namespace

int verb_fleet_status(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  return with_planner(fleet_spec("fleet status", "", "What the fleet serves, and who leads.", 0), args, out,
                      err, [&](const FleetAsk& ask, const Invocation&) {
                        return show_fleet(ask, "/v1/fleet/status",
                                          [&](const FleetJson& status) { print_fleet_status(status, out); });
                      });
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

int verb_fleet_apply(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  CommandSpec spec =
      fleet_spec("fleet apply", "FILE",
                 "Puts the cameras and boxes of a file into the fleet, each by itself: what is the same "
                 "stays as it is,\nwhat the file does not name as well.",
                 1);
  spec.options.push_back({"dry-run", "", "say what would change, and change nothing"});
  return with_planner(spec, args, out, err, apply_fleet);
}

int verb_fleet_cordon(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  return box_state_verb("fleet cordon", "A box keeps its cameras and takes no others.", "cordoned", args, out,
                        err);
}
int verb_fleet_uncordon(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  return box_state_verb("fleet uncordon", "A box serves and takes cameras again.", "active", args, out, err);
}
int verb_fleet_drain(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  return box_state_verb("fleet drain", "The cameras of a box move elsewhere, where they fit.", "draining",
                        args, out, err);
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
