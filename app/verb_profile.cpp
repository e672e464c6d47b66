#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "app/exit_codes.hpp"
#include "app/options.hpp"
#include "app/output.hpp"
#include "app/profile_subject.hpp"
#include "app/table.hpp"
#include "app/verbs.hpp"
#include "base/clock.hpp"
#include "profiles/profile_io.hpp"
#include "profiles/strict_json.hpp"
#include "runtime/machine.hpp"
#include "runtime/profiler.hpp"
#include "runtime/real/thread_settings.hpp"
#include "runtime/thread_cpu_clock.hpp"

namespace saccade::app {

namespace {

constexpr std::size_t kAccuracyImages = 4000;

const CommandSpec& profile_spec() {
  static const CommandSpec spec{
      "profile",
      "PROFILE|FOLDER",
      "Measures every variant of a network on this machine, through the engine that serves, and writes the\n"
      "profile set: accuracy on held-out images, frame times with all variants in turn on one core, memory\n"
      "and loading. PROFILE is a profile set to measure again; FOLDER is a trained network (training.json\n"
      "and its models), whose profile set is FOLDER.json.",
      {{"only", "ID,ID", "these variants alone; asks for --out"},
       {"quick", "", "times alone, in fewer rounds; accuracies and memory are kept from PROFILE"},
       {"out", "FILE", "where the profile set is written (default: PROFILE, or FOLDER.json)"},
       {"cpu", "N", "the CPU to measure on (default: the last one that this process may use)"},
       {"backend", "NAME", "auto, onnxruntime, opencv or simulated (default: auto)"},
       {"json", "", "the profile set as JSON instead of a table"}},
      1,
      1,
      "Energy is not measured. Let the machine be idle meanwhile: the spread tells how much it was not."};
  return spec;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[16];
  return std::strftime(text, sizeof text, "%Y-%m-%d", &parts) > 0 ? text : "";
}

// Runs the calling thread on one CPU while it lives.
class OnCpu {
 public:
  explicit OnCpu(int cpu) : before_(runtime::allowed_cpus()) { runtime::pin_to({cpu}); }
  ~OnCpu() { runtime::pin_to(before_); }
  OnCpu(const OnCpu&) = delete;
  OnCpu& operator=(const OnCpu&) = delete;

 private:
  std::vector<int> before_;
};

// One line on a terminal that is written over; nothing anywhere else.
class StatusLine {
 public:
  StatusLine(std::ostream& err, const Clock& clock)
      : err_(err), clock_(clock), on_terminal_(&err == &std::cerr && ::isatty(STDERR_FILENO) == 1) {}
  ~StatusLine() {
    if (on_terminal_) err_ << "\r\033[K" << std::flush;
  }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void show(const runtime::ProfileProgress& progress) {
    if (!on_terminal_) return;
    const TimePoint now = clock_.now();
    const bool new_phase = progress.number != phase_;
    if (!new_phase && now - shown_ < std::chrono::milliseconds(200)) return;
    if (new_phase) began_ = now;
    phase_ = progress.number;
    shown_ = now;
    err_ << "\r\033[K" << progress.number << '/' << progress.phases << ' ' << progress.phase << ": "
         << std::lround(100.0 * progress.share) << " %";
    if (progress.share > 0.02) {
      const double elapsed = to_seconds(now - began_).value();
      err_ << ", " << std::lround(elapsed * (1.0 - progress.share) / progress.share) << " s left";
    }
    err_ << std::flush;
  }

