#include <algorithm>
#include <iostream>
#include <thread>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "bench/bench.hpp"
#include "bench/paper/experiments.hpp"
#include "bench/paper/results_page.hpp"
#include "profiles/profile_io.hpp"
#include "text/strict_json.hpp"

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

const app::CommandSpec& paper_spec() {
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
       {"section", "FILE",
        "write the experiments that are run between their markers of the report there; the rest stays"},
       {"scenario", "FILE", "tasks, rates and ranges (default: bench/paper/experiments.json of the sources)"},
       {"real", "FILE",
        "the configuration of `real`, for one with profiles measured on this machine (default:\n"
        "bench/scenarios/real.json of the sources)"},
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
    const std::string meant = text::nearest(name, known);
    return Error{"bench paper", "there is no experiment " + text::in_quotes(name),
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

void print_finding(const Finding& finding, std::ostream& out) {
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
  std::filesystem::path real = std::filesystem::path(SACCADE_SOURCE_DIR) / "bench/scenarios/real.json";
  std::optional<std::string> docs;
  std::optional<std::string> readme;
  std::optional<std::string> section;
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<const Experiment*> experiments;  // in the order of the report
};

// Returns the exit code when the command line is wrong.
std::optional<int> read_request(const app::Invocation& call, Request& request, std::ostream& err) {
  if (const auto folder = call.value("out")) request.out = *folder;
  if (const auto file = call.value("scenario")) request.scenario = *file;
  if (const auto file = call.value("real")) request.real = *file;
  request.docs = call.value("docs");
  request.readme = call.value("readme");
  request.section = call.value("section");
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
  Result<std::vector<const Experiment*>> which = chosen(call.arguments());
  if (!which) return app::fail(which.errors(), app::kExitUsage, err);
  request.experiments = std::move(which).value();
  const auto left_out = [&](const Experiment& each) {
    return each.by_default && std::find(request.experiments.begin(), request.experiments.end(), &each) ==
                                  request.experiments.end();
  };
  if (request.docs && std::any_of(experiments().begin(), experiments().end(), left_out)) {
    return app::usage_error("bench paper", "--docs takes all experiments: add `all`", err);
  }
  return std::nullopt;
}

// One run of the experiments with its files. Errors are printed as they come; the run goes on.
class PaperRun {
 public:
  PaperRun(const Request& request, const Bed& bed, Provenance from, std::ostream& out, std::ostream& err)
      : request_(request), bed_(bed), from_(std::move(from)), out_(out), err_(err) {}

  int run() {
    collect(write_profiles(bed_, request_.out / "profiles"));
    const std::string note = run_experiments();
    for (const Finding& finding : findings_) {
      print_finding(finding, out_);
      failed_ = failed_ || !finding.breaches.empty();
    }
    if (!note.empty()) err_ << note << '\n';
    if (request_.docs && !failed_) write_report();
    if (request_.section && !failed_)
      collect(write_sections(findings_, from_, request_.out, *request_.section));
    out_ << "written to " << request_.out.string() << "; " << one_line(from_) << '\n';
    return failed_ ? app::kExitFailed : app::kExitOk;
  }

 private:
  template <class T>
  bool collect(const Result<T>& result) {
    if (result) return true;
    app::print_errors(result.errors(), err_);
    failed_ = true;
    return false;
  }

  // Returns how to get pictures of the charts; empty when they are there.
  std::string run_experiments() {
    std::string note;
    Progress progress(err_);
    std::size_t done = 0;
    const auto all = static_cast<double>(request_.experiments.size());
    const Workers workers(request_.threads, [&](double share) {
      progress.show(request_.experiments[done]->name, (static_cast<double>(done) + share) / all);
    });
    const Context context{bed_, workers, request_.real};
    for (; done < request_.experiments.size(); ++done) {
      Result<Finding> found = request_.experiments[done]->run(context);
      if (!collect(found)) continue;
      findings_.push_back(std::move(found).value());
      const Result<std::string> written = write_files(findings_.back(), from_, request_.out, "paper-");
      if (collect(written)) note = written.value();
    }
    return note;
  }

  void write_report() {
    collect(write_results_page(findings_, bed_.scenario.energy, from_, request_.out, *request_.docs));
    if (!request_.readme) return;
    collect(replace_between_markers(*request_.readme, "paper", '\n' + headline_of(findings_, from_) + '\n'));
  }

  const Request& request_;
  const Bed& bed_;
  const Provenance from_;
  std::ostream& out_;
  std::ostream& err_;
  std::vector<Finding> findings_;
  bool failed_ = false;
};

}  // namespace

int bench_paper(const BenchArguments& args, std::ostream& out, std::ostream& err) {
  const app::Invocation call = app::parse_command_line(paper_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  Request request;
  if (const auto exit_code = read_request(call, request, err)) return *exit_code;
  const Result<Bed> bed = open_bed(request.scenario);
  if (!bed) return app::fail(bed.errors(), app::kExitConfig, err);
  const Provenance from = provenance(command_of("paper", args), bed.value().scenario.seed);
  return PaperRun(request, bed.value(), from, out, err).run();
}

}  // namespace saccade::bench
