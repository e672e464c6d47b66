// Any bytes as an ONNX file: refused, or summarised and drafted without a crash and in bounded memory; the
// draft of a profile set is one that is read again and can be held against the file.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "profiles/interface_io.hpp"
#include "profiles/profile_io.hpp"
#include "vision/model/graph_check.hpp"
#include "vision/model/interface_guess.hpp"
#include "vision/model/onnx_file.hpp"
#include "vision/model/set_draft.hpp"

namespace {

using namespace saccade;

void draft_a_set(const vision::OnnxFile& file) {
  vision::ModelDraft model;
  model.file = model.model = "model.onnx";
  model.graph = file;
  model.guess = vision::guess_interface(file);
  auto draft = vision::draft_set("net", {&model, 1});
  if (!draft) return;
  profiles::ProfileSet& set = draft.value().set;
  set.device.processors = {ProcessorId("cpu")};
  const auto read =
      profiles::parse_profile_set(profiles::to_json(set), "set.json", {}, profiles::Drafts::read);
  SACCADE_CHECK(read.ok());
  SACCADE_CHECK(read.value() == set);
  (void)vision::check_graphs(set, std::vector<vision::VariantGraph>{{0, file}});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  std::istringstream in(bytes);
  const auto file = saccade::vision::parse_onnx(in, size, "model.onnx");
  if (!file) return 0;
  saccade::vision::InterfaceGuess guess = saccade::vision::guess_interface(file.value());
  if (guess.interface.input.width == 0) guess.interface.input.width = 1;
  if (guess.interface.input.height == 0) guess.interface.input.height = 1;
  // A draft is an interface, whatever the file calls its ports.
  const auto read =
      saccade::profiles::parse_interface(saccade::profiles::to_json(guess.interface), "set.json");
  SACCADE_CHECK(read.ok());
  SACCADE_CHECK(read.value() == guess.interface);
  draft_a_set(file.value());
  return 0;
}