 private:
  std::ostream& err_;
  const Clock& clock_;
  bool on_terminal_;
  int phase_ = 0;
  TimePoint began_{};
  TimePoint shown_{};
};

runtime::ProfileRequest request_for(const ProfileSubject& subject, bool quick) {
  runtime::ProfileRequest request;
  request.set = subject.set;
  if (!subject.set.device.processors.empty()) request.processor = subject.set.device.processors.front();
  if (!quick) return request;
  request.batches = {1};
  for (const auto& [batch, times] : subject.set.variants.front().batch_time) request.batches.push_back(batch);
  request.warmup_rounds = 2;
  request.fewest_rounds = 3;
  request.most_rounds = 100;
  request.time_per_batch = Seconds(2.0);
  request.loads = 0;
  request.memory_engines = 0;
  return request;
}

std::string milliseconds(double seconds) { return short_number(1e3 * seconds); }

template <class Tag>
std::string bytes_or_dash(const std::optional<Quantity<Tag>>& bytes) {
  return bytes ? short_bytes(bytes->value()) : "-";
}

void print_table(const runtime::MeasuredProfiles& measured, const ProcessorId& processor, std::ostream& out) {
  using Align = Table::Align;
  const profiles::ProfileSet& set = measured.set;
  out << set.network << " on " << set.device.name << ", " << set.provenance.engine << ", "
      << set.provenance.frames.value_or(0) << " rounds\n";
  std::vector<Table::Column> columns = {{"variant", Align::left}};
  for (const char* title : {"accuracy", "frame ms", "mean ms", "p99 ms", "spread"}) {
    columns.push_back({title, Align::right});
  }
  for (const auto& [batch, times] : set.variants.front().batch_time) {
    columns.push_back({"batch " + std::to_string(batch) + " ms", Align::right});
  }
  for (const char* title : {"memory", "load ms", "load peak"}) columns.push_back({title, Align::right});
  Table table(columns);
  for (std::size_t v = 0; v < set.variants.size(); ++v) {
    const profiles::Variant& variant = set.variants[v];
    std::vector<std::string> cells = {variant.id.str(),
                                      short_number(variant.accuracy),
                                      milliseconds(variant.frame_time.at(processor).value()),
                                      milliseconds(measured.mean[v]),
                                      milliseconds(variant.frame_time_p99.at(processor).value()),
                                      short_number(100.0 * measured.spread[v]) + " %"};
    for (const auto& [batch, times] : variant.batch_time) {
      cells.push_back(milliseconds(times.at(processor).value()));
    }
    cells.push_back(bytes_or_dash(variant.memory));
    cells.push_back(variant.load_time ? milliseconds(variant.load_time->value()) : "-");
    cells.push_back(bytes_or_dash(variant.load_peak));
    table.add_row(std::move(cells));
  }
  table.print(out);
}

Errors notes_on(const runtime::MeasuredProfiles& measured) {
  Errors notes = profiles::warnings(measured.set);
  std::string pairs;
  for (const auto& [faster, slower] : measured.unranked) {
    pairs += (pairs.empty() ? "" : ", ") + measured.set.variants[faster].id.str() + " and " +
             measured.set.variants[slower].id.str();
  }
  if (!pairs.empty()) {
    notes.push_back(
        {measured.set.network, "these neighbours cannot be ranked by their frame times: " + pairs, ""});
  }
  return notes;
}

int fail(const Errors& errors, int exit_code, std::ostream& err) {
  print_errors(errors, err);
  return exit_code;
}

}  // namespace

int verb_profile(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const Invocation call = parse_command_line(profile_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  const bool quick = call.has("quick");

  std::vector<int> cpus = runtime::allowed_cpus();
  if (const auto text = call.value("cpu")) {
    const std::optional<double> cpu = number_from(*text, 0.0);
    if (!cpu || std::find(cpus.begin(), cpus.end(), static_cast<int>(*cpu)) == cpus.end()) {
      return usage_error("profile", "this process may not run on CPU " + profiles::in_quotes(*text), err);
    }
    cpus = {static_cast<int>(*cpu)};
  }
  if (call.has("only") && !call.has("out")) {
    return usage_error("profile",
                       "--only would drop the other variants from the file; name another with --out", err);
  }

  auto read = read_profile_subject(call.arguments()[0]);
  if (!read) return fail(read.errors(), kExitConfig, err);
  ProfileSubject& subject = read.value();
  if (quick && !subject.measured) {
    return usage_error("profile", "--quick takes accuracies from a profile set; a folder has none yet", err);
  }
  if (const auto ids = call.value("only")) {
    const Status kept = keep_only(split(*ids), subject.set);
    if (!kept) return fail(kept.errors(), kExitUsage, err);
  }
  const auto backend = runtime::make_backend(call.value("backend").value_or("auto"));
  if (!backend) return fail(backend.errors(), kExitUnavailable, err);

  runtime::ProfileRequest request = request_for(subject, quick);
  print_warnings(runtime::leave_out_unsupported(*backend.value(), request), err);
  if (request.set.variants.empty()) {
    return fail({{backend.value()->version(), "can run no variant of " + subject.set.network, ""}},
                kExitUnavailable, err);
  }
  if (!quick) {
    auto images = runtime::held_out_images(subject.set.labels, subject.set.input, kAccuracyImages);
    if (!images) return fail(images.errors(), kExitConfig, err);
    request.images = std::move(images).value();
  }
  const SteadyClock clock;
  auto measured = [&] {
    const OnCpu on_cpu(cpus.back());
    StatusLine status(err, clock);
    return runtime::measure_profiles(*backend.value(), request, runtime::ThreadCpuClock(),
                                     [&](const runtime::ProfileProgress& p) { status.show(p); });
  }();
  if (!measured) return fail(measured.errors(), kExitFailed, err);

  profiles::ProfileSet& set = measured.value().set;
  set.device.name = runtime::machine_name();
  set.provenance.measured_by = quick ? "saccade profile --quick" : "saccade profile";
  set.provenance.date = today();
  const std::string file = call.value("out").value_or(subject.home.string());
  const Status moved = move_to(file, set);
  if (!moved) return fail(moved.errors(), kExitFailed, err);
  const Status written = profiles::write_profile_set(set, file);
  if (!written) return fail(written.errors(), kExitFailed, err);

  print_warnings(notes_on(measured.value()), err);
  if (call.has("json")) {
    out << profiles::to_json(set);
  } else {
    print_table(measured.value(), request.processor, out);
    out << "written to " << file << '\n';
  }
  return kExitOk;
}

}  // namespace saccade::app
