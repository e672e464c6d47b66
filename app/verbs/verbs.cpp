#include "app/verbs/verbs.hpp"

#include <ostream>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/table.hpp"
#include "text/strict_json.hpp"

namespace saccade::app {
namespace {

constexpr Verb kVerbs[] = {
    {"adopt", "draft a profile set of a network of your own", verb_adopt},
    {"bench", "run a benchmark and report its figures", verb_bench},
    {"check", "validate configurations and profile sets", verb_check},
    {"ctl", "query or change a running service", verb_ctl},
    {"explain", "explain in sentences what would run, what limits it and what would help", verb_explain},
    {"fit", "fit a configuration to the machine it is to run on", verb_fit},
    {"fleet", "place cameras on many boxes, with a proven bound", verb_fleet},
    {"images", "write the generator's images for training", verb_images},
    {"import", "convert a CSV table to a profile set", verb_import},
    {"inspect", "show a model file's inputs and outputs, and a draft of its interface", verb_inspect},
    {"layers", "show a network as a chain of layers, and where it may be cut", verb_layers},
    {"pareto", "show what each Pareto selection keeps of a profile set", verb_pareto},
    {"place", "place one network over several processors, by every strategy", verb_place},
    {"plan", "compute the plan that would run, and explain it", verb_plan},
    {"profile", "measure the variants of a network on this machine", verb_profile},
    {"run", "serve the tasks and report what was achieved", verb_run},
    {"schema", "print the JSON Schema of a file format", verb_schema},
    {"sim", "simulate a run in virtual time, with faults", verb_sim},
    {"version", "print the version", verb_version},
};

void print_help(std::ostream& out) {
  out << "Usage: saccade VERB [arguments]\n\n"
         "Runs several camera tasks on one device: picks a variant of each task's network so that all\n"
         "keep their frame rate at the best accuracy the device allows, and switches without losing "
         "frames.\n\n";
  Table table({{"Verbs", Table::Align::left}, {"", Table::Align::left}});
  for (const Verb& verb : kVerbs) table.add_row({std::string("  ") + verb.name, verb.summary});
  table.print(out);
  out << "\n`saccade VERB --help` describes each verb.\n"
         "Exit codes: 0 ok, 1 failed while running, 2 usage, 3 infeasible, 69 unavailable, 78 bad "
         "configuration.\n";
}

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }

int run_program(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  if (args.empty()) {
    print_help(err);
    return kExitUsage;
  }
  if (args[0] == "--help" || args[0] == "-h" || args[0] == "help") {
    print_help(out);
    return kExitOk;
  }
  const std::string name = args[0] == "--version" ? "version" : args[0];
  std::vector<std::string> names;
  for (const Verb& verb : kVerbs) {
    if (name == verb.name) return verb.run({args.begin() + 1, args.end()}, out, err);
    names.emplace_back(verb.name);
  }
  const std::string meant = text::nearest(name, names);
  return usage_error(
      "",
      "there is no verb " + text::in_quotes(name) + (meant.empty() ? "" : "; did you mean `" + meant + "`?"),
      err);
}

}  // namespace saccade::app
