// saccade-bench NAME [options], which `saccade bench NAME [options]` starts.
#include <iostream>
#include <string>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/report/table.hpp"
#include "bench/bench.hpp"
#include "bench/report.hpp"
#include "text/strict_json.hpp"

namespace {

using namespace saccade;

struct NamedBench {
  const char* name;
  const char* summary;
  int (*run)(const bench::BenchArguments& args, std::ostream& out, std::ostream& err);
};

constexpr NamedBench kBenches[] = {
    {"accelerator",
     "engines on a card, alone and while others load; without one what is missing, and a fake one",
     bench::bench_accelerator},
    {"detectors", "a detector's variants: accuracy, what frames are made of, and the decoders alone",
     bench::bench_detectors},
    {"fleet", "cameras to boxes on fleets of up to 5,000 boxes: time, proven gap, losses, the naive ways",
     bench::bench_fleet},
    {"paper", "the paper's experiments on the shipped networks, with plots and a report", bench::bench_paper},
    {"placement", "one network over several processors: the papers' methods beside exact ones",
     bench::bench_placement},
    {"policies", "the four policies side by side on the same arrivals, for any configuration",
     bench::bench_policies},
    {"results", "what results cost: a worker's hand-over, and a sink whose broker is away",
     bench::bench_results},
    {"service", "the HTTP API under attack, under a thousand changes a minute, and asked for its status",
     bench::bench_service},
    {"solver", "the planner beside GLPK, CBC and HiGHS on the named families of instances",
     bench::bench_solver},
    {"sources", "network cameras: first picture, decoding, cameras that go away, sixteen at once",
     bench::bench_sources},
    {"switch", "engines exchanged while they serve: frames lost, gaps, memory, beside the naive way",
     bench::bench_switch},
};

void print_help(std::ostream& out) {
  out << "saccade bench NAME [options]\n\n";
  app::Table table({{"Benches", app::Table::Align::left}, {"", app::Table::Align::left}});
  for (const NamedBench& bench : kBenches) table.add_row({std::string("  ") + bench.name, bench.summary});
  table.print(out);
  out << "\n`saccade bench NAME --help` tells more of each.\n";
}

}  // namespace

int main(int argc, char** argv) {
  const bench::BenchArguments args(argv + 1, argv + argc);
  if (args.empty()) {
    print_help(std::cerr);
    return app::kExitUsage;
  }
  if (args[0] == "--help" || args[0] == "-h") {
    print_help(std::cout);
    return app::kExitOk;
  }
  std::vector<std::string> names;
  for (const NamedBench& bench : kBenches) {
    if (args[0] == bench.name) {
      const Status may = bench::may_publish(bench::built_commit(), args);
      if (may) return bench.run({args.begin() + 1, args.end()}, std::cout, std::cerr);
      app::print_errors(may.errors(), std::cerr);
      return app::kExitUsage;
    }
    names.emplace_back(bench.name);
  }
  const std::string meant = text::nearest(args[0], names);
  return app::usage_error("bench",
                          "there is no bench " + text::in_quotes(args[0]) +
                              (meant.empty() ? "" : "; did you mean `" + meant + "`?"),
                          std::cerr);
}
