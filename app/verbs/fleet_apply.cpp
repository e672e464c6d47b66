// The verbs that change what a fleet is, by a file or by an order for one camera.
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "app/report/exit_codes.hpp"
#include "app/report/output.hpp"
#include "app/report/table.hpp"
#include "app/verbs/fleet_ask.hpp"
#include "app/verbs/fleet_service.hpp"
#include "text/strict_json.hpp"
#include "text/text_file.hpp"

namespace saccade::app {
namespace {

using AppliedJson = nlohmann::ordered_json;

constexpr int kPatienceOfApply = 60;    // seconds: a plan of the whole fleet, or thousands of documents
constexpr std::size_t kMostMoved = 30;  // that are listed

std::string box_cell(const AppliedJson& moved, const char* key) {
  const std::string box = fleet_cell(moved, key);
  return box == "-" ? "off" : box;
}

void print_side(const char* name, const AppliedJson& side, std::ostream& out) {
  out << name << side.value("served", 0) << " of " << side.value("cameras", 0)
      << " cameras, relative accuracy " << percent(side.value("relative_accuracy", 0.0), 2) << ", value "
      << short_number(side.value("value", 0.0)) << " of at most " << short_number(side.value("bound", 0.0))
      << ", loss survived of " << side.value("boxes_survived", 0) << " of " << side.value("boxes", 0)
      << " boxes\n";
}

void print_application(const AppliedJson& body, std::ostream& out) {
  int fresh = 0;
  for (const AppliedJson& document : body.at("documents")) {
    const std::string change = document.value("change", "");
    fresh += change == "new" ? 1 : 0;
    out << document.value("key", "") << ": " << change << '\n';
  }
  const int changed = static_cast<int>(body.at("documents").size()) - fresh;
  if (changed > 0) out << changed << " changed\n";
  if (fresh > 0) out << fresh << " new\n";
  if (body.value("same", 0) > 0) out << body.value("same", 0) << " same\n";
}

void print_preview(const AppliedJson& body, std::ostream& out) {
  if (!body.contains("before")) return;  // there is no box yet
  print_side("now    ", body.at("before"), out);
  print_side("then   ", body.at("after"), out);
  std::size_t shown = 0;
  for (const AppliedJson& moved : body.at("moved")) {
    if (++shown > kMostMoved) continue;
    out << "moves  " << moved.value("camera", "") << ": " << box_cell(moved, "from") << " -> "
        << box_cell(moved, "to");
    if (moved.contains("reason")) out << " (" << moved.value("reason", "") << ')';
    out << '\n';
  }
  if (shown > kMostMoved) out << "       and " << shown - kMostMoved << " more (--json)\n";
  if (shown == 0) out << "moves  none\n";
}

int apply_fleet(FleetAsk ask, const Invocation& call) {
  const Result<std::string> text = text::read_text_file(call.arguments()[0], 16);
  if (!text) return fail(text.errors(), kExitConfig, ask.err);
  std::string only_if;
  if (const auto revision = call.value("revision")) {
    const auto number = whole_number_from(*revision);
    if (!number) return usage_error("fleet apply", "--revision takes a whole number", ask.err);
    only_if = "\"" + std::to_string(*number) + "\"";
  }
  ask.endpoint.patience_seconds = kPatienceOfApply;
  const bool dry = call.has("dry-run");
  const FleetAnswer answer = ask_fleet(
      ask, "POST", std::string("/v1/fleet/apply") + (dry ? "?dry_run=1" : ""), text.value(), only_if);
  if (answer.exit_code != kExitOk) {
    print_refusal(answer, call.arguments()[0], ask.err);
  } else if (ask.json) {
    ask.out << answer.text;
  } else {
    print_application(answer.body, ask.out);
    if (dry) print_preview(answer.body, ask.out);
    if (dry) ask.out << "to do exactly this: --revision " << answer.body.value("revision", 0LL) << '\n';
  }
  return answer.exit_code;
}

int move_camera(const FleetAsk& ask, const Invocation& call) {
  const std::string& camera = call.arguments()[0];
  AppliedJson order = {{"box", call.arguments()[1]}};
  if (const auto time = call.value("for")) {
    const auto duration = duration_from(*time);
    if (!duration || *duration < std::chrono::seconds(1))
      return usage_error("fleet move", std::string("--for takes ") + kDurationWords, ask.err);
    order["seconds"] = to_seconds(*duration).value();
  }
  const FleetAnswer answer = ask_fleet(ask, "PUT", "/v1/fleet/cameras/" + camera + "/pin", order.dump());
  if (answer.exit_code != kExitOk) print_refusal(answer, camera, ask.err);
  if (answer.exit_code == kExitOk)
    ask.out << (ask.json ? answer.text : camera + ": is to be on " + call.arguments()[1] + "\n");
  return answer.exit_code;
}

}  // namespace

int verb_fleet_apply(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  CommandSpec spec = fleet_spec(
      "fleet apply", "FILE",
      "Puts the cameras, boxes and policy of a file into the fleet, all of them or none: what is the same "
      "stays as it\nis, what the file does not name as well. Refused if another client changed the fleet's "
      "configuration meanwhile.",
      1);
  spec.options.push_back(
      {"dry-run", "", "say what would change and which cameras would move, and change nothing"});
  spec.options.push_back({"revision", "N", "only if the configuration is still the one of this revision"});
  return with_planner(spec, args, out, err, apply_fleet);
}

int verb_fleet_move(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  CommandSpec spec =
      fleet_spec("fleet move", "CAMERA BOX",
                 "Moves a camera to a box, where it stays until `saccade fleet unpin`. If that "
                 "box is lost or\nemptied, it goes elsewhere meanwhile.",
                 2);
  spec.options.push_back({"for", "TIME", "only for so long: 90, 90s, 5m, 24h"});
  return with_planner(spec, args, out, err, move_camera);
}

int verb_fleet_unpin(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  return with_planner(
      fleet_spec("fleet unpin", "CAMERA", "A camera that was moved by order may be anywhere again.", 1), args,
      out, err, [](const FleetAsk& ask, const Invocation& call) {
        const std::string& camera = call.arguments()[0];
        const FleetAnswer answer = ask_fleet(ask, "DELETE", "/v1/fleet/cameras/" + camera + "/pin");
        if (answer.exit_code != kExitOk) print_refusal(answer, camera, ask.err);
        return answer.exit_code;
      });
}

}  // namespace saccade::app
