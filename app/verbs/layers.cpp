#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>

#include "app/report/exit_codes.hpp"
#include "app/report/layer_report.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/report/table.hpp"
#include "app/verbs/verbs.hpp"
#include "profiles/interface.hpp"
#include "runtime/engines/model_file.hpp"
#include "vision/model/onnx_chain.hpp"

namespace saccade::app {
namespace {

using vision::ChainGroup;

const CommandSpec& layers_spec() {
  static const CommandSpec spec{
      "layers",
      "MODEL.onnx",
      "Prints a network as a chain: the groups between the places where it may be cut, what crosses each of\n"
      "them, and what each group holds. With --json the file that `saccade place` reads, without times.",
      {{"size", "WIDTHxHEIGHT", "of the picture, where the file leaves it open (default: none)"},
       {"max-live-tensors", "N", "tensors that may cross a cut, skip connections counted (default: 1)"},
       {"groups", "KIND", "fine: every layer with its activation; coarse: whole blocks (default: fine)"},
       {"json", "", "as a saccade-layers/1 file"}},
      1,
      1,
      "Exit codes: 0 printed, 78 the file cannot be used."};
  return spec;
}

std::string tensor_shape(const vision::LiveTensor& tensor) {
  std::string text;
  for (const std::int64_t side : tensor.shape) text += (text.empty() ? "" : "x") + std::to_string(side);
  return text;
}

std::string crossing_text(const ChainGroup& group) {
  std::string text;
  for (const vision::LiveTensor& tensor : group.inputs)
    text += (text.empty() ? "" : ", ") + tensor_shape(tensor);
  return text;
}

void print_table(const vision::OnnxChain& chain, std::ostream& out) {
  constexpr auto kRight = Table::Align::right;
  Table table({{"layer", kRight},
               {"crosses before it"},
               {"bytes", kRight},
               {"weights", kRight},
               {"multiply-adds", kRight},
               {"operators"}});
  for (std::size_t k = 0; k < chain.groups.size(); ++k) {
    const ChainGroup& group = chain.groups[k];
    table.add_row({std::to_string(k), crossing_text(group), std::to_string(chain.bytes_before(k)),
                   short_bytes(static_cast<double>(group.weight_bytes)),
                   short_number(static_cast<double>(group.multiply_adds)), operators_text(group)});
  }
  table.print(out);
  out << chain.groups.size() << " layers, " << chain.groups.size() - 1 << " cuts\n";
  for (const std::string& place : chain.unknown) out << "no cut " << place << '\n';
}

}  // namespace

int verb_layers(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const Invocation call = parse_command_line(layers_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  vision::ChainOptions options;
  const auto live = whole_number_from(call.value("max-live-tensors").value_or("1"));
  if (!live || *live < 1 || *live > 64)
    return usage_error("layers", "--max-live-tensors is a whole number from 1 to 64", err);
  options.max_live_tensors = *live;
  const std::string groups = call.value("groups").value_or("fine");
  if (groups != "fine" && groups != "coarse") return usage_error("layers", "--groups is fine or coarse", err);
  if (groups == "coarse") options.groups = vision::ChainGroups::coarse;

  if (const auto text = call.value("size")) {
    const auto size = pixel_size_from(*text);
    if (!size || std::min(size->width, size->height) < 1 ||
        std::max(size->width, size->height) > profiles::kMostInputSide)
      return usage_error("layers", "--size is WIDTHxHEIGHT in pixels, as in 640x384", err);
    options.picture.emplace();
    options.picture->width = size->width;
    options.picture->height = size->height;
  }

  const std::string& file = call.arguments().front();
  const auto chain = vision::read_onnx_chain(file, options);
  if (!chain) return fail(chain.errors(), kExitConfig, err);
  if (!call.has("json")) {
    print_table(chain.value(), out);
    return kExitOk;
  }
  const auto bytes = runtime::read_model(file, "");
  if (!bytes) return fail(bytes.errors(), kExitConfig, err);
  const std::filesystem::path path(file);
  const LayerSubject subject{path.stem().string(), path.filename().string(),
                             runtime::sha256_hex(bytes.value()), &chain.value()};
  out << layers_json(subject).dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
  return kExitOk;
}

}  // namespace saccade::app
