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
#include "app/verbs/profile_options.hpp"
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

// Where the set of a network is written: its home, a file, or a file in a folder when there are several.
fs::path file_of(const ProfileSubject& subject, const ProfileOptions& request, bool several) {
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
  Campaign(std::vector<ProfileSubject> subjects, const ProfileOptions& request, ProfileSession& session,
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
  const ProfileOptions& request_;
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
  ProfileOptions request = profile_options(call);
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
