#include "app/report/model_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "app/report/table.hpp"
#include "config/document_patch.hpp"
#include "profiles/interface_io.hpp"
#include "text/json_text.hpp"
#include "text/strict_json.hpp"
#include "text/utf8.hpp"

namespace saccade::app {
namespace {

using nlohmann::ordered_json;
using vision::OnnxPort;

// The file's own words in one line of output.
std::string shown(const std::string& text) {
  const std::string quoted = text::in_quotes(text);
  return text::is_utf8(quoted) ? quoted.substr(1, quoted.size() - 2) : "(no text)";
}

std::string opset_text(const vision::OnnxFile& model) {
  std::string text;
  for (const auto& [domain, version] : model.opsets) {
    text += (text.empty() ? "opset " : ", ") + (domain.empty() ? "" : shown(domain) + " ") +
            std::to_string(version);
  }
  return text;
}

void print_ports(const char* title, const std::vector<OnnxPort>& ports, std::ostream& out) {
  Table table({{title}, {"type"}, {"shape"}, {"made by"}});
  for (const OnnxPort& port : ports) {
    table.add_row({port.name, port.type, shape_text(port), shown(port.made_by)});
  }
  table.print(out);
}

// The most frequent kinds of nodes.
std::string operators_text(const vision::OnnxFile& model) {
  std::vector<std::pair<std::string, std::size_t>> kinds(model.operators.begin(), model.operators.end());
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(kinds.size(), kShown); ++i) {
    text += (i == 0 ? "" : ", ") + shown(kinds[i].first) + " " + std::to_string(kinds[i].second);
  }
  return kinds.size() > kShown ? text + ", ..." : text;
}

void print_model(const vision::ModelDraft& report, std::ostream& out) {
  const vision::OnnxFile& model = report.graph;
  out << report.file << ": " << short_bytes(static_cast<double>(model.file_bytes));
  if (!model.producer.empty()) out << ", by " << shown(model.producer);
  out << ", IR " << model.ir_version << ", " << opset_text(model) << '\n';
  out << model.nodes << " nodes (" << operators_text(model) << "), weights "
      << short_bytes(static_cast<double>(model.weight_bytes)) << "\n\n";
  print_ports("input", model.inputs, out);
  print_ports("output", model.outputs, out);
  if (model.metadata.empty()) return;
  out << '\n';
  Table table({{"metadata"}, {""}});
  constexpr std::size_t kShown = 32;
  for (std::size_t i = 0; i < std::min(model.metadata.size(), kShown); ++i) {
    table.add_row({shown(model.metadata[i].first), shown(model.metadata[i].second)});
  }
  table.print(out);
  if (model.metadata.size() > kShown) out << "and " << model.metadata.size() - kShown << " more\n";
}

// In one cell: of a long list its length and the first item, of an object its type.
std::string cell_text(const text::JsonValue& value) {
  using Kind = text::JsonValue::Kind;
  if (value.kind == Kind::string) return value.string;
  if (value.kind == Kind::object) {
    const text::JsonValue* type = value.find("type");
    return type == nullptr ? "" : type->string;
  }
  constexpr std::size_t kFew = 4;
  if (value.kind != Kind::array || value.items.size() <= kFew) return text::write_json(value);
  return std::to_string(value.items.size()) + ": " + cell_text(value.items.front()) + ", ...";
}

// The part of a profile set that the guess is about.
text::JsonValue document_of(const vision::InterfaceGuess& guess) {
  text::JsonValue labels;
  labels.kind = text::JsonValue::Kind::array;
  for (const std::string& label : guess.labels) {
    labels.items.emplace_back().kind = text::JsonValue::Kind::string;
    labels.items.back().string = label;
  }
  text::JsonValue document;
  document.kind = text::JsonValue::Kind::object;
  document.members.push_back({"interface", profiles::to_document(guess.interface)});
  document.members.push_back({"labels", std::move(labels)});
  return document;
}

void print_guess(const vision::InterfaceGuess& guess, std::ostream& out) {
  out << "\ndraft: " << guess.family << '\n';
  print_fields(document_of(guess), guess.origins, out);
  print_questions("to be written or confirmed:", guess.open, out);
  print_questions("contradictions:", guess.conflicts, out);
}

ordered_json ports_json(const std::vector<OnnxPort>& ports) {
  ordered_json list = ordered_json::array();
  for (const OnnxPort& port : ports) {
    ordered_json shape;
    if (port.shape) {
      shape = ordered_json::array();
      for (const vision::OnnxDimension& dimension : *port.shape) {
        if (const auto* number = std::get_if<std::int64_t>(&dimension)) {
          shape.push_back(*number);
        } else if (const auto* symbol = std::get_if<std::string>(&dimension)) {
          shape.push_back(*symbol);
        } else {
          shape.push_back(nullptr);
        }
      }
    }
    list.push_back({{"name", port.name}, {"type", port.type}, {"shape", std::move(shape)}});
    if (!port.made_by.empty()) list.back()["made_by"] = port.made_by;
  }
  return list;
}

}  // namespace

