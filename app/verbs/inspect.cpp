#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "app/report/exit_codes.hpp"
#include "app/report/model_report.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/verbs/model_sources.hpp"
#include "app/verbs/verbs.hpp"
#include "vision/model/set_draft.hpp"

namespace saccade::app {
namespace {

using nlohmann::ordered_json;

const CommandSpec& inspect_spec() {
  static const CommandSpec spec{
      "inspect",
      "MODEL.onnx...",
      "Prints what a model file says of itself, its inputs and outputs, metadata and operators, and a draft\n"
      "of its interface: how a picture becomes its input and what its outputs mean. Of every field it says\n"
      "whether it was read (and where), guessed (and why) or assumed, and what remains to be written. "
      "Nothing\n"
      "is written; weights are not loaded.",
      {kLabelsOption, kLikeOption, {"json", "", "the same as JSON"}},
      1,
      std::numeric_limits<std::size_t>::max(),
      "Exit codes: 0 every file was read, 78 one of them cannot be used."};
  return spec;
}

ordered_json refused(const std::string& file, const Errors& errors) {
  return {{"file", file}, {"ok", false}, {"errors", to_json(errors)}};
}

}  // namespace

int verb_inspect(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const Invocation call = parse_command_line(inspect_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  const Result<SideSources> sources = read_side_sources(call);
  if (!sources) return fail(sources.errors(), kExitConfig, err);

  bool good = true;
  std::vector<vision::ModelDraft> drafts;
  ordered_json files = ordered_json::array();
  for (const std::string& file : call.arguments()) {
    auto draft = read_model_draft(file, sources.value());
    if (!draft) {
      good = false;
      files.push_back(refused(file, draft.errors()));
      print_errors(draft.errors(), err);
      continue;
    }
    drafts.push_back(std::move(draft).value());
    files.push_back(to_json(drafts.back()));
    if (call.has("json")) continue;
    if (drafts.size() > 1) out << '\n';
    print_report(drafts.back(), out);
  }
  if (call.has("json")) {
    out << ordered_json{{"ok", good}, {"files", std::move(files)}}.dump(
               1, ' ', false, ordered_json::error_handler_t::replace)
        << '\n';
  }
  print_warnings(vision::differences(drafts), err);
  return good ? kExitOk : kExitConfig;
}

}  // namespace saccade::app
