#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/report/plot.hpp"
#include "app/report/profile_report.hpp"
#include "app/report/status_line.hpp"
#include "app/report/table.hpp"
#include "app/verbs/profile_layers.hpp"
#include "app/verbs/profile_session.hpp"
#include "app/verbs/profile_verify.hpp"
#include "app/verbs/verbs.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/machine/thread_settings.hpp"
#include "text/strict_json.hpp"

namespace saccade::app {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kAgreementImages = 4000;

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
        "of --layers: the processors, each NAME=CPU[+CPU...][*FACTOR]; FACTOR: emulated that much slower\n"
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
        "times alone, in fewer rounds; memory and, without --data, accuracies are kept from PROFILE"},
       {"out", "FILE|FOLDER", "where the profile sets are written (default: PROFILE, or FOLDER.json)"},
       {"plot", "FOLDER", "plot each network's accuracy over frame time there"},
       {"fresh", "", "discard the journal of an interrupted measurement"},
       {"verify", "", "write nothing: measure accuracies and times again and compare them with PROFILE"},
       {"agree", "", "write nothing: compare the labels that ONNX Runtime and OpenCV give (fp32 variants)"},
       {"cpu", "N,...",
        "the CPU to measure on (default: the last one that this process may use); several: one thread on "
        "each"},
       {"backend", "NAME", "auto, onnxruntime, opencv or simulated (default: auto)"},
       {"graph-cache", "WHERE", "optimised graphs: auto, off or a folder (default: auto)"},
       {"model-power", "IDLE,ACTIVE", "energy from these watts, labelled as modelled, instead of a meter"},
       {"json", "", "the profile sets, or the comparison, as JSON instead of tables"}},
      1,
      std::numeric_limits<std::size_t>::max(),
      "Let the machine be idle meanwhile: the spread tells how much it was not."};
  return spec;
}

// Runs the calling thread on these CPUs while it lives.
class OnCpus {
 public:
  explicit OnCpus(const std::vector<int>& cpus) : before_(runtime::allowed_cpus()) { runtime::pin_to(cpus); }
  ~OnCpus() { runtime::pin_to(before_); }
  OnCpus(const OnCpus&) = delete;
  OnCpus& operator=(const OnCpus&) = delete;

 private:
  std::vector<int> before_;
};

struct Request {
  SessionOptions session;
  std::vector<int> cpus;
  bool json = false;
  std::optional<std::string> out;
  std::optional<std::string> plot;
  std::vector<std::string> wrong;  // with the command line
};

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
}

