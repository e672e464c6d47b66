#include "app/verbs/import_layers.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "app/report/exit_codes.hpp"
#include "app/report/output.hpp"
#include "config/layer_csv.hpp"
#include "runtime/engines/engine.hpp"
#include "text/json_text.hpp"
#include "text/strict_json.hpp"
#include "text/text_file.hpp"

namespace saccade::app {
namespace {

namespace fs = std::filesystem;
using config::LayerTableContext;

constexpr const char* kLinkForm = "FROM:TO=SECONDS or FROM:TO=SECONDS+SECONDS_PER_BYTE";

// FROM:TO=SECONDS[+SECONDS_PER_BYTE]
std::optional<LayerTableContext::Link> link_from(const std::string& text) {
  const std::size_t equals = text.find('='), colon = text.find(':');
  if (colon == std::string::npos || equals == std::string::npos || colon > equals) return std::nullopt;
  LayerTableContext::Link link{text.substr(0, colon), text.substr(colon + 1, equals - colon - 1)};
  const std::string costs = text.substr(equals + 1);
  // A plus sign that is not of an exponent.
  std::size_t plus = costs.find('+');
  while (plus != std::string::npos && plus > 0 && (costs[plus - 1] == 'e' || costs[plus - 1] == 'E'))
    plus = costs.find('+', plus + 1);
  const auto fixed = number_from(costs.substr(0, plus), 0.0);
  const auto per_byte =
      plus == std::string::npos ? std::optional(0.0) : number_from(costs.substr(plus + 1), 0.0);
  if (!fixed || !per_byte) return std::nullopt;
  link.fixed_seconds = *fixed;
  link.seconds_per_byte = *per_byte;
  return link;
}

// NAME=SECONDS
std::optional<LayerTableContext::Whole> whole_from(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return std::nullopt;
  const auto seconds = number_from(text.substr(equals + 1), 0.0);
  if (!seconds) return std::nullopt;
  return LayerTableContext::Whole{text.substr(0, equals), *seconds};
}

LayerTableContext context_of(const Invocation& call, std::vector<std::string>& mistakes) {
  for (const char* option :
       {"device", "processor", "idle-power", "metric", "energy-source", "input", "labels"}) {
    if (call.has(option)) mistakes.push_back("--" + std::string(option) + " says nothing about layers");
  }
  if (!call.has("out")) mistakes.emplace_back("--layers wants --out, the file to write");
  LayerTableContext context;
  context.network = call.value("network").value_or("");
  context.paid_by = call.value("paid-by").value_or("");
  for (const std::string& text : call.values("link")) {
    const auto link = link_from(text);
    if (link) context.links.push_back(*link);
    if (!link) mistakes.push_back("--link: " + text::in_quotes(text) + " is not " + kLinkForm);
  }
  for (const std::string& text : call.values("whole")) {
    const auto whole = whole_from(text);
    if (whole) context.whole.push_back(*whole);
    if (!whole) mistakes.push_back("--whole: " + text::in_quotes(text) + " is not PROCESSOR=SECONDS");
  }
  return context;
}

// Named from the folder of the file that is made, with its hash.
void add_model(const fs::path& model, const fs::path& file, LayerTableContext& context, Errors& errors) {
  const auto hash = runtime::sha256_of(model);
  if (!hash) {
    errors.insert(errors.end(), hash.errors().begin(), hash.errors().end());
    return;
  }
  std::error_code failure;
  const fs::path folder = file.parent_path().empty() ? fs::path(".") : file.parent_path();
  const fs::path relative = fs::relative(model, folder, failure);
  context.model = failure || relative.empty() ? model.string() : relative.string();
  context.sha256 = hash.value();
}

void print_imported(const config::LayerFile& file, const std::string& name, std::ostream& out) {
  const auto cuts = std::count_if(file.chain.boundaries.begin(), file.chain.boundaries.end(),
                                  [](const placement::Boundary& boundary) { return boundary.legal; });
  out << name << ": " << file.chain.layers.size() << " layers, " << cuts << " cuts, times on ";
  const auto& processors = file.chain.processors;
  for (std::size_t p = 0; p < processors.size(); ++p) out << (p == 0 ? "" : ", ") << processors[p].id.str();
  out << (file.sha256.empty() ? "; of no model, so that it can be placed but not cut (--model)\n" : "\n");
}

}  // namespace

int import_layer_table(const Invocation& call, std::ostream& out, std::ostream& err) {
  std::vector<std::string> mistakes;
  LayerTableContext context = context_of(call, mistakes);
  if (!mistakes.empty()) return usage_error("import", mistakes, err);
  const std::string file = *call.value("out");
  Errors errors;
  if (const auto model = call.value("model")) add_model(*model, file, context, errors);
  const auto imported = config::import_layers(call.arguments().front(), context);
  if (!imported) errors.insert(errors.end(), imported.errors().begin(), imported.errors().end());
  if (!errors.empty()) return fail(errors, kExitConfig, err);
  const Status written = text::write_text_file(file, text::write_json(imported.value().document, 1) + "\n");
  if (!written) return fail(written.errors(), kExitFailed, err);
  print_imported(imported.value().file, file, out);
  return kExitOk;
}

}  // namespace saccade::app
