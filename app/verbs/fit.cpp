#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/report/table.hpp"
#include "app/verbs/verbs.hpp"
#include "config/config.hpp"
#include "config/fit.hpp"
#include "config/partition.hpp"
#include "config/solvers.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/machine/cores.hpp"
#include "scheduler/policy.hpp"
#include "text/text_file.hpp"

namespace saccade::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const CommandSpec& fit_spec() {
  static const CommandSpec spec{
      "fit",
      "CONFIG",
      "Fits a configuration to this machine: writes a copy that uses the profiles measured here and whose\n"
      "demands are scaled (fps_scale) so that this machine is as full as CONFIG would make the machine its\n"
      "own profiles were measured on. With --cores the copy uses every core: the cores are divided among "
      "equal\n"
      "processors as each FOLDER was measured (one CPU, or several together), every partition is planned at\n"
      "the same demand, and the best is written.",
      {{"profiles", "FOLDER,...", "profile sets measured here, with the file names used in CONFIG"},
       {"cores", "", "use every core; with several FOLDERs: compare partitions, one per folder"},
       {"out", "FILE", "where the fitted configuration is written"}},
      1,
      1,
      "Measure first: saccade profile PROFILE --quick --out FOLDER/NAME.json, and for pairs of cores the "
      "same\n"
      "with --cpu 0,1 into another FOLDER"};
  return spec;
}

bool is_address(const std::string& path) { return path.find("://") != std::string::npos; }

// The same file as seen from another folder.
std::string moved(const std::string& path, const fs::path& from, const fs::path& to) {
  return fs::relative(fs::absolute(from / path), fs::absolute(to)).generic_string();
}

// `config` has been read successfully before: its shape is known to be right.
void use_measured_profiles(Json& config, const fs::path& from, const fs::path& to, const fs::path& measured) {
  for (Json& task : config.at("tasks")) {
    const fs::path name = fs::path(task.at("profiles").get<std::string>()).filename();
    task["profiles"] = fs::relative(fs::absolute(measured / name), fs::absolute(to)).generic_string();
    Json& source = task.at("source");
    if (!source.contains("path")) continue;
    const auto path = source.at("path").get<std::string>();
    if (!is_address(path)) source["path"] = moved(path, from, to);
  }
}

// The configuration with the profiles of one folder.
struct Fitted {
  std::string folder;
  Json config;
  runtime::RunConfig run;
};

class Fitting {
 public:
  Fitting(fs::path file, fs::path target, Json config)
      : file_(std::move(file)), target_(std::move(target)), config_(std::move(config)) {}

  [[nodiscard]] Result<Fitted> with_profiles(const std::string& folder, bool every_core) const {
    Fitted fitted{folder, config_, {}};
    use_measured_profiles(fitted.config, file_.parent_path(), target_.parent_path(), folder);
    if (every_core) {
      const Status divided = divide_cores(fitted);
      if (!divided) return divided.errors();
    }
    const Status read = read_again(fitted);
    if (!read) return read.errors();
    return fitted;
  }

  [[nodiscard]] Status scale(double factor, Fitted& fitted) const {
    fitted.config["fps_scale"] = config_.value("fps_scale", 1.0) * factor;
    return read_again(fitted);
  }

 private:
  [[nodiscard]] Status read_again(Fitted& fitted) const {
    auto read = config::parse_config(fitted.config.dump(2), target_.string(), target_.parent_path());
    if (!read) return read.errors();
    fitted.run = std::move(read).value().run;
    return Done{};
  }

  // One processor for as many cores as the sets of the folder were measured with threads.
  [[nodiscard]] Status divide_cores(Fitted& fitted) const {
    const std::string name = fitted.config.at("tasks").front().at("profiles").get<std::string>();
    const fs::path path = target_.parent_path() / name;
    const auto set = profiles::read_profile_set(path);
    if (!set) return set.errors();
    const auto divided = config::partition(runtime::machine_cores(), set.value().device);
    if (!divided) {
      return Error{path.string(),
                   "was measured with more threads than this machine has cores that may be used",
                   "measure with fewer CPUs"};
    }
    Json processors = Json::array();
    for (const std::vector<int>& cpus : divided->cpus) {
      processors.push_back(
          {{"name", "cpu" + std::to_string(cpus.front())}, {"kind", divided->kind.str()}, {"cpus", cpus}});
    }
    fitted.config["processors"] = std::move(processors);
    return Done{};
  }