void read_cpus(const Invocation& call, Request& request) {
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

Request request_from(const Invocation& call) {
  Request request;
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

// Where the set of a network is written: its home, a file, or a file in a folder when there are several.
fs::path file_of(const ProfileSubject& subject, const Request& request, bool several) {
  if (!request.out) return subject.home;
  std::error_code code;
  const bool folder = several || fs::is_directory(*request.out, code);
  return folder ? fs::path(*request.out) / subject.home.filename() : fs::path(*request.out);
}

Status draw(const profiles::ProfileSet& set, const fs::path& folder, std::ostream& err) {
  std::error_code code;
  fs::create_directories(folder, code);
  const auto plotted = write_chart(front_chart(set), folder / (set.network + "-front"));
  if (!plotted) return plotted.errors();
  if (!plotted.value().note.empty()) err << plotted.value().note << '\n';
  return Done{};
}

// One network after the other, with one status line for all of them.
class Campaign {
 public:
  Campaign(std::vector<ProfileSubject> subjects, const Request& request, ProfileSession& session,
           std::ostream& out, std::ostream& err)
      : subjects_(std::move(subjects)),
        request_(request),
        session_(session),
        out_(out),
        err_(err),
        status_(err, clock_) {}

  int run() {
    for (ProfileSubject& subject : subjects_) print_warnings(session_.prepare(subject), err_);
    std::erase_if(subjects_, [](const ProfileSubject& s) { return s.set.variants.empty(); });
    if (subjects_.empty()) {
      return fail({{request_.session.backend, "can run no variant of what is asked for", ""}},
                  kExitUnavailable, err_);
    }
    for (const ProfileSubject& subject : subjects_) {
      const Status possible = session_.check(subject);
      if (!possible) return fail(possible.errors(), kExitConfig, err_);
    }
    const bool verify = request_.session.thoroughness == Thoroughness::verify;
    for (; at_ < subjects_.size(); ++at_) {
      const int code = verify ? verify_one(subjects_[at_]) : measure_one(subjects_[at_]);
      if (code != kExitOk) return code;
    }
    session_.finish();
    if (request_.json) print_json();
    if (!request_.json) {
      out_ << "total: " << short_number(since_start(clock_.now()).value()) << " s for " << subjects_.size()
           << (subjects_.size() == 1 ? " network\n" : " networks\n");
    }
    return holds_ ? kExitOk : kExitFailed;
  }

 private:
  Result<runtime::MeasuredProfiles> measured(const ProfileSubject& subject,
                                             const std::optional<fs::path>& file) {
    const OnCpus on_cpus(request_.cpus);
    auto result = session_.measure(subject, file, [&](const runtime::ProfileProgress& progress) {
      const double here = (progress.number - 1 + progress.share) / progress.phases;
      const double share = (static_cast<double>(at_) + here) / static_cast<double>(subjects_.size());
      status_.show(subject.set.network + " (" + std::to_string(at_ + 1) + " of " +
                       std::to_string(subjects_.size()) + "), " + progress.phase,
                   share);
    });
    status_.clear();
    return result;
  }

  int measure_one(const ProfileSubject& subject) {
    const fs::path file = file_of(subject, request_, subjects_.size() > 1);
    const auto result = measured(subject, file);
    if (!result) return fail(result.errors(), kExitFailed, err_);
    if (session_.resumed() > 0) {
      err_ << subject.set.network << ": went on with what a stopped measurement had left\n";
    }
    const profiles::ProfileSet& set = result.value().set;
    print_warnings(session_.left_out(), err_);
    print_warnings(notes_on(result.value()), err_);
    if (request_.plot) {
      const Status drawn = draw(set, *request_.plot, err_);
      if (!drawn) return fail(drawn.errors(), kExitFailed, err_);
    }
    if (request_.json) {
      sets_.push_back(profiles::to_json(set));
      return kExitOk;
    }
    print_profiles(result.value(), out_);
    out_ << "written to " << file.string() << "\n\n";
    return kExitOk;
  }

  int verify_one(const ProfileSubject& subject) {
    const auto result = measured(subject, std::nullopt);
    if (!result) return fail(result.errors(), kExitFailed, err_);
    const Verification verification = verify(subject.set, result.value().set);
    holds_ = holds_ && verification.holds();
    if (request_.json) {
      comparisons_.push_back(to_json(verification));
    } else {
      print(verification, out_);
      out_ << '\n';
    }
    return kExitOk;
  }

  // One set as it stands in its file; several, or comparisons, as a list.
  void print_json() {
    if (!comparisons_.empty()) {
      out_ << Json{{"holds", holds_}, {"networks", comparisons_}}.dump(1) << '\n';
      return;
    }
    if (sets_.size() == 1) {
      out_ << sets_.front();
      return;
    }
    for (std::size_t i = 0; i < sets_.size(); ++i) out_ << (i == 0 ? "[" : ",") << sets_[i];
    out_ << "]\n";
  }

  std::vector<ProfileSubject> subjects_;
  const Request& request_;
  ProfileSession& session_;
  std::ostream& out_;
  std::ostream& err_;
  SteadyClock clock_;
  StatusLine status_;
  std::size_t at_ = 0;  // the subject that is measured
  bool holds_ = true;
  std::vector<std::string> sets_;
  Json comparisons_ = Json::array();
};

int agree(const std::vector<ProfileSubject>& subjects, bool json, std::ostream& out, std::ostream& err) {
  bool holds = true;
  Json networks = Json::array();
  const SteadyClock clock;
  StatusLine status(err, clock);
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const profiles::ProfileSet& set = subjects[i].set;
    if (set.interface.task != profiles::NetworkTask::classify) {
      err << set.network << ": is left out: it names no labels that could be compared\n";
      continue;
    }
    const auto agreement = compare_engines(set, kAgreementImages, [&](double share) {
      const double all = (static_cast<double>(i) + share) / static_cast<double>(subjects.size());
      status.show(set.network + ", labels of both engines", all);
    });
    status.clear();
    if (!agreement) return fail(agreement.errors(), kExitUnavailable, err);
    holds = holds && agreement.value().holds();
    if (json) {
      networks.push_back(to_json(agreement.value()));
    } else {
      print(agreement.value(), out);
    }
  }
  if (json) out << Json{{"holds", holds}, {"networks", std::move(networks)}}.dump(1) << '\n';
  return holds ? kExitOk : kExitFailed;
}

}  // namespace

int verb_profile(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const Invocation call = parse_command_line(profile_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  if (call.has("layers")) return profile_layers(call, out, err);
  Request request = request_from(call);
  for (const char* option : {"processors", "max-live-tensors", "groups"}) {
    if (call.has(option)) request.wrong.push_back("--" + std::string(option) + " is for --layers");
  }
  if (!request.wrong.empty()) return usage_error("profile", request.wrong, err);

  auto read = read_profile_subjects(call.arguments());
  if (!read) return fail(read.errors(), kExitConfig, err);
  std::vector<ProfileSubject> subjects = std::move(read).value();
  if (call.has("data") && subjects.size() > 1)
    return usage_error("profile", "--data is for one profile set", err);
  for (const ProfileSubject& subject : subjects) {
    const bool compares = call.has("verify") || call.has("agree");
    const bool keeps = call.has("quick") && !call.has("data");
    const bool enough = compares ? subject.measured && !subject.set.is_draft() : subject.measured;
    if ((!compares && !keeps) || enough) continue;
    return usage_error("profile",
                       subject.set.directory.string() +
                           " was never measured: there is nothing to take over or to compare with",
                       err);
  }
  if (const auto patterns = call.value("only")) {
    const Status kept = keep_only(split_at_commas(*patterns), subjects);
    if (!kept) return fail(kept.errors(), kExitUsage, err);
  }
  for (const ProfileSubject& subject : subjects) {
    const profiles::Device& device = subject.set.device;
    const int threads = device.processors.empty() ? 1 : device.threads_on(device.processors.front());
    if (!call.has("verify") || threads == request.session.threads) continue;
    return usage_error("profile",
                       subject.home.string() + " was measured with " + std::to_string(threads) +
                           " threads: give --cpu as many CPUs to compare with it",
                       err);
  }
  if (call.has("agree")) return agree(subjects, request.json, out, err);

  const auto session = ProfileSession::open(request.session);
  if (!session) return fail(session.errors(), kExitUnavailable, err);
  if (request.out && subjects.size() > 1) {
    std::error_code code;
    fs::create_directories(*request.out, code);
    if (code)
      return fail({{*request.out, "cannot be made a folder: " + code.message(), ""}}, kExitFailed, err);
  }
  return Campaign(std::move(subjects), request, *session.value(), out, err).run();
}

}  // namespace saccade::app