void print_fields(const text::JsonValue& document, const std::vector<vision::FieldOrigin>& fields,
                  std::ostream& out) {
  Table table({{"field"}, {"value"}, {"origin"}, {"because of"}});
  for (const vision::FieldOrigin& field : fields) {
    const text::JsonValue* value = config::value_at(document, field.pointer);
    table.add_row({field.pointer, value == nullptr ? "" : shown(cell_text(*value)), to_string(field.origin),
                   field.why});
  }
  table.print(out);
}

void print_questions(const char* title, const Errors& questions, std::ostream& out) {
  if (questions.empty()) return;
  out << '\n' << title << '\n';
  for (const Error& question : questions) {
    out << "  " << question.where << (question.where.empty() ? "" : ": ") << question.what << '\n';
    if (!question.hint.empty()) out << "    " << question.hint << '\n';
  }
}

ordered_json to_json(const Errors& errors) {
  ordered_json list = ordered_json::array();
  for (const Error& error : errors) {
    list.push_back({{"where", error.where}, {"what", error.what}, {"hint", error.hint}});
  }
  return list;
}

ordered_json to_json(const std::vector<vision::FieldOrigin>& fields) {
  ordered_json list = ordered_json::array();
  for (const vision::FieldOrigin& field : fields) {
    list.push_back(
        {{"where", field.pointer}, {"origin", to_string(field.origin)}, {"because_of", field.why}});
  }
  return list;
}

void print_report(const vision::ModelDraft& report, std::ostream& out) {
  print_model(report, out);
  print_guess(report.guess, out);
}

ordered_json to_json(const vision::ModelDraft& report) {
  const vision::OnnxFile& model = report.graph;
  ordered_json opsets = ordered_json::object();
  for (const auto& [domain, version] : model.opsets) opsets[domain.empty() ? "ai.onnx" : domain] = version;
  ordered_json metadata = ordered_json::object();
  for (const auto& [key, value] : model.metadata) metadata[key] = value;
  return {{"file", report.file},
          {"ok", true},
          {"bytes", model.file_bytes},
          {"producer", model.producer},
          {"ir_version", model.ir_version},
          {"opsets", std::move(opsets)},
          {"inputs", ports_json(model.inputs)},
          {"outputs", ports_json(model.outputs)},
          {"nodes", model.nodes},
          {"operators", model.operators},
          {"weight_bytes", model.weight_bytes},
          {"metadata", std::move(metadata)},
          {"draft",
           {{"family", report.guess.family},
            {"interface", ordered_json::parse(profiles::to_json(report.guess.interface))},
            {"labels", report.guess.labels},
            {"origins", to_json(report.guess.origins)},
            {"open", to_json(report.guess.open)},
            {"conflicts", to_json(report.guess.conflicts)}}}};
}

}  // namespace saccade::app
