#include "app/verbs/placing.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>

#include "placement/paths.hpp"
#include "runtime/engines/model_file.hpp"
#include "text/strict_json.hpp"

namespace saccade::app {

namespace fs = std::filesystem;

// The request of the options; every mistake is added.
placement::Request placement_request(const Invocation& call, std::vector<std::string>& mistakes) {
  placement::Request request;
  const std::string objective = call.value("objective").value_or("throughput");
  bool known = false;
  for (const placement::Objective each :
       {placement::Objective::throughput, placement::Objective::latency, placement::Objective::energy}) {
    if (objective != to_string(each)) continue;
    request.aim.objective = each;
    known = true;
  }
  if (!known)
    mistakes.push_back("--objective is throughput, latency or energy, not " + text::in_quotes(objective));
  if (const auto deadline = call.value("deadline")) {
    const auto seconds = number_from(*deadline, 0.0);
    if (!seconds) mistakes.emplace_back("--deadline is a number of seconds");
    request.aim.deadline = Seconds(seconds.value_or(0.0));
  }
  const auto stages = whole_number_from(call.value("max-stages").value_or("4"));
  if (!stages || *stages < 1 || *stages > 16)
    mistakes.emplace_back("--max-stages is a whole number from 1 to 16");
  request.max_stages = stages.value_or(4);
  const std::string profit = call.value("profit").value_or("ratio");
  if (profit != "ratio" && profit != "joule") mistakes.emplace_back("--profit is ratio or joule");
  if (profit == "joule") request.profit = placement::Profit::joule;
  const std::string overhead = call.value("overhead").value_or("counted");
  if (overhead != "counted" && overhead != "ignored")
    mistakes.emplace_back("--overhead is counted or ignored");
  request.count_transfers = overhead == "counted";
  return request;
}

// The chosen ones; `exact` is among them, for the gap of the others.
std::vector<const placement::Strategy*> strategies_of(const Invocation& call,
                                                      std::vector<std::string>& mistakes) {
  const std::string name = call.value("strategy").value_or("exact");
  std::vector<const placement::Strategy*> chosen;
  std::vector<std::string> names = {"all"};
  for (const placement::Strategy& strategy : placement::strategies()) {
    names.emplace_back(strategy.name);
    if (name == "all" || name == strategy.name || std::string(strategy.name) == "exact")
      chosen.push_back(&strategy);
  }
  if (name == "all" || placement::find_strategy(name) != nullptr) return chosen;
  const std::string meant = text::nearest(name, names);
  mistakes.push_back("there is no strategy " + text::in_quotes(name) +
                     (meant.empty() ? "" : "; did you mean `" + meant + "`?"));
  return {};
}

// What makes a file that was read useless for placing.
Errors complaints_of(const config::LayerFile& file, const std::string& name,
                     const placement::Request& request) {
  Errors errors;
  const placement::Chain& chain = file.chain;
  if (chain.processors.empty()) {
    return {{name, "it names no processors, so nothing can be placed",
             "add `processors`, and `seconds` of every layer on each of them"}};
  }
  bool energies = true;
  std::vector<bool> timed(chain.processors.size(), false);
  for (std::size_t i = 0; i < chain.layers.size(); ++i) {
    bool runs = false;
    for (std::size_t p = 0; p < timed.size(); ++p) {
      const auto& cost = chain.layers[i].on[p];
      runs = runs || cost.has_value();
      timed[p] = timed[p] || cost.has_value();
      energies = energies && (!cost || cost->energy);
    }
    if (!runs) {
      errors.push_back({name + " /layers/" + std::to_string(i), "the layer has a time on no processor",
                        "write its `seconds`: measured, not estimated"});
    }
  }
  const bool any = std::find(timed.begin(), timed.end(), true) != timed.end();
  for (std::size_t p = 0; p < timed.size(); ++p) {
    if (timed[p] || !any) continue;
    errors.push_back({name + " /processors/" + std::to_string(p),
                      "no layer has a time on " + text::in_quotes(chain.processors[p].id.str()),
                      "measure them there: `saccade profile --layers`; or leave the processor out"});
  }
  if (request.aim.objective == placement::Objective::energy && !energies) {
    errors.push_back({name, "not every layer has an energy wherever it runs",
                      "write `joules`, or choose another objective"});
  }
  return errors;
}

// The model beside the file must be the one that the file describes.
Status check_model(const config::LayerFile& file, const fs::path& path) {
  const fs::path model = path.parent_path() / file.model;
  std::error_code failure;
  if (file.model.empty() || file.sha256.empty() || !fs::exists(model, failure)) return Done{};
  const auto bytes = runtime::read_model(model, file.sha256);
  if (!bytes) return bytes.errors();
  return Done{};
}

Error none_meets(const placement::Costs& costs, const placement::Request& request, const std::string& name) {
  const placement::Paths quickest(costs, {std::vector<double>(costs.processors(), 1.0), 0.0, {}});
  const double least = quickest.cost();
  std::string hint = "a frame takes " + text::to_text(least) + " s at least, with any number of stages";
  if (!std::isfinite(least)) {
    hint = "no processors together run every layer";
  } else if (!request.aim.deadline) {
    hint = "not with " + std::to_string(request.max_stages) +
           " stages at most: allow more (`--max-stages`), or more of `memory_limit_bytes`";
  } else if (*request.aim.deadline >= Seconds(least)) {
    hint += ": allow more (`--max-stages`), or more of `memory_limit_bytes`";
  }
  return {name, "no placement meets the aim", hint};
}

}  // namespace saccade::app