  fs::path file_;
  fs::path target_;
  Json config_;
};

std::string partition_text(const runtime::RunConfig& run) {
  const std::size_t cpus = run.processors.front().cpus.size();
  return std::to_string(run.processors.size()) + " x " + std::to_string(cpus);
}

// Which of the partitions serves best at its fullest state, with a table of all.
std::size_t best_of(const std::vector<Fitted>& all, std::size_t state, std::ostream& out) {
  constexpr auto kRight = Table::Align::right;
  Table table({{"partition"},
               {"profiles"},
               {"plan"},
               {"lost frames/s", kRight},
               {"objective", kRight},
               {"fullest processor", kRight}});
  std::vector<scheduler::Plan> plans;
  std::vector<double> fullest;
  std::size_t best = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const runtime::RunConfig& run = all[i].run;
    const scheduler::Snapshot& snapshot = run.timeline.at(state).snapshot;
    const auto solver = config::make_solver(run.solver);
    plans.push_back(scheduler::make_policy(run.policy, *solver)->decide(snapshot, {}));
    const scheduler::Plan& plan = plans.back();
    double most = 0.0;
    for (std::size_t p = 0; p < plan.totals.time_share.size(); ++p) {
      most = std::max(most, plan.totals.time_share[p] / snapshot.processors[p].budget());
    }
    fullest.push_back(most);
    if (config::serves_better(plan, most, plans[best], fullest[best])) best = i;
    table.add_row({partition_text(run), all[i].folder, to_string(plan.status),
                   short_number(plan.totals.lost.value()),
                   plan.objective_value ? short_number(*plan.objective_value) : "-", short_percent(most)});
  }
  table.print(out);
  return best;
}

}  // namespace

int verb_fit(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const Invocation call = parse_command_line(fit_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  if (!call.has("profiles") || !call.has("out")) {
    return usage_error("fit", "--profiles and --out are needed", err);
  }
  const std::vector<std::string> folders = split_at_commas(*call.value("profiles"));
  if (folders.size() > 1 && !call.has("cores")) {
    return usage_error("fit", "several folders are partitions to compare: give --cores as well", err);
  }
  const fs::path file = call.arguments()[0];
  const fs::path target = *call.value("out");
  const auto fail = [&](const Errors& errors) {
    print_errors(errors, err);
    return kExitConfig;
  };

  const auto named = config::read_config(file);
  if (!named) return fail(named.errors());
  std::ifstream in(file);
  Json document = Json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) return fail({{file.string(), "the file changed while it was read", ""}});
  const Fitting fitting(file, target, std::move(document));
  std::vector<Fitted> all;
  for (const std::string& folder : folders) {
    auto fitted = fitting.with_profiles(folder, call.has("cores"));
    if (!fitted) return fail(fitted.errors());
    all.push_back(std::move(fitted).value());
  }
  const config::Fit fit = config::fit(named.value().run, all.front().run);
  if (!(fit.named > 0.0) || !(fit.measured > 0.0)) {
    return fail({{file.string(), "no task demands a frame at any time", "give a task an fps above 0"}});
  }
  for (Fitted& fitted : all) {
    const Status scaled = fitting.scale(fit.factor(), fitted);
    if (!scaled) return fail(scaled.errors());
  }
  const std::size_t best = call.has("cores") ? best_of(all, fit.state, out) : 0;
  const Status written = text::write_text_file(target, all[best].config.dump(2) + "\n");
  if (!written) return fail(written.errors());
  out << "demand x " << short_number(fit.factor()) << ": the most accurate variants of all tasks need "
      << short_number(fit.named) << " times the time budget at full demand with the profiles of "
      << file.string() << ", " << short_number(fit.measured) << " times with those measured here\n";
  if (call.has("cores")) {
    out << "partition " << partition_text(all[best].run) << ": processors x cores, with the profiles of "
        << all[best].folder << '\n';
  }
  out << "written to " << target.string() << '\n';
  return kExitOk;
}

}  // namespace saccade::app
