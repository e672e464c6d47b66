#include "app/verbs/model_sources.hpp"

#include <utility>

#include "app/verbs/label_file.hpp"
#include "vision/model/onnx_file.hpp"

namespace saccade::app {

Result<SideSources> read_side_sources(const Invocation& call) {
  SideSources sources;
  Errors errors;
  if (const auto file = call.value("labels")) {
    auto labels = read_label_file(*file);
    if (!labels) {
      errors = labels.errors();
    } else if (labels.value().empty()) {
      errors.push_back({*file, "the file has no labels", "write a name per line"});
    } else {
      sources.labels = vision::LabelList{*file, std::move(labels).value()};
    }
  }
  for (const std::string& file : call.values("like")) {
    auto side = vision::read_side_file(file);
    if (side) {
      sources.sides.push_back(std::move(side).value());
    } else {
      errors.insert(errors.end(), side.errors().begin(), side.errors().end());
    }
  }
  if (!errors.empty()) return errors;
  return sources;
}

Result<vision::ModelDraft> read_model_draft(const std::string& file, const SideSources& sources) {
  auto graph = vision::read_onnx_file(file);
  if (!graph) return graph.errors();
  vision::ModelDraft draft;
  draft.file = file;
  draft.guess =
      vision::guess_interface(graph.value(), sources.sides, sources.labels ? &*sources.labels : nullptr);
  draft.graph = std::move(graph).value();
  return draft;
}

}  // namespace saccade::app
