#include "app/verbs/profile_session.hpp"

#include <ctime>
#include <thread>
#include <utility>

#include "profiles/origin.hpp"
#include "profiles/processor_kinds.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/engines/cuda_memory.hpp"
#include "runtime/engines/providers.hpp"
#include "runtime/machine/machine.hpp"
#include "runtime/machine/thread_cpu_clock.hpp"
#include "runtime/sources/held_out_images.hpp"
#include "text/strict_json.hpp"

namespace saccade::app {

namespace {

constexpr std::size_t kPicturesOfFrames = 32;

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[16];
  return std::strftime(text, sizeof text, "%Y-%m-%d", &parts) > 0 ? text : "";
}

std::string measured_by(const SessionOptions& options) {
  std::string command = "saccade profile";
  if (options.thoroughness == Thoroughness::quick) command += " --quick";
  if (options.data) {
    const std::filesystem::path& path = options.data->files.path;
    command += " --data " + (path.has_filename() ? path : path.parent_path()).filename().string();
    if (options.data->teacher) command += " --teacher " + options.data->teacher->str();
  }
  if (options.provider.name != "cpu") command += " --provider " + options.provider.name;
  if (options.power) {
    command += " --model-power " + text::to_text(options.power->idle.value()) + "," +
               text::to_text(options.power->active.value());
  }
  return command;
}

std::string teacher_hint(const profiles::ProfileSet& set, const VariantId& teacher) {
  std::vector<std::string> ids;
  for (const profiles::Variant& variant : set.variants) ids.push_back(variant.id.str());
  const std::string meant = text::nearest(teacher.str(), ids);
  if (!meant.empty()) return "did you mean `" + meant + "`?";
  return "the most accurate variant is the best teacher";
}

// Agreement with a teacher and accuracy on labels are different figures: they are not compared.
Status check_comparable(const ProfileSubject& subject, bool taught) {
  const profiles::Provenance& provenance = subject.set.provenance;
  const bool was_taught = provenance.accuracy_source == profiles::AccuracySource::teacher;
  if (was_taught == taught) return Done{};
  if (was_taught) {
    return Error{subject.home.string(),
                 "its accuracies are against a teacher, " + text::in_quotes(provenance.accuracy_data) +
                     ", which accuracies on labels cannot be compared with",
                 "give --data and --teacher as they were when it was measured"};
  }
  return Error{subject.home.string(),
               "its accuracies are on labels, which those against a teacher cannot be compared with",
               "leave --teacher out, and give the labelled pictures that it was measured on"};
}

// Times are compared on one processor.
Status check_processor(const ProfileSubject& subject, const SessionOptions& options) {
  const auto& measured = subject.set.device.processors;
  const ProcessorId now = profiled_processor(subject.set, options);
  if (!measured.empty() && measured.front() == now) return Done{};
  const std::string before = measured.empty() ? "no processor" : text::in_quotes(measured.front().str());
  return Error{subject.home.string(),
               "it was measured for " + before + ", and this would measure " + text::in_quotes(now.str()),
               "verify with the --provider and --cpu that it was measured with"};
}

}  // namespace

Result<std::unique_ptr<ProfileSession>> ProfileSession::open(SessionOptions options) {
  std::unique_ptr<ProfileSession> session(new ProfileSession(std::move(options)));
  const ProfiledProvider& provider = session->options_.provider;
  if (provider.name != "cpu") {
    const runtime::ProviderUse use{"of --provider", provider.name, provider.device};
    if (Errors missing = runtime::missing_here({use}, provider.library); !missing.empty()) return missing;
  }
  auto backend =
      runtime::make_backend(session->options_.backend, session->options_.graph_cache, provider.library);
  if (!backend) return backend.errors();
  session->backend_ = std::move(backend).value();
  if (provider.name == "cuda") {
    auto memory = runtime::cuda_memory_meter(provider.device);
    if (!memory) return memory.errors();
    session->device_memory_ = std::move(memory).value();
  }
  if (session->backend_->keeps_graphs() && provider.name == "cpu") {
    auto uncached = runtime::make_backend(session->backend_->name(), std::nullopt, provider.library);
    if (!uncached) return uncached.errors();
    session->uncached_ = std::move(uncached).value();
  }
  // What a meter sees of the simulated engine is not that engine's.
  const bool real = session->backend_->name() != "simulated";
  if (real && !session->options_.power && session->options_.thoroughness != Thoroughness::verify) {
    session->meter_ = runtime::find_energy_meter();
  }
  if (provider.name == "cuda") {
    auto note = runtime::unnamed_device(provider.device, runtime::cuda_device_names());
    if (note) session->meter_.notes.push_back(*std::move(note));
  }
  return session;
}

