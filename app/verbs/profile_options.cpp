#include "app/verbs/profile_options.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "runtime/machine/thread_settings.hpp"
#include "text/strict_json.hpp"

namespace saccade::app {
namespace {

std::optional<ModelledPower> power_from(const std::string& text) {
  const std::vector<std::string> parts = split_at_commas(text);
  if (parts.size() != 2) return std::nullopt;
  const auto idle = number_from(parts[0], 0.0);
  const auto active = number_from(parts[1], 0.0);
  if (!idle || !active || *active <= *idle) return std::nullopt;
  return ModelledPower{Watts(*idle), Watts(*active)};
}

void add_data_mistakes(const Invocation& call, std::vector<std::string>& wrong) {
  for (const char* option : {"images", "teacher"}) {
    if (call.has(option) && !call.has("data"))
      wrong.emplace_back("--" + std::string(option) + " says how to read what --data names");
  }
  if (call.has("images") && call.has("teacher"))
    wrong.emplace_back("--images is for labelled data, --teacher for pictures without labels");
  if (call.has("data") && call.has("agree"))
    wrong.emplace_back("--agree compares engines on the zoo's own images");
  if (call.has("provider") && call.has("agree")) wrong.emplace_back("--agree compares engines of the CPU");
}

void read_provider(const Invocation& call, ProfileOptions& request) {
  ProfiledProvider& provider = request.session.provider;
  provider.name = call.value("provider").value_or("cpu");
  provider.library = call.value("library").value_or("");
  provider.graphs = !call.has("no-graphs");
  const std::string wait = call.value("wait").value_or("spin");
  provider.block = wait == "block";
  const auto device = whole_number_from(call.value("device").value_or("0"));
  constexpr std::uint64_t kMostDevices = 63;
  provider.device = static_cast<int>(std::min(device.value_or(0), kMostDevices));
  if (provider.name != "cpu" && provider.name != "cuda")
    request.wrong.emplace_back("--provider is cpu or cuda");
  if (wait != "spin" && wait != "block") request.wrong.emplace_back("--wait is spin or block");
  if (!device || *device > kMostDevices) request.wrong.emplace_back("--device is from 0 to 63");
  if (provider.name == "cpu") {
    for (const char* option : {"device", "no-graphs", "wait"}) {
      if (call.has(option))
        request.wrong.emplace_back("--" + std::string(option) + " is for --provider cuda");
    }
    return;
  }
  if (request.session.threads > 1)
    request.wrong.emplace_back("--cpu names several CPUs: an accelerator takes one");
  if (request.session.backend == "auto") request.session.backend = "onnxruntime";
  if (request.session.backend != "onnxruntime")
    request.wrong.emplace_back("--provider is of ONNX Runtime, not of --backend " + request.session.backend);
}

void read_cpus(const Invocation& call, ProfileOptions& request) {
  const std::vector<int> allowed = runtime::allowed_cpus();
  if (const auto text = call.value("cpu")) {
    for (const std::string& part : split_at_commas(*text)) {
      const std::optional<double> cpu = number_from(part, 0.0);
      const int number = static_cast<int>(cpu.value_or(-1.0));
      if (!cpu || std::find(allowed.begin(), allowed.end(), number) == allowed.end()) {
        request.wrong.emplace_back("this process may not run on CPU " + text::in_quotes(part));
      } else if (std::find(request.cpus.begin(), request.cpus.end(), number) != request.cpus.end()) {
        request.wrong.emplace_back("--cpu names CPU " + text::in_quotes(part) + " twice");
      } else {
        request.cpus.push_back(number);
      }
    }
  } else {
    request.cpus = {allowed.back()};
  }
  request.session.threads = std::max(1, static_cast<int>(request.cpus.size()));
}

}  // namespace

const CommandSpec& profile_spec() {
  static const CommandSpec spec{
      "profile",
      "PROFILE|FOLDER...",
      "Measures every variant of the networks on this machine, through the engine that serves, and writes\n"
      "their profile sets: accuracy on held-out images, frame times with all variants in turn on one core,\n"
      "memory and loading, energy where there is a meter. PROFILE is a profile set to measure, a draft of\n"
      "`saccade adopt` or one to measure again, with --data on your own labelled pictures; FOLDER is a "
      "trained\n"
      "network (training.json and its models), whose profile set is FOLDER.json, or a folder\n"
      "of both. A measurement that was stopped goes on where it was when the same command is given again.",
      {{"layers", "",
        "measure the variants' layers instead, as cut models on every processor, and the transfers between\n"
        "processors; writes saccade-layers/1 files for `saccade place` (MODEL.layers.json, or --out)"},
       {"processors", "NAME=CPU,...",
        "of --layers: the processors, each NAME=CPU[+CPU...][*FACTOR]; FACTOR: emulated that much slower;\n"
        "NAME=OTHER: another one like OTHER, with its times\n"
        "(default: one for each CPU that this process may use)"},
       {"max-live-tensors", "N", "of --layers: tensors that may cross a cut (default: 1)"},
       {"groups", "KIND", "of --layers: fine or coarse (default: fine)"},
       {"data", "PATH",
        "measure accuracy on own labelled pictures: COCO JSON, a YOLO folder, a folder per class, CSV"},
       {"images", "FOLDER", "where the pictures of COCO JSON or CSV lie (default: the file's folder)"},
       {"teacher", "VARIANT",
        "--data is a folder of pictures or a video without labels: what this variant finds is the truth"},
       {"only", "PATTERN,...", "only these variants (ID or NETWORK/ID, with * and ?); requires --out"},
       {"quick", "",
        "times alone, in fewer rounds; memory (of the same provider) and, without --data, accuracies are "
        "kept "
        "from PROFILE"},
       {"out", "FILE|FOLDER", "where the profile sets are written (default: PROFILE, or FOLDER.json)"},
       {"plot", "FOLDER", "plot each network's accuracy over frame time there"},
       {"fresh", "", "discard the journal of an interrupted measurement"},
       {"verify", "", "write nothing: measure accuracies and times again and compare them with PROFILE"},
       {"agree", "", "write nothing: compare the labels that ONNX Runtime and OpenCV give (fp32 variants)"},
       {"cpu", "N,...",
        "the CPU to measure on (default: the last one that this process may use); several: one thread on "
        "each"},
       {"backend", "NAME", "auto, onnxruntime, opencv or simulated (default: auto)"},
       {"provider", "NAME", "what of ONNX Runtime computes: cpu or cuda (default: cpu)"},
       {"device", "N", "of cuda: which card, counted from 0 (default: 0)"},
       {"no-graphs", "", "of cuda: without captured graphs, as \"graphs\": false serves"},
       {"wait", "HOW", "of cuda: spin or block, as served (default: spin)"},
       {"library", "FOLDER", "folder of ONNX Runtime and its execution providers"},
       {"graph-cache", "WHERE", "optimised graphs: auto, off or a folder (default: auto)"},
       {"model-power", "IDLE,ACTIVE", "energy from these watts, labelled as modelled, instead of a meter"},
       {"json", "", "the profile sets, or the comparison, as JSON instead of tables"}},
      1,
      std::numeric_limits<std::size_t>::max(),
      "Let the machine be idle meanwhile: the spread tells how much it was not."};
  return spec;
}

ProfileOptions profile_options(const Invocation& call) {
  ProfileOptions request;
  request.json = call.has("json");
  request.out = call.value("out");
  request.plot = call.value("plot");
  SessionOptions& session = request.session;
  session.backend = call.value("backend").value_or(session.backend);
  session.graph_cache.place = call.value("graph-cache").value_or(session.graph_cache.place);
  session.fresh = call.has("fresh");
  if (call.has("quick")) session.thoroughness = Thoroughness::quick;
  if (call.has("verify")) session.thoroughness = Thoroughness::verify;

  read_cpus(call, request);
  read_provider(call, request);
  if (const auto path = call.value("data")) {
    session.data = AccuracyData{{*path, call.value("images").value_or("")}, std::nullopt};
    if (const auto teacher = call.value("teacher")) session.data->teacher = VariantId(*teacher);
  }
  add_data_mistakes(call, request.wrong);
  if (const auto text = call.value("model-power")) {
    session.power = power_from(*text);
    if (!session.power)
      request.wrong.emplace_back("--model-power takes two numbers of watts, IDLE,ACTIVE, the first smaller");
  }
  const bool writes = !call.has("verify") && !call.has("agree");
  if (call.has("only") && !call.has("out") && writes) {
    request.wrong.emplace_back("--only would drop the other variants from the file; name another with --out");
  }
  if (call.has("quick") + call.has("verify") + call.has("agree") > 1) {
    request.wrong.emplace_back("--quick, --verify and --agree exclude each other");
  }
  for (const char* option : {"out", "plot", "fresh", "model-power"}) {
    if (!writes && call.has(option)) {
      request.wrong.emplace_back("--" + std::string(option) + " says how to write, but nothing is written");
    }
  }
  return request;
}

}  // namespace saccade::app
