#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/verbs/import_layers.hpp"
#include "app/verbs/label_file.hpp"
#include "app/verbs/profile_subject.hpp"
#include "app/verbs/verbs.hpp"
#include "profiles/csv_import.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/engines/engine.hpp"
#include "text/strict_json.hpp"

namespace saccade::app {
namespace {

const CommandSpec& import_spec() {
  static const CommandSpec spec{
      "import",
      "FILE.csv",
      "Makes a profile set of a table that others measured: one variant per line, the first line names the\n"
      "columns. Needed are id, accuracy (a share of 1) and frame_time_seconds; power_watts,\n"
      "energy_joules_per_frame, memory_bytes, device_memory_bytes, load_time_seconds, precision and model\n"
      "may be there. An empty cell = not measured. With --layers the table has the layers of one network, "
      "one\n"
      "per line, and becomes the file that `saccade place` reads: name and seconds:PROCESSOR are needed.",
      {{"network", "NAME", "name of the network"},
       {"device", "NAME", "the device they were measured on"},
       {"out", "FILE.json", "where the profile set, or the file of layers, is written"},
       {"processor", "NAME", "the processor of the frame times (default: cpu)"},
       {"idle-power", "WATTS", "idle power of the device; give it if power and energy exclude it"},
       {"metric", "NAME", "what the accuracies are: top1, map, map50 or another name (default: top1)"},
       {"energy-source", "NAME", "measured or modelled (default: measured if there is power or energy)"},
       {"input", "WxHxC", "input size of the network; needed to run it"},
       {"labels", "FILE", "labels of the outputs, one per line; needed to run it"},
       {"layers", "", "the table has the layers of one network (docs/placement.md)"},
       {"model", "FILE", "of --layers: the network's model, whose hash is recorded; needed to cut it"},
       {"link", "LINK", "of --layers: a transfer, FROM:TO=SECONDS+SECONDS_PER_BYTE; several times", true},
       {"whole", "TIME", "of --layers: PROCESSOR=SECONDS of the whole network; several times", true},
       {"paid-by", "SIDE", "of --layers: receiver, sender or both pay a transfer (default: receiver)"}},
      1,
      1,
      "Variants without a model can be planned but not run. Models are looked for beside FILE.csv.\n"
      "Exit codes: 0 written, 78 the table is wrong, 1 the profile set cannot be written."};
  return spec;
}

// "64x64x3" or "64x64"
std::optional<profiles::InputShape> input_from(const std::string& text) {
  profiles::InputShape input;
  std::array<int*, 3> sides = {&input.width, &input.height, &input.channels};
  constexpr int kMostChannels = 4;
  std::size_t count = 0;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (; count < sides.size() && at != end; ++count) {
    if (count > 0 && *at++ != 'x') return std::nullopt;
    const auto [next, failure] = std::from_chars(at, end, *sides[count]);
    if (failure != std::errc{} || *sides[count] < 1 ||
        *sides[count] > (count == 2 ? kMostChannels : profiles::kMostInputSide)) {
      return std::nullopt;
    }
    at = next;
  }
  if (at != end || count < 2) return std::nullopt;
  return input;
}

// So that a run takes the very files that were imported.
Errors hash_models(profiles::ProfileSet& set) {
  Errors missing;
  for (profiles::Variant& variant : set.variants) {
    if (variant.model.empty()) continue;
    Result<std::string> hash = runtime::sha256_of(set.directory / variant.model);
    if (hash) {
      variant.sha256 = std::move(hash).value();
      continue;
    }
    for (const Error& error : hash.errors()) {
      missing.push_back({error.where, error.what + ", which variant " + variant.id.str() + " names",
                         "leave the cell empty for a variant that is only planned"});
    }
  }
  return missing;
}

}  // namespace

int verb_import(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const Invocation call = parse_command_line(import_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  if (call.has("layers")) return import_layer_table(call, out, err);
  for (const char* option : {"model", "link", "whole", "paid-by"}) {
    if (call.has(option)) return usage_error("import", std::string("--") + option + " is for --layers", err);
  }
  for (const char* needed : {"network", "device", "out"}) {
    if (!call.has(needed)) return usage_error("import", std::string("--") + needed + " is needed", err);
  }
  profiles::CsvContext context{.network = *call.value("network"), .device = *call.value("device")};
  context.processor = call.value("processor").value_or(context.processor);
  context.metric = call.value("metric");
  context.energy_source = call.value("energy-source").value_or("");
  if (const auto watts = call.value("idle-power")) {
    context.idle_power_watts = number_from(*watts, 0.0);
    if (!context.idle_power_watts) return usage_error("import", "--idle-power takes watts from 0", err);
  }
  std::optional<profiles::InputShape> input;
  if (const auto text = call.value("input")) {
    input = input_from(*text);
    if (!input) {
      return usage_error(
          "import", "--input takes width, height and channels as in 64x64x3, not " + text::in_quotes(*text),
          err);
    }
  }
  if (const auto file = call.value("labels")) {
    auto labels = read_label_file(*file);
    if (!labels) return fail(labels.errors(), kExitConfig, err);
    context.labels = std::move(labels).value();
  }

  auto imported = profiles::import_csv(call.arguments()[0], context);
  if (!imported) return fail(imported.errors(), kExitConfig, err);
  profiles::ProfileSet& set = imported.value();
  if (input) set.input = *input;
  if (const Errors missing = hash_models(set); !missing.empty()) return fail(missing, kExitConfig, err);

  const std::string file = *call.value("out");
  if (const Status moved = move_to(file, set); !moved) return fail(moved.errors(), kExitFailed, err);
  if (const Status written = profiles::write_profile_set(set, file); !written) {
    return fail(written.errors(), kExitFailed, err);
  }
  Errors notes = profiles::warnings(set, file);
  if (!call.has("metric")) {
    notes.push_back({file,
                     "the metric of the accuracies was not given, " + set.interface.metric + " is assumed",
                     "--metric names it: map and map50 of detectors, or another name"});
  }
  print_warnings(notes, err);
  const auto models = std::count_if(set.variants.begin(), set.variants.end(),
                                    [](const profiles::Variant& variant) { return !variant.model.empty(); });
  out << file << ": " << set.variants.size() << " variants of " << set.network << " on " << set.device.name
      << ", " << (models == 0 ? std::string("none") : std::to_string(models))
      << " with a model; accuracy: " << set.interface.metric << ", declared\n";
  return kExitOk;
}

}  // namespace saccade::app