Status ProfileSession::check(const ProfileSubject& subject) {
  const bool taught = options_.data && options_.data->teacher;
  if (options_.thoroughness == Thoroughness::verify) {
    if (const Status possible = check_comparable(subject, taught); !possible) return possible.errors();
    if (const Status possible = check_processor(subject, options_); !possible) return possible.errors();
  }
  if (options_.data) {
    const AccuracyData& data = *options_.data;
    if (data.teacher && !subject.set.index_of(*data.teacher)) {
      return Error{"--teacher",
                   "no variant that is measured has the id " + text::in_quotes(data.teacher->str()),
                   teacher_hint(subject.set, *data.teacher)};
    }
    auto images = data.teacher ? runtime::unlabelled_images(subject.set, data.files.path)
                               : runtime::labelled_images(subject.set, data.files);
    if (!images) return images.errors();
    own_images_ = std::move(images).value();
    return Done{};
  }
  if (options_.thoroughness == Thoroughness::quick) return Done{};
  const auto images = runtime::held_out_images(subject.set, 1);
  if (!images) return images.errors();
  return Done{};
}

Errors ProfileSession::prepare(ProfileSubject& subject) {
  runtime::ProfileRequest request;
  request.set = std::move(subject.set);
  request.threads = options_.threads;
  take_provider(request);
  Errors notes = runtime::leave_out_unsupported(*backend_, request);
  subject.set = std::move(request.set);
  notes.insert(notes.end(), meter_.notes.begin(), meter_.notes.end());
  meter_.notes.clear();
  return notes;
}

Status ProfileSession::add_images(const ProfileSubject& subject, runtime::ProfileRequest& request) const {
  if (own_images_) {
    request.images = own_images_;
    if (options_.data->teacher) request.teacher = subject.set.index_of(*options_.data->teacher);
    return Done{};
  }
  const bool quick = options_.thoroughness == Thoroughness::quick;
  // A detector's frame time depends on what there is to find.
  if (quick && subject.set.interface.task != profiles::NetworkTask::detect) return Done{};
  const std::size_t count = quick ? kPicturesOfFrames : runtime::held_out_count(subject.set);
  auto images = runtime::held_out_images(subject.set, count);
  if (!images && quick) return Done{};
  if (!images) return images.errors();
  request.images = std::move(images).value();
  request.keep_accuracy = quick;
  return Done{};
}

Result<runtime::ProfileRequest> ProfileSession::request_for(const ProfileSubject& subject) const {
  runtime::ProfileRequest request;
  request.set = subject.set;
  request.processor = profiled_processor(subject.set, options_);
  request.threads = options_.threads;
  take_provider(request);
  request.device_memory = device_memory_.get();
  request.uncached = uncached_.get();
  if (meter_.meter) {
    request.energy = runtime::EnergyTrial{};
    request.energy->meter = meter_.meter.get();
    request.energy->clock = &clock_;
    request.energy->rest = [](Duration time) { std::this_thread::sleep_for(time); };
  }
  if (options_.thoroughness == Thoroughness::quick) make_quick(request);
  if (options_.thoroughness == Thoroughness::verify) {
    request.batches = {1};
    request.loads = 3;
    request.memory_engines = 0;
    request.rounds.time = Seconds(5.0);
  }
  if (const Status added = add_images(subject, request); !added) return added.errors();
  return request;
}

