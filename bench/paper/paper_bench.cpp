#include <algorithm>
#include <iostream>
#include <thread>

#include "app/exit_codes.hpp"
#include "app/options.hpp"
#include "app/output.hpp"
#include "bench/bench.hpp"
#include "bench/paper/experiments.hpp"
#include "bench/paper/results_page.hpp"
#include "profiles/profile_io.hpp"
#include "profiles/strict_json.hpp"

namespace saccade::bench {
namespace {

constexpr unsigned kMostThreads = 256;

std::string names_words() {
  std::string words =
      "Experiments (unless some are named: all but `plain` and `real`, which run engines; `all` stands for "
      "them):\n";
  for (const Experiment& each : experiments()) {
    const std::string name = each.name;
    words += "  " + name + std::string(name.size() < 12 ? 12 - name.size() : 1, ' ') + each.what + "\n";
  }
  return words +
         "\nA figure that is not as asked is no failure; something that must hold and did not is (exit code "
         "1).";
}

const app::CommandSpec& spec() {
  static const app::CommandSpec spec{
      "bench paper",
      "[EXPERIMENT...]",
      "The experiments of the paper (figures 2 to 7, table I) and some beyond it, on the measured profiles "
      "of\n"
      "the shipped networks, simulated. The same seed finds the same on every machine, with any number of\n"
      "threads.",
      {{"out", "DIR", "write JSON, CSV and charts there (default: out/paper)"},
       {"docs", "FILE",
        "write the report there, and its charts into images/ beside it; takes all experiments"},
       {"readme", "FILE",
        "with --docs: write what is required and found between the `paper` markers of this file"},
       {"scenario", "FILE", "tasks, rates and ranges (default: bench/paper/experiments.json of the sources)"},
       {"threads", "N", "how many run at once (default: as many as there are cores)"}},
      0,
      std::numeric_limits<std::size_t>::max(),
      names_words()};
  return spec;
}

// The experiments that are asked for, in the order of the report; an error names what is not known.
Result<std::vector<const Experiment*>> chosen(const std::vector<std::string>& names) {
  std::vector<std::string> known{"all"};
  for (const Experiment& each : experiments()) known.emplace_back(each.name);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string meant = profiles::nearest(name, known);
    return Error{"bench paper", "there is no experiment " + profiles::in_quotes(name),
                 meant.empty() ? "saccade bench paper --help" : "did you mean `" + meant + "`?"};
  }
  const auto named = [&](const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<const Experiment*> result;
  for (const Experiment& each : experiments()) {
    if (named(each.name) || (each.by_default && (names.empty() || named("all")))) result.push_back(&each);
  }
  return result;
}

void tell(const Finding& finding, std::ostream& out) {
  out << finding.title << '\n';
  for (const Comparison& each : finding.comparisons) {
    out << "  " << each.what << ": paper " << each.paper << ", ours " << each.ours << '\n';
  }
  for (const Requirement& each : finding.requirements) {
    out << "  " << (each.met ? "met: " : "NOT MET: ") << each.what << ": " << each.found << '\n';
  }
  for (const std::string& breach : finding.breaches) out << "  BROKEN: " << breach << '\n';
}

Status write_profiles(const Bed& bed, const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  for (const profiles::ProfileSetPtr& set : bed.modelled) {
    const Status written = profiles::write_profile_set(*set, folder / (set->network + "-modelled.json"));
    if (!written) return written.errors();
  }
  return Done{};
}

struct Request {
  std::filesystem::path out = "out/paper";
  std::filesystem::path scenario = std::filesystem::path(SACCADE_SOURCE_DIR) / "bench/paper/experiments.json";
  std::optional<std::string> docs;
  std::optional<std::string> readme;
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
};

}  // namespace

int bench_paper(const BenchArguments& args, std::ostream& out, std::ostream& err) {
  const app::Invocation call = app::parse_command_line(spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  Request request;
  if (const auto folder = call.value("out")) request.out = *folder;
  if (const auto file = call.value("scenario")) request.scenario = *file;
  request.docs = call.value("docs");
  request.readme = call.value("readme");
  if (request.readme && !request.docs) {
    return app::usage_error("bench paper", "--readme goes with --docs", err);
  }
  if (const auto text = call.value("threads")) {
    const auto threads = app::whole_number_from(*text);
    if (!threads || *threads == 0 || *threads > kMostThreads) {
      return app::usage_error("bench paper", "--threads is a whole number from 1 to 256", err);
    }
    request.threads = static_cast<unsigned>(*threads);
  }
  const Result<std::vector<const Experiment*>> which = chosen(call.arguments());
  if (!which) {
    app::print_errors(which.errors(), err);
    return app::kExitUsage;
  }
  const auto left_out = [&](const Experiment& each) {
    return each.by_default &&
           std::find(which.value().begin(), which.value().end(), &each) == which.value().end();
  };
  if (request.docs && std::any_of(experiments().begin(), experiments().end(), left_out)) {
    return app::usage_error("bench paper", "--docs takes all experiments: add `all`", err);
  }
  const Result<Bed> bed = open_bed(request.scenario);
  if (!bed) {
    app::print_errors(bed.errors(), err);
    return app::kExitConfig;
  }

  std::string command = "saccade bench paper";
  for (const std::string& arg : args) command += " " + arg;
  const Provenance from = provenance(command, bed.value().scenario.seed);
  bool failed = false;
  const auto told = [&](const Errors& errors) {
    app::print_errors(errors, err);
    failed = true;
  };
  if (const Status written = write_profiles(bed.value(), request.out / "profiles"); !written) {
    told(written.errors());
  }
  std::vector<Finding> findings;
  std::string note;
  {
    Progress progress(err);
    std::size_t done = 0;
    const Workers workers(request.threads, [&](double share) {
      progress.show(which.value()[done]->name,
                    (static_cast<double>(done) + share) / static_cast<double>(which.value().size()));
    });
    const Context context{bed.value(), workers,
                          std::filesystem::path(SACCADE_SOURCE_DIR) / "bench/scenarios/real.json"};
    for (; done < which.value().size(); ++done) {
      Result<Finding> found = which.value()[done]->run(context);
      if (!found) {
        told(found.errors());
        continue;
      }
      findings.push_back(std::move(found).value());
      const Result<std::string> written = write_files(findings.back(), from, request.out, "paper-");
      if (written) {
        note = written.value();
      } else {
        told(written.errors());
      }
    }
  }
  for (const Finding& finding : findings) {
    tell(finding, out);
    failed = failed || !finding.breaches.empty();
  }
  if (!note.empty()) err << note << '\n';
  if (request.docs && !failed) {
    const Status written =
        write_results_page(findings, bed.value().scenario.energy, from, request.out, *request.docs);
    if (!written) told(written.errors());
    if (request.readme) {
      const Status headline =
          replace_between_markers(*request.readme, "paper", '\n' + headline_of(findings, from) + '\n');
      if (!headline) told(headline.errors());
    }
  }
  out << "written to " << request.out.string() << "; " << one_line(from) << '\n';
  return failed ? app::kExitFailed : app::kExitOk;
}

}  // namespace saccade::bench