Result<runtime::MeasuredProfiles> ProfileSession::measure(const ProfileSubject& subject,
                                                          const std::optional<std::filesystem::path>& file,
                                                          const runtime::ReportProgress& progress) {
  auto request = request_for(subject);
  if (!request) return request.errors();
  left_out_ = runtime::leave_out_batches(*backend_, request.value());
  resumed_ = 0;
  if (file) {
    auto journal = runtime::ProfileJournal::open(file->string() + ".journal",
                                                 runtime::measurement_identity(*backend_, request.value()),
                                                 options_.fresh);
    if (!journal) return journal.errors();
    journals_.push_back(std::move(journal).value());
    request.value().journal = journals_.back().get();
    resumed_ = journals_.back()->found();
  }
  // With several threads, or a device, the calling one waits for the others.
  const bool waits = options_.threads > 1 || options_.provider.name != "cpu";
  const std::unique_ptr<Clock> clock = waits ? std::unique_ptr<Clock>(std::make_unique<SteadyClock>())
                                             : std::make_unique<runtime::ThreadCpuClock>();
  auto measured = runtime::measure_profiles(*backend_, request.value(), *clock, progress);
  if (!measured) return measured;
  profiles::ProfileSet& set = measured.value().set;
  set.device.name = device_name();
  set.provenance.measured_by = measured_by(options_);
  set.provenance.date = today();
  if (options_.power) model_power(*options_.power, request.value().processor, set);
  if (!file) return measured;
  const Status moved = move_to(*file, set);
  if (!moved) return moved.errors();
  const Status written = profiles::write_profile_set(set, *file);
  if (!written) return written.errors();
  return measured;
}

void ProfileSession::take_provider(runtime::ProfileRequest& request) const {
  request.provider = options_.provider.name;
  request.device = options_.provider.device;
  request.graphs = options_.provider.graphs;
  request.block = options_.provider.block;
}

// What computes: the card, where one does.
std::string ProfileSession::device_name() const {
  if (options_.provider.name != "cuda") return runtime::machine_name();
  const std::vector<std::string> cards = runtime::cuda_device_names();
  const auto device = static_cast<std::size_t>(options_.provider.device);
  return device < cards.size() && !cards[device].empty() ? cards[device] : profiles::kUnnamedCard;
}

void ProfileSession::finish() {
  for (const auto& journal : journals_) journal->remove();
  journals_.clear();
}

ProcessorId profiled_processor(const profiles::ProfileSet& set, const SessionOptions& options) {
  const std::string measured = set.provenance.provider.empty() ? "cpu" : set.provenance.provider;
  const bool another = measured != options.provider.name;
  ProcessorId processor(options.provider.name == "cpu" ? "cpu" : "gpu");
  if (!set.device.processors.empty() && !another) processor = set.device.processors.front();
  if (options.threads == set.device.threads_on(processor)) return processor;
  return profiles::kind_with_threads(processor, options.threads);
}

void make_quick(runtime::ProfileRequest& request) {
  request.batches = {1};
  for (const auto& [batch, times] : request.set.variants.front().batch_time) request.batches.push_back(batch);
  request.rounds.warmup = 2;
  request.rounds.fewest = 3;
  request.rounds.most = 100;
  request.rounds.time = Seconds(2.0);
  request.loads = 3;
  if (runtime::measured_with_provider(request)) request.memory_engines = 0;
}

void model_power(const ModelledPower& power, const ProcessorId& processor, profiles::ProfileSet& set) {
  const Watts above = power.active - power.idle;
  set.device.idle_power = power.idle;
  set.provenance.energy_source = "modelled";
  for (profiles::Variant& variant : set.variants) {
    variant.power = profiles::Power{above, {}};
    variant.energy_per_inference = above * variant.frame_time.at(processor);
  }
}

}  // namespace saccade::app
